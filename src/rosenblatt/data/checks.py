"""The checks that make a matrix safe to loop over.

Compiled loops do not look before they leap: a column index out of range would read or write any
memory. So everything that reaches them, or SciPy's own conversions, passes through here first.
"""

from collections.abc import Callable
from datetime import date
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.frames import is_missing, numbers_first
from rosenblatt.data.rows import Array, all_finite


def check_sparse(X: Any) -> None:
    """Raise ``ValueError`` if a SciPy sparse matrix is not what its shape promises.

    SciPy trusts its arrays and converts in C++, so this must come before any conversion.
    """
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (rows and columns), got {X.ndim}")
    if min(X.shape) < 0:
        raise ValueError(f"X has the shape {X.shape}; rebuild X")
    if X.format not in _CHECKS:
        raise ValueError(f"X is a sparse matrix of unknown format {X.format!r}; use X.tocsr()")
    _CHECKS[X.format](X)


def _check_vector(array: Any, name: str, kinds: str) -> Array:
    """Return an array that must be a vector of integers or numbers."""
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in kinds:
        what = "integers" if kinds == "iu" else "numbers"
        raise ValueError(f"{name} must be a vector of {what}, got {_describe(array)}; rebuild X")
    return array


def _describe(array: Any) -> str:
    if not isinstance(array, np.ndarray):
        return type(array).__name__
    return f"{array.dtype} of shape {array.shape}"


def _check_coo(X: Any) -> None:
    data = _check_vector(X.data, "X.data", "iufbc")
    for name, index, limit in (("X.row", X.row, X.shape[0]), ("X.col", X.col, X.shape[1])):
        _check_vector(index, name, "iu")
        if len(index) != len(data):
            raise ValueError(
                f"{name} has {len(index)} entries but X.data has {len(data)}; rebuild X"
            )
        _check_range(index, limit, name)


def _check_lil(X: Any) -> None:
    for name, lists in (("X.rows", X.rows), ("X.data", X.data)):
        if not isinstance(lists, np.ndarray) or lists.shape != X.shape[:1] or lists.dtype != object:
            raise ValueError(
                f"{name} must be {X.shape[0]} lists, got {_describe(lists)}; rebuild X"
            )
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if not isinstance(columns, list) or not isinstance(values, list):
            raise ValueError(
                f"X.rows and X.data must hold lists, and row {row} does not; rebuild X"
            )
        if len(columns) != len(values):
            raise ValueError(
                f"row {row} of X has {len(columns)} columns but {len(values)} values; rebuild X"
            )
        _check_range(np.asarray(columns, np.int64), X.shape[1], f"X.rows[{row}]")


def _check_dia(X: Any) -> None:
    offsets = _check_vector(X.offsets, "X.offsets", "iu")
    if not isinstance(X.data, np.ndarray) or X.data.ndim != 2 or len(X.data) != len(offsets):
        raise ValueError(
            f"X.data must have a line for each of {len(offsets)} offsets, got {_describe(X.data)}"
        )
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError("X.offsets names a diagonal twice; rebuild X")


def _check_dok(X: Any) -> None:
    keys = np.array(list(X.keys()), np.int64).reshape(-1, 2)
    for axis, name in enumerate(("row", "column")):
        _check_range(keys[:, axis], X.shape[axis], f"the list of {name}s of X")


def _check_compressed(X: Any) -> None:
    rows, columns = X.shape
    if X.format == "bsr":
        if not isinstance(X.data, np.ndarray) or X.data.ndim != 3:
            raise ValueError(f"X.data must hold blocks, got {_describe(X.data)}; rebuild X")
        height, width = X.data.shape[1:]
        if height < 1 or width < 1 or rows % height or columns % width:
            raise ValueError(f"X has blocks of {height} × {width}, which do not tile {X.shape}")
        rows, columns = rows // height, columns // width
    else:
        _check_vector(X.data, "X.data", "iufbc")
    major, minor = (columns, rows) if X.format == "csc" else (rows, columns)
    indptr, indices = (_check_vector(getattr(X, n), f"X.{n}", "iu") for n in ("indptr", "indices"))
    if len(indptr) != major + 1:
        raise ValueError(
            f"X.indptr has {len(indptr)} entries, but a {X.format} matrix of shape {X.shape} "
            f"needs {major + 1}"
        )
    if indptr[0] != 0:
        raise ValueError(f"X.indptr must start at 0, got {indptr[0]}")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        i = int(falls[0])
        raise ValueError(
            f"X.indptr decreases from {indptr[i]} to {indptr[i + 1]} at position {i + 1}; rebuild X"
        )
    stored = min(len(indices), len(X.data))
    if indptr[-1] > stored:
        raise ValueError(
            f"X.indptr ends at {indptr[-1]}, but only {stored} values are stored; rebuild X"
        )
    axis = "column" if X.format == "csc" else "row"
    _check_range(indices[: indptr[-1]], minor, "X.indices", indptr, axis)


_CHECKS: dict[str, Callable[[Any], None]] = {
    "csr": _check_compressed,
    "csc": _check_compressed,
    "bsr": _check_compressed,
    "coo": _check_coo,
    "lil": _check_lil,
    "dia": _check_dia,
    "dok": _check_dok,
}


def _check_range(
    index: Array, limit: int, name: str, indptr: Array | None = None, axis: str = ""
) -> None:
    if not index.size:
        return
    # One scan, not two: seen as unsigned, a negative index is a huge one.
    largest = index.view(index.dtype.str.replace("i", "u")).max()
    if largest < limit:
        return
    at = int(np.flatnonzero((index < 0) | (index >= limit))[0])
    where = f"position {at}"
    if indptr is not None:
        line = int(np.searchsorted(indptr, at, side="right")) - 1
        where += f" ({axis} {line})"
    span = f"lie in 0…{limit - 1}" if limit else "not exist, as there is no such column or row"
    raise ValueError(f"{name} has {index[at]} at {where}; with X of this shape it must {span}")


def is_finite(value: Any) -> bool:
    """Say whether something is a number, and finite."""
    try:
        return isinstance(value, Real) and abs(float(value)) < np.inf
    except OverflowError:  # a whole number that is too large
        return False


def check_finite(X: Any, names: Any = None) -> None:
    """Raise ``ValueError`` naming the first NaN or infinity in a float array or CSR matrix."""
    values = X.data[: X.indptr[-1]] if sp.issparse(X) else X
    if all_finite(values):
        return
    bad = ~np.isfinite(values)
    if sp.issparse(X):
        at = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])
        value = values[at]
    else:
        row, column = (int(k[0]) for k in np.nonzero(bad))
        value = values[row, column]
    kind = what_is_not_finite(value)
    label = f" ({names[column]!r})" if names is not None else ""
    advice = "Drop such rows, or fill them in first, for example with sklearn.impute.SimpleImputer"
    if not np.isnan(value):
        advice = "Drop such rows, or replace the value by a finite one"
    raise ValueError(f"Input X contains {kind} at row {row}, column {column}{label}. {advice}")


def what_is_not_finite(value: Any) -> str:
    """Name a number that is not finite.

    >>> what_is_not_finite(-np.inf)
    'minus infinity (-inf)'
    """
    if np.isnan(value):
        return "NaN"
    return "infinity (inf)" if value > 0 else "minus infinity (-inf)"


def as_numbers(X: Any) -> Any:
    """Return X as a float32 or float64 array or CSR matrix of the same numbers, all of them finite.

    Nothing is rounded on the way: what is said of the result is true of X.
    """
    if sp.issparse(X):
        check_sparse(X)
        if X.format != "csr":
            X = X.tocsr()
            check_sparse(X)
        values = _floats(X.data)
        matrix = X if values is X.data else sp.csr_matrix((values, X.indices, X.indptr), X.shape)
    else:
        name_the_column(X)
        matrix = _columns(X) if hasattr(X, "columns") else _floats(np.asarray(X))
    if matrix.ndim != 2 or 0 in matrix.shape:
        advice = "; one feature is X.reshape(-1, 1)" if matrix.ndim == 1 else ""
        raise ValueError(
            f"X has shape {matrix.shape}; it must have two dimensions, with at least one row and "
            f"one column{advice}"
        )
    check_finite(matrix, getattr(X, "columns", None))
    return matrix


def _columns(X: Any) -> Array:
    """Return a data frame's numbers; columns of different types are not rounded to one first."""
    columns = [np.asarray(X[name]) for name in X.columns]
    if len({column.dtype for column in columns}) <= 1 or any(c.ndim > 1 for c in columns):
        return _floats(np.asarray(X))
    return np.column_stack([_floats(column) for column in columns])


def _floats(values: Array) -> Array:
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind not in "biufOUS":
        raise ValueError(f"X has the type {values.dtype}; it must hold real numbers")
    try:
        floats = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"X must hold numbers{_missing(values)}: {error}") from None
    if values.dtype.kind in "iu":
        # Compared as floats they would always be the same.
        with np.errstate(invalid="ignore"):
            same = (np.abs(floats) < 2.0**53) | (floats.astype(values.dtype) == values)
    elif values.dtype.kind in "US":
        same = np.full(values.shape, True)  # numbers as text mean the nearest float
    else:
        same = np.array(
            [isinstance(v, str) or float(v) == v or v != v for v in values.ravel().tolist()], bool
        ).reshape(values.shape)
    if not np.all(same):
        bad = values[~same][0]
        raise ValueError(f"X has {bad}, which float64 cannot hold exactly; scale or round it")
    return floats


def _missing(values: Array) -> str:
    """Say where the first missing value is, if there is one."""
    for place, value in np.ndenumerate(values):
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            return f", and row {place[0]} has {value}" + " (drop such rows, or fill them in)"
    return ""


def name_the_column(X: Any) -> None:
    """Raise ``ValueError`` naming the first column of a data frame that holds no numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    for name in X.columns:
        column = np.asarray(X[name])
        for row, value in enumerate(column.tolist() if column.dtype.kind not in "biuf" else ()):
            try:
                float(value)
            except (ValueError, TypeError):
                advice = "rosenblatt.prepare(model, X) makes a pipeline that encodes such columns"
                if not (is_missing(value) or isinstance(value, str | bytes | date)):
                    advice = numbers_first(type(value).__name__)  # prepare would say so, too
                raise ValueError(
                    f"column {name!r} of X has {value!r} at row {row}, which is not a number. "
                    f"{advice}"
                ) from None
