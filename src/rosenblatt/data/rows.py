"""Two views of a matrix's rows, dense and CSR: what the compiled loops see of the data."""

from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
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
R = TypeVar("R", bound=Dense | Sparse)
_MOST = 2**31 - 1


def as_rows(X: Any) -> Rows:
    """View a checked float32 or float64 array, or CSR matrix, as rows.

    Nothing large is copied, except that indices of 64 bits are made 32 if they fit, so that loops
    are compiled for one type of index. The views are read-only: no loop can write to the data.
    """
    if not hasattr(X, "indptr"):
        contiguous = X.flags.c_contiguous or X.flags.f_contiguous
        return Dense(_read_only(X if contiguous else np.ascontiguousarray(X)))
    fits = X.shape[1] <= _MOST and X.indptr[-1] <= _MOST
    parts = [
        np.ascontiguousarray(part, np.int32 if fits else np.int64) for part in (X.indptr, X.indices)
    ]
    return Sparse(*map(_read_only, (*parts, np.ascontiguousarray(X.data))))


def rows_to_visit(X: Any) -> Rows:
    """View a checked array or CSR matrix as rows that loops will visit, some in many passes.

    An array in Fortran order, such as that of a data frame, is copied into C order: its rows would
    be read a number here and a number there, by loops that are compiled for that alone.
    """
    return as_rows(X if hasattr(X, "indptr") else np.ascontiguousarray(X))


def frozen(rows: R) -> R:
    """View rows as read-only."""
    return type(rows)(*map(_read_only, rows))


def _read_only(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def usable(rows: R) -> R:
    """Return rows that travelled, whose arrays may be writable or unaligned, as other rows are.

    For unaligned arrays compiled loops would be compiled once more.
    """
    if isinstance(rows, Dense) and rows.values.flags.f_contiguous:
        return frozen(type(rows)(np.require(rows.values, requirements=["F", "A"])))
    return frozen(type(rows)(*[np.require(part, requirements=["C", "A"]) for part in rows]))


def n_rows(rows: Rows) -> int:
    """Count the rows."""
    return len(rows.values) if isinstance(rows, Dense) else len(rows.indptr) - 1


def entries(rows: Rows) -> int:
    """Count the stored numbers, which is what a pass costs."""
    return int(rows.values.size if isinstance(rows, Dense) else rows.indptr[-1])


def weights_or_empty(weights: Array | None, dtype: Any = np.float64) -> Array:
    """Return the weights of rows in a type, or an empty array if there are none."""
    if weights is None:
        return np.empty(0, dtype)
    with np.errstate(over="ignore"):  # an infinite step is found out by who takes it
        return np.ascontiguousarray(weights, dtype)


def as_matrix(rows: Rows, n_features: int) -> Any:
    """Give back an array or CSR matrix that shares the rows' memory."""
    if isinstance(rows, Dense):
        return rows.values
    import scipy.sparse as sp  # here, as it takes longer to load than many a file to learn from

    used = int(rows.indptr[-1])
    parts = rows.values[:used], rows.indices[:used], rows.indptr
    return sp.csr_matrix(parts, shape=(n_rows(rows), n_features), copy=False)


def all_finite(values: Array) -> bool:
    """Say whether all values are finite."""
    with np.errstate(over="ignore", invalid="ignore"):
        # A finite sum proves it, fast; an infinite one may be finite numbers that overflowed.
        return bool(np.isfinite(np.sum(values)) or np.isfinite(values).all())


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
    import scipy.sparse as sp

    upper, lower = as_matrix(first, n_features), as_matrix(second, n_features)
    if isinstance(first, Dense):
        return Dense(np.vstack([upper, lower.toarray() if sp.issparse(lower) else lower]))
    return as_rows(sp.vstack([upper, sp.csr_matrix(lower)], format="csr"))
