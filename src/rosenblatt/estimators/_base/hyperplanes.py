"""Scores, predictions and probabilities of classifiers whose model is a set of hyperplanes."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.estimators._base.checks import check_X
from rosenblatt.estimators._base.estimator import documented
from rosenblatt.geometry import Hyperplane
from rosenblatt.learners import online


def classes_of(scores: Array, classes: Array) -> Array:
    """Return the class that each row's scores predict."""
    if len(classes) == 1:
        return np.repeat(classes, len(scores))
    chosen = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    return np.asarray(classes[chosen])


@documented
class ScoringClassifier:
    """Mixin of the classifiers that predict by their ``decision_function``."""

    classes_: Array
    decision_function: Callable[[Any], Array]

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    def predict(self, X: Any) -> Array:
        """Return the class of each row: the largest score, or the sign with ``sign(0) = +1``.

        Returns
        -------
        array of shape (n_samples,)
            A label of ``classes_`` for each row.
        """
        return classes_of(self.decision_function(X), self.classes_)


@documented
class Hyperplanes(ScoringClassifier):
    """Mixin of the classifiers whose model is one hyperplane, or one for each class.

    They inherit from scikit-learn's ``ClassifierMixin`` and ``BaseEstimator`` after this.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    """

    coef_: Array
    intercept_: Array

    @property
    def hyperplane_(self) -> Hyperplane:
        """The hyperplane of two classes, or those of K and with ``between`` their boundaries."""
        check_is_fitted(self)
        self._refuse_infinite()
        coef = as_dense(self.coef_)
        if len(coef) == 1:
            return Hyperplane(coef[0], self.intercept_[0])
        return Hyperplane(coef, self.intercept_)

    def _refuse_infinite(self) -> None:
        """Raise ``ValueError`` if a class is ruled out, which no hyperplane can say."""
        b = self.intercept_
        out = np.isinf(b) if len(b) > 1 else np.array([b[0] == np.inf, b[0] == -np.inf])
        if out.any():
            raise ValueError(
                f"class {self.classes_[out].tolist()[0]!r} is ruled out, as no row of it was seen "
                "or its prior is zero, so there is no hyperplane to show"
            )

    def decision_function(self, X: Any) -> Array:
        """Return the signed scores of rows: one each for two classes, else one for each class.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
            For two classes, positive or zero means ``classes_[1]``.
        """
        check_is_fitted(self)
        rows = as_rows(check_X(self, X, reset=False))
        return self._scores(rows)

    def _scores(self, rows: Rows) -> Array:
        return online.linear_scores(as_dense(self.coef_), self.intercept_, rows)


def as_dense(coef: Any) -> Array:
    """Return weights as an array, also those that `SparseWeights.sparsify` made sparse."""
    return np.asarray(coef.toarray() if sp.issparse(coef) else coef)


@documented
class SparseWeights:
    """Mixin of the estimators whose weights may be stored sparsely, as scikit-learn's do."""

    coef_: Any

    def sparsify(self) -> Self:
        """Make ``coef_`` a CSR matrix, which is smaller where most weights are zero.

        Predictions stay the same, and what ``partial_fit`` continues from stays as it is. A model
        is saved after `densify`.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Make ``coef_`` an array again, as it is after ``fit``.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if sp.issparse(self.coef_):
            self.coef_ = self.coef_.toarray().reshape(self._coef_shape())
        return self

    def _coef_shape(self) -> tuple[int, ...]:
        return tuple(self.coef_.shape)


def of_each_class(odds: Array, of_two: Any, of_many: Any) -> Array:
    """Return a column for each class: of the log-odds of two, or of what a softmax takes."""
    if odds.ndim == 1:
        return np.column_stack([of_two(-odds), of_two(odds)])
    return np.asarray(of_many(odds, axis=1))


@documented
class Probabilities:
    """Mixin of those whose scores are log-odds: probabilities are their sigmoid or softmax."""

    classes_: Array
    decision_function: Callable[[Any], Array]

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class for each row.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Rows that add up to one; columns are in the order of ``classes_``.
        """
        return self._probabilities(X, expit, softmax)

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of `predict_proba`, exact where that would round to 0 or 1."""
        return self._probabilities(X, log_expit, log_softmax)

    def _probabilities(self, X: Any, of_two: Any, of_many: Any) -> Array:
        scores = self.decision_function(X)
        if len(self.classes_) == 1:
            return np.full((len(scores), 1), of_many([0.0])[0])
        return of_each_class(scores, of_two, of_many)
