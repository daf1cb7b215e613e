"""What learns from streams, with scikit-learn's manners, so that `select` can choose for it."""

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from rosenblatt.data.rows import Array, Rows, as_rows, n_rows
from rosenblatt.estimators._base.checks import check_sample_weight
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.progress_line import silent
from rosenblatt.learners.adaptive import L2
from rosenblatt.passes import drive
from rosenblatt.readers.names import Names, Numbered
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.training.penalty import choose_penalty
from rosenblatt.training.row_passes import passes_over
from rosenblatt.training.shuffling import SEED, Batch, in_order


class Shared:
    """Something that copies of an estimator share: a dictionary of names need not be copied."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _has_probabilities(model: Any) -> bool:
    return bool(model.learner == "logistic")


class StreamLearner(Probabilities, ClassifierMixin, BaseEstimator):
    """An :class:`~rosenblatt.OnlineClassifier` that makes passes over rows.

    From the same rows it learns what ``rosenblatt train`` does with the same options, up to
    rounding: where a row's features are not in the order of their columns, sums are made in another
    order.

    Parameters
    ----------
    learner : str, default="averaged"
        As in ``OnlineClassifier``.
    passes : int or None, default=None
        How often to go through the rows, for perceptrons up to a pass without a mistake. None is
        what ``train`` does.
    shuffle : bool, default=True
        Shuffle the rows before each pass.
    scale : {"standard", "numbers"} or None, default="standard"
        As in ``OnlineClassifier``.
    learning_rate : {"adaptive", "inverse_sqrt"}, default="adaptive"
        As in ``OnlineClassifier``.
    l2 : float or None, default=None
        The penalty of adaptive steps. None chooses it as ``train`` does.
    l1 : float, default=0.0
        As in ``OnlineClassifier``; with it the last weights predict.
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
    >>> model = StreamLearner("perceptron", fit_intercept=False, shuffle=False, scale=None)
    >>> model = model.fit(X, [-1, 1, 1, -1, -1, 1])
    >>> model.score(X, [-1, 1, 1, -1, -1, 1]), model.mistakes_.tolist()
    (1.0, [1, 0])
    """

    def __init__(
        self,
        learner: str = "averaged",
        *,
        passes: int | None = None,
        shuffle: bool = True,
        scale: str | None = "standard",
        learning_rate: str = "adaptive",
        l2: float | None = None,
        l1: float = 0.0,
        eta0: float | str = "auto",
        ties: str = "mistake",
        fit_intercept: bool = True,
        dtype: str = "float32",
        names: Shared | None = None,
    ) -> None:
        self.learner = learner
        self.passes = passes
        self.shuffle = shuffle
        self.scale = scale
        self.learning_rate = learning_rate
        self.l2 = l2
        self.l1 = l1
        self.eta0 = eta0
        self.ties = ties
        self.fit_intercept = fit_intercept
        self.dtype = dtype
        self.names = names

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from rows, pass after pass.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            The rows.
        y : array of shape (n_samples,)
            Their labels.
        sample_weight : array of shape (n_samples,), optional
            Their importance weights, as ``train`` takes them from files.

        Returns
        -------
        self
        """
        weights = check_sample_weight(sample_weight, X.shape[0])
        whole = isinstance(self.passes, int) and not isinstance(self.passes, bool)
        if self.passes is not None and (not whole or self.passes < 1):
            raise ValueError(f"passes must be a whole number, 1 or more, got {self.passes!r}")
        options = Options(
            self.learner,
            bool(self.fit_intercept),
            self.ties,
            self.eta0,
            dtype=self.dtype,
            learning_rate=self.learning_rate,
            l2=L2 if self.l2 is None else float(self.l2),
            scale=self.scale,
            l1=float(self.l1 or 0.0),
        )
        if (self.passes == 1 and rule_of(options).adapts) or self.l1:
            options = options._replace(average=False)  # as `train` does
        names: Names = Numbered(X.shape[1]) if self.names is None else self.names.value
        model = OnlineClassifier.with_names(options, names)
        batch = Batch(self._rows(X), _labels(y), weights)
        if self.l2 is None and rule_of(options).adapts and self.shuffle and self.passes != 1:
            choose_penalty(model, next(in_order(batch, SEED, 0)))
        run = passes_over(batch, model, self.passes, bool(self.shuffle))
        _, history = drive(run, n_rows(batch.rows), silent)
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

    def decision_function(self, X: Any) -> Array:
        """Return the scores of rows: one each for two classes, else one for each class.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            The rows.
        """
        return self.model_.scores(self._rows(X))

    predict_proba = available_if(_has_probabilities)(Probabilities.predict_proba)

    def _rows(self, X: Any) -> Rows:
        return as_rows(X.astype(self.dtype, copy=False))


def _labels(y: Any) -> Array:
    labels = np.asarray(y)
    return labels.astype(object) if labels.dtype.kind in "US" else labels
