"""What a thread makes of a chunk of svmlight or VW text, and the block it becomes in its turn."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Sparse, frozen, take
from rosenblatt.kernels import parsing
from rosenblatt.kernels.parsing import Found
from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.chunks import LONGEST, Chunk
from rosenblatt.readers.names import MOST_COLUMNS
from rosenblatt.readers.rooms import letters_of

PROBLEMS = {
    parsing.NO_LABEL: "expected a number as label, found",
    parsing.NO_PAIR: "expected index:value, found",
    parsing.NO_VALUE: "expected a finite number as value, found",
    parsing.TOO_LARGE: "the value is too large for its type",
    parsing.INDEX_TOO_LARGE: f"an index may be {MOST_COLUMNS - 1:,} at most (or say --bits), found",
    parsing.NO_BAR: "expected a | before the features, found",
    parsing.NO_WEIGHT: "expected an importance weight that is not negative, found",
    parsing.NO_NAME: "expected the name of a feature, found",
}


class Trouble(NamedTuple):
    """An error in a chunk: its line there, and what to say."""

    line: int
    column: int
    problem: str
    text: str


def trouble_at(text: Array, code: int, place: int, line: int) -> Trouble:
    """Describe an error at a place of a text."""
    start = int(line_start(text, place))
    stop = place
    while stop < len(text) and stop - place < 60 and text[stop] not in (9, 10, 13, 32):
        stop += 1
    column = len(letters_of(text, start, place)) + 1
    return Trouble(line, column, PROBLEMS[code], letters_of(text, place, stop) or "end of line")


def line_start(text: Array, place: int) -> int:
    """Return where the line of a place starts."""
    start = place
    while start > 0:
        piece = text[max(0, start - 4096) : start]
        at = np.flatnonzero(piece == parsing.LINE_END)
        if at.size:
            return start - len(piece) + int(at[-1]) + 1
        start -= len(piece)
    return 0


def read_rough(text: Array, found: Found) -> dict[int, Trouble]:
    """Let Python read the numbers that were left to it; return the rows where one is too large."""
    troubles: dict[int, Trouble] = {}
    for at, start, stop in found.rough[: found.counts[3]].tolist():
        target, place = (found.values, at) if at >= 0 else (found.labels, -1 - at)
        with np.errstate(over="ignore"):
            target[place] = float(bytes(text[start:stop]))
        if not np.isfinite(target[place]):
            row = int(np.searchsorted(found.indptr[: found.counts[0] + 1], at, "right")) - 1
            row = row if at >= 0 else place
            line = int(found.lines[row])
            troubles.setdefault(row, trouble_at(text, parsing.TOO_LARGE, start, line))
    found.counts[3] = 0
    return troubles


class Parsed(NamedTuple):
    """The rows of a chunk, in its room's memory; its errors, those not kept, and its lines.

    ``good`` are the rows without an error that was found late, or None if there was none.
    """

    found: Found
    good: Array | None
    troubles: list[Trouble]
    unseen: int
    lines: int


def parse(chunk: Chunk, found: Found, skip: bool, kernel: Callable[[], bool]) -> Parsed:
    """Run a compiled reader over a chunk, reading rough numbers whenever it pauses for that."""
    text = chunk.room.text
    found.counts[6] = chunk.start
    late: dict[int, Trouble] = {}
    done = False
    while not done and (skip or not late):
        done = kernel()
        late |= read_rough(text, found)
    noted = found.errors[: min(int(found.counts[4]), len(found.errors))].tolist()
    troubles = [trouble_at(text, code, place, line) for code, place, line in noted]
    unseen = int(found.counts[4]) - len(troubles)
    good = None
    if late:
        good = np.delete(np.arange(int(found.counts[0])), list(late))
        troubles = sorted([*troubles, *late.values()])
    return Parsed(found, good, troubles, unseen, int(found.counts[2]))


def rows_of(found: Found) -> Sparse:
    """View the rows that were found."""
    rows, numbers = int(found.counts[0]), int(found.counts[1])
    parts = found.indptr[: rows + 1], found.indices[:numbers], found.values[:numbers]
    return frozen(Sparse(*parts))


def tell(parsed: Parsed, chunk: Chunk, file: str, lines: int, problems: Problems) -> int:
    """Report the errors of a chunk that begins after so many lines of its file.

    Return how many lines it has that were not read at all.
    """
    if chunk.too_long is not None:
        problem = f"a line is longer than {LONGEST >> 20} MiB; it begins"
        problems.add(DataError(file, lines + 1, 1, problem, chunk.too_long))
        return 1
    for trouble in parsed.troubles:
        line = lines + trouble.line + 1
        problems.add(DataError(file, line, trouble.column, trouble.problem, trouble.text))
    problems.count += parsed.unseen
    return 0


def some(rows: Sparse, index: Array) -> Sparse:
    """Copy some rows."""
    part = take(rows, index)
    assert isinstance(part, Sparse)
    return part


def without(rows: Sparse, keep: Array) -> Sparse:
    """Leave numbers out, where ``keep`` is false."""
    before = np.concatenate([[0], np.cumsum(keep)])
    indptr = before[rows.indptr].astype(rows.indptr.dtype)
    return Sparse(indptr, rows.indices[keep], rows.values[keep])
