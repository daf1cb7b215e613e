"""Cells of CSV files without pyarrow: for small files, which are read in less time than it loads.

This also reads files of any size where pyarrow is not installed. It returns the same as
`arrow_cells`, bit for bit, and the tests compare the two.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, Self, TypeVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.cells import OddRecord, Split
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.names import joined

_T = TypeVar("_T")
_BOM = "\ufeff"
_LIMIT = Lock()
# `float` and pyarrow accept the same cells if these have no other characters.
_DIGITS = re.compile(r"[-+.0-9eE]*")
# All numbers that pyarrow accepts: no spaces, no underscores, no digits of other scripts.
_NUMBER = re.compile(
    rf"{NUMBER.pattern}|[-+]?(?:inf|infinity|nan(?:\(\w*\))?)", re.ASCII | re.IGNORECASE
)


def split(text: bytes, separator: str, n: int, used: Sequence[int]) -> Split:
    """Split whole records, which should have n cells each, into columns of cells."""
    letters = text.decode().removeprefix(_BOM)  # which pyarrow skips, too
    rows = [row for row in _parsed(letters, separator, list) if row]  # blank lines have no cells
    odd: list[OddRecord] = []
    if {*map(len, rows)} - {n}:
        odd = list(_odd(letters, separator, n))
        rows = [row for row in rows if len(row) == n]
    columns = list(zip(*rows, strict=True)) if rows else [()] * n
    return Split({k: PlainCells(columns[k]) for k in used}, len(rows), odd)


def _parsed(text: str, separator: str, collect: Callable[[Any], _T]) -> _T:
    """Return what is collected from a reader of Python's own module."""

    def result() -> _T:
        return collect(csv.reader(io.StringIO(text, newline=""), delimiter=separator))

    try:
        return result()
    except csv.Error:  # a cell is longer than the limit, which can only be set for all readers
        with _LIMIT:
            before = csv.field_size_limit(len(text))
            try:
                return result()
            finally:
                csv.field_size_limit(before)


def _odd(text: str, separator: str, n: int) -> Iterator[OddRecord]:
    """Yield the records that do not have n cells."""
    lines, start, number = list(io.StringIO(text, newline="")), 0, 0
    ends = _parsed(text, separator, lambda reader: [(len(row), reader.line_num) for row in reader])
    for found, stop in ends:
        if found not in (0, n):
            record = "".join(lines[start:stop])
            yield OddRecord(number, found, record.removesuffix("\n").removesuffix("\r"))
        number += found > 0
        start = stop


class PlainCells:
    """The cells of a column in some records, as Python's strings."""

    def __init__(self, cells: Sequence[str]) -> None:
        self._cells = cells

    def __len__(self) -> int:
        """How many there are."""
        return len(self._cells)

    @property
    def null_count(self) -> int:
        """How many are empty."""
        return self._cells.count("")

    def floats(self) -> Array | None:
        """Return them as numbers, NaN where they are empty; None if one is something else."""
        return self._floats

    @cached_property
    def _floats(self) -> Array | None:
        cells = self._cells
        if not _DIGITS.fullmatch("".join(cells)):
            if not all(_NUMBER.fullmatch(cell) for cell in cells if cell):
                return None
            cells = [cell.partition("(")[0] for cell in cells]  # nan(1) is NaN
        try:
            numbers = np.array([float(cell or "nan") for cell in cells], float)
        except ValueError:
            return None
        numbers.flags.writeable = False
        return numbers

    def without(self, words: Sequence[str]) -> Self:
        """Return them without spaces around them; those that are one of some words are empty."""
        known = frozenset(words)
        trimmed = map(str.strip, self._cells)
        return type(self)(["" if cell in known else cell for cell in trimmed])

    def distinct(self) -> tuple[Array, list[str]]:
        """Return the place of each among the different ones, −1 where it is empty; and these."""
        values = [cell for cell in dict.fromkeys(self._cells) if cell]
        places = {"": -1, **{value: place for place, value in enumerate(values)}}
        codes = np.fromiter(map(places.__getitem__, self._cells), np.int32, len(self._cells))
        return codes, values

    def letters(self) -> tuple[Array, Array]:
        """Return where each starts and where the last ends, and the bytes of all."""
        letters, ends = joined(self._cells)
        offsets = np.concatenate([np.zeros(1, np.int64), ends])
        offsets.flags.writeable = False  # as pyarrow's are: nothing is compiled twice
        return offsets, letters

    def matching(self, pattern: str) -> Iterator[tuple[int, str]]:
        """Yield the cells in which a pattern is found, and their rows."""
        search = re.compile(pattern).search
        return ((row, cell) for row, cell in enumerate(self._cells) if search(cell))
