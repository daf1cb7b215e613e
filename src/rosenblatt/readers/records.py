"""Text cut into pieces of whole records: a record of a table may have line ends within quotes."""

import re
from collections.abc import Iterator

import numpy as np

from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.sources import Stream

LONGEST = 1 << 26  # bytes of a record
NO_UTF8 = "\x1a"  # the substitute character, which means just that
_ESCAPED = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(rb"\r\n|\n|\r")
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
            end = _LINE_END.search(held)
            stop = end.end() if end else len(held)
            shown = held[: min(stop, _SHOWN)].decode(errors="backslashreplace").rstrip("\r\n")
            problem = f"a quote is not closed, or a row is longer than {LONGEST >> 20} MiB"
            problems.add(DataError(file, lines + 1, None, problem, shown))
            held, lines = held[stop:], lines + 1
        else:
            wanted = 2 * len(held)


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
        return _ESCAPED.sub(NO_UTF8, escaped).encode(), True


def _stop(pattern: re.Pattern[bytes], text: bytes) -> int:
    """Return where the last whole record ends."""
    if b'"' not in text:
        return max(text.rfind(b"\n"), text.rfind(b"\r")) + 1
    match = pattern.match(text)
    return match.end() if match else 0


def _records(separator: str) -> re.Pattern[bytes]:
    """Return a pattern of as many whole records as there are, as pyarrow sees them.

    A quote counts at the start of a cell only, and a double one within quotes is one quote.
    """
    s = re.escape(separator)
    cell = rf'(?:"(?:[^"]++|"")*+"[^{s}\r\n]*+|[^"{s}\r\n][^{s}\r\n]*+)?+'
    return re.compile(rf'(?:[^"\r\n]*+[\r\n]|{cell}(?:{s}{cell})*+[\r\n])*+'.encode())
