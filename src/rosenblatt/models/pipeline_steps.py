"""The steps that a model file may hold: their parameters, and what they learned.

There are only these, with checked values. Most are scikit-learn's, and its own objects come back:
each is made with its parameters, fitted to a single row, so that it has the private notes of the
installed version, and given what it had learned.
"""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rosenblatt.data.frames import as_floats, as_text, is_missing, join
from rosenblatt.data.rows import Array, all_finite
from rosenblatt.models.checks import FLOATS, WHOLE, check_array, check_count, check_finite, need
from rosenblatt.models.encoding import Decoder, Encoder, is_number
from rosenblatt.models.frame_steps import Days, Words
from rosenblatt.readers.column_types import DATES
from rosenblatt.readers.names import Kept

Json = dict[str, Any]
# What changes how a step works and not what comes out.
_ASIDE = {"memory", "n_jobs", "steps", "transformers", "verbose"}


class Param(NamedTuple):
    """Which values a parameter may have; ``named`` are functions and types, stored by name."""

    allowed: Callable[[Any], bool]
    named: Mapping[str, Any] = MappingProxyType({})


def one_of(*values: Any) -> Param:
    """Allow some values."""
    return Param(lambda value: any(type(value) is type(one) and value == one for one in values))


def _of_names(**named: Any) -> Param:
    return Param(lambda value: False, named)


def _is_fill(value: Any) -> bool:
    return value is None or (type(value) in (int, float) and bool(np.isfinite(value)))


def _are_categories(value: Any) -> bool:
    """Accept "auto", or for each column a list or an array of texts or numbers."""
    if type(value) is not list:
        return type(value) is str and value == "auto"
    plain = (bool, int, float, str)
    return all(
        isinstance(part, np.ndarray) or (type(part) is list and all(type(v) in plain for v in part))
        for part in value
    )


FLAG = Param(lambda value: type(value) is bool)


class Leaf(NamedTuple):
    """A class of steps: its parameters, and how what it learned is taken out and given back.

    ``fields`` name what it learned. ``restore`` gets a step, that and the number of its columns,
    and returns how many columns come out.
    """

    type: Any
    params: Mapping[str, Param]
    fields: tuple[str, ...]
    learned: Callable[[Any], Json]
    restore: Callable[[Any, Json, int], int]


_SCALER = ("mean_", "var_", "scale_", "n_samples_seen_")


def _scaler(step: Any) -> Json:
    return {name: getattr(step, name) for name in _SCALER}


def _restore_scaler(step: Any, learned: Json, n: int) -> int:
    for name in _SCALER[:3]:
        if learned[name] is not None:
            check_finite(learned[name], name, (n,), FLOATS)
    need(learned["mean_"] is not None or not step.with_mean, "mean_ is missing")
    scale, seen = learned["scale_"], learned["n_samples_seen_"]
    need(scale is not None or not step.with_std, "scale_ is missing")
    need(scale is None or (scale > 0).all(), "scale_ must be positive")
    if isinstance(seen, np.ndarray):
        check_array(seen, "n_samples_seen_", (n,), (*WHOLE, *FLOATS))
    else:
        need(type(seen) in (int, np.int64, np.float64), "n_samples_seen_ must be a number")
    vars(step).update(learned)
    return n


def _imputer(step: Any) -> Json:
    statistics = step.statistics_
    if statistics.dtype.kind == "O":  # what strategy="constant" fills in
        try:
            statistics = statistics.astype(np.float64)
        except ValueError:
            raise TypeError("fills in texts, which a model file cannot hold") from None
    return {"statistics_": statistics, "dtype": getattr(step, "_fill_dtype", statistics.dtype)}


def _restore_imputer(step: Any, learned: Json, n: int) -> int:
    statistics, dtype = learned["statistics_"], learned["dtype"]
    check_array(statistics, "statistics_", (n,), FLOATS)
    need(isinstance(dtype, np.dtype) and dtype.kind in "iuf", "dtype must be a type of numbers")
    step.fit(np.zeros((1, n), dtype))
    step.statistics_ = statistics
    return n if step.keep_empty_features else int(np.count_nonzero(~np.isnan(statistics)))


def _indicator(step: Any) -> Json:
    return {"features_": step.features_}


def _restore_indicator(step: Any, learned: Json, n: int) -> int:
    features = check_array(learned["features_"], "features_", (n,), WHOLE)
    need(np.array_equal(features, np.arange(n)), "features_ must be all columns")
    step.fit(np.zeros((1, n)))
    return n


def _encoder(step: Any) -> Json:
    return {"categories_": [_apart(categories) for categories in step.categories_]}


def _apart(categories: Array) -> Json:
    """Part what stands for a missing value, which comes last, from texts."""
    if categories.dtype.kind != "O":
        return {"values": categories, "missing": None}
    last = categories[-1] if len(categories) else ""
    missing = {True: "None", False: "nan"}[last is None] if is_missing(last) else None
    texts = categories if missing is None else categories[:-1]
    for value in texts.tolist():
        if type(value) is not str:
            raise TypeError(f"has the category {value!r}, of type {type(value).__name__}")
    return {"values": texts, "missing": missing}


def _together(stored: Any) -> Array:
    """Return the categories of a column, each once; numbers must rise, as they are searched."""
    need(type(stored) is dict and stored.keys() == {"missing", "values"}, "a column is broken")
    values, missing = stored["values"], stored["missing"]
    need(type(values) is np.ndarray and values.ndim == 1, "the categories must be a vector")
    if values.dtype.kind in "OU":
        need(missing in (None, "None", "nan"), "a missing value must be None or nan")
        items: list[Any] = values.tolist()
        need(all(type(item) is str for item in items), "the categories must be texts or numbers")
        need(len({*items}) == len(items), "there are categories that come twice")
        if missing is not None:
            values = np.array([*items, None if missing == "None" else np.nan], object)
    else:
        need(is_number(values.dtype) and missing is None, "the categories must be texts or numbers")
        known = values[:-1] if len(values) and values[-1] != values[-1] else values
        need(all_finite(known) and np.all(known[1:] > known[:-1]), "the categories must rise")
    need(len(values), "a column has no categories")
    return np.asarray(values)


def _restore_encoder(step: Any, learned: Json, n: int) -> int:
    stored = learned["categories_"]
    need(type(stored) is list and len(stored) == n, "there must be categories for each column")
    columns, given = [_together(one) for one in stored], step.categories
    row = np.empty((1, n), object)
    row[0] = [column.tolist()[0] for column in columns]
    step.set_params(categories=columns).fit(row)
    step.categories, step.categories_ = given, columns
    dropped = () if step.drop_idx_ is None else step.drop_idx_
    return sum(map(len, columns)) - sum(place is not None for place in dropped)


def _words(step: Any) -> Json:
    texts = step.names_.arrays()
    return {"letters": texts["letters"], "ends": texts["ends"], "rarity_": step.rarity_}


def _restore_words(step: Any, learned: Json, n: int) -> int:
    letters, ends = learned["letters"], learned["ends"]
    parts = isinstance(letters, np.ndarray) and isinstance(ends, np.ndarray)
    need(parts, "the words are damaged")
    names = Kept.from_arrays(letters, ends, "words")
    columns = {names.text(k).partition("=")[:2] for k in range(names.n_features)}
    need(columns <= {(str(k), "=") for k in range(n)}, "a word is of a column that there is not")
    names.counts_words = names.frozen = True
    step.names_ = names
    step.rarity_ = check_finite(learned["rarity_"], "rarity_", (names.n_features,))
    return names.n_features


LEAVES: Mapping[str, Leaf] = {
    "StandardScaler": Leaf(
        StandardScaler,
        {"copy": FLAG, "with_mean": FLAG, "with_std": FLAG},
        _SCALER,
        _scaler,
        _restore_scaler,
    ),
    "SimpleImputer": Leaf(
        SimpleImputer,
        {
            "strategy": one_of("mean", "median", "most_frequent", "constant"),
            "fill_value": Param(_is_fill),
            "copy": FLAG,
            "keep_empty_features": FLAG,
        },
        ("statistics_", "dtype"),
        _imputer,
        _restore_imputer,
    ),
    "MissingIndicator": Leaf(
        MissingIndicator,
        {"features": one_of("all"), "sparse": one_of("auto", True, False), "error_on_new": FLAG},
        ("features_",),
        _indicator,
        _restore_indicator,
    ),
    "OneHotEncoder": Leaf(
        OneHotEncoder,
        {
            "categories": Param(_are_categories),
            "drop": one_of(None, "first", "if_binary"),
            "sparse_output": FLAG,
            "dtype": _of_names(float64=np.float64, float32=np.float32),
            "handle_unknown": one_of("error", "ignore", "infrequent_if_exist", "warn"),
            "feature_name_combiner": Param(one_of("concat").allowed, {"join": join}),
        },
        ("categories_",),
        _encoder,
        _restore_encoder,
    ),
    "FunctionTransformer": Leaf(
        FunctionTransformer,
        {
            "func": _of_names(as_floats=as_floats, as_text=as_text),
            "feature_names_out": one_of(None, "one-to-one"),
            "accept_sparse": FLAG,
            "check_inverse": FLAG,
        },
        (),
        lambda step: {},
        lambda step, learned, n: n,
    ),
    "Days": Leaf(Days, {"style": one_of(*DATES)}, (), lambda step: {}, lambda step, learned, n: n),
    "Words": Leaf(
        Words, {"weighted": FLAG}, ("letters", "ends", "rarity_"), _words, _restore_words
    ),
}


def encode_params(
    step: Any, where: str, params: Mapping[str, Param], encoder: Encoder
) -> dict[str, Any]:
    """Return a step's parameters as JSON; raise ``TypeError`` naming one that cannot be stored."""
    usual = inspect.signature(type(step)).parameters
    stored = {}
    for name, value in step.get_params(deep=False).items():
        if name in _ASIDE:
            continue
        rule = params.get(name, Param(lambda value, name=name: _same(value, usual[name].default)))  # type: ignore[misc]
        known = next((key for key, one in rule.named.items() if value is one), None)
        if known is None and not rule.allowed(value):
            raise TypeError(
                f"cannot save this Pipeline: {where} has {name}={_short(value)}, which a model "
                "file cannot hold. Choose another, or make the features in a step of your own "
                "and save the rest"
            )
        if name in params:
            stored[name] = known or encoder.encode(value, name)
    return stored


def decode_params(
    json: Any, kind: str, params: Mapping[str, Param], decoder: Decoder
) -> dict[str, Any]:
    """Return the parameters that JSON stands for, all of them allowed."""
    need(isinstance(json, dict), f"a {kind} must have params")
    found = {}
    for name, stored in json.items():
        need(name in params, f"a {kind} in a pipeline has no parameter {name[:50]!r}")
        rule = params[name]
        if type(stored) is str and stored in rule.named:
            found[name] = rule.named[stored]
        else:
            found[name] = decoder.decode(stored)
            need(rule.allowed(found[name]), f"a {kind} has a wrong value for {name}")
    return found


def check_width(value: Any) -> int:
    """Return the number of columns that a step takes."""
    n = check_count(value, "n_features_in_")
    need(n, "n_features_in_ must not be 0")
    return n


def _same(value: Any, usual: Any) -> bool:
    both_missing = value is not None and usual is not None and is_missing(value)
    if both_missing and is_missing(usual):
        return True
    return value is usual or (type(value) is type(usual) and bool(value == usual))


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
