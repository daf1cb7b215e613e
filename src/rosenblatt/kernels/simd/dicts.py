"""The features of a Python dict, read by compiled code.

To take 57 numbers out of a dict in Python and hand them over costs more than to learn from them.
Here compiled code asks the interpreter itself, through its public C functions, which are given by
their addresses. Only numbers and strings under known keys are read; anything else is left to
Python. All of this runs while the interpreter's lock is held, and calls nothing that could run
Python code: keys are plain strings and whole numbers, and so is what they are compared with.
"""

import ctypes
import sys
import sysconfig
from typing import Any

import numpy as np

from rosenblatt.kernels.jit import holding_jit
from rosenblatt.kernels.numba_api import intrinsic, ir, types
from rosenblatt.kernels.overflow import finite

_FUNCTIONS = (
    "PyDict_Next",
    "PyDict_GetItemWithError",
    "PyFloat_AsDouble",
    "PyErr_Occurred",
    "PyErr_Clear",
)
_OBJECTS = (float, np.float64, int, bool, str, None)
NEXT, FIND, AS_DOUBLE, OCCURRED, CLEAR = range(len(_FUNCTIONS))
FLOAT, DOUBLE, INT, BOOL, STR, NONE = range(len(_FUNCTIONS), len(_FUNCTIONS) + len(_OBJECTS))
ADDRESSES = len(_FUNCTIONS) + len(_OBJECTS)
# After these: where the walk through a dict stands, its key and value; and what finds columns.
PLACE, NUMBERS, CATEGORIES = ADDRESSES, ADDRESSES + 3, ADDRESSES + 4
API = ADDRESSES + 5
KEY, COLUMN, GROUP = range(3)  # the rows of a plan
NOTHING = -1
_TYPE_AT, _NUMBER_AT = 8, 16  # bytes into an object, where its type is, and a float's number


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
    return np.array([*(function.value for function in found), *map(id, _OBJECTS)], np.int64)


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
def _next(typingctx, function, x, place, item):
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
def _as_double(typingctx, function, x):
    """Call ``PyFloat_AsDouble(x)``."""
    return types.float64(types.int64, types.int64), _called(ir.DoubleType(), _object())


@intrinsic
def _occurred(typingctx, function):
    """Call ``PyErr_Occurred()``."""
    return types.int64(types.int64), _called(_object())


@intrinsic
def _clear(typingctx, function):
    """Call ``PyErr_Clear()``."""

    def codegen(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), []).as_pointer()
        builder.call(builder.inttoptr(args[0], kind), [])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _find(typingctx, function, x, key):
    """Call ``PyDict_GetItemWithError(x, key)``."""
    return types.int64(types.int64, types.int64, types.int64), _called(
        _object(), _object(), _object()
    )


def _loaded(kind: Any, offset: int) -> Any:
    """Make an intrinsic that loads what is some bytes into an object."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.add(args[0], _object()(offset))
        return builder.load(builder.inttoptr(place, kind.as_pointer()))

    return codegen


@intrinsic
def _type_of(typingctx, x):
    """Return the address of an object's type."""
    return types.int64(types.int64), _loaded(_object(), _TYPE_AT)


@intrinsic
def _float_of(typingctx, x):
    """Return the number in a float."""
    return types.float64(types.int64), _loaded(ir.DoubleType(), _NUMBER_AT)


@holding_jit
def features_of(api: Any, x: int, plan: Any, columns: Any, values: Any, leave_out: int) -> int:
    """Copy the features of the dict at address x; return how many, or −1 if it has others.

    ``api`` is what `interpreter` returns and, in space after that, the addresses of two dicts:
    `NUMBERS` has the columns of names, `CATEGORIES` a dict for each key that has had a string,
    which has the column of each string, or `NOTHING`. A number in neither is left out if
    ``leave_out`` is 1 or 2, and a string if it is 2. A plan spares most of the looking up: for each
    place in the dict, the address of a key, its column or `NOTHING`, and the address of its dict or
    0.
    """
    place, item = api[PLACE : PLACE + 1], api[PLACE + 1 : PLACE + 3]
    place[0], at, n = 0, -1, 0
    while _next(api[NEXT], x, place, item) != 0:
        key, value = item[0], item[1]
        at += 1
        if value == api[NONE]:
            continue
        if n == columns.shape[0]:
            return NOTHING
        planned = at < plan.shape[1] and key == plan[KEY, at]
        if not planned:
            kind = _type_of(key)
            if kind != api[STR] and kind != api[INT]:
                return NOTHING
        kind = _type_of(value)
        column = NOTHING
        if kind == api[STR]:
            group = plan[GROUP, at] if planned else 0
            if group == 0:
                group = _find(api[FIND], api[CATEGORIES], key)
            found = 0 if group == 0 else _find(api[FIND], group, value)
            if found == 0:
                if leave_out == 2 and _type_of(key) == api[STR]:  # the name of 7 is "7"
                    continue
                return NOTHING
            column = int(_as_double(api[AS_DOUBLE], found))
            if column == NOTHING:  # the empty string
                continue
            values[n] = 1
        else:
            if kind == api[FLOAT] or kind == api[DOUBLE]:
                values[n] = _float_of(value)
            elif kind == api[INT] or kind == api[BOOL]:
                number = _as_double(api[AS_DOUBLE], value)
                if number == -1.0 and _occurred(api[OCCURRED]) != 0:  # one that is too large
                    _clear(api[CLEAR])
                    return NOTHING
                values[n] = number
            else:
                return NOTHING
            if not finite(values[n]):
                return NOTHING
            if planned:
                column = plan[COLUMN, at]
            if column == NOTHING:
                found = _find(api[FIND], api[NUMBERS], key)
                if found == 0:
                    if leave_out > 0 and _type_of(key) == api[STR]:
                        continue
                    return NOTHING
                column = int(_as_double(api[AS_DOUBLE], found))
        columns[n] = column
        n += 1
    return n
