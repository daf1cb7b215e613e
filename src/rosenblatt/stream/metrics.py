"""How good predictions of a stream are: over all of it, or over its last examples.

Each metric takes a prediction and the truth with `update`, and `get` returns its value; both take
the same time however many examples there were. With ``window=1000`` it is that of the last 1,000
examples. Values are those of scikit-learn's functions on the same examples and weights.

`progressive` runs a model over a stream: predict, look at the label, learn.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, nan, sqrt
from typing import Any, ClassVar, Self

import numpy as np

from rosenblatt.stream.metric_checks import check_positive, is_count, number, probability
from rosenblatt.stream.ranks import Bins, Ranks
from rosenblatt.stream.sums import MomentsQueue, RunningMean, Sum

__all__ = ["AUC", "F1", "MAE", "R2", "RMSE", "Accuracy", "LogLoss", "progressive"]

_EPS = float(np.finfo(np.float64).eps)


class _Metric:
    """What all metrics share: a window, and how they print.

    A metric turns an update into what it counts (`_term`), and adds and removes that.
    """

    predicts: ClassVar[str] = "label"
    bigger_is_better: ClassVar[bool] = True
    _format: ClassVar[str] = ".4f"

    def __init__(self, window: int | None = None) -> None:
        if window is not None and not is_count(window, 1):
            raise ValueError(f"window={window!r} must be a whole number of examples, or None")
        self.window = window
        self._terms: deque[Any] = deque()

    def update(self, y_true: Any, y_pred: Any, w: float = 1.0) -> Self:
        """Take in a prediction.

        Parameters
        ----------
        y_true : label or number
            The truth.
        y_pred : label, dict or number
            What was predicted of it: what `predict_one` returned, or `predict_proba_one`.
        w : float, default=1.0
            How much it counts.

        Returns
        -------
        self
        """
        w = float(w)
        if not 0 <= w < float("inf"):
            raise ValueError(f"w={w} must be a finite number, not negative")
        term = self._term(y_true, y_pred, w)
        self._add(term)
        if self.window is not None:
            self._terms.append(term)
            if len(self._terms) > self.window:
                self._remove(self._terms.popleft())
        return self

    def get(self) -> float:
        """Return the value; NaN if there is none yet."""
        raise NotImplementedError

    def _term(self, y_true: Any, y_pred: Any, w: float) -> Any:
        raise NotImplementedError

    def _add(self, term: Any) -> None:
        raise NotImplementedError

    def _remove(self, term: Any) -> None:
        raise NotImplementedError

    def __str__(self) -> str:
        """Name it, with its window and its value."""
        window = "" if self.window is None else f" of the last {self.window:,}"
        value = self.get()
        return f"{self._name()}{window}: {'–' if value != value else format(value, self._format)}"

    def __repr__(self) -> str:
        return str(self)

    def _name(self) -> str:
        return type(self).__name__


class _Mean(_Metric):
    """The weighted mean of what each prediction costs or earns."""

    def __init__(self, window: int | None = None) -> None:
        super().__init__(window)
        self._mean: RunningMean | MomentsQueue = RunningMean() if window is None else MomentsQueue()

    def _add(self, term: tuple[float, float]) -> None:
        self._mean.push(*term)

    def _remove(self, term: tuple[float, float]) -> None:
        self._mean.pop()

    def get(self) -> float:
        """Return the value; NaN if there is none yet."""
        found = self._mean.moments
        return found.mean if found.weight else nan


class Accuracy(_Mean):
    """The proportion of predictions that are right, ``Σ [ŷ = y] / n``.

    ``None``, for no prediction, is not right.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import Accuracy
    >>> accuracy = Accuracy(window=3)
    >>> for truth, guess in [("a", "b"), ("a", "a"), ("b", "b"), ("b", "a")]:
    ...     _ = accuracy.update(truth, guess)
    >>> print(accuracy)
    Accuracy of the last 3: 66.67%
    """

    _format = ".2%"

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, float]:
        return w, float(y_pred is not None and bool(y_true == y_pred))


class LogLoss(_Mean):
    """Minus the logarithm of the probability that the true class was given, on average.

    That is ``−Σ ln p(y) / n``. Probabilities are at least 2.2e-16, as scikit-learn's are.
    ``y_pred`` is a dict of classes and their probabilities; a number is the probability of True.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import LogLoss
    >>> loss = LogLoss().update("a", {"a": 0.5, "b": 0.5}).update("b", {"a": 0.2, "b": 0.8})
    >>> print(loss)
    LogLoss: 0.4581
    """

    predicts = "probabilities"
    bigger_is_better = False

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, float]:
        if isinstance(y_pred, Mapping):
            p = probability(y_pred.get(y_true, 0.0))
        else:
            p = probability(y_pred)
            p = p if y_true else 1 - p
        return w, -log(min(max(p, _EPS), 1 - _EPS))


class AUC(_Metric):
    """The area under the ROC curve: how often a positive has a larger score than a negative.

    That is ``P(s⁺ > s⁻) + P(s⁺ = s⁻)/2`` for the scores of a positive and a negative. Over a window
    it is exact, and an update takes logarithmic time. Over all time it has to forget scores:
    probabilities are counted by their log-odds, in steps of 1/64, and those in one step count as
    equal; ``error_`` says how far off it can be at most.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.
    positive : label, default=True
        The class that should have large scores. ``y_pred`` is a dict with its probability, or its
        probability or, with a window, its score as a number.

    Attributes
    ----------
    error_ : float
        The most by which the value differs from the exact one; 0 with a window.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import AUC
    >>> area = AUC(window=100, positive="spam")
    >>> for truth, p in [("spam", 0.9), ("ham", 0.3), ("spam", 0.6), ("ham", 0.7)]:
    ...     _ = area.update(truth, {"spam": p})
    >>> print(area)
    AUC of the last 100: 0.7500
    """

    predicts = "probabilities"

    def __init__(self, window: int | None = None, positive: Any = True) -> None:
        super().__init__(window)
        self.positive = positive
        self._ranks: Any = Bins() if window is None else Ranks()

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, bool, float]:
        check_positive(y_true, self.positive)
        score = y_pred.get(self.positive, 0.0) if isinstance(y_pred, Mapping) else y_pred
        score = probability(score) if self.window is None else number(score, "y_pred")
        return score, bool(y_true == self.positive), w

    def _add(self, term: tuple[float, bool, float]) -> None:
        if term[2]:
            self._ranks.add(*term)

    def _remove(self, term: tuple[float, bool, float]) -> None:
        if term[2]:
            self._ranks.remove(*term)

    def get(self) -> float:
        """Return the area; NaN unless there are positives and negatives."""
        return float(self._ranks.area)

    @property
    def error_(self) -> float:
        """The most by which the value differs from the exact one."""
        return self._ranks.error if self.window is None else 0.0


class F1(_Metric):
    """The harmonic mean of precision P and recall R, ``2 P R / (P + R)``.

    Parameters
    ----------
    average : {"binary", "macro", "micro", "weighted"}, default="binary"
        "binary" is that of the ``positive`` class; "macro" the mean over all classes, "weighted"
        that by how often they occur; "micro" counts over all classes, which is the accuracy.
    window : int, optional
        How many of the last examples count; None for all.
    positive : label, default=True
        The class for "binary".

    Examples
    --------
    >>> from rosenblatt.stream.metrics import F1
    >>> f1 = F1("macro")
    >>> for truth, guess in [("a", "a"), ("b", "a"), ("c", "c"), ("a", "a")]:
    ...     _ = f1.update(truth, guess)
    >>> print(f1)
    F1 (macro): 60.00%
    """

    _format = ".2%"

    def __init__(
        self, average: str = "binary", window: int | None = None, positive: Any = True
    ) -> None:
        super().__init__(window)
        known = ("binary", "macro", "micro", "weighted")
        if average not in known:
            raise ValueError(f"average={average!r} must be one of {', '.join(known)}")
        self.average, self.positive = average, positive
        # Of each class: how many examples name it, and the weights of the truth, of predictions,
        # and of those that are right.
        self._classes: dict[Any, tuple[list[int], Sum, Sum, Sum]] = {}

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[Any, Any, float]:
        if self.average == "binary":
            check_positive(y_true, self.positive)
        return y_true, y_pred, w

    def _add(self, term: tuple[Any, Any, float]) -> None:
        self._count(term, 1)

    def _remove(self, term: tuple[Any, Any, float]) -> None:
        self._count(term, -1)

    def _count(self, term: tuple[Any, Any, float], sign: int) -> None:
        y_true, y_pred, w = term
        for place, label in ((1, y_true), (2, y_pred)):
            if place == 2 and label is None:  # no prediction
                continue
            counts = self._classes.get(label)
            if counts is None:
                counts = self._classes[label] = ([0], Sum(), Sum(), Sum())
            counts[0][0] += sign
            sums: Sum = counts[place]  # type: ignore[assignment]
            sums.add(sign * w)
            if place == 2 and y_true == y_pred:
                counts[3].add(sign * w)
            if not counts[0][0]:
                del self._classes[label]

    def get(self) -> float:
        """Return the value, 0 where it is 0/0; NaN if there is none yet."""
        if not self._classes:
            return nan
        found = [
            (t.value, p.value, right.value)
            for label, (_, t, p, right) in self._classes.items()
            if self.average != "binary" or label == self.positive
        ]
        if self.average in ("binary", "micro"):
            return _f1(*(sum(column) for column in zip(*found, strict=True))) if found else 0.0
        shares = [1.0 if self.average == "macro" else truth for truth, _, _ in found]
        total = sum(shares)
        mean = sum(share * _f1(*one) for share, one in zip(shares, found, strict=True))
        return mean / total if total > 0 else 0.0

    def _name(self) -> str:
        return "F1" if self.average == "binary" else f"F1 ({self.average})"


class MAE(_Mean):
    """The mean absolute error, ``Σ |y − ŷ| / n``.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import MAE
    >>> print(MAE().update(3.0, 2.5).update(1.0, 2.5))
    MAE: 1
    """

    predicts = "number"
    bigger_is_better = False
    _format = ".4g"

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, float]:
        return w, abs(number(y_true, "y_true") - number(y_pred, "y_pred"))


class RMSE(_Mean):
    """The square root of the mean squared error, ``√(Σ (y − ŷ)² / n)``.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import RMSE
    >>> print(RMSE().update(3.0, 2.5).update(1.0, 2.5))
    RMSE: 1.118
    """

    predicts = "number"
    bigger_is_better = False
    _format = ".4g"

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, float]:
        return w, (number(y_true, "y_true") - number(y_pred, "y_pred")) ** 2

    def get(self) -> float:
        """Return the value; NaN if there is none yet."""
        return sqrt(super().get())


class R2(_Metric):
    """The coefficient of determination, ``1 − Σ (y − ŷ)² / Σ (y − ȳ)²``.

    Parameters
    ----------
    window : int, optional
        How many of the last examples count; None for all.

    Examples
    --------
    >>> from rosenblatt.stream.metrics import R2
    >>> print(R2().update(3.0, 2.5).update(1.0, 1.5).update(2.0, 2.0))
    R2: 0.7500
    """

    predicts = "number"

    def __init__(self, window: int | None = None) -> None:
        super().__init__(window)
        self._errors: RunningMean | MomentsQueue = (
            RunningMean() if window is None else MomentsQueue()
        )
        self._numbers, self._count = MomentsQueue(), 0

    def _term(self, y_true: Any, y_pred: Any, w: float) -> tuple[float, float, float]:
        y = number(y_true, "y_true")
        return w, y, (y - number(y_pred, "y_pred")) ** 2

    def _add(self, term: tuple[float, float, float]) -> None:
        w, y, squared = term
        self._errors.push(w, squared)
        self._numbers.push(w, y)
        self._count += 1
        if self.window is None:
            self._numbers.keep_no_numbers()

    def _remove(self, term: tuple[float, float, float]) -> None:
        self._errors.pop()
        self._numbers.pop()
        self._count -= 1

    def get(self) -> float:
        """Return the value; NaN with fewer than two examples.

        If all numbers are the same, it is 1 without an error and else 0.
        """
        if self._count < 2:
            return nan
        deviations, errors = self._numbers.moments.squares, self._errors.moments
        squares = errors.weight * errors.mean
        if not deviations:
            return 0.0 if squares else 1.0
        return 1 - squares / deviations


def _f1(truth: float, predicted: float, right: float) -> float:
    return 2 * right / (truth + predicted) if truth + predicted > 0 else 0.0


def progressive(
    model: Any,
    stream: Iterable[Sequence[Any]],
    metrics: Any,
    *,
    delay: int = 0,
    every: int | None = None,
    report: Callable[[int, list[Any]], Any] | None = None,
    drift: Any = None,
) -> list[Any]:
    """Predict each example of a stream, compare with its label, and learn from it.

    A prediction is made before anything is learned from its example, so that the metrics say how
    good the model is on examples that it has not seen. Where there is no prediction yet, before the
    first label, none is counted.

    Parameters
    ----------
    model : OnlineClassifier, OnlineRegressor, or one of River's
        What predicts and learns.
    stream : iterable of (x, y) or (x, y, weight)
        The examples.
    metrics : metric or list of metrics
        What is to be updated: those of this module, or River's.
    delay : int, default=0
        The label of an example comes only after so many more examples. Those whose labels are still
        to come at the end are learned then.
    every : int, optional
        Report after so many labels each.
    report : callable, optional
        Is called with the number of labels so far and the metrics; prints them if it is None.
    drift : drift detector, optional
        Is updated with each error: whether the label was wrong, or how far off the number was.

    Returns
    -------
    list
        The metrics.

    Examples
    --------
    >>> from rosenblatt import OnlineClassifier
    >>> from rosenblatt.stream.metrics import Accuracy, progressive
    >>> examples = [({"size": k % 10}, k % 10 > 4) for k in range(1000)]
    >>> metrics = [Accuracy(), Accuracy(window=100)]
    >>> _ = progressive(OnlineClassifier(), examples, metrics, every=500)
      500  Accuracy: 99.60%  Accuracy of the last 100: 100.00%
    1,000  Accuracy: 99.80%  Accuracy of the last 100: 100.00%
    """
    found = list(metrics) if isinstance(metrics, list | tuple) else [metrics]
    if not is_count(delay, 0):
        raise ValueError(f"delay={delay!r} must be a number of examples, 0 or more")
    if every is not None and not is_count(every, 1):
        raise ValueError(f"every={every!r} must be a number of examples, 1 or more")
    wanted = [_wanted(metric) for metric in found]
    plain = drift is not None or any(what != "probabilities" for what in wanted)
    sure, numbers = "probabilities" in wanted, "number" in wanted
    report = _print if report is None else report
    waiting: deque[Any] = deque()
    known = 0

    def learn() -> None:
        nonlocal known
        x, y, more, guess, chances = waiting.popleft()
        for metric, what in zip(found, wanted, strict=True):
            prediction = chances if what == "probabilities" else guess
            if prediction is not None and prediction != {}:
                metric.update(y, prediction, *more)
        if drift is not None and guess is not None:
            drift.update(abs(y - guess) if numbers else float(y != guess))
        model.learn_one(x, y, **({"w": more[0]} if more else {}))
        known += 1
        if every is not None and known % every == 0:
            report(known, found)

    for example in stream:
        if not (isinstance(example, Sequence) and 2 <= len(example) <= 3):
            raise ValueError(f"an example is (x, y) or (x, y, weight), and this is {example!r:.60}")
        x, y, *more = example
        guess = model.predict_one(x) if plain else None
        chances = model.predict_proba_one(x) if sure else None
        waiting.append((x, y, more, guess, chances))
        if len(waiting) > delay:
            learn()
    while waiting:
        learn()
    return found


def _wanted(metric: Any) -> str:
    """Return what a metric is given: the "label", the "number", or "probabilities"."""
    if hasattr(metric, "predicts"):
        return str(metric.predicts)
    if hasattr(metric, "works_with") and hasattr(metric, "update"):  # one of River's
        if not hasattr(metric, "requires_labels"):
            return "number"
        return "label" if metric.requires_labels else "probabilities"
    raise TypeError(
        f"{metric!r} is not a metric; use those of rosenblatt.stream.metrics, or River's"
    )


def _print(known: int, metrics: list[Any]) -> None:
    print(f"{known:5,}", *metrics, sep="  ")
