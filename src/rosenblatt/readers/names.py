"""Which column a feature's name stands for: the file's own numbers, a hash, or a dictionary."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.hashing import MOST_DIGITS, hash_names
from rosenblatt.kernels.interning import Dictionary, intern, rebuild

MOST_COLUMNS = 1 << 27
MOST_BITS = 30
UNKNOWN = -1


class Names(Protocol):
    """Turns names into columns. A ``frozen`` one learns no new names, and drops unknown ones."""

    frozen: bool

    @property
    def n_features(self) -> int:
        """How many columns there are so far."""

    def columns(self, names: Sequence[str]) -> Array:
        """Return the columns of some names; −1 for what a frozen one does not know."""

    def name(self, column: int) -> str | None:
        """Return the name of a column, if that is known."""

    def seen(self, n_features: int) -> None:
        """Take note of columns that a reader made by itself."""

    def header(self) -> dict[str, Any]:
        """Describe it for a model file; the arrays that belong to it are in `arrays`."""

    def arrays(self) -> dict[str, Array]:
        """Return the arrays of a model file."""


class Numbered:
    """Features are numbered in the file: number j is column j."""

    kind = "numbered"

    def __init__(self, n_features: int = 0) -> None:
        self.n_features, self.frozen = n_features, False

    def columns(self, names: Sequence[str]) -> Array:
        """Return the numbers."""
        found = np.empty(len(names), np.int64)
        for k, name in enumerate(names):
            if not (name.isascii() and name.isdigit()):
                raise ValueError(
                    f"feature {name!r} is no number, and this model's features are numbered"
                )
            if len(name) > MOST_DIGITS or int(name) >= MOST_COLUMNS:
                raise ValueError(
                    f"feature number {name} is above {MOST_COLUMNS - 1:,}, which is the most; "
                    "hash the numbers (bits=22)"
                )
            found[k] = int(name)
        if self.frozen:
            found[found >= self.n_features] = UNKNOWN
        elif len(found):
            self.seen(int(found.max()) + 1)
        return found

    def seen(self, n_features: int) -> None:
        """Take note of larger numbers."""
        if not self.frozen:
            self.n_features = max(self.n_features, n_features)

    def name(self, column: int) -> str | None:
        """Return the number."""
        return str(column)

    def header(self) -> dict[str, Any]:
        """Describe it for a model file."""
        return {"kind": self.kind, "n_features": self.n_features}

    def arrays(self) -> dict[str, Array]:
        """Return nothing: there are no names."""
        return {}


class Hashed:
    """Names are hashed to 2^bits columns; different names may share one.

    >>> names = Hashed(18)
    >>> names.columns(["offer", "user^id", "17"]).tolist()
    [102263, 18871, 17]
    """

    kind = "hashed"

    def __init__(self, bits: int) -> None:
        if not 1 <= bits <= MOST_BITS:
            raise ValueError(f"bits={bits} must be between 1 and {MOST_BITS}")
        self.bits, self.mask = bits, (1 << bits) - 1
        self.n_features, self.frozen = 1 << bits, False

    def columns(self, names: Sequence[str]) -> Array:
        """Return the hashes, modulo 2^bits."""
        text, ends = joined(names)
        found = np.empty(len(ends), np.int64)
        hash_names(text, ends, self.mask, found)
        return found

    def seen(self, n_features: int) -> None:
        """Ignore it: there are always 2^bits columns."""

    def name(self, column: int) -> str | None:
        """Return None: a hash cannot be undone."""
        return None

    def header(self) -> dict[str, Any]:
        """Describe it for a model file."""
        return {"kind": self.kind, "bits": self.bits, "hash": "murmur3_32"}

    def arrays(self) -> dict[str, Array]:
        """Return nothing: names are not kept."""
        return {}


class Kept:
    """Names are kept in a dictionary: each new one gets the next column.

    >>> names = Kept()
    >>> names.columns(["free", "offer", "free"]).tolist(), names.name(1)
    ([0, 1, 0], 'offer')
    """

    kind = "kept"

    def __init__(self) -> None:
        self.frozen = False
        self.dictionary = _empty(1024, 1 << 14)

    @property
    def n_features(self) -> int:
        """Count the names."""
        return int(self.dictionary.size[0])

    def columns(self, names: Sequence[str]) -> Array:
        """Return each name's number, giving new ones the next."""
        return self.intern(*joined(names))

    def intern(self, text: Array, ends: Array) -> Array:
        """Do so for names in UTF-8 that lie one after the other, and end at ``ends``."""
        found, done = np.empty(len(ends), np.int64), 0
        while True:
            done = intern(self.dictionary, text, ends, done, not self.frozen, found)
            if done == len(ends):
                return found
            self.make_room(int(ends[done] - (ends[done - 1] if done else 0)))

    def make_room(self, letters: int) -> None:
        """Make room for as many names again, and at least for one with so many letters."""
        old, size = self.dictionary, self.n_features
        if size >= MOST_COLUMNS // 4:
            raise ValueError(
                f"there are more than {size:,} different features: too many to keep their names; "
                "hash them (bits=22)"
            )
        used = int(old.ends[size - 1]) if size else 0
        room = _empty(max(2 * size, 1024), max(2 * used, 1 << 14) + letters)
        room.letters[:used], room.ends[:size] = old.letters[:used], old.ends[:size]
        room.hashes[:size], room.size[0] = old.hashes[:size], size
        rebuild(room, False)
        self.dictionary = room

    def seen(self, n_features: int) -> None:
        """Ignore it: columns come from names alone."""

    def name(self, column: int) -> str | None:
        """Return the name of a column."""
        if not 0 <= column < self.n_features:
            return None
        start = int(self.dictionary.ends[column - 1]) if column else 0
        stop = int(self.dictionary.ends[column])
        return bytes(self.dictionary.letters[start:stop]).decode(errors="backslashreplace")

    def header(self) -> dict[str, Any]:
        """Describe it for a model file."""
        return {"kind": self.kind, "n_features": self.n_features}

    def arrays(self) -> dict[str, Array]:
        """Return the letters of all names, and where each ends."""
        ends = self.dictionary.ends[: self.n_features].copy()
        return {
            "letters": self.dictionary.letters[: int(ends[-1]) if len(ends) else 0],
            "ends": ends,
        }

    @classmethod
    def from_arrays(cls, letters: Array, ends: Array) -> "Kept":
        """Undo `arrays`; raise ``ValueError`` if they are no names."""
        whole = letters.dtype == np.uint8 and letters.ndim == 1 and ends.dtype == np.int64
        if not whole or ends.ndim != 1 or (ends[:1] < 0).any() or (ends[1:] < ends[:-1]).any():
            raise ValueError("the names of the features are damaged")
        if (int(ends[-1]) if len(ends) else 0) != len(letters):
            raise ValueError("the names of the features are damaged: letters are missing")
        names = cls()
        room = _empty(max(len(ends), 512), max(len(letters), 1 << 13))
        room.letters[: len(letters)], room.ends[: len(ends)] = letters, ends
        room.size[0] = len(ends)
        if not rebuild(room, True):
            raise ValueError("the names of the features are damaged: one stands twice")
        names.dictionary = room
        return names


def from_header(header: dict[str, Any], arrays: dict[str, Array]) -> Names:
    """Make names of what a model file says; raise ``ValueError`` if that makes no sense."""
    kind = header.get("kind")
    if kind == "hashed" and header.get("hash") == "murmur3_32" and type(header.get("bits")) is int:
        return Hashed(header["bits"])
    n_features = header.get("n_features")
    if type(n_features) is int and 0 <= n_features <= MOST_COLUMNS:
        if kind == "numbered":
            return Numbered(n_features)
        if kind == "kept" and {"letters", "ends"} <= set(arrays):
            names = Kept.from_arrays(arrays["letters"], arrays["ends"])
            if names.n_features == n_features:
                return names
    raise ValueError(f"features are named in a way that is not known: {header}")


def joined(names: Iterable[str]) -> tuple[Array, Array]:
    """Put names one after the other in UTF-8, and say where each ends."""
    parts = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ends


def split(text: Array, ends: Array) -> list[str]:
    """Undo `joined`."""
    whole, starts = bytes(text), [0, *ends[:-1].tolist()]
    spans = zip(starts, ends.tolist(), strict=True) if len(ends) else ()
    return [whole[start:end].decode(errors="backslashreplace") for start, end in spans]


def _empty(names: int, letters: int) -> Dictionary:
    """Make room for so many names with so many letters."""
    slots = 1 << (2 * names + 1).bit_length()
    return Dictionary(
        np.empty(letters, np.uint8),
        np.empty(names, np.int64),
        np.empty(names, np.uint32),
        np.full(slots, -1, np.int32),
        np.zeros(1, np.int64),
    )
