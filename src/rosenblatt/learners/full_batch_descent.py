"""Batch gradient descent: the gradient of all rows, then one move.

The state is that of `rosenblatt.learners.descent`, and so is the result of a pass with a batch of
all rows. Here a pass is two products with the whole matrix, on all cores, and the step may be
searched for: along a line the scores of all rows change linearly, so trying a step needs no further
product.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, all_finite, weights_or_empty
from rosenblatt.kernels.losses import loss_along
from rosenblatt.learners.descent import DivergedError, Penalty, State, pull_all
from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.learners.products import Matrix

_DOUBLINGS = 50
_HALVINGS = 30


class Slope(NamedTuple):
    """Results for all rows: scores, the mean loss with the penalty, mistakes, and the gradient."""

    scores: Array
    loss: float
    mistakes: int
    gradient: Array
    gradient_intercept: Array

    @property
    def length(self) -> float:
        """The gradient's length."""
        both = np.append(self.gradient, self.gradient_intercept)
        return float(np.linalg.norm(both))


def steepness(state: State, slope: Slope, penalty: Penalty) -> float:
    """Return the length of the gradient, with that of an L1 penalty."""
    if not penalty.l1:
        return slope.length
    pulled = slope.gradient + penalty.l1 * np.sign(state.weights)
    return slope._replace(gradient=pulled).length


def look(
    state: State, matrix: Matrix, y: Array, penalty: Penalty, scores: Array | None = None,
    weights: Array | None = None,
) -> Slope:  # fmt: skip
    """Score all rows, unless the scores are known already, and add up their gradients.

    ``weights`` multiply the losses of the rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        if scores is None:
            scores = matrix.scores(state.weights, state.intercept)
        loss, mistakes, slopes = evaluate(state.loss, scores, y, weights, state.loss_parameter)
        slopes /= len(y)
        gradient = matrix.weighted_sums(slopes) + penalty.l2 * state.weights
        gradient_intercept = slopes.sum(axis=0) * state.fit_intercept
    if not all_finite(gradient):
        raise DivergedError(f"the gradient is too large for {gradient.dtype}")
    cost = loss / len(y) + penalty.of(state.weights)
    dtype = state.weights.dtype
    return Slope(scores, cost, mistakes, gradient.astype(dtype), gradient_intercept.astype(dtype))


def move(state: State, slope: Slope, eta: float, penalty: Penalty, average: bool = False) -> State:
    """Do ``w ← w − η gradient``; an L1 penalty then pulls every weight towards zero."""
    with np.errstate(over="ignore", invalid="ignore"):
        weights = state.weights - state.weights.dtype.type(eta) * slope.gradient
        intercept = state.intercept - state.intercept.dtype.type(eta) * slope.gradient_intercept
    if not (all_finite(weights) and all_finite(intercept)):
        raise DivergedError(f"the weights grew too large for {weights.dtype}")
    n = len(slope.scores)
    if average:
        if not state.averaged:
            state.total[...], state.total_intercept[...] = 0, 0
        state = state._replace(
            total=state.total + state.mass * (weights - state.weights),
            total_intercept=state.total_intercept + state.averaged * (intercept - state.intercept),
            mass=state.mass + 1,
            averaged=state.averaged + 1,
        )
    after = state._replace(
        weights=weights,
        intercept=intercept,
        steps=state.steps + n,
        updates=state.updates + 1,
        mistakes=state.mistakes + slope.mistakes,
        loss_sum=state.loss_sum + (slope.loss - penalty.of(state.weights)) * n,
    )
    return pull_all(after, penalty, eta) if penalty.l1 else after


def line_search(
    state: State, matrix: Matrix, y: Array, slope: Slope, penalty: Penalty, eta0: float,
    weights: Array | None = None,
) -> tuple[float, Array]:  # fmt: skip
    """Return the step that lowers the loss most along the gradient, and the scores after it.

    At a kink the gradient may lead nowhere down; the step is then η₀.
    """
    steps = -matrix.scores(slope.gradient, slope.gradient_intercept)
    flat = slope.gradient.ravel()
    loss = LOSSES[state.loss].code, float(state.loss_parameter)
    # The penalty along the line is a parabola.
    bend = penalty.l2 * float(flat @ flat)
    lean = -penalty.l2 * float(state.weights.ravel() @ flat)

    factors = weights_or_empty(weights)

    def rises(eta: float) -> bool:
        _, rise = loss_along(*loss, slope.scores, steps, eta, y, factors)
        return bool(rise / len(y) + lean + eta * bend >= 0)

    dtype = state.weights.dtype
    eta = step_where_it_turns(rises, slope.length, dtype, eta0)
    return eta, slope.scores + dtype.type(eta) * steps


def step_where_it_turns(
    rises: Callable[[float], bool], steepness: float, dtype: np.dtype[Any], eta0: float
) -> float:
    """Return the step from which on a loss rises; η₀ if it does from the start."""
    low, high = _around(rises, 1.0 / max(steepness, 1e-300))
    for _ in range(_HALVINGS):
        if high - low <= 1e-3 * high:
            break
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return float(dtype.type((low + high) / 2 if high > 0 else eta0))


def _around(rises: Callable[[float], bool], first: float) -> tuple[float, float]:
    """Return two steps, the loss falling at one and rising at the other; zeros if none is lower."""
    low = high = first
    if rises(first):
        for _ in range(_DOUBLINGS):
            low /= 2
            if not rises(low):
                return low, high
            high = low
        return 0.0, 0.0
    for _ in range(_DOUBLINGS):
        high *= 2
        if rises(high):
            break
        low = high
    return low, high
