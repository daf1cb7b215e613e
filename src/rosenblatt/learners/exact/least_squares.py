"""Least squares: the weights whose squared errors have the smallest sum, exactly.

The normal equations of centred and scaled columns, by Cholesky's factors, and then refined: the
residuals of all rows are computed again, and what they still say is added, until it is nothing.
That squares no condition number in the result. Where columns depend on each other, or outnumber the
rows, the shortest weights are found by singular values (dense rows) or by LSQR (Paige and Saunders
1982; sparse ones).

Factors and singular values are NumPy's: SciPy's have all other threads wait, and Ctrl-C with them.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpocon
from scipy.sparse.linalg import LinearOperator, lsqr

from rosenblatt.data.rows import Array, as_matrix, n_rows
from rosenblatt.learners.closed_form.class_scatter import add_pooled
from rosenblatt.learners.exact.objective import Look, OneFunction
from rosenblatt.learners.products import Matrix

MOST_FEATURES = 5_000  # whose products fit into memory, and are factored in seconds
_REFINEMENTS = 20
_CLOSE = 1e-13  # a change of the fitted numbers so small, relative to them, is rounding
_INDEPENDENT = 1e-10  # the reciprocal condition number up to which columns depend on each other
_PRECISE = 1e-14


class Fit(NamedTuple):
    """Weights with the intercept last, what the rows say about them, and the passes it took."""

    at: Array
    here: Look
    passes: int


class Centred(NamedTuple):
    """The Hessian of centred and scaled columns, factored: the mean and scale of each column."""

    mean: Array
    scale: Array
    divide: Callable[[Array], Array]


def least_squares(objective: OneFunction) -> Fit | None:
    """Return the weights with the smallest mean of squares, and ``l2/2 ‖w‖²``.

    None if there are too many features for this and a penalty on them: that is for Newton's method.
    """
    problem = objective.problem
    n, d = n_rows(problem.rows), problem.n_features
    centred = None
    if d <= MOST_FEATURES and (n > d or problem.l2 > 0):
        centred = _factored(objective)
    if centred is not None:
        return _refined(objective, centred)
    return None if problem.l2 > 0 else _shortest(objective)


def _factored(objective: OneFunction) -> Centred | None:
    """Factor the products of the columns; None if they depend on each other."""
    rows, _, d, _, _, l2, weights, fit_intercept = objective.problem
    n = n_rows(rows)
    weight, mean, scatter = np.zeros(1), np.zeros((1, d)), np.zeros((d, d))
    add_pooled(weight, mean, scatter, rows, np.zeros(n, np.intp), weights)
    if not fit_intercept:
        scatter += weight[0] * np.outer(mean[0], mean[0])
        mean[:] = 0.0
    scatter *= 2 / n
    diagonal = np.einsum("ii->i", scatter)
    diagonal += l2
    # A constant column has the weight zero, whatever its scale.
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scatter *= scale
    scatter *= scale[:, None]
    diagonal[diagonal <= 0] = 1.0
    norm = float(np.abs(scatter).sum(axis=0).max())
    try:
        root = np.linalg.cholesky(scatter)
    except np.linalg.LinAlgError:
        return None
    rcond, _ = dpocon(root, norm, uplo="L")
    if not rcond > _INDEPENDENT:
        return None

    def divide(v: Array) -> Array:
        return np.asarray(cho_solve((root, True), v, check_finite=False))

    return Centred(mean[0], scale, divide)


def _refined(objective: OneFunction, centred: Centred) -> Fit:
    """Solve by the factors, and again for what the residuals of all rows still say."""
    mean, scale, divide = centred
    d = len(mean)
    at = np.zeros((1, d + 1))
    here, last, passes = objective.look(at), np.inf, 1
    for _ in range(_REFINEMENTS):
        rise = here.gradient[0, d]
        scaled = divide(scale * (here.gradient[0, :d] - mean * rise))
        length, size = float(np.linalg.norm(scaled)), float(np.linalg.norm(at[0, :d] / scale))
        if not length < last / 2 or length <= _CLOSE * size:
            break
        step = np.append(-scale * scaled, 0.0)
        step[d] = -rise / 2 - mean @ step[:d] if objective.problem.fit_intercept else 0.0
        at, last = at + step, length
        here, passes = objective.look(at), passes + 1
    return Fit(at, here, passes)


def _shortest(objective: OneFunction) -> Fit:
    """Return the shortest of the weights whose squared errors are smallest."""
    rows, y, d, _, _, _, weights, fit_intercept = objective.problem
    X, n = as_matrix(rows, d), n_rows(rows)
    roots = np.ones(n) if weights is None else np.sqrt(weights)
    mean, offset = np.zeros(d), 0.0
    if fit_intercept:
        mean = np.asarray(roots**2 @ X).ravel() / n
        offset = float(roots**2 @ y) / n
    target = roots * (y - offset)
    if sp.issparse(X):
        w = _by_lsqr(Matrix(X.astype(np.float64)), mean, roots, target)
    else:
        tiny = max(n, d) * np.finfo(np.float64).eps  # of the largest singular value: rounding
        w = np.linalg.lstsq((X - mean) * roots[:, None], target, rcond=tiny)[0]
    at = np.append(w, offset - mean @ w)[None]
    return Fit(at, objective.look(at), 1)


def _by_lsqr(X: Matrix, mean: Array, roots: Array, target: Array) -> Array:
    n, d = X.shape
    scale = np.ones(d)
    if n > d:  # else there are many solutions, and scaled columns have another shortest one
        squares = X.squared_columns() - n * mean**2
        scale = 1 / np.sqrt(np.where(squares > 0, squares, 1.0))

    def times(v: Array) -> Array:
        v = scale * v.ravel()
        return np.asarray(roots * (X.times(v) - mean @ v))

    def transposed_times(u: Array) -> Array:
        u = roots * u.ravel()
        return np.asarray(scale * (X.transposed_times(u) - mean * u.sum()))

    operator = LinearOperator((n, d), matvec=times, rmatvec=transposed_times, dtype=np.float64)
    found = lsqr(operator, target, atol=_PRECISE, btol=_PRECISE, conlim=0, iter_lim=4 * min(n, d))
    return np.asarray(scale * found[0])
