"""The one decorator that compiles, with a disk cache that cannot run old code.

Numba files compiled code under the source of the outer function alone: edit a function it calls
and the old machine code runs on. Here the key is a digest of the function's file and of all files
that it imports, directly or through others: compiled code can reach nothing else. Layers import
downward only, so those are files of `kernels` and of the layers below it; the decorator refuses a
function from anywhere else. A cache entry is one file named by what it holds, so processes that
compile at the same time cannot mix up each other's entries either.
"""

import hashlib
import pickle
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys

from rosenblatt.kernels import compile_cache, levels
from rosenblatt.kernels.compile_cache import short_digest

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be regrouped (that is what lets them run in parallel lanes), but NaN and infinity keep
# their meaning, so an overflow is seen and not assumed away.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
REACHABLE = ("data", "geometry", "kernels")
# Interpreters and versions of Numba that share a folder must not share entries, nor delete them.
# Code that checks its indices (NUMBA_BOUNDSCHECK) is other code.
RUNTIME = f"{sys.implementation.cache_tag} {numba.__version__} {llvmlite.__version__}" + (
    " checked" if numba.config.BOUNDSCHECK else ""
)
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.M
)


def make_jit(
    package: Path,
    folders: tuple[str, ...],
    fastmath: set[str] | bool = FASTMATH,
    nogil: bool = True,
    forceinline: bool = False,
) -> Callable[[F], F]:
    """Make a decorator that compiles functions of these folders of a package."""

    def jit(function: F) -> F:
        source = Path(function.__code__.co_filename)
        if not any(source.is_relative_to(package / folder) for folder in folders):
            raise TypeError(
                f"{function.__name__} is compiled in {source}, outside of {', '.join(folders)}: "
                "a change there would not be noticed by the cache. Move the loop to kernels/"
            )
        options = {"nogil": nogil, "fastmath": fastmath, "forceinline": forceinline}
        dispatcher = numba.njit(error_model="numpy", _target=levels.NAME, **options)(function)
        dispatcher._cache = DigestCache(function, source_digest(source, package))
        return dispatcher  # type: ignore[no-any-return]

    return jit


def for_types_of(function: Any, *args: Any) -> Any:
    """Return a compiled function for arguments of these types alone: it does not look at them."""
    return function.compile(tuple(numba.typeof(arg) for arg in args))


@cache
def source_digest(source: Path, package: Path) -> str:
    """Digest the text of a module and of every module of the package that it reaches."""
    digest = hashlib.sha256()
    for path in sorted(reached(source, package)):
        digest.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def reached(source: Path, package: Path) -> set[Path]:
    """Return a module's file and those of all modules of the package that it imports."""
    found, new = set[Path](), {source}
    while new:
        found |= new
        new = {path for each in new for path in imported(each, package)} - found
    return found


@cache
def imported(source: Path, package: Path) -> frozenset[Path]:
    """Return the files of the package that a module's text imports, anywhere in it.

    The text is searched, not parsed, as that takes a hundredth of the time. A line of a docstring
    that looks like an import is taken for one, which does no harm.
    """
    found = set[Path]()
    for origin, names, plain in _IMPORT.findall(source.read_text("utf-8")):
        if plain:
            asked = [part.split()[0] for part in plain.split("#")[0].split(",") if part.strip()]
        else:
            words = re.sub(r"#[^\n]*|[()]", " ", names).split(",")
            inside = origin if origin.endswith(".") else f"{origin}."
            asked = [origin, *(f"{inside}{word.split()[0]}" for word in words if word.strip())]
        for module in asked:
            found.update(_files_of(module, source, package))
    return frozenset(found)


def _files_of(module: str, source: Path, package: Path) -> Iterator[Path]:
    """Yield the files that are executed when a module is imported, if it is of the package."""
    if module.startswith("."):
        inner = module.lstrip(".")
        above = len(module) - len(inner)
        folder, parts = source.parents[above - 1], inner.split(".") if inner else []
    else:
        first, *parts = module.split(".")
        if first != package.name:
            return
        folder = package
    for k in range(len(parts) + 1):
        place = folder.joinpath(*parts[:k])
        # The package's own first file only names what others define.
        for path in (place.with_suffix(".py"), place / "__init__.py"):
            if place != package and path.is_file():
                yield path


class DigestCache(_Cache):
    """Compiled code of one function on disk, one file for each signature and level."""

    # The functions and types that Python's code called this process's loops with.
    calls: ClassVar[list[tuple[Callable[..., Any], Any]]] = []

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        self.function, code = function, function.__code__
        self.source = Path(code.co_filename)
        self.key = function.__qualname__, code.co_firstlineno, digest, RUNTIME
        self.start = f"{self.source.stem}.{function.__name__}-{short_digest(RUNTIME)}-"
        self.prefix = f"{self.start}{digest[:8]}-"
        self.enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder that entries are in; None if there is none."""
        return compile_cache.first_folder(self.source.parent)

    def file_name(self, sig: Any, codegen: Any) -> str:
        """Name an entry by all that its machine code depends on."""
        # Numba names a tuple by its class alone: where which field is, is part of the code, too.
        fields = [list(fields_of(kind)) for kind in sig]
        key = (self.source.name, *self.key, str(sig), fields, codegen.magic_tuple())
        return f"{self.prefix}{short_digest(repr(key), 32)}{compile_cache.END}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function, or None if it must be compiled."""
        # All that loading needs; what compiling needs takes a quarter of a second to import.
        rtsys.initialize(target_context)
        directly, levels.called.directly = levels.called.directly, False
        if not self.enabled:
            return None
        name = self.file_name(sig, target_context.codegen())
        content = compile_cache.read(self.source.parent, name)
        if directly:
            self.calls.append((self.function, sig))
            if content is None and is_interactive():
                # Not imported by name: no machine code depends on it.
                import_module("rosenblatt.kernels.warm_up").announce(self.calls)
                content = compile_cache.read(self.source.parent, name)
        if content is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(content))
        except Exception:  # written by another build of Numba, say: compile, and write it anew
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the compiled function; failing to is not an error."""
        if not self.enabled or data.lifted or data.library.has_dynamic_globals:
            return
        # The types of variables, as text for people, name files of this machine.
        data = data._replace(type_annotation="")
        content = pickle.dumps(data._reduce(), protocol=pickle.HIGHEST_PROTOCOL)
        name = self.file_name(sig, data.codegen)
        compile_cache.write(self.source.parent, name, content, self.start)

    def enable(self) -> None:
        """Use the disk."""
        self.enabled = True

    def disable(self) -> None:
        """Leave the disk alone."""
        self.enabled = False

    def flush(self) -> None:
        """Forget every entry of this function."""
        compile_cache.forget(self.source.parent, self.start)


def is_interactive() -> bool:
    """Say whether somebody waits for this process: its standard error is a terminal."""
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def fields_of(kind: Any) -> Iterator[str]:
    """Yield the names of the fields of a type's tuples, one inside the other."""
    yield from getattr(kind, "fields", ())
    for part in getattr(kind, "types", ()):
        yield from fields_of(part)


jit = make_jit(Path(__file__).parents[1], REACHABLE)
# For code that must round as IEEE 754 says: no sum is regrouped, no quotient is a product.
exact_jit = make_jit(Path(__file__).parents[1], REACHABLE, fastmath=False)
# For small functions with many arguments, a call of which takes longer than they do.
inlined_jit = make_jit(Path(__file__).parents[1], REACHABLE, fastmath=False, forceinline=True)
# For code that looks at Python's objects, which it may only while no other thread runs.
holding_jit = make_jit(Path(__file__).parents[1], REACHABLE, nogil=False)
