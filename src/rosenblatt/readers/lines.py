"""Text in pieces of whole lines, for jsonl.py and text.py, or of whole CoNLL sentences."""

import re
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, Queue
from threading import Event, Thread
from time import perf_counter

import numpy as np

from rosenblatt.kernels.text.conll_lines import last_break
from rosenblatt.kernels.text.parsing import LINE_END
from rosenblatt.readers.blocks import NOT_UTF8, SHOWN, DataError, ErrorLog
from rosenblatt.readers.chunks import LONGEST, PATIENCE
from rosenblatt.readers.sources import Stream

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LARGEST = 1 << 30  # bytes of a sentence
_PIECE = 1 << 20  # bytes read at once
_AHEAD = 16  # pieces of a pipe that wait to be taken
_RETURN = re.compile(rb"\r(?![\r\n]|\Z)")


def whole_lines(stream: Stream, name: str, errors: ErrorLog) -> Iterator[tuple[int, bytes, float]]:
    """Yield whole lines as they arrive: the number of the first, their text, the seconds it took.

    The last line may lack its line end. A line that is too long is an error, and left blank.
    """
    buffer = memoryview(bytearray(_PIECE))
    number, held, size = 1, [b""], 0
    while True:
        began = perf_counter()
        got = stream.readinto(buffer)
        if not got:
            break
        piece = bytes(buffer[:got])
        end = piece.find(b"\n")
        size += end if end >= 0 else got
        if size <= LONGEST:
            held.append(piece)
        elif held:
            beginning = b"".join(held)[: 2 * SHOWN].decode(errors="backslashreplace")
            problem = f"the line is longer than {LONGEST >> 20} MiB; it begins"
            errors.add(DataError(name, number, None, problem, beginning))
            held = []  # the rest of the line is not kept, either
        if end < 0:
            continue
        if not held:  # the end of a line that was too long
            held.append(piece[end:])
        text = b"".join(held)
        stop = text.rfind(b"\n") + 1
        yield number, _unmarked(text[:stop], number), perf_counter() - began
        number, held, size = number + line_ends(text[:stop]), [text[stop:]], len(text) - stop
    if text := b"".join(held):
        yield number, _unmarked(text, number), 0.0


def _unmarked(text: bytes, number: int) -> bytes:
    """Remove the byte order mark from a text that starts with the first line of a file."""
    return text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text


def blocks(stream: Stream, file: str, size: int, patience: bool) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks of about this size and whether they are the last, which may be empty.

    A sentence is in one block, whatever its size. With ``patience`` a slow pipe is
    not waited for, once there is a whole sentence.
    """
    pipe = _Pipe(stream, size) if patience and stream.source.size is None else None
    held, began = _Held(file), perf_counter()
    try:
        while True:
            if pipe is None:
                piece: bytes | None = stream.read(size)
            else:
                rest = began + PATIENCE - perf_counter()
                piece = pipe.get(rest if held.place > 0 else None)
            if piece:
                began = began if held.size else perf_counter()
                held.add(piece)
            elif piece is not None:
                yield held.all(), True
                return
            if held.place > 0 and (piece is None or held.size >= size):
                yield held.sentences(), False
                began = perf_counter()
    finally:
        if pipe is not None:
            pipe.close()


class _Held:
    """Bytes read but not yielded yet; the last whole sentence ends at ``place``, or −1."""

    def __init__(self, file: str) -> None:
        self.size, self.place = 0, -1
        self._file, self._pieces, self._lines_before = file, [b""], 0
        self._line, self._blank = 0, True  # see `last_break`

    def add(self, piece: bytes) -> None:
        """Hold a piece."""
        end = piece.find(b"\n")
        length = self.size - self._line + (end if end >= 0 else len(piece))
        self._pieces.append(piece)
        if length > LONGEST:
            self._refuse(self._line, f"the line is longer than {LONGEST >> 20} MiB; it begins")
        place, line, self._blank = last_break(np.frombuffer(piece, np.uint8), self._blank)
        self.place = self.size + place if place > 0 else self.place
        self._line = self.size + line if line > 0 else self._line
        self.size += len(piece)
        if self.size > LARGEST and self.place < 0:
            self._refuse(0, f"no blank line ends a sentence in {LARGEST >> 20} MiB that begin")

    def _refuse(self, start: int, problem: str) -> None:
        text = self.all()
        beginning = text[start : start + 2 * SHOWN].decode(errors="backslashreplace")
        line = self._lines_before + line_ends(text[:start]) + 1
        raise DataError(self._file, line, None, problem, beginning)

    def all(self) -> bytes:
        """Return everything."""
        return b"".join(self._pieces)

    def sentences(self) -> bytes:
        """Return the complete sentences, and keep the rest."""
        text = self.all()
        whole, rest = text[: self.place], text[self.place :]
        self._pieces, self._lines_before = [rest], self._lines_before + line_ends(whole)
        self.size, self._line, self.place = len(rest), self._line - self.place, -1
        return whole


class _Pipe:
    """The bytes of a pipe, read by a thread, so that waiting for them can time out."""

    def __init__(self, stream: Stream, size: int) -> None:
        self._queue: Queue[bytes | BaseException] = Queue(_AHEAD)
        self._stop = Event()
        self._stream, self._size = stream, size
        Thread(target=self._run, name="reading", daemon=True).start()

    def get(self, seconds: float | None) -> bytes | None:
        """Return the next bytes, b"" at the end; None after a timeout."""
        try:
            piece = self._queue.get(timeout=None if seconds is None else max(seconds, 0.0))
        except Empty:
            return None
        if isinstance(piece, BaseException):
            raise piece
        return piece

    def close(self) -> None:
        """End the thread. One that waits for the pipe ends when something comes, or with Python."""
        self._stop.set()
        with suppress(Empty):
            while True:  # the thread may be waiting for space in it
                self._queue.get_nowait()

    def _run(self) -> None:
        buffer = memoryview(bytearray(self._size))
        try:
            while not self._stop.is_set():
                got = self._stream.readinto(buffer)
                self._queue.put(bytes(buffer[:got]))
                if not got:
                    return
        except BaseException as error:
            self._queue.put(error)


def line_ends(text: bytes) -> int:
    r"""Count the line ends of a text, several times as fast as ``bytes.count``.

    >>> line_ends(b"The\ncat")
    1
    """
    return int(np.count_nonzero(np.frombuffer(text, np.uint8) == LINE_END))


def check_letters(text: bytes, file: str, before: int) -> None:
    """Raise `DataError` for bytes that text cannot have; ``before`` lines come before this text."""
    if not before and text.startswith((b"\xff\xfe", b"\xfe\xff")):
        problem = "it looks like UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)"
        raise DataError(file, None, None, problem)
    if (place := text.find(b"\0")) >= 0:
        problem = "here is a zero byte; is this a file of text?"
        raise _wrong_letter(text, place, file, before, problem)
    if (
        b"\r" in text
        and text.count(b"\r") != text.count(b"\r\n")
        and (found := _RETURN.search(text))
    ):
        problem = (
            "here is a carriage return within a line; if lines end with it, convert the file, "
            r"for example with tr '\r' '\n'"
        )
        raise _wrong_letter(text, found.start(), file, before, problem)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        rest = text[error.start : error.start + 2 * SHOWN].splitlines()[0]
        shown = rest.decode(errors="backslashreplace")
        raise _wrong_letter(text, error.start, file, before, NOT_UTF8, shown) from None


def _wrong_letter(
    text: bytes, place: int, file: str, before: int, problem: str, shown: str | None = None
) -> DataError:
    start = text.rfind(b"\n", 0, place) + 1
    line = before + text.count(b"\n", 0, place) + 1
    head = text[start:place]
    head = head if before or start else head.removeprefix(BYTE_ORDER_MARK)
    column = len(head.decode(errors="replace")) + 1
    return DataError(file, line, column, problem, shown)
