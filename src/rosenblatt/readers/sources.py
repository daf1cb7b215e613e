"""Where bytes come from: files, patterns of files, standard input; gzip and zstd archives.

`expand` finds files, `open_stream` opens one as a `Stream` of unpacked bytes, and a `Digest` tells
whether a file is still the one that a checkpoint was written for.
"""

import glob
import hashlib
import os
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

from rosenblatt.readers.blocks import DataError

_CHUNK = 1 << 22  # bytes

FileDigest: TypeAlias = tuple[int, str]  # how many bytes, and their digest
MAGIC = 8  # bytes identify an archive
_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SKIPPED = b"\x2a\x4d\x18"  # a zstd frame for others, with any 0x5? before
_PACKED = 1 << 17  # bytes taken at once
_UNPACKED = 1 << 20  # bytes handed on at once: this, not what an archive claims, bounds the memory
_PIECES = 4  # that wait to be taken
_PATIENCE = 0.5  # seconds for a thread that waits for a pipe
_AGAIN = "get the file again"
STANDARD_INPUT = "standard input"
MOST_AHEAD = 1 << 16  # bytes that can be looked at before they are read
_PIECE = 1 << 24  # bytes requested at once, as memory is allocated for all of them
_NAP = 0.01  # seconds
# How archives begin that are not unpacked here, and what unpacks them.
_FOREIGN = {
    b"\xfd7zXZ\x00": "xz -dc",
    b"BZh": "bzip2 -dc",
    b"PK\x03\x04": "unzip -p",
    b"\x04\x22\x4d\x18": "lz4 -dc",
}


class Digest:
    """The digest of what was read of a file so far.

    It is of the bytes as they come, packed or not, so that a pipe has one, too. SHA-1 is as fast as
    a checksum of 32 bits here, which would not see changes in files that hold one, as gzip's do.
    What is read before `expect` is called waits until then.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._size, self._hash = 0, _hash()
        self._expected: FileDigest | None = None
        self._waiting: list[bytes] | None = []

    def expect(self, expected: FileDigest | None) -> None:
        """Set the size and the digest to expect, or None; called once."""
        with self._lock:
            waiting, self._waiting, self._expected = self._waiting, None, expected
            for piece in waiting or ():
                self._add(memoryview(piece))

    def add(self, piece: Any) -> None:
        """Take note of what comes next; raise `DataError` if it is not what was expected."""
        with self._lock:
            if self._waiting is not None:
                self._waiting.append(bytes(piece))
            else:
                self._add(memoryview(piece))

    def _add(self, piece: memoryview) -> None:
        expected = self._expected
        if expected is not None and len(piece) >= expected[0] - self._size:
            known = self._hash.copy()
            known.update(piece[: expected[0] - self._size])
            if known.hexdigest() != expected[1]:
                raise changed(self.name)
            self._expected = None
        self._hash.update(piece)
        self._size += len(piece)

    def end(self) -> None:
        """Mark the end; raise `DataError` if more was expected."""
        with self._lock:
            if self._expected is not None and self._expected[0]:
                raise changed(self.name)

    def of(self, path: Path | None, least: int) -> FileDigest:
        """Return how many bytes were read, and their digest.

        Some formats are not read from start to end: then the first ``least`` bytes are read for it.
        """
        with self._lock:
            if path is not None and self._size < least:
                self._size = _read_on(path, self._size, least, self._hash)
            return self._size, self._hash.hexdigest()


def digest_of(path: Path, size: int) -> FileDigest:
    """Return the digest of a file's first bytes, and how many there are.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"ham, eggs"), file.flush()
    ...     digest_of(Path(file.name), 3) == (3, hashlib.sha1(b"ham").hexdigest())
    True
    """
    found = _hash()
    return _read_on(path, 0, size, found), found.hexdigest()


def changed(name: str) -> DataError:
    """Say that a file is not what it was."""
    return DataError(
        name,
        None,
        None,
        "it has changed since the checkpoint was written; start again without the checkpoint",
    )


def _hash() -> Any:
    return hashlib.sha1(usedforsecurity=False)


def _read_on(path: Path, start: int, stop: int, into: Any) -> int:
    """Go on with the digest of a file's bytes from start to stop; return how far there are any."""
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        while start < stop and (piece := file.read(min(_CHUNK, stop - start))):
            into.update(piece)
            start += len(piece)
    return start


class Feed(Protocol):
    """What a stream takes its bytes from; ``consumed`` counts them, packed as they are."""

    consumed: int

    def readinto(self, view: memoryview) -> int: ...

    def read(self, n: int) -> bytes: ...

    def close(self) -> None: ...


class Unpacked:
    """The bytes in an archive, from a thread that unpacks a few pieces ahead."""

    def __init__(self, pieces: Iterator[bytes], packed: Feed) -> None:
        self.consumed = 0
        self._packed = packed
        self._queue: Queue[tuple[bytes | BaseException, int]] = Queue(_PIECES)
        self._stop = Event()
        self._piece = memoryview(b"")
        self._end: BaseException | None = None
        Thread(target=self._run, args=(pieces,), name="unpacking", daemon=True).start()

    @classmethod
    def of(cls, start: bytes, packed: Feed, name: str) -> Self | None:
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
                # This also frees a slot for a piece that the thread is about to put.
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

    def __init__(self, start: bytes, packed: Feed) -> None:
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
                raise DataError(name, None, None, f"the gzip archive is truncated; {_AGAIN}")
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
        problem = f"the zstd archive is damaged or truncated ({error}); {_AGAIN}"
        raise DataError(name, None, None, problem) from None


def arrow(what: str, part: str = "") -> Any:
    """Return pyarrow or a part of it, which reads some formats; it need not be installed."""
    try:
        return import_module("pyarrow" + part)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"reading {what} needs pyarrow: pip install 'rosenblatt[data]'", name="pyarrow"
        ) from error


class Source(NamedTuple):
    """A file to read.

    Attributes
    ----------
    name : str
        As shown to people.
    path : Path or None
        Where it is; None is standard input.
    size : int or None
        How many bytes it has, packed as they are; None if that is not known.
    """

    name: str
    path: Path | None
    size: int | None


def expand(files: Sequence[str | Path]) -> list[Source]:
    """Find files: each is a path, a pattern such as ``part-*.gz`` or ``**/*.svm``, or ``-``.

    What a pattern matches is sorted by name. ``-`` is standard input.
    """
    found = [source for file in files for source in _expanded(str(file))]
    if sum(source.path is None for source in found) > 1:
        raise ValueError("standard input (-) can be read only once, but is named twice")
    return found


def _expanded(file: str) -> list[Source]:
    if file == "-":
        return [Source(STANDARD_INPUT, None, None)]
    if Path(file).exists():  # also if its name looks like a pattern
        return [_source(Path(file))]
    if not glob.has_magic(file):
        raise FileNotFoundError(f"there is no file {_shown(file)}; check its name and folder")
    matches = sorted(glob.glob(file, recursive=True))  # noqa: PTH207 - Path.glob takes no ../ or /
    sources = [_source(Path(match)) for match in matches if not Path(match).is_dir()]
    if not sources:
        raise FileNotFoundError(f"no file matches {_shown(file)}; check the pattern and the folder")
    return sources


def _source(path: Path) -> Source:
    facts = path.stat()
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(
            f"{_shown(path)} is a folder; name the files in it, such as {_shown(path / '*')}"
        )
    size = facts.st_size if stat.S_ISREG(facts.st_mode) else None
    return Source(_shown(path), path, size)


def _shown(path: str | Path) -> str:
    """Return a path as text that can be printed: file names need not be UTF-8."""
    return os.fsencode(path).decode(errors="backslashreplace")


class _Plain:
    """A file as it is: straight from the system to where it is wanted."""

    def __init__(self, raw: Any, owned: bool, digest: Digest | None = None) -> None:
        self.raw, self.owned, self.consumed, self.digest = raw, owned, 0, digest

    def readinto(self, view: memoryview) -> int:
        while (got := self.raw.readinto(view)) is None:
            time.sleep(_NAP)  # a pipe that does not wait, and has nothing yet
        self._took(view[:got])
        return int(got)

    def read(self, n: int) -> bytes:
        while (piece := self.raw.read(n)) is None:
            time.sleep(_NAP)
        self._took(piece)
        return bytes(piece)

    def _took(self, piece: bytes | memoryview) -> None:
        self.consumed += len(piece)
        if self.digest is not None:
            self.digest.add(piece)

    def close(self) -> None:
        if self.owned:
            self.raw.close()


class Stream:
    """The unpacked bytes of a source, from its start to its end; see `open_stream`.

    Attributes
    ----------
    source : Source
        What is read.
    packed : bool
        Whether it is an archive. What needs to jump about in a file cannot do so in an archive.
    consumed : int
        How many bytes of the source are taken so far, packed as they are.
    """

    def __init__(self, source: Source, feed: Feed, ahead: bytes, packed: bool) -> None:
        self.source, self.packed, self.closed = source, packed, False
        self._feed, self._ahead = feed, ahead
        self.consumed = feed.consumed

    def peek(self, n: int) -> bytes:
        """Return the next n bytes and leave them there to be read.

        There are fewer at the end; and on standard input, which may be slow, once there is a whole
        line.
        """
        if n > MOST_AHEAD:
            raise ValueError(f"n={n} must be at most {MOST_AHEAD}")
        while len(self._ahead) < n and (piece := self._feed.read(n - len(self._ahead))):
            self._ahead += piece
            if self.source.path is None and b"\n" in piece:
                break
        return self._ahead[:n]

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with as many bytes as are there, one at least; 0 is the end."""
        view = memoryview(buffer).cast("B")
        if not self._ahead:
            got = self._feed.readinto(view)
            self.consumed = self._feed.consumed
            return got
        piece, self._ahead = self._ahead[: len(view)], self._ahead[len(view) :]
        view[: len(piece)] = piece
        return len(piece)

    def read(self, n: int) -> bytes:
        """Return the next n bytes; fewer only at the end."""
        piece, self._ahead = self._ahead[:n], self._ahead[n:]
        pieces, missing = [piece] if piece else [], n - len(piece)
        while missing and (piece := self._feed.read(min(missing, _PIECE))):
            pieces.append(piece)
            missing -= len(piece)
        self.consumed = self._feed.consumed
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    @property
    def seekable(self) -> bool:
        """Whether the bytes are those of a file on disk, in which one can jump about."""
        return self.source.size is not None and not self.packed

    def close(self) -> None:
        """Stop reading; also if not all was read."""
        if not self.closed:
            self.closed = True
            self._feed.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_stream(source: Source, digest: Digest | None = None) -> Stream:
    """Open a source. gzip and zstd archives are unpacked on the way, whatever the file's name.

    Unpacking runs in a thread of its own, a few pieces ahead. A damaged archive raises `DataError`
    where the damage is found. A digest, if given, is updated with all bytes.
    """
    raw = _standard_input() if source.path is None else source.path.open("rb", buffering=0)
    plain = _Plain(raw, source.path is not None, digest)
    try:
        start = plain.read(MOST_AHEAD)
        while 0 < len(start) < MAGIC and (more := plain.read(MOST_AHEAD)):
            start += more
        for magic, tool in _FOREIGN.items():
            if start.startswith(magic) and (magic != b"BZh" or start[4:8] == b"1AY&"):
                raise DataError(
                    source.name,
                    None,
                    None,
                    f"this type of archive cannot be read; unpack it with {tool}",
                )
        unpacked = Unpacked.of(start, plain, source.name)
        if unpacked is None:
            return Stream(source, plain, start, packed=False)
        return Stream(source, unpacked, b"", packed=True)
    except BaseException:
        plain.close()
        raise


def _standard_input() -> Any:
    """Return standard input without Python's buffer, which would copy everything once more."""
    if sys.stdin is None:
        raise OSError("standard input (-) is closed; name a file")
    buffer = sys.stdin.buffer
    return getattr(buffer, "raw", buffer)
