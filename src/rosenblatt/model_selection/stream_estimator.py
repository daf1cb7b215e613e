"""What learns from streams, with scikit-learn's manners, so that `select` can choose for it."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rosenblatt.data.rows import Array, Rows, as_rows, n_rows
from rosenblatt.estimators._base.progress_line import silent
from rosenblatt.learners.blocks import block
from rosenblatt.passes import BlockEnd, Pass, PassEnd, StopByMistakes, drive, run_passes
from rosenblatt.readers.names import Names, Numbered
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options

_ROWS = 1 << 14  # learned from at once, so that Ctrl-C works


class Shared:
    """Something that copies of an estimator share: a dictionary of names need not be copied."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


class StreamLearner(ClassifierMixin, BaseEstimator):
    """An :class:`~rosenblatt.OnlineClassifier` that makes passes over rows in the order given.

    From the same rows it learns what ``rosenblatt train`` does, up to rounding: where a row's
    features are not in the order of their columns, sums are made in another order.

    Parameters
    ----------
    learner : str, default="averaged"
        As in ``OnlineClassifier``.
    passes : int, default=5
        How often to go through the rows. Passes end earlier when one makes no mistake.
    eta0 : float or "auto", default="auto"
        The first step of gradient descent; C of passive-aggressive, and 1/r of AROW.
    ties : {"mistake", "positive"}, default="mistake"
        What a score of exactly zero is.
    fit_intercept : bool, default=True
        Learn an intercept.
    dtype : {"float32", "float64"}, default="float32"
        The type of the weights.
    names : Shared or None, default=None
        The names of the columns, for the model to keep.

    Attributes
    ----------
    model_ : OnlineClassifier
        What has learned.
    mistakes_ : array of shape (n_passes,)
        The mistakes of each pass.
    classes_ : array of shape (n_classes,)
        The labels, sorted.

    Examples
    --------
    >>> from rosenblatt.model_selection.stream_estimator import StreamLearner
    >>> X = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]])
    >>> model = StreamLearner("perceptron", fit_intercept=False).fit(X, [-1, 1, 1, -1, -1, 1])
    >>> model.score(X, [-1, 1, 1, -1, -1, 1]), model.mistakes_.tolist()
    (1.0, [1, 0])
    """

    def __init__(
        self,
        learner: str = "averaged",
        *,
        passes: int = 5,
        eta0: float | str = "auto",
        ties: str = "mistake",
        fit_intercept: bool = True,
        dtype: str = "float32",
        names: Shared | None = None,
    ) -> None:
        self.learner = learner
        self.passes = passes
        self.eta0 = eta0
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.dtype = dtype
        self.names = names

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from rows in the order given, pass after pass.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.

        Returns
        -------
        self
        """
        if isinstance(self.passes, bool) or not isinstance(self.passes, int) or self.passes < 1:
            raise ValueError(f"passes must be a whole number, 1 or more, got {self.passes!r}")
        options = Options(
            self.learner, bool(self.fit_intercept), self.ties, self.eta0, True, self.dtype
        )
        names: Names = Numbered(X.shape[1]) if self.names is None else self.names.value
        model = OnlineClassifier.with_names(options, names)
        rows, labels = self._rows(X), _labels(y)
        run = run_passes(_passes(rows, labels), model, self.passes, StopByMistakes(1))
        _, history = drive(run, n_rows(rows), silent)
        self.model_, self.mistakes_ = model, np.array(history.mistakes)
        self.classes_, self.n_features_in_ = model.classes_, X.shape[1]
        return self

    def predict(self, X: Any) -> Array:
        """Return the class of each row.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            The rows.
        """
        return self.model_.predict(self._rows(X))

    def _rows(self, X: Any) -> Rows:
        return as_rows(X.astype(self.dtype, copy=False))


def _labels(y: Any) -> Array:
    labels = np.asarray(y)
    return labels.astype(object) if labels.dtype.kind in "US" else labels


def _passes(rows: Rows, labels: Array) -> Callable[[OnlineClassifier, int, bool], Pass]:
    n = len(labels)

    def one_pass(model: OnlineClassifier, number: int, clean: bool) -> Pass:
        mistakes = 0
        for start in range(0, n, _ROWS):
            stop = min(start + _ROWS, n)
            mistakes += model.learn_rows(block(rows, start, stop), labels[start:stop])
            yield BlockEnd(model, np.arange(start, stop), number, stop, mistakes, stop == n)
        return PassEnd(model, mistakes)

    return one_pass
