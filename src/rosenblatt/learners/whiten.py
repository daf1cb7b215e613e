"""Multiplying by the inverse of a covariance matrix, formed or not.

``Σ = Zᵀ Z + diag(e)`` for n rows Z of d features. Where n < d, everything is said by the n × n
matrix ``Z Zᵀ``. Directions in which Σ is zero, to rounding, are ignored.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.linalg import LinAlgError, eigh
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpocon

from rosenblatt.data.rows import Array
from rosenblatt.learners.scatter import class_sums, shifted

# The share of a feature's variance that must remain beside the other features: 10⁻⁸, which is
# scikit-learn's tol=1e-4 for standard deviations.
TOLERANCE = 1e-8


class Centred(NamedTuple):
    """Rows minus their class's mean, times a factor for each row.

    Of sparse rows neither is done yet: X is as it was, but for what `shifted` did, and ``mean`` is
    what is still to be subtracted.
    """

    X: Any
    mean: Array
    codes: Array
    factor: Array

    def squares(self) -> Array:
        """Return the sum of squares of each column; exactly zero where nothing else is certain."""
        if not sp.issparse(self.X):
            return np.asarray(np.einsum("ij,ij->j", self.X, self.X))
        K = len(self.mean)
        weight = np.bincount(self.codes, self.factor**2, K)
        X = sp.diags(self.factor) @ self.X
        raw = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        cross = (class_sums(X, self.codes, self.factor, K) * self.mean).sum(axis=0)
        result = raw - 2 * cross + weight @ self.mean**2
        return np.asarray(np.where(result > 1e-12 * raw, result, 0.0))

    def row_squares(self) -> Array:
        """Return the sum of squares of each row."""
        if not sp.issparse(self.X):
            return np.asarray(np.einsum("ij,ij->i", self.X, self.X))
        raw = np.asarray(self.X.multiply(self.X).sum(axis=1)).ravel()
        cross = (self.X @ self.mean.T)[np.arange(len(self.codes)), self.codes]
        own = np.einsum("ij,ij->i", self.mean, self.mean)[self.codes]
        return np.asarray(self.factor**2 * (raw - 2 * cross + own))

    def scaled(
        self, columns: Array, rows: Array | None = None, in_place: bool = False
    ) -> "Centred":
        """Multiply each column, and each row, by a number of its own."""
        factor = self.factor if rows is None else self.factor * rows
        if sp.issparse(self.X):
            X = self.X.copy()
            X.data *= columns[X.indices]
        else:
            X = np.multiply(self.X, columns, out=self.X if in_place else None)
            if rows is not None:
                X *= rows[:, None]
        return Centred(X, self.mean * columns, self.codes, factor)

    def gram(self) -> Array:
        """Return the products of the rows with each other."""
        if not sp.issparse(self.X):
            return np.asarray(self.X @ self.X.T)
        cross = (self.X @ self.mean.T)[:, self.codes]
        own = (self.mean @ self.mean.T)[self.codes][:, self.codes]
        raw = (self.X @ self.X.T).toarray()
        return np.asarray((self.factor[:, None] * self.factor) * (raw - cross - cross.T + own))

    def times(self, B: Array) -> Array:
        """Return the products with vectors, given as columns."""
        if not sp.issparse(self.X):
            return np.asarray(self.X @ B)
        return np.asarray(self.factor[:, None] * (self.X @ B - (self.mean @ B)[self.codes]))

    def transposed_times(self, U: Array) -> Array:
        """Return the sums of the rows with the given weights, as columns."""
        if not sp.issparse(self.X):
            return np.asarray(self.X.T @ U)
        U = self.factor[:, None] * U
        sums = class_sums(U, self.codes, None, len(self.mean))
        return np.asarray(self.X.T @ U - self.mean.T @ sums)

    def of_class(self, k: int) -> "Centred":
        """Return the rows of one class."""
        mine = np.flatnonzero(self.codes == k)
        codes = np.zeros(len(mine), np.intp)
        return Centred(self.X[mine], self.mean[k : k + 1], codes, self.factor[mine])


def centred(X: Any, mean: Array, codes: Array, weights: Array) -> Centred:
    """Subtract each row's class mean, and weigh the rows by the roots of their weights."""
    factor = np.sqrt(weights)
    if sp.issparse(X):
        X, start = shifted(X, codes, len(mean))
        return Centred(X, mean - start, codes, factor)
    C = mean[codes]
    np.subtract(X, C, out=C)  # one large array instead of two
    if not np.all(weights == 1):
        C *= factor[:, None]
    return Centred(C, mean, codes, factor)


def solve(S: Array, B: Array, tolerance: float) -> Array:
    """Return ``Σ⁻¹ b`` for each row b, without the directions that have no variance of their own.

    Features are scaled to unit variance first; then a direction counts as without variance if it
    has no more than the tolerance.
    """
    scale = inverse_roots(S.diagonal())
    R = S * scale[:, None] * scale
    right = (B * scale).T
    try:
        factor = cho_factor(R, lower=True)
        norm = np.abs(R).sum(axis=0).max()
        smallest = dpocon(factor[0], norm, uplo="L")[0] * norm
        if smallest > 10 * tolerance:  # it is an estimate, seldom three times too large
            return np.asarray(cho_solve(factor, right).T * scale)
    except LinAlgError:
        pass
    values, vectors = eigh(R)
    kept = values > max(tolerance, len(R) * np.finfo(float).eps * values[-1])
    vectors = vectors[:, kept]
    return np.asarray((vectors @ ((vectors.T @ right) / values[kept, None])).T * scale)


def solve_wide(C: Centred, left: Array, e: Array | None, B: Array) -> Array:
    """Return ``(Cᵀ diag(left) C + diag(e))⁻¹ b`` for each row b; as `solve` does without an e.

    ``left`` has a number for each class's rows. Dense rows are overwritten.
    """
    squares = C.squares()
    # Without an e nothing was shrunk, so that all rows are left the same share.
    scale = inverse_roots(left.max() * squares if e is None else e)
    right = (B * scale).T
    # What has no variance has none: rounding must not give it some.
    Z = C.scaled(np.where(squares > 0, scale, 0.0), np.sqrt(left)[C.codes], in_place=True)
    values, U = eigh(Z.gram())
    if e is None:
        kept = values > max(TOLERANCE, len(values) * np.finfo(float).eps * values[-1])
        U, values = U[:, kept], values[kept]
        coordinates = (U.T @ Z.times(right)) / values[:, None] ** 2
        return np.asarray(Z.transposed_times(U @ coordinates).T * scale)
    coordinates = (U.T @ Z.times(right)) / (1 + np.maximum(values, 0))[:, None]
    return np.asarray((right - Z.transposed_times(U @ coordinates)).T * scale)


def inverse_roots(variances: Array) -> Array:
    """Return 1/√v, and 1 where there is no variance."""
    return 1 / np.sqrt(np.where(variances > 0, variances, 1.0))
