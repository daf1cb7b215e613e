"""The online perceptron (Rosenblatt 1958).

On a mistake ``w ← w + η y x``, ``b ← b + η y c²``, where c is 1 unless it is told. For K classes,
add η x to the weights of the right class and subtract it from those of the class it was taken for.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.learners import online
from rosenblatt.learners.online import NO_ROWS, TIES, Array


class State(NamedTuple):
    """Weights (one row for two classes, else one for each), and what was done so far.

    ``fit_intercept`` is 0 or False without an intercept, and otherwise c² if the intercept is the
    weight of a feature of value c: 1 or True as a rule.
    """

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: float
    ties: int


def init(
    n_features: int,
    n_classes: int = 2,
    *,
    dtype: Any = np.float64,
    fit_intercept: float = True,
    ties: str = "mistake",
    sparse: bool = False,
) -> State:
    """Start from zero weights."""
    weights = online.zeros(n_features, n_classes, dtype, sparse)
    return State(weights, np.zeros(len(weights), dtype), 0, 0, fit_intercept, TIES[ties])


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, ahead: Array = NO_ROWS,
    **options: Any,
) -> State:  # fmt: skip
    """Learn from rows in order. The options are those of `online.visit`.

    >>> from rosenblatt.data.rows import as_rows
    >>> X = as_rows(np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]))
    >>> y = np.array([-1.0, 1, 1, -1, -1, 1])
    >>> state = update(init(2, fit_intercept=False), X, y)
    >>> state.weights.tolist(), state.updates
    ([[3.0, 1.0]], 3)
    """
    visited, mistakes = online.visit(state, rows, y, order, ahead, **options)
    return state._replace(steps=state.steps + visited, updates=state.updates + mistakes)


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010)."""
    dtype = states[0].weights.dtype
    mixed, mixed_intercept = online.mean_of((state[:2] for state in states), weights)
    return states[0]._replace(
        weights=mixed.astype(dtype),
        intercept=mixed_intercept.astype(dtype),
        steps=sum(state.steps for state in states),
        updates=sum(state.updates for state in states),
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    return online.with_classes(state, ("weights", "intercept"), places, n_classes)
