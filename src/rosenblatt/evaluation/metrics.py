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
    Where rows have weights, all but ``examples`` and ``mistakes`` are of these.

    Parameters
    ----------
    classes : array
        The classes of the model, sorted.

    Examples
    --------
    >>> counted = Confusion(np.array(["ham", "spam"], object))
    >>> _ = counted.add(np.array(["spam", "ham", "eggs"], object), np.array([1, 1, 0]))
    >>> counted.matrix.tolist(), counted.unknown, counted.mistakes
    ([[0, 1], [0, 1], [1, 0]], ['eggs'], 2)
    """

    def __init__(self, classes: Array) -> None:
        texts = classes.dtype.kind in _TEXTS
        self.classes = classes.astype(object) if texts else classes
        self._known = np.zeros((len(classes), len(classes)), np.int64)
        self._unknown: dict[Any, Array] = {}
        self.examples = self.mistakes = 0

    def add(self, labels: Array, predicted: Array, weights: Array | None = None) -> Array:
        """Count some rows: their labels, the numbers of the classes predicted for them, weights.

        Return the numbers of their own classes, −1 of labels that the model does not know.
        """
        codes = places(self.classes, labels)
        if weights is not None and not self.has_weights:
            self._known = self._known.astype(np.float64)
            self._unknown = {k: row.astype(np.float64) for k, row in self._unknown.items()}
        each = np.ones(len(codes), self._known.dtype) if weights is None else weights
        known, k = codes >= 0, len(self.classes)
        own, theirs = codes, predicted
        if not known.all():
            own, theirs, each = codes[known], predicted[known], each[known]
        if weights is None and k * k <= len(codes):
            self._known += np.bincount(own * k + theirs, minlength=k * k).reshape(k, k)
        else:
            np.add.at(self._known, (own, theirs), each)
        each = np.ones(len(codes), self._known.dtype) if weights is None else weights
        for at in np.flatnonzero(~known).tolist():
            label = labels[at : at + 1].tolist()[0]
            row = self._unknown.setdefault(label, np.zeros(len(self.classes), self._known.dtype))
            row[predicted[at]] += each[at]
        self.examples += len(codes)
        self.mistakes += int(np.count_nonzero(codes != predicted))
        return codes

    @property
    def unknown(self) -> list[Any]:
        """The labels that the model does not know, sorted."""
        return sorted(self._unknown)

    @property
    def knows_none(self) -> bool:
        """Whether there are rows, and the model knows the label of none."""
        return bool(self._unknown) and not self._known.any()

    @property
    def labels(self) -> list[Any]:
        """All labels, those of the rows of the matrix: the model's classes, then the others."""
        return [*self.classes.tolist(), *self.unknown]

    @property
    def matrix(self) -> Array:
        """The counts: a row for each label, a column for each class."""
        return np.vstack([self._known, *(self._unknown[label] for label in self.unknown)])

    @property
    def has_weights(self) -> bool:
        """Whether rows had weights."""
        return self._known.dtype.kind == "f"

    @property
    def total(self) -> float:
        """How many rows were counted, or the sum of their weights."""
        return float(self.matrix.sum()) if self.has_weights else self.examples

    @property
    def accuracy(self) -> float:
        """The share of rows, or of their weight, predicted rightly; NaN if there are none."""
        if self.has_weights:
            return float(np.trace(self._known) / self.total)
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
        return [_scores(*(count.item() for count in counts)) for counts in columns]

    def macro(self) -> Scores:
        """Return the mean over labels, of those that have rows or were predicted."""
        there = (self.support() + self.predicted()) > 0
        return _mean(self.each(), there.astype(np.float64))

    def weighted(self) -> Scores:
        """Return the mean over labels, each weighted by its rows."""
        return _mean(self.each(), self.support().astype(np.float64))

    def micro(self) -> Scores:
        """Return the scores of all decisions together, which for one label a row are equal."""
        return _scores(np.trace(self._known).item(), self.total, self.total)


class Residuals:
    """How far predicted numbers are off: sums that are enough for all the usual figures.

    >>> off = Residuals()
    >>> off.add(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    >>> round(off.rmse, 4), round(off.mae, 4), off.r2
    (0.5774, 0.3333, 0.5)
    """

    def __init__(self) -> None:
        self.examples, self.total, self.has_weights = 0, 0.0, False
        self._squares = self._sizes = 0.0
        self._mean = self._spread = 0.0  # of the true numbers; spread is Σ (t − mean)²

    def add(self, truth: Array, predicted: Array, weights: Array | None = None) -> None:
        """Count some rows, each once or by its weight."""
        if not len(truth):
            return
        truth = truth.astype(np.float64)
        each = np.ones(len(truth)) if weights is None else weights
        self.has_weights |= weights is not None
        n, off = float(each.sum()), truth - predicted
        self._squares += float(off @ (each * off))
        self._sizes += float(np.abs(off) @ each)
        mean = float(truth @ each) / n
        spread = float(((truth - mean) ** 2) @ each)
        # Means are merged as Chan, Golub and LeVeque do: no difference of large sums.
        total, gap = self.total + n, mean - self._mean
        self._spread += spread + gap * gap * self.total * n / total
        self._mean += gap * n / total
        self.total, self.examples = total, self.examples + len(truth)

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(self._squares / self.total)) if self.examples else float("nan")

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return self._sizes / self.total if self.examples else float("nan")

    @property
    def r2(self) -> float:
        """The share of the variance that is explained; NaN if there is no variance."""
        return 1 - self._squares / self._spread if self._spread else float("nan")


def _scores(right: float, predicted: float, there: float) -> Scores:
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


def wilson(right: float, n: float) -> Interval:
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
