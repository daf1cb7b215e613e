"""Parameters, fitted attributes and arrays as JSON and arrays that a file can hold, and back."""

import re
from collections.abc import Callable
from math import isfinite, isnan, prod
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.models import stored_types
from rosenblatt.models.checks import check_csr
from rosenblatt.persist import strings
from rosenblatt.persist.container import NAMES
from rosenblatt.persist.errors import ModelFileError

Json = dict[str, Any]
METADATA = {"as", "order", "readonly"}
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
    """Return an array of a file's type in C order, and its metadata.

    >>> stored, metadata = flatten(np.array(["ham", "eggs"]))
    >>> stored.dtype, stored.shape, metadata
    (dtype('uint32'), (2, 4), {'as': '<U4'})
    """
    metadata: Json = {}
    if not array.flags.writeable:
        metadata["readonly"] = True
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        array, metadata["order"] = array.T, "F"
    array = np.asarray(array, order="C")
    if array.dtype.str not in NAMES:
        metadata["as"] = array.dtype.str
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if array.dtype.kind in "US":
            array = array[..., None]  # a text is a line of characters
        array = array.view(_carrier(array.dtype))
    return array, metadata


def restore(stored: Array, metadata: Json) -> Array:
    """Return the array that `flatten` was given, or raise ``ModelFileError``.

    >>> restore(*flatten(np.array(["ham", "eggs"]))).tolist()
    ['ham', 'eggs']
    """
    array, readonly = stored, metadata.get("readonly", False)
    if "as" in metadata:
        dtype = as_dtype(metadata["as"])
        array = _typed(stored, dtype.newbyteorder("<")).astype(dtype, copy=False)
    if "order" in metadata:
        if metadata["order"] != "F" or array.ndim < 2:
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
        raise ModelFileError("an array of texts has numbers that are not characters")
    return stored.view(dtype)[..., 0]


_DEEPEST = 20
_SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
_PLAIN = (bool, int, float, str)


class Encoder:
    """Turns values into JSON, and collects their arrays; the same array twice is stored once."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._known: dict[int, tuple[Array, Json]] = {}

    def encode(self, value: Any, name: str, depth: int = 0) -> Any:
        """Return JSON for a value, or raise ``TypeError`` naming what cannot be stored."""
        if value is None or type(value) in (bool, int, str):
            return value
        if isinstance(value, np.str_):
            return str(value)
        if type(value) is float:
            return value if isfinite(value) else {"is": "float", "value": _word(value)}
        if isinstance(value, np.generic) and is_number(value.dtype):
            plain = self.encode(value.item(), name)
            return {"is": "scalar", "dtype": value.dtype.str, "value": plain}
        if isinstance(value, np.dtype) and is_number(value):
            return {"is": "dtype", "name": value.str}
        if type(value) is np.ndarray:
            return self._array(value, name)
        if depth >= _DEEPEST:
            raise TypeError(f"{name} is nested too deep")
        return self._compound(value, name, depth + 1)

    def _compound(self, value: Any, name: str, depth: int) -> Any:
        def inside(parts: Json) -> Json:
            return {key: self.encode(v, f"{name}.{key}", depth) for key, v in parts.items()}

        if type(value) in (list, tuple):
            items = [self.encode(v, f"{name}.{k}", depth) for k, v in enumerate(value)]
            return items if type(value) is list else {"is": "tuple", "items": items}
        if type(value) is dict and all(type(key) is str for key in value):
            return {"is": "dict", "items": inside(value)} if "is" in value else inside(value)
        kind = stored_types.name_of(value)
        if kind is not None:
            return {**inside(stored_types.parts_of(kind, value)), "is": kind}
        if type(value).__module__.startswith("scipy.sparse") and value.format == "csr":
            parts = {"indptr": value.indptr, "indices": value.indices, "data": value.data}
            sides = {"shape": [int(side) for side in value.shape]}
            return {"is": type(value).__name__, **inside(parts), **sides}
        raise TypeError(f"{name} is {_short(value)}")

    def _array(self, array: Array, name: str) -> Json:
        if id(array) not in self._known:  # which keeps the array, so that no other has its number
            self._known[id(array)] = array, self._new_array(array, name)
        return self._known[id(array)][1]

    def _new_array(self, array: Array, name: str) -> Json:
        if array.dtype.kind == "O":
            return self._objects(array, name)
        if not storable(array.dtype):
            raise TypeError(f"{name} is an array of {array.dtype}")
        stored, metadata = flatten(array)
        return {"is": "array", "at": self._store(name, stored), **metadata}

    def _objects(self, array: Array, name: str) -> Json:
        """Store texts as bytes, and numbers one by one."""
        items, sides = array.ravel().tolist(), {"shape": list(array.shape)}
        strange = [item for item in items if type(item) not in _PLAIN]
        if strange:
            raise TypeError(f"{name} is an array with {_short(strange[0])}")
        if not all(type(item) is str for item in items):
            return {"is": "objects", "items": [self.encode(v, name) for v in items], **sides}
        blob, ends = strings.encode(items)
        places = {"at": self._store(name, blob), "ends": self._store(f"{name}.ends", ends)}
        return {"is": "texts", **places, **sides}

    def _store(self, name: str, array: Array) -> str:
        while name in self.arrays:
            name += "_"
        self.arrays[name] = array
        return name


class Decoder:
    """Turns JSON and arrays into values; an array that is named twice comes back as one."""

    def __init__(self, stored: dict[str, Array]) -> None:
        self.stored = stored
        self.used: set[str] = set()
        self._uses: dict[str, Json] = {}
        self._known: dict[str, Array] = {}
        self._makers: dict[str, tuple[set[str], Callable[[Json], Any]]] = {
            "array": ({"at"}, self._array),
            "csr_array": ({"data", "indices", "indptr", "shape"}, self._csr),
            "csr_matrix": ({"data", "indices", "indptr", "shape"}, self._csr),
            "dict": ({"items"}, self._dict),
            "dtype": ({"name"}, lambda json: as_dtype(json["name"])),
            "float": ({"value"}, lambda json: _special(json["value"])),
            "objects": ({"items", "shape"}, self._objects),
            "scalar": ({"dtype", "value"}, self._scalar),
            "texts": ({"at", "ends", "shape"}, self._texts),
            "tuple": ({"items"}, lambda json: tuple(self._list(json["items"]))),
        }

    def decode(self, json: Any) -> Any:
        """Return the value that JSON stands for, or raise ``ModelFileError``."""
        if isinstance(json, list):
            return self._list(json)
        if not isinstance(json, dict):
            return json
        if "is" not in json:
            return {key: self.decode(item) for key, item in json.items()}
        kind, parts = json["is"], {key: item for key, item in json.items() if key != "is"}
        if not isinstance(kind, str):
            raise ModelFileError("a value does not say what it is")
        if kind not in self._makers:
            return stored_types.build(kind, {key: self.decode(item) for key, item in parts.items()})
        keys, make = self._makers[kind]
        if parts.keys() - METADATA != keys:
            raise ModelFileError(f"a value of kind {kind} must have {', '.join(sorted(keys))}")
        return make(json)

    def _take(self, name: Any, use: Json) -> Array:
        """Return a stored array, which must have one use: else a file might ask for many copies."""
        if not isinstance(name, str) or name not in self.stored:
            raise ModelFileError(f"there is no array {str(name)[:50]!r}")
        if self._uses.setdefault(name, use) != use:
            raise ModelFileError(f"array {name[:50]!r} is described in two ways")
        self.used.add(name)
        return self.stored[name]

    def _list(self, json: Any) -> list[Any]:
        if not isinstance(json, list):
            raise ModelFileError("there must be a list of items")
        return [self.decode(item) for item in json]

    def _dict(self, json: Json) -> Json:
        if not isinstance(json["items"], dict):
            raise ModelFileError("a dict must have items by name")
        return {key: self.decode(item) for key, item in json["items"].items()}

    def _array(self, json: Json) -> Array:
        stored = self._take(json["at"], json)
        if json["at"] not in self._known:
            self._known[json["at"]] = restore(stored, json)
        return self._known[json["at"]]

    def _scalar(self, json: Json) -> Any:
        dtype, value = as_dtype(json["dtype"]), self.decode(json["value"])
        kind = {"b": bool, "i": int, "u": int, "f": float}.get(dtype.kind)
        if type(value) is not kind:
            raise ModelFileError(f"{str(value)[:50]} is not a number of {dtype}")
        try:
            return dtype.type(value)
        except OverflowError:
            raise ModelFileError(f"{str(value)[:50]} is too large for {dtype}") from None

    def _texts(self, json: Json) -> Array:
        blob, ends = self._take(json["at"], json), self._take(json["ends"], json)
        if json["at"] not in self._known:
            self._known[json["at"]] = _object_array(strings.decode(blob, ends), json["shape"])
        return self._known[json["at"]]

    def _objects(self, json: Json) -> Array:
        items = self._list(json["items"])
        if not all(type(item) in _PLAIN for item in items):
            raise ModelFileError("an array of objects must hold numbers or texts")
        return _object_array(items, json["shape"])

    def _csr(self, json: Json) -> Any:
        import scipy.sparse as sp

        data, indices, indptr = (self.decode(json[key]) for key in ("data", "indices", "indptr"))
        shape = _sides(json["shape"])
        if len(shape) != 2:
            raise ModelFileError("a sparse matrix must have two sides")
        check_csr(indptr, indices, data, "a sparse matrix", shape[1])
        if len(indptr) != shape[0] + 1 or not is_number(data.dtype):
            raise ModelFileError("a sparse matrix is not of its shape and numbers")
        kind = sp.csr_array if json["is"] == "csr_array" else sp.csr_matrix
        matrix = kind((data, indices, indptr), shape=shape, copy=False)
        matrix.indices, matrix.indptr = indices, indptr  # SciPy would choose their type itself
        return matrix


def _word(value: float) -> str:
    return "nan" if isnan(value) else "inf" if value > 0 else "-inf"


def _special(word: Any) -> float:
    if not isinstance(word, str) or word not in _SPECIAL:
        raise ModelFileError("a special number must be nan, inf or -inf")
    return _SPECIAL[word]


def _sides(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, list) or not all(type(n) is int and 0 <= n < 1 << 53 for n in shape):
        raise ModelFileError("a shape must be a list of sizes")
    return tuple(shape)


def _object_array(items: list[Any], shape: Any) -> Array:
    sides = _sides(shape)
    if prod(sides) != len(items):
        raise ModelFileError(f"{len(items):,} items do not have the shape {list(sides[:8])}")
    result = np.empty(len(items), object)
    result[:] = items
    try:
        return result.reshape(sides)
    except ValueError:
        raise ModelFileError("a shape has more sides than an array can have") from None


def _short(value: Any) -> str:
    text = repr(value)
    shown = text if len(text) <= 80 else f"{text[:77]}..."
    return f"{' '.join(shown.split())}, of type {type(value).__name__}"
