"""The one decorator that compiles, with a disk cache that cannot run old code.

Numba files compiled code under the source of the outer function alone: edit a function it calls
and the old machine code runs on. Here the key is a digest of the function's file and of all files
that it imports, directly or through others: compiled code can reach nothing else. Layers import
downward only, so those are files of `kernels` and of the layers below it; the decorator refuses a
function from anywhere else. A cache entry is one file named by what it holds, so processes that
compile at the same time cannot mix up each other's entries either.

Where the entry of a loop is there it is loaded and called without Numba, which is imported only to
compile (ADR 0038).
"""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar, TypeVar

import llvmlite

from rosenblatt.kernels import compile_cache
from rosenblatt.kernels.compile_cache import short_digest
from rosenblatt.kernels.interrupts import uninterrupted
from rosenblatt.kernels.signatures import Text, fields_of, key_of, read, spell, spell_name
from rosenblatt.kernels.sources import is_as_imported, source_digest

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

# Sums may be regrouped (that is what lets them run in parallel lanes), but NaN and infinity keep
# their meaning, so an overflow is seen and not assumed away.
FASTMATH = {"reassoc", "contract", "nsz", "arcp"}
REACHABLE = ("data", "geometry", "kernels")
# The loops that Python's code called in this process, and the types it called them with.
calls: list[tuple[str, tuple[Text, ...]]] = []
_LOCK = threading.RLock()


class Waiting(threading.local):
    """How long this thread has waited for loops to be compiled; ``all_threads``, how long any."""

    seconds = 0.0
    all_threads: ClassVar = [0.0]  # shared: only whoever holds the lock compiles


waiting = Waiting()


def working_time() -> float:
    """Return a time in seconds that does not pass while this thread waits for compiled loops."""
    return perf_counter() - waiting.seconds


def waited_for(result: Callable[[], T]) -> T:
    """Return the result of another thread; the time that it compiles is not the caller's."""
    began, before = perf_counter(), waiting.all_threads[0]
    try:
        return result()
    finally:
        compiled = waiting.all_threads[0] - before
        waiting.seconds += min(perf_counter() - began, compiled)


class Loop:
    """A function that is compiled for the types of its arguments when it is called with them.

    Numba's own object for the function is made when it is compiled, alone or as a part of another.
    """

    __name__: str
    __qualname__: str

    def __init__(
        self,
        function: Callable[..., Any],
        package: Path,
        options: dict[str, Any],
        is_method: bool = False,
    ) -> None:
        update_wrapper(self, function)
        self.is_method = is_method
        self.py_func, self.options = function, options
        self.source, self.package = Path(function.__code__.co_filename), package
        self.n_compiled = 0
        self._count = function.__code__.co_argcount
        self._ready: dict[Any, Callable[..., Any]] = {}
        self._dispatcher: Any = None

    def __call__(self, *args: Any) -> Any:
        """Call the compiled function."""
        if len(args) != self._count:
            args = self._complete(args)
        key = tuple([key_of(each) for each in args])
        function = self._ready.get(key)
        if function is None:
            function = self._prepare(key, args)
        return function(*args)

    def ready(self, *args: Any) -> Callable[..., Any]:
        """Return the compiled function for arguments of these types."""
        args = self._complete(args)
        key = tuple([key_of(each) for each in args])
        return self._ready.get(key) or self._prepare(key, args)

    def _complete(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Append the defaults of arguments that were left out."""
        defaults = self.py_func.__defaults__ or ()
        lacking = self._count - len(args)
        if not 0 <= lacking <= len(defaults):
            raise TypeError(f"{self.__name__} takes {self._count} arguments, not {len(args)}")
        return args + defaults[len(defaults) - lacking :]

    def __reduce__(self) -> str:
        return self.__qualname__  # it is pickled by its name

    def resolve(self) -> Any:
        """Return Numba's object for the function."""
        if self._dispatcher is None:
            from rosenblatt.kernels.compiler import declared

            self._dispatcher = declared(self.py_func, self.options, self.is_method)
        return self._dispatcher

    def _prepare(self, key: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
        """Load or compile the function for some types."""
        with _LOCK:
            if key in self._ready:
                return self._ready[key]
            try:
                types = tuple(map(spell, key))
            except TypeError:  # nothing that would be called often: not stored
                import numba

                function, _ = self._compiled(tuple(map(numba.typeof, args)))
            else:
                calls.append((spell_name(self), types))
                function = self._load(types) or self._wait_for(types)
            self._ready[key] = function
            return function

    def _wait_for(self, types: tuple[Text, ...]) -> Callable[..., Any]:
        """Compile the function, and what else will be needed; the time is not the caller's."""
        began, function = perf_counter(), None
        if is_interactive():
            # Not imported by name: no machine code depends on it.
            import_module("rosenblatt.kernels.warm_up").announce(calls)
            function = self._load(types)
        function = function or self.compile(types)
        spent = perf_counter() - began
        waiting.seconds += spent
        waiting.all_threads[0] += spent
        return function

    def _load(self, types: tuple[Text, ...]) -> Callable[..., Any] | None:
        """Return the function from disk, if it is there."""
        found: list[Any] = []

        def work() -> None:
            if not is_as_imported(self.source, self.package):
                return
            content = compile_cache.read(self.source.parent, self.entry_name(types))
            if content is None:
                return
            from rosenblatt.kernels.machine_code import load

            with suppress(Exception):  # another build of Numba, say: compile, and write it anew
                found.append(load(content, sys.modules[self.__module__], self.__name__))

        # Interrupted, LLVM's lock could stay locked, and other threads would wait for ever.
        uninterrupted(work)
        return found[0] if found else None

    def compile(self, types: tuple[Text, ...]) -> Callable[..., Any]:
        """Compile the function for types, as text, and keep it on disk."""
        function, content = self._compiled(tuple(map(read, types)))
        if content is not None and is_as_imported(self.source, self.package):
            name = self.entry_name(types)
            compile_cache.write(self.source.parent, name, content, self._start())
        return function

    def _compiled(self, types: tuple[Any, ...]) -> tuple[Callable[..., Any], bytes | None]:
        """Compile the function for Numba's types."""
        from rosenblatt.kernels.compiler import compiled

        self.n_compiled += 1
        return compiled(self.resolve(), types)

    def entry_name(self, types: tuple[Text, ...]) -> str:
        """Name an entry by all that its machine code depends on."""
        digest = source_digest(self.source, self.package)
        where = self.source.name, self.__qualname__, self.py_func.__code__.co_firstlineno
        # A tuple is named by its class alone: where which field is, is part of the code, too.
        key = (*where, digest, runtime(), types, fields_of(["tuple", *types]), target())
        return f"{self._start()}{digest[:8]}-{short_digest(repr(key), 32)}{compile_cache.END}"

    def _start(self) -> str:
        return f"{self.source.stem}.{self.__name__}-{short_digest(runtime())}-"


def make_jit(
    package: Path,
    folders: tuple[str, ...],
    fastmath: set[str] | bool = FASTMATH,
    nogil: bool = True,
    forceinline: bool = False,
    is_method: bool = False,
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
        # For type checkers a loop is the function that it compiles.
        return Loop(function, package, options, is_method)  # type: ignore[return-value]

    return jit


def for_types_of(loop: Any, *args: Any) -> Callable[..., Any]:
    """Return a compiled function for arguments of these types alone: it does not look at them."""
    assert isinstance(loop, Loop)
    return loop.ready(*args)


def method_of(loop: Any, owner: Any, *types: Any) -> Callable[..., Any]:
    """Return a compiled method of an object; ``types`` are examples of its other arguments."""
    assert isinstance(loop, Loop)
    assert loop.is_method
    method: Any = loop.ready(0, 0, 0, *types)
    return method.bind(owner)  # type: ignore[no-any-return]


@cache
def runtime() -> str:
    """Say what machine code is made by and runs in.

    Interpreters and versions of Numba that share a folder must not share entries, nor delete them.
    Code that checks its indices (NUMBA_BOUNDSCHECK) is other code.
    """
    from llvmlite.binding.targets import has_svml

    from rosenblatt.kernels.levels import numba_setting

    checked = " checked" if str(numba_setting("BOUNDSCHECK") or 0) not in ("0", "False") else ""
    vectors = " svml" if has_svml() else ""
    versions = f"{sys.implementation.cache_tag} {numba_version()} {llvmlite.__version__}"
    return f"{versions}{checked}{vectors}"


def numba_version() -> str:
    """Return the version of Numba that is installed, without importing it."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        raise ImportError("Numba is not installed: pip install numba")
    try:
        text = Path(spec.origin).with_name("_version.py").read_text("utf-8")
        return text.partition('"version": "')[2].partition('"')[0] or _ask_numba()
    except OSError:
        return _ask_numba()


def _ask_numba() -> str:
    return str(import_module("numba").__version__)


@cache
def target() -> tuple[str, str, str]:
    """Return the system and the level of processors that code is compiled for."""
    from llvmlite import binding

    from rosenblatt.kernels.levels import level

    return (binding.get_process_triple(), *level())


def is_interactive() -> bool:
    """Say whether somebody waits for this process: in a notebook, or at a terminal."""
    if type(sys.stderr).__module__.startswith("ipykernel"):
        return True
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


_make = partial(make_jit, Path(__file__).parents[1], REACHABLE)
jit = _make()
# For code that must round as IEEE 754 says: no sum is regrouped, no quotient is a product.
exact_jit = _make(fastmath=False)
# For small functions with many arguments, a call of which takes longer than they do.
inlined_jit = _make(fastmath=False, forceinline=True)
# For code that looks at Python's objects, which it may only while no other thread runs.
holding_jit = _make(nogil=False)
# For such code that Python calls in no time: see `rosenblatt.kernels.machine_code.Method`.
method_jit = _make(nogil=False, is_method=True)
