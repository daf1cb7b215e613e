"""Columns of numbers, standardised as they come, and words, weighted as they come.

A learner gets each number less the mean of its column so far, over its deviation so far. What it
learns is turned back into weights for the numbers as they are, so that a model is a hyperplane on
raw columns. A number that is missing counts as the mean of its column. The words of a row are
weighted by how rare they are, and given the same length in all rows.
"""

from typing import Any, Self

import numpy as np

from rosenblatt.data.rows import Array, Rows, Sparse, frozen, n_rows
from rosenblatt.kernels.online.standardize import (
    DENSE,
    NOT_BEGUN,
    SPARSE,
    Columns,
    standardize,
    weigh_rows,
)
from rosenblatt.readers.names import Kept, Names
from rosenblatt.stream.rules import Options

MOST = 10.0  # deviations from the mean, beyond which a number is cut off for learning
_WIDTH = 64
_PLACES = 1024  # for features at first, as many as there are weights
_MANY = 1 << 53
_NAMES = Columns._fields[1:6]
_NO_WORDS = np.zeros(0, np.uint8)


class Scaling:
    """The means and deviations of columns of numbers, and in how many rows each word was.

    ``names`` know which features are words; None stands for no words.
    """

    def __init__(self, names: Kept | None = None) -> None:
        self._names = names
        self._counts = np.zeros(3, np.int64)  # rows seen, numbers cut off, columns of numbers
        self._computed_at = -1, 0
        self._computed = np.empty(0), np.empty(0)
        self._features = np.empty(0, np.int32)
        self._place = np.empty(0, np.int32)
        self._arrays = _empty(0)
        self._texts = np.zeros(0, np.int64)

    @property
    def seen(self) -> int:
        """How many rows it has learned from."""
        return int(self._counts[0])

    @property
    def cut(self) -> int:
        """How many numbers were cut off for learning."""
        return int(self._counts[1])

    @property
    def size(self) -> int:
        """How many columns of numbers there are."""
        return int(self._counts[2])

    @property
    def features(self) -> Array:
        """The feature that each column of numbers is."""
        return self._features[: self.size]

    @features.setter
    def features(self, features: Array) -> None:
        self._features, self._counts[2] = features, len(features)

    @property
    def idle(self) -> bool:
        """Whether rows are taken as they are, as there is neither a number nor a word."""
        return not self.size and not len(self.words)

    @property
    def only_words(self) -> bool:
        """Whether all features so far are words."""
        words = self.words
        return len(words) > 0 and bool(words.all())

    @property
    def words(self) -> Array:
        """For each feature, 1 if it is a word; empty if none is."""
        return _NO_WORDS if self._names is None else self._names.words

    def columns(self) -> Columns:
        """Return what is known of the columns, as arrays that change with them."""
        words = self.words
        if len(self._texts) < len(words):
            longer = np.zeros(max(len(words), 2 * len(self._texts)), np.int64)
            longer[: len(self._texts)] = self._texts
            self._texts = longer
        numbers = [array[: self.size] for array in self._arrays]
        return Columns(self._place, *[*numbers, words, self._texts[: len(words)]])

    def arrays(self) -> tuple[Array, ...]:
        """Return what `columns` does with all that there is room for, the counts, and the features.

        All of them are to be changed. They are for rows without words.
        """
        return self._place, *self._arrays, self._counts, self._features

    def learn(self, rows: Sparse, n_features: int, zeros_left_out: bool = False) -> Sparse:
        """Learn from rows in order; return them with numbers and words as they then are.

        In rows whose zeros are left out no column is centred.
        """
        self._find(rows, n_features)
        seen = self.seen
        self._counts[0] += n_rows(rows)  # first: whatever interrupts, no column has had more
        if self.idle:
            return rows
        out = np.empty_like(rows.values)
        begin = SPARSE if zeros_left_out else DENSE
        self._counts[1] += standardize(*frozen(rows), self.columns(), seen, MOST, begin, out)
        return frozen(rows._replace(values=out))

    def _find(self, rows: Sparse, n_features: int) -> None:
        """Give new columns of numbers a place, in the order of the rows."""
        if len(self._place) < n_features:
            self.widen(max(n_features, _PLACES, 2 * len(self._place)))
        if self.size and self._place[self.features[-1]] < 0:  # interrupted below
            self._place[self.features] = np.arange(self.size)
        start, stop = int(rows.indptr[0]), int(rows.indptr[-1])
        indices, values = rows.indices[start:stop], rows.values[start:stop]
        numbers = indices[(values != 1) & (values != 0)]
        new = numbers[self._place[numbers] < 0]
        words = self.words
        new = new[words[new] == 0] if len(words) else new
        if len(new):
            found, first = np.unique(new, return_index=True)
            found = found[np.argsort(first)]
            before, size = self.size, self.size + len(found)
            if size > min(len(self._arrays[0]), len(self._features)):
                self._grow(max(_WIDTH, 2 * size))
            self._features[before:size] = found
            self._counts[2] = size
            self._place[found] = np.arange(before, size)

    def widen(self, n_features: int) -> None:
        """Make room for so many features."""
        if len(self._place) < n_features:
            place = np.full(n_features, -1, np.int32)
            place[: len(self._place)] = self._place
            self._place = place

    def _grow(self, size: int) -> None:
        """Make room for so many columns of numbers."""
        features, arrays = np.zeros(size, np.int32), _empty(size)
        features[: self.size] = self.features
        for array, old in zip(arrays, self._arrays, strict=True):
            array[: len(old)] = old
        self._features, self._arrays = features, arrays

    def centre_and_scale(self) -> tuple[Array, Array]:
        """Return what is subtracted from each column of numbers, and what it is divided by."""
        now = self.seen, self.size
        if now != self._computed_at:
            self._computed, self._computed_at = self._centre_and_scale(), now
        return self._computed

    def _centre_and_scale(self) -> tuple[Array, Array]:
        known = self.columns()
        n = np.maximum(known.count, 1)
        variance = known.squares / n
        sparse = known.kind == SPARSE
        scale = np.sqrt(np.where(sparse, variance + known.mean**2, variance))
        centre = np.where(sparse, 0.0, known.mean)
        begun = known.kind != NOT_BEGUN
        return np.where(begun, centre, 0.0), np.where(begun, scale, 1.0)

    def scales_of(self, features: Array) -> Array:
        """Return what the numbers of some features are divided by; NaN if they are not."""
        known = features < len(self._place)
        at = np.where(known, self._place[np.where(known, features, 0)], -1) if self.size else -1
        scale = self.centre_and_scale()[1] if self.size else np.ones(1)
        return np.where(np.asarray(at) >= 0, scale[at], np.nan) + np.zeros(len(features))

    def rarity(self) -> Array:
        """Return the weight of each word in a text: the fewer texts have it, the more."""
        return np.asarray(1 + np.log((1 + self.seen) / (1 + self.columns().texts)))

    def for_raw_numbers(self, weights: Array, intercept: Array) -> tuple[Array, Array]:
        """Turn weights and intercepts for standardised numbers into those for raw ones.

        They say the same of every row in which no column of numbers is missing. The weights of
        words are those in a row of usual length.
        """
        used = np.flatnonzero(self.features < weights.shape[1])
        features = self.features[used]
        centre, scale = (part[used] for part in self.centre_and_scale())
        raw = weights.astype(np.float64, order="K")
        with np.errstate(divide="ignore"):
            raw[:, features] *= np.where(scale > 0, 1 / scale, 0.0)
        words = np.flatnonzero(self.words[: weights.shape[1]])
        raw[:, words] *= self.rarity()[words]
        shifted = intercept - raw[:, features] @ centre
        return raw.astype(weights.dtype), shifted.astype(intercept.dtype)

    def transform(self, rows: Rows) -> Rows:
        """Return rows with numbers and words as they are by what is known so far."""
        if not isinstance(rows, Sparse) or self.idle:
            return rows
        rows = self._weigh(rows) if len(self.words) else rows
        if not self.size:
            return rows
        known = rows.indices < len(self._place)
        at = np.where(known, self._place[np.where(known, rows.indices, 0)], -1)
        centre, scale = self.centre_and_scale()
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            z = np.where(scale[at] > 0, (rows.values - centre[at]) / scale[at], 0.0)
            values = np.where(at >= 0, z, rows.values).astype(rows.values.dtype)
        return frozen(rows._replace(values=values))

    def _weigh(self, rows: Sparse) -> Sparse:
        out = rows.values.copy()
        weigh_rows(*frozen(rows), self.columns(), self.seen, out)
        return frozen(rows._replace(values=out))

    def forget(self, n_features: int) -> None:
        """Forget the columns of all features but the first few."""
        kept = np.flatnonzero(self.features < n_features)
        self._place[n_features:], self._computed_at = -1, (-1, 0)
        if len(kept) < self.size:
            arrays = _empty(max(_WIDTH, len(kept)))
            for array, old in zip(arrays, self._arrays, strict=True):
                array[: len(kept)] = old[kept]
            self._arrays, self.features = arrays, self.features[kept]
            self._place[self.features] = np.arange(len(kept))
            self._grow(len(arrays[0]))
        self._texts[n_features:] = 0

    def only(self, features: Array) -> Self:
        """Return a copy for some features, which are numbered anew in the order given, sorted."""
        made = type(self)()
        kept = np.flatnonzero(np.isin(self.features, features))
        made._counts[:2] = self._counts[:2]
        made.features = np.searchsorted(features, self.features[kept]).astype(np.int32)
        made._place = np.full(len(features), -1, np.int32)
        made._place[made.features] = np.arange(len(kept))
        made._arrays = tuple(array[: self.size][kept] for array in self._arrays)
        return made

    def at(self, features: Array) -> Self:
        """Undo `only`: return a copy for features that have these numbers, which are sorted."""
        made = type(self)()
        made._counts[:] = self._counts
        made.features = features[self.features].astype(np.int32)
        made._place = np.full(int(features.max(initial=-1)) + 1, -1, np.int32)
        made._place[made.features] = np.arange(self.size)
        made._arrays = tuple(array[: self.size].copy() for array in self._arrays)
        return made

    def to_parts(self) -> tuple[dict[str, int], dict[str, Array]]:
        """Return what a file keeps: counts, and arrays."""
        known = self.columns()
        arrays = {name: getattr(known, name) for name in _NAMES}
        texts = {"texts": known.texts} if len(known.words) else {}
        return {"seen": self.seen, "cut": self.cut}, {"features": self.features, **arrays, **texts}

    @classmethod
    def from_parts(
        cls, header: Any, arrays: dict[str, Array], n_features: int, names: Kept | None = None
    ) -> Self:
        """Undo `to_parts`; raise ``ValueError`` for what cannot be."""
        counts = header if isinstance(header, dict) else {}
        whole = [
            type(counts.get(name)) is int and 0 <= counts[name] < 1 << 53
            for name in ("seen", "cut")
        ]
        if not all(whole) or len(counts) > len(whole):
            raise ValueError("the counts of the columns of numbers are damaged")
        features = arrays.get("features", np.empty(0))
        made = cls(names)
        texts = arrays.get("texts", np.zeros(0, np.int64))
        sound = texts.dtype == np.int64 and texts.shape == made.words.shape
        if not sound or (texts < 0).any() or (texts > counts["seen"]).any():
            raise ValueError("in how many texts each word was is missing or damaged")
        made._texts = texts.copy()
        if (
            set(arrays) - {"texts"} != {"features", *_NAMES}
            or features.dtype != np.int32
            or features.ndim != 1
        ):
            raise ValueError("the means of the columns of numbers are missing or damaged")
        if len(features) and not 0 <= features.min() <= features.max() < n_features:
            raise ValueError("a column of numbers has a feature that there is not")
        if len(np.unique(features)) < len(features):
            raise ValueError("a column of numbers occurs twice")
        made._counts[:2], made.features = (counts["seen"], counts["cut"]), features.copy()
        made._place = np.full(n_features, -1, np.int32)
        made._place[features] = np.arange(len(features))
        made._arrays = _empty(len(features))
        for name, own in zip(_NAMES, made._arrays, strict=True):
            given = arrays[name]
            if (
                given.dtype != own.dtype
                or given.shape != own.shape
                or (given < 0).any() & (name != "mean")
            ):
                raise ValueError(f"the {name} of the columns of numbers is damaged")
            own[:] = given
        known = made.columns()
        begun = known.kind != NOT_BEGUN
        # A row may have a number twice, so there can be more numbers than rows.
        if (known.kind > SPARSE).any() or (known.count >= _MANY).any():
            raise ValueError("a column of numbers has more of them than there can be")
        if (known.count[begun] < 1).any() or (known.first[begun] >= made.seen).any():
            raise ValueError("a column of numbers has begun without a number")
        if not (np.isfinite(known.mean).all() and np.isfinite(known.squares).all()):
            raise ValueError("the mean of a column of numbers is not finite")
        return made


def words_of(options: Options, names: Names) -> Kept | None:
    """Return names that know which features are words, if words are to be weighted."""
    return names if options.scale == "standard" and isinstance(names, Kept) else None


def _empty(size: int) -> tuple[Array, ...]:
    kinds = np.uint8, np.int64, np.int64, np.float64, np.float64
    return tuple(np.zeros(size, kind) for kind in kinds)
