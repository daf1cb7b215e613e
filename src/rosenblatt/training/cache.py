"""Rows that were read once, kept in a temporary file for the passes after the first.

The file has no name, so nothing is left behind however the process ends. It holds the rows as the
learners want them, and so a pass costs little more than learning does.
"""

import errno
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Sparse, take
from rosenblatt.learners.blocks import in_background
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.reader import Reader, labelled, numbers_of
from rosenblatt.training.shuffling import Batch, Place, generator, joined, shuffled

_SIZE = 1 << 22  # bytes of a block, so that little time goes into changing over


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
        self._waiting: list[Batch] = []
        self._bytes = self._end = 0
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (it lives as long as this)

    def put(self, batch: Batch) -> None:
        """Append rows. They are copied."""
        labels = batch.labels
        if labels.dtype.kind == "O":
            self.named = True
            codes = [self.words.setdefault(label, len(self.words)) for label in labels.tolist()]
            labels = np.array(codes, np.int64)
        copy = batch._replace(labels=labels).copy()
        self._waiting.append(copy)
        self._bytes += 8 * len(copy.rows.indices) + 24 * len(labels)
        if self._bytes >= _SIZE:
            self.flush()

    def flush(self) -> None:
        """Write down what is waiting."""
        if not self._waiting:
            return
        batch = joined(self._waiting)
        self._waiting, self._bytes = [], 0
        rows, weighted = batch.rows, batch.weights is not None
        place = _Place(self._end, len(batch.labels), len(rows.indices), weighted)
        self.places.append(place)
        weights = [batch.weights] if batch.weights is not None else []
        # Numbers of 8 bytes first, so that each lies where the processor wants it.
        for part in (batch.labels, *weights, rows.values, rows.indptr, rows.indices):
            self._write(part)

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

    def __iter__(self) -> Iterator[Batch]:
        """Yield the rows in order, each batch valid until the next is asked for."""
        return self.blocks(range(len(self.places)))

    def blocks(self, order: Sequence[int]) -> Iterator[Batch]:
        """Yield the blocks in an order, each valid until the next is asked for."""
        names = np.array(list(self.words), object)
        # Large enough for all: one that grows while its last content is in use would be an error.
        size = max((self._sizes(place)[1] for place in self.places), default=0)
        buffers = [bytearray(size), bytearray(size)]
        coming = None
        for number in range(len(self.places)):
            # To hand over a short file's only block to a thread takes longer than to read it.
            batch = self._read(order[0], buffers[0]) if coming is None else coming.result()
            if number + 1 < len(self.places):
                coming = in_background(self._read, order[number + 1], buffers[(number + 1) % 2])
            yield batch._replace(labels=names[batch.labels]) if self.named else batch

    def _read(self, number: int, buffer: bytearray) -> Batch:
        place = self.places[number]
        ends, size = self._sizes(place)
        view, done = memoryview(buffer)[:size], 0
        while done < size:
            got = os.preadv(self._file.fileno(), [view[done:]], place.start + done)
            if not got:
                raise OSError("the temporary file for later passes was cut off")
            done += got
        kinds = (np.int64, np.float64, self.dtype, np.int32, np.int32)
        parts: list[Array] = []
        for kind, start, stop in zip(kinds, ends, ends[1:], strict=False):
            part = np.frombuffer(view[start:stop], kind)
            part.flags.writeable = False
            parts.append(part)
        labels, weights, values, indptr, indices = parts
        return Batch(Sparse(indptr, indices, values), labels, weights if place.weighted else None)

    def _sizes(self, place: _Place) -> tuple[list[int], int]:
        """Return where the arrays of a block end, the first beginning at 0, and its size."""
        sizes = [8 * place.rows, 8 * place.rows * place.weighted]
        sizes += [self.dtype.itemsize * place.numbers, 4 * (place.rows + 1), 4 * place.numbers]
        ends = np.cumsum([0, *sizes]).tolist()
        return ends, ends[-1]

    def close(self) -> None:
        """Give the space back."""
        self._file.close()


class Batches:
    """The rows of files that have a label, as often as they are iterated over.

    Parameters
    ----------
    reader : Reader
        The files.
    cache : bool
        Keep the rows in a temporary file, rather than read the files again.
    numbers : bool
        Labels are numbers to predict, not classes.
    shuffle : int or None
        A seed for another order of the rows in each iteration: see `rosenblatt.training.shuffling`.

    Attributes
    ----------
    done : float or None
        The share of the pass that is over, if that is known.
    here : (Place, int) or None
        What finds the line of a row of the last batch, and the rows before it; None if from the
        cache.
    passes : int
        How often the rows were iterated over; set it to continue with the orders after so many.
    """

    def __init__(
        self, reader: Reader, *, cache: bool, numbers: bool = False, shuffle: int | None = None
    ) -> None:
        self.reader, self.numbers, self.shuffle = reader, numbers, shuffle
        self.done: float | None = None
        self.here: tuple[Place, int] | None = None
        self.passes = 0
        self._cached = cache
        self._cache: Cache | None = None
        self._whole = False  # whether the cache has all rows

    def close(self) -> None:
        """Close the files, and give the space of the cache back."""
        self.reader.close()
        self._forget()

    def _forget(self) -> None:
        if self._cache is not None:
            self._cache.close()
        self._cache = None

    def __iter__(self) -> Iterator[Batch]:
        """Yield the rows in order, each batch valid until the next is asked for."""
        if self.shuffle is None:
            yield from self._batches(None)
        else:
            rng = generator(self.shuffle, self.passes)
            before = 0
            for batch, place in shuffled(self._placed(rng), rng):
                self.here, before = (place, before), before + len(batch.labels)
                yield batch
        self.passes += 1

    def _placed(self, rng: np.random.Generator) -> Iterator[tuple[Batch, Place | None]]:
        for batch in self._batches(rng):
            yield batch, self.here and self.here[0]

    def _batches(self, rng: np.random.Generator | None) -> Iterator[Batch]:
        if self._whole and self._cache is not None:
            yield from self._from_cache(self._cache, rng)
            return
        self._forget()
        if self._cached:
            self._cache = Cache(self.reader.reading.dtype)
        total, before = self.reader.total, 0
        for block in self.reader:
            batch = labelled_batch(block, self.numbers)
            n = len(batch.labels)
            self.here, before = (_finder(block, self.numbers), before), before + n
            if not n:
                continue
            if isinstance(batch.rows, Dense):
                self._cached = False  # arrays lie in memory as they are in their file
                self._forget()
            if self._cache is not None:
                # The cache holds whole numbers and names; of others, their bits.
                bits = batch.labels.view(np.int64) if self.numbers else batch.labels
                self._cache.put(batch._replace(labels=bits))
            self.done = block.done / total if total else None
            yield batch
        if self._cache is not None:
            self._cache.flush()
            self._whole = True

    def _from_cache(self, cache: Cache, rng: np.random.Generator | None) -> Iterator[Batch]:
        self.here, rows, n = None, 0, sum(place.rows for place in cache.places)
        blocks = np.arange(len(cache.places)) if rng is None else rng.permutation(len(cache.places))
        for batch in cache.blocks(blocks.tolist()):
            rows += len(batch.labels)
            self.done = rows / n
            yield batch._replace(labels=batch.labels.view(np.float64)) if self.numbers else batch


def _finder(block: Block, numbers: bool) -> Place:
    """Return what finds the line of a row of a block that has a label."""

    def find(row: int) -> tuple[str, int]:
        have, _ = numbers_of(block) if numbers else labelled(block)
        return block.file, int(block.lines[have[row]])

    return find


def labelled_batch(block: Block, numbers: bool = False) -> Batch:
    """Return the rows of a block that have a label: a class, or a number to predict."""
    have, labels = numbers_of(block) if numbers else labelled(block)
    if len(have) == len(block.lines):
        return Batch(block.rows, labels, block.weights)
    weights = None if block.weights is None else block.weights[have]
    return Batch(take(block.rows, have), labels, weights)


def larger_batches(batches: Iterable[Batch], n_bytes: int) -> Iterator[Batch]:
    """Yield larger batches, of about so many bytes of numbers."""
    waiting: list[Batch] = []
    size = 0
    for batch in batches:
        waiting.append(batch.copy())
        size += 2 * waiting[-1].rows.values.nbytes
        if size >= n_bytes:
            yield joined(waiting)
            waiting, size = [], 0
    if waiting:
        yield joined(waiting)
