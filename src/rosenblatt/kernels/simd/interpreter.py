"""The interpreter's public C functions, for compiled code that looks at Python's objects.

They are given by their addresses and called while the interpreter's lock is held. None of those
here runs Python code, given plain numbers, strings, lists and tuples; one that has failed has made
an exception, and to make objects can start the garbage collector, which runs anything. So after a
failure compiled code returns at once.
"""

import ctypes
import sys
import sysconfig
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from rosenblatt.kernels.numba_api import intrinsic, ir, types

_FUNCTIONS = (
    "PyDict_Next",
    "PyFloat_AsDouble",
    "PyLong_AsLongLong",
    "PyUnicode_AsUTF8AndSize",
    "PyList_Size",
    "PyList_GetItem",
    "PyTuple_Size",
    "PyTuple_GetItem",
    "Py_IncRef",
    "Py_DecRef",
    "PyErr_Occurred",
    "PyErr_Clear",
    "PyLong_AsDouble",
    "PyFloat_FromDouble",
)
_OBJECTS = (float, np.float64, int, bool, str, None, list, tuple, np.float32, np.int64, np.bool_)
_DICTS = (dict, Counter, defaultdict)
NEXT, AS_DOUBLE, AS_INTEGER, AS_TEXT = range(4)
LIST_SIZE, LIST_ITEM, TUPLE_SIZE, TUPLE_ITEM = range(4, 8)
HOLD, RELEASE, OCCURRED, CLEAR, INT_AS_DOUBLE = range(8, 13)
AS_FLOAT = 13
FLOAT, DOUBLE, INT, BOOL, STR, NONE, LIST, TUPLE, SINGLE, INT64, NUMPY_BOOL = range(14, 25)
DICT, COUNTER, DEFAULTDICT = range(25, 28)
ADDRESSES = len(_FUNCTIONS) + len(_OBJECTS) + len(_DICTS)
_TYPE_AT, _NUMBER_AT = 8, 16  # bytes into an object, where its type is, and a float's number
# Where it says in an array of NumPy where the numbers are: after what all objects have.
_DATA_AT = object.__basicsize__


def interpreter() -> Any:
    """Return the addresses compiled code needs; None if this interpreter is of another kind."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    for one in (1.25, np.float64(1.25)):
        if ctypes.c_void_p.from_address(id(one) + _TYPE_AT).value != id(type(one)):
            return None
        if ctypes.c_double.from_address(id(one) + _NUMBER_AT).value != 1.25:
            return None
    try:
        found = [
            ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in _FUNCTIONS
        ]
    except AttributeError:
        return None
    functions = [function.value for function in found]
    return np.array([*functions, *map(id, _OBJECTS), *map(id, _DICTS)], np.int64)


def to_count_up() -> int:
    """Return the address of what counts a reference, which all interpreters have."""
    return int(ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value or 0)


def _object() -> Any:
    """Return LLVM's type of an address as a number."""
    return ir.IntType(64)


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
def next_item(typingctx, function, x, place, item):
    """Call ``PyDict_Next(x, &place, &key, &value)``; the key and the value go into ``item``."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[3])(context, builder, args[3]).data
        second = builder.gep(data, [ir.IntType(64)(1)])
        spot = context.make_array(signature.args[2])(context, builder, args[2]).data
        pointers = [builder.ptrtoint(p, _object()) for p in (spot, data, second)]
        kind = ir.FunctionType(ir.IntType(32), [_object()] * 4).as_pointer()
        return builder.call(builder.inttoptr(args[0], kind), [args[1], *pointers])

    return types.int32(types.int64, types.int64, place, item), codegen


@intrinsic
def as_double(typingctx, function, x):
    """Call ``PyFloat_AsDouble(x)``, or that of whole numbers."""
    return types.float64(types.int64, types.int64), _called(ir.DoubleType(), _object())


@intrinsic
def new_float(typingctx, function, number):
    """Call ``PyFloat_FromDouble(number)``: a new reference, or 0."""
    return types.int64(types.int64, types.float64), _called(_object(), ir.DoubleType())


@intrinsic
def occurred(typingctx, function):
    """Call ``PyErr_Occurred()``."""
    return types.int64(types.int64), _called(_object())


@intrinsic
def as_integer(typingctx, function, x):
    """Call ``PyLong_AsLongLong(x)``."""
    return types.int64(types.int64, types.int64), _called(_object(), _object())


@intrinsic
def as_text(typingctx, function, x, size):
    """Call ``PyUnicode_AsUTF8AndSize(x, &size)``, which returns an address."""
    return types.int64(types.int64, types.int64, size), _called(_object(), _object(), _object())


@intrinsic
def size_of(typingctx, function, x):
    """Call ``PyList_Size(x)``, or that of tuples."""
    return types.int64(types.int64, types.int64), _called(_object(), _object())


@intrinsic
def item_of(typingctx, function, x, place):
    """Call ``PyList_GetItem(x, place)``, or that of tuples: a borrowed reference."""
    signature = types.int64(types.int64, types.int64, types.int64)
    return signature, _called(_object(), _object(), _object())


@intrinsic
def clear(typingctx, function):
    """Call ``PyErr_Clear()``."""
    return types.void(types.int64), _without_result()


@intrinsic
def count_reference(typingctx, function, x):
    """Call ``Py_IncRef(x)`` or ``Py_DecRef(x)``."""
    return types.void(types.int64, types.int64), _without_result(_object())


def _without_result(*arguments: Any) -> Any:
    """Make an intrinsic that calls the function at an address, which returns nothing."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), arguments).as_pointer()
        builder.call(builder.inttoptr(args[0], kind), args[1:])
        return context.get_dummy_value()

    return codegen


def _loaded(kind: Any, offset: int) -> Any:
    """Make an intrinsic that loads what is some bytes into an object."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.add(args[0], _object()(offset))
        return builder.load(builder.inttoptr(place, kind.as_pointer()))

    return codegen


@intrinsic
def type_of(typingctx, x):
    """Return the address of an object's type."""
    return types.int64(types.int64), _loaded(_object(), _TYPE_AT)


@intrinsic
def float_of(typingctx, x):
    """Return the number in a float."""
    return types.float64(types.int64), _loaded(ir.DoubleType(), _NUMBER_AT)


@intrinsic
def data_of(typingctx, x):
    """Return where the numbers of NumPy's array are."""
    return types.int64(types.int64), _loaded(_object(), _DATA_AT)
