"""One at a time: a lock on a file, which goes when its holder does, however that ends."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def _acquire(handle: IO[bytes]) -> None:
        while True:
            try:
                return msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
            except PermissionError:  # another has it
                time.sleep(0.1)

    def _release(handle: IO[bytes]) -> None:
        msvcrt.locking(handle.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _acquire(handle: IO[bytes]) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    def _release(handle: IO[bytes]) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Hold the lock file at this path, waiting while another process or thread does.

    Its folder is made if there is none. Afterwards the lock file is gone, and so is the folder if
    it is empty. Yields whether the lock is held: some network file systems have no locks.
    """
    handle, held = _hold(path)
    try:
        yield held
    finally:
        if sys.platform != "win32":
            # While it is held: one who waits for it will see that it is gone, and make a new one.
            with suppress(OSError):
                path.unlink()
        if held:
            _release(handle)
        handle.close()
        with suppress(OSError):  # it is in use, or not empty
            if sys.platform == "win32":  # where a file that is open cannot be removed
                path.unlink(missing_ok=True)
            path.parent.rmdir()


def _hold(path: Path) -> tuple[IO[bytes], bool]:
    while True:
        # Another may be removing the lock file and its folder at any moment.
        with suppress(FileExistsError):
            path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError), ExitStack() as stack:
            handle = stack.enter_context(path.open("ab"))
            held = _taken(handle)
            if not held or os.path.samestat(os.fstat(handle.fileno()), path.stat()):
                stack.pop_all()  # it stays open
                return handle, held


def _taken(handle: IO[bytes]) -> bool:
    try:
        _acquire(handle)
    except OSError:
        return False
    return True
