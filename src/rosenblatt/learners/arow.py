"""AROW, adaptive regularisation of weights (Crammer, Kulesza and Dredze 2009), diagonal.

Each weight has a variance V, 1 at first. If ``y (w·x + b) < 1``, then ``w ← w + α y V x`` with
``α = loss / (Σ V x² + r)``, and ``1/V ← 1/V + x²/r``: the weights of features seen often move less.
For K classes the margin is that of the right class over its best rival, and both move.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows
from rosenblatt.kernels.online.arow import LEAST, Confidence
from rosenblatt.learners import margin, online, passive_aggressive
from rosenblatt.learners.online import NO_ROWS, Array


class State(NamedTuple):
    """Weights, what was done so far, and the evidence for each weight, ``1/V − 1``."""

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    ties: int
    mistakes: int
    evidence: Array
    evidence_intercept: Array


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start from zero weights of variance 1. The options are those of passive-aggressive."""
    start = passive_aggressive.init(n_features, n_classes, **options)
    shape = n_features, n_classes, start.weights.dtype, options.get("sparse", False)
    return State(*start, online.zeros(*shape), np.zeros_like(start.intercept))


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, ahead: Array = NO_ROWS,
    *, r: float = 1.0, **options: Any,
) -> State:  # fmt: skip
    """Learn from rows in order. The other options are those of `margin.visit`.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = as_rows(np.array([[1.0, 1.0], [1.0, 0.0]])), np.array([1.0, -1.0])
    >>> state = update(init(2, fit_intercept=False), X, y)
    >>> state.weights.round(3).tolist(), variance(state).round(3).tolist()
    ([[-0.111, 0.333]], [[0.333, 0.5]])
    """
    evidence = online.whole(state.evidence)
    rule = Confidence(evidence, state.evidence_intercept, max(float(r), LEAST))
    return margin.visit(state, rows, y, order, ahead, rule, **options)


def variance(state: State) -> Array:
    """Return the variance of each weight."""
    return np.asarray(1 / (1 + state.evidence))


def scores(state: State, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``."""
    return online.linear_scores(state.weights, state.intercept, rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010)."""
    names = "weights", "intercept", "evidence", "evidence_intercept"
    merged: State = margin.mixed(states, names, weights)
    return merged


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    grown = margin.halved(state, places, n_classes)
    for name in ("evidence", "evidence_intercept"):
        grown[name] = np.abs(online.spread(getattr(state, name), places, n_classes))
    return state._replace(**grown)
