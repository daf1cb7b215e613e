"""Two views of a matrix's rows, dense and CSR, and the checks that make them safe to loop over.

Compiled loops do not look before they leap: a column index out of range would read or write any
memory. So everything that reaches them passes through :func:`check_sparse` and :func:`as_rows`.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


class Dense(NamedTuple):
    """Rows of a two-dimensional array, in C or Fortran order."""

    values: Array


class Sparse(NamedTuple):
    """Rows of a CSR matrix. Indices may be unsorted, and duplicates count as their sum."""

    indptr: Array
    indices: Array
    values: Array


Rows: TypeAlias = Dense | Sparse


def as_rows(X: Any) -> Rows:
    """View a checked float32 or float64 array, or CSR matrix, as rows. Nothing large is copied.

    The views are read-only, which their compiled types carry: no loop can write to the data, and
    a read-only memory map does not need code of its own.
    """
    if not sp.issparse(X):
        contiguous = X.flags.c_contiguous or X.flags.f_contiguous
        return Dense(_frozen(X if contiguous else np.ascontiguousarray(X)))
    indices = X.indices
    if indices.dtype not in (np.int32, np.int64):
        indices = indices.astype(np.int64)
    indptr = np.asarray(X.indptr)
    if indptr.dtype != indices.dtype:
        if indptr[-1] > np.iinfo(indices.dtype).max:
            indices = indices.astype(np.int64)
        indptr = indptr.astype(indices.dtype)
    return Sparse(*(_frozen(np.ascontiguousarray(part)) for part in (indptr, indices, X.data)))


def _frozen(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def n_rows(rows: Rows) -> int:
    """Count the rows."""
    return len(rows.values) if isinstance(rows, Dense) else len(rows.indptr) - 1


def entries(rows: Rows) -> int:
    """Count the stored numbers, which is what a pass costs."""
    return int(rows.values.size if isinstance(rows, Dense) else rows.indptr[-1])


def as_matrix(rows: Rows, n_features: int) -> Any:
    """Give back an array or CSR matrix that shares the rows' memory."""
    if isinstance(rows, Dense):
        return rows.values
    used = int(rows.indptr[-1])
    parts = rows.values[:used], rows.indices[:used], rows.indptr
    return sp.csr_matrix(parts, shape=(n_rows(rows), n_features), copy=False)


def check_sparse(X: Any) -> None:
    """Raise ``ValueError`` if a SciPy sparse matrix is not what its shape promises.

    SciPy trusts its index arrays, so this must come before any conversion.
    """
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (rows and columns), got {X.ndim}")
    if X.format in ("csr", "csc", "bsr"):
        _check_compressed(X)
    elif X.format == "coo":
        for name, index, limit in (("row", X.row, X.shape[0]), ("col", X.col, X.shape[1])):
            if len(index) != len(X.data):
                raise ValueError(
                    f"X.{name} has {len(index)} entries but X.data has {len(X.data)}; rebuild X"
                )
            _check_range(index, limit, f"X.{name}")


def _check_compressed(X: Any) -> None:
    rows, columns = X.shape
    if X.format == "bsr":
        height, width = X.blocksize
        if height < 1 or width < 1 or rows % height or columns % width:
            raise ValueError(f"X has blocks of {height} × {width}, which do not tile {X.shape}")
        rows, columns = rows // height, columns // width
    major, minor = (columns, rows) if X.format == "csc" else (rows, columns)
    axis = "row" if X.format == "csc" else "column"
    indptr, indices = np.asarray(X.indptr), np.asarray(X.indices)
    for name, index in (("indptr", indptr), ("indices", indices)):
        if index.ndim != 1 or index.dtype.kind not in "iu":
            raise ValueError(
                f"X.{name} must be a vector of integers, got {index.dtype} {index.shape}"
            )
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
    _check_range(indices[: indptr[-1]], minor, "X.indices", indptr, axis)


def _check_range(
    index: Array, limit: int, name: str, indptr: Array | None = None, axis: str = ""
) -> None:
    if not index.size:
        return
    signed = index.dtype.kind == "i"
    # One scan, not two: seen as unsigned, a negative index is a huge one.
    largest = index.view(index.dtype.str.replace("i", "u")).max() if signed else index.max()
    if largest < limit:
        return
    at = int(np.flatnonzero((index < 0) | (index >= limit))[0])
    where = f"position {at}"
    if indptr is not None:
        line = int(np.searchsorted(indptr, at, side="right")) - 1
        where += f" ({'column' if axis == 'row' else 'row'} {line})"
    span = f"lie in 0…{limit - 1}" if limit else "not exist, as there is no such column or row"
    raise ValueError(f"{name} has {index[at]} at {where}; with X of this shape it must {span}")


def all_finite(values: Array) -> bool:
    """Say whether there is no NaN and no infinity."""
    with np.errstate(over="ignore", invalid="ignore"):
        # A finite sum proves it, fast; an infinite one may be finite numbers that overflowed.
        return bool(np.isfinite(np.sum(values)) or np.isfinite(values).all())


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
    kind = "NaN" if np.isnan(value) else "infinity (inf)"
    label = f" ({names[column]!r})" if names is not None else ""
    raise ValueError(
        f"Input X contains {kind} at row {row}, column {column}{label}. "
        "Drop such rows or fill them in first, for example with sklearn.impute.SimpleImputer."
    )


def take(rows: Rows, index: Array) -> Rows:
    """Copy some rows."""
    if isinstance(rows, Dense):
        return Dense(np.ascontiguousarray(rows.values[index]))
    starts, stops = rows.indptr[index], rows.indptr[index + 1]
    indptr = np.concatenate([[0], np.cumsum(stops - starts)]).astype(rows.indptr.dtype)
    # The k-th number taken lies as far behind its row's start as k lies behind the new row's start.
    at = np.arange(indptr[-1]) + np.repeat(starts - indptr[:-1], stops - starts)
    return Sparse(indptr, rows.indices[at], rows.values[at])


def stack(first: Rows, second: Rows, n_features: int) -> Rows:
    """Put rows below rows; the result is of the first's kind unless that has no rows."""
    if not n_rows(first):
        return second
    upper, lower = as_matrix(first, n_features), as_matrix(second, n_features)
    if isinstance(first, Dense):
        return Dense(np.vstack([upper, lower.toarray() if sp.issparse(lower) else lower]))
    return as_rows(sp.vstack([upper, sp.csr_matrix(lower)], format="csr"))
