"""Spans of tokens, such as phrases and names, and their scores as conlleval counts them."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array

_SAME = {"L": "E", "U": "S", "M": "I"}
_OTHER = "?"
_OUT = {"O", "."}
_ALONE = {"S", "[", "]"}
_LETTERS = ("O", ".", "B", "I", "E", "S", "[", "]", _OTHER)
_ENDS_BEFORE = {"B": set("BOS"), "I": set("BOS"), "E": set("EIOBS")}
_STARTS_AFTER = {"B": set("BIOES"), "I": set("OES"), "E": set("OES")}


class Span(NamedTuple):
    """The tokens from ``start`` to before ``stop``, which are a phrase or name of some type."""

    start: int
    stop: int
    type: str


class Counts(NamedTuple):
    """How many spans there are, how many were found, and how many of those are correct."""

    true: int
    found: int
    correct: int

    def plus(self, other: "Counts") -> "Counts":
        """Return the counts of both."""
        return Counts(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def precision(self) -> float:
        """The share of the spans found that are correct; 0 if none was found."""
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of the true spans that were found; 0 if there are none."""
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if there is nothing to divide."""
        both = self.true + self.found
        return 2 * self.correct / both if both else 0.0


@dataclass(frozen=True)
class SpanReport:
    """How well spans were found. Its text is the table that conlleval prints.

    Parameters
    ----------
    tokens, correct_tokens : int
        How many tokens there are, and how many have the right tag.
    total : Counts
        The spans of all types.
    types : dict of str to Counts
        The spans of each type that is there or was found, sorted by name.

    Examples
    --------
    >>> found = report([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "B-VP"]])
    >>> found.precision, found.recall, round(found.accuracy, 4)
    (0.5, 1.0, 0.6667)
    """

    tokens: int
    correct_tokens: int
    total: Counts
    types: dict[str, Counts]

    @property
    def accuracy(self) -> float:
        """The share of tokens with the right tag; 0 if there are none."""
        return self.correct_tokens / self.tokens if self.tokens else 0.0

    @property
    def precision(self) -> float:
        """The precision of all types together."""
        return self.total.precision

    @property
    def recall(self) -> float:
        """The recall of all types together."""
        return self.total.recall

    @property
    def f1(self) -> float:
        """The F1 of all types together."""
        return self.total.f1

    def __add__(self, other: "SpanReport") -> "SpanReport":
        """Return the report of the sequences of both."""
        none = Counts(0, 0, 0)
        return SpanReport(
            self.tokens + other.tokens,
            self.correct_tokens + other.correct_tokens,
            self.total.plus(other.total),
            {
                name: self.types.get(name, none).plus(other.types.get(name, none))
                for name in sorted({*self.types, *other.types})
            },
        )

    def __str__(self) -> str:
        true, found, correct = self.total
        lines = [
            f"processed {self.tokens} tokens with {true} phrases; "
            f"found: {found} phrases; correct: {correct}."
        ]
        if self.tokens:
            accuracy = 100 * self.correct_tokens / self.tokens
            lines.append(f"accuracy: {accuracy:6.2f}%; {_percentages(self.total)}")
        for name, counts in self.types.items():
            line = f"{name:>17}: {_percentages(counts)}  {counts.found}"
            # The script prints a type without name once for the truth and once for the guesses.
            lines += [line] * (1 + (name == "" and counts.true > 0 and counts.found > 0))
        return "\n".join(lines)


def spans(tags: Sequence[str]) -> list[Span]:
    """Find the spans of one sequence of tags, in any scheme, by the rules of `evaluate`.

    >>> spans(["B-NP", "I-NP", "O", "I-VP", "B-NP"])
    [Span(start=0, stop=2, type='NP'), Span(start=3, stop=4, type='VP'),
     Span(start=4, stop=5, type='NP')]
    """
    found: list[Span] = []
    begin: int | None = None
    parts = [("O", ""), *(split(tag) for tag in tags), ("O", "")]
    for place, ((before, kind), (after, next_type)) in enumerate(pairwise(parts)):
        a, b, changed = _letter(before), _letter(after), kind != next_type
        starts = _starts(a, b) or (changed and b not in _OUT)
        ends = _ends(a, b) or (changed and a not in _OUT)
        if begin is not None and (starts or ends or b in _OUT):
            found.append(Span(begin, place, kind))
            begin = None
        if starts:
            begin = place
    return found


def evaluate(classes: Sequence[str], true: Any, predicted: Any, offsets: Any) -> SpanReport:
    """Count spans as the script conlleval of the CoNLL tasks does.

    A tag is split at its first ``-`` into a letter and a type. Between two tags a span ends, and
    one starts, by their letters or if the type changes; so ``I-X`` starts one after ``O`` or
    ``I-Y``. Before and after a sequence all is ``O``. A found span is correct if it starts and
    ends with a true one, and both have the same type all along.

    The script knows the letters B, I, E, O, a period, and brackets. Here E also ends before B;
    S (or U) is a span of one token, L is E, and M is I. And a type called 0 keeps its name.

    Parameters
    ----------
    classes : sequence of str
        The tags.
    true, predicted : array of shape (n_tokens,)
        The number of each token's tag among the classes.
    offsets : array of shape (n_sequences + 1,)
        Where each sequence begins, and where the last one ends.

    References
    ----------
    E. F. Tjong Kim Sang and S. Buchholz (2000). Introduction to the CoNLL-2000 shared task:
    chunking. CoNLL.

    Examples
    --------
    >>> found = evaluate(["O", "B-NP", "I-NP"], [1, 2, 0, 1], [1, 2, 1, 0], [0, 3, 4])
    >>> found.total, found.f1
    (Counts(true=2, found=2, correct=1), 0.5)
    """
    true, predicted, offsets = (np.asarray(part, np.int64) for part in (true, predicted, offsets))
    _check(len(classes), true, predicted, offsets)
    rules = _Rules.of(classes)
    # A tag O after each sequence, which is the script's empty line.
    lengths = np.diff(offsets)
    places = np.arange(len(true)) + np.repeat(np.arange(len(lengths)), lengths)
    rows = np.full((2, len(true) + len(lengths)), len(classes))
    rows[:, places] = true, predicted
    kinds = rules.kinds[rows]
    starts, ends = rules.boundaries(rows)

    both = kinds[0] == kinds[1]
    opened = np.concatenate([[0], np.cumsum(starts[0] & starts[1] & both)])
    # What two spans have in common lasts until one of them ends or their types part. It was a
    # span if they started together since the event before, and both end now, or the text does.
    events = np.append(np.flatnonzero(ends[0] | ends[1] | ~both), rows.shape[1])
    complete = np.append(ends[0] & ends[1], True)[events]
    complete &= np.diff(opened[events], prepend=0) > 0
    counted = kinds[0][starts[0]], kinds[1][starts[1]], kinds[0][events[complete] - 1]

    each = np.stack([np.bincount(kind, minlength=len(rules.names)) for kind in counted], axis=1)
    types = {
        rules.names[k]: Counts(*each[k].tolist())
        for k in sorted(range(len(each)), key=rules.names.__getitem__)
        if each[k, :2].any()
    }
    right = int(np.count_nonzero(rules.tags[true] == rules.tags[predicted]))
    return SpanReport(len(true), right, Counts(*map(len, counted)), types)


def report(true: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> SpanReport:
    """Count spans of sequences of tags as `evaluate` does.

    >>> print(report([["B-NP", "I-NP", "O"]], [["B-NP", "I-NP", "B-VP"]]))
    processed 3 tokens with 1 phrases; found: 2 phrases; correct: 1.
    accuracy:  66.67%; precision:  50.00%; recall: 100.00%; FB1:  66.67
                   NP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
                   VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1
    """
    if len(true) != len(predicted):
        raise ValueError(
            f"there are {len(true):,} true sequences and {len(predicted):,} predicted ones"
        )
    for row, (tags, found) in enumerate(zip(true, predicted, strict=True)):
        if len(tags) != len(found):
            raise ValueError(f"sequence {row} has {len(tags)} tags, and {len(found)} predicted")
    known: dict[str, int] = {}
    codes, found_codes = (
        [known.setdefault(tag, len(known)) for tags in part for tag in tags]
        for part in (true, predicted)
    )
    return evaluate(list(known), codes, found_codes, np.cumsum([0, *map(len, true)]))


def split(tag: str) -> tuple[str, str]:
    """Split a tag into its letter and its type, which may be empty.

    >>> split("B-NP"), split("I-gene-name"), split("O")
    (('B', 'NP'), ('I', 'gene-name'), ('O', ''))
    """
    letter, _, kind = tag.partition("-")
    return letter, kind


class _Rules(NamedTuple):
    """Tables over tags, and O as the last of them."""

    names: list[str]  # of types
    kinds: Array  # the number of the type of each tag
    tags: Array  # tags with equal letter and type have the same number, such as B and B-
    starts: Array  # whether a span starts, or ends, between a tag and another
    ends: Array

    @classmethod
    def of(cls, classes: Sequence[str]) -> "_Rules":
        parts = [*map(split, classes), ("O", "")]
        types: dict[str, int] = {}
        tags: dict[tuple[str, str], int] = {}
        kinds = np.array([types.setdefault(kind, len(types)) for _, kind in parts])
        same = np.array([tags.setdefault(part, len(tags)) for part in parts])
        letters = np.array([_LETTERS.index(_letter(letter)) for letter, _ in parts])
        inside = np.array([letter not in _OUT for letter in _LETTERS])[letters]
        changed = kinds[:, None] != kinds
        starts = _STARTS[np.ix_(letters, letters)] | (changed & inside)
        ends = _ENDS[np.ix_(letters, letters)] | (changed & inside[:, None])
        return cls(list(types), kinds, same, starts, ends)

    def boundaries(self, rows: Array) -> tuple[Array, Array]:
        """Say of each tag of several rows whether a span starts there, and whether one ends."""
        n = len(self.kinds)
        pairs = rows.copy()
        pairs[:, :1] += (n - 1) * n
        pairs[:, 1:] += rows[:, :-1] * n
        return self.starts.ravel()[pairs], self.ends.ravel()[pairs]


def _letter(letter: str) -> str:
    letter = _SAME.get(letter, letter)
    return letter if letter in _LETTERS else _OTHER


def _starts(before: str, letter: str) -> bool:
    return letter in _ALONE or before in _STARTS_AFTER.get(letter, ())


def _ends(before: str, letter: str) -> bool:
    return before in _ALONE or letter in _ENDS_BEFORE.get(before, ())


_STARTS = np.array([[_starts(before, letter) for letter in _LETTERS] for before in _LETTERS])
_ENDS = np.array([[_ends(before, letter) for letter in _LETTERS] for before in _LETTERS])


def _percentages(counts: Counts) -> str:
    """Round as the script does: percentages first, and F1 of those."""
    true, found, correct = counts
    precision = 100 * correct / found if found else 0.0
    recall = 100 * correct / true if true else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def _check(n_classes: int, true: Array, predicted: Array, offsets: Array) -> None:
    if true.ndim != 1 or true.shape != predicted.shape:
        raise ValueError(
            "the true and the predicted tags must be arrays of the same length; "
            f"they have the shapes {true.shape} and {predicted.shape}"
        )
    if (
        not len(offsets)
        or offsets[0] != 0
        or offsets[-1] != len(true)
        or (np.diff(offsets) < 0).any()
    ):
        raise ValueError(f"the offsets of sequences must rise from 0 to {len(true):,}")
    for codes in (true, predicted):
        if len(codes) and not 0 <= codes.min() <= codes.max() < n_classes:
            raise ValueError(f"numbers of tags must be from 0 to {n_classes - 1}")
