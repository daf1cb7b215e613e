"""Sums over rows about class means, built up block by block.

A block's rows are summed about the first row of their class, and the sums are moved to the mean;
blocks are put together by the rule of Chan, Golub and LeVeque (1983). So data far from the origin
lose no digits, and a feature that is constant in a class has a variance of exactly zero.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.linalg import LinAlgError, eigh
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpocon

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array, Dense, Rows, Sparse, as_matrix, entries, weights_or_empty
from rosenblatt.kernels.moments import add_products
from rosenblatt.learners.blocks import each_block, part

_BLOCK = 1 << 19  # numbers in a block, which then stay in the cache from one product to the next
# Features up to which our own loop on all cores, which centres as it goes, beats the matrix
# product of NumPy; it also does not wait for cores that are busy with something else.
_NARROW = 256
_THIN = 1 / 16  # the share of stored numbers below which sparse products are the faster ones
_FAR = 1e4  # a column whose square exceeds its variance by this has lost four digits


class Moments(NamedTuple):
    """Sums of the products of centred rows c: Σ c cᵀ, Σ c² cᵀ and Σ c² (c²)ᵀ, weighted."""

    second: Array
    third: Array
    fourth: Array


def add_pooled(
    weight: Array, mean: Array, scatter: Array, rows: Rows, y: Array, weights: Array | None
) -> None:
    """Add rows to the classes' weights and means, and to the scatter within classes."""
    K, d = mean.shape
    for found in _in_parts(rows, y, weights, K, d):
        combine_pooled(weight, mean, scatter, *found)


def _in_parts(
    rows: Rows, y: Array, weights: Array | None, K: int, d: int
) -> Iterator[tuple[Array, Array, Array]]:
    """Yield the weights, means and scatter of all rows, or of one block after another."""
    if isinstance(rows, Sparse) and entries(rows) < _THIN * len(y) * d:
        found = _sparse_scatter(as_matrix(rows, d), y, weights, K)
        if found is not None:
            yield found
            return

    def work(block: Any, where: slice) -> tuple[Array, Array, Array]:
        return _scatter(block.values, y[where], part(weights, where), K)

    if d <= _NARROW and isinstance(rows, Dense):
        # What a block leaves behind should be small compared to its rows.
        yield from each_block(rows, work, least=16 * d * max(K, d))
        return
    X = as_matrix(rows, d)
    size = max(1024, _BLOCK // d, 16 * K)
    for start in range(0, len(y), size):
        where = slice(start, start + size)
        some = X[where].toarray() if sp.issparse(X) else X[where]
        yield work(Dense(some), where)


def _scatter(X: Array, y: Array, w: Array | None, K: int) -> tuple[Array, Array, Array]:
    """Return the weights, means and scatter of rows, summed about the first row of each class."""
    d = X.shape[1]
    added = np.bincount(y, w, K).astype(np.float64)
    first = np.empty(K, np.intp)
    first[y[::-1]] = np.arange(len(y) - 1, -1, -1)  # of several, the last that is written stays
    present = np.flatnonzero(added)
    shift, sums = np.zeros((2, K, d))
    shift[present] = X[first[present]]
    if d <= _NARROW:
        products = np.zeros((d + d % 2, d + d % 2))
        add_products(read_only(X), y, weights_or_empty(w), shift, sums, products)
        products = products[:d, :d]
        products = np.tril(products) + np.tril(products, -1).T
    else:
        B = shift[y]
        np.subtract(X, B, out=B)
        sums = class_sums(B, y, w, K)
        if w is not None:
            B *= np.sqrt(w)[:, None]
        products = B.T @ B
    moved = sums / np.where(added > 0, added, 1)[:, None]
    D = moved * np.sqrt(added)[:, None]
    return added, shift + moved, products - D.T @ D


def class_sums(X: Any, codes: Array, w: Array | None, n_classes: int) -> Array:
    """Add up the rows of each class."""
    n = len(codes)
    ones = np.ones(n) if w is None else w
    members = sp.csr_matrix((ones, codes, np.arange(n + 1)), shape=(n, n_classes))
    sums = members.T @ X
    return sums.toarray() if sp.issparse(sums) else np.asarray(sums)


def shifted(X: Any, codes: Array, n_classes: int) -> tuple[Any, Array]:
    """Count from one of their values what sparse rows store of a feature for a whole class.

    Return the rows, and what was subtracted: zero where a row of the class stores nothing. Without
    this, data far from the origin would lose digits. Rows must name each column once.
    """
    d = X.shape[1]
    cells = codes.repeat(np.diff(X.indptr)) * d + X.indices
    stored = np.bincount(cells, minlength=n_classes * d).reshape(n_classes, d)
    start = np.zeros(n_classes * d)
    start[cells] = X.data
    start[(stored < np.bincount(codes, minlength=n_classes)[:, None]).ravel()] = 0.0
    parts = X.data - start[cells], X.indices, X.indptr
    return sp.csr_matrix(parts, shape=X.shape), start.reshape(n_classes, d)


def combine_pooled(
    weight: Array, mean: Array, scatter: Array, added: Array, mean2: Array, scatter2: Array
) -> None:
    """Add other rows' weights, means and scatter to these."""
    total = weight + added
    share = added / np.where(total > 0, total, 1)
    apart = np.where(added[:, None] > 0, mean2 - mean, 0)
    D = apart * np.sqrt(weight * share)[:, None]
    scatter += scatter2 + D.T @ D
    mean += apart * share[:, None]
    weight[:] = total


def _sparse_scatter(
    X: Any, y: Array, w: Array | None, n_classes: int
) -> tuple[Array, Array, Array] | None:
    """Return weights, means and scatter by sparse products; None if too many columns are far off.

    Subtracting squared means costs digits where a column lies far from zero. Few such columns are
    centred one by one.
    """
    X = X.astype(np.float64, copy=False)
    added = np.bincount(y, w, n_classes).astype(np.float64)
    count = np.where(added > 0, added, 1)[:, None]
    mean = class_sums(X, y, w, n_classes) / count
    weighted = X if w is None else sp.diags(w, format="csr") @ X
    products = (X.T @ weighted).toarray()
    scatter = products - (mean * added[:, None]).T @ mean
    far = np.flatnonzero(products.diagonal() > _FAR * scatter.diagonal())
    if len(far) > 64:
        return None
    if len(far):
        columns = X[:, far].toarray()
        start = np.zeros((n_classes, len(far)))
        present, first = np.unique(y, return_index=True)
        start[present] = columns[first]
        columns -= start[y]
        moved = class_sums(columns, y, w, n_classes) / count
        columns -= moved[y]
        mean[:, far] = start + moved
        if w is not None:
            columns *= w[:, None]
        rest = class_sums(columns, y, None, n_classes)
        scatter[far] = (X.T @ columns).T - rest.T @ mean
        scatter[:, far] = scatter[far].T
    return added, mean, scatter


def add_each(
    weight: Array, mean: Array, moments: Moments, rows: Rows, y: Array, weights: Array | None
) -> None:
    """Add rows to each class's weight, mean and moments up to the fourth."""
    d = mean.shape[1]
    X = as_matrix(rows, d)
    size = max(1024, _BLOCK // d)
    for start in range(0, len(y), size):
        where = slice(start, start + size)
        some = X[where].toarray() if sp.issparse(X) else X[where]
        for k in np.unique(y[where]).tolist():
            mine = y[where] == k
            w = None if weights is None else weights[where][mine]
            _add_class(weight, mean, moments, k, some[mine].astype(np.float64), w)


def _add_class(
    weight: Array, mean: Array, moments: Moments, k: int, B: Array, w: Array | None
) -> None:
    first = B[0].copy()
    B -= first
    moved = np.average(B, axis=0, weights=w)
    B -= moved
    added = float(len(B) if w is None else w.sum())
    combine_each(weight, mean, moments, k, added, first + moved, of_centred(B, w))


def combine_each(
    weight: Array, mean: Array, moments: Moments, k: int, added: float, mean2: Array, new: Moments
) -> None:
    """Add other rows' weight, mean and moments to those of class k."""
    total = weight[k] + added
    apart = mean2 - mean[k]
    one = moved_to(weight[k], Moments(*(sums[k] for sums in moments)), apart * (added / total))
    two = moved_to(added, new, -apart * (weight[k] / total))
    for sums, a, b in zip(moments, one, two, strict=True):
        sums[k] = a + b
    mean[k] += apart * (added / total)
    weight[k] = total


def of_centred(C: Array, w: Array | None) -> Moments:
    """Return the moments of rows whose mean is zero."""
    squares = C * C
    left, left_squares = (C, squares) if w is None else (C * w[:, None], squares * w[:, None])
    return Moments(left.T @ C, left_squares.T @ C, left_squares.T @ squares)


def moved_to(n: float, m: Moments, a: Array) -> Moments:
    """Return moments about the point a, from those about the mean: expand (c − a)² (c − a)²."""
    across, down, q = a[None, :], a[:, None], m.second.diagonal()
    return Moments(
        m.second + n * down * across,
        m.third - across * q[:, None] - 2 * down * m.second - n * down**2 * across,
        m.fourth
        - 2 * across * m.third
        - 2 * down * m.third.T
        + across**2 * q[:, None]
        + down**2 * q[None, :]
        + 4 * down * across * m.second
        + n * down**2 * across**2,
    )


# The share of a feature's variance that the other features must leave unexplained: 10⁻⁸, which is
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
