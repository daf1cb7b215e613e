"""The target of compiled loops: a level of processors, not the one processor that compiles.

Numba compiles for the processor it runs on, by name. Such code is of no use to another one, and
rounds as this one does: where a name says which instructions are fast, sums are grouped otherwise.
Here code is compiled for the highest level of the x86-64 psABI that the processor has (x86-64-v2,
-v3 or -v4), or for any 64-bit ARM: it runs on every processor of the level, to the same bits.

The level is a target of its own, derived from Numba's for processors, with its own context: other
users of Numba in the process compile as if this package were not there. ``NUMBA_CPU_NAME`` and
``NUMBA_CPU_FEATURES`` override the level, as they override the processor in Numba.
"""

import platform
import threading
from functools import cache, partial
from time import perf_counter
from typing import Any

import numba
from llvmlite import binding
from numba.core import typing
from numba.core.codegen import JITCPUCodegen
from numba.core.cpu import CPUContext
from numba.core.externals import c_math_functions
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target
from numba.core.target_extension import (
    CPU,
    current_target,
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)
from numba.core.utils import MACHINE_BITS, threadsafe_cached_property

NAME = "rosenblatt"
# What a level has that the one before has not, as LLVM names it.
X86_LEVELS = {
    "x86-64-v2": ("cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"),
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"),
    "x86-64-v4": ("avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"),
}


@cache
def level() -> tuple[str, str]:
    """Return the processor and the features to compile for, as LLVM names them."""
    if numba.config.CPU_NAME is not None or numba.config.CPU_FEATURES is not None:
        name = numba.config.CPU_NAME or binding.get_host_cpu_name()
        return name, numba.config.CPU_FEATURES or ""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64"):
        name = highest_x86(dict(binding.get_host_cpu_features()), bool(numba.config.ENABLE_AVX))
    elif machine in ("arm64", "aarch64"):
        name = "generic"
    else:  # as Numba does
        return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return name, ""


def highest_x86(features: dict[str, bool], avx: bool = True) -> str:
    """Return the highest level whose features are all there, each level having the ones before."""
    highest = "x86-64"
    for name, needed in X86_LEVELS.items():
        if not all(features.get(each) for each in needed) or ("avx" in needed and not avx):
            break
        highest = name
    return highest


class LevelCodegen(JITCPUCodegen):
    """Numba's code generator, for a level."""

    def _get_host_cpu_name(self) -> str:
        return level()[0]

    def _get_host_cpu_features(self) -> str:
        return level()[1]


class LevelContext(CPUContext):
    """Numba's context for lowering, with the code generator for a level."""

    def init(self) -> None:
        """Do what Numba's context does, which would make the code generator for the processor."""
        self.is32bit = MACHINE_BITS == 32
        self._internal_codegen = LevelCodegen("rosenblatt.exec")
        c_math_functions.install(self)


class LevelTyping(typing.Context):
    """Numba's context for type inference, in which compiled functions are those of the level."""

    def resolve_value_type(self, val: Any) -> Any:
        """Return the type of a value; that of Numba's own functions is that of their twins."""
        if type(val) is CPUDispatcher:
            val = twin(val)
        return super().resolve_value_type(val)


class LevelTarget(CPUTarget):
    """The contexts of loops of this package, apart from Numba's own."""

    @threadsafe_cached_property
    def _toplevel_typing_context(self) -> LevelTyping:
        return LevelTyping()

    @threadsafe_cached_property
    def _toplevel_target_context(self) -> LevelContext:
        return LevelContext(self.typing_context, self._target_name)


class Level(CPU):
    """A level of processors, as a target: whatever Numba has for processors is for it, too."""


class Called(threading.local):
    """What is being compiled by this thread, and how long it took so far."""

    directly = False  # whether the next function to be loaded is called by Python's code
    compiling = 0.0  # seconds


called = Called()


def working_time() -> float:
    """Return a time in seconds that does not pass while this thread compiles."""
    return perf_counter() - called.compiling


class LevelDispatcher(CPUDispatcher):
    """Compiles a function for each signature it is called with, for the level."""

    targetdescr = LevelTarget(NAME)

    def compile(self, sig: Any) -> Any:
        """Load or compile a signature, and what is compiled on the way, for the level."""
        if current_target() == NAME:  # as a part of another
            return super().compile(sig)
        began, misses = perf_counter(), self._cache_misses.total()
        called.directly = True
        with target_override(NAME):
            entry = super().compile(sig)
        if self._cache_misses.total() > misses:
            called.compiling += perf_counter() - began
        return entry

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how compiled code calls this; code for the processor itself may, too."""
        template = super().get_call_template(args, kws)
        if current_target() != NAME:
            found = self.overloads[tuple(template[2])]
            context = cpu_target.target_context
            context.insert_user_function(found.entry_point, found.fndesc, [found.library])
        return template


@cache
def twin(dispatcher: CPUDispatcher) -> LevelDispatcher:
    """Return a function that was declared for this processor, such as Numba's sort, for a level."""
    return LevelDispatcher(dispatcher.py_func, dispatcher.locals, dispatcher.targetoptions)


target_registry[NAME] = Level
dispatcher_registry[Level] = LevelDispatcher
jit_registry[Level] = partial(numba.jit, _target=NAME)
