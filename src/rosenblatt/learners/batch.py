"""The batch perceptron (deck A): sum the mistakes of a whole pass, then move once.

``δ = −(1/N) Σ_{mistakes} y_i x_i``, ``w ← w − η δ``, until ``‖δ‖ < ε``. Fixed increment is η = 1
without the division by N. `best_step` finds the η that lowers the perceptron criterion most,
``J(w) = (1/N) Σ max(0, −m_i)``, where an example's margin m_i is y·(w·x + b), or for K classes the
lead of the right class over the best of the others. Along a line it is convex and piecewise linear.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, n_rows, weights_or_empty
from rosenblatt.geometry.hyperplane import length
from rosenblatt.kernels.batch import binary_sum, multiclass_sum
from rosenblatt.kernels.online.perceptrons import Functions, Log, Sums
from rosenblatt.learners import online, perceptron
from rosenblatt.learners.online import Array

TINY = 2.0**-60
_HALVINGS = 50


class State(NamedTuple):
    """Weights, the moves made, and the sum of the mistakes of the pass under way, in float64."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: float
    ties: int
    moves: int
    total: Array
    total_intercept: Array
    mistakes: int


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start from zero weights. The options are the perceptron's."""
    start = perceptron.init(n_features, n_classes, **options)
    return State(*start, 0, *zeros(start.weights, start.intercept), 0)


def zeros(weights: Array, intercept: Array) -> tuple[Array, Array]:
    """Make the sums that a pass starts with."""
    return np.zeros_like(weights, np.float64), np.zeros_like(intercept, np.float64)


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, log: Log | None = None,
    weights: Array | None = None,
) -> State:  # fmt: skip
    """Add the mistakes among some rows to the sum; the weights stay as they are.

    A log, if one is given, gets the mistakes, with the number of the move as their step.
    ``weights``, one for each row, multiply what is added.
    """
    order = online.visits(order, n_rows(rows))
    loop = binary_sum if len(state.weights) == 1 else multiclass_sum
    functions = Functions(state.weights, state.intercept, 1.0, state.ties)
    total = Sums(state.total, state.total_intercept)
    log, weights = online.as_logged(log), weights_or_empty(weights)
    mistakes, overflow = loop(rows, y, order, functions, state.moves + 1, total, log, weights)
    if overflow >= 0:
        raise online.too_large(f"the score of row {overflow} is", state.weights.dtype)
    return state._replace(mistakes=state.mistakes + mistakes, steps=state.steps + len(order))


def direction(state: State, scale: float) -> tuple[Array, Array, float]:
    """Return −δ for the weights and the intercept, and ‖δ‖. ``scale`` is 1/N, or 1."""
    online.check_weights(state.total)
    step = state.total * scale
    step_intercept = state.total_intercept * (scale * state.fit_intercept)
    return step, step_intercept, float(length(np.append(step, step_intercept))[0])


def move(state: State, step: Array, step_intercept: Array, eta: float) -> State:
    """Do ``w ← w − η δ`` and start the next pass's sum."""
    dtype = state.weights.dtype
    with np.errstate(over="ignore", invalid="ignore"):
        weights = (state.weights + eta * step).astype(dtype)
        intercept = (state.intercept + eta * step_intercept).astype(dtype)
    online.check_weights(weights, intercept)
    total, total_intercept = zeros(weights, intercept)
    return state._replace(
        weights=weights,
        intercept=intercept,
        total=total,
        total_intercept=total_intercept,
        updates=state.updates + state.mistakes,
        moves=state.moves + 1,
        mistakes=0,
    )


def upscaled(state: State) -> State:
    """Multiply tiny weights by a power of two: an exact change that no prediction notices.

    On inseparable data a line search shrinks them pass by pass, as the criterion is least at zero.
    """
    largest = max(float(np.abs(state.weights).max()), float(np.abs(state.intercept).max()))
    if not 0 < largest < TINY:
        return state
    factor = state.weights.dtype.type(1 / TINY)
    return state._replace(weights=state.weights * factor, intercept=state.intercept * factor)


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    weights = online.spread(state.weights, places, n_classes)
    intercept = online.spread(state.intercept, places, n_classes)
    total, total_intercept = zeros(weights, intercept)
    return state._replace(
        weights=weights, intercept=intercept, total=total, total_intercept=total_intercept
    )


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)


def best_step(
    functions: tuple[Array, Array], step: tuple[Array, Array], rows: Rows, y: Array, eta0: float,
    weights: Array | None = None,
) -> float:  # fmt: skip
    """Return the η > 0 that minimises ``J(w + η·step)``; η₀ where no step lowers it.

    ``weights`` multiply the rows' parts of J.
    """
    dtype = functions[0].dtype  # products of mixed types would copy the rows
    here = online.linear_scores(*functions, rows)
    slope = online.linear_scores(step[0].astype(dtype), step[1].astype(dtype), rows)
    if here.ndim == 1:
        signed = y if weights is None else y * weights
        eta = two_classes(signed * here, signed * slope, eta0)
    else:
        eta = many_classes(here, slope, y, eta0, weights)
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


def many_classes(
    here: Array, slope: Array, y: Array, eta0: float, weights: Array | None = None
) -> float:
    """Minimise the sum of ``max_k (s_k + η d_k) − (s_y + η d_y)`` by halving on its slope."""
    own = slope[np.arange(len(y)), y]

    def rises(eta: float) -> bool:
        scores = here + eta * slope
        # Just beyond η, of the classes that tie for the largest score the steepest one leads.
        leaders = scores == scores.max(axis=1, keepdims=True)
        steepest = np.where(leaders, slope, -np.inf).max(axis=1)
        rise = steepest - own if weights is None else weights * (steepest - own)
        return bool(np.sum(rise, dtype=np.float64) >= 0)

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
