"""Standard output and error that may be closed or full.

What a command does to files must not depend on who listens. Messages that nobody can get are
dropped; results that cannot be written are an error, once the rest is done.
"""

import io
import os
import sys
from contextlib import suppress
from typing import Any

_RESULTS = "standard output"


class _Results(io.FileIO):
    """Standard output; what goes wrong with it is said in one line."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise OSError(f"cannot write to {_RESULTS}: {why}") from None


class _Closed(io.RawIOBase):
    """Standard output that was closed before the command began."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        raise OSError(f"cannot write to {_RESULTS}: it is closed")


class _Messages(io.FileIO):
    """Standard error; what cannot be written is dropped."""

    def write(self, data: Any, /) -> int:
        with suppress(OSError):
            super().write(data)
        return len(data)


def set_up() -> None:
    """Put streams that cannot break a command in place of Python's."""
    _occupy()
    out, err = sys.stdout, sys.stderr
    if out is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed()), "utf-8", "replace")
    elif _is_python_s(out, 1):
        out.flush()
        raw = _Results(1, "wb", closefd=False)
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(raw), out.encoding, "replace", line_buffering=out.isatty()
        )
    if err is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - it lives as long as the process
    elif _is_python_s(err, 2):
        messages: Any = _Messages(2, "wb", closefd=False)
        sys.stderr = io.TextIOWrapper(messages, err.encoding, "replace", write_through=True)


def _occupy() -> None:
    """Open something in place of what is closed, or the next file would become standard output.

    It cannot be read from or written to.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free


def _is_python_s(stream: Any, number: int) -> bool:
    """Say whether a stream is the one that Python made, and nobody took its place."""
    try:
        return isinstance(stream, io.TextIOWrapper) and stream.fileno() == number
    except (OSError, ValueError):
        return False
