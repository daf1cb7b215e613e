"""The parabola that a proximal Newton step is about: where it is lowest with an L1 penalty.

For one linear function, it is ``g·p + ½ pᵀ H p + l1 ‖w + p‖₁`` over the weights that may move. The
intercept, which has no penalty, goes where it is lowest for the weights: that is the same as to
centre the columns, so columns far from zero do no harm. Coordinate descent finds the signs. For few
features the matrix of all products is made, and with the signs known Cholesky's factors find the
rest at once, however alike the features are.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rosenblatt.data.rows import Array, as_rows
from rosenblatt.kernels.exact.coordinates import sweep_columns, sweep_products

MOST_PRODUCTS = 1_000  # features of which the matrix of products is made
_BLOCK = 1 << 21  # numbers in a block of dense rows
_SPARSE_BLOCK = 1 << 18  # stored numbers in a block of sparse columns
_SWEEPS = 5  # between two attempts to find the rest at once
_ROUNDS = 100
_INDEPENDENT = 1e-13  # what columns that depend on each other are given of their own
_SHARE = 1e-3  # of the decrease so far, below which a sweep changes nothing


class Shifted(NamedTuple):
    """Columns in float64, dense or CSC: those of X, and what was subtracted from each."""

    X: Any
    offset: Array

    def times(self, v: Array) -> Array:
        """Return the scores of some functions, the intercept last in each line of v."""
        scores = np.asarray(self.X @ v[:, :-1].T)
        return np.asarray(scores + v[:, :-1] @ self.offset + v[:, -1])

    def sums(self, table: Array) -> Array:
        """Return, for each column of a table, the sum of the rows so weighted, and its own."""
        total = table.sum(axis=0)
        found = np.asarray((self.X.T @ table).T) + np.outer(total, self.offset)
        return np.column_stack([found, total])


class Centre:
    """The mean of the columns, each row by its curvature, and the sum of the curvatures."""

    def __init__(self, columns: Shifted, bends: Array, fit_intercept: bool) -> None:
        self.total = float(bends.sum()) if fit_intercept else 0.0
        self.shifted = np.zeros(columns.X.shape[1])  # the mean of the columns as they are given
        if self.total > 0:
            self.shifted = np.asarray(columns.X.T @ bends).ravel() / self.total
        self.mean = self.shifted + columns.offset if self.total > 0 else self.shifted

    def slopes(self, slopes: Array) -> Array:
        """Return the slopes by centred columns; the intercept's is last of those given."""
        return np.asarray(slopes[:-1] - self.mean * slopes[-1])

    def with_intercept(self, slopes: Array, change: Array) -> Array:
        """Put the best change of the intercept after that of the weights."""
        if not self.total > 0:
            return np.append(change, 0.0)
        return np.append(change, -slopes[-1] / self.total - self.mean @ change)


class ByProducts:
    """For few features: the matrix of their products."""

    def __init__(
        self, columns: Shifted, bends: Array, l1: float, l2: float, fit_intercept: bool
    ) -> None:
        self.l1, self.centre = l1, Centre(columns, bends, fit_intercept)
        mean, total = self.centre.shifted, self.centre.total
        if sp.issparse(columns.X):
            matrix = _products(_rooted(columns.X, bends)) - total * np.outer(mean, mean)
        else:
            matrix = np.zeros((len(mean), len(mean)))
            for _, block in _blocks(columns.X, mean, bends):
                matrix += block.T @ block
        np.einsum("ii->i", matrix)[:] += l2
        self.matrix = np.ascontiguousarray(matrix)

    def solve(self, slopes: Array, at: Array, enough: float) -> tuple[Array, float]:
        """Return how the weights and the intercept change, and a bound that was met.

        Stop when a sweep lowers the function by less than ``enough``, or by a small share of what
        was gained so far.
        """
        here, now = self.centre.slopes(slopes), at.copy()
        total = 0.0
        for _ in range(_ROUNDS):
            for sweep in range(_SWEEPS):
                gain = sweep_products(self.matrix, self.l1, sweep > 0, here, now)
                total += gain
                if sweep == 0 and gain <= max(enough, 1e-15 * total):
                    return self.centre.with_intercept(slopes, now - at), total
                if gain <= _SHARE * enough:
                    break
            self._finish(here, now)
        return self.centre.with_intercept(slopes, now - at), total

    def _finish(self, slopes: Array, at: Array) -> None:
        """Go to where the function is lowest for these signs, or as far as they are kept."""
        for _ in range(_SWEEPS):
            active = np.flatnonzero(at)
            divide = self._factored(active) if len(active) else None
            if divide is None:
                return
            signs = np.sign(at[active])
            step = divide(-(slopes[active] + self.l1 * signs))
            if not np.isfinite(step).all():
                return
            crossing = step * signs < 0
            lengths = np.where(crossing, -at[active] / np.where(crossing, step, 1.0), np.inf)
            far = min(1.0, float(lengths.min()))
            at[active] += far * step
            at[active[lengths <= far]] = 0.0
            slopes += self.matrix[:, active] @ (far * step)
            if far == 1.0:
                return

    def _factored(self, active: Array) -> Callable[[Array], Array] | None:
        """Return a function that divides by the products of some columns; None if it cannot be."""
        matrix = self.matrix[np.ix_(active, active)]
        diagonal = np.einsum("ii->i", matrix)
        if not (diagonal > 0).all():
            return None
        scale = 1 / np.sqrt(diagonal)
        matrix *= scale * scale[:, None]
        diagonal += _INDEPENDENT
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)
        except LinAlgError:
            return None
        return lambda v: np.asarray(scale * cho_solve(factor, scale * v, check_finite=False))

    def inverse(self, free: Array) -> Callable[[Array], Array]:
        """Return a function that divides by the second derivatives, the intercept's included."""
        active = np.flatnonzero(free)
        divide = self._factored(active)
        if divide is None:
            return _diagonal(self.centre, np.einsum("ii->i", self.matrix), free)
        return lambda v: _divided(self.centre, v, active, divide)


class ByColumns:
    """For many features: their columns, multiplied by the roots of the rows' curvatures."""

    def __init__(
        self, columns: Shifted, bends: Array, l1: float, l2: float, fit_intercept: bool
    ) -> None:
        self.l1, self.l2, self.centre = l1, l2, Centre(columns, bends, fit_intercept)
        X, mean, total = columns.X, self.centre.shifted, self.centre.total
        d = X.shape[1]
        self.pulls = np.zeros(d + 1)
        if sp.issparse(X):
            rooted = _rooted(X, bends)
            squares = np.asarray(rooted.multiply(rooted).sum(axis=0)).ravel()
            self.pulls = np.append(total * mean, total)
            squares -= total * mean**2
            lines = rooted.T
        else:
            lines, squares = np.empty((d, len(bends))), np.zeros(d)
            for where, block in _blocks(X, mean, bends):
                lines[:, where] = block.T
                squares += np.einsum("ij,ij->j", block, block)
        self.columns = as_rows(lines)
        self.curvatures = np.maximum(squares, 0.0) + l2
        self.n = X.shape[0]

    def solve(self, slopes: Array, at: Array, enough: float) -> tuple[Array, float]:
        """Return how the weights and the intercept change, and the decrease."""
        here, now = self.centre.slopes(slopes), at.copy()
        moved, shift = np.zeros(self.n), np.zeros(1)
        given = self.columns, self.curvatures, self.pulls, self.l1, self.l2
        total = 0.0
        for _ in range(_SWEEPS):
            for sweep in range(4 * _SWEEPS):
                gain = sweep_columns(*given, sweep > 0, here, at, now, moved, shift)
                total += gain
                least = max(enough, _SHARE * total if sweep else 0.0)
                if gain <= max(least, 1e-15 * total):
                    break
            if sweep == 0:
                break
        return self.centre.with_intercept(slopes, now - at), total

    def inverse(self, free: Array) -> Callable[[Array], Array]:
        """Return a function that divides by the diagonal of the second derivatives."""
        return _diagonal(self.centre, self.curvatures, free)


def _diagonal(centre: Centre, curvatures: Array, free: Array) -> Callable[[Array], Array]:
    active = np.flatnonzero(free)
    some = np.where(curvatures[active] > 0, curvatures[active], 1.0)
    return lambda v: _divided(centre, v, active, lambda u: np.asarray(u / some))


def _divided(centre: Centre, v: Array, active: Array, divide: Callable[[Array], Array]) -> Array:
    """Divide by the second derivatives of some weights, centred, and of the intercept."""
    change = np.zeros(len(v) - 1)
    change[active] = -divide(centre.slopes(v)[active])
    return -centre.with_intercept(v, change)


def _rooted(X: Any, bends: Array) -> Any:
    """Multiply the rows of a CSC matrix by the roots of their curvatures."""
    roots = np.sqrt(bends)
    return sp.csc_matrix((X.data * roots[X.indices], X.indices, X.indptr), X.shape)


def _blocks(X: Array, mean: Array, bends: Array) -> Iterator[tuple[slice, Array]]:
    """Yield blocks of dense rows, centred, times the roots of their curvatures.

    One product of all rows would be a second copy of them, and Ctrl-C would wait for its end.
    """
    size = max(256, _BLOCK // max(X.shape[1], 1))
    for start in range(0, len(X), size):
        where = slice(start, start + size)
        yield where, (X[where] - mean) * np.sqrt(bends[where])[:, None]


def _products(rooted: Any) -> Array:
    """Return the products of all columns of a CSC matrix, some columns at a time."""
    lines, d = rooted.T.tocsr(), rooted.shape[1]
    found = np.empty((d, d))
    size = max(1, _SPARSE_BLOCK * d // max(rooted.nnz, 1))
    for start in range(0, d, size):
        found[start : start + size] = (lines[start : start + size] @ rooted).toarray()
    return found


def local_lasso(
    columns: Shifted, bends: Array, l1: float, l2: float, fit_intercept: bool
) -> ByProducts | ByColumns:
    """Choose by the number of features."""
    kind = ByProducts if columns.X.shape[1] <= MOST_PRODUCTS else ByColumns
    return kind(columns, bends, l1, l2, fit_intercept)
