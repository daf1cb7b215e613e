"""Products of a matrix with vectors, on all cores, for methods that need nothing else of it."""

from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Rows, as_rows, n_rows
from rosenblatt.kernels.margins import score_rows
from rosenblatt.learners.blocks import cores, in_turn

_SMALL = 1 << 17  # stored numbers, below which threads take longer to start than to work


class Matrix:
    """A float32 or float64 array or CSR matrix. NumPy multiplies arrays on all cores already."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.sparse = sp.issparse(X)
        self.shape = X.shape

    @cached_property
    def _rows(self) -> Rows:
        return as_rows(self.X)

    @cached_property
    def _columns(self) -> Rows:
        return as_rows(self.X.T.tocsr())

    def times(self, v: Array) -> Array:
        """Return ``X v``."""
        return _scores(self._rows, v) if self.sparse else np.asarray(self.X @ v)

    def transposed_times(self, u: Array) -> Array:
        """Return ``Xᵀ u``."""
        return _scores(self._columns, u) if self.sparse else np.asarray(self.X.T @ u)

    def scores(self, weights: Array, intercept: Array) -> Array:
        """Return ``X Wᵀ + b``, a column for each line of W; both sides of one type."""
        if not self.sparse:
            return np.asarray(self.X @ weights.T) + intercept
        return np.stack([_scores(self._rows, w) for w in weights], axis=1) + intercept

    def weighted_sums(self, table: Array) -> Array:
        """Return ``Tᵀ X``: for each column of a table, the sum of the rows so weighted."""
        if not self.sparse:
            return np.asarray(table.T @ self.X)
        return np.stack([_scores(self._columns, column) for column in table.T])

    def part(self, chosen: Array) -> "Matrix":
        """Copy some rows."""
        return Matrix(self.X[chosen])

    def absolute(self) -> "Matrix":
        """Take the size of each number."""
        return Matrix(abs(self.X))

    def with_ones(self) -> "Matrix":
        """Put a column of ones after the others."""
        ones = np.ones((self.shape[0], 1))
        if self.sparse:
            return Matrix(sp.hstack([self.X, ones], format="csr"))
        return Matrix(np.hstack([self.X, ones]))

    def squared_rows(self) -> Array:
        """Return the squared length of each row."""
        return self._squared(1)

    def squared_columns(self) -> Array:
        """Return the squared length of each column."""
        return self._squared(0)

    def _squared(self, axis: int) -> Array:
        if self.sparse:
            return np.asarray(self.X.multiply(self.X).sum(axis=axis)).ravel()
        return np.asarray(np.einsum("ij,ij->i" if axis else "ij,ij->j", self.X, self.X))


def _scores(rows: Rows, v: Array) -> Array:
    """Multiply each sparse row by a vector, in as many parts as there are cores."""
    n, v = n_rows(rows), np.ascontiguousarray(v)
    out = np.empty(n, v.dtype)
    parts = min(cores(), 1 + rows.values.size // _SMALL)
    # Rows differ in length, so the parts are equal in what they store.
    wanted = np.linspace(0, rows[0][-1], parts + 1)[1:-1]
    cuts = [0, *np.searchsorted(rows[0], wanted).tolist(), n]
    work = partial(_score_part, rows, v, out)
    list(in_turn(work, cuts[:-1], cuts[1:]) if parts > 1 else [work(0, n)])
    return out


def _score_part(rows: Rows, v: Array, out: Array, start: int, stop: int) -> None:
    score_rows(rows, start, stop, v, out)
