"""What a decoded value must be, so that compiled code can trust it.

Compiled loops check no bounds. What a fit makes is right by construction; what a file says is not,
so each array's type and shape, and each number that is used as a place, is checked here.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Sparse, all_finite, n_rows
from rosenblatt.persist.errors import ModelFileError

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
DOUBLE = FLOATS[1:]
WHOLE = (np.dtype(np.int64),)
PLACES = (np.dtype(np.int32), np.dtype(np.int64))
_MOST = 1 << 53  # that anything can be counted to


class Sizes(NamedTuple):
    """Numbers of classes, of linear functions, and of features."""

    classes: int
    functions: int
    features: int


def need(condition: Any, what: str) -> None:
    """Raise ``ModelFileError`` unless something is so."""
    if not condition:
        raise ModelFileError(what)


def check_array(value: Any, name: str, shape: tuple[int, ...], types: Any = DOUBLE) -> Array:
    """Return a value that must be an array of this shape and one of these types."""
    need(type(value) is np.ndarray, f"{name} must be an array")
    need(
        value.shape == shape and value.dtype in types,
        f"{name} is of {value.dtype} and shape {value.shape}; expected "
        f"{' or '.join(str(t) for t in types)} and {shape}",
    )
    return np.asarray(value)


def check_vector(value: Any, name: str, types: Any = DOUBLE) -> Array:
    """Return a value that must be a vector of any length."""
    need(type(value) is np.ndarray and value.ndim == 1, f"{name} must be a vector")
    return check_array(value, name, value.shape, types)


def check_finite(value: Any, name: str, shape: tuple[int, ...], types: Any = DOUBLE) -> Array:
    """Return an array that must have neither NaN nor infinity."""
    array = check_array(value, name, shape, types)
    need(all_finite(array), f"{name} has a number that is not finite")
    return array


def check_weights(value: Any, name: str, shape: tuple[int, ...]) -> Array:
    """Return an array of finite numbers of which none may be negative."""
    array = check_finite(value, name, shape)
    need(array.min(initial=0.0) >= 0, f"{name} has a negative number")
    return array


def check_range(values: Array, name: str, limit: int) -> None:
    """Raise ``ModelFileError`` unless whole numbers lie in 0…limit − 1."""
    if values.size:
        need(values.min() >= 0 and values.max() < limit, f"{name} must lie in 0…{limit - 1}")


def check_rising(values: Array, name: str, first: int, last: int) -> None:
    """Raise ``ModelFileError`` unless numbers go up, or stay, from the first to the last."""
    ends = len(values) and (values[0], values[-1]) == (first, last)
    need(ends and np.all(values[1:] >= values[:-1]), f"{name} must rise from {first} to {last}")


def check_count(value: Any, name: str, most: int = _MOST) -> int:
    """Return a value that must be a number of things."""
    whole = type(value) in (int, np.int64) and 0 <= value <= most
    need(whole, f"{name} must be a whole number from 0 to {most}")
    return int(value)


def check_flag(value: Any, name: str) -> None:
    """Raise ``ModelFileError`` unless a value is true or false."""
    need(type(value) in (bool, np.bool_), f"{name} must be true or false")


def check_step(value: Any, name: str) -> None:
    """Raise ``ModelFileError`` unless a value is true or false, or the step of an intercept."""
    if type(value) is float:
        need(2.0**-60 <= value <= 1e12, f"{name} must be a step of 2⁻⁶⁰ to 10¹²")
    else:
        check_flag(value, name)


def check_number(value: Any, name: str) -> None:
    """Raise ``ModelFileError`` unless a value is a number."""
    need(type(value) in (float, np.float32, np.float64), f"{name} must be a number")


def check_classes(classes: Any, name: str = "classes_") -> int:
    """Return how many classes there are; each must be larger than the one before."""
    need(
        type(classes) is np.ndarray and classes.ndim == 1 and len(classes), f"{name} must be labels"
    )
    need(classes.dtype.kind in "biufUSOmM", f"{name} must be labels")
    try:
        rising = bool(np.all(classes[1:] > classes[:-1]))
    except TypeError:
        rising = False
    need(rising, f"{name} must be sorted, each label once")
    if classes.dtype.kind == "f":
        need(all_finite(classes), f"{name} has a label that is not finite")
    return len(classes)


def check_rows(rows: Any, name: str, n_features: int, types: Any = FLOATS) -> int:
    """Return how many rows there are, after checking that loops may run over them."""
    need(isinstance(rows, Dense | Sparse), f"{name} must be rows")
    if isinstance(rows, Dense):
        values = rows.values
        need(type(values) is np.ndarray and values.ndim == 2, f"{name} must be rows")
        check_finite(values, name, (len(values), n_features), types)
    else:
        check_csr(rows.indptr, rows.indices, rows.values, name, n_features)
        check_finite(rows.values, name, rows.values.shape, types)
    return n_rows(rows)


def check_csr(indptr: Any, indices: Any, values: Any, name: str, n_columns: int) -> None:
    """Raise ``ModelFileError`` unless three vectors are the rows of a CSR matrix."""
    check_vector(indptr, f"{name}.indptr", PLACES)
    check_vector(indices, f"{name}.indices", (indptr.dtype,))
    need(type(values) is np.ndarray and values.shape == indices.shape, f"{name} must be numbers")
    check_rising(indptr, f"{name}.indptr", 0, len(indices))
    check_range(indices, f"{name}.indices", n_columns)
