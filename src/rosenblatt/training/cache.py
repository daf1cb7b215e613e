"""Rows that were read once, kept in a temporary file for the passes after the first.

The file has no name, so nothing is left behind however the process ends. It holds the rows as the
learners want them, and so a pass costs little more than learning does.
"""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse
from rosenblatt.evaluation.files import labelled_rows
from rosenblatt.learners.blocks import in_background
from rosenblatt.readers.reader import CountingReader

_SIZE = 1 << 22  # bytes of a block, so that little time goes into changing over


class Lot(NamedTuple):
    """Rows with labels, and weights where they have such: what is learned from at once."""

    rows: Any
    labels: Array
    weights: Array | None


class _Place(NamedTuple):
    """Where a block lies in the file: its rows, its numbers, and the types of its arrays."""

    start: int
    rows: int
    numbers: int
    weighted: bool


class Cache:
    """Sparse rows in a temporary file, in the order they were put there."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.places: list[_Place] = []
        self.words: dict[str, int] = {}
        self.named = False
        self._waiting: list[Lot] = []
        self._bytes = self._end = 0
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (it lives as long as this)

    def put(self, lot: Lot) -> None:
        """Append rows. They are copied."""
        labels = lot.labels
        if labels.dtype.kind == "O":
            self.named = True
            codes = [self.words.setdefault(label, len(self.words)) for label in labels.tolist()]
            labels = np.array(codes, np.int64)
        indptr, indices, values = lot.rows
        first, last = int(indptr[0]), int(indptr[-1])
        rows = Sparse((indptr - indptr[0]).astype(np.int64), *_copies(indices, values, first, last))
        weights = None if lot.weights is None else lot.weights.copy()
        self._waiting.append(Lot(rows, labels.copy(), weights))
        self._bytes += 8 * (last - first) + 24 * len(labels)
        if self._bytes >= _SIZE:
            self.flush()

    def flush(self) -> None:
        """Write down what is waiting."""
        if not self._waiting:
            return
        lots, self._waiting, self._bytes = self._waiting, [], 0
        shifts = np.cumsum([0, *(int(lot.rows.indptr[-1]) for lot in lots)])
        indptr = [lot.rows.indptr[1:] + shift for lot, shift in zip(lots, shifts, strict=False)]
        weighted = any(lot.weights is not None for lot in lots)
        labels = np.concatenate([lot.labels for lot in lots])
        parts = [labels, np.concatenate([[0], *indptr]).astype(np.int32)]
        if weighted:
            ones = [np.ones(len(lot.labels)) for lot in lots]
            given = [lot.weights for lot in lots]
            parts.insert(
                1, np.concatenate([o if g is None else g for o, g in zip(ones, given, strict=True)])
            )
        self.places.append(_Place(self._end, len(labels), int(shifts[-1]), weighted))
        for part in parts:
            self._write(part)
        for name in ("indices", "values"):
            for lot in lots:
                self._write(getattr(lot.rows, name))

    def _write(self, array: Array) -> None:
        view = array.data.cast("B")
        while len(view):
            try:
                done = os.write(self._file.fileno(), view)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                raise OSError(
                    f"no space left in {tempfile.gettempdir()} for what later passes need; make "
                    "some, set TMPDIR to another folder, or learn with --no-cache"
                ) from None
            view, self._end = view[done:], self._end + done

    def __iter__(self) -> Iterator[Lot]:
        """Yield the rows in order, each lot valid until the next is asked for."""
        names = np.array(list(self.words), object)
        # Large enough for all: one that grows while its last content is in use would be an error.
        size = max((self._sizes(place)[1] for place in self.places), default=0)
        rooms = [bytearray(size), bytearray(size)]
        coming = in_background(self._read, 0, rooms[0]) if self.places else None
        for number in range(len(self.places)):
            assert coming is not None
            lot = coming.result()
            if number + 1 < len(self.places):
                coming = in_background(self._read, number + 1, rooms[(number + 1) % 2])
            yield lot._replace(labels=names[lot.labels]) if self.named else lot

    def _read(self, number: int, room: bytearray) -> Lot:
        place = self.places[number]
        ends, size = self._sizes(place)
        view, done = memoryview(room)[:size], 0
        while done < size:
            got = os.preadv(self._file.fileno(), [view[done:]], place.start + done)
            if not got:
                raise OSError("the temporary file for later passes was cut off")
            done += got
        kinds = (np.int64, np.float64, np.int32, np.int32, self.dtype)
        parts: list[Array] = []
        for kind, start, stop in zip(kinds, ends, ends[1:], strict=False):
            part = np.frombuffer(view[start:stop], kind)
            part.flags.writeable = False
            parts.append(part)
        labels, weights, *rows = parts
        return Lot(Sparse(*rows), labels, weights if place.weighted else None)

    def _sizes(self, place: _Place) -> tuple[list[int], int]:
        """Return where the arrays of a block end, the first beginning at 0, and its size."""
        sizes = [8 * place.rows, 8 * place.rows * place.weighted, 4 * (place.rows + 1)]
        sizes += [4 * place.numbers, self.dtype.itemsize * place.numbers]
        ends = np.cumsum([0, *sizes]).tolist()
        return ends, ends[-1]

    def close(self) -> None:
        """Give the space back."""
        self._file.close()


def _copies(indices: Array, values: Array, first: int, last: int) -> tuple[Array, Array]:
    return indices[first:last].copy(), values[first:last].copy()


class Lots:
    """The rows of files that have a label, as often as they are iterated over.

    Parameters
    ----------
    reader : CountingReader
        The files.
    cache : bool
        Keep the rows in a temporary file, rather than read the files again.
    numbers : bool
        Labels are numbers to predict, not classes.
    """

    def __init__(self, reader: CountingReader, *, cache: bool, numbers: bool = False) -> None:
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
