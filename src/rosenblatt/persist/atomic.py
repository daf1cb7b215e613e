"""Writing a file as a whole or not at all.

What is new goes to a temporary file next to the old one, is synced to the disk, and takes the old
one's name in one step. Whenever that ends early, by an error, a signal or a power cut, the name
stands for the old file or for the new one, and never for a part.

A process that is killed leaves its temporary file behind; the next one that writes the same file
removes it. Each locks its own while it is at work, so a file that is not locked has been abandoned.
"""

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_SHOWN = 50  # characters of a name in that of its temporary file: names have a limit
_WORDS = {
    errno.ENOSPC: "no space left on the device",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "there is no such folder",
    errno.ENOTDIR: "there is no such folder",
    errno.EIO: "the device failed",
}
# Some network file systems cannot sync a folder, and say so.
_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
_TEMPORARY, _SECOND = ".rosenblatt.tmp", ".rosenblatt.old"
_tidied: set[Path] = set()  # what this process looked for remains of


def write_atomically(path: str | os.PathLike[str], parts: Iterable[bytes | memoryview]) -> None:
    """Put the parts, one after the other, in place of a file.

    Parameters
    ----------
    path : str or path
        The file. A symbolic link stays, and what it points to is replaced. An existing file's
        permissions are kept; a new one gets those that the umask leaves.
    parts : iterable of bytes or memoryview
        What to write.

    Raises
    ------
    OSError
        If it cannot be written. Then the old file, if there was one, is as it was.
    """
    target = Path(path)
    with _one_clear_line(target):
        _write(_real(target), parts)


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError:  # what Python before 3.13 says of links that go round in a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None


@contextmanager
def _one_clear_line(path: Path) -> Iterator[None]:
    """Say in one line what could not be written, why, and what is there now."""
    try:
        yield
    except OSError as error:
        number = error.errno or 0
        why = _WORDS.get(number) or (error.strerror or str(error) or "unknown error").lower()
        now = "the old file is as it was" if path.is_file() else "nothing was written"
        if getattr(error, "in_place", False):
            now = "the new file is in place, but a power cut now may bring the old one back"
        clear = type(error)(f"cannot write {path}: {why}; {now}")
        clear.errno = error.errno
        raise clear from error


def _write(target: Path, parts: Iterable[bytes | memoryview]) -> None:
    old = _mode(target)
    if target not in _tidied:
        _tidied.add(target)
        with suppress(OSError):
            _remove_remains(target)
    temporary, descriptor = _create(target)
    lock = -1
    try:
        try:
            if old is not None:
                temporary.chmod(old)
            for part in parts:
                _write_all(descriptor, part)
            os.fsync(descriptor)
            if os.name != "nt":  # where an open file cannot be renamed, and there is no lock
                lock = os.dup(descriptor)
        finally:
            os.close(descriptor)
        _swap(temporary, target, old is not None)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    finally:
        if lock >= 0:
            with suppress(OSError):
                os.close(lock)


def _create(target: Path) -> tuple[Path, int]:
    """Make a temporary file next to a file, and lock it."""
    while True:
        token = secrets.token_hex(8)
        temporary = target.with_name(f".{target.name[:_SHOWN]}.{token}{_TEMPORARY}")
        descriptor = os.open(temporary, _NEW, 0o666)
        # Somebody may take it for a remain before it is locked, and delete it or be about to.
        with suppress(BlockingIOError):
            if not _lock(descriptor) or _is_at(temporary, descriptor):
                return temporary, descriptor
        os.close(descriptor)
        with suppress(OSError):
            temporary.unlink()


def _lock(descriptor: int) -> bool:
    """Lock a file until it is closed, or its process ends; say whether there are locks at all.

    Raises ``BlockingIOError`` if somebody else has locked it.
    """
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # the file system has no locks
        return False
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Say whether a name still stands for an open file."""
    with suppress(OSError):
        there, ours = path.lstat(), os.fstat(descriptor)
        return (there.st_dev, there.st_ino) == (ours.st_dev, ours.st_ino)
    return False


def _remove_remains(target: Path) -> None:
    """Delete what processes that were killed left next to a file. What is locked stays."""
    if sys.platform == "win32":
        return
    name = re.escape(f".{target.name[:_SHOWN]}.")
    ours = re.compile(rf"({name}[0-9a-f]{{16}})({re.escape(_TEMPORARY)}|{re.escape(_SECOND)})")
    for found in [ours.fullmatch(path.name) for path in target.parent.iterdir()]:
        if found is None:
            continue
        path, temporary = target.with_name(found[0]), target.with_name(found[1] + _TEMPORARY)
        # A second name is of use until the temporary file, which then has the first one, is no
        # longer locked.
        users = (temporary, target) if found[2] == _SECOND else ()
        with suppress(OSError), _all_locked(*users, path) as free:
            if free:
                path.unlink()


@contextmanager
def _all_locked(*paths: Path) -> Iterator[bool]:
    """Lock files, where they exist; say whether all are regular ones of this user, and free."""
    with ExitStack() as held:
        mine: set[tuple[int, int]] = set()  # two names of one file need one lock
        for path in paths:
            try:
                descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except FileNotFoundError:
                continue
            held.callback(os.close, descriptor)
            facts = os.fstat(descriptor)
            regular = stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid()
            known = (facts.st_dev, facts.st_ino) in mine
            if not regular or not (known or _lock(descriptor)):
                yield False
                return
            mine.add((facts.st_dev, facts.st_ino))
        yield True


def _mode(target: Path) -> int | None:
    """Return the permissions of an existing file; None if there is none."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):  # replacing a device or a pipe would not write to it
        raise OSError(errno.EINVAL, "it is not a regular file")
    return mode & 0o777


def _write_all(descriptor: int, part: bytes | memoryview) -> None:
    view = memoryview(part)
    rest = view.cast("B") if view.nbytes else view[:0]
    while rest.nbytes:
        written = os.write(descriptor, rest)
        if written <= 0:
            raise OSError(errno.EIO, "nothing was written")
        rest = rest[written:]


def _swap(temporary: Path, target: Path, exists: bool) -> None:
    """Give the temporary file the target's name; take that back if the folder cannot be synced."""
    with _folder(target.parent) as folder:
        spare = _second_name(temporary, target) if exists else None
        try:
            temporary.replace(target)
            try:
                _sync(folder)
            except BaseException as error:
                if spare is not None:
                    spare.replace(target)
                elif not exists:
                    target.unlink()
                else:
                    error.in_place = True  # type: ignore[attr-defined]
                raise
        finally:
            if spare is not None:
                with suppress(OSError):
                    spare.unlink()


def _second_name(temporary: Path, target: Path) -> Path | None:
    """Give a file a second name to come back by, where the file system can."""
    spare = temporary.with_name(temporary.name.removesuffix(_TEMPORARY) + _SECOND)
    try:
        spare.hardlink_to(target)
    except OSError:
        return None
    return spare


@contextmanager
def _folder(path: Path) -> Iterator[int | None]:
    """Open a folder to sync it, before anything is renamed; None where that is not possible."""
    if os.name == "nt":
        yield None
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder that can be written to but not read
        yield None
        return
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _sync(folder: int | None) -> None:
    if folder is None:
        return
    try:
        os.fsync(folder)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
