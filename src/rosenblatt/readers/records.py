"""Text cut into pieces of whole records: a record of a table may have line ends within quotes."""

import re
from collections.abc import Iterator

from rosenblatt.readers.blocks import DataError, Problems
from rosenblatt.readers.sources import Stream

LONGEST = 1 << 26  # bytes of a record
NO_UTF8 = "\x1a"  # the substitute character, which means just that
_ESCAPED = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(rb"\r\n|\n|\r")
_SHOWN = 60


def records(
    stream: Stream, start: bytes, size: int, separator: str, file: str, problems: Problems
) -> Iterator[tuple[int, bytes]]:
    """Yield pieces of about a size, and how many lines are before each, from ``start`` on.

    A quote that is never closed would make one record of all that follows: its line is an error.
    """
    pattern, held, lines, wanted = _records(separator), start, 0, size
    while True:
        more = stream.read(max(0, wanted - len(held)))
        held += more
        at_end = len(held) < wanted
        if at_end and held and held[-1:] not in b"\r\n":
            held += b"\n"
        match = pattern.match(held)
        assert match is not None  # an empty piece would do
        stop = match.end()
        if stop and held[stop - 1 : stop] == b"\r" and stop == len(held) and not at_end:
            stop = _before_last(pattern, held)  # a \n may follow, which is not a line of its own
        if stop:
            yield lines, held[:stop]
            lines += _lines_in(held[:stop])
            held, wanted = held[stop:], size
        elif not held:
            return
        elif at_end or len(held) >= LONGEST:
            line = held[: _LINE_END.search(held).end()] if _LINE_END.search(held) else held  # type: ignore[union-attr]
            shown = line[:_SHOWN].decode(errors="backslashreplace").rstrip("\r\n")
            problem = f"a quote is not closed, or a row is longer than {LONGEST >> 20} MiB"
            problems.add(DataError(file, lines + 1, None, problem, shown))
            held, lines = held[len(line) :], lines + 1
        else:
            wanted = 2 * len(held)


def _records(separator: str) -> re.Pattern[bytes]:
    """Return a pattern of as many whole records as there are, as pyarrow sees them.

    A quote counts at the start of a cell only, and a double one within quotes is one quote.
    """
    s = re.escape(separator)
    cell = rf'(?:"(?:[^"]++|"")*+"[^{s}\r\n]*+|[^"{s}\r\n][^{s}\r\n]*+)?+'
    return re.compile(rf'(?:[^"\r\n]*+[\r\n]|{cell}(?:{s}{cell})*+[\r\n])*+'.encode())
