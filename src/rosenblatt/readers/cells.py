"""Columns of cells as numbers, dates or categories, as their `ColumnType` says."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import NamedTuple, Protocol, Self, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import BlockBuilder
from rosenblatt.readers.column_detection import (
    STYLES,
    date_pattern,
    decide_cells,
    decide_numbers,
    is_date,
    is_styled,
)
from rosenblatt.readers.column_types import (
    CATEGORY,
    DATE,
    DATES,
    DECIMAL_COMMA,
    NUMBER,
    ColumnType,
)
from rosenblatt.readers.formats import NUMBER as PLAIN

MISSING_LABELS = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
# In lower case. Those of labels are fewer: a class may be called "-".
MISSING = frozenset(("", "na", "n/a", "n.a.", "#n/a", "nan", "null", "none", "?", "-", "--", "."))
_ALL_MISSING = tuple(
    sorted(
        {
            form
            for word in (*MISSING_LABELS, *MISSING)
            for form in (word, word.upper(), word.title())
        }
    )
)
_NOT_IN_NUMBERS = re.compile(r"[^\d.,+-]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH = date(1970, 1, 1).toordinal()
_TRUTH = {"true": 1.0, "false": 0.0, "inf": np.inf, "infinity": np.inf}


class Categories(NamedTuple):
    """A column of strings: the place of each row's string among the different ones, or −1."""

    codes: Array
    values: list[str]


# Numbers are float64, NaN where there is none; a column without any value is None.
Column: TypeAlias = "Array | Categories | None"


class Cells(Protocol):
    """The cells of a column in some records; see `ArrowCells` and `PlainCells`."""

    def __len__(self) -> int:
        """How many there are."""

    @property
    def null_count(self) -> int:
        """How many are empty."""

    def floats(self) -> Array | None:
        """Return them as numbers, NaN where they are empty; None if one is something else."""

    def without(self, words: Sequence[str]) -> Self:
        """Return them without spaces around them; those that are one of some words are empty."""

    def distinct(self) -> tuple[Array, list[str]]:
        """Return the place of each among the different ones, −1 where it is empty; and these."""

    def letters(self) -> tuple[Array, Array]:
        """Return where each starts and where the last ends, and the bytes of all."""

    def matching(self, pattern: str) -> Iterator[tuple[int, str]]:
        """Yield the cells in which a pattern is found, and their rows."""


class OddRecord(NamedTuple):
    """A record with too many or too few cells: its number, from 0 on, their number and its text."""

    number: int
    found: int
    text: str


class Split(NamedTuple):
    """Records as columns of cells: how many records are in these, and those that do not fit."""

    columns: Mapping[int, Cells]
    rows: int
    odd: list[OddRecord]


class SplitError(ValueError):
    """Records that cannot be split."""


class TextColumn:
    """A column of cells. Its first rows with a value decide whether it holds numbers."""

    def __init__(self, name: str, separator: str = ",", first: bool = False) -> None:
        self.name, self.separator, self.first = name, separator, first
        self.numeric: bool | None = None

    def guess(self, cells: Cells, builder: BlockBuilder) -> Column:
        """Return the numbers or strings of cells; a column of numbers stays one."""
        if self.numeric is not False:
            numbers, bad = self._numbers(cells)
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
        return self._categories(cells)

    def decide(self, cells: Cells, label: bool = False, keep: bool = False) -> ColumnType | None:
        """Return what the column holds, by some of its cells; None if all of these are empty.

        Labels are numbers only if all are. With ``keep`` the column is neither ignored nor cut into
        words.
        """
        if label:
            numbers, bad = self._numbers(cells)
            none = not bad and np.isnan(numbers).all()
            return None if none else ColumnType(self.name, CATEGORY if bad else NUMBER)
        if (found := cells.floats()) is None:
            return decided(self._known(cells), self.name, self.separator != ",", keep)
        numbers = found[np.isfinite(found)]
        return decide_numbers(self.name, numbers, self.first, keep) if len(numbers) else None

    def read(
        self, cells: Cells, kind: ColumnType, builder: BlockBuilder, label: bool = False
    ) -> Column:
        """Return the numbers or strings of cells, which are of this type."""
        if kind.kind == CATEGORY:
            return self._categories(cells) if label else self._known(cells)
        if kind.kind == DATE or kind.style or kind.word:
            numbers, bad = as_numbers(self._known(cells), parser_of(kind))
        else:
            numbers, bad = self._numbers(cells, MISSING_LABELS if label else _ALL_MISSING)
        for row, text in bad.items():
            if label or text.lower() not in MISSING:  # such as "nA"
                builder.reject(row, unlike_the_others(kind, label), text)
        return without_code(numbers, kind)

    def texts(self, cells: Cells) -> tuple[Array, Array]:
        """Return where each cell starts and where the last ends, and the bytes of all."""
        return cells.letters()

    def _known(self, cells: Cells) -> Categories:
        """Return the cells that are not missing."""
        return without_missing(self._categories(cells))

    def _numbers(
        self, cells: Cells, words: Sequence[str] = MISSING_LABELS
    ) -> tuple[Array, dict[int, str]]:
        """Return cells as numbers, NaN where there is none; and those that are something else."""
        if (numbers := cells.floats()) is not None:
            return numbers, {}
        cells = cells.without(words)
        if (numbers := cells.floats()) is not None:
            return numbers, {}
        return as_numbers(self._categories(cells))

    def _categories(self, cells: Cells) -> Categories:
        codes, found = cells.distinct()
        # Spaces around a cell do not count, as files with ", " between the cells are common.
        values = [value.strip() for value in found]
        if "" in values:
            codes = np.where(np.array([*map(bool, values), False])[codes], codes, -1)
        return Categories(codes, values)


def as_numbers(
    column: Categories, parse: Callable[[str], float | None] | None = None
) -> tuple[Array, dict[int, str]]:
    """Return strings as numbers, NaN where there is none; and those that are something else."""
    found = [(parse or _number)(value) for value in column.values]
    numbers = np.array([*(np.nan if v is None else v for v in found), np.nan])[column.codes]
    odd = np.array([*(v is None for v in found), False])[column.codes]
    rows = np.flatnonzero(odd).tolist()
    return numbers, {row: column.values[column.codes[row]] for row in rows}


def as_categories(numbers: Array) -> Categories:
    """Return numbers as strings, as a table of text has them."""
    found, codes = np.unique(numbers[numbers == numbers], return_inverse=True)
    each = np.full(len(numbers), -1, np.int64)
    each[numbers == numbers] = codes
    return Categories(each, [category_of(value) for value in found.tolist()])


def category_of(number: float) -> str:
    """Return a number as a string, as a table of text has it."""
    return str(int(number)) if np.isfinite(number) and number == int(number) else str(number)


def decided(column: Categories, name: str, decimal_comma: bool, keep: bool) -> ColumnType | None:
    """Return what a column of strings holds; None if all are missing."""
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.values))
    if not counts.any():
        return None
    return decide_cells(
        name, column.values, counts, _number, keep=keep, decimal_comma=decimal_comma
    )


def without_missing(column: Categories) -> Categories:
    """Leave out the words for a missing value, such as NA."""
    codes, values = column
    there = [value.lower() not in MISSING for value in values]
    if all(there):
        return column
    places = np.append(np.where(there, np.cumsum(there) - 1, -1), -1)
    return Categories(
        places[codes], [v for v, is_there in zip(values, there, strict=True) if is_there]
    )


def without_code(numbers: Array, kind: ColumnType) -> Array:
    """Leave out the number that stands for a missing value."""
    return numbers if kind.code is None else np.where(numbers == kind.code, np.nan, numbers)


def parser_of(kind: ColumnType) -> Callable[[str], float | None]:
    """Return what finds the number in a cell of a column of numbers or dates; None if it is none.

    Numbers may have signs, thousands separators or a decimal comma. Dates are days since 1970; ISO
    dates, which cannot be mistaken for others, may be in any column of dates. The word of the
    column for a missing value is NaN.
    """
    if kind.word:
        rest, word = parser_of(kind._replace(word="")), kind.word.lower()
        return lambda cell: np.nan if cell.lower() == word else rest(cell)
    if kind.kind == DATE:
        iso, own = _days_in(DATES[0]), _days_in(kind.style or DATES[0])
        return lambda cell: iso(cell) if (days := own(cell)) is None else days
    if not kind.style:
        return _number
    fits, thousands = is_styled(kind.style), STYLES[kind.style][1]

    def parse(cell: str) -> float | None:
        if not fits(cell):
            return _number(cell)
        digits = _NOT_IN_NUMBERS.sub("", cell.replace(thousands, ""))
        return _number(digits.replace(DECIMAL_COMMA, "."))

    return parse


def _days_in(style: str) -> Callable[[str], float | None]:
    pattern, order = re.compile(date_pattern(style)), re.findall("%(.)", style)

    def parse(cell: str) -> float | None:
        if not is_date(cell, pattern, style):
            return None
        found = pattern.fullmatch(cell)
        assert found is not None
        parts = dict(zip(order, re.findall(r"\d+|[A-Za-z]+", found[1]), strict=True))
        year = int(parts["Y"]) if "Y" in parts else _year(int(parts["y"]))
        name = parts.get("b", "").lower()
        if not year or (name and name not in _MONTHS):
            return None
        month = _MONTHS.index(name) + 1 if name else int(parts["m"])
        # 30 February is 1 March.
        days = date(year, month, 1).toordinal() - _EPOCH + int(parts["d"]) - 1
        return days + _seconds(found) / 86_400

    return parse


def days_of(moment: "date | np.datetime64") -> float:
    """Return a date as days since 1970, with the time of day as its clock shows it."""
    if isinstance(moment, np.datetime64):
        return float((moment - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    days = float(moment.toordinal() - _EPOCH)
    if not isinstance(moment, datetime):
        return days
    seconds = 3600 * moment.hour + 60 * moment.minute + moment.second + moment.microsecond / 1e6
    return days + seconds / 86_400


def _year(two_digits: int) -> int:
    return two_digits + (1900 if two_digits >= 69 else 2000)  # as POSIX has it


def _seconds(part: re.Match[str]) -> float:
    """Return the time of day."""
    hour, minute, second, half = part.groups()[1:]
    if hour is None:
        return 0.0
    hours = int(hour) if not half else int(hour) % 12 + 12 * (half.lower() == "pm")
    return 3600 * hours + 60 * int(minute) + float(second or 0)


def unlike_the_others(kind: ColumnType, label: bool = False) -> str:
    """Say what to do about a cell that is not a number, or not a date."""
    if label:
        return f"the labels in column {kind.name!r} are numbers; correct it, or drop the row; found"
    what = "dates" if kind.kind == DATE else "numbers"
    return (
        f"column {kind.name!r} holds {what}, and this is something else; correct it, or skip such "
        f"rows (--on-error skip); if they are codes, train with --category {kind.name}; found"
    )


def _number(cell: str) -> float | None:
    """Return a cell's number, if it is one; true is 1 and false is 0."""
    if PLAIN.fullmatch(cell):
        return float(cell)
    sign = -1.0 if cell.startswith("-") else 1.0
    word = cell.lstrip("+-").lower() if cell[:2] not in ("+-", "-+", "--", "++") else cell
    truth = _TRUTH.get(word)
    return None if truth is None else sign * truth
