"""What svmlight.py and vw.py share: text in chunks of whole lines, parsed by several threads.

The compiled parsers are in `rosenblatt.kernels.text`. `chunks` cuts a stream into chunks,
`in_order` has threads parse them and yields the results in order, `parse` parses one chunk.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse, frozen, take
from rosenblatt.kernels.jit import waited_for
from rosenblatt.kernels.simd.letters import PAD
from rosenblatt.kernels.text import parsing
from rosenblatt.kernels.text.parsing import LINE_END, Found, Spans
from rosenblatt.learners.blocks import cores, in_background
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.names import MOST_COLUMNS
from rosenblatt.readers.sources import Stream

ERRORS = 8
CHUNK = 1 << 20  # bytes: with what becomes of it, it fits into a core's caches
LONGEST = 1 << 26  # bytes of a line
_LETTERS = 64  # for names, besides those that are in the text
_BOM = b"\xef\xbb\xbf"
_BACK = 1 << 12
PATIENCE = 0.5  # seconds of waiting for a pipe, after which the rows so far are yielded
T = TypeVar("T")
PROBLEMS = {
    parsing.NO_LABEL: "expected a number as label, found",
    parsing.NO_PAIR: "expected index:value, found",
    parsing.NO_VALUE: "expected a finite number as value, found",
    parsing.TOO_LARGE: "the value is too large for its type",
    parsing.INDEX_TOO_LARGE: f"an index may be {MOST_COLUMNS - 1:,} at most (or say --bits), found",
    parsing.NO_BAR: "expected a | before the features, found",
    parsing.NO_WEIGHT: "expected an importance weight that is not negative, found",
    parsing.NO_NAME: "expected the name of a feature, found",
    parsing.COSTS: "costs of classes (class:cost), and no learner here is cost-sensitive; "
    "write the one class of the line as its label, instead of",
    parsing.BANDIT: "the cost of an action (action:cost:probability), and no learner here is a "
    "contextual bandit; write a class as label, instead of",
    parsing.MULTILABEL: "several classes for one line, and no learner here is multilabel; write "
    "one class as label (and a decimal point rather than a comma), instead of",
    parsing.MULTILINE: "an example of several lines, which share features, and here every line is "
    "an example; write the features into each line, without the line",
    parsing.SLOTS: "a conditional contextual bandit or slates, which no learner here is; write a "
    "class as label, instead of",
    parsing.EARLY_TAG: "a tag comes last before the bar, after label and weight; found",
    parsing.BAR_IN_VALUE: "a bar within a value that is a word; put a blank before a bar that "
    "begins a namespace, found",
}


class Buffer:
    """Memory for a text, and for as many rows and numbers as such a text can have.

    The text begins at `PAD`, as the compiled readers look a little past both its ends.
    """

    def __init__(self, size: int, dtype: Any) -> None:
        self.dtype = dtype
        self.text = np.empty(0, np.uint8)
        self.enlarge(size)

    def enlarge(self, size: int, used: int = 0) -> None:
        """Grow to a text of this size, keeping the first ``used`` bytes of the old one."""
        text = np.empty(size + 2 * PAD + 1, np.uint8)
        text[:PAD] = LINE_END
        if used:
            text[PAD : PAD + used] = self.text[PAD : PAD + used]
        self.text, self.size, self.marks = text, size, np.empty(size + 2 * PAD, np.int32)
        self._found: Found | None = None
        self._spans: Spans | None = None

    def found(self) -> Found:
        """Return empty arrays for the rows. A row has at least two characters, a number four.

        Memory that is never written to costs nothing.
        """
        if self._found is None:
            rows, numbers = self.size // 2 + 1, self.size // 2 + 1
            self._found = Found(
                np.empty(rows),
                np.empty(rows + 1, np.int32),
                np.empty(numbers, np.int32),
                np.empty(numbers, self.dtype),
                np.empty(rows, np.int32),
                np.empty((self.size // 4 + 1, 3), np.int64),
                np.empty((ERRORS, 3), np.int64),
                np.empty(9, np.int64),
            )
        self._found.counts[:] = 0
        self._found.indptr[0] = 0
        return self._found

    def spans(self, keep: bool, grams: bool = False) -> Spans:
        """Return arrays for what only VW text has."""
        if self._spans is None:
            rows, numbers = self.size // 2 + 1, self.size // 2 + 1
            letters = np.empty(2 * self.size + _LETTERS if keep else 0, np.uint8)
            ends = np.empty(numbers if keep else 0, np.int64)
            groups = np.empty(numbers if grams else 0, np.uint8)
            bare = np.empty(numbers if keep and grams else 0, np.int64)
            places = np.empty((rows, 4), np.int32)
            self._spans = Spans(np.empty(rows), places, letters, ends, groups, bare)
        return self._spans

    def more_letters(self, used: int) -> Spans:
        """Double the memory for names, keeping those already there."""
        assert self._spans is not None
        letters = np.empty(2 * len(self._spans.letters), np.uint8)
        letters[:used] = self._spans.letters[:used]
        self._spans = self._spans._replace(letters=letters)
        return self._spans

    def close_text(self, stop: int) -> None:
        """Pad the end of a text, as the compiled readers look a little past it."""
        self.text[stop : stop + PAD] = LINE_END


def letters_of(text: Array, start: int, stop: int) -> str:
    """Return a piece of a text; invalid UTF-8 is shown as bytes."""
    return bytes(text[start:stop]).decode(errors="backslashreplace")


class Chunk(NamedTuple):
    """Whole lines of a text: from ``start`` to ``stop`` of a buffer.

    It is empty if a line is too long; ``too_long`` is then the beginning of that line.
    """

    buffer: Buffer
    start: int
    stop: int
    done: int
    too_long: str | None = None


class BufferPool:
    """Buffers that are free to be used again."""

    def __init__(self, dtype: Any, size: int = CHUNK) -> None:
        self.free: list[Buffer] = []
        self.dtype, self.size = dtype, size

    def take(self) -> Buffer:
        """Return a free buffer, or a new one."""
        return self.free.pop() if self.free else Buffer(self.size, self.dtype)

    def give(self, buffer: Buffer) -> None:
        """Take a buffer back; one that was enlarged for a very long line is dropped."""
        if buffer.size <= 4 * self.size:
            self.free.append(buffer)


def chunks(stream: Stream, pool: BufferPool) -> Iterator[Chunk]:
    """Cut a text at line ends. The last line may lack one; a byte order mark is skipped."""
    buffer, used, fresh = pool.take(), PAD, True
    start = searched = PAD  # in what was searched there is no line end
    began = perf_counter()
    while True:
        if used == PAD + buffer.size and buffer.size >= LONGEST:
            beginning = letters_of(buffer.text, start, start + 60)
            # Before the rest of the line is read: that may never end.
            yield Chunk(pool.take(), PAD, PAD, stream.consumed, beginning)
            used = _drop_line(stream, buffer)
            start = searched = PAD
        if used == PAD + buffer.size:
            buffer.enlarge(min(2 * buffer.size, LONGEST), buffer.size)
        got = stream.readinto(buffer.text.data[used : PAD + buffer.size])
        used += got
        if fresh and (used >= PAD + len(_BOM) or not got):
            fresh = False
            start += len(_BOM) if bytes(buffer.text[PAD : PAD + len(_BOM)]) == _BOM else 0
        if not got:
            break
        # A pipe gives little at a time; but what comes slowly should not wait for long.
        if used < buffer.size // 2 and perf_counter() - began < PATIENCE:
            continue
        stop = last_line_end(buffer.text, max(start, searched), used)
        if stop <= start:
            searched = used
            continue
        following, rest = pool.take(), used - stop
        if rest > following.size:
            following.enlarge(buffer.size)
        following.text[PAD : PAD + rest] = buffer.text[stop:used]
        buffer.close_text(stop)
        yield Chunk(buffer, start, stop, stream.consumed)
        buffer, used, start, began = following, PAD + rest, PAD, perf_counter()
        searched = used
    if used > start:
        buffer.text[used] = LINE_END
        buffer.close_text(used + 1)
        yield Chunk(buffer, start, used + 1, stream.consumed)


def _drop_line(stream: Stream, buffer: Buffer) -> int:
    """Skip the rest of a line; return the end of what was read after it."""
    while got := stream.readinto(buffer.text.data[PAD : PAD + buffer.size]):
        at = np.flatnonzero(buffer.text[PAD : PAD + got] == LINE_END)
        if at.size:
            rest = buffer.text[PAD + int(at[0]) + 1 : PAD + got].copy()
            buffer.text[PAD : PAD + len(rest)] = rest
            return PAD + len(rest)
    return PAD


def in_order(stream: Stream, dtype: str, work: Callable[[Chunk], T]) -> Iterator[tuple[T, Chunk]]:
    """Yield the result of each chunk of a stream in order, computed by threads.

    A result may use the chunk's buffer until the next one is asked for. Nothing is read past a line
    that is too long before its chunk was yielded: the caller may stop there.
    """
    pool = BufferPool(np.dtype(dtype))
    pieces = chunks(stream, pool)
    waiting: deque[tuple[Future[T], Chunk]] = deque()
    ahead = cores() + 1
    try:
        while True:
            while len(waiting) < ahead and not (waiting and waiting[-1][1].too_long is not None):
                if (piece := next(pieces, None)) is None:
                    break
                waiting.append((in_background(work, piece), piece))
            if not waiting:
                return
            future, piece = waiting.popleft()
            yield waited_for(future.result), piece
            pool.give(piece.buffer)
    finally:
        for future, _ in waiting:
            future.cancel()
        for future, _ in waiting:
            if not future.cancelled():
                future.exception()  # it writes to a buffer


def last_line_end(text: Array, first: int, used: int) -> int:
    """Return the position after the last line end from ``first`` on, or 0."""
    stop = used
    while stop > first:
        start = max(first, stop - _BACK)
        at = np.flatnonzero(text[start:stop] == LINE_END)
        if at.size:
            return start + int(at[-1]) + 1
        stop = start
    return 0


class LineError(NamedTuple):
    """An error in a chunk: its line there, and what to say."""

    line: int
    column: int
    problem: str
    text: str


def line_error_at(text: Array, code: int, place: int, line: int) -> LineError:
    """Describe an error at a position in a text."""
    start = int(line_start(text, place))
    stop = place
    while stop < len(text) and stop - place < 60 and text[stop] not in (9, 10, 13, 32):
        stop += 1
    column = len(letters_of(text, start, place)) + 1
    return LineError(line, column, PROBLEMS[code], letters_of(text, place, stop) or "end of line")


def line_start(text: Array, place: int) -> int:
    """Return where the line of a position starts."""
    start = place
    while start > 0:
        piece = text[max(0, start - 4096) : start]
        at = np.flatnonzero(piece == parsing.LINE_END)
        if at.size:
            return start - len(piece) + int(at[-1]) + 1
        start -= len(piece)
    return 0


def parse_rough_numbers(text: Array, found: Found) -> dict[int, LineError]:
    """Parse in Python the numbers that the kernel left; return the rows where one is too large."""
    line_errors: dict[int, LineError] = {}
    for at, start, stop in found.rough[: found.counts[3]].tolist():
        target, place = (found.values, at) if at >= 0 else (found.labels, -1 - at)
        with np.errstate(over="ignore"):
            target[place] = float(bytes(text[start:stop]))
        if not np.isfinite(target[place]):
            row = int(np.searchsorted(found.indptr[: found.counts[0] + 1], at, "right")) - 1
            row = row if at >= 0 else place
            line = int(found.lines[row])
            line_errors.setdefault(row, line_error_at(text, parsing.TOO_LARGE, start, line))
    found.counts[3] = 0
    return line_errors


class Parsed(NamedTuple):
    """The rows of a chunk, in its buffer; its errors, the number not kept, and its lines.

    ``good`` are the rows without an error in a rough number; None if all are.
    """

    found: Found
    good: Array | None
    line_errors: list[LineError]
    n_unkept: int
    lines: int


def parse(chunk: Chunk, found: Found, skip: bool, kernel: Callable[[], bool]) -> Parsed:
    """Run a compiled reader over a chunk, reading rough numbers whenever it pauses for that."""
    text = chunk.buffer.text
    found.counts[6] = chunk.start
    late: dict[int, LineError] = {}
    done = False
    while not done and (skip or not late):
        done = kernel()
        late |= parse_rough_numbers(text, found)
    noted = found.errors[: min(int(found.counts[4]), len(found.errors))].tolist()
    line_errors = [line_error_at(text, code, place, line) for code, place, line in noted]
    n_unkept = int(found.counts[4]) - len(line_errors)
    good = None
    if late:
        good = np.delete(np.arange(int(found.counts[0])), list(late))
        line_errors = sorted([*line_errors, *late.values()])
    return Parsed(found, good, line_errors, n_unkept, int(found.counts[2]))


def rows_of(found: Found) -> Sparse:
    """View the parsed rows."""
    rows, numbers = int(found.counts[0]), int(found.counts[1])
    parts = found.indptr[: rows + 1], found.indices[:numbers], found.values[:numbers]
    return frozen(Sparse(*parts))


def report_errors(parsed: Parsed, chunk: Chunk, file: str, lines: int, errors: ErrorLog) -> int:
    """Report the errors of a chunk that starts after ``lines`` lines of its file.

    Return the number of lines that were skipped unread.
    """
    if chunk.too_long is not None:
        problem = f"the line is longer than {LONGEST >> 20} MiB; it begins"
        errors.add(DataError(file, lines + 1, 1, problem, chunk.too_long))
        return 1
    for error in parsed.line_errors:
        line = lines + error.line + 1
        errors.add(DataError(file, line, error.column, error.problem, error.text))
    errors.count += parsed.n_unkept
    return 0


def copy_rows(rows: Sparse, index: Array) -> Sparse:
    """Copy some rows."""
    part = take(rows, index)
    assert isinstance(part, Sparse)
    return part


def without_entries(rows: Sparse, keep: Array) -> Sparse:
    """Drop the entries where ``keep`` is false."""
    before = np.concatenate([[0], np.cumsum(keep)])
    indptr = before[rows.indptr].astype(rows.indptr.dtype)
    return Sparse(indptr, rows.indices[keep], rows.values[keep])
