"""Rows in a random order: all of a file that fits into a window, else a window after the other.

Where a window ends depends on the rows alone, not on how they were read, so that the order is the
same whenever the seed is.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, entries, frozen, n_rows, take
from rosenblatt.learners.blocks import block as some_rows

SEED = 0
WINDOW = 1 << 22  # stored numbers, which take some 32 MB

# The file and the line of the k-th row of a batch, if that is known.
Place: TypeAlias = Callable[[int], tuple[str, int] | None]


class Batch(NamedTuple):
    """Rows with labels, and weights where they have such: what is learned from at once."""

    rows: Any
    labels: Array
    weights: Array | None

    def part(self, start: int, stop: int) -> "Batch":
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[start:stop]
        return Batch(some_rows(self.rows, start, stop), self.labels[start:stop], weights)

    def copy(self) -> "Batch":
        """Copy all arrays, and of rows that are part of others only their own."""
        rows = self.rows
        if isinstance(rows, Dense):
            own: Rows = Dense(rows.values.copy())
        else:
            first, last = int(rows.indptr[0]), int(rows.indptr[-1])
            parts = rows.indices[first:last].copy(), rows.values[first:last].copy()
            own = Sparse((rows.indptr - first).astype(np.int32), *parts)
        weights = None if self.weights is None else self.weights.copy()
        return Batch(own, self.labels.copy(), weights)


def joined(batches: list[Batch]) -> Batch:
    """Put batches together; one alone is returned as it is."""
    if len(batches) == 1:
        return batches[0]
    labels = np.concatenate([batch.labels for batch in batches])
    weights = None
    if any(batch.weights is not None for batch in batches):
        given = [np.ones(len(t.labels)) if t.weights is None else t.weights for t in batches]
        weights = np.concatenate(given)
    if isinstance(batches[0].rows, Dense):
        return Batch(Dense(np.vstack([batch.rows.values for batch in batches])), labels, weights)
    shifts = np.cumsum([0, *(int(batch.rows.indptr[-1]) for batch in batches)])
    ends = [batch.rows.indptr[1:] + shift for batch, shift in zip(batches, shifts, strict=False)]
    rows = Sparse(
        np.concatenate([[0], *ends]).astype(np.int32),
        np.concatenate([batch.rows.indices for batch in batches]),
        np.concatenate([batch.rows.values for batch in batches]),
    )
    return Batch(rows, labels, weights)


class _Part(NamedTuple):
    """Rows of a window, where they are from, and the number of the first of them there."""

    batch: Batch
    place: Place | None
    first: int


def shuffled(
    batches: Iterable[tuple[Batch, Place | None]], rng: np.random.Generator
) -> Iterator[tuple[Batch, Place]]:
    """Yield windows of rows, each in a random order, and what finds the line of a row."""
    for window in _windows(batches, WINDOW):
        batch = joined([part.batch for part in window])
        order = rng.permutation(len(batch.labels))
        weights = None if batch.weights is None else batch.weights[order]
        rows = frozen(take(batch.rows, order))
        yield Batch(rows, batch.labels[order], weights), _finder(window, order)


def in_order(batch: Batch, seed: int | None, number: int) -> Iterator[Batch]:
    """Yield the rows of a pass in the order that files with the same rows would have."""
    if seed is None:
        yield batch
        return
    for part, _ in shuffled([(batch, None)], generator(seed, number)):
        yield part


def generator(seed: int, number: int) -> np.random.Generator:
    """Return what shuffles the rows of a pass, numbered from 0 on."""
    return np.random.default_rng((seed, number))


def _windows(batches: Iterable[tuple[Batch, Place | None]], most: int) -> Iterator[list[_Part]]:
    """Put rows together until they store this many numbers, wherever batches end."""
    window: list[_Part] = []
    left = most
    for batch, place in batches:
        start, n = 0, len(batch.labels)
        while start < n:
            stop = _cut(batch.rows, start, left)
            window.append(_Part(batch.part(start, stop).copy(), place, start))
            left -= entries(window[-1].batch.rows)
            start = stop
            if left <= 0:
                yield window
                window, left = [], most
    if window:
        yield window


def _cut(rows: Rows, start: int, size: int) -> int:
    """Return the row before which the rows from start on store at least so many numbers."""
    n = n_rows(rows)
    if isinstance(rows, Dense):
        return min(n, start + max(1, -(-size // max(int(rows.values.shape[1]), 1))))
    found = int(np.searchsorted(rows.indptr, int(rows.indptr[start]) + size))
    return min(n, max(start + 1, found))


def _finder(window: list[_Part], order: Array) -> Place:
    """Return what finds the line of a row of a window that was shuffled."""
    sizes = [(len(part.batch.labels), part.place, part.first) for part in window]

    def find(row: int) -> tuple[str, int] | None:
        at = int(order[row])
        for size, place, first in sizes:
            if at < size:
                return None if place is None else place(first + at)
            at -= size
        return None

    return find
