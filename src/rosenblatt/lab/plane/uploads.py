"""CSV text from the page as points: two columns of numbers and one of labels."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import StringIO
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.lab.plane.points import CLASSES, FARTHEST, NAME, NEAREST, POINTS
from rosenblatt.lab.plane.presets import view_of

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
            f"line {reader.line_num} is not CSV ({error}); look for a quote that is not closed"
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


MISSING = frozenset({"", "?", "-", "na", "n/a", "nan", "null", "none"})
LABELS = ("class", "label", "target", "species", "category", "group", "type")


class Column(NamedTuple):
    """A column: its name, its cells (None where one is missing), and as numbers if all are."""

    name: str
    cells: list[str | None]
    numbers: list[float | None] | None
    distinct: int
    odd: int | None = None  # the first row that is not a number


def uploaded(text: Any, columns: Any = None) -> dict[str, Any]:
    """Return the points of CSV text, and which columns there are to choose from.

    ``columns`` names those of x1, x2 and the label; otherwise they are found: the label's by its
    name, or as the only one without numbers, or as y if there is no x, or the last.
    """
    whole = read_table(text)
    table = _some(whole)
    every = [_column(name, table, k) for k, name in enumerate(table.names)]
    labels = [column for column in every if 1 <= column.distinct <= CLASSES]
    chosen = _chosen(every, columns, table) if columns is not None else _guess(every, labels, table)
    x, y, label = chosen
    kept = [row for row in range(len(table.rows)) if _complete(row, chosen)]
    if not kept:
        raise ValueError(f"in every row {_quoted([c.name for c in chosen], 'or')} is missing")
    classes, codes = _classes([str(label.cells[row]) for row in kept], label.numbers is not None)
    assert x.numbers is not None
    assert y.numbers is not None
    X = np.array([[x.numbers[row], y.numbers[row]] for row in kept], np.float64)
    numeric = [column.name for column in every if column.numbers is not None]
    return {
        "name": "upload",
        "title": "Your data",
        "points": [[*row, code] for row, code in zip(X.tolist(), codes, strict=True)],
        "classes": classes,
        "names": [x.name, y.name],
        "view": view_of(X),
        "learner": "perceptron",
        "settings": {"order": "shuffled"},
        "note": _note(whole, table, kept),
        "columns": {
            "numeric": numeric,
            "label": [column.name for column in labels],
            "chosen": [column.name for column in chosen],
        },
    }


def _column(name: str, table: Table, place: int) -> Column:
    cells = [_cell(row[place]) for row in table.rows]
    distinct = len({cell for cell in cells if cell is not None})
    numbers: list[float | None] = []
    for row, cell in enumerate(cells):
        number = None if cell is None else _number(cell)
        if cell is not None and number is None:
            return Column(name, cells, None, distinct, row)
        numbers.append(number)
    return Column(name, cells, numbers if distinct else None, distinct)


def _cell(text: str) -> str | None:
    text = text.strip()
    return None if text.lower() in MISSING else text


def _number(text: str) -> float | None:
    """Return a finite number that is not too large, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    if not abs(value) <= FARTHEST or "_" in text:
        return None
    return value if abs(value) >= NEAREST else 0.0


def _chosen(every: Sequence[Column], columns: Any, table: Table) -> list[Column]:
    """Return the columns that the page asks for."""
    names = isinstance(columns, list) and all(isinstance(name, str) for name in columns)
    if not names or len(columns) != 3 or len(set(columns)) < 3:
        raise ValueError("columns must be three different names: of x1, of x2 and of the label")
    known = {column.name: column for column in every}
    for name in columns:
        if name not in known:
            raise ValueError(f"there is no column {name[:NAME]!r}; there are {_quoted(known)}")
    x, y, label = (known[name] for name in columns)
    for column in (x, y):
        if column.numbers is None:
            raise ValueError(_not_numbers(column, table))
    _check_distinct(label)
    return [x, y, label]


def _guess(every: Sequence[Column], labels: Sequence[Column], table: Table) -> list[Column]:
    """Find the label's column, and take the first two others that have numbers."""
    label = _label(every, labels)
    numeric = [c for c in every if c.numbers is not None and c.name != label.name][:2]
    if len(numeric) < 2:
        odd = next((c for c in every if c.odd is not None and c.name != label.name), None)
        why = "" if odd is None else f": {_not_numbers(odd, table)}"
        raise ValueError(
            f"two columns of numbers are needed besides the label {label.name!r}, and there "
            f"{'is one' if numeric else 'are none'}{why}"
        )
    return [*numeric, label]


def _label(every: Sequence[Column], labels: Sequence[Column]) -> Column:
    names = [c.name.strip().lower() for c in every]
    named = [every[names.index(name)] for name in LABELS if name in names]
    texts = [c for c in every if c.numbers is None and c.distinct]
    # Beside x, a column y is the other coordinate.
    named_y = [every[names.index("y")]] if "y" in names and "x" not in names else []
    last = [c for c in every[-1:] if c.distinct]
    wanted = [*named, *(texts if len(texts) == 1 else []), *named_y, *last]
    usable = [c for c in wanted if c in labels]
    usable += [c for c in labels if c.numbers is None]
    if usable:
        return usable[0]
    if wanted:
        _check_distinct(wanted[0])
    raise ValueError(
        f"no column can be the label: one with up to {CLASSES} different values is needed"
    )


def _check_distinct(label: Column) -> None:
    if not 1 <= label.distinct <= CLASSES:
        raise ValueError(
            f"column {label.name!r} has {label.distinct:,} different values, and the lab takes "
            f"up to {CLASSES} classes; choose another column as the label"
        )


def _not_numbers(column: Column, table: Table) -> str:
    if column.odd is None:
        return f"column {column.name!r} is empty"
    cell = str(column.cells[column.odd])[:NAME]
    hint = "; write 1.5 and not 1,5" if "," in cell else ""
    large = f" up to {FARTHEST:,.0f}" if is_number(cell) else ""
    where = f"column {column.name!r} has {cell!r} in line {table.lines[column.odd]}"
    return f"{where}, which is not a number{large}{hint}"


def _complete(row: int, chosen: Sequence[Column]) -> bool:
    return all(column.cells[row] is not None for column in chosen)


def _classes(cells: Sequence[str], numbers: bool) -> tuple[list[str], list[int]]:
    """Return the classes' names in order, and the number of each cell's class."""
    if numbers:
        values = [float(cell) for cell in cells]
        order = sorted(set(values))
        names = [str(int(value)) if value == int(value) else repr(value) for value in order]
        return names, [order.index(value) for value in values]
    names = sorted(set(cells))
    long = next((name for name in names if len(name) > NAME), None)
    if long is not None:
        raise ValueError(f"the label {long[:20]!r}… is longer than {NAME} letters; shorten it")
    return names, [names.index(cell) for cell in cells]


def _some(table: Table) -> Table:
    """Pick rows evenly, if there are more than the lab takes."""
    if len(table.rows) <= POINTS:
        return table
    picked = np.linspace(0, len(table.rows) - 1, POINTS).astype(int).tolist()
    rows, lines = table.rows, table.lines
    return table._replace(rows=[rows[k] for k in picked], lines=[lines[k] for k in picked])


def _note(whole: Table, table: Table, kept: Sequence[int]) -> str:
    parts = [f"{len(kept):,} points"]
    if len(whole.rows) > len(table.rows):
        parts = [f"{len(table.rows):,} of {len(whole.rows):,} rows, evenly picked"]
    gone = len(table.rows) - len(kept)
    if gone:
        # Rows are kept in order, so the first that is not is where the numbers part.
        first = next((k for k, row in enumerate(kept) if k != row), len(kept))
        rows = "1 row" if gone == 1 else f"{gone:,} rows"
        parts.append(f"{rows} left out, as a value is missing (line {table.lines[first]} first)")
    return "; ".join(parts) + "."


def _quoted(names: Any, word: str = "and") -> str:
    shown = [repr(name[:NAME]) for name in list(names)[:20]]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"
