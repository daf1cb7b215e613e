"""Rows with their zeros and without them."""

from functools import partial

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, as_matrix, n_rows
from rosenblatt.kernels import gram as loops
from rosenblatt.learners.blocks import cores, in_turn

_DENSE = 0.25  # the share of numbers that are not zero, from which on zeros are not skipped


def gather(rows: Sparse, index: Array) -> Sparse:
    """Copy sparse rows, faster than `take` does."""
    lengths = rows.indptr[index + 1] - rows.indptr[index]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(rows.indptr.dtype)
    indices = np.empty(indptr[-1], rows.indices.dtype)
    values = np.empty(indptr[-1], rows.values.dtype)
    loops.gather_rows(*rows, index, indptr, indices, values)
    return Sparse(indptr, indices, values)


def mostly_zero(rows: Rows) -> bool:
    """Say whether skipping zeros is faster than multiplying by them."""
    if isinstance(rows, Sparse):
        return True
    some = rows.values[:: max(1, n_rows(rows) // 1000)]
    return bool(np.count_nonzero(some) < _DENSE * some.size)


def as_sparse(rows: Rows) -> Sparse:
    """Return rows without their zeros, and each number in one piece."""
    if isinstance(rows, Sparse):
        matrix = as_matrix(rows, int(rows.indices.max(initial=0)) + 1)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return Sparse(matrix.indptr, matrix.indices, matrix.data)
    n = n_rows(rows)
    values = np.ascontiguousarray(rows.values)
    counts = np.empty(n, np.int64)
    loops.count_nonzeros(values, counts)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices, stored = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], values.dtype)
    indptr = indptr.astype(np.int32) if indptr[-1] < 1 << 31 else indptr
    cuts = [n * part // (cores() * 4) for part in range(cores() * 4 + 1)]
    work = partial(_compress, values, indptr, indices, stored)
    list(in_turn(work, cuts[:-1], cuts[1:]))
    return Sparse(indptr, indices, stored)


def _compress(
    values: Array, indptr: Array, indices: Array, stored: Array, first: int, last: int
) -> None:
    loops.compress(values, indptr, first, last, indices, stored)


def as_dense(rows: Rows, n_features: int) -> Dense:
    """Return rows with their zeros."""
    if isinstance(rows, Dense):
        return rows
    return Dense(as_matrix(rows, n_features).toarray())


def squares(rows: Rows) -> Array:
    """Return the squared length of each row."""
    if isinstance(rows, Dense):
        return np.asarray(np.einsum("ij,ij->i", rows.values, rows.values))
    with np.errstate(over="ignore"):  # each number by itself: a strip puts several in one place
        rows = rows._replace(values=np.square(rows.values))
    matrix = as_matrix(rows, int(rows.indices.max(initial=0)) + 1)
    return np.asarray(matrix.sum(axis=1)).ravel()
