"""The linear SVM of K classes by its dual, one row at a time (Crammer and Singer 2001).

Keerthi, Sundararajan, Chang, Hsieh and Lin (2008), "A sequential dual method for large scale
multi-class linear SVMs".
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def best_of_row(pull: Array, bounds: Array, curvature: float) -> Array:
    """Minimise ``curvature/2 ‖a‖² + pull·a`` where the sum of a is 0 and no a_k is over its bound.

    >>> best_of_row(np.array([-1.0, 0.0, 0.0]), np.array([0.5, 0.0, 0.0]), 1.0).tolist()
    [0.5, -0.25, -0.25]
    """
    highest = np.sort(pull + curvature * bounds)[::-1]
    level, r = highest[0] - curvature * bounds.sum(), 1
    while r < len(pull) and level < r * highest[r]:
        level, r = level + highest[r], r + 1
    return np.asarray(np.minimum(bounds, (level / r - pull) / curvature))


def ascent_classes(
    X: Array,
    y: Array,
    orders: Iterable[Sequence[int]],
    upper: Array,
    n_classes: int,
    *,
    rho: float = 0.0,
    centre: Array | float = 0.0,
) -> Array:
    """Maximise the dual along the variables of one row after another; return the variables.

    The dual is ``Σ a_iy − ½ Σ ‖w_k‖² − Σ centre_k r_k + ρ/2 r_k²`` with ``w_k = Σ a_ik x_i`` and
    ``r_k = Σ a_ik``.

    >>> ascent_classes(np.array([[1.0], [2.0]]), np.array([0, 1]), [[0, 1]], np.ones(2), 2).tolist()
    [[0.5, -0.5], [-0.375, 0.375]]
    """
    a = np.zeros((len(y), n_classes))
    for order in orders:
        for i in order:
            right = np.arange(n_classes) == y[i]
            scores = X[i] @ (X.T @ a) + centre + rho * a.sum(axis=0)
            curvature = X[i] @ X[i] + rho
            a[i] = best_of_row(scores - right - curvature * a[i], upper[i] * right, curvature)
    return a


def objectives_classes(
    X: Array, y: Array, costs: Array, alpha: float, W: Array, b: Array, a: Array
) -> tuple[float, float]:
    """Return the primal and the dual objective; ``costs`` multiply the losses of the rows.

    >>> X, y, a = np.array([[0.0], [2.0]]), np.array([0, 1]), np.array([[1, -1], [-1, 1]]) / 4
    >>> objectives_classes(X, y, np.ones(2), 0.5, a.T @ X, np.array([0.5, -0.5]), a)
    (0.125, 0.125)
    """
    scores, rows = X @ W.T + b, np.arange(len(y))
    right = scores[rows, y]
    scores[rows, y] = -np.inf
    loss = np.maximum(0, 1 + scores.max(axis=1) - right)
    V = a.T @ X
    dual = a[rows, y].sum() - 0.5 * (V**2).sum()
    return float(costs @ loss / len(y) + alpha / 2 * (W**2).sum()), float(alpha * dual)
