"""Columns of cells as numbers, dates or categories, as their `ColumnType` says."""

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import BlockBuilder
from rosenblatt.readers.column_types import CATEGORY, NUMBER, ColumnType
from rosenblatt.readers.formats import NUMBER as PLAIN
from rosenblatt.readers.sources import arrow

_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
_TRUTH = {"true": 1.0, "false": 0.0, "inf": np.inf, "infinity": np.inf}


class Categories(NamedTuple):
    """A column of strings: the place of each row's string among the different ones, or −1."""

    codes: Array
    values: list[str]


# Numbers are float64, NaN where there is none; a column without any value is None.
Column: TypeAlias = "Array | Categories | None"


class TextColumn:
    """A column of cells. Its first rows with a value decide whether it holds numbers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numeric: bool | None = None
        self.pyarrow, self.compute = arrow("CSV"), arrow("CSV", ".compute")

    def guess(self, array: Any, builder: BlockBuilder) -> Column:
        """Return the numbers or strings of an array; a column of numbers stays one."""
        if self.numeric is not False:
            numbers, bad = self._numbers(array)
            if self.numeric is None and not bad and not np.isnan(numbers).all():
                self.numeric = True
            if self.numeric:
                problem = f"column {self.name!r} held numbers so far; drop it, or read it as text"
                for row, text in bad.items():
                    builder.reject(row, problem, text)
                return numbers
            if self.numeric is None and not bad:
                return None
            self.numeric = False
        return self._categories(array)

    def decide(self, array: Any) -> ColumnType | None:
        """Return what the column holds, by some of its cells; None if all of these are empty."""
        numbers, bad = self._numbers(array)
        if not bad and np.isnan(numbers).all():
            return None
        return ColumnType(self.name, CATEGORY if bad else NUMBER)

    def read(self, array: Any, kind: ColumnType, builder: BlockBuilder) -> Column:
        """Return the numbers or strings of an array, which is of this type."""
        if kind.kind == CATEGORY:
            return self._categories(array)
        numbers, bad = self._numbers(array)
        for row, text in bad.items():
            builder.reject(row, not_a_number(self.name), text)
        return numbers

    def _numbers(self, array: Any) -> tuple[Array, dict[int, str]]:
        """Return cells as numbers, NaN where there is none; and those that are something else."""
        try:
            return self._floats(array), {}
        except self.pyarrow.ArrowInvalid:
            array = self.compute.utf8_trim_whitespace(array)
        missing = self.compute.is_in(array, self.pyarrow.array(_MISSING))
        array = self.compute.if_else(missing, self.pyarrow.scalar(None, array.type), array)
        try:
            return self._floats(array), {}
        except self.pyarrow.ArrowInvalid:
            return as_numbers(self._categories(array))

    def _floats(self, array: Any) -> Array:
        numbers = self.compute.cast(array, self.pyarrow.float64())
        return np.asarray(numbers.to_numpy(zero_copy_only=False))

    def _categories(self, array: Any) -> Categories:
        encoded = array.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy()
        # Spaces around a cell do not count, as files with ", " between the cells are common.
        values = [value.strip() for value in encoded.dictionary.to_pylist()]
        if "" in values:
            codes = np.where(np.array([*map(bool, values), False])[codes], codes, -1)
        return Categories(codes, values)


def as_numbers(column: Categories) -> tuple[Array, dict[int, str]]:
    """Return strings as numbers, NaN where there is none; and those that are something else."""
    found = [_number(value) for value in column.values]
    numbers = np.array([*(np.nan if v is None else v for v in found), np.nan])[column.codes]
    odd = np.array([*(v is None for v in found), False])[column.codes]
    rows = np.flatnonzero(odd).tolist()
    return numbers, {row: column.values[column.codes[row]] for row in rows}


def as_categories(numbers: Array) -> Categories:
    """Return numbers as strings, as a table of text has them."""
    found, codes = np.unique(numbers[numbers == numbers], return_inverse=True)
    each = np.full(len(numbers), -1, np.int64)
    each[numbers == numbers] = codes
    whole = [value == int(value) if np.isfinite(value) else False for value in found.tolist()]
    values = zip(found.tolist(), whole, strict=True)
    return Categories(each, [str(int(v)) if is_whole else str(v) for v, is_whole in values])


def not_a_number(name: str) -> str:
    """Say what to do about a cell that is not a number."""
    return (
        f"column {name!r} holds numbers, and this is not one; correct it, or leave out such rows "
        f"(--on-error skip) or the column (--drop {name}); found"
    )


def _number(cell: str) -> float | None:
    """Return a cell's number, if it is one; true is 1 and false is 0."""
    if PLAIN.fullmatch(cell):
        return float(cell)
    sign = -1.0 if cell.startswith("-") else 1.0
    word = cell.lstrip("+-").lower() if cell[:2] not in ("+-", "-+", "--", "++") else cell
    truth = _TRUTH.get(word)
    return None if truth is None else sign * truth
