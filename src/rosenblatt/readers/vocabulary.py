"""A dictionary of texts that grows: each distinct text gets the next number."""

from typing import Self

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.interning import Dictionary, intern, rebuild

MOST = 1 << 25
_MANY = "there are more than {:,} different texts: too many to keep them"


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
        while True:
            done = intern(self.dictionary, text, starts, stops, done, grow, found)
            if done == len(stops):
                return found
            self.make_room(int(stops[done] - starts[done]))

    def make_room(self, letters: int) -> None:
        """Make room for as many texts again, and at least for one with so many letters."""
        old, size = self.dictionary, self.size
        if size >= MOST:
            raise ValueError(self._too_many.format(size))
        used = int(old.ends[size - 1]) if size else 0
        room = _empty(max(2 * size, 1024), max(2 * used, 1 << 14) + letters)
        room.letters[:used], room.ends[:size] = old.letters[:used], old.ends[:size]
        room.hashes[:size], room.size[0] = old.hashes[:size], size
        rebuild(room, False)
        self.dictionary = room

    def forget(self, size: int) -> None:
        """Forget all texts but the first few."""
        if size < self.size:
            self.dictionary.size[0] = size
            rebuild(self.dictionary, False)

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
        """Undo `arrays`; raise ``ValueError`` if they are no texts."""
        whole = letters.dtype == np.uint8 and letters.ndim == 1 and ends.dtype == np.int64
        if not whole or ends.ndim != 1 or (ends[:1] < 0).any() or (ends[1:] < ends[:-1]).any():
            raise ValueError(f"the {what} are damaged")
        if (int(ends[-1]) if len(ends) else 0) != len(letters):
            raise ValueError(f"the {what} are damaged: letters are missing")
        made = cls(len(ends), len(letters))
        room = made.dictionary
        room.letters[:], room.ends[:], room.size[0] = letters, ends, len(ends)
        if not rebuild(room, True):
            raise ValueError(f"the {what} are damaged: one stands twice")
        return made


def _empty(texts: int, letters: int) -> Dictionary:
    """Make room for so many texts with so many letters."""
    slots = 1 << (2 * texts + 1).bit_length()
    return Dictionary(
        np.empty(letters, np.uint8),
        np.empty(texts, np.int64),
        np.empty(texts, np.uint32),
        np.full(slots, -1, np.int32),
        np.zeros(1, np.int64),
    )
