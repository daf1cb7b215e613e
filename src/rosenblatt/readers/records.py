"""Text cut into pieces of whole records: a record of a table may have line ends within quotes."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.sources import Stream

LONGEST = 1 << 26  # bytes of a record
# What stands for bytes that are no UTF-8: characters that Unicode leaves to programs.
NO_UTF8 = "[\U0010fe80-\U0010feff]"
_FIRST = 0x10FE00
_BYTES = re.compile(NO_UTF8)
_ESCAPED = re.compile("[\udc80-\udcff]")
_RECORD_END = re.compile(rb"\r\n|\n|\r")
_SHOWN = 60


def records(
    stream: Stream,
    start: bytes,
    size: int,
    lines: int,
    separator: str,
    file: str,
    problems: Problems,
) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of about a size, and how many lines are before each.

    The text is ``start``, which so many lines are before, and then the rest of the stream.

    A quote that is never closed would make one record of all that follows: its line is an error.
    """
    pattern, held, wanted = _records(separator), start, size
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
            problem = f"a quote is not closed, or a row is longer than {LONGEST >> 20} MiB"
            problems.add(DataError(file, lines + 1, None, problem, shown))
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
    """Return a text where bytes that are no UTF-8 are `NO_UTF8`, and whether there are such."""
    try:
        text.decode()
        return text, False
    except UnicodeDecodeError:
        escaped = text.decode(errors="surrogateescape")
        return _ESCAPED.sub(
            lambda found: chr(ord(found[0]) - 0xDC00 + _FIRST), escaped
        ).encode(), True


def shown_bytes(text: str) -> str:
    r"""Return a text where `as_utf8` was at work for people to read.

    >>> shown_bytes(as_utf8(b"Z\xfcrich")[0].decode())
    'Z\\xfcrich'
    """
    return _BYTES.sub(lambda found: f"\\x{ord(found[0]) - _FIRST:02x}", text)


def first_lines(text: bytes, separator: str, n: int) -> Array:
    r"""Return the line, from 0 on, that each of a text's n records begins in; blank lines are none.

    >>> first_lines(b'1,2\n\n\n"a\nb",3\n4,5\n', ",", 3).tolist()
    [0, 3, 5]
    """
    if not n or lines_in(text) == n:
        return np.arange(n)
    plain = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    ends = np.flatnonzero(np.frombuffer(plain, np.uint8) == ord("\n"))
    if b'"' in plain:
        starts = np.array([record.start() for record in _record(separator).finditer(plain)])
    else:
        starts = np.concatenate([[0], ends[:-1] + 1])
    starts = starts[np.frombuffer(plain, np.uint8)[starts] != ord("\n")]
    lines = np.searchsorted(ends, starts)
    # pyarrow takes a byte order mark anywhere for nothing, which may make a line blank.
    return lines if len(lines) == n else np.arange(n)


def place_of(lines: Sequence[str], line: int, cell: str) -> tuple[int, int]:
    """Return the line and the column of the first byte in a cell that is no UTF-8.

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


def _records(separator: str) -> re.Pattern[bytes]:
    """Return a pattern of as many whole records as there are, as pyarrow sees them."""
    return re.compile(b"(?:" + _record(separator).pattern + b")*+")


@cache
def _record(separator: str) -> re.Pattern[bytes]:
    """Return the pattern of a record.

    A quote counts at the start of a cell only, and a double one within quotes is one quote.
    """
    s = re.escape(separator)
    cell = rf'(?:"(?:[^"]++|"")*+"[^{s}\r\n]*+|[^"{s}\r\n][^{s}\r\n]*+)?+'
    return re.compile(rf'[^"\r\n]*+[\r\n]|{cell}(?:{s}{cell})*+[\r\n]'.encode())
