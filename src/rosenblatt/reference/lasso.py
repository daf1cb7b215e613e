"""Coordinate descent with an L1 penalty (Friedman, Hastie and Tibshirani 2010).

A quadratic function is lowest along one weight where its slope, with the penalty's, is zero; the
penalty holds a weight at zero whose slope is smaller than it. Other losses are put under a parabola
that is nowhere below them, which gives the same rule with a longer way.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def soft(v: float, l1: float) -> float:
    """Bring a number closer to zero by so much, and no further than zero.

    >>> soft(3.0, 1.0), soft(-0.5, 1.0)
    (2.0, 0.0)
    """
    return max(v - l1, 0.0) + min(v + l1, 0.0)


def sweep(H: Array, g: Array, start: Array, at: Array, l1: float, order: Iterable[int]) -> Array:
    """Lower ``g·(w − start) + ½ (w − start)ᵀ H (w − start) + l1 ‖w‖₁`` along one weight at a time.

    >>> H, g = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-3.0, 0.0])
    >>> sweep(H, g, np.zeros(2), np.zeros(2), 1.0, [0, 1])
    array([1., 0.])
    """
    at = at.copy()
    for j in order:
        slope = g[j] + H[j] @ (at - start)
        at[j] = soft(H[j, j] * at[j] - slope, l1) / H[j, j]
    return at


def logistic_lasso(
    X: Array, y: Array, l1: float, l2: float = 0.0, sweeps: int = 1000
) -> tuple[Array, float]:
    """Minimise the mean of ``log(1 + exp(−y (w·x + b)))``, and ``l1 ‖w‖₁ + l2/2 ‖w‖²``.

    The loss curves by ¼ at most. The intercept b is a weight without a penalty.

    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> w, b = logistic_lasso(X, y, l1=0.25)
    >>> w.round(4).tolist(), round(b, 4)
    ([0.9082], -1.3623)
    """
    n, d = X.shape
    w, b = np.zeros(d), 0.0
    scores = np.zeros(n)
    curvatures = 0.25 * (X**2).sum(axis=0) / n + l2
    for _ in range(sweeps):
        for j in range(d):
            slope = -(y / (1 + np.exp(y * scores))) @ X[:, j] / n + l2 * w[j]
            new = soft(curvatures[j] * w[j] - slope, l1) / curvatures[j]
            scores += (new - w[j]) * X[:, j]
            w[j] = new
        change = 4 * (y / (1 + np.exp(y * scores))).mean()
        scores += change
        b += change
    return w, float(b)
