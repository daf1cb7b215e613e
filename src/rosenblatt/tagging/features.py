"""Tokens as features: templates applied to whole corpora, column by column."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import Array
from rosenblatt.kernels.text.templates import fill_slots, find_features, number_keys
from rosenblatt.persist.strings import encode
from rosenblatt.readers.names import Vocabulary
from rosenblatt.tagging import word_attributes
from rosenblatt.tagging.corpus import Corpus
from rosenblatt.tagging.templates import Template, Value, parse

MOST_COMBINATIONS = 1 << 62
SHIFT = 2  # for the values before and behind a sequence
_IN_LIST = ("B", "I")
Lists = Mapping[str, Sequence[Sequence[str]]]


class Plan(NamedTuple):
    """Templates as arrays: the distinct values they look at, and each template's parts."""

    values: tuple[Value, ...]
    rows: Array
    places: Array
    parts: Array


def plan_of(templates: Sequence[Template]) -> Plan:
    """Take templates apart."""
    distinct = list(dict.fromkeys(part.value for template in templates for part in template.parts))
    row = {value: number for number, value in enumerate(distinct)}
    parts = [part for template in templates for part in template.parts]
    return Plan(
        tuple(distinct),
        np.array([row[part.value] for part in parts], np.int64),
        np.array([part.place for part in parts], np.int64),
        np.cumsum([0, *(len(template.parts) for template in templates)]),
    )


class Stored(NamedTuple):
    """`Features` as texts and arrays, for a model file.

    The texts of all values stand one after the other, ``sizes`` says how many each value has.
    """

    templates: tuple[str, ...]
    lists: dict[str, list[list[str]]]
    letters: Array
    ends: Array
    sizes: Array
    keys: Array
    counts: Array


class Features:
    """The features that a tagger knows, and which of them each token has.

    Parameters
    ----------
    templates : list of Template
        What is looked at.
    lists : dict of str to list of entries
        Word lists by name; an entry is a sequence of words.
    vocabularies : list of Vocabulary
        The texts of each value of the plan.
    keys : array of int64
        The key of each feature, template by template.
    counts : array of shape (n_templates,)
        How many features each template has.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        lists: Lists,
        vocabularies: Sequence[Vocabulary],
        keys: Array,
        counts: Array,
    ) -> None:
        self.templates, self.lists = tuple(templates), dict(lists)
        self.plan = plan_of(templates)
        self.vocabularies = list(vocabularies)
        self._word_lists = _word_lists(self.plan, self.lists)
        self.keys, self.counts = keys, counts
        for vocabulary in self.vocabularies:
            vocabulary.frozen = True
        slots = [1 << int(2 * n + 1).bit_length() for n in counts.tolist()]
        self._starts = np.zeros((len(counts) + 1, 2), np.int64)
        self._starts[1:, 0], self._starts[1:, 1] = np.cumsum(counts), np.cumsum(slots)
        self._slots = np.empty(int(self._starts[-1, 1]), np.int64)
        self._numbers = np.empty(len(self._slots), np.int32)
        if not fill_slots(read_only(keys), self._starts, self._slots, self._numbers):
            raise ValueError("a feature occurs twice")

    def __len__(self) -> int:
        return len(self.keys)

    def stored(self) -> Stored:
        """Return it as texts and arrays."""
        each = [vocabulary.arrays() for vocabulary in self.vocabularies]
        lengths = [np.diff(part["ends"], prepend=0) for part in each]
        used = {str(v.argument) for v in self.plan.values if v.of and v.function == "in"}
        return Stored(
            tuple(map(str, self.templates)),
            {name: [list(entry) for entry in self.lists[name]] for name in sorted(used)},
            _joined([part["letters"] for part in each], np.uint8),
            np.cumsum(_joined(lengths, np.int64)),
            _sizes(self.vocabularies),
            self.keys,
            self.counts,
        )

    @classmethod
    def from_stored(cls, stored: Stored) -> "Features":
        """Undo `stored`; raise ``ValueError`` if it is damaged."""
        first, vocabularies = 0, []
        for size in stored.sizes.tolist():
            ends = stored.ends[first : first + size]
            before = int(stored.ends[first - 1]) if first else 0
            stop = int(ends[-1]) if size else before
            vocabularies.append(Vocabulary.from_arrays(stored.letters[before:stop], ends - before))
            first += size
        templates = parse(stored.templates)
        return cls(templates, stored.lists, vocabularies, stored.keys, stored.counts)

    def of(self, corpus: Corpus) -> Array:
        """Return the number of each token's feature of each template: (n_tokens, n_templates).

        They count from 1; 0 is none.
        """
        rows = _rows(self.plan, corpus, self._word_lists, self.vocabularies)
        out = np.empty((corpus.n_tokens, len(self.templates)), np.int32)
        find_features(
            rows,
            _sizes(self.vocabularies),
            self.plan.rows,
            self.plan.places,
            self.plan.parts,
            corpus.offsets,
            self._starts,
            self._slots,
            self._numbers,
            out,
        )
        return out

    def names(self, features: Array) -> list[str]:
        """Write features (from 0 on) as people read them, such as ``word[-1]=the & pos=NN``."""
        template = np.searchsorted(self._starts[1:, 0], features, "right")
        sizes = _sizes(self.vocabularies) + SHIFT
        named = []
        for q, key in zip(template.tolist(), self.keys[features].tolist(), strict=True):
            shown = []
            for part in reversed(self.templates[q].parts):
                row = self.plan.values.index(part.value)
                key, code = divmod(key, int(sizes[row]))
                shown.append(f"{part}={self._text(row, code)}")
            named.append(" & ".join(reversed(shown)) or str(self.templates[q]))
        return named

    def _text(self, row: int, code: int) -> str:
        if code < SHIFT:
            return ("<start>", "<end>")[code]
        return self.vocabularies[row].text(code - SHIFT)

    def only(self, kept: Array) -> "Features":
        """Return some of the features (given by a mask), and of the texts those that they need."""
        template = np.repeat(np.arange(len(self.counts)), self.counts)[kept]
        counts = np.bincount(template, minlength=len(self.counts)).astype(np.int64)
        sizes = _sizes(self.vocabularies) + SHIFT
        codes = self._codes(self.keys[kept], template, sizes)
        used = [np.zeros(size - SHIFT, bool) for size in sizes.tolist()]
        for (row, _), (_, code) in codes.items():
            used[row][code[code >= SHIFT] - SHIFT] = True
        moved = [np.cumsum(mask) - 1 for mask in used]
        smaller = [_some(v, mask) for v, mask in zip(self.vocabularies, used, strict=True)]
        new_sizes = _sizes(smaller) + SHIFT
        keys = np.zeros(len(template), np.int64)
        for (row, _), (at, code) in codes.items():
            inside = code >= SHIFT
            code[inside] = moved[row][code[inside] - SHIFT] + SHIFT
            keys[at] = keys[at] * new_sizes[row] + code
        return Features(self.templates, self.lists, smaller, keys, counts)

    def _codes(
        self, keys: Array, template: Array, sizes: Array
    ) -> dict[tuple[int, int], tuple[Array, Array]]:
        """Take keys apart: for each row and part, which features have it, and their codes."""
        found = {}
        for q in range(len(self.templates)):
            at = np.flatnonzero(template == q)
            rest = keys[at]
            parts = range(int(self.plan.parts[q]), int(self.plan.parts[q + 1]))
            each = {}
            for p in reversed(parts):
                row = int(self.plan.rows[p])
                rest, code = np.divmod(rest, sizes[row])
                each[row, p] = at, code
            found.update(dict(reversed(each.items())))
        return found


def learn(
    templates: Sequence[Template], corpus: Corpus, lists: Lists, min_count: int = 1
) -> tuple[Features, Array]:
    """Find the features of a corpus that occur often enough, and which each token has."""
    vocabularies, found = _found(templates, corpus, lists)
    matrix = np.empty((corpus.n_tokens, len(templates)), np.int32)
    keys, counts, base = [], [], 0
    for q, (own, times, each) in enumerate(found):
        kept = times >= min_count
        to = np.where(kept, np.cumsum(kept) + base, 0).astype(np.int32)
        matrix[:, q] = np.append(to, np.int32(0))[each]
        keys.append(own[kept])
        counts.append(len(keys[-1]))
        base += counts[-1]
    made = Features(templates, lists, vocabularies, np.concatenate(keys), np.array(counts))
    return made, matrix


def _found(
    templates: Sequence[Template], corpus: Corpus, lists: Lists
) -> tuple[list[Vocabulary], Iterator[tuple[Array, Array, Array]]]:
    """Return the texts of each value, and what `_number` finds for one template after the other."""
    plan = plan_of(templates)
    vocabularies = [Vocabulary() for _ in plan.values]
    rows = _rows(plan, corpus, _word_lists(plan, lists), vocabularies)
    sizes = _sizes(vocabularies)
    _check_sizes(templates, plan, sizes)
    each = (_number(rows, sizes, plan, q, corpus.offsets) for q in range(len(templates)))
    return vocabularies, each


class Survey(NamedTuple):
    """The features of some sequences: each value's texts, each template's keys and their counts.

    All are in the order in which they first occur. Texts are letters and where each ends.
    """

    texts: list[tuple[Array, Array]]
    keys: list[Array]
    times: list[Array]


def survey(templates: Sequence[Template], corpus: Corpus, lists: Lists) -> Survey:
    """Find and count the features of a corpus."""
    vocabularies, found = _found(templates, corpus, lists)
    pairs = [(keys.copy(), times.copy()) for keys, times, _ in found]
    texts = [(part["letters"].copy(), part["ends"]) for part in (v.arrays() for v in vocabularies)]
    return Survey(texts, [keys for keys, _ in pairs], [times for _, times in pairs])


def united(templates: Sequence[Template], left: Survey, right: Survey) -> Survey:
    """Return what `survey` finds in sequences that follow one another."""
    plan = plan_of(templates)
    vocabularies = [Vocabulary.from_arrays(*own) for own in left.texts]
    old = [np.array([len(ends) for _, ends in part.texts], np.int64) for part in (left, right)]
    same = [np.arange(size) for size in old[0].tolist()]
    moved = [own.intern(*new) for own, new in zip(vocabularies, right.texts, strict=True)]
    sizes = _sizes(vocabularies)
    _check_sizes(templates, plan, sizes)
    keys, times = [], []
    for q in range(len(templates)):
        both = np.concatenate(
            [
                _recoded(plan, q, part.keys[q], sizes_then, sizes, codes)
                for part, sizes_then, codes in zip((left, right), old, (same, moved), strict=True)
            ]
        )
        distinct, first, each = np.unique(both, return_index=True, return_inverse=True)
        count = np.zeros(len(distinct), np.int64)
        np.add.at(count, each, np.concatenate([left.times[q], right.times[q]]))
        order = np.argsort(first)
        keys.append(distinct[order])
        times.append(count[order])
    arrays = (vocabulary.arrays() for vocabulary in vocabularies)
    return Survey([(part["letters"].copy(), part["ends"]) for part in arrays], keys, times)


def from_survey(
    templates: Sequence[Template], lists: Lists, found: Survey, min_count: int = 1
) -> Features:
    """Return the features that occur often enough."""
    pairs = zip(found.keys, found.times, strict=True)
    keys = [own[times >= min_count] for own, times in pairs]
    vocabularies = [Vocabulary.from_arrays(*texts) for texts in found.texts]
    counts = np.array([len(own) for own in keys])
    return Features(templates, lists, vocabularies, np.concatenate(keys), counts)


def _recoded(
    plan: Plan, q: int, keys: Array, old: Array, new: Array, codes: Sequence[Array]
) -> Array:
    """Return a template's keys after values got other numbers, and other texts beside them."""
    rows = plan.rows[plan.parts[q] : plan.parts[q + 1]].tolist()
    parts = []
    for row in reversed(rows):
        keys, code = np.divmod(keys, old[row] + SHIFT)
        inside = code >= SHIFT
        code[inside] = codes[row][code[inside] - SHIFT] + SHIFT
        parts.append(code)
    made = np.zeros(len(keys), np.int64)
    for row, code in zip(rows, reversed(parts), strict=True):
        made = made * (new[row] + SHIFT) + code
    return made


def _number(
    rows: Array, sizes: Array, plan: Plan, q: int, offsets: Array
) -> tuple[Array, Array, Array]:
    """Return a template's distinct keys, how often each occurs, and the number of each token's."""
    part = int(plan.parts[q]), int(plan.parts[q + 1])
    each = np.empty(int(offsets[-1]), np.int32)
    capacity, done, size = 1 << 16, 0, 0
    found, counts = np.empty(capacity // 2, np.int64), np.empty(capacity // 2, np.int64)
    slots, numbers = np.full(capacity, -1, np.int64), np.empty(capacity, np.int32)
    longest = int(np.diff(offsets).max(initial=0))
    while True:
        done, size = number_keys(
            rows, sizes, plan.rows, plan.places, *part, offsets, slots, numbers, found, counts,
            done, size, each,
        )  # fmt: skip
        if done == len(offsets) - 1:
            return found[:size], counts[:size], each
        while 2 * (size + longest) > capacity:
            capacity *= 2
        capacity *= 2
        found, counts = np.resize(found, capacity // 2), np.resize(counts, capacity // 2)
        slots, numbers = np.empty(capacity, np.int64), np.empty(capacity, np.int32)
        keys = read_only(found[:size])
        fill_slots(keys, np.array([[0, 0], [size, capacity]]), slots, numbers)
        numbers -= 1  # here they count from zero


def _word_lists(plan: Plan, lists: Lists) -> dict[Value, word_attributes.WordList]:
    """Return the list that each value looks into, of those that do."""
    return {
        value: word_attributes.WordList(value.of, lists[str(value.argument)])
        for value in plan.values
        if value.function == "in" and value.of is not None
    }


def _rows(
    plan: Plan,
    corpus: Corpus,
    lists: Mapping[Value, word_attributes.WordList],
    vocabularies: Sequence[Vocabulary],
) -> Array:
    """Return the number of each value for each token, −1 where there is none or it is unknown."""
    rows = np.empty((len(plan.values), corpus.n_tokens), np.int32)
    computed = word_attributes.Computed(corpus)
    for row, (value, vocabulary) in enumerate(zip(plan.values, vocabularies, strict=True)):
        column = corpus.columns[value.column]
        if value.of is not None and value in lists:
            # A model may know one of the two only.
            numbers = np.append(vocabulary.intern(*encode(_IN_LIST)), -1)
            marks = lists[value].marks(computed(value.of), column.codes, corpus.offsets)
            rows[row] = numbers[marks]
        else:
            numbers = vocabulary.intern_slices(*computed(value))
            np.take(numbers.astype(np.int32), column.codes, out=rows[row])
    return rows


def _sizes(vocabularies: Sequence[Vocabulary]) -> Array:
    return np.array([vocabulary.size for vocabulary in vocabularies], np.int64)


def _joined(arrays: Sequence[Array], dtype: Any) -> Array:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype)


def _some(vocabulary: Vocabulary, kept: Array) -> Vocabulary:
    letters, ends = vocabulary.arrays().values()
    lengths = np.diff(ends, prepend=0)
    mask = np.repeat(kept, lengths)
    return Vocabulary.from_arrays(letters[mask], np.cumsum(lengths[kept]))


def combinations(plan: Plan, q: int, sizes: Array) -> int:
    """Return how many combinations of values a template may have, given how many each has."""
    rows = plan.rows[plan.parts[q] : plan.parts[q + 1]].tolist()
    return prod(int(sizes[row]) + SHIFT for row in rows)


def _check_sizes(templates: Sequence[Template], plan: Plan, sizes: Array) -> None:
    for q, template in enumerate(templates):
        most = combinations(plan, q, sizes)
        if most >= MOST_COMBINATIONS:
            raise ValueError(
                f"template '{template}' has too many parts: {most:.1g} combinations of values are "
                "more than can be numbered; take fewer at once"
            )
