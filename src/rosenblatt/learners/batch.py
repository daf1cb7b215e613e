"""The batch perceptron (deck A): sum the mistakes of a whole pass, then move once.

``δ = −(1/N) Σ_{mistakes} y_i x_i``, ``w ← w − η δ``, until ``‖δ‖ < ε``. Fixed increment is η = 1
without the division by N. Line search takes the η that minimises the perceptron criterion
``J(w) = (1/N) Σ max(0, −y_i w·x_i)`` along −δ.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, n_rows
from rosenblatt.kernels.batch import binary_sum, multiclass_sum
from rosenblatt.kernels.online import Functions, Sums
from rosenblatt.learners import online, perceptron
from rosenblatt.learners.online import Array


class State(NamedTuple):
    """Weights, and the sum of the mistakes of the pass under way."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    ties: int
    total: Array
    total_intercept: Array
    mistakes: int


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start from zero weights. The options are the perceptron's."""
    start = perceptron.init(n_features, n_classes, **options)
    return State(*start, np.zeros_like(start.weights), np.zeros_like(start.intercept), 0)


def update(state: State, rows: Rows, y: Array, start: int = 0, stop: int | None = None) -> State:
    """Add the mistakes among some rows to the sum; the weights stay as they are."""
    loop = binary_sum if len(state.weights) == 1 else multiclass_sum
    stop = n_rows(rows) if stop is None else stop
    functions = Functions(state.weights, state.intercept, 1.0, state.ties)
    total = Sums(state.total, state.total_intercept)
    mistakes, overflow = loop(rows, y, start, stop, functions, total)
    if overflow >= 0:
        raise online.overflow_error(state.weights.dtype, overflow)
    return state._replace(mistakes=state.mistakes + mistakes, steps=state.steps + stop - start)


def direction(state: State, scale: float) -> tuple[Array, Array, float]:
    """Return −δ for the weights and the intercept, and ‖δ‖. ``scale`` is 1/N, or 1."""
    online.check_weights(state.total)
    dtype = state.weights.dtype.type
    step = state.total * dtype(scale)
    step_intercept = state.total_intercept * dtype(scale * state.fit_intercept)
    length = np.hypot(_norm(step), _norm(step_intercept))
    return step, step_intercept, float(length)


def _norm(vector: Array) -> float:
    """Return the Euclidean length, without overflow on the way."""
    largest = float(np.abs(vector).max())
    return largest * float(np.linalg.norm(vector.astype(np.float64) / largest)) if largest else 0.0


def move(state: State, step: Array, step_intercept: Array, eta: float) -> State:
    """Do ``w ← w − η δ`` and start the next pass's sum."""
    eta = state.weights.dtype.type(eta)
    with np.errstate(over="ignore", invalid="ignore"):
        weights = state.weights + eta * step
        intercept = state.intercept + eta * step_intercept
    online.check_weights(weights, intercept)
    return state._replace(
        weights=weights,
        intercept=intercept,
        total=np.zeros_like(state.total),
        total_intercept=np.zeros_like(state.total_intercept),
        updates=state.updates + state.mistakes,
        mistakes=0,
    )


def line_search(margins: Array, slopes: Array, eta0: float) -> float:
    """Return the η > 0 that minimises ``Σ max(0, −(m_i + η s_i))``; η₀ where none is better than 0.

    The sum is convex and piecewise linear in η, with a kink where an example's margin changes sign:
    walk along the kinks until the slope turns. If the sum is zero on a stretch, take its middle, or
    η₀ beyond its start if it has no end.

    >>> line_search(np.array([-1.0, 2.0]), np.array([1.0, -0.5]), 1.0)  # zero from 1 to 4
    2.5
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        kinks = np.where(slopes != 0, -margins / slopes, np.inf)
    # From 0 on, an example counts while its margin is below 0, or 0 and falling.
    active = (margins < 0) | ((margins == 0) & (slopes < 0))
    slope = -float(slopes[active].sum(dtype=np.float64))
    if slope >= 0:
        return eta0
    at = np.flatnonzero((kinks > 0) & np.isfinite(kinks))
    at = at[np.argsort(kinks[at], kind="stable")]
    slope_after = slope + np.cumsum(np.abs(slopes[at], dtype=np.float64))
    tolerance = 1e-12 * float(np.abs(slopes[at]).sum(dtype=np.float64))
    turn = int(np.argmax(slope_after >= -tolerance))
    eta = float(kinks[at[turn]])
    if slope_after[turn] > tolerance:
        return eta
    end = float(kinks[at[turn + 1]]) if turn + 1 < len(at) else eta + eta0
    return (eta + end) / 2


def margins(state: State, weights: Array, intercept: Array, rows: Rows, y: Array) -> Array:
    """Return y·(w·x + b), or by how much the right class's score leads the best of the others.

    For K classes the lead is taken over the class that the state's own weights rank best, so that
    along a line it stays linear.
    """
    score = online.linear_scores(weights, intercept, rows)
    if score.ndim == 1:
        return np.asarray(y * score)
    current = online.linear_scores(state.weights, state.intercept, rows)
    everyone = np.arange(len(y))
    current[everyone, y] = -np.inf
    return np.asarray(score[everyone, y] - score[everyone, current.argmax(1)])


def grow(state: State, places: Array, n_classes: int) -> State:
    """Make room for classes not seen before; ``places`` says where the known ones go."""
    weights = online.spread(state.weights, places, n_classes)
    intercept = online.spread(state.intercept, places, n_classes)
    return state._replace(
        weights=weights,
        intercept=intercept,
        total=np.zeros_like(weights),
        total_intercept=np.zeros_like(intercept),
    )


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)
