"""Compiled loops on disk as machine code, and calling them without Numba.

What Numba makes of a function is an object file. In it there is, beside the function itself, a
wrapper that takes Python's arguments, and for each part an *environment*: a place for the address
of an object with the constants that the wrapper needs. An entry is such a file, after a line with
the names of these. To load it takes LLVM, which links it, and three small modules of Numba that are
written in C: together a few milliseconds, while importing Numba takes two tenths of a second.
"""

import builtins
import ctypes
import json
import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding
from llvmlite.binding.targets import has_svml


class _Definition(ctypes.Structure):
    """What Python wants to know of a method written in C: its ``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


class Method:
    """A loop that takes what Python gives to a method written in C.

    These are the addresses of the object that it is a method of, and of an array with those of the
    other arguments, and how many these are. It returns the address of an object. A call takes 10 ns
    and not 80: no arguments are made numbers, and the result is none.
    """

    def __init__(self, name: str, address: int, kept: Any) -> None:
        self._kept = kept
        self._definition = _Definition(name.encode(), address, _FAST | _KEYWORDS, None)
        _for_ever.append(self)  # nobody knows when the last method goes

    def bind(self, owner: Any) -> Callable[..., Any]:
        """Return the method of an object."""
        method: Callable[..., Any] = _new_method()(ctypes.addressof(self._definition), owner, None)
        return method


_FAST, _KEYWORDS = 0x80, 0x02  # METH_FASTCALL and METH_KEYWORDS
_for_ever: list[Method] = []


@cache
def _new_method() -> Any:
    kinds = ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p
    function = ctypes.PYFUNCTYPE(ctypes.py_object, *kinds)
    return function(("PyCFunction_NewEx", ctypes.pythonapi))


class Parts(NamedTuple):
    """The modules of Numba that compiled code needs when it runs."""

    functions: Any
    helpers: Any
    memory: Any


def pack(
    wrapper: str,
    environments: Sequence[tuple[str, Sequence[Any]]],
    code: bytes,
    is_method: bool = False,
) -> bytes:
    """Return an entry; raise ``TypeError`` if a constant is something other than a dtype."""
    for _, constants in environments:
        if not all(isinstance(each, np.dtype) and np.dtype(each.str) == each for each in constants):
            raise TypeError(f"{wrapper} has constants that cannot be stored: {constants}")
    named = [[name, [each.str for each in constants]] for name, constants in environments]
    about = {"wrapper": wrapper, "environments": named, "is_method": is_method}
    return json.dumps(about).encode() + b"\n" + code


def load(content: bytes, module: Any, name: str) -> Callable[..., Any] | Method:
    """Return the function of an entry, which takes arguments of the types it is for."""
    parts = runtime()
    line, _, code = content.partition(b"\n")
    about = json.loads(line)
    engine, object_file = _engine(), binding.ObjectFileRef.from_data(code)
    engine.add_object_file(object_file)
    engine.finalize_object()
    environments = []
    for symbol, constants in about["environments"]:
        environment = parts.functions.Environment(module.__dict__)
        environment.consts.extend(map(np.dtype, constants))
        place = engine.get_global_value_address(symbol)
        if place:
            ctypes.c_void_p.from_address(place).value = id(environment)
        environments.append(environment)
    address = engine.get_function_address(about["wrapper"])
    if not address:
        raise ImportError(f"{name} is not in its entry")
    # The file is kept, too: a Ctrl-C that came while it is given back would be lost.
    own, kept = environments[0], (engine, environments, object_file)
    if about["is_method"]:
        return Method(name, address, kept)
    function: Callable[..., Any] = parts.functions.make_function(
        module, name, "", address, own, kept
    )
    return function


def _engine() -> Any:
    """Make a linker for one entry alone, so that no two of them share a name."""
    machine = _target().create_target_machine(codemodel="jitdefault", jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


@cache
def _target() -> Any:
    return binding.Target.from_default_triple()


@cache
def runtime() -> Parts:
    """Load the parts of Numba that are written in C, and tell LLVM where their functions are.

    Compiled code also refers to None and to Python's exceptions, by the addresses of these.
    """
    if has_svml():  # a library of vector functions, which Numba loads
        import_module("numba")
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    parts = Parts(
        _extension("numba._dynfunc"),
        _extension("numba._helperlib"),
        _extension("numba.core.runtime._nrt_python"),
    )
    parts.memory.memsys_use_cpython_allocator()
    for name, address in parts.memory.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)
    for name, address in (parts.functions.c_helpers | parts.helpers.c_helpers).items():
        binding.add_symbol(f"numba_{name}", address)
        if hasattr(math, name) or hasattr(math, name.removesuffix("f")):
            binding.add_symbol(name, address)
    binding.add_symbol("_Py_NoneStruct", id(None))
    for name, thing in vars(builtins).items():
        if isinstance(thing, type) and issubclass(thing, BaseException):
            binding.add_symbol(f"PyExc_{name}", id(thing))
    return parts


def _extension(name: str) -> Any:
    """Import a module written in C without the package that it is in."""
    if name in sys.modules:
        return sys.modules[name]
    package, *inner = name.split(".")
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ImportError(f"{package} is not installed")
    *folders, last = inner
    folder = Path(spec.origin).parent.joinpath(*folders)
    for suffix in EXTENSION_SUFFIXES:
        path = folder / f"{last}{suffix}"
        if path.is_file():
            loader = ExtensionFileLoader(name, str(path))
            found = spec_from_file_location(name, path, loader=loader)
            assert found is not None
            module = module_from_spec(found)
            loader.exec_module(module)
            sys.modules.pop(name, None)  # whoever imports the package will import it, too
            return module
    raise ImportError(f"{name} is not installed")
