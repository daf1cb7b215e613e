"""The header of a table in text: the names of its columns, if it has one."""

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rosenblatt.readers.blocks import DataError
from rosenblatt.readers.formats import LABELS, NUMBER
from rosenblatt.readers.reading import Reading
from rosenblatt.readers.sources import Stream

_LONGEST = 1 << 26  # bytes of the first line
_BOM = b"\xef\xbb\xbf"


class Header(NamedTuple):
    """The names of the columns, and where the first row begins: after so many bytes and lines."""

    names: list[str]
    size: int
    lines: int


def read_start(stream: Stream, size: int, file: str) -> bytes:
    """Read a first block of this size, or larger: it has the whole first line."""
    sample = stream.read(size).removeprefix(_BOM)
    while b"\n" not in sample and b"\r" not in sample and (more := stream.read(size)):
        sample += more
        if len(sample) > _LONGEST:
            problem = f"the first line is longer than {_LONGEST >> 20} MiB; is this a table?"
            raise DataError(file, 1, None, problem)
    return sample


def read_header(sample: bytes, reading: Reading, separator: str, file: str) -> Header | None:
    """Read the names of the columns; None if there is nothing but blank lines.

    A first line with a number in it is no header, unless a column that was asked for is named
    there, or its numbers count the columns. Without a header the names are c1, c2, ….
    """
    lines = sample.splitlines(keepends=True)
    taken: list[bytes] = []

    def text() -> Iterator[str]:
        for line in lines:
            taken.append(line)
            yield line.decode()

    try:
        cells = next((row for row in csv.reader(text(), delimiter=separator) if any(row)), None)
    except UnicodeDecodeError:
        raise DataError(file, len(taken), None, "the first line is no UTF-8") from None
    except csv.Error as error:
        raise DataError(file, len(taken), None, f"the header cannot be read ({error})") from None
    if cells is None:
        return None
    cells = [cell.strip() for cell in cells]
    numbers = [cell for cell in cells if NUMBER.fullmatch(cell)]
    asked = {reading.label, reading.weight, *reading.text, *reading.drop, *LABELS} - set(numbers)
    if numbers and not asked & set(cells) and not (len(numbers) < len(cells) and _count(numbers)):
        return Header([f"c{k}" for k in range(1, len(cells) + 1)], 0, 0)
    if len(cells) == 1 and (other := next((c for c in ";\t|," if c in cells[0]), None)):
        problem = f"columns must be separated by {separator!r}; here it seems to be {other!r}"
        raise DataError(file, len(taken), None, problem, cells[0])
    names = [cell or f"c{k}" for k, cell in enumerate(cells, 1)]
    return Header(names, sum(map(len, taken)), len(taken))


def _count(numbers: Sequence[str]) -> bool:
    """Say whether numbers are 0, 1, … or 1, 2, …, as data frames call their columns."""
    return any(list(numbers) == [str(k + j) for j in range(len(numbers))] for k in (0, 1))
