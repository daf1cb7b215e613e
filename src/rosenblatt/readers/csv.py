"""CSV and TSV files.

`blocks` reads the header, cuts the text into whole records (a cell may go over several lines), has
`arrow_cells` or `plain_cells` split them into cells, and `tables.TableReader` makes rows of the
columns.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import CONVERT, NOT_UTF8, Block, BlockBuilder, DataError, ErrorLog
from rosenblatt.readers.cells import Cells, Split, SplitError, TextColumn
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import NUMBER, label_among
from rosenblatt.readers.names import Names
from rosenblatt.readers.sources import Stream, arrow
from rosenblatt.readers.tables import TableReader

LONGEST = 1 << 26  # bytes of a record
SMALL = 1 << 20  # bytes, of all small files together, that are read without pyarrow
UNCLOSED = "a quote is not closed"
# Stand-ins for invalid UTF-8: characters of private use.
NO_UTF8 = "[\U0010fe80-\U0010feff]"
_FIRST = 0x10FE00
_BYTES = re.compile(NO_UTF8)
_ESCAPED = re.compile("[\udc80-\udcff]")
_RECORD_END = re.compile(rb"\r\n|\n|\r")
_SHOWN = 60
_LONGEST = 1 << 26  # bytes of the first line
_BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 20  # bytes
_LARGEST_BLOCK = 1 << 24
_LINES = 64  # that a block should have at least
_LINE_END = re.compile(r"\r\n|\n|\r")
_read_plainly = 0  # bytes of small files so far


def records(
    stream: Stream, start: bytes, size: int, lines: int, separator: str, file: str, errors: ErrorLog
) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of whole records, of about a size, and the number of lines before each.

    The text is ``start``, after ``lines`` lines, and then the rest of the stream.

    A quote that is never closed would make one record of all that follows: its line is an error.
    """
    # As many whole records as there are, as pyarrow sees them.
    pattern = re.compile(b"(?>(?:" + _record(separator).pattern + b")*)")
    held, wanted = start, size
    while True:
        held += stream.read(max(0, wanted - len(held)))
        at_end = len(held) < wanted
        if at_end and held and held[-1:] not in b"\r\n":
            held += b"\n"
        if held.endswith(b"\r"):
            held += stream.read(1)  # a line end may have two letters
        stop = _stop(pattern, held)
        if stop:
            yield lines, held[:stop]
            lines += lines_in(held[:stop])
            held, wanted = held[stop:], size
        elif not held:
            return
        elif at_end or len(held) >= LONGEST:
            end = _RECORD_END.search(held)
            stop = end.end() if end else len(held)
            shown = held[: min(stop, _SHOWN)].decode(errors="backslashreplace").rstrip("\r\n")
            too_long = "" if at_end else f", or a row is longer than {LONGEST >> 20} MiB"
            errors.add(DataError(file, lines + 1, None, UNCLOSED + too_long, shown))
            held, lines = held[stop:] if end else _after_line(stream, size), lines + 1
        else:
            wanted = 2 * len(held)


def _after_line(stream: Stream, size: int) -> bytes:
    """Read on to the end of a line, and return what was read after it."""
    while piece := stream.read(size):
        piece += stream.read(1) if piece.endswith(b"\r") else b""
        if end := _RECORD_END.search(piece):
            return piece[end.end() :]
    return b""


def lines_in(text: bytes) -> int:
    """Count the line ends."""
    # Where line ends are many, comparing all letters at once is faster than looking for the next.
    ends = int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("\n")))
    return ends + text.count(b"\r") - text.count(b"\r\n") if b"\r" in text else ends


def as_utf8(text: bytes) -> tuple[bytes, bool]:
    """Return a text with `NO_UTF8` in place of invalid bytes, and whether there were any."""
    try:
        text.decode()
        return text, False
    except UnicodeDecodeError:
        escaped = text.decode(errors="surrogateescape")
        return _ESCAPED.sub(
            lambda found: chr(ord(found[0]) - 0xDC00 + _FIRST), escaped
        ).encode(), True


def shown_bytes(text: str) -> str:
    r"""Write the stand-ins of `as_utf8` as bytes, for messages.

    >>> shown_bytes(as_utf8(b"Z\xfcrich")[0].decode())
    'Z\\xfcrich'
    """
    return _BYTES.sub(lambda found: f"\\x{ord(found[0]) - _FIRST:02x}", text)


def first_lines(text: bytes, separator: str, n: int) -> tuple[Array, dict[int, str]]:
    r"""Return the first line, from 0 on, of each of a text's n records; blank lines are none.

    Return also the records in which a quote is not closed, and how they begin.

    >>> first_lines(b'1,2\n\n\n"a\nb",3\n4,"5\n6,"c\n', ",", 3)
    (array([0, 3, 5]), {2: '4,"5'})
    """
    if not n or lines_in(text) == n:
        return np.arange(n), {}
    plain = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = np.flatnonzero(np.frombuffer(plain, np.uint8) == ord("\n"))
    records: list[bytes] = []
    if b'"' in plain:
        found = [match for match in _record(separator).finditer(plain) if match[0] != b"\n"]
        records, starts = [match[0] for match in found], np.array([m.start() for m in found])
    else:
        starts = np.concatenate([[0], ends[:-1] + 1])
        starts = starts[np.frombuffer(plain, np.uint8)[starts] != ord("\n")]
    # pyarrow ignores a byte order mark anywhere, which may make a line blank.
    if len(starts) != n:
        return np.arange(n), {}
    unclosed = {
        k: record.partition(b"\n")[0].decode()
        for k, record in enumerate(records)
        if _is_unclosed(record, separator)
    }
    return np.searchsorted(ends, starts), unclosed


def _is_unclosed(record: bytes, separator: str) -> bool:
    """Say whether a quoted cell goes over a line end, and more follows the quote that ends it.

    That quote was meant to open a cell: the one that began the cell was never closed.
    """
    if b"\n" not in record[:-1]:
        return False
    s = re.escape(separator)
    cells = re.finditer(rf'(?:^|{s})("(?>(?:[^"]++|"")*)")([^{s}\n]?)'.encode(), record)
    return any(b"\n" in cell[1] and cell[2] for cell in cells)


def place_of(lines: Sequence[str], line: int, cell: str) -> tuple[int, int]:
    """Return the line and the column of the first invalid byte in a cell.

    The lines are of a text that `as_utf8` made; the record of the cell begins in this one of them,
    and they are counted from 0, and columns from 1.
    """
    at = max(lines[line].find(cell), 0)
    while (found := _BYTES.search(lines[line], at)) is None:
        line, at = line + 1, 0
    return line, found.start() + 1


def _stop(pattern: re.Pattern[bytes], text: bytes) -> int:
    """Return where the last whole record ends."""
    if b'"' not in text:
        return max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    match = pattern.match(text)
    return match.end() if match else 0


@cache
def _record(separator: str) -> re.Pattern[bytes]:
    """Return the pattern of a record.

    A quote counts at the start of a cell only, and a double one within quotes is one quote.
    """
    s = re.escape(separator)
    # Atomic groups, as Python before 3.11.5 goes wrong about groups that are possessive.
    cell = rf'(?>(?:"(?>(?:[^"]++|"")*)"[^{s}\r\n]*+|[^"{s}\r\n][^{s}\r\n]*+)?)'
    return re.compile(rf'[^"\r\n]*+[\r\n]|{cell}(?>(?:{s}{cell})*)[\r\n]'.encode())


class Header(NamedTuple):
    """The names of the columns, and the bytes and lines before the first row."""

    names: list[str]
    size: int
    lines: int


def read_start(stream: Stream, size: int, file: str, separator: str) -> tuple[bytes, int]:
    """Read a first block of this size, or larger: it has the whole first line with something in it.

    Return it, and how many lines there are before it.
    """
    sample, lines = stream.read(size).removeprefix(_BOM), 0
    empty = b"\r\n" + separator.encode()
    while sample and not sample.strip(empty):
        stop = max(sample.rfind(b"\n"), sample.rfind(b"\r", 0, -1)) + 1
        lines += lines_in(sample[:stop])
        if not (more := stream.read(size)):
            return b"", lines
        sample = sample[stop:] + more
        _check_length(sample, lines, file)
    while not _has_line(sample, empty) and (more := stream.read(size)):
        sample += more
        _check_length(sample, lines, file)
    return sample, lines


def _has_line(sample: bytes, empty: bytes) -> bool:
    """Say whether a line that is not empty ends within a text."""
    filled = len(sample) - len(sample.lstrip(empty))
    return sample.find(b"\n", filled) >= 0 or sample.find(b"\r", filled) >= 0


def _check_length(line: bytes, lines: int, file: str) -> None:
    if len(line) > _LONGEST:
        problem = f"the first line is longer than {_LONGEST >> 20} MiB; is this a table?"
        raise DataError(file, lines + lines_in(line) + 1, None, problem)


def read_header(
    sample: bytes, before: int, reading: Reading, separator: str, file: str
) -> Header | None:
    """Read the names of the columns; None if there is nothing but blank lines.

    A first line with a number in it is not a header, unless it names a column of the options, or
    its numbers count the columns. Without a header the names are c1, c2, …. ``before``
    are the lines before the sample.
    """
    lines = sample.splitlines(keepends=True)
    taken: list[bytes] = []

    def text() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.decode()

    try:
        cells = next((row for row in csv.reader(text(), delimiter=separator) if any(row)), None)
    except UnicodeDecodeError as error:
        column = len(taken[-1][: error.start].decode()) + 1
        found = taken[-1][error.start :].decode(errors="backslashreplace").rstrip("\r\n")
        raise DataError(file, before + len(taken), column, NOT_UTF8, found) from None
    except csv.Error as error:
        problem = f"the header cannot be read ({error})"
        raise DataError(file, before + len(taken), None, problem) from None
    if cells is None:
        return None
    first = b"".join(taken).replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    if not _record(separator).match(first.rstrip(b"\n") + b"\n") or _is_unclosed(first, separator):
        shown = first.partition(b"\n")[0].decode()
        raise DataError(file, before + len(taken) - first.count(b"\n") + 1, None, UNCLOSED, shown)
    cells = [cell.strip() for cell in cells]
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    wanted = {reading.label, reading.weight, *reading.text, *reading.drop, *reading.keep} - set(
        numbers
    )
    wanted.add(label_among(cells))
    if numbers and not wanted & set(cells) and not (len(numbers) < len(cells) and _count(numbers)):
        return Header([f"c{k}" for k in range(1, len(cells) + 1)], 0, before)
    if len(cells) == 1 and separator in cells[0]:
        problem = "the whole line is in quotes, which makes it one cell; remove them"
        raise DataError(file, before + len(taken), None, problem, cells[0])
    if len(cells) == 1 and (other := next((c for c in ";\t|," if c in cells[0]), None)):
        problem = f"columns must be separated by {separator!r}; here it seems to be {other!r}"
        raise DataError(file, before + len(taken), None, problem, cells[0])
    names = [cell or f"c{k}" for k, cell in enumerate(cells, 1)]
    return Header(names, sum(map(len, taken)), before + len(taken))


def _count(numbers: Sequence[str]) -> bool:
    """Say whether numbers are 0, 1, … or 1, 2, …, as data frames call their columns."""
    return any(list(numbers) == [str(k + j) for j in range(len(numbers))] for k in (0, 1))


def blocks(
    stream: Stream,
    name: str,
    reading: Reading,
    names: Names,
    errors: ErrorLog,
    separator: str = ",",
) -> Iterator[Block]:
    """Yield the rows of a file of separated cells."""
    start, skipped = read_start(stream, _BLOCK, name, separator)
    header = read_header(start, skipped, reading, separator, name)
    if header is None:
        if stream.peek(1):
            problem = f"there are {len(start):,} bytes of empty cells here; remove them"
            raise DataError(name, skipped + 1, None, problem)
        return
    cells = _splitter(len(start))
    columns = [TextColumn(one, separator, k == 0) for k, one in enumerate(header.names)]
    table = TableReader(name, columns, reading, names, errors)
    size = min(max(_BLOCK, _LINES * start.find(b"\n")), _LARGEST_BLOCK)
    for before, piece in records(
        stream, start[header.size :], size, header.lines, separator, name, errors
    ):
        if not piece.strip(b"\r\n"):
            continue  # a hundred times as fast as parsing it
        text, damaged = as_utf8(piece)
        builder, found = _parsed(cells, text, table, separator, before)
        if damaged:
            _reject_damaged(found, table, builder, text.decode(), before)
        block = table.block(found, builder, stream.consumed, errors)
        if len(block.lines):
            yield block


class _Splitter(Protocol):
    """The modules `arrow_cells` and `plain_cells`."""

    def split(self, text: bytes, separator: str, n: int, used: Sequence[int]) -> Split: ...


def _splitter(size: int) -> _Splitter:
    """Return what splits records into cells, for a file whose first block has this size.

    A small file is read in less time than it takes to load pyarrow. Its first block is all of it,
    as those of other files are full. Many small files are read as a large one is.
    """
    from rosenblatt.readers import plain_cells

    global _read_plainly
    if size < _BLOCK - len(_BOM) and _read_plainly + size <= SMALL:
        _read_plainly += size
        return plain_cells
    try:
        arrow("CSV", ".csv")
    except ModuleNotFoundError:
        return plain_cells
    from rosenblatt.readers import arrow_cells

    return arrow_cells


def _parsed(
    cells: _Splitter, text: bytes, table: TableReader, separator: str, before: int
) -> tuple[BlockBuilder, Mapping[int, Cells]]:
    """Split whole records into columns of text."""
    n = len(table.columns)
    try:
        columns, rows, odd = cells.split(text, separator, n, table.used)
    except SplitError as error:
        problem = f"the rows from here on cannot be read ({error})"
        raise DataError(table.file, before + 1, None, problem) from None
    numbers = [record.number for record in odd]
    first, unclosed = first_lines(text, separator, rows + len(odd))
    lines = before + 1 + first
    builder = BlockBuilder(table.file, np.delete(lines, numbers))
    for number in unclosed.keys() - set(numbers):
        row = number - sum(k < number for k in numbers)
        builder.reject(row, UNCLOSED, shown_bytes(unclosed[number]))
    for number, found, record in odd:
        problem = UNCLOSED if number in unclosed else f"expected {n} cells, found {found}"
        line, shown = int(lines[number]), shown_bytes(unclosed.get(number, record))
        builder.bad_lines.append(DataError(table.file, line, None, problem, shown))
    return builder, columns


def _reject_damaged(
    columns: Mapping[int, Cells], table: TableReader, builder: BlockBuilder, text: str, before: int
) -> None:
    """Reject rows with invalid UTF-8."""
    lines = _LINE_END.split(text)
    for k, cells in columns.items():
        for row, cell in cells.matching(NO_UTF8):
            problem = f"column {table.columns[k]!r} is not UTF-8; {CONVERT}, found"
            line, column = place_of(lines, int(builder.lines[row]) - before - 1, cell)
            error = DataError(table.file, before + line + 1, column, problem, shown_bytes(cell))
            builder.errors.setdefault(row, error)
