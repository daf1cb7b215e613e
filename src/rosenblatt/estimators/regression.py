"""Linear regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, as_rows, rows_to_visit
from rosenblatt.estimators._base.checks import check_numbers, check_X
from rosenblatt.estimators._base.descent import Descent
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.params import check_params
from rosenblatt.estimators._base.start import Task, adapted, as_precise, new_state
from rosenblatt.estimators._base.weights import mean_of_one, without_zeros
from rosenblatt.estimators._base.weights_set import current_state
from rosenblatt.learners import online


@estimator_class
class LinearRegression(RegressorMixin, Descent):
    """Linear regression by gradient descent on the squared error.

    One row a batch: ``w ← w + 2η (t − w·x − b) x``.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The weights.
    intercept_ : float
        The intercept.

    References
    ----------
    B. Widrow and M. E. Hoff (1960), "Adaptive switching circuits", IRE WESCON.

    Examples
    --------
    >>> from rosenblatt import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = LinearRegression(batch_size=None, tol=1e-6).fit(X, y)
    >>> model.coef_.round(3).tolist(), float(model.intercept_.round(3))
    ([2.0], 1.0)
    """

    loss = "squared"

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from some rows once, in the order given; with ``batch_size=None`` in one batch.

        Parameters
        ----------
        y : array of shape (n_samples,)
            The numbers to predict.
        sample_weight : array of shape (n_samples,), optional
            What the loss of each row is multiplied by, as it is: a stream has no mean weight to
            compare it with.
        """
        return self._partial_fit(X, y, None, sample_weight)

    def predict(self, X: Any) -> Array:
        """Return ``w·x + b`` for each row.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = as_rows(check_X(self, X, reset=False))
        return online.linear_scores(self.coef_[None], np.array([self.intercept_]), rows)

    def _begin(
        self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any = None
    ) -> Task:
        given = coef_init is not None or intercept_init is not None
        warm = self.warm_start and hasattr(self, "_state") and not given
        task = self._task(X, y, warm, sample_weight, coef_init, intercept_init)
        return task._replace(weights=mean_of_one(task.weights))

    def _go_on(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Task:
        return self._task(X, y, hasattr(self, "_state"), sample_weight)

    def _task(
        self,
        X: Any,
        y: Any,
        goes_on: bool,
        sample_weight: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
    ) -> Task:
        check_params(self)
        X = as_precise(self, check_X(self, X, reset=not goes_on), goes_on)
        y = check_numbers(self, y, X.shape[0], X.dtype)
        X, y, weights, kept, n_given = without_zeros(X, y, sample_weight)
        if weights is not None and (weights == 1).all():
            weights = None
        rows = rows_to_visit(X)
        if goes_on:
            state = adapted(self, online.copy(current_state(self)), rows)
        else:
            state = new_state(self, X, coef_init, intercept_init, n_classes=1)
        return Task(state, rows, y, goes_on, weights, kept, n_given)

    def _can_learn(self) -> bool:
        return True

    def _set_weights(self, coef: Array, intercept: Array) -> None:
        self.coef_, self.intercept_ = coef[0], intercept[0]

    def _record_mistakes(self, mistakes: list[int], total: int) -> None:
        """Do nothing: a number is not right or wrong."""
