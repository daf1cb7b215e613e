"""Compiled code on disk: one file for each entry, used only if nobody else can have written it.

An entry holds machine code, so whoever can write one can run anything as the user.
Folder and file are therefore opened, and their owners and permissions are checked on what was
opened, at every load: a folder that was made or swapped in since then is another folder. Where in
doubt there is no entry, and the code is compiled again.

An entry begins with a checksum of its name and its content, so that a damaged one, or one under
another's name, counts as none.
"""

import hashlib
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from rosenblatt.kernels.levels import numba_setting

END = ".code"
_ENDS = (END, ".nbc")  # the second is that of versions before 0.2
# Where a wheel for a platform brings along what was compiled for it; nothing is written there.
SHIPPED = Path(__file__).with_name("compiled")
_MAGIC = b"rosenblatt machine code 1\n"
_CHECKSUM = hashlib.sha256
_LONGEST = 256 << 20  # bytes of an entry
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LEFT_BEHIND = 3600.0  # seconds after which a temporary file is that of a killed process
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Elsewhere (Windows) the folders are the user's own, and there is nothing to compare.
_HAS_OWNERS = hasattr(os, "geteuid") and os.open in os.supports_dir_fd


def short_digest(text: str, length: int = 8) -> str:
    """Return the first hexadecimal digits of a text's digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def _place(source: Path) -> str:
    return f"rosenblatt-{short_digest(str(source), 12)}"


@cache
def beside(source: Path) -> Path:
    """Return the folder for a source folder in the ``__pycache__`` beside the package.

    Not in the package: pip would leave it behind, and what is left could still be imported.
    """
    package = source
    while (package.parent / "__init__.py").is_file():
        package = package.parent
    return package.parent / "__pycache__" / _place(source)


@cache
def candidates(source: Path) -> tuple[Path, ...]:
    """List the folders that may be used for a source folder, the best first.

    ``NUMBA_CACHE_DIR`` comes first, then `beside` the package, then the user's cache folder, then
    one in the temporary folder. None of them need exist, and none is trusted yet.
    """
    place = _place(source)
    folders = [beside(source)]
    if chosen := numba_setting("CACHE_DIR"):
        folders.insert(0, Path(chosen) / place)
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    with suppress(RuntimeError):  # a user without a home, as in some containers
        folders.append(Path(user).expanduser() / place)
    with suppress(OSError):  # nowhere to put temporary files
        owner = os.geteuid() if _HAS_OWNERS else 0
        folders.append(Path(tempfile.gettempdir()) / f"{place}-{owner}")
    return tuple(folders)


def read(source: Path, name: str) -> bytes | None:
    """Return the content of an entry; None if there is none that can be trusted."""
    for path in (*candidates(source), SHIPPED):
        with suppress(OSError), _opened(path, source) as folder:
            content = _checked(name, folder.read(name))
            if content is not None:
                return content
    return None


def write(source: Path, name: str, content: bytes, replaces: str) -> None:
    """Keep an entry in the first folder that takes it; failing to is not an error.

    Other entries whose names begin with ``replaces`` are of older sources, and are deleted.
    """
    for path in candidates(source):
        with suppress(OSError):
            # Beside the package it may be read by all who can read that.
            mode = 0o755 if path == beside(source) else 0o700
            path.mkdir(mode, parents=True, exist_ok=True)
            with _opened(path, source) as folder:
                folder.replace(name, sealed(name, content))
                folder.clean_up(name, replaces)
                break
    for old in (source / "__pycache__").glob(f"*{END}"):  # where earlier versions kept them
        with suppress(OSError):
            old.unlink()


def sealed(name: str, content: bytes) -> bytes:
    """Return an entry with its checksum."""
    return _MAGIC + _CHECKSUM(name.encode() + b"\0" + content).digest() + content


def _checked(name: str, entry: bytes) -> bytes | None:
    """Return the content of an entry whose checksum is right."""
    start = len(_MAGIC) + _CHECKSUM().digest_size
    content = entry[start:]
    return content if entry == sealed(name, content) else None


class _Folder:
    """An open folder, whose files are reached through its descriptor, whatever its path says."""

    def __init__(
        self, path: Path, descriptor: int | None, owners: frozenset[int], others: int = 0
    ) -> None:
        self._path, self._descriptor, self._owners = path, descriptor, owners
        self._others = others  # than the owner, who may write

    def _open(self, name: str, flags: int) -> int:
        flags |= _NO_LINK | getattr(os, "O_BINARY", 0)
        if self._descriptor is None:
            return os.open(self._path / name, flags, 0o644)
        return os.open(name, flags, 0o644, dir_fd=self._descriptor)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file that nobody else can have written."""
        with os.fdopen(self._open(name, os.O_RDONLY), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LONGEST:
                raise PermissionError(f"{name} is not an entry")
            if _HAS_OWNERS and (
                status.st_uid not in self._owners or status.st_mode & _OTHERS_WRITE & ~self._others
            ):
                raise PermissionError(f"others can write {name}")
            return file.read()

    def replace(self, name: str, content: bytes) -> None:
        """Write a file as a whole or not at all."""
        temporary = f"{name}.{secrets.token_hex(8)}.tmp"
        try:
            with os.fdopen(self._open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as f:
                f.write(content)
            if self._descriptor is None:
                (self._path / temporary).replace(self._path / name)
            else:
                os.replace(
                    temporary, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor
                )
        except OSError:
            self._delete(temporary)  # the disk may have been full halfway
            raise

    def clean_up(self, keep: str, start: str) -> None:
        """Delete entries that begin like this, and what killed processes left behind."""
        # What shares the name up to the digest of the sources shares all that matters here.
        alike = keep.rpartition("-")[0]
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            old = name.endswith(_ENDS) and not (alike and name.startswith(f"{alike}-"))
            if name.startswith(start) and (old or (name.endswith(".tmp") and self._is_old(name))):
                self._delete(name)

    def _is_old(self, name: str) -> bool:
        path = self._path / name if self._descriptor is None else name
        with suppress(OSError):
            changed = os.stat(path, dir_fd=self._descriptor, follow_symlinks=False).st_mtime
            return time.time() - changed > _LEFT_BEHIND
        return False

    def _delete(self, name: str) -> None:
        with suppress(OSError):
            if self._descriptor is None:
                (self._path / name).unlink()
            else:
                os.unlink(name, dir_fd=self._descriptor)


@contextmanager
def _opened(path: Path, source: Path) -> Iterator[_Folder]:
    """Open a folder; raise ``OSError`` if it is not there, or if others can write to it.

    The folder beside the package is as good as its sources: nobody may write to it who cannot write
    to those. Any other belongs to the user alone.
    """
    if not _HAS_OWNERS:
        if not path.is_dir():
            raise FileNotFoundError(path)
        yield _Folder(path, None, frozenset())
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _NO_LINK)
    try:
        status, owners, others = os.fstat(descriptor), {os.geteuid()}, 0
        if path in (beside(source), SHIPPED):
            origin = (path.parent if path == SHIPPED else source).stat()
            owners |= {0, origin.st_uid}
            if status.st_gid == origin.st_gid:
                others = origin.st_mode & _OTHERS_WRITE
        if status.st_uid not in owners or status.st_mode & _OTHERS_WRITE & ~others:
            raise PermissionError(f"others can write to {path}")
        # What came with the sources may be written by whom they may be written by.
        yield _Folder(path, descriptor, frozenset(owners), others if path == SHIPPED else 0)
    finally:
        os.close(descriptor)
