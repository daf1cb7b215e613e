"""The rows learned from recently, ready to be multiplied with the next block of examples.

An example's scores are up to date as of its last visit; what it needs are the changes since then.
So rows that changed are remembered until every example has been visited again, in tiles of a size
that matrix products like.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.kernel_perceptron.kernel_values import Grams, Part


class Tile(NamedTuple):
    """Rows in one piece: the number of the first one, how many they are, and they themselves."""

    start: int
    size: int
    taken: Any


class Recent:
    """Changes of coefficients in the order they came, numbered from 0 on; see `since`."""

    def __init__(self, grams: Grams) -> None:
        self.grams = grams
        self.total = 0
        self._tiles: list[Tile] = []
        self._open = np.empty(0, np.int64)  # the numbers of rows that fill no tile yet
        self._taken: Any = None  # these rows
        self._place = self._function = self._change = np.empty(0, np.int64)

    def add(self, ids: Array, function: Array, change: Array) -> None:
        """Remember changes; an example that changed several times needs one row only."""
        rows, place = np.unique(ids, return_inverse=True)
        order = np.argsort(place, kind="stable")
        self._place = np.concatenate([self._place, self.total + place[order]])
        self._function = np.concatenate([self._function, function[order]])
        self._change = np.concatenate([self._change, change[order]])
        self._open, self._taken = np.concatenate([self._open, rows]), None
        self.total += len(rows)
        size = self.grams.tile_size
        while len(self._open) >= size:
            start = self.total - len(self._open)
            self._tiles.append(Tile(start, size, self.grams.take(self._open[:size])))
            self._open = self._open[size:]

    def since(self, number: int) -> Iterator[Part]:
        """Yield what was remembered from a number on."""
        if len(self._open) and self._taken is None:
            self._taken = self.grams.take(self._open)
        last = Tile(self.total - len(self._open), len(self._open), self._taken)
        for start, size, taken in (*self._tiles, last):
            first = max(start, number)
            if first >= start + size:
                continue
            part = slice(*np.searchsorted(self._place, [first, start + size]))
            rows = self.grams.cut(taken, first - start) if first > start else taken
            row = self._place[part] - first
            yield Part(rows, row, self._function[part], self._change[part])

    def forget(self, number: int) -> None:
        """Drop what came before a number."""
        while self._tiles and self._tiles[0].start + self._tiles[0].size <= number:
            del self._tiles[0]
        first = int(np.searchsorted(self._place, number))
        if first > len(self._place) // 2:
            parts = self._place, self._function, self._change
            self._place, self._function, self._change = (part[first:].copy() for part in parts)
