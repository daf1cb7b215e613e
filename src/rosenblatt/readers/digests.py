"""Whether files are still what they were: a digest of each, as far as it was read.

It is of the bytes as they come, packed or not, so that a pipe has one, too. SHA-1 is as fast as a
checksum of 32 bits here; such a checksum would be blind to changes in files that hold one of their
own, as gzip's do.
"""

import hashlib
from pathlib import Path
from threading import Lock
from typing import Any, TypeAlias

from rosenblatt.readers.blocks import DataError

_CHUNK = 1 << 22  # bytes

Found: TypeAlias = tuple[int, str]  # how many bytes, and their digest


class Digest:
    """The digest of what was read of a file so far.

    What is read before it is known what to expect waits until then.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._size, self._hash = 0, _hash()
        self._expected: Found | None = None
        self._waiting: list[bytes] | None = []

    def expect(self, expected: Found | None) -> None:
        """Say what the digest of so many bytes will be, if that is known; asked only once."""
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
        """Take note that there is no more; raise `DataError` if more was expected."""
        with self._lock:
            if self._expected is not None and self._expected[0]:
                raise changed(self.name)

    def of(self, path: Path | None, least: int) -> Found:
        """Return how many bytes were read, and their digest.

        Some formats are not read from start to end: then the first so many bytes are read for it.
        """
        with self._lock:
            if path is not None and self._size < least:
                self._size = _read_on(path, self._size, least, self._hash)
            return self._size, self._hash.hexdigest()


def digest_of(path: Path, size: int) -> Found:
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
        name, None, None, "it has changed since the checkpoint was written; start anew, without it"
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
