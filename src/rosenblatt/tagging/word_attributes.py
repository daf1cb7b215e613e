"""What templates look at, computed once for each distinct value of a column."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.utf8 import prefixes, shapes, suffixes
from rosenblatt.persist.strings import encode
from rosenblatt.tagging.corpus import Column, Corpus
from rosenblatt.tagging.templates import Value

UPPER, LOWER, DIGIT = map(ord, "Xx0")
_HALVES = "surrogatepass"


class Slices(NamedTuple):
    """Texts as slices of bytes in UTF-8; one that begins at −1 is none."""

    letters: Array
    starts: Array
    stops: Array


def slices_of(column: Column) -> Slices:
    """Return the distinct values of a column."""
    starts = np.concatenate([[0], column.ends[:-1]])[: len(column.ends)]
    return Slices(column.letters, starts, column.ends)


class Computed:
    """The values of a corpus, each computed once, for each distinct value of its column.

    Membership in a list is not such a value: it depends on the tokens around.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._known: dict[Value, Slices] = {}

    def __call__(self, value: Value) -> Slices:
        """Return the texts of a value."""
        if value not in self._known:
            if value.of is None:
                self._known[value] = slices_of(self.corpus.columns[value.function])
            else:
                self._known[value] = _apply(value, self(value.of))
        return self._known[value]


def _apply(value: Value, inner: Slices) -> Slices:
    if value.function == "lower":
        return _lower(inner)
    if value.function == "shape":
        return _shape(inner)
    size, letters = int(value.argument or 0), read_only(inner.letters)
    if value.function == "prefix":
        ends = np.empty(len(inner.starts), np.int64)
        prefixes(letters, inner.starts, inner.stops, size, ends)
        return Slices(inner.letters, np.where(ends < 0, -1, inner.starts), ends)
    begins = np.empty(len(inner.starts), np.int64)
    suffixes(letters, inner.starts, inner.stops, size, begins)
    return Slices(inner.letters, begins, inner.stops)


def texts(slices: Slices) -> list[str]:
    """Return the texts of slices; those that are none are empty."""
    whole = slices.letters.tobytes()
    spans = zip(slices.starts.tolist(), slices.stops.tolist(), strict=True)
    return [whole[a:b].decode("utf-8", _HALVES) if a >= 0 else "" for a, b in spans]


def _lower(slices: Slices) -> Slices:
    letters = slices.letters
    if not len(letters) or letters.max() < 128:
        big = (letters >= ord("A")) & (letters <= ord("Z"))
        return slices._replace(letters=letters + (big * np.uint8(32)))
    made, ends = encode([text.lower() for text in texts(slices)])
    starts = np.concatenate([[0], ends[:-1]])
    return Slices(made, np.where(slices.starts < 0, -1, starts), ends)


def _shape(slices: Slices) -> Slices:
    """Write letters as X and x, digits as 0, other signs as they are, and repeated ones once."""
    text = slices.letters.tobytes().decode("utf-8", _HALVES)
    points = np.frombuffer(text.encode("utf-32-le", _HALVES), np.uint32)
    distinct, which = np.unique(points, return_inverse=True)
    classes = np.array([_letter_class(int(point)) for point in distinct], np.uint32)[which]
    # How many characters begin before each byte.
    before = np.concatenate([[0], np.cumsum((slices.letters & 0xC0) != 0x80)])
    there = slices.starts >= 0
    starts = np.where(there, before[slices.starts], 0)
    stops = np.where(there, before[slices.stops], 0)
    buffer = np.empty(int((stops - starts).sum()), np.uint32)
    ends = np.empty(len(starts), np.int64)
    size = shapes(points, classes, starts, stops, buffer, ends)
    made = buffer[:size].tobytes().decode("utf-32-le", _HALVES)
    letters = np.frombuffer(made.encode("utf-8", _HALVES), np.uint8)
    first = np.flatnonzero((letters & 0xC0) != 0x80)
    place = np.concatenate([first, [len(letters)]])[np.concatenate([[0], ends])]
    return Slices(letters, np.where(there, place[:-1], -1), place[1:])


@cache
def _letter_class(point: int) -> int:
    sign = chr(point)
    if sign.isupper() or sign.istitle():
        return UPPER
    if sign.isalpha():
        return LOWER
    return DIGIT if sign.isdigit() else 0


class WordList:
    """The entries of a list, as a value sees them: for ``lower(word)`` in lower case.

    An entry is a sequence of words. Entries are kept by their first words, so that a short text
    does not have to look at all of a long list.
    """

    def __init__(self, value: Value, entries: Sequence[Sequence[str]]) -> None:
        self.by_first: dict[str, list[Sequence[str]]] = {}
        for entry in _seen_by(value, entries):
            if entry:
                self.by_first.setdefault(entry[0], []).append(entry)

    def marks(self, slices: Slices, codes: Array, offsets: Array) -> Array:
        """Return 0 for each token that begins an entry, 1 inside of one, −1 elsewhere.

        From the left the longest entry is taken each time.
        """
        known: dict[str, int] = {}
        # Values that are one after a function, such as Paris and PARIS in lower case, are one.
        each = [known.setdefault(text, number) for number, text in enumerate(texts(slices))]
        codes = np.array(each, np.int64)[codes]
        known.pop("", None)  # of tokens without a value
        there = [entry for text in known for entry in self.by_first.get(text, ())]
        tree = _tree(there, known)
        first = np.zeros(len(slices.starts), bool)
        first[[code for (node, code) in tree.arcs if node == 0]] = True
        starts = np.flatnonzero(first[codes])
        stops = offsets[np.searchsorted(offsets, starts, "right")]
        out, done = np.full(len(codes), -1, np.int32), 0
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            if start < done:
                continue
            length = tree.longest(codes, start, stop)
            if length:
                out[start], out[start + 1 : start + length] = 0, 1
                done = start + length
        return out


def _seen_by(value: Value, entries: Sequence[Sequence[str]]) -> Iterator[Sequence[str]]:
    """Apply the functions of a value to the words of entries."""
    if value.of is None:
        yield from entries
        return
    column = Column.of(word for entry in entries for word in entry)
    alone = Corpus({value.column: column}, np.array([0, len(column.codes)]))
    made = texts(Computed(alone)(value))
    words = iter(column.codes.tolist())
    for entry in entries:
        yield [made[next(words)] for _ in entry]


class _Tree(NamedTuple):
    """Entries as paths from node 0 along the numbers of words."""

    arcs: Mapping[tuple[int, int], int]
    ends: set[int]

    def longest(self, codes: Array, start: int, stop: int) -> int:
        """Return how many tokens the longest entry has that begins at a token; 0 if none does."""
        node, length = 0, 0
        for at in range(start, stop):
            node = self.arcs.get((node, int(codes[at])), -1)
            if node < 0:
                break
            if node in self.ends:
                length = at + 1 - start
        return length


def _tree(entries: Sequence[Sequence[str]], known: Mapping[str, int]) -> _Tree:
    arcs: dict[tuple[int, int], int] = {}
    ends: set[int] = set()
    for entry in entries:
        numbers = [known.get(word) for word in entry]
        if not numbers or None in numbers:
            continue  # a word of it is nowhere in these sequences
        node = 0
        for number in numbers:
            node = arcs.setdefault((node, number), len(arcs) + 1)  # type: ignore[arg-type]
        ends.add(node)
    return _Tree(arcs, ends)
