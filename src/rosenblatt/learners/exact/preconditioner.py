"""What conjugate gradients multiply by instead of the inverse Hessian: an approximation of it.

For few features it is the inverse of the Hessian of some of the rows, of each function's own block;
else that of the diagonal. Both depend on the data only through sums, so columns of any size do no
harm.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Dense, as_matrix
from rosenblatt.kernels.exact import smooth
from rosenblatt.learners.blocks import each_block
from rosenblatt.learners.exact.objective import Look, Objective, Problem

Inverse = Callable[[Array], Array]
MOST_FEATURES = 1_500  # of which the whole matrix is factored
_ROWS = 10  # for each feature: their Hessian is within about a third of that of all
_WORK = 1 << 28  # products that are worth a better one
_SMALL = 1e-300
_RIDGE = 1e-6


def is_factored(objective: Objective) -> bool:
    """Say whether there are few enough features for a factored Hessian."""
    return objective.problem.n_features <= MOST_FEATURES


def preconditioner(objective: Objective, here: Look) -> Inverse:
    """Return a function that divides by an approximate Hessian."""
    problem = objective.problem
    if is_factored(objective):
        return _factored(objective, here)
    diagonals = np.stack([_diagonal(problem, bends) for bends in objective.curvatures(here)])
    return lambda v: np.asarray(v / diagonals)


def _factored(objective: Objective, here: Look) -> Inverse:
    problem, found = objective.problem, []
    last = None
    for bends in objective.curvatures(here):
        if last is None or not np.array_equal(bends, last):  # they are alike for zero weights
            inverse = _inverse(_block(problem, bends))
        found.append(inverse)
        last = bends
    inverses = np.stack(found)
    return lambda v: np.asarray((inverses @ v[:, :, None])[:, :, 0])


def _inverse(matrix: Array) -> Array:
    """Invert a positive definite matrix, whatever the size of its columns.

    By NumPy, as SciPy has threads of its own, which those that have just multiplied would slow.
    """
    scale = 1 / np.sqrt(np.einsum("ii->i", matrix))
    matrix *= scale
    matrix *= scale[:, None]
    try:
        root = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:  # but for rounding it is
        np.einsum("ii->i", matrix)[:] *= 1 + _RIDGE
        root = np.linalg.cholesky(matrix)
    root = np.linalg.inv(root) * scale
    return np.asarray(root.T @ root)


def _block(problem: Problem, bends: Array) -> Array:
    """Return the Hessian of one function, estimated from some rows, the intercept's last."""
    n, d = len(bends), problem.n_features
    chosen, bends = _sample(bends, max(_ROWS * d, _WORK // (d + 1) ** 2))
    some = as_matrix(problem.rows, d)
    some = some if len(chosen) == some.shape[0] else some[chosen]
    X = some.toarray() if sp.issparse(some) else some
    rooted = X * np.sqrt(bends / n).astype(X.dtype)[:, None]
    found = np.empty((d + 1, d + 1))
    found[:d, :d] = rooted.T @ rooted
    found[:d, d] = found[d, :d] = (bends / n) @ X
    found[d, d] = bends.sum() / n
    if not problem.fit_intercept:
        found[d], found[:, d], found[d, d] = 0.0, 0.0, 1.0
    diagonal = np.einsum("ii->i", found)
    diagonal[:d] += problem.l2
    # A feature that is zero in all these rows has no curvature of its own.
    diagonal[diagonal <= 0] = max(float(diagonal.max()), _SMALL)
    return found


def _sample(bends: Array, wanted: int) -> tuple[Array, Array]:
    """Choose rows by their share of the curvature; return them, and what each stands for.

    Every row that has more than its share is taken, and stands for itself; of the others, each
    that is taken stands for as much.
    """
    total = float(bends.sum())
    if len(bends) <= wanted or not total > 0:
        return np.arange(len(bends)), bends
    steps = np.floor(np.cumsum(bends * (wanted / total)) + 0.5)
    chosen = np.flatnonzero(np.diff(steps, prepend=0.0))
    return chosen, np.maximum(bends[chosen], total / wanted)


def _diagonal(problem: Problem, bends: Array) -> Array:
    """Return the diagonal of one function's Hessian on all rows."""
    rows, n, d = problem.rows, len(bends), problem.n_features

    def work(block: Any, where: slice) -> Array:
        if isinstance(block, Dense):
            squares = np.einsum("ij,ij,i->j", block.values, block.values, bends[where])
            return np.asarray(squares)
        out = np.zeros(d)
        smooth.add_squares(block, bends[where], out)
        return out

    total = np.zeros(d + 1)
    for found in each_block(rows, work, least=16 * d):
        total[:d] += found
    total[d] = bends.sum() if problem.fit_intercept else n
    total /= n
    total[:d] += problem.l2
    total[total <= 0] = max(float(total.max()), _SMALL)
    return total
