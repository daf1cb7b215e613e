"""The linear SVM by its dual, one variable at a time, and the gap that says how good it is.

Hsieh, Chang, Lin, Keerthi and Sundararajan (2008), "A dual coordinate descent method for
large-scale linear SVM"; the intercept, which has no penalty, by the method of multipliers.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def ascent(
    X: Array,
    y: Array,
    orders: Iterable[Sequence[int]],
    upper: Array,
    *,
    ridge: Array | None = None,
    rho: float = 0.0,
    centre: float = 0.0,
    start: Array | None = None,
) -> Array:
    """Maximise the dual along one variable after another; return the variables.

    The dual is ``Σ a_i − ½‖Σ a_i y_i x_i‖² − ½ Σ ridge_i a_i² − centre·r − ρ/2 r²`` with
    ``r = Σ a_i y_i``.

    >>> ascent(np.array([[1.0], [2.0]]), np.array([-1, 1]), [[0, 1]], np.array([5.0, 5.0]))
    array([1.  , 0.75])
    """
    a = np.zeros(len(y)) if start is None else start.copy()
    ridge = np.zeros(len(y)) if ridge is None else ridge
    for order in orders:
        for i in order:
            score = X[i] @ (X.T @ (a * y)) + centre + rho * (a @ y)
            slope = 1 - y[i] * score - ridge[i] * a[i]
            curvature = X[i] @ X[i] + ridge[i] + rho
            if curvature > 0:
                a[i] = min(max(a[i] + slope / curvature, 0), upper[i])
            elif slope > 0:
                a[i] = upper[i]
    return a


def objectives(
    X: Array,
    y: Array,
    costs: Array,
    alpha: float,
    w: Array,
    b: float,
    a: Array,
    squared: bool = False,
) -> tuple[float, float]:
    """Return the primal and the dual objective; ``costs`` multiply the losses of the rows.

    >>> X, y, a = np.array([[0.0], [2.0]]), np.array([-1, 1]), np.array([0.5, 0.5])
    >>> objectives(X, y, np.ones(2), 0.5, np.array([1.0]), -1.0, a)  # the margin's width is 2
    (0.25, 0.25)
    """
    loss = np.maximum(0, 1 - y * (X @ w + b)) ** (2 if squared else 1)
    v, counted = X.T @ (a * y), costs > 0
    dual = a.sum() - 0.5 * v @ v
    if squared:
        dual -= 0.5 * (a[counted] ** 2 * alpha * len(y) / (2 * costs[counted])).sum()
    return float(costs @ loss / len(y) + alpha / 2 * w @ w), float(alpha * dual)
