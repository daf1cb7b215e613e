"""NumPy's ``.npy`` files, read some rows at a time.

They are not mapped into memory: a file that somebody cuts off while it is mapped ends the process.
"""

from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.lib import format as npy

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import DataError

_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_AHEAD = 1 << 26  # bytes of an array that lies column by column, that are read at once


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
        self._room = np.empty(0, self.dtype)

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

        They are valid until others are asked for.
        """
        stop = min(stop, self.shape[0])
        if not self._by_columns:
            rows = self._in_room((stop - start, *self.shape[1:]))
            self._fill(rows, start * prod(self.shape[1:]))
            return rows
        # Each column is somewhere else: so many rows at once that little time goes into jumping.
        first, kept = self._kept
        if not first <= start <= stop <= first + len(kept):
            width = prod(self.shape[1:]) * self.dtype.itemsize
            last = min(max(stop, start + _AHEAD // max(width, 1)), self.shape[0])
            first, kept = self._kept = start, self._columns(start, last)
        return kept[start - first : stop - first]

    def _columns(self, start: int, stop: int) -> Array:
        columns = self._in_room((prod(self.shape[1:]), stop - start))
        for number, column in enumerate(columns):
            self._fill(column, number * self.shape[0] + start)
        # The first side runs fastest, then the second: the last one is the outermost.
        return columns.reshape(*self.shape[:0:-1], stop - start).T

    def _in_room(self, shape: tuple[int, ...]) -> Array:
        """Return an array in memory that is used again: fresh memory costs as much as reading."""
        size = prod(shape)
        if size > len(self._room):
            self._room = np.empty(size, self.dtype)
        return self._room[:size].reshape(shape)

    def _fill(self, array: Array, first: int) -> None:
        """Read what an array has room for, from the item of this number on."""
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
