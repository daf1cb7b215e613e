"""The header of a table in text: the names of its columns, if it has one."""

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rosenblatt.readers.blocks import NOT_UTF8, DataError
from rosenblatt.readers.formats import LABELS, NUMBER
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.records import lines_in
from rosenblatt.readers.sources import Stream

_LONGEST = 1 << 26  # bytes of the first line
_BOM = b"\xef\xbb\xbf"


class Header(NamedTuple):
    """The names of the columns, and where the first row begins: after so many bytes and lines."""

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

    A first line with a number in it is no header, unless a column that was asked for is named
    there, or its numbers count the columns. Without a header the names are c1, c2, …. ``before``
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
    cells = [cell.strip() for cell in cells]
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    asked = {reading.label, reading.weight, *reading.text, *reading.drop, *LABELS} - set(numbers)
    if numbers and not asked & set(cells) and not (len(numbers) < len(cells) and _count(numbers)):
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
