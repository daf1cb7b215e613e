"""The step that lowers the perceptron criterion most along a line.

The criterion is ``J(w) = (1/N) Σ max(0, −m_i)``, where an example's margin m_i is y·(w·x + b), or
for K classes the lead of the right class over the best of the others. Along a line it is convex
and piecewise linear in η.
"""

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.learners.online import Array, linear_scores

_HALVINGS = 50


def best_step(
    functions: tuple[Array, Array], step: tuple[Array, Array], rows: Rows, y: Array, eta0: float
) -> float:
    """Return the η > 0 that minimises ``J(w + η·step)``; η₀ where no step lowers it."""
    dtype = functions[0].dtype  # products of mixed types would copy the rows
    here = linear_scores(*functions, rows)
    slope = linear_scores(step[0].astype(dtype), step[1].astype(dtype), rows)
    if here.ndim == 1:
        eta = two_classes(y * here, y * slope, eta0)
    else:
        eta = many_classes(here, slope, y, eta0)
    # The least is at a kink, where an example lies on the boundary itself; step a hair beyond.
    return float(eta * (1 + np.finfo(dtype).eps ** 0.6))


def two_classes(margins: Array, slopes: Array, eta0: float) -> float:
    """Minimise ``Σ max(0, −(m_i + η s_i))`` exactly: walk along the kinks until the slope turns.

    If the sum is zero on a stretch, take its middle, or η₀ beyond its start if it has no end.

    >>> two_classes(np.array([-1.0, 2.0]), np.array([1.0, -0.5]), 1.0)  # zero from 1 to 4
    2.5
    """
    margins, slopes = margins.astype(np.float64), slopes.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        kinks = np.where(slopes != 0, -margins / slopes, np.inf)
    # From 0 on, an example counts while its margin is below 0, or 0 and falling.
    active = (margins < 0) | ((margins == 0) & (slopes < 0))
    slope = -float(slopes[active].sum())
    at = np.flatnonzero((kinks > 0) & np.isfinite(kinks))
    if slope >= 0 or not at.size:
        return eta0
    at = at[np.argsort(kinks[at], kind="stable")]
    slope_after = slope + np.cumsum(np.abs(slopes[at]))
    tolerance = 1e-12 * float(np.abs(slopes[at]).sum())
    turn = int(np.argmax(slope_after >= -tolerance))
    eta = float(kinks[at[turn]])
    if slope_after[turn] > tolerance:
        return eta
    return (eta + float(kinks[at[turn + 1]])) / 2 if turn + 1 < len(at) else eta + eta0


def many_classes(here: Array, slope: Array, y: Array, eta0: float) -> float:
    """Minimise the sum of ``max_k (s_k + η d_k) − (s_y + η d_y)`` by halving on its slope."""
    own = slope[np.arange(len(y)), y]

    def rises(eta: float) -> bool:
        scores = here + eta * slope
        # Just beyond η, of the classes that tie for the largest score the steepest one leads.
        leaders = scores == scores.max(axis=1, keepdims=True)
        steepest = np.where(leaders, slope, -np.inf).max(axis=1)
        return bool(np.sum(steepest - own, dtype=np.float64) >= 0)

    if rises(0.0):
        return eta0
    low, high = 0.0, eta0
    for _ in range(_HALVINGS):
        if rises(high):
            break
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return high
