"""How good predictions are, counted as they come: a confusion matrix, or squared errors."""

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.labels import places
from rosenblatt.data.rows import Array

_TEXTS = "OUS"
_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


class Scores(NamedTuple):
    """Precision, recall and F1, of a class or on average; zero where there is nothing to divide."""

    precision: float
    recall: float
    f1: float


class Confusion:
    """How often each class was predicted for the rows of each label.

    A label that the model never saw, and so cannot predict, has rows of its own: all mistakes.

    Parameters
    ----------
    classes : array
        The classes of the model, sorted.

    Examples
    --------
    >>> counted = Confusion(np.array(["ham", "spam"], object))
    >>> counted.add(np.array(["spam", "ham", "eggs"], object), np.array([1, 1, 0]))
    >>> counted.matrix.tolist(), counted.unknown, counted.mistakes
    ([[0, 1], [0, 1], [1, 0]], ['eggs'], 2)
    """

    def __init__(self, classes: Array) -> None:
        texts = classes.dtype.kind in _TEXTS
        self.classes = classes.astype(object) if texts else classes
        self._known = np.zeros((len(classes), len(classes)), np.int64)
        self._unknown: dict[Any, Array] = {}

    def add(self, labels: Array, predicted: Array) -> None:
        """Count some rows: their labels, and the numbers of the classes predicted for them."""
        codes = places(self.classes, labels)
        known = codes >= 0
        if known.all():
            np.add.at(self._known, (codes, predicted), 1)
            return
        np.add.at(self._known, (codes[known], predicted[known]), 1)
        for label, code in zip(labels[~known].tolist(), predicted[~known].tolist(), strict=True):
            row = self._unknown.setdefault(label, np.zeros(len(self.classes), np.int64))
            row[code] += 1

    @property
    def unknown(self) -> list[Any]:
        """The labels that the model does not know, sorted."""
        return sorted(self._unknown)

    @property
    def labels(self) -> list[Any]:
        """All labels, those of the rows of the matrix: the model's classes, then the others."""
        return [*self.classes.tolist(), *self.unknown]

    @property
    def matrix(self) -> Array:
        """The counts: a row for each label, a column for each class."""
        return np.vstack([self._known, *(self._unknown[label] for label in self.unknown)])

    @property
    def examples(self) -> int:
        """How many rows were counted."""
        return int(self.matrix.sum())

    @property
    def mistakes(self) -> int:
        """How many of them were predicted wrongly."""
        return self.examples - int(np.trace(self._known))

    @property
    def accuracy(self) -> float:
        """The share of rows predicted rightly; NaN if there are none."""
        return 1 - self.mistakes / self.examples if self.examples else float("nan")

    def support(self) -> Array:
        """Return how many rows have each label."""
        return np.asarray(self.matrix.sum(axis=1))

    def predicted(self) -> Array:
        """Return how often each label was predicted; those unknown never were."""
        counts = self.matrix.sum(axis=0)
        return np.append(counts, np.zeros(len(self._unknown), np.int64))

    def each(self) -> list[Scores]:
        """Return the scores of each label."""
        right = np.append(np.diagonal(self._known), np.zeros(len(self._unknown), np.int64))
        columns = zip(right, self.predicted(), self.support(), strict=True)
        return [_scores(*map(int, counts)) for counts in columns]

    def macro(self) -> Scores:
        """Return the mean over labels, of those that have rows or were predicted."""
        there = (self.support() + self.predicted()) > 0
        return _mean(self.each(), there.astype(np.float64))

    def weighted(self) -> Scores:
        """Return the mean over labels, each weighted by its rows."""
        return _mean(self.each(), self.support().astype(np.float64))

    def micro(self) -> Scores:
        """Return the scores of all decisions together, which for one label a row are equal."""
        right = self.examples - self.mistakes
        return _scores(right, self.examples, self.examples)


class Residuals:
    """How far predicted numbers are off: sums that are enough for all the usual figures.

    >>> off = Residuals()
    >>> off.add(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    >>> round(off.rmse, 4), round(off.mae, 4), off.r2
    (0.5774, 0.3333, 0.5)
    """

    def __init__(self) -> None:
        self.examples = 0
        self._squares = self._sizes = 0.0
        self._mean = self._spread = 0.0  # of the true numbers; spread is Σ (t − mean)²

    def add(self, truth: Array, predicted: Array) -> None:
        """Count some rows."""
        n = len(truth)
        if not n:
            return
        truth = truth.astype(np.float64)
        off = truth - predicted
        self._squares += float(off @ off)
        self._sizes += float(np.abs(off).sum())
        mean = float(truth.mean())
        spread = float(((truth - mean) ** 2).sum())
        # Means are merged as Chan, Golub and LeVeque do: no difference of large sums.
        total, gap = self.examples + n, mean - self._mean
        self._spread += spread + gap * gap * self.examples * n / total
        self._mean += gap * n / total
        self.examples = total

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(self._squares / self.examples)) if self.examples else float("nan")

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self._sizes / self.examples if self.examples else float("nan")

    @property
    def r2(self) -> float:
        """The share of the variance that is explained; NaN if there is no variance."""
        return 1 - self._squares / self._spread if self._spread else float("nan")


def _scores(right: int, predicted: int, there: int) -> Scores:
    precision = right / predicted if predicted else 0.0
    recall = right / there if there else 0.0
    f1 = 2 * right / (predicted + there) if predicted + there else 0.0
    return Scores(precision, recall, f1)


def _mean(each: list[Scores], weights: Array) -> Scores:
    if not weights.sum():
        return Scores(float("nan"), float("nan"), float("nan"))
    means = np.average(np.array(each), axis=0, weights=weights)
    return Scores(*map(float, means))


class Interval(NamedTuple):
    """The lowest and the highest value that the data agree with."""

    low: float
    high: float


def wilson(right: int, n: int) -> Interval:
    """Return Wilson's 95 % interval of a share: ``right`` successes in ``n`` independent trials.

    It holds where the share is near 0 or 1 and n is small, where p ± 2 s is far off.

    References
    ----------
    E. B. Wilson (1927), "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(81, 263)]  # Newcombe 1998, table I
    [0.2553, 0.3662]
    >>> [round(end, 4) for end in wilson(0, 20)]
    [0.0, 0.1611]
    """
    share, spread = right / n, _Z * _Z / n
    centre = share + spread / 2
    reach = sqrt(share * (1 - share) * spread + spread * spread / 4)
    low, high = (centre - reach) / (1 + spread), (centre + reach) / (1 + spread)
    # Rounding must not leave the share outside its own interval.
    return Interval(max(0.0, min(low, share)), min(1.0, max(high, share)))
