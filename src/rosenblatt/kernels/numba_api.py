"""What loops use of Numba, imported when the first of them is compiled.

Most processes find all their loops compiled (0038), and importing Numba takes longer than their
work. So what a module of loops names here is looked up when it is used: by the compiler, which
resolves a `Later` in a loop's code, or by code that writes LLVM's.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class Later:
    """A module, or something of it, that is imported when it is used."""

    def __init__(self, module: str, name: str | None = None) -> None:
        self._module, self._name = module, name

    def resolve(self) -> Any:
        """Return what it stands for."""
        module = import_module(self._module)
        return module if self._name is None else getattr(module, self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.resolve(), name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.resolve()(*args, **options)


extending = Later("numba.extending")
_waiting: list[Callable[[], Any]] = []  # to be declared to Numba


class Intrinsic:
    """A function that writes LLVM's code, declared to Numba before the first loop is compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self._declared = function, None
        self.__name__, self.__module__ = function.__name__, function.__module__
        _waiting.append(self.resolve)

    def resolve(self) -> Any:
        """Return Numba's intrinsic."""
        if self._declared is None:
            self._declared = extending.intrinsic(self.function)
        return self._declared


def intrinsic(function: Any) -> Any:
    """Declare a function that writes LLVM's code."""
    return Intrinsic(function)


def overload(stub: Callable[..., Any], **options: Any) -> Callable[[F], F]:
    """Declare, before the first loop is compiled, what a function is for arguments of a type."""

    def declare(implementation: F) -> F:
        _waiting.append(lambda: extending.overload(stub, **options)(implementation))
        return implementation

    return declare


def register_jitable(function: F) -> F:
    """Let loops call a function, which is compiled as a part of them."""
    _waiting.append(lambda: extending.register_jitable(function))
    return function


def declare_all() -> None:
    """Declare to Numba what modules have declared so far."""
    while _waiting:
        _waiting[0]()
        _waiting.pop(0)  # now: a Ctrl-C before would have lost it


cgutils = Later("numba.core.cgutils")
ir = Later("llvmlite.ir")
types = Later("numba.core.types")
carray = Later("numba", "carray")
farray = Later("numba", "farray")
