"""What Bernoulli and multinomial naive Bayes are computed from: the sum of each class's rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows
from rosenblatt.kernels.moments import add_sums
from rosenblatt.kernels.scoring import add_binary_sums
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.moments import merged_columns


class State(NamedTuple):
    """The weight of each class and the sum of its rows.

    With ``binarize`` the rows are zeros and ones: which of their numbers are above it.
    """

    weight: Array
    sums: Array
    binarize: float | None


def init(n_features: int, n_classes: int = 2, *, binarize: float | None = None) -> State:
    """Start without any row."""
    return State(np.zeros(n_classes), np.zeros((n_classes, n_features)), binarize)


def update(state: State, rows: Rows, y: Array, weights: Array | None = None) -> State:
    """Add rows of classes 0…K−1, each as often as its weight says.

    >>> from rosenblatt.data.rows import as_rows
    >>> state = update(init(1), as_rows(np.array([[1.0], [3.0], [7.0]])), np.array([0, 0, 1]))
    >>> state.weight.tolist(), state.sums.tolist()
    ([2.0, 1.0], [[4.0], [7.0]])
    """
    if state.binarize is not None:
        rows = merged_columns(rows, state.sums.shape[1])

    def work(rows: Rows, where: slice) -> Array:
        total, limit = np.zeros_like(state.sums), state.binarize
        if limit is None:
            add_sums(rows, y[where], part(weights, where), total)
        else:
            add_binary_sums(rows, y[where], limit, part(weights, where), total)
        return total

    weight = state.weight + np.bincount(y, weights, len(state.weight))
    # A block's sums should be small beside what is added up.
    totals = each_block(rows, work, 8 * state.sums.size)
    return state._replace(weight=weight, sums=sum(totals, state.sums))


def merge(states: Sequence[State], weights: Sequence[float] | None = None) -> State:
    """Make one state of several; a weight says how often a state's rows count."""
    times = [1.0] * len(states) if weights is None else weights
    both = list(zip(states, times, strict=True))
    return states[0]._replace(
        weight=np.sum([c * state.weight for state, c in both], axis=0),
        sums=np.sum([c * state.sums for state, c in both], axis=0),
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Make room for classes not seen before; ``places`` says where the known ones go."""
    larger = init(state.sums.shape[1], n_classes, binarize=state.binarize)
    larger.weight[places], larger.sums[places] = state.weight, state.sums
    return larger
