"""The numbers of a Python dict, read by compiled code.

To take 57 numbers out of a dict in Python and hand them over costs more than to learn from them.
Here compiled code asks the interpreter itself, through its public C functions, which are given by
their addresses. Only plain floats and whole numbers under the expected keys are read; anything else
is left to Python. All of this runs while the interpreter's lock is held, and calls nothing that
could run Python code.
"""

import ctypes
import sys
import sysconfig
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rosenblatt.kernels.jit import holding_jit
from rosenblatt.kernels.overflow import finite

_FUNCTIONS = (
    "PyDict_Next",
    "PyFloat_AsDouble",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyUnicode_Compare",
)
_TYPES = (float, int, str)
ADDRESSES = len(_FUNCTIONS) + len(_TYPES)
_OBJECT, _INT, _DOUBLE = ir.IntType(64), ir.IntType(32), ir.DoubleType()
_TYPE_AT, _NUMBER_AT = 8, 16  # bytes into an object, where its type is, and a float's number


def interpreter() -> Any:
    """Return the addresses compiled code needs; None if this interpreter is of another kind."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    one = 1.25
    if ctypes.c_void_p.from_address(id(one) + _TYPE_AT).value != id(float):
        return None
    if ctypes.c_double.from_address(id(one) + _NUMBER_AT).value != one:
        return None
    try:
        found = [
            ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in _FUNCTIONS
        ]
    except AttributeError:
        return None
    return np.array([*(function.value for function in found), *map(id, _TYPES)], np.int64)


def _called(result: Any, *arguments: Any) -> Any:
    """Make an intrinsic that calls the function at an address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(result, arguments).as_pointer()
        given = []
        for value, wanted, known in zip(args[1:], arguments, signature.args[1:], strict=True):
            if isinstance(known, types.Array):
                value = context.make_array(known)(context, builder, value).data
                value = builder.ptrtoint(value, wanted)
            given.append(value)
        return builder.call(builder.inttoptr(args[0], kind), given)

    return codegen


@intrinsic
def _next(typingctx, function, x, place, item):
    """Call ``PyDict_Next(x, &place, &key, &value)``; the key and the value go into ``item``."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[3])(context, builder, args[3]).data
        second = builder.gep(data, [ir.IntType(64)(1)])
        spot = context.make_array(signature.args[2])(context, builder, args[2]).data
        pointers = [builder.ptrtoint(p, _OBJECT) for p in (spot, data, second)]
        kind = ir.FunctionType(_INT, [_OBJECT] * 4).as_pointer()
        return builder.call(builder.inttoptr(args[0], kind), [args[1], *pointers])

    return types.int32(types.int64, types.int64, place, item), codegen


@intrinsic
def _as_double(typingctx, function, x):
    """Call ``PyFloat_AsDouble(x)``."""
    return types.float64(types.int64, types.int64), _called(_DOUBLE, _OBJECT)


@intrinsic
def _occurred(typingctx, function):
    """Call ``PyErr_Occurred()``."""
    return types.int64(types.int64), _called(_OBJECT)


@intrinsic
def _clear(typingctx, function):
    """Call ``PyErr_Clear()``."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), []).as_pointer()
        builder.call(builder.inttoptr(args[0], kind), [])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _compare(typingctx, function, one, other):
    """Call ``PyUnicode_Compare(one, other)``."""
    return types.int32(types.int64, types.int64, types.int64), _called(_INT, _OBJECT, _OBJECT)


def _loaded(kind: Any, offset: int) -> Any:
    """Make an intrinsic that loads what is some bytes into an object."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.add(args[0], _OBJECT(offset))
        return builder.load(builder.inttoptr(place, kind.as_pointer()))

    return codegen


@intrinsic
def _type_of(typingctx, x):
    """Return the address of an object's type."""
    return types.int64(types.int64), _loaded(_OBJECT, _TYPE_AT)


@intrinsic
def _float_of(typingctx, x):
    """Return the number in a float."""
    return types.float64(types.int64), _loaded(_DOUBLE, _NUMBER_AT)


@holding_jit
def numbers_of(api: Any, x: int, keys: Any, values: Any) -> bool:
    """Copy the numbers of the dict at address x; False if it is not as it should be.

    Its keys must be those at the addresses ``keys``, in that order: the same strings, or equal
    ones. All numbers must be finite. ``api`` is what `interpreter` returns, and has space for three
    numbers after that.
    """
    place, item = api[ADDRESSES : ADDRESSES + 1], api[ADDRESSES + 1 : ADDRESSES + 3]
    place[0], good = 0, True
    for k in range(keys.shape[0]):
        if _next(api[0], x, place, item) == 0:
            return False
        key, value = item[0], item[1]
        if key != keys[k] and (_type_of(key) != api[7] or _compare(api[4], key, keys[k]) != 0):
            return False
        kind = _type_of(value)
        if kind == api[5]:
            values[k] = _float_of(value)
        elif kind == api[6]:
            number = _as_double(api[1], value)
            if number == -1.0 and _occurred(api[2]) != 0:  # a whole number that is too large
                _clear(api[3])
                return False
            values[k] = number
        else:
            return False
        good &= finite(values[k])
    return good and _next(api[0], x, place, item) == 0
