"""The averaged perceptron (Freund and Schapire 1999; lazily, as Daumé 2006 and CRFsuite do it).

The mean of the weights after every step, ``w̄ = (1/T) Σ_t w_t``. An update made at step t is part
of the T − t + 1 vectors from then on, so ``w̄ = w_T − (1/T) Σ_t (t − 1) update_t``: a second vector
that changes only on mistakes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.kernels.online.perceptrons import Sums
from rosenblatt.learners import online, perceptron
from rosenblatt.learners.online import NO_ROWS, Array


class State(NamedTuple):
    """The perceptron's state, and the sums ``Σ (t − 1) update_t`` in float64."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: float
    ties: int
    total: Array
    total_intercept: Array


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start from zero weights. The options are the perceptron's."""
    start = perceptron.init(n_features, n_classes, **options)
    total = online.zeros(n_features, n_classes, np.float64, options.get("sparse", False))
    return State(*start, total, np.zeros(len(total)))


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, ahead: Array = NO_ROWS,
    **options: Any,
) -> State:  # fmt: skip
    """Learn from rows in order, by the loops of `rosenblatt.kernels.online.perceptrons`.

    The options are those of `online.visit`.
    """
    sums = Sums(state.total, state.total_intercept)
    visited, mistakes = online.visit(state, rows, y, order, ahead, sums=sums, **options)
    return state._replace(steps=state.steps + visited, updates=state.updates + mistakes)


def average(state: State) -> tuple[Array, Array]:
    """Return the mean weights and intercepts."""
    steps = max(state.steps, 1)
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for what overflowed
        weights = state.weights - state.total / steps
        intercept = state.intercept - state.total_intercept / steps
        return weights.astype(state.weights.dtype), intercept.astype(state.intercept.dtype)


def scores(state: State, rows: Rows) -> Array:
    """Return the scores of the averaged weights."""
    return online.linear_scores(*average(state), rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix parameters and averages: the result's average is the weighted mean of the averages."""
    dtype = states[0].weights.dtype
    steps = sum(state.steps for state in states)
    last, last_intercept = online.mean_of((state[:2] for state in states), weights)
    mean, mean_intercept = online.mean_of(map(average, states), weights)
    return states[0]._replace(
        weights=last.astype(dtype),
        intercept=last_intercept.astype(dtype),
        steps=steps,
        updates=sum(state.updates for state in states),
        total=(last - mean) * steps,
        total_intercept=(last_intercept - mean_intercept) * steps,
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    names = "weights", "intercept", "total", "total_intercept"
    return online.with_classes(state, names, places, n_classes)
