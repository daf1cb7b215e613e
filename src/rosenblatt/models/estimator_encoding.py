"""Estimators as a header and arrays, and back."""

import inspect
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array
from rosenblatt.learners.closed_form import value_tables
from rosenblatt.models.attributes import check_fitted, names_of
from rosenblatt.models.consistency import check_agreement
from rosenblatt.models.encoding import Decoder, Encoder
from rosenblatt.models.states import holds_training_rows
from rosenblatt.models.stored_types import class_of
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.tagging import learner

_SHOWN = 1_000  # labels, names and passes that a header shows; the arrays have them all
_ADVICE = {
    "learning_rate": "Name a schedule, for example 'inverse'",
    "class_weight": "Give a dict with a number for each label",
    "random_state": "Give a whole number, the seed, or None",
    "cv": "Give a number of folds",
    "covariance_estimator": "Save it after model.set_params(covariance_estimator=None)",
    "kernel": "Save it after model.set_params(kernel='linear'), then set the function after load",
}
_SUMMARY = ("n_features_in_", "n_iter_", "n_mistakes_", "mistakes_", "converged_", "t_")
Parts = tuple[dict[str, Any], dict[str, Array]]


def to_parts(model: Any, kind: str) -> Parts:
    """Return the header and the arrays that an estimator is stored as."""
    encoder = Encoder()
    return to_header(model, kind, encoder), encoder.arrays


def to_header(model: Any, kind: str, encoder: Encoder) -> dict[str, Any]:
    """Return the header that an estimator is stored as; the encoder gets the arrays."""
    params = model.get_params(deep=False)
    if isinstance(params.get("class_weight"), dict):  # whose keys may be numbers
        params["class_weight"] = [list(pair) for pair in params["class_weight"].items()]
    aside = {*params, *getattr(model, "_transient", ()), "metadata"}  # which `save` keeps
    fitted = {name: value for name, value in vars(model).items() if name not in aside}
    for name in sorted(fitted.keys() - names_of(kind)[1]):
        raise TypeError(
            f"cannot save this {kind}: its attribute {name!r} is not part of one. Delete it, or "
            "keep it elsewhere"
        )
    if sp.issparse(fitted.get("coef_")):
        raise TypeError(f"cannot save this {kind}: its coef_ is sparse. Call densify() first")
    return {
        "kind": kind,
        "params": {name: _encoded(encoder, kind, name, params[name]) for name in sorted(params)},
        # The public ones first, so that an array that is also part of the state has its known name.
        "fitted": {
            name: _encoded(encoder, kind, name, fitted[name])
            for name in sorted(fitted, key=lambda name: (name.startswith("_"), name))
        },
        **_summary(fitted),
    }


def _encoded(encoder: Encoder, kind: str, name: str, value: Any) -> Any:
    try:
        return encoder.encode(value, name)
    except TypeError as error:
        advice = _ADVICE.get(name, "Replace it by numbers or texts")
        raise TypeError(
            f"cannot save this {kind}: {error}, which a model file cannot hold. {advice}"
        ) from None


def _summary(fitted: dict[str, Any]) -> dict[str, Any]:
    """Say what people want to know of a model; loading it does not depend on this."""
    classes, names = fitted.get("classes_"), fitted.get("feature_names_in_")
    state = fitted.get("_state")
    shown = {name.rstrip("_"): _plain(fitted[name]) for name in _SUMMARY if name in fitted}
    return {
        "classes": None if classes is None else _plain(classes),
        "n_classes": None if classes is None else len(classes),
        "feature_names": None if names is None else _plain(names),
        "training": shown,
        "holds_training_rows": holds_training_rows(state),
        # Medians and modes are made of each feature's values, which stay, though not as rows; and a
        # tagger's features are made of words.
        "holds_training_values": isinstance(state, value_tables.State | learner.Model),
    }


def _plain(value: Any) -> Any:
    """Turn an array's first items, or a number, into what JSON has."""
    if not isinstance(value, np.ndarray):
        return value.item() if isinstance(value, np.generic) else value
    items = value[:_SHOWN].tolist()
    return [item if type(item) in (bool, int, float, str) else str(item) for item in items]


def _by_label(pairs: list[Any]) -> dict[Any, Any]:
    """Return the weights of classes, which are stored as pairs of a label and a weight."""
    labels = (bool, int, float, str, np.generic)
    if not all(type(p) is list and len(p) == 2 and isinstance(p[0], labels) for p in pairs):
        raise ModelFileError("class_weight must have pairs of a label and a weight")
    return dict(pairs)


def from_parts(header: dict[str, Any], decoder: Decoder) -> Any:
    """Return the estimator that a header and arrays stand for, or raise ``ModelFileError``."""
    kind, written_by = header["kind"], header["library"][:20]
    parts = {}
    for part in ("params", "fitted"):
        if not isinstance(header.get(part), dict):
            raise ModelFileError(f"the header has no {part}")
        parts[part] = {name: decoder.decode(json) for name, json in header[part].items()}
    params, fitted = parts["params"], parts["fitted"]
    unknown = sorted(params.keys() - inspect.signature(class_of(kind)).parameters.keys())
    if unknown:
        raise ModelFileError(
            f"a {kind} of this version has no parameter {unknown[0][:50]!r}. The file says that "
            f"version {written_by} wrote it; if yours is older, upgrade"
        )
    if isinstance(params.get("class_weight"), list):
        params["class_weight"] = _by_label(params["class_weight"])
    if fitted:
        check_fitted(kind, fitted)
    model = class_of(kind)(**params)
    vars(model).update(fitted)
    if fitted:
        check_agreement(model)
    return model
