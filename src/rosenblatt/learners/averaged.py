"""The averaged perceptron (Freund and Schapire 1999; lazily, as Daumé 2006 and CRFsuite do it).

The mean of the weights after every step, ``w̄ = (1/T) Σ_t w_t``. An update made at step t is part
of the T − t + 1 vectors from then on, so ``w̄ = w_T − (1/T) Σ_t (t − 1) update_t``: a second vector
that changes only on mistakes.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.kernels.online import Log, Sums
from rosenblatt.learners import online, perceptron
from rosenblatt.learners.online import NO_ROWS, Array


class State(NamedTuple):
    """The perceptron's state, and the sums ``Σ (t − 1) update_t`` in float64."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    ties: int
    total: Array
    total_intercept: Array


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start from zero weights. The options are the perceptron's."""
    start = perceptron.init(n_features, n_classes, **options)
    total = online.zeros(n_features, n_classes, np.float64, options.get("sparse", False))
    return State(*start, total, np.zeros(len(total)))


def update(
    state: State,
    rows: Rows,
    y: Array,
    order: Array | None = None,
    ahead: Array = NO_ROWS,
    log: Log | None = None,
    until_overflow: bool = False,
) -> State:
    """Learn from rows in order, and write the mistakes to a log if one is given.

    A row that makes a number overflow is an error, or with ``until_overflow`` the end.
    """
    sums = Sums(state.total, state.total_intercept)
    visited, mistakes = online.visit(
        state, rows, y, order, ahead, sums=sums, log=log, until_overflow=until_overflow
    )
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
    last = np.average([state.weights for state in states], axis=0, weights=weights)
    last_intercept = np.average([state.intercept for state in states], axis=0, weights=weights)
    means = [average(state) for state in states]
    mean = np.average([mean for mean, _ in means], axis=0, weights=weights)
    mean_intercept = np.average([mean for _, mean in means], axis=0, weights=weights)
    return states[0]._replace(
        weights=last.astype(dtype),
        intercept=last_intercept.astype(dtype),
        steps=steps,
        updates=sum(state.updates for state in states),
        total=(last - mean) * steps,
        total_intercept=(last_intercept - mean_intercept) * steps,
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Make room for classes not seen before; ``places`` says where the known ones go."""
    return state._replace(
        weights=online.spread(state.weights, places, n_classes),
        intercept=online.spread(state.intercept, places, n_classes),
        total=online.spread(state.total, places, n_classes),
        total_intercept=online.spread(state.total_intercept, places, n_classes),
    )
