"""Arrays of any type that a model has, as arrays of those types that a file has.

What a file's own types cannot say is said beside it, in JSON: ``as`` is the type for texts, dates
and foreign byte orders, ``order`` the memory order, and ``readonly`` that nobody may write to it.
"""

import re
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.persist.table import NAMES

Json = dict[str, Any]
BESIDE = {"as", "order", "readonly"}
_LAST_CHARACTER = 0x10FFFF
_TYPE = re.compile(
    r"[<>|](?:f[248]|[iu][1248]|b1|[US][1-9]\d{0,8}"
    r"|[mM]8(?:\[[1-9]?\d{0,3}(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?)"
)


def as_dtype(text: Any) -> np.dtype[Any]:
    """Return the type of this name, or raise ``ModelFileError`` if arrays have no such type."""
    if not isinstance(text, str) or not _TYPE.fullmatch(text):
        raise ModelFileError(f"there is no type of numbers or texts {str(text)[:50]!r}")
    try:
        return np.dtype(text)
    except (TypeError, ValueError):
        raise ModelFileError(f"there is no type of numbers or texts {text[:50]!r}") from None


def storable(dtype: np.dtype[Any]) -> bool:
    """Say whether `flatten` can store arrays of a type: of numbers, texts or dates."""
    return _TYPE.fullmatch(dtype.str) is not None


def is_number(dtype: np.dtype[Any]) -> bool:
    """Say whether a type is of numbers, or of true and false."""
    return dtype.kind in "biuf" and storable(dtype)


def flatten(array: Array) -> tuple[Array, Json]:
    """Return an array of a file's type in C order, and what to say beside it.

    >>> stored, beside = flatten(np.array(["ham", "eggs"]))
    >>> stored.dtype, stored.shape, beside
    (dtype('uint32'), (2, 4), {'as': '<U4'})
    """
    beside: Json = {}
    if not array.flags.writeable:
        beside["readonly"] = True
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        array, beside["order"] = array.T, "F"
    array = np.asarray(array, order="C")
    if array.dtype.str not in NAMES:
        beside["as"] = array.dtype.str
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype.kind in "US":
            array = array[..., None]  # a text is a line of characters
        array = array.view(_carrier(array.dtype))
    return array, beside


def restore(stored: Array, beside: Json) -> Array:
    """Return the array that `flatten` was given, or raise ``ModelFileError``.

    >>> restore(*flatten(np.array(["ham", "eggs"]))).tolist()
    ['ham', 'eggs']
    """
    array, readonly = stored, beside.get("readonly", False)
    if "as" in beside:
        dtype = as_dtype(beside["as"])
        array = _typed(stored, dtype.newbyteorder("<")).astype(dtype, copy=False)
    if "order" in beside:
        if beside["order"] != "F" or array.ndim < 2:
            raise ModelFileError("the order of an array must be 'F', and there must be two sides")
        array = array.T
    if readonly is True:
        array = array.view()
        array.flags.writeable = False
    return array


def _carrier(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a file that carries the bytes of this one."""
    special = {"U": "<u4", "S": "u1", "M": "<i8", "m": "<i8"}
    if dtype.kind in special:
        return np.dtype(special[dtype.kind])
    return np.dtype("<u2") if dtype.str == "<f2" else dtype.newbyteorder("<")


def _typed(stored: Array, dtype: np.dtype[Any]) -> Array:
    """See stored numbers as what they carry."""
    if stored.dtype != _carrier(dtype):
        raise ModelFileError(f"an array of {stored.dtype} cannot be one of {dtype}")
    if dtype.kind not in "US":
        return stored.view(dtype)
    width = dtype.itemsize // stored.dtype.itemsize
    if not stored.ndim or stored.shape[-1] != width:
        raise ModelFileError(f"an array of shape {stored.shape} cannot be one of {dtype}")
    if dtype.kind == "U" and stored.max(initial=0) > _LAST_CHARACTER:
        raise ModelFileError("an array of texts has numbers that are no characters")
    return stored.view(dtype)[..., 0]
