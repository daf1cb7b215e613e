"""Signatures of compiled functions as text, to compile them elsewhere without calling them.

A type is written as Numba names it if it is a plain one, such as ``int64``, else as a list that
begins with what it is: ``["array", "float64", 2, "C", true, true]``.
"""

from importlib import import_module
from operator import attrgetter
from typing import Any

from numba import types

Text = Any  # a str or a list, as JSON has them


def spell_name(thing: Any) -> str:
    """Write the module and the name of a function or a class."""
    return f"{thing.__module__}:{thing.__qualname__}"


def find(text: str) -> Any:
    """Return what a module calls by a name."""
    module, name = text.split(":")
    return attrgetter(name)(import_module(module))


def spell(kind: Any) -> Text:
    """Write a type; raise ``TypeError`` for one that nobody would call a loop with."""
    if isinstance(kind, types.Array):
        return ["array", spell(kind.dtype), kind.ndim, kind.layout, kind.mutable, kind.aligned]
    if isinstance(kind, types.BaseAnonymousTuple):
        return ["tuple", *map(spell, kind.types)]
    if isinstance(kind, types.BaseNamedTuple):
        return ["named", spell_name(kind.instance_class), *map(spell, kind.types)]
    if isinstance(kind, types.Omitted):
        return ["omitted", kind.value]
    if getattr(types, str(kind), None) == kind:
        return str(kind)
    raise TypeError(f"no text for signatures with {kind}")


def read(text: Text) -> Any:
    """Return the type that a text says."""
    if isinstance(text, str):
        return getattr(types, text)
    what, *parts = text
    if what == "array":
        dtype, ndim, layout, mutable, aligned = parts
        return types.Array(read(dtype), ndim, layout, readonly=not mutable, aligned=aligned)
    if what == "omitted":
        return types.Omitted(parts[0])
    if what == "named":
        pyclass = find(parts.pop(0))
        return types.BaseTuple.from_types([read(part) for part in parts], pyclass)
    return types.BaseTuple.from_types([read(part) for part in parts])
