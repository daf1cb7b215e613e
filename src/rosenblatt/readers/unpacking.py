"""gzip and zstd archives, unpacked by a thread while others work on what came before."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from queue import Empty, Queue
from threading import Event, Thread
from typing import Any, Protocol, Self

from rosenblatt.readers.blocks import DataError

MAGIC = 8  # bytes tell what an archive is
_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPED = b"\x2a\x4d\x18"  # a zstd frame for others, with any 0x5? before
_PACKED = 1 << 17  # bytes taken at once
_UNPACKED = 1 << 20  # bytes handed on at once: this, not what an archive claims, bounds the memory
_PIECES = 4  # that wait to be taken
_PATIENCE = 0.5  # seconds for a thread that waits for a pipe
_AGAIN = "get the file again"


class Packed(Protocol):
    """The bytes of an archive."""

    consumed: int

    def read(self, n: int) -> bytes: ...

    def close(self) -> None: ...


class Unpacked:
    """The bytes in an archive, from a thread that unpacks a few pieces ahead."""

    def __init__(self, pieces: Iterator[bytes], packed: Packed) -> None:
        self.consumed = 0
        self._packed = packed
        self._queue: Queue[tuple[bytes | BaseException, int]] = Queue(_PIECES)
        self._stop = Event()
        self._piece = memoryview(b"")
        self._end: BaseException | None = None
        Thread(target=self._run, args=(pieces,), name="unpacking", daemon=True).start()

    @classmethod
    def of(cls, start: bytes, packed: Packed, name: str) -> Self | None:
        """Unpack what begins with ``start`` and goes on in ``packed``, if it is an archive."""
        gzip = start.startswith(_GZIP)
        zstd = start.startswith(_ZSTD) or (start[1:4] == _SKIPPED and start[0] >> 4 == 5)
        if not gzip and not zstd:
            return None
        rest = _Rest(start, packed)
        return cls(_gzip(rest.read, name) if gzip else _zstd(rest, name), packed)

    def readinto(self, view: memoryview) -> int:
        """Copy as much as is there, one byte at least; 0 is the end."""
        if not self._piece and not self._next():
            return 0
        got = min(len(view), len(self._piece))
        view[:got], self._piece = self._piece[:got], self._piece[got:]
        return got

    def read(self, n: int) -> bytes:
        """Return up to n bytes, none at the end only."""
        if not self._piece and not self._next():
            return b""
        piece, self._piece = self._piece[:n], self._piece[n:]
        # A whole piece is handed on as it is.
        return piece.obj if len(piece) == len(piece.obj) else bytes(piece)  # type: ignore[return-value,arg-type]

    def _next(self) -> bool:
        if self._end is None:
            piece, self.consumed = self._queue.get()
            if isinstance(piece, bytes):
                self._piece = memoryview(piece)
                return True
            self._end = piece
        if isinstance(self._end, EOFError):
            return False
        raise self._end

    def close(self) -> None:
        """End the thread. One that waits for a pipe ends when something comes, or with Python."""
        self._stop.set()
        with suppress(Empty):
            while self._end is None:
                # This also makes room for a piece that the thread is about to hand on.
                piece, _ = self._queue.get(timeout=_PATIENCE)
                self._end = None if isinstance(piece, bytes) else piece

    def _run(self, pieces: Iterator[bytes]) -> None:
        end: BaseException = EOFError()
        try:
            for piece in pieces:
                self._queue.put((piece, self._packed.consumed))
                if self._stop.is_set():
                    break
        except BaseException as error:
            end = error
        finally:
            # Here, and not where it is no longer needed: another thread may be reading from it.
            self._packed.close()
            self._queue.put((end, self._packed.consumed))


class _Rest:
    """The start of an archive that was looked at, and then the rest; pyarrow takes it as a file."""

    closed = False

    def __init__(self, start: bytes, packed: Packed) -> None:
        self._start, self._packed = start, packed

    def read(self, n: int) -> bytes:
        if not self._start:
            return self._packed.read(n)
        piece, self._start = self._start[:n], self._start[n:]
        return piece

    def close(self) -> None: ...


def _gzip(read: Callable[[int], bytes], name: str) -> Iterator[bytes]:
    """Unpack gzip members, one after the other."""
    packed, first = read(_PACKED), True
    while packed or first:
        first = False
        member = zlib.decompressobj(16 + zlib.MAX_WBITS)
        while not member.eof:
            if not packed and not (packed := read(_PACKED)):
                raise DataError(name, None, None, f"the gzip archive ends too soon; {_AGAIN}")
            try:
                piece = member.decompress(packed, _UNPACKED)
            except zlib.error as error:
                problem = f"the gzip archive is damaged ({error}); {_AGAIN}"
                raise DataError(name, None, None, problem) from None
            packed = member.unconsumed_tail
            if piece:
                yield piece
        packed = member.unused_data.lstrip(b"\0")  # tapes are filled up with zeros
        while not packed and (packed := read(_PACKED)):
            packed = packed.lstrip(b"\0")


def _zstd(rest: _Rest, name: str) -> Iterator[bytes]:
    """Unpack zstd frames, one after the other."""
    pyarrow = arrow("zstd archives")
    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(rest, "r"), "zstd")
    try:
        while piece := stream.read(_UNPACKED):
            yield piece
    except OSError as error:
        if error.errno is not None:  # the system's, not the archive's
            raise
        problem = f"the zstd archive is damaged or ends too soon ({error}); {_AGAIN}"
        raise DataError(name, None, None, problem) from None


def arrow(what: str, part: str = "") -> Any:
    """Return pyarrow or a part of it, which reads some formats; it need not be installed."""
    try:
        return import_module("pyarrow" + part)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"reading {what} needs pyarrow: pip install 'rosenblatt[data]'", name="pyarrow"
        ) from error
