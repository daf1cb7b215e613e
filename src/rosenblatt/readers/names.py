"""Which column a feature's name stands for: a number in the file, a hash, or a dictionary."""

import operator
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Self, TypeAlias

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.hashing import MOST_DIGITS, hash_names
from rosenblatt.kernels.text.interning import Dictionary, intern, rebuild

MOST = 1 << 25
_MANY = "there are more than {:,} different texts: too many to keep them"
MOST_COLUMNS = 1 << 27
MOST_BITS = 30
UNKNOWN = -1
_WIDE = 1 << 22  # features, with which a model of two classes takes 50 MB
_SPARSE = 64  # features for each that is used


class Vocabulary:
    """Numbers for texts in UTF-8. Texts are equal if their bytes are, whatever their hashes.

    One that is ``frozen`` learns no new texts, and gives −1 to those it does not know.

    >>> words = Vocabulary()
    >>> text, ends = np.frombuffer(b"freeofferfree", np.uint8), np.array([4, 9, 13])
    >>> words.intern(text, ends).tolist(), words.text(1), words.size
    ([0, 1, 0], 'offer', 2)
    """

    _too_many = _MANY

    def __init__(self, texts: int = 1024, letters: int = 1 << 14) -> None:
        self.dictionary, self.frozen = _empty(texts, letters), False
        self.moves = np.zeros(1, np.int64)  # how often there was another dictionary
        self.times_forgotten = 0

    @property
    def size(self) -> int:
        """How many texts there are."""
        return int(self.dictionary.size[0])

    def intern(self, text: Array, ends: Array, grow: bool = True) -> Array:
        """Return the numbers of texts that lie one after the other, and end at ``ends``.

        Without ``grow`` it learns no new texts, as if it were frozen.
        """
        starts = np.empty_like(ends)
        starts[:1], starts[1:] = 0, ends[:-1]
        return self.intern_slices(text, starts, ends, grow)

    def intern_slices(self, text: Array, starts: Array, stops: Array, grow: bool = True) -> Array:
        """Do so for slices of a text; one that begins below zero is none, and its number −1."""
        found, done, grow = np.empty(len(stops), np.int64), 0, grow and not self.frozen
        text = read_only(text)
        while True:
            done = intern(self.dictionary, text, starts, stops, done, grow, found)
            if done == len(stops):
                return found
            self.make_room(int(stops[done] - starts[done]))

    def make_room(self, letters: int) -> None:
        """Double the capacity, and make sure that a text with so many letters fits."""
        old, size = self.dictionary, self.size
        if size >= MOST:
            raise ValueError(self._too_many.format(size))
        used = int(old.ends[size - 1]) if size else 0
        larger = _empty(max(2 * size, 1024), max(2 * used, 1 << 14) + letters)
        larger.letters[:used], larger.ends[:size] = old.letters[:used], old.ends[:size]
        larger.hashes[:size], larger.size[0] = old.hashes[:size], size
        rebuild(larger, False)
        self.dictionary = larger
        self.moves += 1

    def forget(self, size: int) -> None:
        """Forget all texts but the first few."""
        if size < self.size:
            self.dictionary.size[0] = size
            rebuild(self.dictionary, False)
            self.times_forgotten += 1

    def text(self, number: int) -> str:
        """Return the text of a number."""
        start = int(self.dictionary.ends[number - 1]) if number else 0
        stop = int(self.dictionary.ends[number])
        return bytes(self.dictionary.letters[start:stop]).decode(errors="backslashreplace")

    def arrays(self) -> dict[str, Array]:
        """Return the letters of all texts, and where each ends."""
        ends = self.dictionary.ends[: self.size].copy()
        return {
            "letters": self.dictionary.letters[: int(ends[-1]) if len(ends) else 0],
            "ends": ends,
        }

    @classmethod
    def from_arrays(cls, letters: Array, ends: Array, what: str = "texts") -> Self:
        """Undo `arrays`; raise ``ValueError`` if they are not texts."""
        whole = letters.dtype == np.uint8 and letters.ndim == 1 and ends.dtype == np.int64
        if not whole or ends.ndim != 1 or (ends[:1] < 0).any() or (ends[1:] < ends[:-1]).any():
            raise ValueError(f"the {what} are damaged")
        if (int(ends[-1]) if len(ends) else 0) != len(letters):
            raise ValueError(f"the {what} are damaged: letters are missing")
        made = cls(len(ends), len(letters))
        own = made.dictionary
        own.letters[:], own.ends[:], own.size[0] = letters, ends, len(ends)
        if not rebuild(own, True):
            raise ValueError(f"the {what} are damaged: one occurs twice")
        return made


def _empty(texts: int, letters: int) -> Dictionary:
    """Return an empty dictionary with this capacity."""
    slots = 1 << (2 * texts + 1).bit_length()
    return Dictionary(
        np.empty(letters, np.uint8),
        np.empty(texts, np.int64),
        np.empty(texts, np.uint32),
        np.full(slots, -1, np.int32),
        np.zeros(1, np.int64),
    )


class Numbered:
    """Features are numbered in the file: number j is column j."""

    kind, dictionary = "numbered", None

    def __init__(self, n_features: int = 0) -> None:
        self.n_features, self.frozen = n_features, False

    def columns(self, names: Sequence[str]) -> Array:
        """Return the numbers."""
        if self.frozen:
            return self.known(names)
        found = self._numbers(names)
        if len(found):
            self.seen(int(found.max()) + 1)
        return found

    def known(self, names: Sequence[str]) -> Array:
        """Return the numbers, −1 for those that are not known."""
        found = self._numbers(names)
        found[found >= self.n_features] = UNKNOWN
        return found

    def _numbers(self, names: Sequence[str]) -> Array:
        found = np.empty(len(names), np.int64)
        for k, name in enumerate(names):
            if not (name.isascii() and name.isdigit()):
                raise ValueError(
                    f"feature {name!r} is not a number, and this model's features are numbered"
                )
            if len(name) > MOST_DIGITS or int(name) >= MOST_COLUMNS:
                raise ValueError(
                    f"feature number {name} is above {MOST_COLUMNS - 1:,}, which is the most; "
                    "hash the numbers (bits=22)"
                )
            found[k] = int(name)
        return found

    def seen(self, n_features: int) -> None:
        """Take note of larger numbers."""
        if not self.frozen:
            self.n_features = max(self.n_features, n_features)

    def forget(self, n_features: int) -> None:
        """Forget larger numbers."""
        self.n_features = n_features

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

    kind, dictionary = "hashed", None
    counts_words = False

    def __init__(self, bits: int) -> None:
        bits = operator.index(bits)
        if not 1 <= bits <= MOST_BITS:
            raise ValueError(f"bits={bits} must be between 1 and {MOST_BITS}")
        self.bits, self.mask = bits, (1 << bits) - 1
        self.n_features, self.frozen = 1 << bits, False

    def columns(self, names: Sequence[str]) -> Array:
        """Return the hashes, modulo 2^bits."""
        text, ends = joined(names)
        found = np.empty(len(ends), np.int64)
        hash_names(read_only(text), ends, self.mask, found)
        return found

    known = columns

    def seen(self, n_features: int) -> None:
        """Ignore it: there are always 2^bits columns."""

    forget = seen

    def name(self, column: int) -> str | None:
        """Return None: a hash cannot be undone."""
        return None

    def header(self) -> dict[str, Any]:
        """Describe it for a model file."""
        return {"kind": self.kind, "bits": self.bits, "hash": "murmur3_32"}

    def arrays(self) -> dict[str, Array]:
        """Return nothing: names are not kept."""
        return {}


class Kept(Vocabulary):
    """Names are kept in a dictionary: each new one gets the next column.

    >>> names = Kept()
    >>> names.columns(["free", "offer", "free"]).tolist(), names.name(1)
    ([0, 1, 0], 'offer')
    """

    kind = "kept"
    _too_many = (
        "there are more than {:,} different features: too many to keep their names; "
        "hash them (bits=22)"
    )

    def __init__(self, texts: int = 1024, letters: int = 1 << 14) -> None:
        super().__init__(texts, letters)
        self.counts_words = False  # whether a word that is twice in a text counts as 2
        self._words = np.zeros(0, np.uint8)

    @property
    def n_features(self) -> int:
        """Count the names."""
        return self.size

    @property
    def words(self) -> Array:
        """For each name, 1 if it is a word of a text; empty if none is."""
        if len(self._words) and len(self._words) < self.size:
            self._words = _longer(self._words, self.size)
        return self._words[: self.size]

    def mark_words(self, start: int) -> None:
        """Take note that the names from a number on are words."""
        if start < self.size:
            if len(self._words) < self.size:
                self._words = _longer(self._words, self.size)
            self._words[start : self.size] = 1

    def forget(self, size: int) -> None:
        """Forget all names but the first few."""
        super().forget(size)
        self._words[size:] = 0

    def columns(self, names: Sequence[str]) -> Array:
        """Return each name's number, giving new ones the next."""
        return self.intern(*joined(names))

    def known(self, names: Sequence[str]) -> Array:
        """Return each name's number, −1 for those that are not known."""
        return self.intern(*joined(names), grow=False)

    def seen(self, n_features: int) -> None:
        """Ignore it: columns come from names alone."""

    def name(self, column: int) -> str | None:
        """Return the name of a column."""
        return self.text(column) if 0 <= column < self.size else None

    def header(self) -> dict[str, Any]:
        """Describe it for a model file."""
        counts = {"counts_words": True} if self.counts_words else {}
        return {"kind": self.kind, "n_features": self.n_features, **counts}

    def arrays(self) -> dict[str, Array]:
        """Return the names, and which of them are words if any is."""
        words = {"words": self.words} if len(self._words) else {}
        return super().arrays() | words


def _longer(words: Array, size: int) -> Array:
    """Return a longer array with zeros at its end."""
    longer = np.zeros(max(size, 2 * len(words)), np.uint8)
    longer[: len(words)] = words
    return longer


# Turns names into columns. One that is ``frozen`` learns no new names, and drops unknown ones.
Names: TypeAlias = Numbered | Hashed | Kept


def has_words(names: Names) -> bool:
    """Say whether some features are words of a text."""
    return isinstance(names, Kept) and bool(names.words.any())


def few_used(n_used: int, n_features: int) -> bool:
    """Say whether numbers lie so far apart that those used had better be kept as names.

    >>> few_used(2, 134_217_728), few_used(2, 1_000), few_used(1_000_000, 8_000_000)
    (True, False, False)
    """
    return n_features >= _WIDE and n_used * _SPARSE <= n_features


def from_header(header: dict[str, Any], arrays: dict[str, Array]) -> Names:
    """Make names from the header of a model file; raise ``ValueError`` if it is damaged."""
    kind = header.get("kind")
    if kind == "hashed" and header.get("hash") == "murmur3_32" and type(header.get("bits")) is int:
        return Hashed(header["bits"])
    n_features = header.get("n_features")
    if type(n_features) is int and 0 <= n_features <= MOST_COLUMNS:
        if kind == "numbered":
            return Numbered(n_features)
        if kind == "kept" and {"letters", "ends"} <= set(arrays):
            names = Kept.from_arrays(arrays["letters"], arrays["ends"], "names of the features")
            words = arrays.get("words", np.zeros(0, np.uint8))
            there = len(words) == n_features and words.ndim == 1 and words.dtype == np.uint8
            if "words" in arrays and not (there and words.max(initial=0) <= 1):
                raise ValueError("which names of features are words is damaged")
            names._words, names.counts_words = words.copy(), header.get("counts_words") is True
            if names.n_features == n_features:
                return names
    raise ValueError(f"the names of the features are damaged: {header}")


def joined(names: Iterable[str]) -> tuple[Array, Array]:
    """Put names one after the other in UTF-8, and say where each ends."""
    parts = [name.encode("utf-8", "surrogatepass") for name in names]
    ends = np.array(list(accumulate(map(len, parts))), np.int64)
    return np.frombuffer(b"".join(parts), np.uint8), ends


def split(text: Array, ends: Array) -> list[str]:
    """Undo `joined`."""
    whole, starts = bytes(text), [0, *ends[:-1].tolist()]
    spans = zip(starts, ends.tolist(), strict=True) if len(ends) else ()
    return [whole[start:end].decode(errors="backslashreplace") for start, end in spans]
