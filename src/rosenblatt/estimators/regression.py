"""Linear regression."""

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, as_rows, rows_to_visit
from rosenblatt.estimators._base.checks import check_numbers, check_X
from rosenblatt.estimators._base.descent import RULES, Descent
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.exact import RULES as EXACT_RULES
from rosenblatt.estimators._base.exact import ExactlySolved
from rosenblatt.estimators._base.hyperplanes import as_dense
from rosenblatt.estimators._base.params import Rules, check_params, one_of, positive
from rosenblatt.estimators._base.start import Task, adapted, as_precise, new_state
from rosenblatt.estimators._base.weights import without_zeros
from rosenblatt.estimators._base.weights_set import current_state
from rosenblatt.learners import online
from rosenblatt.learners.losses import FOR_NUMBERS, LOSSES

_RULES: Rules = {
    **RULES,
    **EXACT_RULES,
    "loss": (
        one_of(*FOR_NUMBERS),
        f"one of {', '.join(FOR_NUMBERS)} (scikit-learn's squared_error is squared)",
    ),
    "epsilon": (positive, "a positive number"),
    "quantile": (lambda v: positive(v) and v < 1, "a number above 0 and below 1"),
}


@estimator_class
class LinearRegression(RegressorMixin, ExactlySolved, Descent):
    """Linear regression: least squares, or a robust loss, exactly or by gradient descent.

    By descent, with one row a batch: ``w ← w + 2η (t − w·x − b) x``.

    Parameters
    ----------
    loss : {"squared", "huber", "quantile"}
        What an error of r costs. "squared" is ``r²``. "huber" is ``r²/2`` up to ``epsilon`` and
        grows as a straight line beyond, so that a few wild numbers do little (Huber 1964).
        "quantile" is ``q |r|`` of a number above the prediction and ``(1 − q) |r|`` of one below,
        so that a share q of all numbers is below the prediction (Koenker and Bassett 1978).
    epsilon : float
        For ``loss="huber"``: the size of an error from which on the cost grows as a straight line,
        in the units of the numbers to predict. (That of scikit-learn's HuberRegressor is in units
        of a scale that it estimates; its SGDRegressor's is as here.)
    quantile : float
        For ``loss="quantile"``: q, above 0 and below 1; 0.5 predicts the median.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The weights.
    intercept_ : float
        The intercept.

    References
    ----------
    B. Widrow and M. E. Hoff (1960), "Adaptive switching circuits", IRE WESCON.
    P. J. Huber (1964), "Robust estimation of a location parameter", Annals of Mathematical
    Statistics 35.
    R. Koenker and G. Bassett (1978), "Regression quantiles", Econometrica 46.

    Examples
    --------
    >>> from rosenblatt import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = LinearRegression(batch_size=None, tol=1e-6).fit(X, y)
    >>> model.coef_.round(3).tolist(), float(model.intercept_.round(3))
    ([2.0], 1.0)
    """

    loss: str = "squared"
    epsilon: float = 1.35
    quantile: float = 0.5

    _rules = _RULES

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
        coef = as_dense(self.coef_).reshape(1, -1)
        return online.linear_scores(coef, np.array([self.intercept_]), rows)

    def _coef_shape(self) -> tuple[int, ...]:
        return (self.n_features_in_,)

    def _begin(
        self, X: Any, y: Any, coef_init: Any, intercept_init: Any, sample_weight: Any = None
    ) -> Task:
        given = coef_init is not None or intercept_init is not None
        warm = self.warm_start and hasattr(self, "_state") and not given
        task = self._task(X, y, warm, sample_weight, coef_init, intercept_init)
        return self._of_mean_one(task)

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

    def _init_options(self) -> dict[str, Any]:
        name = LOSSES[self.loss].parameter
        return {"loss": self.loss, "loss_parameter": float(getattr(self, name)) if name else 0.0}

    def _live_options(self) -> dict[str, Any]:
        return self._init_options()

    def _can_learn(self) -> bool:
        return True

    def _set_weights(self, coef: Array, intercept: Array) -> None:
        self.coef_, self.intercept_ = coef[0], intercept[0]

    def _record_mistakes(self, mistakes: list[int], total: int) -> None:
        """Do nothing: a number is not right or wrong."""
