"""Where the arrays of a file lie, and whether that can be true."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.persist.errors import ModelFileError

# The types that safetensors has and NumPy too; half and bfloat16 numbers are nobody's state here.
DTYPES: dict[str, np.dtype[Any]] = {
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I64": np.dtype("<i8"),
    "I32": np.dtype("<i4"),
    "I16": np.dtype("<i2"),
    "I8": np.dtype("i1"),
    "U64": np.dtype("<u8"),
    "U32": np.dtype("<u4"),
    "U16": np.dtype("<u2"),
    "U8": np.dtype("u1"),
    "BOOL": np.dtype("?"),
}
NAMES = {dtype.str: name for name, dtype in DTYPES.items()}
MAX_SIDES = 32  # dimensions
_MAX_BYTES = 1 << 60


class Place(NamedTuple):
    """An array's type, shape, and where its bytes begin and end among those of all."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def check_table(table: dict[str, Any], described: Any, room: int) -> list[Place]:
    """Return where each array lies, in order, or raise ``ModelFileError``.

    ``described`` is what the header says of the arrays, which must be the same; ``room`` is how
    many bytes the file has for them, which they must fill without a gap.
    """
    if not isinstance(described, dict) or described.keys() != table.keys():
        raise ModelFileError("the header names other arrays than the file holds")
    for name, entry in described.items():
        _check_keys(name, entry, {"crc32", "dtype", "shape"})
        if not _whole(entry["crc32"], 1 << 32):
            raise ModelFileError(f"the checksum of array {name[:50]!r} is no number of 32 bits")
    places = sorted(
        (_place(name, entry) for name, entry in table.items()), key=lambda p: (p.begin, p.end)
    )
    reached = 0
    for place in places:
        if place.begin != reached:
            kind = "overlaps another" if place.begin < reached else "leaves a gap before it"
            raise ModelFileError(f"array {place.name[:50]!r} {kind}")
        reached = place.end
        said = described[place.name]
        if (said["dtype"], said["shape"]) != (
            table[place.name]["dtype"],
            table[place.name]["shape"],
        ):
            raise ModelFileError(
                f"array {place.name[:50]!r} is not of the type and shape that the header says"
            )
    if reached != room:
        kind = "cut short" if reached > room else "too long"
        raise ModelFileError(
            f"the file is {kind}: its arrays take {reached:,} bytes, and it has {room:,} for them"
        )
    return places


def _check_keys(name: str, entry: Any, keys: set[str]) -> None:
    if not isinstance(entry, dict) or entry.keys() != keys:
        raise ModelFileError(
            f"the entry of array {name[:50]!r} must have {', '.join(sorted(keys))}"
        )


def _place(name: str, entry: Any) -> Place:
    _check_keys(name, entry, {"data_offsets", "dtype", "shape"})
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in DTYPES:
        raise ModelFileError(f"array {name[:50]!r} has the unknown type {str(kind)[:50]!r}")
    if not (isinstance(shape, list) and len(shape) <= MAX_SIDES) or not all(
        _whole(side, _MAX_BYTES) for side in shape
    ):
        raise ModelFileError(f"array {name[:50]!r} has no proper shape")
    # The sides of an empty array are checked as well: NumPy multiplies all that are not zero.
    if prod(side for side in shape if side) * DTYPES[kind].itemsize > _MAX_BYTES:
        raise ModelFileError(f"array {name[:50]!r} has a shape that nothing could hold")
    if not (isinstance(offsets, list) and len(offsets) == 2) or not all(
        _whole(offset, _MAX_BYTES) for offset in offsets
    ):
        raise ModelFileError(f"array {name[:50]!r} has no proper place in the file")
    size = prod(shape) * DTYPES[kind].itemsize
    if offsets[1] - offsets[0] != size:
        raise ModelFileError(
            f"array {name[:50]!r} of {size:,} bytes has a place of {offsets[1] - offsets[0]:,}"
        )
    return Place(name, DTYPES[kind], tuple(shape), *offsets)


def _whole(value: Any, limit: int) -> bool:
    return type(value) is int and 0 <= value <= limit
