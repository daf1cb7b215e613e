"""Linear regression's face."""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, as_rows
from rosenblatt.estimators._base.checks import check_numbers, check_X
from rosenblatt.estimators._base.descent import Descent
from rosenblatt.estimators._base.params import check_params
from rosenblatt.estimators._base.start import Task, at_home, fresh, no_narrower
from rosenblatt.learners import online


class LinearRegression(RegressorMixin, Descent):
    """Linear regression by gradient descent on the squared error.

    One row a batch: ``w ← w + 2η (t − w·x − b) x``.

    Parameters
    ----------
    batch_size : int or None, default=1
        Rows in a batch: 1 is stochastic gradient descent, None takes all rows for every move. The
        gradient of a batch is the mean of its rows'.
    learning_rate : str or callable, default="auto"
        How the step size η of the t-th move follows from ``eta0``, with T = ``decay_steps``:

        - "auto": "inverse_sqrt"; with all rows in a batch "line_search" if the penalty is smooth
          and ``eta0`` is "auto", else "constant"
        - "constant": η₀
        - "inverse": η₀ / (1 + (t−1)/T), which for T = 1 is η₀/t
        - "inverse_sqrt": η₀ / √(1 + (t−1)/T)
        - "step": η₀ halved after every T moves
        - "optimal": 1 / (α (t₀ + t)), Bottou's, for ``penalty="l2"``; t₀ makes the first η₀
        - "line_search": the best step along the gradient, for ``batch_size=None``
        - "polyak": (loss − aim)/‖gradient‖², for ``batch_size=None``; the aim is below the lowest
          loss so far by as much as there seems to be to gain
        - a function f of t: η₀ f(t)
    eta0 : float or "auto", default="auto"
        The first step size. "auto" is 1/L, where L is the most that the loss curves on these data;
        ``eta0_`` says what that came to. In a stream it is the shortest so far.
    decay_steps : float or "auto", default="auto"
        T above, in moves: "auto" is one pass but at least 1,000 moves, for "step" five times as
        many; in ``partial_fit``, which knows no passes, a pass counts as 10,000 moves.
    penalty : {None, "l2", "l1"}, default=None
        What the size of the weights costs. "l1" makes many of them exactly zero.
    alpha : float, default=1e-4
        The weight α of the penalty, α/2 ‖w‖² or α ‖w‖₁, added to the mean loss.
    average : bool or int, default=False
        Predict with the mean of the weights after every move; a number k starts at the k-th row.
    max_iter : int, default=1000
        The most passes over the data.
    tol : float or None, default=1e-3
        Stop when the loss of a pass has not fallen by ``tol`` below the best so far for
        ``n_iter_no_change`` passes, or with all rows in a batch when the gradient is shorter than
        ``tol``. None makes all ``max_iter`` passes.
    n_iter_no_change : int, default=5
        How many passes to wait for that.
    early_stopping : bool, default=False
        Hold out ``validation_fraction`` of the rows and go by their loss; the weights with the
        least are kept.
    validation_fraction : float, default=0.1
        The share of the rows to hold out for that.
    fit_intercept : bool, default=True
        Learn an intercept b. It is not penalised.
    shuffle : bool, default=True
        Visit the rows in a new random order each pass, instead of the given one.
    warm_start : bool, default=False
        Let ``fit`` go on from where it stands.
    random_state : int, RandomState or None, default=0
        Seed of the orders.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The weights.
    intercept_ : float
        The intercept.
    loss_curve_ : array of shape (n_iter_,)
        The mean squared error of each pass, every row judged before it was learned from, and the
        penalty of the weights that the pass started with.
    validation_curve_ : array of shape (n_iter_,)
        That of the rows held out after each pass, with ``early_stopping`` only.
    n_iter_ : int
        The number of passes.
    converged_ : bool
        Whether the stopping rule ended it, rather than ``max_iter``.
    eta0_ : float
        The first step size.
    t_ : int
        The number of rows looked at.

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

    def __init__(
        self,
        *,
        batch_size: int | None = 1,
        learning_rate: str | Callable[[int], float] = "auto",
        eta0: float | str = "auto",
        decay_steps: float | str = "auto",
        penalty: str | None = None,
        alpha: float = 1e-4,
        average: bool | int = False,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        fit_intercept: bool = True,
        shuffle: bool = True,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.decay_steps = decay_steps
        self.penalty = penalty
        self.alpha = alpha
        self.average = average
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.fit_intercept = fit_intercept
        self.shuffle = shuffle
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None) -> Self:
        """Make passes until the loss no longer falls.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. float32 and float64 are used as they are, without a copy.
        y : array of shape (n_samples,)
            The numbers to predict.
        coef_init : array of the shape of ``coef_``, optional
            Weights to start from, instead of zeros.
        intercept_init : float, optional
            Intercepts to start from, instead of zeros.

        Returns
        -------
        self
        """
        return self._learn_fit(X, y, coef_init, intercept_init)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn from some rows once, in the order given.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers. With ``batch_size=None`` they are one batch.
        y : array of shape (n_samples,)
            The numbers to predict.

        Returns
        -------
        self
        """
        return self._learn_partial(X, y)

    def predict(self, X: Any) -> Array:
        """Return ``w·x + b`` for each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers.

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        rows = as_rows(check_X(self, X, reset=False))
        return online.linear_scores(self.coef_[None], np.array([self.intercept_]), rows)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _begin(self, X: Any, y: Any, coef_init: Any, intercept_init: Any) -> Task:
        given = coef_init is not None or intercept_init is not None
        warm = self.warm_start and hasattr(self, "_state") and not given
        return self._task(X, y, warm, coef_init, intercept_init)

    def _go_on(self, X: Any, y: Any, classes: Any = None) -> Task:
        return self._task(X, y, hasattr(self, "_state"))

    def _task(
        self, X: Any, y: Any, goes_on: bool, coef_init: Any = None, intercept_init: Any = None
    ) -> Task:
        check_params(self)
        X = no_narrower(self, check_X(self, X, reset=not goes_on), goes_on)
        rows = as_rows(X)
        if goes_on:
            state = at_home(self, online.copy(self._state), rows)
        else:
            state = fresh(self, X, coef_init, intercept_init, n_classes=1)
        return Task(state, rows, check_numbers(self, y, X.shape[0], X.dtype), goes_on)

    def _can_learn(self) -> bool:
        return True

    def _set_weights(self, coef: Array, intercept: Array) -> None:
        self.coef_, self.intercept_ = coef[0], intercept[0]

    def _record_mistakes(self, mistakes: list[int], total: int) -> None:
        """Do nothing: a number is not right or wrong."""
