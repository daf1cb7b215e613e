"""Passive-aggressive learning (Crammer, Dekel, Keshet, Shalev-Shwartz and Singer 2006).

If ``y (w·x + b) < 1``, move w as little as possible so that it is 1. As rows may be wrong, the step
``τ = loss / ‖x‖²`` is at most C (PA-I, a penalty C on what the margin lacks), or ``loss /
(‖x‖² + 1/2C)`` (PA-II, on its square). For K classes the margin is that of the right class over its
best rival, and both move.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.kernels.online.passive_aggressive import PA_I, PA_II, Aggressive
from rosenblatt.learners import margin, online
from rosenblatt.learners.online import NO_ROWS, TIES, Array

VARIANTS = {"hinge": PA_I, "squared_hinge": PA_II}


class State(NamedTuple):
    """Weights, and what was done so far: an update is no mistake if only the margin was small."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    ties: int
    mistakes: int


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
    return State(weights, np.zeros(len(weights), dtype), 0, 0, fit_intercept, TIES[ties], 0)


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, ahead: Array = NO_ROWS,
    *, C: float = 1.0, loss: str = "hinge", **options: Any,
) -> State:  # fmt: skip
    """Learn from rows in order. The other options are those of `margin.visit`.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = as_rows(np.array([[1.0, 1.0], [2.0, 0.0]])), np.array([1.0, -1.0])
    >>> state = update(init(2, fit_intercept=False), X, y)
    >>> state.weights.tolist(), state.updates, state.mistakes
    ([[-0.5, 0.5]], 2, 2)
    """
    rule = Aggressive(float(C), VARIANTS[loss])
    return margin.visit(state, rows, y, order, ahead, rule, **options)


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010)."""
    merged: State = margin.mixed(states, ("weights", "intercept"), weights)
    return merged


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    return state._replace(**margin.halved(state, places, n_classes))
