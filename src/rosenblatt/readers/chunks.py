"""Text in chunks of whole lines, parsed by several threads, and handed on in order."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.letters import PAD
from rosenblatt.kernels.parsing import LINE_END
from rosenblatt.learners.blocks import cores, in_background
from rosenblatt.readers.rooms import Room, letters_of

CHUNK = 1 << 20  # bytes: with what becomes of it, it fits into a core's caches
LONGEST = 1 << 26  # bytes of a line
_BOM = b"\xef\xbb\xbf"
_BACK = 1 << 12
PATIENCE = 0.5  # seconds
T = TypeVar("T")


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
