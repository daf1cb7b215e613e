"""Text in chunks of whole lines, parsed by several threads, and handed on in order."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse, frozen, take
from rosenblatt.kernels.simd.letters import PAD
from rosenblatt.kernels.text import parsing
from rosenblatt.kernels.text.parsing import LINE_END, Found, Spans
from rosenblatt.learners.blocks import cores, in_background
from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.names import MOST_COLUMNS

ERRORS = 8
CHUNK = 1 << 20  # bytes: with what becomes of it, it fits into a core's caches
LONGEST = 1 << 26  # bytes of a line
_BOM = b"\xef\xbb\xbf"
_BACK = 1 << 12
PATIENCE = 0.5  # seconds
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
}


class Room:
    """A buffer for text, and arrays for as many rows and numbers as such a text can have.

    The text begins at `PAD`, as the compiled readers look a little past both its ends.
    """

    def __init__(self, size: int, dtype: Any) -> None:
        self.dtype = dtype
        self.text = np.empty(0, np.uint8)
        self.enlarge(size)

    def enlarge(self, size: int, used: int = 0) -> None:
        """Make room for a text of this size, keeping the first ``used`` bytes of the one there."""
        text = np.empty(size + 2 * PAD + 1, np.uint8)
        text[:PAD] = LINE_END
        if used:
            text[PAD : PAD + used] = self.text[PAD : PAD + used]
        self.text, self.size, self.marks = text, size, np.empty(size + 2 * PAD, np.int32)
        self._found: Found | None = None
        self._spans: Spans | None = None

    def found(self) -> Found:
        """Return arrays for the rows, empty. A row has two letters at least, a number has four.

        What is not written to takes no memory.
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

    def spans(self, keep: bool) -> Spans:
        """Return arrays for what VW text has beside that."""
        if self._spans is None:
            rows, numbers = self.size // 2 + 1, self.size // 2 + 1
            letters = np.empty(2 * self.size if keep else 0, np.uint8)
            ends = np.empty(numbers if keep else 0, np.int64)
            self._spans = Spans(np.empty(rows), np.empty((rows, 4), np.int32), letters, ends)
        return self._spans

    def more_letters(self, used: int) -> Spans:
        """Make twice as much room for names, keeping those there."""
        assert self._spans is not None
        letters = np.empty(2 * len(self._spans.letters), np.uint8)
        letters[:used] = self._spans.letters[:used]
        self._spans = self._spans._replace(letters=letters)
        return self._spans

    def close_text(self, stop: int) -> None:
        """End a text so that the compiled readers may look a little past it."""
        self.text[stop : stop + PAD] = LINE_END


def letters_of(text: Array, start: int, stop: int) -> str:
    """Return a piece of a text; what is no UTF-8 is shown as its bytes."""
    return bytes(text[start:stop]).decode(errors="backslashreplace")


class Stream(Protocol):
    """What text is read from; ``consumed`` counts the bytes taken, packed as they are."""

    consumed: int

    def readinto(self, buffer: Any) -> int: ...


class Chunk(NamedTuple):
    """Whole lines of a text: from ``start`` to ``stop`` of a room's buffer.

    None of them, if a line is ``too_long`` to be read; then this is how it begins.
    """

    room: Room
    start: int
    stop: int
    done: int
    too_long: str | None = None


class Rooms:
    """Rooms that nobody needs at the moment."""

    def __init__(self, dtype: Any, size: int = CHUNK) -> None:
        self.free: list[Room] = []
        self.dtype, self.size = dtype, size

    def take(self) -> Room:
        """Return a room."""
        return self.free.pop() if self.free else Room(self.size, self.dtype)

    def give(self, room: Room) -> None:
        """Take a room back; one that was made for a very long line goes."""
        if room.size <= 4 * self.size:
            self.free.append(room)


def chunks(stream: Stream, rooms: Rooms) -> Iterator[Chunk]:
    """Cut a text at line ends. The last line may lack one, and a byte order mark is left out."""
    room, used, fresh = rooms.take(), PAD, True
    start = searched = PAD  # in what was searched there is no line end
    began = perf_counter()
    while True:
        if used == PAD + room.size and room.size >= LONGEST:
            beginning = letters_of(room.text, start, start + 60)
            # Before the rest of the line is read: that may never end.
            yield Chunk(rooms.take(), PAD, PAD, stream.consumed, beginning)
            used = _drop_line(stream, room)
            start = searched = PAD
        if used == PAD + room.size:
            room.enlarge(min(2 * room.size, LONGEST), room.size)
        got = stream.readinto(room.text.data[used : PAD + room.size])
        used += got
        if fresh and (used >= PAD + len(_BOM) or not got):
            fresh = False
            start += len(_BOM) if bytes(room.text[PAD : PAD + len(_BOM)]) == _BOM else 0
        if not got:
            break
        # A pipe gives little at a time; but what comes slowly should not wait for long.
        if used < room.size // 2 and perf_counter() - began < PATIENCE:
            continue
        stop = last_line_end(room.text, max(start, searched), used)
        if stop <= start:
            searched = used
            continue
        following, rest = rooms.take(), used - stop
        if rest > following.size:
            following.enlarge(room.size)
        following.text[PAD : PAD + rest] = room.text[stop:used]
        room.close_text(stop)
        yield Chunk(room, start, stop, stream.consumed)
        room, used, start, began = following, PAD + rest, PAD, perf_counter()
        searched = used
    if used > start:
        room.text[used] = LINE_END
        room.close_text(used + 1)
        yield Chunk(room, start, used + 1, stream.consumed)


def _drop_line(stream: Stream, room: Room) -> int:
    """Read on to the end of a line; return where what comes after it ends in the room."""
    while got := stream.readinto(room.text.data[PAD : PAD + room.size]):
        at = np.flatnonzero(room.text[PAD : PAD + got] == LINE_END)
        if at.size:
            rest = room.text[PAD + int(at[0]) + 1 : PAD + got].copy()
            room.text[PAD : PAD + len(rest)] = rest
            return PAD + len(rest)
    return PAD


def in_order(
    pieces: Iterator[Chunk], work: Callable[[Chunk], T], rooms: Rooms
) -> Iterator[tuple[T, Chunk]]:
    """Yield, in order, what threads make of each chunk. It may use the chunk's room until then.

    What follows a line that is too long is not asked for before that chunk was handed on: who takes
    it may stop there.
    """
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
            yield future.result(), piece
            rooms.give(piece.room)
    finally:
        for future, _ in waiting:
            future.cancel()
        for future, _ in waiting:
            if not future.cancelled():
                future.exception()  # it writes to a room


def last_line_end(text: Array, first: int, used: int) -> int:
    """Return the place after the last line end from ``first`` on, or 0."""
    stop = used
    while stop > first:
        start = max(first, stop - _BACK)
        at = np.flatnonzero(text[start:stop] == LINE_END)
        if at.size:
            return start + int(at[-1]) + 1
        stop = start
    return 0


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
