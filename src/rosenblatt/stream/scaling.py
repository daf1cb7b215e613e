"""Columns of numbers, standardised as they come.

A learner gets each number less the mean of its column so far, over its deviation so far. What it
learns is turned back into weights for the numbers as they are, so that a model is a hyperplane on
raw columns. A number that is missing counts as the mean of its column.
"""

from typing import Any, Self

import numpy as np

from rosenblatt.data.rows import Array, Rows, Sparse, frozen, n_rows
from rosenblatt.kernels.standardize import DENSE, NOT_BEGUN, SPARSE, Columns, standardize

MOST = 10.0  # deviations from the mean, beyond which a number is cut off for learning
_WIDTH = 64
_NAMES = Columns._fields[1:]


class Scaling:
    """The means and deviations of columns of numbers, and how many rows they are from."""

    def __init__(self) -> None:
        self._counts = np.zeros(2, np.int64)
        self._computed_at = -1, 0
        self._computed = np.empty(0), np.empty(0)
        self.features = np.empty(0, np.int32)  # the feature that each column of numbers is
        self._place = np.empty(0, np.int32)
        self._arrays = _empty(0)

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
        return len(self.features)

    def columns(self) -> Columns:
        """Return what is known of the columns, as arrays that change with them."""
        return Columns(self._place, *(array[: self.size] for array in self._arrays))

    def arrays(self) -> tuple[Array, ...]:
        """Return `columns`, and the counts of rows seen and numbers cut off, all to be changed."""
        return (*self.columns(), self._counts)

    def learn(self, rows: Sparse, n_features: int, zeros_left_out: bool = False) -> Sparse:
        """Learn from rows in order; return them, each number standardised as it then is.

        In rows whose zeros are left out no column is centred.
        """
        seen, found = self.seen, self._find(rows, n_features)
        self._counts[0] += n_rows(rows)  # first: whatever interrupts, no column has had more
        if not found:
            return rows
        out = np.empty_like(rows.values)
        begin = SPARSE if zeros_left_out else DENSE
        self._counts[1] += standardize(*rows, self.columns(), seen, MOST, begin, out)
        return frozen(rows._replace(values=out))

    def _find(self, rows: Sparse, n_features: int) -> bool:
        """Give new columns of numbers a place, in the order of the rows; say if there are any."""
        if len(self._place) < n_features:
            place = np.full(max(n_features, 2 * len(self._place)), -1, np.int32)
            place[: len(self._place)] = self._place
            self._place = place
        if self.size and self._place[self.features[-1]] < 0:  # interrupted below
            self._place[self.features] = np.arange(self.size)
        start, stop = int(rows.indptr[0]), int(rows.indptr[-1])
        indices, values = rows.indices[start:stop], rows.values[start:stop]
        numbers = indices[(values != 1) & (values != 0)]
        new = numbers[self._place[numbers] < 0]
        if len(new):
            found, first = np.unique(new, return_index=True)
            found = found[np.argsort(first)]
            before, size = self.size, self.size + len(found)
            if size > len(self._arrays[0]):
                larger = _empty(max(_WIDTH, 2 * size))
                for new_array, array in zip(larger, self._arrays, strict=True):
                    new_array[: len(array)] = array
                self._arrays = larger
            self.features = np.append(self.features, found.astype(np.int32))
            self._place[found] = np.arange(before, size)
        return bool(self.size)

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

    def for_raw_numbers(self, weights: Array, intercept: Array) -> tuple[Array, Array]:
        """Turn weights and intercepts for standardised numbers into those for raw ones.

        They say the same of every row in which no column of numbers is missing.
        """
        used = np.flatnonzero(self.features < weights.shape[1])
        features = self.features[used]
        centre, scale = (part[used] for part in self.centre_and_scale())
        raw = weights.astype(np.float64, order="K")
        with np.errstate(divide="ignore"):
            raw[:, features] *= np.where(scale > 0, 1 / scale, 0.0)
        shifted = intercept - raw[:, features] @ centre
        return raw.astype(weights.dtype), shifted.astype(intercept.dtype)

    def transform(self, rows: Rows) -> Rows:
        """Return rows with each number standardised by what is known so far."""
        if not isinstance(rows, Sparse) or not self.size:
            return rows
        known = rows.indices < len(self._place)
        at = np.where(known, self._place[np.where(known, rows.indices, 0)], -1)
        centre, scale = self.centre_and_scale()
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(scale[at] > 0, (rows.values - centre[at]) / scale[at], 0.0)
        values = np.where(at >= 0, z, rows.values).astype(rows.values.dtype)
        return frozen(rows._replace(values=values))

    def only(self, features: Array) -> Self:
        """Return a copy for some features, which are numbered anew in the order given, sorted."""
        made = type(self)()
        kept = np.flatnonzero(np.isin(self.features, features))
        made._counts[:] = self._counts
        made.features = np.searchsorted(features, self.features[kept]).astype(np.int32)
        made._place = np.full(len(features), -1, np.int32)
        made._place[made.features] = np.arange(len(kept))
        made._arrays = tuple(array[: self.size][kept] for array in self._arrays)
        return made

    def to_parts(self) -> tuple[dict[str, int], dict[str, Array]]:
        """Return what a file keeps: counts, and arrays."""
        arrays = dict(zip(_NAMES, self.columns()[1:], strict=True))
        return {"seen": self.seen, "cut": self.cut}, {"features": self.features, **arrays}

    @classmethod
    def from_parts(cls, header: Any, arrays: dict[str, Array], n_features: int) -> Self:
        """Undo `to_parts`; raise ``ValueError`` for what cannot be."""
        counts = header if isinstance(header, dict) else {}
        whole = [
            type(counts.get(name)) is int and 0 <= counts[name] < 1 << 53
            for name in ("seen", "cut")
        ]
        if not all(whole) or len(counts) > len(whole):
            raise ValueError("the counts of the columns of numbers are damaged")
        features = arrays.get("features", np.empty(0))
        made = cls()
        if set(arrays) != {"features", *_NAMES} or features.dtype != np.int32 or features.ndim != 1:
            raise ValueError("the means of the columns of numbers are missing or damaged")
        if len(features) and not 0 <= features.min() <= features.max() < n_features:
            raise ValueError("a column of numbers has a feature that there is not")
        if len(np.unique(features)) < len(features):
            raise ValueError("a column of numbers occurs twice")
        made._counts[:], made.features = (counts["seen"], counts["cut"]), features.copy()
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
        if (known.kind > SPARSE).any() or (known.count > made.seen).any():
            raise ValueError("a column of numbers has more rows than there were")
        if not (np.isfinite(known.mean).all() and np.isfinite(known.squares).all()):
            raise ValueError("the mean of a column of numbers is not finite")
        return made


def _empty(size: int) -> tuple[Array, ...]:
    kinds = np.uint8, np.int64, np.int64, np.float64, np.float64
    return tuple(np.zeros(size, kind) for kind in kinds)
