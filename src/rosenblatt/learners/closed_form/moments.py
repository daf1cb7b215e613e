"""What centroids are computed from: the weight and mean of each class, and the spread within.

The state is all that the rows leave behind. Two states become one by the rule of Chan, Golub and
LeVeque (1983), which loses no digits however far the data lie from the origin.
"""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, as_matrix, as_rows, weights_or_empty
from rosenblatt.kernels.moments import add_moments, add_stored_moments, all_ascend, find_first
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.online import too_large

EPSILON = 2.0**-52
Shape: TypeAlias = tuple[int, int, int]  # folds, classes, features
_LOST = 1e-6  # what is left of a sum of squares when so much cancelled that it is added up again


class State(NamedTuple):
    """The weight and mean of each class, and Σ w (x − mean)² of each feature over all classes.

    There may be axes before these, as for the states of several folds.
    """

    weight: Array
    mean: Array
    spread: Array


class Grouped(NamedTuple):
    """The group of each row, a class in a fold, and what the row weighs."""

    groups: Array
    weights: Array | None

    def part(self, where: slice) -> tuple[Array, Array | None]:
        """Cut out the rows of a block."""
        return self.groups[where], part(self.weights, where)


def init(n_features: int, n_classes: int = 2) -> State:
    """Start without any row."""
    return State(np.zeros(n_classes), np.zeros((n_classes, n_features)), np.zeros(n_features))


def update(state: State, rows: Rows, y: Array, weights: Array | None = None) -> State:
    """Add rows of classes 0…K−1, each as often as its weight.

    >>> state = update(init(1), as_rows(np.array([[1.0], [3.0], [7.0]])), np.array([0, 0, 1]))
    >>> state.weight.tolist(), state.mean.tolist(), state.spread.tolist()
    ([2.0, 1.0], [[2.0], [7.0]], [2.0])
    """
    n_classes, n_features = state.mean.shape
    new = by_fold(rows, y, n_classes, n_features, weights)
    return merge([state, State(*(array[0] for array in new))])


def merge(states: Sequence[State], weights: Sequence[float] | None = None) -> State:
    """Merge states; a weight is how often a state's rows count."""
    if weights is not None:
        states = [_times(state, c) for state, c in zip(states, weights, strict=True)]
    return reduce(_both, states)


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    larger = init(state.mean.shape[1], n_classes)._replace(spread=state.spread.copy())
    larger.weight[places], larger.mean[places] = state.weight, state.mean
    return larger


def by_fold(
    rows: Rows,
    y: Array,
    n_classes: int,
    n_features: int,
    weights: Array | None = None,
    fold: Array | None = None,
    n_folds: int = 1,
) -> State:
    """Return the states of several folds, along a first axis, in one pass over the rows."""
    given = Grouped(y if fold is None else fold * n_classes + y, weights)
    shape = n_folds, n_classes, n_features
    if isinstance(rows, Dense):
        result = _of_dense(rows, given, shape)
    else:
        result = _of_sparse(rows, given, shape)
    if not (np.isfinite(result.mean).all() and np.isfinite(result.spread).all()):
        raise too_large("the squares of X are", np.dtype(np.float64))
    return result


def overall(state: State) -> Array:
    """Return the mean of all rows."""
    total = state.weight.sum()
    return np.asarray((state.weight / (total or 1.0)) @ state.mean)


def deviation(state: State, divisor: float) -> Array:
    """Return ``√(spread / divisor)``, and zero where that is nothing but rounding.

    The mean of equal numbers may be off by its last bit, which is no spread.
    """
    if divisor <= 0:
        return np.zeros_like(state.spread)
    result = np.sqrt(state.spread / divisor)
    result[result <= 4 * EPSILON * np.abs(state.mean).max(axis=0)] = 0.0
    return result


def merged_columns(rows: Rows, n_features: int) -> Rows:
    """Return rows that name each column once, in order; a copy unless they do already."""
    if isinstance(rows, Dense) or all_ascend(rows, len(rows.indptr) - 1):
        return rows
    return _merged(rows, n_features)


def _merged(rows: Sparse, n_features: int) -> Sparse:
    matrix = as_matrix(rows, n_features).copy()
    matrix.has_canonical_format = False  # what SciPy believes may be old
    matrix.sum_duplicates()
    return cast(Sparse, as_rows(matrix))


def _times(state: State, c: float) -> State:
    return state._replace(weight=c * state.weight, spread=c * state.spread)


def _both(a: State, b: State) -> State:
    weight = a.weight + b.weight
    share = np.divide(b.weight, weight, out=np.zeros_like(weight), where=weight > 0)
    with np.errstate(over="ignore", invalid="ignore"):
        step = b.mean - a.mean
        between = ((a.weight * share)[..., None] * step**2).sum(axis=-2)
        mean = a.mean + share[..., None] * step
        return State(weight, mean, a.spread + b.spread + between)


def _of_dense(rows: Dense, given: Grouped, shape: Shape) -> State:
    """Add up dense rows, each about one of its own group in its block.

    So the squares stay small wherever the data lie, and are zero if a class is constant.
    """
    n_folds, n_classes, n_features = shape
    n_groups = n_folds * n_classes

    def work(rows: Rows, where: slice) -> State:
        groups, weights = given.part(where)
        first = np.full(n_groups, -1)
        find_first(groups, first)
        shift = np.zeros((n_groups, n_features))
        shift[first >= 0] = rows.values[first[first >= 0]]
        total = np.zeros((n_groups + n_folds, n_features))
        factors = weights_or_empty(weights)
        add_moments(rows, groups, n_classes, n_groups, factors, shift, total)
        state, _ = _finished(total, np.bincount(groups, weights, n_groups), shape)
        return state._replace(mean=state.mean + shift.reshape(shape))

    # A block's sums should be small compared to what is added up.
    return merge(list(each_block(rows, work, 8 * n_groups * n_features)))


def _of_sparse(rows: Sparse, given: Grouped, shape: Shape) -> State:
    """Add up sparse rows; where squares cancel, once more about the means."""
    n_folds, n_classes, n_features = shape
    n_groups = n_folds * n_classes
    size = n_groups + n_folds, n_features

    def work(rows: Rows, where: slice) -> tuple[Array, bool]:
        groups, weights = given.part(where)
        total, factors = np.zeros(size, order="F"), weights_or_empty(weights)
        return total, add_moments(rows, groups, n_classes, n_groups, factors, total[:0], total)

    total, good = np.zeros(size, order="F"), True
    for block, ascending in each_block(rows, work, 4 * total.size):
        total += block
        good &= ascending
    if not good:
        return _of_sparse(_merged(rows, n_features), given, shape)
    weight = np.bincount(given.groups, given.weights, n_groups)
    state, lost = _finished(total, weight, shape)
    return _again(rows, given, state, lost) if lost.any() else state


def _finished(total: Array, weight: Array, shape: Shape) -> tuple[State, Array]:
    """Make states of sums and squares; say where nearly all of the squares cancelled."""
    n_groups = len(weight)
    sums, squares = total[:n_groups], total[n_groups:]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = sums * _inverse(weight)[:, None]
        spread = squares - (sums * mean).reshape(shape).sum(axis=1)
        lost = spread < _LOST * squares
    np.maximum(spread, 0.0, out=spread)
    weight = weight.astype(np.float64).reshape(shape[:2])
    return State(weight, mean.reshape(shape), spread), lost


def _again(rows: Sparse, given: Grouped, state: State, lost: Array) -> State:
    """Add up sparse rows about their means: what is stored, and then the zeros between."""
    n_folds, n_classes, n_features = state.mean.shape
    n_groups = n_folds * n_classes
    mean = np.asfortranarray(state.mean.reshape(n_groups, n_features))
    weight = state.weight.reshape(n_groups, 1)

    def work(rows: Rows, where: slice) -> Array:
        groups, weights = given.part(where)
        total = np.zeros((2 * n_groups + n_folds, n_features), order="F")
        factors = weights_or_empty(weights)
        add_stored_moments(rows, groups, n_classes, n_groups, factors, mean, total)
        return total

    with np.errstate(over="ignore", invalid="ignore"):
        total = reduce(np.add, each_block(rows, work, 8 * mean.size))
        zeros = weight - total[-n_groups:]
        rest = total[:n_groups] - zeros * mean
        step = rest * _inverse(weight)
        about = (zeros * mean**2 - rest * step).reshape(state.mean.shape).sum(axis=1)
        spread = np.maximum(total[n_groups : n_groups + n_folds] + about, 0.0)
    better = (mean + step).reshape(state.mean.shape)
    return state._replace(mean=better, spread=np.where(lost, spread, state.spread))


def _inverse(weight: Array) -> Array:
    return np.divide(1.0, weight, out=np.zeros(weight.shape), where=weight > 0)
