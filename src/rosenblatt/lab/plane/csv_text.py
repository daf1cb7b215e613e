"""CSV text in memory as a table of cells, with limits: it comes from strangers."""

import csv
import re
from collections.abc import Iterator
from contextlib import suppress
from io import StringIO
from itertools import islice
from typing import Any, NamedTuple

LONGEST = 2_000_000  # letters
COLUMNS = 200
SEPARATORS = (",", ";", "\t")
_COMMA = re.compile(r"^(\s*[+-]?\d*),(\d+(?:[eE][+-]?\d+)?\s*)$")
_SOME, _START = 20, 100_000  # rows, and letters, that tell the separator


class Table(NamedTuple):
    """Names of columns, rows of cells, and the line of the text in which each row ends."""

    names: list[str]
    rows: list[list[str]]
    lines: list[int]


def read_table(text: Any) -> Table:
    """Read CSV text: commas, semicolons or tabs; with names in the first row, or without."""
    if not isinstance(text, str):
        raise ValueError("a file of CSV text is needed")
    if len(text) > LONGEST:
        raise ValueError(
            f"the file has {len(text):,} letters, and the lab takes up to {LONGEST:,}; leave out "
            "rows or columns"
        )
    text = text.removeprefix("\ufeff")
    rows: list[list[str]] = []
    lines: list[int] = []
    width = 0
    separator = _separator(text)
    for line, row in _rows(text, separator):
        if separator == ";":  # as where decimals are written with a comma
            row = [_COMMA.sub(r"\1.\2", cell) for cell in row]
        if not rows:
            width = _checked(len(row))
        if len(row) != width:
            raise ValueError(
                f"line {line} has {_cells(len(row))}, and the first row has {width}; every row "
                "must have as many"
            )
        rows.append(row)
        lines.append(line)
    if not rows:
        raise ValueError("the file is empty; a row with two numbers and a label is needed")
    names = [f"column {k}" for k in range(1, width + 1)]
    if not any(is_number(cell) for cell in rows[0]):
        names, rows, lines = _distinct(rows[0], names), rows[1:], lines[1:]
    if not rows:
        raise ValueError("there are no rows below the names of the columns")
    return Table(names, rows, lines)


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not blank, each with its line."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for row in reader:
            if any(row) and any(map(str.strip, row)):
                yield reader.line_num, row
    except csv.Error as error:
        raise ValueError(
            f"line {reader.line_num} is no CSV ({error}); look for a quote that is not closed"
        ) from None


def _separator(text: str) -> str:
    """Return what cuts the first rows into as many cells each, and that into the most."""
    start = text[:_START]

    def cut(separator: str) -> tuple[float, int]:
        widths: list[int] = []
        with suppress(ValueError):  # the text is cut off anywhere
            widths.extend(len(row) for _, row in islice(_rows(start, separator), _SOME))
        if not widths or widths[0] < 2:
            return 0.0, 0
        return widths.count(widths[0]) / len(widths), widths[0]

    return max(SEPARATORS, key=cut)


def _checked(width: int) -> int:
    if width < 3:
        raise ValueError(
            f"the first row has {_cells(width)}; two columns of numbers and one of labels are "
            "needed, between commas, semicolons or tabs"
        )
    if width > COLUMNS:
        raise ValueError(f"there are {width:,} columns, and the lab takes up to {COLUMNS}")
    return width


def _cells(width: int) -> str:
    return "1 cell" if width == 1 else f"{width:,} cells"


def is_number(cell: str) -> bool:
    """Say whether a cell is written as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _distinct(cells: list[str], numbered: list[str]) -> list[str]:
    """Return names of columns, each different: of two alike the second gets its number."""
    names: list[str] = []
    for cell, number in zip(cells, numbered, strict=True):
        name = cell.strip()[:60] or number
        while name in names:
            name = f"{name} ({number})"
        names.append(name)
    return names
