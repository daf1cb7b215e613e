"""The one decorator that compiles, with a disk cache that cannot run old code.

Numba files compiled code under the source of the outer function alone: edit a function it calls
and the old machine code runs on. Here the key is a digest of every source file that compiled code
can reach. Layers import downward only, so those are the files of `kernels` and of the layers below
it; the decorator refuses a function from anywhere else. A cache entry is one file named by what it
holds, so processes that compile at the same time cannot mix up each other's entries either.
"""

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be regrouped (that is what lets them run in parallel lanes), but NaN and infinity keep
# their meaning, so an overflow is seen and not assumed away.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
REACHABLE = ("data", "geometry", "kernels")
# Interpreters and versions of Numba that share a folder must not share entries, nor delete them.
# Code that checks its indices (NUMBA_BOUNDSCHECK) is other code.
RUNTIME = f"{sys.implementation.cache_tag} {numba.__version__}" + (
    " checked" if numba.config.BOUNDSCHECK else ""
)


def make_jit(
    package: Path,
    folders: tuple[str, ...],
    fastmath: set[str] | bool = FASTMATH,
    nogil: bool = True,
) -> Callable[[F], F]:
    """Make a decorator that compiles functions of these folders of a package."""
    digest = source_digest(package, folders)

    def jit(function: F) -> F:
        source = Path(function.__code__.co_filename)
        if not any(source.is_relative_to(package / folder) for folder in folders):
            raise TypeError(
                f"{function.__name__} is compiled in {source}, outside of {', '.join(folders)}: "
                "a change there would not be noticed by the cache. Move the loop to kernels/"
            )
        dispatcher = numba.njit(nogil=nogil, fastmath=fastmath, error_model="numpy")(function)
        dispatcher._cache = DigestCache(function, digest)
        return dispatcher  # type: ignore[no-any-return]

    return jit


def for_types_of(function: Any, *args: Any) -> Any:
    """Return a compiled function for arguments of these types alone: it does not look at them."""
    return function.compile(tuple(numba.typeof(arg) for arg in args))


def source_digest(package: Path, folders: tuple[str, ...]) -> str:
    """Digest the text of every module in these folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((package / folder).rglob("*.py")):
            digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


class DigestCache(_Cache):
    """Compiled code of one function on disk, one file for each signature and processor."""

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        code = function.__code__
        self.source = Path(code.co_filename)
        self.key = function.__qualname__, code.co_firstlineno, digest, RUNTIME
        self.name = f"{self.source.stem}.{function.__name__}-{_short(RUNTIME)}"
        self.prefix = f"{self.name}-{digest[:8]}-"
        self.enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder new entries go to; None where nothing can be written."""
        folder = writable_folder(self.source.parent)
        return None if folder is None else str(folder)

    def file_name(self, sig: Any, codegen: Any) -> str:
        """Name an entry by all that its machine code depends on."""
        key = (self.source.name, *self.key, str(sig), codegen.magic_tuple())
        return f"{self.prefix}{_short(repr(key), 32)}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function, or None if it must be compiled."""
        # All that loading needs; what compiling needs takes a quarter of a second to import.
        rtsys.initialize(target_context)
        name = self.file_name(sig, target_context.codegen())
        for folder in folders_for(self.source.parent) if self.enabled else ():
            try:
                payload = pickle.loads((folder / name).read_bytes())
                return CompileResult._rebuild(target_context, *payload)
            except Exception:  # none there, or a damaged one: compile, and write it anew
                continue
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the compiled function; failing to is not an error."""
        folder = writable_folder(self.source.parent) if self.enabled else None
        if folder is None or data.lifted or data.library.has_dynamic_globals:
            return
        target = folder / self.file_name(sig, data.codegen)
        content = pickle.dumps(data._reduce(), protocol=pickle.HIGHEST_PROTOCOL)
        temporary = target.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            temporary.write_bytes(content)
            temporary.replace(target)
        with suppress(OSError):
            temporary.unlink(missing_ok=True)  # the disk may have been full halfway
            for path in folder.glob(f"{self.name}-*.nbc"):
                if not path.name.startswith(self.prefix):
                    path.unlink()  # of an older source

    def enable(self) -> None:
        """Use the disk."""
        self.enabled = True

    def disable(self) -> None:
        """Leave the disk alone."""
        self.enabled = False

    def flush(self) -> None:
        """Forget every entry of this function."""
        for folder in folders_for(self.source.parent):
            for path in folder.glob(f"{self.name}-*.nbc"):
                path.unlink(missing_ok=True)


@cache
def folders_for(source: Path) -> tuple[Path, ...]:
    """List the folders that may hold compiled code for a source folder, the best first.

    ``NUMBA_CACHE_DIR`` comes first, then the package's own ``__pycache__``, then the user's cache
    folder, then one in the temporary folder that nobody else can write to.
    """
    place = f"rosenblatt-{_short(str(source), 12)}"
    folders = [source / "__pycache__"]
    if numba.config.CACHE_DIR:
        folders.insert(0, Path(numba.config.CACHE_DIR) / place)
    user = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    with suppress(RuntimeError):  # nobody's home: a user without an entry, as in some containers
        folders.append(Path(user).expanduser() / place)
    with suppress(OSError):  # nowhere to put temporary files
        owner = os.getuid() if hasattr(os, "getuid") else 0
        folders.append(Path(tempfile.gettempdir()) / f"{place}-{owner}")
    return tuple(folder for folder in folders if _trusted(folder, source))


@cache
def writable_folder(source: Path) -> Path | None:
    """Return the first of those folders that a file can be written to."""
    for folder in folders_for(source):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        if _trusted(folder, source):
            return folder
    return None


def _trusted(folder: Path, source: Path) -> bool:
    """Say whether code may be loaded from here: nobody else must be able to write to it.

    Whoever can write beside the sources can change those, so that folder is as good as they are.
    """
    if folder.parent == source or not hasattr(os, "getuid"):
        return True
    try:
        status = folder.lstat()
    except OSError:
        return True  # not there yet; it is checked again once it is made
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def _short(text: str, length: int = 8) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:length]


jit = make_jit(Path(__file__).parents[1], REACHABLE)
# For code that must round as IEEE 754 says: no sum is regrouped, no quotient is a product.
exact_jit = make_jit(Path(__file__).parents[1], REACHABLE, fastmath=False)
# For code that looks at Python's objects, which it may only while no other thread runs.
holding_jit = make_jit(Path(__file__).parents[1], REACHABLE, nogil=False)
