"""One file with a JSON header and arrays: a safetensors file that any tool for these can open.

The header is the text ``rosenblatt`` of the file's metadata. It repeats the type and shape of every
array, with a checksum, and has one of its own. Reading believes nothing: each length, name, type,
shape and place is checked against the others and the size of the file before an array is allocated,
so that nothing is larger than the file, and nothing in a file is ever executed.
"""

import os
import zlib
from collections.abc import Callable, Mapping
from io import BufferedReader
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt._version import __version__
from rosenblatt.persist import strict_json
from rosenblatt.persist.atomic import write_atomically
from rosenblatt.persist.errors import ModelFileError, naming

# The types that safetensors has and NumPy too; no state here has half or bfloat16 numbers.
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


def check_table(table: dict[str, Any], described: Any, size: int) -> list[Place]:
    """Return where each array lies, in order, or raise ``ModelFileError``.

    ``described`` is what the header says of the arrays, which must be the same; ``size`` is how
    many bytes the file has for them, which they must fill without a gap.
    """
    if not isinstance(described, dict) or described.keys() != table.keys():
        raise ModelFileError("the header names other arrays than the file holds")
    for name, entry in described.items():
        _check_keys(name, entry, {"crc32", "dtype", "shape"})
        if not _whole(entry["crc32"], 1 << 32):
            raise ModelFileError(f"the checksum of array {name[:50]!r} is not a 32-bit number")
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
    if reached != size:
        kind = "cut short" if reached > size else "too long"
        raise ModelFileError(
            f"the file is {kind}: its arrays take {reached:,} bytes, and it has {size:,} for them"
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
        raise ModelFileError(f"array {name[:50]!r} has an invalid shape")
    # The sides of an empty array are checked as well: NumPy multiplies all that are not zero.
    if prod(side for side in shape if side) * DTYPES[kind].itemsize > _MAX_BYTES:
        raise ModelFileError(f"array {name[:50]!r} has a shape that nothing could hold")
    if not (isinstance(offsets, list) and len(offsets) == 2) or not all(
        _whole(offset, _MAX_BYTES) for offset in offsets
    ):
        raise ModelFileError(f"array {name[:50]!r} has invalid offsets")
    size = prod(shape) * DTYPES[kind].itemsize
    if offsets[1] - offsets[0] != size:
        raise ModelFileError(
            f"array {name[:50]!r} of {size:,} bytes has a place of {offsets[1] - offsets[0]:,}"
        )
    return Place(name, DTYPES[kind], tuple(shape), *offsets)


def _whole(value: Any, limit: int) -> bool:
    return type(value) is int and 0 <= value <= limit


FORMAT = 1
MAX_HEADER = 1 << 26  # bytes
CHECKPOINT = "Checkpoint"  # the kind of file that holds unfinished training
RESERVED = ("arrays", "crc32", "format", "library")  # what `write` adds to a header
_CHUNK = 1 << 24
_METADATA = "__metadata__"
_KEY = "rosenblatt"

Array = NDArray[Any]
Header = dict[str, Any]


class _Front(NamedTuple):
    """What stands before the arrays: the header, and where each array lies."""

    header: Header
    places: list[Place]


def write(
    path: str | os.PathLike[str],
    header: Mapping[str, Any],
    arrays: Mapping[str, Array],
    check: Callable[[Header, dict[str, Array]], object] | None = None,
) -> None:
    """Write a header and arrays to a file, as a whole or not at all.

    Parameters
    ----------
    path : str or path
        The file. An old one is replaced.
    header : dict
        What JSON can hold. ``format``, ``library``, ``arrays`` and ``crc32`` are added.
    arrays : dict of arrays
        Numbers or booleans, of the types that safetensors has, in any memory layout; they come back
        in C order.
    check : function, optional
        Is given the header as it will be read, and the arrays read-only, before anything is
        written. What it raises, such as `ModelFileError`, leaves an old file as it was.
    """
    # Larger types come first, so that each array lies at a multiple of its own.
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    flat = {name: _bytes(name, arrays[name]) for name in order}
    table: Header = {}
    described: Header = {}
    end = 0
    for name, data in flat.items():
        entry = {"dtype": NAMES[arrays[name].dtype.str], "shape": list(arrays[name].shape)}
        table[name] = {**entry, "data_offsets": [end, end + data.nbytes]}
        described[name] = {**entry, "crc32": zlib.crc32(data)}
        end += data.nbytes
    full = {**header, "format": FORMAT, "library": __version__, "arrays": described}
    text = strict_json.dumps({**full, "crc32": _checksum(full)})
    if check is not None:
        check(strict_json.loads(text, "the header"), {name: _shown(arrays[name]) for name in order})
    front = strict_json.dumps({**table, _METADATA: {_KEY: text}}).encode("ascii")
    front += b" " * (-len(front) % 8)
    if len(front) > MAX_HEADER:
        raise ValueError(
            f"the header of {os.fspath(path)} would take {len(front):,} bytes, and the limit is "
            f"{MAX_HEADER:,}: keep long lists as arrays"
        )
    write_atomically(path, [len(front).to_bytes(8, "little"), front, *flat.values()])


def _bytes(name: str, array: Array) -> memoryview:
    """Return the bytes of an array in C order, without a copy if they lie so."""
    if name == _METADATA or array.dtype.str not in NAMES:
        raise TypeError(f"there is no place in a file for array {name!r} of type {array.dtype}")
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _shown(array: Array) -> Array:
    view = array.view()
    view.flags.writeable = False
    return view


def _checksum(header: Header) -> int:
    """Return the checksum of all but the checksum."""
    rest = {key: value for key, value in header.items() if key != "crc32"}
    return zlib.crc32(strict_json.dumps(rest).encode("ascii"))


def read(path: str | os.PathLike[str]) -> tuple[Header, dict[str, Array]]:
    """Return the header and the arrays of a file, or raise ``ModelFileError``.

    Parameters
    ----------
    path : str or path
        A file that `write` made.

    Returns
    -------
    header : dict
        With what `write` added.
    arrays : dict of arrays
        In C order, writable, and not shared.
    """
    with naming(path), Path(path).open("rb") as file:
        header, places = _front(file)
        described = header["arrays"]
        return header, {p.name: _array(file, p, described[p.name]["crc32"]) for p in places}


def read_header(path: str | os.PathLike[str]) -> Header:
    """Return the header of a file, or raise ``ModelFileError``. No array is read.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    dict
        What the file says of its model: ``kind``, its class; ``params``; ``version``, that of
        Rosenblatt; ``arrays`` and so on.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from rosenblatt import OnlineClassifier, save
    >>> with TemporaryDirectory() as folder:
    ...     save(OnlineClassifier("averaged"), f"{folder}/m.model")
    ...     header = read_header(f"{folder}/m.model")
    >>> header["kind"], header["params"]["learner"]
    ('OnlineClassifier', 'averaged')
    """
    with naming(path), Path(path).open("rb") as file:
        return _front(file).header


def _front(file: BufferedReader) -> _Front:
    """Read and check all that stands before the arrays."""
    size = os.fstat(file.fileno()).st_size
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= min(size - 8, MAX_HEADER):
        raise ModelFileError("this is not a Rosenblatt model file, or it is truncated")
    try:
        text = file.read(length).decode("utf-8")
    except UnicodeDecodeError:
        raise ModelFileError("this is not a Rosenblatt model file: its table is not text") from None
    table = strict_json.loads(text, "the table")
    header = _header(table)
    del table[_METADATA]
    return _Front(header, check_table(table, header["arrays"], size - 8 - length))


def _header(table: Any) -> Header:
    """Return the header, if it is one and its format is known."""
    metadata = table.get(_METADATA) if isinstance(table, dict) else None
    text = metadata.get(_KEY) if isinstance(metadata, dict) and len(metadata) == 1 else None
    if not isinstance(text, str):
        raise ModelFileError("this is a safetensors file, but not a Rosenblatt model file")
    header: Header = strict_json.loads(text, "the header")
    number = header.get("format") if isinstance(header, dict) else None
    if type(number) is not int or number < 1:
        raise ModelFileError("the header does not say which format it has")
    if number > FORMAT:
        raise ModelFileError(
            f"written by a newer version of Rosenblatt; upgrade (the file has format {number}, and "
            f"this version, {__version__}, reads formats up to {FORMAT})"
        )
    if not {*RESERVED} <= header.keys() or not isinstance(header["library"], str):
        raise ModelFileError("the header lacks what every header has")
    if header["crc32"] != _checksum(header):
        raise ModelFileError("the header is not as it was written: its checksum differs")
    return header


def _array(file: BufferedReader, place: Place, checksum: int) -> Array:
    """Read the next array of a file."""
    array = np.empty(place.shape, place.dtype)
    flat = array.reshape(-1).view(np.uint8)
    found = 0
    for start in range(0, len(flat), _CHUNK):
        part = flat[start : start + _CHUNK]
        if file.readinto(part.data) != len(part):
            raise ModelFileError(f"the file ends within array {place.name[:50]!r}")
        found = zlib.crc32(part.data, found)
    if found != checksum:
        raise ModelFileError(
            f"array {place.name[:50]!r} is not as it was written: its checksum differs"
        )
    if place.dtype == np.bool_ and flat.max(initial=0) > 1:
        raise ModelFileError(f"array {place.name[:50]!r} holds neither true nor false somewhere")
    return array.astype(place.dtype.newbyteorder("="), copy=False)
