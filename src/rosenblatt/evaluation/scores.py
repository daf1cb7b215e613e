"""How good scores and probabilities are: log loss, and the area under the ROC curve.

Both are over the rows whose labels the model knows for the AUC, and over all rows for the log loss,
where an unknown label has the probability 0.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array

EXACT = 1 << 22  # scores, of all classes together, that are kept and sorted
_BINS = 1 << 21  # of all classes together, for more scores than that
_MOST_BINS = 1 << 17  # of a class
_AT_ONCE = 16  # probabilities that are multiplied
_LEAST = float(np.finfo(np.float64).eps)  # of a probability, as scikit-learn has it


class ScoreMetrics:
    """Log loss and AUC, added up as rows come.

    Of K classes, the AUC is the mean of those of each class against the rest, over the classes
    that have rows. It is exact, ties included, for up to ``exact`` scores (rows times classes, or
    rows if there are two). Of more, scores are counted in bins, whose limits are quantiles of
    those scores; what falls into the same bin counts as equal. `auc_error` says by how much that
    can be wrong.

    Parameters
    ----------
    n_classes : int
        The number of classes of the model.
    exact : int
        How many scores are kept.

    References
    ----------
    J. A. Hanley and B. J. McNeil (1982), "The meaning and use of the area under a receiver
    operating characteristic (ROC) curve", Radiology 143.

    Examples
    --------
    >>> found = ScoreMetrics(2)
    >>> found.add(np.array([0, 1, 0, 1]), np.array([-2.0, 0.5, 0.5, 3.0]))
    >>> found.auc, found.log_loss
    (0.875, None)
    """

    def __init__(self, n_classes: int, exact: int = EXACT) -> None:
        self.n_classes, self.exact = n_classes, exact
        self._loss = self._total = 0.0
        self._has_probabilities = self._has_weights = False
        self._parts: list[tuple[Array, Array, Array | None]] | None = []
        self._kept = 0
        self._bins: list[_Bins] = []

    def add(
        self,
        codes: Array,
        scores: Array | None = None,
        probabilities: Array | None = None,
        weights: Array | None = None,
    ) -> None:
        """Add some rows.

        Parameters
        ----------
        codes : array of shape (n_rows,)
            The numbers of their classes; −1 for a label that the model does not know.
        scores : array of shape (n_rows,) or (n_rows, n_classes), optional
            What ranks them: for two classes, a number that is the larger the more a row looks like
            class 1.
        probabilities : array of shape (n_rows, n_classes), optional
            What the log loss is of. For two classes, the log-odds of class 1 do as well, an array
            of shape (n_rows,).
        weights : array of shape (n_rows,), optional
            How much each row counts.
        """
        if self.n_classes < 2 or not len(codes):
            return
        known = codes >= 0
        all_known = bool(known.all())
        if probabilities is not None:
            self._has_probabilities = True
            right = _own(probabilities, codes)
            if not all_known:
                right[~known] = 0.0
            np.clip(right, _LEAST, 1 - _LEAST, out=right)
            if weights is None:
                whole = len(right) // _AT_ONCE * _AT_ONCE
                # One logarithm for some: their product is far from what a number cannot hold.
                products = right[:whole].reshape(-1, _AT_ONCE).prod(axis=1)
                self._loss -= float(np.log(products).sum() + np.log(right[whole:]).sum())
            else:
                self._loss -= float(np.log(right) @ weights)
            self._total += float(len(codes) if weights is None else weights.sum())
        if scores is not None:
            if not all_known:
                codes, scores = codes[known], scores[known]
                weights = None if weights is None else weights[known]
            self._rank(codes, scores, weights)

    def _rank(self, codes: Array, scores: Array, weights: Array | None) -> None:
        if self._parts is None:
            self._count(codes, scores, weights)
            return
        self._parts.append((codes, scores, weights))
        self._kept += scores.size
        if self._kept > self.exact:
            parts, self._parts = self._parts, None
            self._bins = self._make_bins([scores for _, scores, _ in parts])
            for part in parts:
                self._count(*part)

    def _make_bins(self, parts: list[Array]) -> list["_Bins"]:
        size = min(_MOST_BINS, max(64, _BINS // self.n_classes))
        if parts[0].ndim == 1:
            return [_Bins(np.concatenate(parts), size)]
        return [
            _Bins(np.concatenate([part[:, k] for part in parts]), size)
            for k in range(self.n_classes)
        ]

    def _count(self, codes: Array, scores: Array, weights: Array | None) -> None:
        for k, bins in enumerate(self._bins):
            two = scores.ndim == 1
            bins.add(scores if two else scores[:, k], codes == (1 if two else k), weights)

    @property
    def log_loss(self) -> float | None:
        """The mean of −log of the probability of each row's label; None without probabilities.

        Probabilities are taken as at least 2.2e-16, as scikit-learn does.
        """
        return self._loss / self._total if self._has_probabilities and self._total else None

    @property
    def auc(self) -> float | None:
        """The area under the ROC curve; None without scores, or with rows of a single class."""
        return self.auc_and_error()[0]

    @property
    def auc_error(self) -> float:
        """How far `auc` can be from the exact value; 0 while all scores are kept."""
        return self.auc_and_error()[1]

    def auc_and_error(self) -> tuple[float | None, float]:
        """Return `auc` and `auc_error`, for one computation."""
        found = [bins.auc() for bins in self._bins]
        if self._parts:
            codes, scores = (np.concatenate([part[at] for part in self._parts]) for at in (0, 1))
            weights = None
            if any(own is not None for _, _, own in self._parts):
                each = [np.ones(len(c)) if w is None else w for c, _, w in self._parts]
                weights = np.concatenate(each)
            two = scores.ndim == 1
            columns = [scores] if two else list(scores.T)
            found = [
                (auc(column, codes == (1 if two else k), weights), 0.0)
                for k, column in enumerate(columns)
            ]
        areas = [area for area, _ in found if area == area]
        if not areas:
            return None, 0.0
        error = sum(error for area, error in found if area == area) / len(areas)
        return sum(areas) / len(areas), error


def auc(scores: Array, positive: Array, weights: Array | None = None) -> float:
    """Return the probability that a positive row has a larger score than another, ties half.

    NaN, if all rows are positive, or none is.

    >>> auc(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    0.875
    """
    above, below = scores[positive], scores[~positive]
    if not len(above) or not len(below):
        return float("nan")
    if weights is None:
        above, below = np.sort(above), np.sort(below)
        pairs = len(above) * len(below)
        ranks = [int(np.searchsorted(below, above, side).sum()) for side in _SIDES]
        return sum(ranks) / (2 * pairs)
    order = np.argsort(below, kind="stable")
    below, own = below[order], weights[positive].astype(np.float64)
    until = np.concatenate([[0.0], np.cumsum(weights[~positive][order], dtype=np.float64)])
    halves = [own @ until[np.searchsorted(below, above, side)] for side in _SIDES]
    total = float(own.sum() * until[-1])
    return float(sum(halves)) / (2 * total) if total else float("nan")


def _own(probabilities: Array, codes: Array) -> Array:
    """Return the probability of each row's own class, from those of all, or from log-odds."""
    if probabilities.ndim == 2:
        return probabilities[np.arange(len(codes)), codes].astype(np.float64)
    margins = probabilities.astype(np.float64) * (1 - 2 * codes)
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(margins, out=margins)))


_SIDES: tuple[Any, Any] = ("left", "right")


class _Bins:
    """Scores of one class and of the rest, counted between quantiles of a sample."""

    def __init__(self, sample: Array, size: int) -> None:
        ordered = np.sort(sample)
        step = max(1, len(ordered) // size)
        self.limits = np.unique(ordered[::step])
        self.counts = np.zeros((2, len(self.limits) + 1))

    def add(self, scores: Array, positive: Array, weights: Array | None) -> None:
        """Count some scores."""
        for counts, own in zip(self.counts, (~positive, positive), strict=True):
            values = scores[own].astype(self.limits.dtype)
            if weights is None:
                places = np.searchsorted(self.limits, np.sort(values), "right")
                np.add.at(counts, places, 1.0)
            else:
                places = np.searchsorted(self.limits, values, "right")
                np.add.at(counts, places, weights[own])

    def auc(self) -> tuple[float, float]:
        """Return the area, and by how much it can be wrong."""
        below, above = self.counts
        pairs = float(below.sum() * above.sum())
        if not pairs:
            return float("nan"), 0.0
        together = float(above @ below) / 2
        under = np.cumsum(below) - below
        return (float(above @ under) + together) / pairs, together / pairs
