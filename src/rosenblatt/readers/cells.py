"""CSV and TSV: text in cells. Which columns are numbers is told from the first rows."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import CONVERT, Block, DataError, Problems
from rosenblatt.readers.formats import NUMBER
from rosenblatt.readers.header import read_header, read_start
from rosenblatt.readers.names import Names
from rosenblatt.readers.parts import Draft, Known
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.records import (
    LONGEST,
    NO_UTF8,
    as_utf8,
    first_lines,
    place_of,
    records,
    shown_bytes,
)
from rosenblatt.readers.sources import Stream
from rosenblatt.readers.table import Categories, Column, Table
from rosenblatt.readers.unpacking import arrow

_BLOCK = 1 << 20  # bytes
_LARGEST_BLOCK = 1 << 24
_LINES = 64  # that a block should have at least
_MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
_LINE_END = re.compile(r"\r\n|\n|\r")
_TRUTH = {"true": 1.0, "false": 0.0, "inf": np.inf, "infinity": np.inf}


def blocks(
    stream: Stream,
    name: str,
    reading: Reading,
    names: Names,
    problems: Problems,
    separator: str = ",",
) -> Iterator[Block]:
    """Yield the rows of a file of separated cells."""
    arrow("CSV")
    start, skipped = read_start(stream, _BLOCK, name, separator)
    header = read_header(start, skipped, reading, separator, name)
    if header is None:
        if stream.peek(1):
            problem = f"there are {len(start):,} bytes of empty cells here; remove them"
            raise DataError(name, skipped + 1, None, problem)
        return
    readers = [Cells(column).read for column in header.names]
    table, known = Table(name, header.names, readers, reading), Known(names)
    size = min(max(_BLOCK, _LINES * start.find(b"\n")), _LARGEST_BLOCK)
    for before, piece in records(
        stream, start[header.size :], size, header.lines, separator, name, problems
    ):
        if not piece.strip(b"\r\n"):
            continue  # a hundred times as fast as to look for cells in it
        text, damaged = as_utf8(piece)
        draft, arrays = _parsed(text, table, separator, before)
        if damaged:
            _refuse_damaged(arrays, table, draft, text.decode(), before)
        block = table.block(arrays, draft, known, stream.consumed, problems)
        if len(block.lines):
            yield block


def _parsed(text: bytes, table: Table, separator: str, before: int) -> tuple[Draft, dict[int, Any]]:
    """Read the cells of whole records as text, by column: nothing is guessed here."""
    pyarrow, reader = arrow("CSV"), arrow("CSV", ".csv")
    used, odd = [str(k) for k in table.used], []

    def skip(row: Any) -> str:
        odd.append(row)
        return "skip"

    try:
        found = reader.read_csv(
            pyarrow.BufferReader(text),
            reader.ReadOptions(
                use_threads=False,
                block_size=2 * LONGEST,
                column_names=[str(k) for k in range(len(table.columns))],
            ),
            reader.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=skip
            ),
            reader.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(used, pyarrow.string()),
                include_columns=used,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pyarrow.ArrowException as error:
        problem = f"the rows from here on cannot be read ({error})"
        raise DataError(table.file, before + 1, None, problem) from None
    numbers = [row.number - 1 for row in odd]
    lines = before + 1 + first_lines(text, separator, found.num_rows + len(odd))
    draft = Draft(table.file, np.delete(lines, numbers))
    for number, row in zip(numbers, odd, strict=True):
        problem = f"expected {row.expected_columns} cells, found {row.actual_columns}"
        line, shown = int(lines[number]), shown_bytes(row.text)
        draft.odd.append(DataError(table.file, line, None, problem, shown))
    return draft, {k: found.column(str(k)).combine_chunks() for k in table.used}


def _refuse_damaged(
    arrays: dict[int, Any], table: Table, draft: Draft, text: str, before: int
) -> None:
    """Refuse rows with something that was no UTF-8."""
    compute, lines = arrow("CSV", ".compute"), _LINE_END.split(text)
    for k, array in arrays.items():
        found = compute.fill_null(compute.match_substring_regex(array, NO_UTF8), False)
        for row in np.flatnonzero(found.to_numpy(zero_copy_only=False)).tolist():
            problem = f"column {table.columns[k]!r} is not UTF-8; {CONVERT}, found"
            cell = array[row].as_py()
            line, column = place_of(lines, int(draft.lines[row]) - before - 1, cell)
            error = DataError(table.file, before + line + 1, column, problem, shown_bytes(cell))
            draft.errors.setdefault(row, error)


class Cells:
    """A column of cells. Its first rows with a value tell whether it holds numbers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.numeric: bool | None = None
        self.pyarrow, self.compute = arrow("CSV"), arrow("CSV", ".compute")

    def read(self, array: Any, draft: Draft) -> Column:
        """Return the numbers or strings of an array; a column of numbers stays one."""
        if self.numeric is not False:
            numbers, bad = self._numbers(array)
            if self.numeric is None and not bad and not np.isnan(numbers).all():
                self.numeric = True
            if self.numeric:
                problem = f"column {self.name!r} held numbers so far; drop it, or read it as text"
                for row, text in bad.items():
                    draft.refuse(row, problem, text)
                return numbers
            if self.numeric is None and not bad:
                return None
            self.numeric = False
        return self._categories(array)

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
            column = self._categories(array)
        found = [_number(value) for value in column.values]
        numbers = np.array([*(np.nan if v is None else v for v in found), np.nan])[column.codes]
        odd = np.array([*(v is None for v in found), False])[column.codes]
        rows = np.flatnonzero(odd).tolist()
        return numbers, {row: column.values[column.codes[row]] for row in rows}

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


def _number(cell: str) -> float | None:
    """Return a cell's number, if it is one; true is 1 and false is 0."""
    if NUMBER.fullmatch(cell):
        return float(cell)
    sign = -1.0 if cell.startswith("-") else 1.0
    word = cell.lstrip("+-").lower() if cell[:2] not in ("+-", "-+", "--", "++") else cell
    truth = _TRUTH.get(word)
    return None if truth is None else sign * truth
