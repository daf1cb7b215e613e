"""Compiling loops with Numba, for a level of processors: imported only where that is needed.

The level is a target of its own, derived from Numba's for processors, with its own context: other
users of Numba in the process compile as if this package were not there.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numba
from numba.core import typing
from numba.core.codegen import JITCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.environment import lookup_environment
from numba.core.externals import c_math_functions
from numba.core.registry import CPUDispatcher, CPUTarget
from numba.core.target_extension import (
    CPU,
    dispatcher_registry,
    jit_registry,
    target_override,
    target_registry,
)
from numba.core.utils import MACHINE_BITS, threadsafe_cached_property

from rosenblatt.kernels import machine_code, numba_api
from rosenblatt.kernels.levels import level

NAME = "rosenblatt"


class Part:
    """Stands for a function that Python cannot call: it was compiled as a part of another.

    Numba finds the machine code of a function by what Python calls, so each part has one of these.
    """


class LevelCodegen(JITCPUCodegen):
    """Numba's code generator, for a level."""

    depth = 0  # how many functions, one a part of another, are being compiled
    is_method = False  # whether Python is to call the outermost as one written in C

    def _add_module(self, module: Any) -> None:
        """Have machine code generated; that of a part is generated where it is a part."""
        if self.depth < 2:
            super()._add_module(module)

    def _get_host_cpu_name(self) -> str:
        return level()[0]

    def _get_host_cpu_features(self) -> str:
        return level()[1]


class LevelContext(CPUContext):
    """Numba's context for lowering, with the code generator for a level.

    A loop is made of some thirty functions. Numba would make each of them callable from Python and
    from C, which takes a third of the time; here only the loop itself is, and only from Python.
    """

    def __repr__(self) -> str:
        """Return a constant, as some versions of Numba write it into the code they compile."""
        return f"<{type(self).__name__}>"

    def init(self) -> None:
        """Do what Numba's context does, which would make the code generator for the processor."""
        self.is32bit = MACHINE_BITS == 32
        self._internal_codegen = LevelCodegen("rosenblatt.exec")
        c_math_functions.install(self)

    def create_cpython_wrapper(self, *args: Any, **kwargs: Any) -> None:
        """Make a loop callable from Python, and no part of it."""
        if self.codegen().depth < 2 and not self.codegen().is_method:
            super().create_cpython_wrapper(*args, **kwargs)

    def create_cfunc_wrapper(self, *args: Any, **kwargs: Any) -> None:
        """Make a method callable as one that is written in C, and no part of it."""
        if self.codegen().depth < 2 and self.codegen().is_method:
            super().create_cfunc_wrapper(*args, **kwargs)

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """Return what Python calls, with the constants of all parts where its code finds them."""
        if self.codegen().depth > 1:
            return Part()
        if self.codegen().is_method:
            address = library.get_pointer_to_function(fndesc.llvm_cfunc_wrapper_name)
            function: Any = machine_code.Method(fndesc.qualname, address, (library, env))
            library.codegen.set_env(self.get_env_name(fndesc), env)
        else:
            function = super().get_executable(library, fndesc, env)
        for variable in library._final_module.global_variables:
            if environment := lookup_environment(variable.name):
                library.codegen.set_env(variable.name, environment)
        return function


class LevelTyping(typing.Context):
    """Numba's context for type inference, in which compiled functions are those of the level."""

    def resolve_value_type(self, val: Any) -> Any:
        """Return the type of a value; that of Numba's own functions is that of their twins."""
        if hasattr(type(val), "resolve"):  # a loop, or what is declared when it is used
            val = val.resolve()
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


class LevelDispatcher(CPUDispatcher):
    """Compiles a function for each signature it is called with, for the level."""

    targetdescr = LevelTarget(NAME)
    is_method = False

    def compile(self, sig: Any) -> Any:
        """Compile a signature, and what is compiled on the way, for the level."""
        numba_api.declare_all()
        with global_compiler_lock:
            codegen = self.targetctx.codegen()
            codegen.depth += 1
            try:
                if codegen.depth > 1:
                    return super().compile(sig)
                known = self.overloads.get(sig)
                if known is not None and isinstance(known.entry_point, Part):
                    del self.overloads[sig]  # until now a part only
                codegen.is_method = self.is_method
                with target_override(NAME):
                    return super().compile(sig)
            finally:
                codegen.depth -= 1

    def add_overload(self, cres: Any) -> None:
        """Remember what was compiled, among what Python can call unless it is a part."""
        if isinstance(cres.entry_point, Part | machine_code.Method):
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)


@cache
def twin(dispatcher: CPUDispatcher) -> LevelDispatcher:
    """Return a function that was declared for this processor, such as Numba's sort, for a level."""
    return LevelDispatcher(dispatcher.py_func, dispatcher.locals, dispatcher.targetoptions)


target_registry[NAME] = Level
dispatcher_registry[Level] = LevelDispatcher
jit_registry[Level] = partial(numba.jit, _target=NAME)


def declared(
    function: Callable[..., Any], options: dict[str, Any], is_method: bool = False
) -> LevelDispatcher:
    """Return Numba's object for a function, which compiles it."""
    if numba.config.DISABLE_JIT:
        raise RuntimeError(
            "NUMBA_DISABLE_JIT is set, but Rosenblatt's loops do not run as plain Python: unset it"
        )
    dispatcher: LevelDispatcher = numba.njit(error_model="numpy", _target=NAME, **options)(function)
    dispatcher.is_method = is_method
    return dispatcher


def compiled(dispatcher: LevelDispatcher, types: tuple[Any, ...]) -> tuple[Any, bytes | None]:
    """Compile a function; return what can be called, and an entry if it can be stored."""
    function = dispatcher.compile(types)
    result = dispatcher.overloads[types]
    if result.lifted or result.library.has_dynamic_globals:
        return function, None
    (_, kind, stored), description, environment, *_, referenced = result._reduce()
    if kind != "object":
        return function, None
    environments = [(description.env_name, environment.consts)]
    environments += [(each.env_name, each.consts) for each in referenced]
    try:
        is_method = dispatcher.is_method
        name = (
            description.llvm_cfunc_wrapper_name
            if is_method
            else description.llvm_cpython_wrapper_name
        )
        return function, machine_code.pack(name, environments, stored[0], is_method)
    except TypeError:
        return function, None
