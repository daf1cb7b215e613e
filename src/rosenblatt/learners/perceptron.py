"""The online perceptron (Rosenblatt 1958).

On a mistake ``w ← w + η y x``, ``b ← b + η y``. For K classes, add η x to the weights of the right
class and subtract it from those of the class it was taken for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.kernels.online import Log
from rosenblatt.learners import online
from rosenblatt.learners.online import NO_ROWS, TIES, Array
from rosenblatt.learners.schedule import Schedule


class State(NamedTuple):
    """Weights (one row for two classes, else one for each), and what was done so far."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    ties: int


def init(
    n_features: int,
    n_classes: int = 2,
    *,
    dtype: Any = np.float64,
    fit_intercept: bool = True,
    ties: str = "mistake",
    sparse: bool = False,
) -> State:
    """Start from zero weights."""
    weights = online.zeros(n_features, n_classes, dtype, sparse)
    return State(weights, np.zeros(len(weights), dtype), 0, 0, fit_intercept, TIES[ties])


def update(
    state: State,
    rows: Rows,
    y: Array,
    order: Array | None = None,
    ahead: Array = NO_ROWS,
    schedule: Schedule | None = None,
    first_only: bool = False,
    log: Log | None = None,
    until_overflow: bool = False,
) -> State:
    """Learn from rows in order, and write the mistakes to a log if one is given.

    A row that makes a number overflow is an error, or with ``until_overflow`` the end.

    >>> from rosenblatt.data.rows import as_rows
    >>> X = as_rows(np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]))
    >>> y = np.array([-1.0, 1, 1, -1, -1, 1])
    >>> state = update(init(2, fit_intercept=False), X, y)
    >>> state.weights.tolist(), state.updates
    ([[3.0, 1.0]], 3)
    """
    visited, mistakes = online.visit(
        state,
        rows,
        y,
        order,
        ahead,
        schedule,
        log=log,
        first_only=first_only,
        until_overflow=until_overflow,
    )
    return state._replace(steps=state.steps + visited, updates=state.updates + mistakes)


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010)."""
    dtype = states[0].weights.dtype
    mixed = np.average([state.weights for state in states], axis=0, weights=weights)
    mixed_intercept = np.average([state.intercept for state in states], axis=0, weights=weights)
    return states[0]._replace(
        weights=mixed.astype(dtype),
        intercept=mixed_intercept.astype(dtype),
        steps=sum(state.steps for state in states),
        updates=sum(state.updates for state in states),
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Make room for classes not seen before; ``places`` says where the known ones go."""
    return state._replace(
        weights=online.spread(state.weights, places, n_classes),
        intercept=online.spread(state.intercept, places, n_classes),
    )
