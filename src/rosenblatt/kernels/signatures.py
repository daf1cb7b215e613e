"""Signatures of compiled functions: of values, as text, and as Numba's types.

A type is written as Numba names it if it is a plain one, such as ``int64``, else as a list that
begins with what it is: ``["array", "float64", 2, "C", true, true]``. From the text a function can
be compiled elsewhere without calling it. Only `read`, which returns Numba's types, imports Numba.
"""

from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense, Sparse

Text = Any  # a str or a list, as JSON has them
_C, _F, _ALIGNED, _WRITEABLE = 0x1, 0x2, 0x100, 0x400  # bits of an array's flags
_READ_ONLY = _C | _F | _ALIGNED
_FLAGS = _READ_ONLY | _WRITEABLE
_LARGEST = 2**63 - 1
_NUMBERS = ["complex128", *(f"float{bits}" for bits in (32, 64))]
_NUMBERS += [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
_SCALARS: dict[type, str] = {np.dtype(name).type: name for name in _NUMBERS}
_SCALARS |= {int: "int64", float: "float64", bool: "bool", np.bool_: "bool", type(None): "none"}


def key_of(value: Any) -> Any:
    """Return what the type of an argument depends on; equal keys are equal types."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & _FLAGS
    if kind is int and not -_LARGEST - 1 <= value <= _LARGEST:
        return "uint64"
    plain = _SCALARS.get(kind)
    if plain is not None:
        return plain
    if kind is Sparse or kind is Dense:
        # No loop writes to rows, and their types say so, whoever else may.
        return kind, *[(x.dtype, x.ndim, x.flags.num & _READ_ONLY) for x in value]
    if isinstance(value, tuple):
        return kind, *map(key_of, value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num & _FLAGS
    try:
        return import_module("numba").typeof(value)
    except ValueError:
        raise TypeError(f"loops take numbers and arrays, not {kind.__name__}") from None


def spell(key: Any) -> Text:
    """Write a key as text; raise ``TypeError`` for one that nobody would call a loop with."""
    if isinstance(key, str):
        return key
    if isinstance(key, tuple):
        first, *rest = key
        if isinstance(first, np.dtype):
            ndim, flags = rest
            layout = "C" if flags & _C else "F" if flags & _F else "A"
            name = _SCALARS.get(first.type) if first.isnative else None
            if name is not None:
                return ["array", name, ndim, layout, flags & _WRITEABLE > 0, flags & _ALIGNED > 0]
        elif first is tuple:
            return ["tuple", *map(spell, rest)]
        elif hasattr(first, "_fields") and "<" not in first.__qualname__:
            return ["named", spell_name(first), *map(spell, rest)]
    raise TypeError(f"no text for signatures with {key}")


def spell_name(thing: Any) -> str:
    """Write the module and the name of a function or a class."""
    return f"{thing.__module__}:{thing.__qualname__}"


def find(text: str) -> Any:
    """Return what a module calls by a name."""
    module, name = text.split(":")
    return attrgetter(name)(import_module(module))


def fields_of(text: Text) -> list[Any]:
    """List the names of the fields of a type's tuples, one inside the other."""
    if isinstance(text, str) or text[0] == "array":
        return []
    own, parts = ([_fields(text[1])], text[2:]) if text[0] == "named" else ([], text[1:])
    return [*own, *map(fields_of, parts)]


@cache
def _fields(name: str) -> tuple[str, ...]:
    return tuple(find(name)._fields)


def read(text: Text) -> Any:
    """Return the type that a text says."""
    from numba import types

    if isinstance(text, str):
        return getattr(types, text)
    what, *parts = text
    if what == "array":
        dtype, ndim, layout, mutable, aligned = parts
        return types.Array(read(dtype), ndim, layout, readonly=not mutable, aligned=aligned)
    if what == "named":
        pyclass = find(parts.pop(0))
        return types.BaseTuple.from_types([read(part) for part in parts], pyclass)
    return types.BaseTuple.from_types([read(part) for part in parts])
