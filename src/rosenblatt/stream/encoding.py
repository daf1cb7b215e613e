"""A stream's model as a header and arrays, for a file, and back. Nothing read is trusted."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Sparse, all_finite, n_rows
from rosenblatt.kernels.online.regression import SQUARES, WEIGHT
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.names import Hashed, Names, from_header
from rosenblatt.stream import calibration, rules
from rosenblatt.stream.calibration import Calibration
from rosenblatt.stream.growing import FLAT, WIDE
from rosenblatt.stream.rules import Options
from rosenblatt.stream.scaling import Scaling, words_of

_ARRAYS = (*WIDE, *FLAT)
_LOG = ("row", "step", "right", "wrong")
_COUNTS = ("steps", "updates", "mistakes", "averaged", "passes", "zero")
_SUMS = ("loss_sum", "mass")
# Options that files of earlier versions do not have, and what they were.
_BEFORE = {
    "learning_rate": "inverse_sqrt",
    "l2": adaptive.L2,
    "scale": None,
    "loss": "hinge",
    "l1": 0.0,
    "forget": None,
}
_MOST = {int: 1 << 53, float: float("inf")}
_SCALARS = (*_COUNTS, *_SUMS)


class Parts(NamedTuple):
    """What a model is made of; ``labels`` are the classes, or what is known of the target."""

    options: Options
    names: Names
    labels: Array
    sum_squares: float
    state: Any
    scaling: Scaling | None
    given: list[Any] | None = None  # the classes that the constructor was given
    calibration: Calibration | None = None


def to_parts(parts: Parts) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a JSON header and arrays. Weights are cut to the features there are."""
    options, names, labels, sum_squares, state, scaling, given, fitted = parts
    kind = "target" if rules.rule_of(options).predicts_numbers else "classes"
    header: dict[str, Any] = {
        "params": options.stored(),
        kind: labels.tolist(),
        "names": names.header(),
        "pace": sum_squares,  # as version 1 of the format calls it
        "holds_training_rows": rules.rule_of(options).keeps_rows,
        "state": None,
    }
    if fitted is not None:
        header["calibration"] = list(fitted)
    arrays = {f"names.{name}": array for name, array in names.arrays().items()}
    if scaling is not None:
        header["scaling"], own = scaling.to_parts()
        arrays |= {f"scaling.{name}": array for name, array in own.items()}
    if given is not None:
        header["given_classes"] = given
    if state is None:
        return header, arrays
    fields = state._asdict()
    header["state"] = {name: fields[name] for name in _SCALARS if name in fields}
    for name in _ARRAYS:
        if name in fields:
            array = fields[name]
            # Features first: that is how they lie in memory.
            arrays[name] = array[:, : names.n_features].T if array.ndim == 2 else array
    if rules.rule_of(options).keeps_rows:
        for name in _LOG:
            arrays[name] = fields[name][: state.updates]
        if len(state.size):
            arrays["size"] = state.size
        kept = fields["kept"]
        if isinstance(kept, Dense):  # before the first mistake
            kept = Sparse(np.zeros(1, np.int32), np.zeros(0, np.int32), kept.values[:0].ravel())
        arrays |= {f"kept.{name}": array for name, array in kept._asdict().items()}
    return header, arrays


def copied(header: dict[str, Any], arrays: dict[str, Array]) -> tuple[dict[str, Any], Any]:
    """Copy arrays, so that learning on leaves them as they are."""
    return header, {name: np.array(array) for name, array in arrays.items()}


def from_parts(header: dict[str, Any], arrays: dict[str, Array], numbers: bool = False) -> Parts:
    """Undo `to_parts`, of a model that predicts numbers or one for classes.

    Raise ``ValueError`` if that is not possible.
    """
    options = _options(header.get("params"), numbers)
    own = _below("names.", arrays)
    scaled = _below("scaling.", arrays)
    if not isinstance(header.get("names"), dict):
        raise ValueError("the header does not say how features are named")
    names = from_header(header["names"], own)
    labels = _target(header.get("target")) if numbers else _classes(header.get("classes"))
    pace = header.get("pace")
    if type(pace) is not float or not np.isfinite(pace) or pace < 0:
        raise ValueError(f"pace={pace!r} must be a finite number, not negative")
    scaling = None
    if header.get("scaling") is not None:
        if options.scale is None:
            raise ValueError("there are means of columns, and scale=None")
        scaling = Scaling.from_parts(
            header["scaling"], scaled, names.n_features, words_of(options, names)
        )
    elif scaled or (options.scale is not None and not isinstance(names, Hashed)):
        raise ValueError("the header does not say how columns are scaled")
    state, n_classes = None, 2 if numbers else len(labels)
    if header.get("state") is not None:
        if n_classes < 2:
            raise ValueError("there are weights, but fewer than two classes")
        state = _state(options, names, n_classes, header["state"], arrays)
    elif n_classes > 1:
        what = "there is a target" if numbers else f"there are {n_classes} classes"
        raise ValueError(f"{what}, but no weights")
    elif len(own) + len(scaled) < len(arrays):
        raise ValueError("there are weights, and the state that they belong to is null")
    known = {f"names.{name}" for name in own} | {f"scaling.{name}" for name in scaled}
    if state is not None and set(arrays) - _arrays_of(state) - known:
        raise ValueError("there are arrays that no part of the model refers to")
    given = header.get("given_classes")
    if given is not None and (numbers or not set(_classes(given).tolist()) <= set(labels.tolist())):
        raise ValueError("given_classes are not among the classes")
    found = calibration.checked(header.get("calibration"), 0 if numbers else len(labels))
    return Parts(options, names, labels, pace, state, scaling, given, found)


def _below(prefix: str, arrays: dict[str, Array]) -> dict[str, Array]:
    """Return the arrays whose names begin so, without it."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _options(params: Any, numbers: bool) -> Options:
    types = {"learner": str, "fit_intercept": bool, "ties": str, "average": bool, "dtype": str}
    types |= {"learning_rate": str, "l2": float, "loss": str, "l1": float}
    if isinstance(params, dict):
        params = {**_BEFORE, **params}
    if not isinstance(params, dict) or set(params) != set(Options._fields):
        raise ValueError(f"params={params!r} are not those of an online model")
    for name, kind in types.items():
        if type(params[name]) is not kind:
            raise ValueError(f"{name}={params[name]!r} must be a {kind.__name__}")
    return rules.checked(Options(**params), numbers)


def _target(found: Any) -> Array:
    """Return the sum of the weights of the numbers to predict, their mean and their spread."""
    sound = isinstance(found, list) and len(found) == 3 and {float} == set(map(type, found))
    target = np.array(found if sound else [np.nan])
    if not np.isfinite(target).all() or target[WEIGHT] < 0 or target[SQUARES] < 0:
        raise ValueError(f"target={str(found)[:50]} is not a weight, a mean and a sum of squares")
    return target


def _classes(labels: Any) -> Array:
    if not isinstance(labels, list) or len({type(label) for label in labels}) > 1:
        raise ValueError("the classes are not a list of labels of one type")
    if any(type(label) not in (int, float, str, bool) for label in labels):
        raise ValueError("a class is neither a number nor a text")
    classes = np.array(labels, object if labels and isinstance(labels[0], str) else None)
    if not len(labels):
        return np.empty(0, object)
    if classes.dtype.kind == "f" and not np.isfinite(classes).all():
        raise ValueError("a class is a number that is not finite")
    if classes.dtype.kind not in "ifbO" or not np.all(classes[1:] > classes[:-1]):
        raise ValueError("the classes are not sorted, or one occurs twice")
    return classes


def _state(options: Options, names: Names, k: int, scalars: Any, arrays: dict[str, Array]) -> Any:
    """Fill a fresh state with what was kept, after a look at all of it."""
    state = rules.init(options, 0, k)
    fields = state._asdict()
    wanted = {name for name in _SCALARS if name in fields}
    if not isinstance(scalars, dict) or set(scalars) != wanted:
        raise ValueError("the state's numbers are not those of its learner")
    for name in wanted:
        kind = int if name in _COUNTS else float
        if type(scalars[name]) is not kind or not 0 <= scalars[name] < _MOST[kind]:
            raise ValueError(f"{name}={scalars[name]!r} must be a {kind.__name__}, not negative")
    for name in (name for name in ("updates", "mistakes", "averaged") if name in wanted):
        if scalars[name] > scalars["steps"]:
            raise ValueError(f"{name}={scalars[name]} is more than there were steps")
    if scalars.get("mass", 0.0) > scalars.get("averaged", 0) * (1 + 1e-6):
        raise ValueError(f"mass={scalars['mass']} is more than what was averaged")
    if not options.average and scalars.get("averaged"):
        raise ValueError("weights are averaged, and average=False")
    found: dict[str, Any] = dict(scalars)
    functions = online.n_functions(k)
    for name in (name for name in _ARRAYS if name in fields):
        flat = name in FLAT
        shape = (functions,) if flat else (names.n_features, functions)
        array = _array(arrays, name, fields[name].dtype, shape)
        if not all_finite(array):
            raise ValueError(f"{name} has numbers that are not finite")
        if name.startswith(("roots", "evidence")) and (array < 0).any():
            raise ValueError(f"{name} has numbers below zero")
        if flat and not options.fit_intercept and array.any():
            raise ValueError(f"{name} is not zero, and fit_intercept=False")
        found[name] = array if flat else np.asarray(array.T, order="F")
    if rules.rule_of(options).keeps_rows:
        found |= _voted(names, k, found, arrays, np.dtype(options.dtype))
    return state._replace(**found)


def _arrays_of(state: Any) -> set[str]:
    """Return what the arrays of a state are called in a file."""
    logged = {*_LOG, *(f"kept.{name}" for name in Sparse._fields)} if hasattr(state, "kept") else ()
    if len(getattr(state, "size", ())):
        logged = {*logged, "size"}
    return {name for name in _ARRAYS if hasattr(state, name)} | {*logged}


def _array(arrays: dict[str, Array], name: str, dtype: Any, shape: tuple[int, ...]) -> Array:
    if name not in arrays or arrays[name].dtype != dtype or arrays[name].shape != shape:
        raise ValueError(f"the array {name} is missing, or not {dtype} of shape {shape}")
    return np.array(arrays[name])


def _voted(
    names: Names, k: int, found: dict[str, Any], arrays: dict[str, Array], dtype: Any
) -> dict[str, Any]:
    """Return the log and the rows of a voted perceptron; every number in them is within range."""
    mistakes = found["updates"]
    log = {name: _array(arrays, name, np.int64, (mistakes,)) for name in _LOG}
    parts = [arrays.get(f"kept.{name}", np.empty((0, 0))) for name in Sparse._fields]
    kept = Sparse(*parts)
    indptr, indices, values = kept
    shaped = all(part.ndim == 1 for part in kept) and values.dtype == dtype and len(indptr) > 0
    if not shaped or indptr.dtype != indices.dtype or indices.dtype not in (np.int32, np.int64):
        raise ValueError("the rows kept are not rows")
    ordered = indptr[0] == 0 and indptr[-1] == len(indices) == len(values)
    if not ordered or np.any(indptr[1:] < indptr[:-1]):
        raise ValueError("the rows kept do not end where the next begin")
    if len(indices) and not (indices.min() >= 0 and indices.max() < names.n_features):
        raise ValueError("a row kept has a feature that there is not")
    if not all_finite(values):
        raise ValueError("a row kept has a number that is not finite")
    limits = {"row": n_rows(kept), "step": found["steps"] + 1, "right": k, "wrong": k}
    for name, limit in limits.items():
        if mistakes and not (log[name].min() >= 0 and log[name].max() < limit):
            raise ValueError(f"the log of mistakes has a {name} that cannot be")
    if np.any(np.diff(log["step"]) <= 0) or (mistakes and log["step"][0] < 1):
        raise ValueError("the log of mistakes is not in order")
    if found["zero"] >= k:
        raise ValueError(f"zero={found['zero']} is not a class")
    if "size" in arrays:  # where examples had importance weights
        log["size"] = _array(arrays, "size", np.float64, (mistakes,))
        if not mistakes or not all_finite(log["size"]) or (log["size"] < 0).any():
            raise ValueError("the log of mistakes has a size that cannot be")
    return {**log, "kept": kept if len(indptr) > 1 else Dense(np.empty((0, 0), dtype))}
