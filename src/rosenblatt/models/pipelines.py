"""Pipelines as a header and arrays, and back: scikit-learn's steps, and an estimator at the end."""

from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from rosenblatt import learner_registry
from rosenblatt.models.checks import check_array, check_flag, need
from rosenblatt.models.encoding import Decoder, Encoder
from rosenblatt.models.estimator_encoding import Parts, from_parts, to_header
from rosenblatt.models.pipeline_steps import (
    FLAG,
    LEAVES,
    Json,
    Param,
    check_width,
    decode_params,
    encode_params,
    one_of,
)
from rosenblatt.models.stored_types import PIPELINE, class_of
from rosenblatt.persist.errors import ModelFileError

_COLUMNS = "ColumnTransformer"
_COLUMNS_PARAMS = {
    "remainder": one_of("drop", "passthrough"),
    "sparse_threshold": Param(lambda value: type(value) in (int, float) and 0 <= value <= 1),
    "verbose_feature_names_out": FLAG,
}
_OUTPUTS = (None, "default", "pandas", "polars")
_MOST_COLUMNS = 1 << 20  # of tables without names
_BROKEN = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_OUTPUT = "_sklearn_output_config"  # where scikit-learn keeps what `set_output` was given


def to_pipeline_parts(model: Pipeline) -> Parts:
    """Return the header and the arrays that a pipeline is stored as."""
    encoder = Encoder()
    steps = _Writer(encoder)
    header = {"kind": PIPELINE, "steps": steps.of_pipeline(model, "", last=True), **steps.summary}
    if steps.has_categories:
        header["holds_training_values"] = True
    names = getattr(model[0], "feature_names_in_", None) if len(model) > 1 else None
    if names is not None:
        header["feature_names"] = [str(name) for name in names[:1000]]
    return header, encoder.arrays


class _Writer:
    """Turns steps into JSON; ``summary`` is that of the estimator at the end."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.has_categories = encoder, False
        self.summary: Json = {}

    def of_pipeline(self, pipeline: Pipeline, where: str, last: bool) -> list[Json]:
        """Return the steps of a pipeline; the last one may be an estimator of this package."""
        _refuse_input_routing(pipeline)
        ends = len(pipeline.steps) - 1
        return [
            {"name": name, "step": self.of_step(step, f"{where}{name}", last and place == ends)}
            for place, (name, step) in enumerate(pipeline.steps)
        ]

    def of_step(self, step: Any, where: str, last: bool) -> Any:
        """Return a step as JSON, or raise ``TypeError`` saying which can be stored."""
        if type(step) is str and step == "passthrough" and not last:
            return step
        if type(step) is Pipeline:
            return {"kind": PIPELINE, "steps": self.of_pipeline(step, f"{where}.", last)}
        kind = type(step).__name__
        if last:
            return self._estimator(step, where)
        if type(step) is ColumnTransformer:
            return self._columns(step, where)
        leaf = LEAVES.get(kind)
        if leaf is None or type(step) is not leaf.type:
            raise TypeError(_refusal(where, kind))
        self.has_categories |= kind in ("OneHotEncoder", "Words")
        named = f"its step {where!r}, a {kind},"
        json = {"kind": kind, "params": encode_params(step, named, leaf.params, self.encoder)}
        fitted: Json | None = None
        if hasattr(step, "n_features_in_"):
            try:
                fitted = {**_inputs(step), **leaf.learned(step)}
            except TypeError as error:
                raise TypeError(f"cannot save this Pipeline: {named} {error}") from None
        return {**json, **self._state(step, fitted, named)}

    def _state(self, step: Any, fitted: Json | None, named: str) -> Json:
        output = getattr(step, _OUTPUT, {}).get("transform")
        if fitted is None:
            return {"fitted": None, "output": output}
        try:
            encoded = {name: self.encoder.encode(value, name) for name, value in fitted.items()}
        except TypeError as error:
            raise TypeError(
                f"cannot save this Pipeline: in {named} {error}, which a model file cannot hold"
            ) from None
        return {"fitted": encoded, "output": output}

    def _estimator(self, step: Any, where: str) -> Json:
        kind = type(step).__name__
        if kind not in learner_registry.savable():
            raise TypeError(_refusal(where, kind))
        if class_of(kind) is not type(step):  # another package's, of the same name
            raise TypeError(_refusal(where, f"{type(step).__module__}.{kind}"))
        header = to_header(step, kind, self.encoder)
        core = {name: header.pop(name) for name in ("kind", "params", "fitted")}
        self.summary = header
        return core

    def _columns(self, step: ColumnTransformer, where: str) -> Json:
        named = f"its step {where!r}, a {_COLUMNS},"
        params = encode_params(step, named, _COLUMNS_PARAMS, self.encoder)
        is_fitted = hasattr(step, "transformers_")
        now = step.transformers_ if is_fitted else step.transformers
        parts = []
        # Fitted, there may be an entry more, for the remainder.
        for (name, given, _), (_, part, columns) in zip(step.transformers, now, strict=False):
            as_is = type(given) is str and given in ("drop", "passthrough")
            inner = given if as_is else self.of_step(part, f"{where}.{name}", last=False)
            listed = _listed(columns)
            if listed is None:
                raise TypeError(
                    f"cannot save this Pipeline: {named} takes the columns {columns!r} for "
                    f"{name!r}; give a list of names, or one of numbers"
                )
            parts.append({"name": name, "columns": listed, "step": inner})
        fitted = None
        if is_fitted:
            fitted = {**_inputs(step), "sparse_output_": bool(step.sparse_output_)}
        state = self._state(step, fitted, named)
        return {"kind": _COLUMNS, "params": params, "parts": parts, **state}


def _refuse_input_routing(pipeline: Pipeline) -> None:
    if getattr(pipeline, "transform_input", None) is not None:
        raise TypeError(
            "cannot save this Pipeline: it has transform_input, which a model file cannot hold"
        )


def _refusal(where: str, kind: str) -> str:
    steps = ", ".join(sorted([_COLUMNS, *LEAVES, PIPELINE]))
    return (
        f"cannot save this Pipeline: its step {where!r} is a {kind}. A model file can hold "
        f"'passthrough', {steps}, and at the end a model: "
        f"{', '.join(sorted(learner_registry.savable()))}"
    )


def _inputs(step: Any) -> Json:
    """Return how many columns a step takes, and what they are called."""
    names = getattr(step, "feature_names_in_", None)
    inputs: Json = {"n_features_in_": int(step.n_features_in_)}
    return inputs if names is None else {**inputs, "feature_names_in_": np.asarray(names, object)}


def _listed(columns: Any) -> list[Any] | None:
    """Return columns as a list of names or of numbers; None if they are something else."""
    if isinstance(columns, str) or not hasattr(columns, "__iter__"):
        return None
    found = [one.item() if isinstance(one, np.generic) else one for one in columns]
    same = all(type(one) is str for one in found) or all(type(one) is int for one in found)
    return found if same else None


def from_pipeline_parts(header: Json, decoder: Decoder) -> Pipeline:
    """Return the pipeline that a header and arrays stand for, or raise ``ModelFileError``."""
    reader = _Reader(decoder, header["library"])
    return reader.of_pipeline(header.get("steps"), None, "", last=True)[0]


class _Reader:
    """Turns JSON into steps. ``n`` is how many columns the steps before make, if that is known."""

    def __init__(self, decoder: Decoder, library: str) -> None:
        self.decoder, self.library = decoder, library

    def of_pipeline(
        self, json: Any, n: int | None, where: str, last: bool
    ) -> tuple[Pipeline, int | None]:
        """Return a pipeline, and how many columns come out."""
        entries = _named(json, {"name", "step"}, "steps")
        need(entries, "a pipeline must have steps")
        steps = []
        for place, entry in enumerate(entries):
            ends = last and place == len(entries) - 1
            step, n = self.of_step(entry["step"], n, f"{where}{entry['name']}", ends)
            steps.append((entry["name"], step))
        return Pipeline(steps), n

    def of_step(self, json: Any, n: int | None, where: str, last: bool) -> tuple[Any, int | None]:
        """Return a step, and how many columns come out."""
        if type(json) is str and json == "passthrough" and not last:
            return json, n
        need(isinstance(json, dict), f"step {where[:50]!r} is broken")
        kind = json.get("kind")
        need(isinstance(kind, str), f"step {where[:50]!r} does not say what it is")
        if kind == PIPELINE:
            return self.of_pipeline(json.get("steps"), n, f"{where}.", last)
        try:
            if last:
                return self._estimator(json, n)
            if kind == _COLUMNS:
                return self._columns(json, n, where)
            need(kind in LEAVES, f"there is no kind of step {kind[:50]!r} in this version")
            return self._leaf(json, n)
        except ModelFileError as error:
            if str(error).startswith("step "):  # of a step within this one
                raise
            raise ModelFileError(f"step {where[:50]!r}: {error}") from None
        except _BROKEN as error:
            raise ModelFileError(f"step {where[:50]!r} is not valid: {error}") from None

    def _estimator(self, json: Json, n: int | None) -> tuple[Any, None]:
        need(json["kind"] in learner_registry.savable(), "the last step is not a model")
        model = from_parts({**json, "library": self.library}, self.decoder)
        _check_chain(n, getattr(model, "n_features_in_", None))
        return model, None

    def _leaf(self, json: Json, n: int | None) -> tuple[Any, int | None]:
        leaf = LEAVES[json["kind"]]
        step = leaf.type(
            **decode_params(json.get("params"), json["kind"], leaf.params, self.decoder)
        )
        fitted, width = self._fitted(json, n), None
        if fitted is not None:
            inputs = _taken(fitted, leaf.fields)
            width = leaf.restore(step, fitted, inputs["n_features_in_"])
            vars(step).update(inputs)
        _set_output(step, json)
        return step, width

    def _fitted(self, json: Json, n: int | None) -> Json | None:
        """Return what a step learned, which must take as many columns as there are."""
        stored = json.get("fitted")
        if stored is None:
            return None
        need(isinstance(stored, dict), "what it learned is broken")
        fitted = {name: self.decoder.decode(value) for name, value in stored.items()}
        width = check_width(fitted.get("n_features_in_"))
        _check_chain(n, width)
        if "feature_names_in_" in fitted:
            names = fitted["feature_names_in_"]
            check_array(names, "feature_names_in_", (width,), (np.dtype(object),))
            need(all(type(name) is str for name in names), "feature_names_in_ must be texts")
        return fitted

    def _columns(self, json: Json, n: int | None, where: str) -> tuple[Any, int | None]:
        params = decode_params(json.get("params"), _COLUMNS, _COLUMNS_PARAMS, self.decoder)
        entries = _named(json.get("parts"), {"columns", "name", "step"}, "parts")
        fitted = self._fitted(json, n)
        inputs = {} if fitted is None else _taken(fitted, ("sparse_output_",))
        parts, widths = [], []
        for entry in entries:
            columns, step = entry["columns"], entry["step"]
            need(isinstance(columns, list) and _listed(columns) == columns, "it lacks columns")
            width: int | None = len(columns)
            if type(step) is not str or step not in ("drop", "passthrough"):
                inner = len(columns) if inputs and columns else None
                step, width = self.of_step(step, inner, f"{where}.{entry['name']}", last=False)
            parts.append((entry["name"], step, columns))
            widths.append(width)
        if fitted is None:
            made = ColumnTransformer(parts, **params)
            _set_output(made, json)
            return made, None
        check_flag(fitted["sparse_output_"], "sparse_output_")
        made, total = _fitted_columns(parts, widths, params, inputs)
        made.sparse_output_ = bool(fitted["sparse_output_"])
        _set_output(made, json)
        return made, total


class _StandIn:
    """A step that was fitted elsewhere: it makes so many columns."""

    def __init__(self, width: int) -> None:
        self.width = width

    def __sklearn_clone__(self) -> "_StandIn":
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Return as many columns as the step makes."""
        return np.zeros((len(X), self.width))

    def transform(self, X: Any) -> Any:
        """Return the same."""
        return self.fit_transform(X)


def _fitted_columns(
    parts: list[Any], widths: list[int | None], params: Json, inputs: Json
) -> tuple[ColumnTransformer, int]:
    """Fit a ColumnTransformer to a row of zeros with steps that stand in for those of the file."""
    n: int = inputs["n_features_in_"]
    names: Any = inputs.get("feature_names_in_")
    need(names is not None or n <= _MOST_COLUMNS, "there are too many columns")
    numbers = {} if names is None else {name: place for place, name in enumerate(names)}
    stand_ins = []
    for (name, step, columns), width in zip(parts, widths, strict=True):
        places = [numbers.get(one, n) if type(one) is str else one for one in columns]
        need(all(0 <= place < n for place in places), "it takes columns that there are not")
        need(width is not None or not columns, f"its part {name[:50]!r} has learned nothing")
        stand_ins.append((name, step if type(step) is str else _StandIn(width or 0), places))
    made = ColumnTransformer(stand_ins, **params)
    with config_context(enable_metadata_routing=False, transform_output="default"):
        total = made.fit_transform(np.zeros((1, n))).shape[1]
    made.transformers_ = [
        (name, old if type(step) is str else step, columns)
        for (name, step, columns), (_, old, _) in zip(parts, made.transformers_, strict=False)
    ] + made.transformers_[len(parts) :]
    made.transformers = [
        (name, step if type(step) is str else clone(step), columns) for name, step, columns in parts
    ]
    vars(made).update(inputs)
    return made, int(total)


def _named(json: Any, keys: set[str], what: str) -> list[Json]:
    """Return entries that have these keys and names of their own."""
    need(isinstance(json, list), f"there must be a list of {what}")
    for entry in json:
        good = isinstance(entry, dict) and entry.keys() == keys and type(entry["name"]) is str
        need(good, f"each of the {what} must have {', '.join(sorted(keys))}")
    names = [entry["name"] for entry in json]
    need(len({*names}) == len(names), f"two {what} have the same name")
    return json  # type: ignore[no-any-return]


def _taken(fitted: Json, others: tuple[str, ...]) -> Json:
    """Take out what a step knows of its columns; nothing but ``others`` may be left."""
    known = ("n_features_in_", "feature_names_in_")
    inputs = {name: fitted.pop(name) for name in known if name in fitted}
    need(fitted.keys() == {*others}, f"it must have learned {', '.join(others) or 'nothing'}")
    return {**inputs, "n_features_in_": int(inputs["n_features_in_"])}


def _check_chain(made: int | None, taken: int | None) -> None:
    if made is not None and taken is not None:
        need(made == taken, f"it takes {taken} columns, and the steps before it make {made}")


def _set_output(step: Any, json: Json) -> None:
    output = json.get("output")
    need(output in _OUTPUTS, "there is no such output")
    if output is not None:
        setattr(step, _OUTPUT, {"transform": output})
