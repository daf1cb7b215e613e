"""NumPy's ``.npy``: rows of numbers, or pictures; the labels are in a file of their own."""

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.lib import format as npy

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, all_finite, frozen
from rosenblatt.readers.blocks import CONVERT, Block, DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.lines import whole_lines
from rosenblatt.readers.names import Names, Numbered
from rosenblatt.readers.sources import Stream, expand, open_stream

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_AHEAD = 1 << 26  # bytes of an array that lies column by column, that are read at once
MOST_ROWS = 4096
MOST_BYTES = 1 << 22
_MAGIC = b"\x93NUMPY"
_SHOW = "backslashreplace"


class Stored:
    """An array in a file. Nothing in it is unpickled.

    Attributes
    ----------
    shape : tuple of int
        Its shape.
    dtype : dtype
        The type of its numbers or strings.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._file = path.open("rb", buffering=0)
        try:
            self._read_header()
        except Exception as error:  # a header is Python code, and may be wrong in as many ways
            self._file.close()
            problem = f"the array cannot be read ({error}); save it with numpy.save, and no objects"
            raise DataError(name, None, None, " ".join(problem.split())) from None
        self._kept: tuple[int, Array] = 0, np.empty((0, 0))
        self._buffer = np.empty(0, self.dtype)

    def _read_header(self) -> None:
        version = npy.read_magic(self._file)
        if version not in _HEADERS:
            raise ValueError("it has names of columns")
        self.shape, by_columns, self.dtype = _HEADERS[version](self._file)
        if self.dtype.hasobject:
            raise ValueError("it holds objects")
        if min(self.shape, default=0) < 0:
            raise ValueError(f"its shape is {self.shape}")
        self._start = self._file.tell()
        self._by_columns = by_columns and len(self.shape) > 1
        needed = self._start + prod(self.shape) * self.dtype.itemsize
        size = self._file.seek(0, 2)
        if size < needed:
            raise ValueError(f"it has {size:,} bytes of {needed:,}")

    def rows(self, start: int, stop: int) -> Array:
        """Return rows of an array that has some; raise `DataError` if they are gone.

        They are valid until the next call.
        """
        stop = min(stop, self.shape[0])
        if not self._by_columns:
            rows = self._in_buffer((stop - start, *self.shape[1:]))
            self._fill(rows, start * prod(self.shape[1:]))
            return rows
        # Columns are far apart in the file: read many rows at once, so that seeks are few.
        first, kept = self._kept
        if not first <= start <= stop <= first + len(kept):
            width = prod(self.shape[1:]) * self.dtype.itemsize
            last = min(max(stop, start + _AHEAD // max(width, 1)), self.shape[0])
            first, kept = self._kept = start, self._columns(start, last)
        return kept[start - first : stop - first]

    def _columns(self, start: int, stop: int) -> Array:
        columns = self._in_buffer((prod(self.shape[1:]), stop - start))
        for number, column in enumerate(columns):
            self._fill(column, number * self.shape[0] + start)
        # The first side runs fastest, then the second: the last one is the outermost.
        return columns.reshape(*self.shape[:0:-1], stop - start).T

    def _in_buffer(self, shape: tuple[int, ...]) -> Array:
        """Return an array in a buffer that is used again: fresh memory costs as much as reading."""
        size = prod(shape)
        if size > len(self._buffer):
            self._buffer = np.empty(size, self.dtype)
        return self._buffer[:size].reshape(shape)

    def _fill(self, array: Array, first: int) -> None:
        """Fill an array with the items from this number on."""
        if not array.nbytes:
            return
        rest = array.reshape(-1).view(np.uint8).data
        self._file.seek(self._start + first * self.dtype.itemsize)
        while rest:
            got = self._file.readinto(rest)
            if not got:
                problem = "the file was cut off while it was read; try again when it is whole"
                raise DataError(self._name, None, None, problem)
            rest = rest[got:]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()


def blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of an array of shape (n, d), (n, h, w) or (n, h, w, c), each row flattened."""
    if not stream.peek(1):
        return
    if not stream.seekable:
        problem = "arrays (.npy) are read from disk: save the file there, unpacked, and name it"
        raise DataError(name, None, None, problem)
    assert stream.source.path is not None
    with Stored(stream.source.path, name) as stored:
        yield from _blocks(stored, stream, name, reading, names, errors)


def _blocks(
    X: Stored, stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    if X.dtype.kind not in "biuf" or not 2 <= len(X.shape) <= 4 or 0 in X.shape[1:]:
        problem = f"it has the shape {X.shape} and type {X.dtype}; rows must hold numbers"
        advice = "; one number a row is X.reshape(-1, 1)" if len(X.shape) == 1 else ""
        raise DataError(name, None, None, problem + advice)
    n, d = X.shape[0], prod(X.shape[1:])
    labels = None if reading.labels is None else read_labels(reading.labels, n, name)
    columns = _columns(names, d, name)
    dtype = np.dtype(reading.dtype)
    step = min(max(MOST_BYTES // (d * dtype.itemsize), 1), MOST_ROWS)
    for start in range(0, n, step):
        with np.errstate(over="ignore"):
            values = X.rows(start, start + step).astype(dtype, "C").reshape(-1, d)
        lines = np.arange(start + 1, start + len(values) + 1)
        good = _good(values, lines, name, errors)
        kept = None if labels is None else labels[start : start + step]
        if good is not None:
            values, lines = values[good], lines[good]
            kept = None if kept is None else kept[good]
        done = (stream.source.size or 0) * (start + step) // max(n, start + step)
        if len(lines):
            yield Block(_rows(values, columns), kept, None, name, lines, done)


def _columns(names: Names, d: int, file: str) -> Array | None:
    """Return the columns of the numbers in a row; None if these are all, in their order."""
    names.seen(d)
    if names.frozen and isinstance(names, Numbered) and names.n_features != d:
        problem = f"its rows have {d} numbers, and the model's have {names.n_features}"
        raise DataError(file, None, None, problem)
    if isinstance(names, Numbered):
        columns = np.arange(d)
    else:
        columns = names.columns([str(j) for j in range(d)])
    if (columns < 0).any():
        problem = f"its rows have {d} numbers, and the model knows {(columns >= 0).sum()} of them"
        raise DataError(file, None, None, problem)
    same = names.n_features == d and np.array_equal(columns, np.arange(d))
    return None if same else columns.astype(np.int32)


def _rows(values: Array, columns: Array | None) -> Rows:
    if columns is None:
        values.flags.writeable = False
        return Dense(values)
    n, d = values.shape
    indptr = (np.arange(n + 1) * d).astype(np.int32)
    return frozen(Sparse(indptr, np.tile(columns, n), values.ravel()))


def _good(values: Array, lines: Array, file: str, errors: ErrorLog) -> Array | None:
    """Return the rows of finite numbers, or None if all are such."""
    if all_finite(values):
        return None
    finite = np.isfinite(values)
    good = finite.all(axis=1)
    for row in np.flatnonzero(~good).tolist():
        column = int(np.flatnonzero(~finite[row])[0])
        problem = f"a number must be finite, and not too large for {values.dtype}"
        error = DataError(file, int(lines[row]), column + 1, problem, str(values[row, column]))
        errors.add(error)
    return np.flatnonzero(good)


def read_labels(labels: str, n: int, file: str) -> Array:
    """Read n labels: a ``.npy`` file with a vector of numbers or strings, or one label a line."""
    source = expand([labels])[0]
    with open_stream(source) as stream:
        if stream.peek(len(_MAGIC)) != _MAGIC:
            found = _label_lines(stream, source.name, n)
        elif not stream.seekable or source.path is None:
            problem = "arrays (.npy) are read from disk: save the file there, unpacked, and name it"
            raise DataError(source.name, None, None, problem)
        else:
            with Stored(source.path, source.name) as stored:
                found = _label_array(stored, source.name)
    if len(found) != n:
        problem = f"there are {len(found)} labels, and {file} has {n} rows"
        raise DataError(source.name, None, None, problem)
    return found


def _label_array(stored: Stored, file: str) -> Array:
    shape, kind = stored.shape, stored.dtype.kind
    if kind not in "biufUS" or len(shape) not in (1, 2) or prod(shape) != shape[0]:
        what = f"{stored.dtype} of shape {shape}"
        problem = f"labels must be a vector of numbers or strings, got {what}"
        raise DataError(file, None, None, problem)
    y = stored.rows(0, shape[0]).reshape(-1)
    if kind not in "US":
        numbers = y.astype(np.float64)
        if np.isinf(numbers).any():
            row = int(np.flatnonzero(np.isinf(numbers))[0]) + 1
            raise DataError(file, row, None, "a label must be finite")
        return numbers
    labels = y.tolist()
    if kind == "S":
        labels = [_word(label, file, row) for row, label in enumerate(labels, 1)]
    return np.array([label or None for label in labels], object)


def _word(label: bytes, file: str, line: int) -> str:
    try:
        return label.decode()
    except UnicodeDecodeError:
        problem, shown = f"a label must be UTF-8; {CONVERT}, found", label.decode(errors=_SHOW)
        raise DataError(file, line, None, problem, shown) from None


def _label_lines(stream: Stream, file: str, n: int) -> Array:
    """Read a label a line; they are numbers if all are."""
    lines: list[bytes] = []
    for _, text, _ in whole_lines(stream, file, ErrorLog()):
        lines += text.removesuffix(b"\n").split(b"\n")
        if len(lines) > n:
            raise DataError(file, n + 1, None, f"there are more labels than the {n} rows")
    words = [_word(line, file, number).strip() or None for number, line in enumerate(lines, 1)]
    if all(word is None or NUMBER.fullmatch(word) for word in words):
        return np.array([np.nan if word is None else float(word) for word in words], np.float64)
    return np.array(words, object)
