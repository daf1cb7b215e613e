"""Rows with labels, to go through several times: kept in a temporary file after the first."""

from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self

import numpy as np

from rosenblatt.cli.counted import Counted
from rosenblatt.cli.judging import labelled_rows
from rosenblatt.data.rows import Array, Dense, Rows, Sparse
from rosenblatt.stream.cache import Cache, Lot


class Lots:
    """The rows of files that have a label, as often as they are iterated over.

    Parameters
    ----------
    reader : Counted
        The files.
    cache : bool
        Keep the rows in a temporary file, rather than read the files again.
    numbers : bool
        Labels are numbers to predict, not classes.
    """

    def __init__(self, reader: Counted, *, cache: bool, numbers: bool = False) -> None:
        self.reader, self.numbers = reader, numbers
        self._cache = Cache(reader.reading.dtype) if cache else None
        self._whole = False  # whether the cache has all rows

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.reader.close()
        if self._cache is not None:
            self._cache.close()

    def __iter__(self) -> Iterator[Lot]:
        """Yield the rows in order, each lot valid until the next is asked for."""
        if self._whole and self._cache is not None:
            for lot in self._cache:
                yield lot._replace(labels=lot.labels.view(np.float64)) if self.numbers else lot
            return
        for block in self.reader:
            rows, labels = labelled_rows(block, self.numbers)
            if not len(labels):
                continue
            weights = block.weights
            if weights is not None and len(labels) < len(block.lines):
                labels_there = block.labels
                assert labels_there is not None
                weights = weights[_present(labels_there)]
            if self._cache is not None and isinstance(rows, Dense):
                self._cache.close()
                self._cache = None  # arrays lie in memory as they are in their file
            if self._cache is not None:
                # The cache holds whole numbers and names; of others, their bits.
                bits = labels.view(np.int64) if self.numbers else labels
                self._cache.put(Lot(rows, bits, weights))
            yield Lot(rows, labels, weights)
        if self._cache is not None:
            self._cache.flush()
            self._whole = True


def _present(labels: Array) -> Array:
    return np.array([label is not None and label == label for label in labels.tolist()], bool)


def rows_together(lots: Iterable[Lot], n_bytes: int) -> Iterator[Lot]:
    """Yield larger lots, of about so many bytes of numbers."""
    waiting: list[Lot] = []
    size = 0
    for lot in lots:
        waiting.append(_copied(lot))
        size += 2 * waiting[-1].rows.values.nbytes
        if size >= n_bytes:
            yield _joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield _joined(waiting)


def _copied(lot: Lot) -> Lot:
    rows = lot.rows
    if isinstance(rows, Dense):
        copy: Rows = Dense(rows.values.copy())
    else:
        first, last = int(rows.indptr[0]), int(rows.indptr[-1])
        parts = rows.indices[first:last].copy(), rows.values[first:last].copy()
        copy = Sparse(rows.indptr - first, *parts)
    weights = None if lot.weights is None else lot.weights.copy()
    return Lot(copy, lot.labels.copy(), weights)


def _joined(lots: list[Lot]) -> Lot:
    labels = np.concatenate([lot.labels for lot in lots])
    weights = None
    if any(lot.weights is not None for lot in lots):
        given = [np.ones(len(t.labels)) if t.weights is None else t.weights for t in lots]
        weights = np.concatenate(given)
    if isinstance(lots[0].rows, Dense):
        return Lot(Dense(np.vstack([lot.rows.values for lot in lots])), labels, weights)
    shifts = np.cumsum([0, *(int(lot.rows.indptr[-1]) for lot in lots)])
    ends = [lot.rows.indptr[1:] + shift for lot, shift in zip(lots, shifts, strict=False)]
    rows = Sparse(
        np.concatenate([[0], *ends]).astype(np.int32),
        np.concatenate([lot.rows.indices for lot in lots]),
        np.concatenate([lot.rows.values for lot in lots]),
    )
    return Lot(rows, labels, weights)
