"""The batch perceptron (deck A): sum the mistakes of a whole pass, then move once.

``δ = −(1/N) Σ_{mistakes} y_i x_i``, ``w ← w − η δ``, until ``‖δ‖ < ε``. Fixed increment is η = 1
without the division by N. `rosenblatt.learners.line_search` finds the best η.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, n_rows
from rosenblatt.geometry.hyperplane import length
from rosenblatt.kernels.batch import binary_sum, multiclass_sum
from rosenblatt.kernels.online import Functions, Log, Sums
from rosenblatt.learners import online, perceptron
from rosenblatt.learners.online import Array

TINY = 2.0**-60


class State(NamedTuple):
    """Weights, the moves made, and the sum of the mistakes of the pass under way, in float64."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
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
    state: State, rows: Rows, y: Array, order: Array | None = None, log: Log | None = None
) -> State:
    """Add the mistakes among some rows to the sum; the weights stay as they are.

    A log, if one is given, gets the mistakes, with the number of the move as their step.
    """
    order = online.row_numbers(n_rows(rows)) if order is None else order
    loop = binary_sum if len(state.weights) == 1 else multiclass_sum
    functions = Functions(state.weights, state.intercept, 1.0, state.ties)
    total = Sums(state.total, state.total_intercept)
    mistakes, overflow = loop(rows, y, order, functions, state.moves + 1, total, log)
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
    """Make room for classes not seen before; ``places`` says where the known ones go."""
    weights = online.spread(state.weights, places, n_classes)
    intercept = online.spread(state.intercept, places, n_classes)
    total, total_intercept = zeros(weights, intercept)
    return state._replace(
        weights=weights, intercept=intercept, total=total, total_intercept=total_intercept
    )


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)
