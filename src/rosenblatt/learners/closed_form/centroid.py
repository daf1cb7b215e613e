"""Nearest centroids (deck E), and nearest shrunken centroids (Tibshirani et al. 2002).

The nearest centroid has the largest ``−½‖x − m_k‖² + ½‖x − m‖²``, which is linear in x; m is the
mean of all rows. Numbers stay small wherever the data lie. The state is that of `moments`.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, weights_or_empty
from rosenblatt.kernels.scoring import LANES, path_errors
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.closed_form import moments
from rosenblatt.learners.closed_form.moments import (
    State,
    deviation,
    grow,
    init,
    merge,
    overall,
    update,
)
from rosenblatt.learners.closed_form.planes import Planes, log_priors, planes, possible

__all__ = ["Standard", "State", "grow", "init", "merge", "plain", "shrunken", "standard", "update"]


class Standard(NamedTuple):
    """What shrinking works on: ``centroid = mean + factor · scale · deviations``."""

    mean: Array
    factor: Array
    scale: Array
    within: Array
    deviations: Array

    def shrink(self, threshold: float) -> "Standard":
        """Move all deviations towards zero; those that would cross it are zero."""
        size = np.maximum(np.abs(self.deviations) - threshold, 0.0)
        return self._replace(deviations=np.copysign(size, self.deviations))

    def centroids(self) -> Array:
        """Return the centroids that the deviations stand for."""
        return np.asarray(self.mean + self.factor[:, None] * self.scale * self.deviations)


def variance(state: State) -> float:
    """Return the mean square of a number's distance from its class's mean; 1 if there is none."""
    total = state.weight.sum()
    within = deviation(state, total)
    return float(np.mean(within**2)) or 1.0


def plain(state: State, priors: Array) -> Planes:
    """Return the hyperplanes of plain distances, ``½‖x − m_k‖² − σ² log π_k``.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = np.array([[1.0, -2], [1, 4], [4, 2], [2, 2]]), np.array([0, 0, 1, 1])
    >>> plain(update(init(2), as_rows(X), y), np.array([0.5, 0.5]))
    Planes(coef=array([[2., 1.]]), intercept=array([-5.5]))
    """
    mean, logs = overall(state), log_priors(priors)
    with np.errstate(over="ignore", invalid="ignore"):
        coef = state.mean - mean
        intercept = -0.5 * (coef * (state.mean + mean)).sum(axis=1) + variance(state) * logs
    return planes(coef, intercept, possible(state.weight, priors))


def standard(state: State) -> Standard:
    """Standardise the distances of the centroids from the mean of all.

    ``d_k = (m_k − m) / (√(1/n_k − 1/n) (s + s_0))``, where s² is the spread within the classes over
    n − K, and s_0 the median of s. Where that is zero, it is the median of those that are not; and
    where no feature has any spread, s + s_0 is 1.
    """
    n, seen = state.weight.sum(), state.weight > 0
    rest = n - seen.sum()
    if rest <= 0 and state.spread.any():
        raise ValueError(
            f"sample_weight adds up to {n:.6g}, but shrinking {seen.sum()} classes needs more than "
            f"{seen.sum()}: a weight counts rows. Multiply the weights, so that they average 1"
        )
    within = deviation(state, rest)
    offset = np.median(within) or np.median(within[within > 0] if within.any() else [1.0])
    scale = within + offset
    inverse = np.divide(1.0, state.weight, out=np.zeros_like(state.weight), where=seen)
    factor = np.sqrt(np.maximum(inverse - 1.0 / n, 0.0))
    mean = overall(state)
    apart = np.where(seen[:, None], state.mean - mean, 0.0)
    unit = factor[:, None] * scale
    deviations = np.divide(apart, unit, out=np.zeros_like(apart), where=unit > 0)
    return Standard(mean, factor, scale, within, deviations)


def shrunken(shrunk: Standard, priors: Array, seen: Array) -> Planes:
    """Return the hyperplanes of ``½ Σ (x − m'_k)²/(s + s_0)² − log π_k``."""
    steps = shrunk.factor[:, None] * shrunk.deviations
    with np.errstate(over="ignore", invalid="ignore"):
        coef = steps / shrunk.scale
        intercept = log_priors(priors) - coef @ shrunk.mean - 0.5 * (steps**2).sum(axis=1)
    return planes(coef, intercept, seen)


class Path(NamedTuple):
    """Thresholds, the cross-validated share of errors at each, and the features left there.

    Attributes
    ----------
    thresholds : array of shape (n,)
        How far the means were shrunk, in standard deviations; from 0 up.
    errors : array of shape (n,)
        The cross-validated share of errors at each threshold.
    n_features : array of shape (n,)
        How many features had some class mean that was not yet the overall mean.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rosenblatt import NearestCentroid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = NearestCentroid(shrink_threshold="cv").fit(X, y)
    >>> model.path_.n_features[[0, -1]].tolist(), model.path_.best == model.threshold_
    ([30, 0], True)
    """

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
    known = np.where(seen, state.weight if priors is None else priors, 0.0)
    known = known if known.any() else seen.astype(float)
    intercepts = _intercepts(s, bins, size, full, fall, thresholds) + log_priors(known)
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
    buffer = np.zeros((n_features + 2, LANES) if dense else (n_classes, len(wrong) + 1, 2))
    factors = weights_or_empty(weights)
    for f, table in enumerate(tables):
        path_errors(rows, y, factors, np.flatnonzero(fold == f), *table, buffer, wrong)
    return wrong
