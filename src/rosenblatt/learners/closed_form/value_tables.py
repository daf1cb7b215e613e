"""What medians and most frequent values are computed from: every value, and how often it came.

Nothing smaller would do. The state grows with the number of different values of a feature in a
class: little for categories, as much as the data for measurements. Zeros are not stored.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, n_rows
from rosenblatt.kernels import value_tables as kernel
from rosenblatt.learners.blocks import each_block, in_turn
from rosenblatt.learners.closed_form.moments import merged_columns

Table: TypeAlias = tuple[Array, Array, Array]  # where each cell starts, the values, the counts
_SOME = 1 << 20  # numbers that are sorted at a time


class State(NamedTuple):
    """The weight of each class, and for each class and feature the values and their counts.

    Those of class k and feature j are at ``cells[c]`` up to ``cells[c + 1]``, where c = k·d + j.
    """

    weight: Array
    cells: Array
    values: Array
    counts: Array
    n_features: int


def init(n_features: int, n_classes: int = 2) -> State:
    """Start without any row."""
    cells = np.zeros(n_classes * n_features + 1, np.intp)
    return State(np.zeros(n_classes), cells, np.empty(0), np.empty(0), n_features)


def update(state: State, rows: Rows, y: Array, weights: Array | None = None) -> State:
    """Add rows of classes 0…K−1, each as often as its weight."""
    d, n_classes = state.n_features, len(state.weight)
    weight = np.bincount(y, weights, n_classes).astype(np.float64)
    rows = merged_columns(rows, d)
    tables = [table for k in range(n_classes) for table in _tables(rows, y == k, weights, d)]
    cells, values, counts = zip(*tables, strict=True)
    before = np.cumsum([0, *map(len, values)])
    places = [part + start for part, start in zip(cells, before, strict=False)]
    new = np.concatenate([*places, before[-1:]]), np.concatenate(values), np.concatenate(counts)
    return merge([state, State(weight, *new, d)])


def merge(states: Sequence[State], weights: Sequence[float] | None = None) -> State:
    """Merge states; a weight is how often a state's rows count."""
    if weights is not None:
        states = [
            state._replace(weight=c * state.weight, counts=c * state.counts)
            for state, c in zip(states, weights, strict=True)
        ]
    return reduce(_both, states)


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    d = state.n_features
    weight, sizes = np.zeros(n_classes), np.zeros((n_classes, d), np.intp)
    weight[places], sizes[places] = state.weight, np.diff(state.cells).reshape(-1, d)
    # Classes keep their order, so the values stay where they are.
    return state._replace(weight=weight, cells=np.concatenate([[0], np.cumsum(sizes)]))


def rounded(state: State, dtype: Any) -> State:
    """Round the values to a type; those that are then equal are counted as one."""
    with np.errstate(over="ignore"):
        values = state.values.astype(dtype).astype(np.float64)
    cells, values, counts = _tally(state.cells, values, state.counts.copy())
    return state._replace(cells=np.append(cells, len(values)), values=values, counts=counts)


def rounded_rows(rows: Rows, dtype: Any) -> Rows:
    """Round rows to a type; a copy unless they are of it."""
    with np.errstate(over="ignore"):
        return rows._replace(values=rows.values.astype(dtype, copy=False))


def medians(state: State) -> Array:
    """Return the median of each class and feature; of an even number, the mean of the middle two.

    >>> from rosenblatt.data.rows import as_rows
    >>> rows = as_rows(np.array([[1.0], [0.0], [5.0], [2.0]]))
    >>> medians(update(init(1), rows, np.array([0, 0, 0, 1]))).tolist()
    [[1.0], [2.0]]
    """
    out = np.zeros((len(state.weight), state.n_features))
    kernel.medians(*state[:4], out)
    return out


def modes(state: State) -> Array:
    """Return the most frequent value of each class and feature; of several, the smallest."""
    out = np.zeros((len(state.weight), state.n_features))
    kernel.modes(*state[:4], out)
    return out


def distances(rows: Rows, centroids: Array, hamming: bool) -> Array:
    """Return the Manhattan or Hamming distances of rows from centroids, a column for each."""
    d = centroids.shape[1]
    rows = merged_columns(rows, d)
    dense = isinstance(rows, Dense)
    # Equal means equal in the rows' own type.
    dtype = rows.values.dtype if hamming else np.float64
    points = np.asarray(centroids, dtype, order="C" if dense else "F")
    base = ((points != 0) if hamming else np.abs(points)).sum(axis=1).astype(np.float64)
    out = np.empty((n_rows(rows), len(centroids)))

    def work(rows: Rows, where: slice) -> None:
        kernel.distances(rows, points, base, hamming, out[where])

    for _ in each_block(rows, work):
        pass
    return out


def _both(a: State, b: State) -> State:
    if not len(a.values):
        return b._replace(weight=a.weight + b.weight)
    size = len(a.values) + len(b.values)
    values, counts, cells = np.empty(size), np.empty(size), np.empty_like(a.cells)
    used = kernel.join(a[1:4], b[1:4], values, counts, cells)
    if used < size:
        values, counts = values[:used].copy(), counts[:used].copy()
    return State(a.weight + b.weight, cells, values, counts, a.n_features)


def _tables(rows: Rows, mine: Array, weights: Array | None, d: int) -> Iterator[Table]:
    """Yield tables of some rows, of a few features each."""
    index = np.flatnonzero(mine)
    some = None if weights is None else weights[index]
    if not isinstance(rows, Dense):
        yield _tally(*_sorted_cells(as_matrix(rows, d)[index], some))
        return
    X, width = rows.values, max(1, _SOME // max(1, len(index)))

    def work(start: int) -> Table:
        columns = np.ascontiguousarray(X[index, start : start + width].T)
        starts = len(index) * np.arange(len(columns) + 1)
        return _tally(starts, *_sorted_lines(columns, some))

    yield from in_turn(work, range(0, d, width))


def _tally(starts: Array, values: Array, counts: Array) -> Table:
    """Count equal values once, and leave out zeros."""
    cells = np.empty(len(starts) - 1, np.intp)
    used = kernel.tally(starts, values, counts, cells)
    return cells, values[:used], counts[:used]


def _sorted_lines(lines: Array, weights: Array | None) -> tuple[Array, Array]:
    """Sort each line, with the weights of its numbers."""
    if weights is None:
        lines.sort(axis=1)
        return lines.ravel().astype(np.float64), np.ones(lines.size)
    order = lines.argsort(axis=1)
    values = np.take_along_axis(lines, order, axis=1).ravel()
    return values.astype(np.float64), weights[order].ravel()


def _sorted_cells(X: Any, weights: Array | None) -> tuple[Array, Array, Array]:
    """Sort what is stored in each column of a CSR matrix, with the weights of its rows."""
    order = np.argsort(X.data)
    # Turning rows of one number each into columns keeps their order, and takes no comparisons.
    single = order, X.indices[order], np.arange(len(order) + 1)
    columns = sp.csr_matrix(single, shape=(len(order), X.shape[1])).tocsc()
    order, starts = columns.data, columns.indptr.astype(np.intp)
    values = X.data[order].astype(np.float64)
    if weights is None:
        return starts, values, np.ones(len(order))
    return starts, values, weights.repeat(np.diff(X.indptr))[order]
