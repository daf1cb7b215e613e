"""The path of nearest shrunken centroids over thresholds, cross-validated in two passes.

One pass adds up each fold. The rest of a fold is the others' sums, and a second pass scores each
row for all thresholds at once.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows
from rosenblatt.kernels.path import LANES, path_errors
from rosenblatt.learners import moments
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.centroid import Standard, standard
from rosenblatt.learners.moments import State
from rosenblatt.learners.planes import log_priors


class Path(NamedTuple):
    """Thresholds, the cross-validated share of errors at each, and the features left there."""

    thresholds: Array
    errors: Array
    n_features: Array

    @property
    def best(self) -> float:
        """The largest threshold with the fewest errors, which leaves the fewest features."""
        return float(self.thresholds[self.errors == self.errors.min()].max())


class Folds(NamedTuple):
    """The fold of each row, and how many there are."""

    of: Array
    number: int


def cross_validate(
    state: State,
    rows: Rows,
    y: Array,
    weights: Array | None,
    folds: Folds,
    thresholds: int | Array,
    priors: Array | None,
) -> tuple[State, Path]:
    """Return the state of all rows, and their path. Without ``priors``, a class's share is its own.

    A number of thresholds spaces them evenly from zero to where no feature is left.
    """
    n_classes, d = state.mean.shape
    each = moments.by_fold(rows, y, n_classes, d, weights, *folds)
    parts = [State(*(array[f] for array in each)) for f in range(folds.number)]
    whole = moments.merge([state, *parts])
    deviations = np.abs(standard(whole).deviations).max(axis=0)
    if not isinstance(thresholds, np.ndarray):
        thresholds = np.linspace(0.0, deviations.max(), thresholds)
    left = np.array([np.count_nonzero(deviations > t) for t in thresholds])
    order = np.argsort(thresholds, kind="stable")
    tables = [
        _table(rest, thresholds[order], priors, isinstance(rows, Dense)) for rest in _others(parts)
    ]

    def work(rows: Rows, where: slice) -> Array:
        return _wrong(rows, y[where], part(weights, where), folds.of[where], tables)

    wrong = np.sum(list(each_block(rows, work)), axis=0)
    total = float(len(y) if weights is None else weights.sum())
    errors = np.empty(len(thresholds))
    errors[order] = wrong / total
    return whole, Path(thresholds, errors, left)


class Table(NamedTuple):
    """What a fold's rows are scored with: shares in the scores, and the intercepts."""

    shares: Array
    ends: Array
    thresholds: Array
    intercepts: Array


def _others(parts: list[State]) -> list[State]:
    """Return, for each state, the sum of all others; each is a sum of those before and after."""
    before, after = [parts[0]], [parts[-1]]
    for f in range(1, len(parts) - 1):
        before.append(moments.merge([before[-1], parts[f]]))
        after.append(moments.merge([parts[-1 - f], after[-1]]))
    middle = [moments.merge(pair) for pair in zip(before[:-1], after[-2::-1], strict=True)]
    return [after[-1], *middle, before[-1]]


def _table(state: State, thresholds: Array, priors: Array | None, dense: bool) -> Table:
    s = standard(state)
    size = np.abs(s.deviations)
    bins = np.searchsorted(thresholds, size)  # as many thresholds are smaller
    fall = s.factor[:, None] * np.sign(s.deviations) / s.scale
    full = fall * size
    seen = state.weight > 0
    chances = np.where(seen, state.weight if priors is None else priors, 0.0)
    chances = chances if chances.any() else seen.astype(float)
    intercepts = _intercepts(s, bins, size, full, fall, thresholds) + log_priors(chances)
    last = np.array([np.bincount(line, minlength=len(thresholds) + 1) for line in bins])
    ends = last[:, ::-1].cumsum(axis=1)[:, -2::-1]  # so many take part at each threshold
    if dense:
        small = np.min_scalar_type(len(thresholds))  # small numbers are sorted fast
        order = np.argsort((len(thresholds) - bins).astype(small), axis=1, kind="stable")
        parts = (np.take_along_axis(part, order, axis=1) for part in (full, fall))
        return Table(np.stack([*parts, order], axis=2), ends, thresholds, intercepts)
    # What one feature needs lies side by side.
    shares = np.stack([full.T, fall.T, bins.T], axis=2).transpose(1, 0, 2)
    return Table(shares, ends, thresholds, intercepts)


def _intercepts(
    s: Standard, bins: Array, size: Array, full: Array, fall: Array, thresholds: Array
) -> Array:
    """Return ``−m·w − ½ Σ steps²`` of each threshold and class, from sums over bins."""
    n_bins = len(thresholds) + 1
    result = np.empty((len(thresholds), len(bins)))
    for k, which in enumerate(bins):
        terms = s.mean * full[k], s.mean * fall[k], size[k] ** 2, size[k], np.ones_like(size[k])
        # The sum over all bins above each threshold.
        a, b, square, single, count = (
            np.bincount(which, term, n_bins)[::-1].cumsum()[::-1][1:] for term in terms
        )
        steps = square - 2 * thresholds * single + thresholds**2 * count
        result[:, k] = -a + thresholds * b - 0.5 * s.factor[k] ** 2 * steps
    return result


def _wrong(rows: Rows, y: Array, weights: Array | None, fold: Array, tables: list[Table]) -> Array:
    wrong = np.zeros(len(tables[0].thresholds))
    n_classes, n_features, _ = tables[0].shares.shape
    dense = isinstance(rows, Dense)
    room = np.zeros((n_features + 2, LANES) if dense else (n_classes, len(wrong) + 1, 2))
    for f, table in enumerate(tables):
        path_errors(rows, y, weights, np.flatnonzero(fold == f), *table, room, wrong)
    return wrong
