"""`OnlineRegressor`: numbers to predict, for examples as dicts, one at a time."""

import threading
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Self, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, all_finite, as_rows
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream import rules
from rosenblatt.stream.model import StreamModel, exclusive
from rosenblatt.stream.rules import Options

T = TypeVar("T")


class OnlineRegressor(StreamModel):
    """Linear regression that learns from a stream: for every example predict, look, learn.

    An example is a dict, as for :class:`OnlineClassifier`, and as there any number of threads may
    share a model. The same examples from a file (``rosenblatt train --learner regression --passes
    1``) give the same weights, to the last bit.

    With no option it is least squares with a step size for each feature. Numbers are standardised
    as they come, those to predict as well, so that neither their units nor where they lie matters.
    The last weights predict.

    Parameters
    ----------
    bits : int or None, default=None
        Hash names to 2^bits columns, so that memory stays as it is for ever.
    fit_intercept : bool, default=True
        Learn an intercept. Without it the numbers to predict are not centred.
    eta0 : float or "auto", default="auto"
        The first step; "auto" is 0.15 deviations for adaptive steps, and else 1/L for examples of
        mean length.
    average : bool, default=False
        Predict with the mean of the weights after every step, which is for streams that do not
        drift; else the last weights predict.
    learning_rate : {"adaptive", "inverse_sqrt"}, default="adaptive"
        A step size for each feature, which shrinks with the slopes that the feature has seen
        (AdaGrad); or the same for all, which decays as ``1/√(1 + t/10,000)``, and numbers to
        predict as they are: with ``scale=None``, ``w ← w + 2η (t − w·x − b) x``.
    l2 : float, default=0.3
        For adaptive steps: the penalty ``l2/2 · ‖w‖²`` against the squared errors of all examples,
        where all numbers are standardised.
    scale : {"standard"} or None, default="standard"
        "standard" subtracts from a number the mean of its feature so far, and divides by its
        deviation so far, as :class:`OnlineClassifier` does. None takes features as they are.
    dtype : {"float32", "float64"}, default="float32"
        The type of the weights.

    Attributes
    ----------
    coef_ : array of shape (n_features_,)
        The weights to predict with, for features and predictions in their own units.
    intercept_ : float
        The intercept.
    n_features_ : int
        How many features were seen, or 2^bits.
    t_ : int
        How many examples were learned from.
    predicts_with : str
        Which weights ``coef_`` are: "last" or "mean".

    References
    ----------
    B. Widrow and M. E. Hoff (1960), "Adaptive switching circuits", IRE WESCON. For the steps: H. B.
    McMahan et al. (2013), "Ad click prediction: a view from the trenches", KDD. On units: S. Ross,
    P. Mineiro and J. Langford (2013), "Normalized online learning", UAI.

    Examples
    --------
    >>> from rosenblatt import OnlineRegressor
    >>> model = OnlineRegressor()
    >>> for size in [30, 80, 50, 120, 60, 100, 40, 90] * 25:
    ...     _ = model.learn_one({"m2": size}, 20_000 + 4_000 * size)
    >>> round(model.predict_one({"m2": 70}), -3)
    300000.0
    """

    predicts_numbers = True
    _of_labels = "_target"

    def __init__(
        self,
        *,
        bits: int | None = None,
        fit_intercept: bool = True,
        eta0: float | str = "auto",
        average: bool = False,
        dtype: str = "float32",
        learning_rate: str = "adaptive",
        l2: float = adaptive.L2,
        scale: str | None = "standard",
    ) -> None:
        options = Options(
            "regression",
            bool(fit_intercept),
            eta0=eta0,
            average=bool(average),
            dtype=str(dtype),
            learning_rate=str(learning_rate),
            l2=float(l2),
            scale=scale,
        )
        names: Names = Kept() if bits is None else Hashed(bits)
        self._set_up(rules.checked(options, numbers=True), names)

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        self._lock: Any = threading.RLock()
        super()._set_up(options, names)
        self._target = np.zeros(3)
        self._state = rules.init(options, self._width(), 2)

    def exclusively(self, work: Callable[[], T]) -> T:
        """Call a function while no other thread learns or predicts."""
        with self._lock:
            return work()

    @property
    def _state(self) -> Any:
        return self._stored_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._stored_state, self._changed = state, True

    def __repr__(self) -> str:
        """Say what it is and what it has learned so far."""
        return f"OnlineRegressor({self.n_features_:,} features, {self.t_:,} examples)"

    @property
    @exclusive
    def total_weight(self) -> float:
        """The sum of the weights of the examples learned from."""
        return float(self._target[0])

    def _planes(self) -> tuple[Array, Array]:
        coef, intercept = self._folded()
        return coef[0], intercept[0]

    @exclusive
    def _folded(self) -> tuple[Array, Array]:
        """Return weights and intercepts for numbers in their own units."""
        self._widen()
        weights, intercept = rules.planes(self._options, self._state)
        factor, shift = rules.of_numbers(self._options, self._target)
        weights = factor * weights[:, : self.n_features_].astype(np.float64)
        intercept = factor * intercept.astype(np.float64) + shift
        if self._scaling is None:
            return weights, intercept
        return self._scaling.for_raw_numbers(weights, intercept)

    def _learn_scaled(
        self, rows: Rows, labels: Array, weights: Array | None, used: Array | None
    ) -> float:
        """Return the sum of the squared errors, each of a prediction before its example."""
        before = self._state.steps
        y = np.asarray(labels, np.float64)
        self._state, squares = rules.update_numbers(
            *(self._options, self._state, rows, y, self._sum_squares, self._target, weights),
            self._scaling,
        )
        learned = self._state.steps - before
        if learned < len(y):
            raise self._too_large(learned, used)
        return squares

    def learn_one(self, x: Mapping[Any, Any], y: float, weight: float = 1.0) -> Self:
        """Learn from an example.

        Parameters
        ----------
        x : dict
            The features.
        y : float
            The number to predict.
        weight : float
            How much it counts: 3 counts as three examples, and 0 is to leave it out.

        Returns
        -------
        self
        """
        if not (isinstance(weight, Real) and 0 <= float(weight) < np.inf):
            raise ValueError(f"weight={weight!r} must be a finite number, not negative")
        if isinstance(y, bool) or not (isinstance(y, Real) and abs(float(y)) < np.inf):
            raise ValueError(f"the number to predict must be a finite number, and {y!r} is not")
        if (rows := self._rows_with_texts()) is not None:
            parts = rows.parts(x)
            if weight:
                self._learn_row(lambda: self._row_of(rows, parts, True), y, weight)
            return self
        names, values = self._row(self._plain(x))
        if weight:
            self._learn_row(lambda: self._named(names, values), y, weight)
        return self

    @exclusive
    def _learn_row(self, row: Callable[[], Sparse], y: float, weight: float) -> None:
        known = self.n_features_
        try:
            self.learn_rows(row(), np.array([float(y)]), np.array([float(weight)]))
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        except (MemoryError, ValueError):
            self._forget(known)
            raise

    def _named(self, names: list[str], values: Array) -> Sparse:
        """Return a row, and give new names a column."""
        known, only_words = self.n_features_, self._scaling is not None and self._scaling.only_words
        columns = self._names.columns(names)
        if only_words and isinstance(self._names, Kept):
            self._names.mark_words(known)  # as in a dict nothing else tells words from categories
        return self._sparse(columns, values)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the number predicted for an example; 0 before there was one.

        Parameters
        ----------
        x : dict
            The features; those never seen before have no weight.
        """
        if (rows := self._rows_with_texts()) is not None:
            parts = rows.parts(x)
            return self._predict(lambda: self._row_of(rows, parts, False))
        names, values = self._row(self._plain(x))
        return self._predict(lambda: self._sparse(self._names.known(names), values))

    @exclusive
    def _predict(self, row: Callable[[], Sparse]) -> float:
        return float(self.predict(row())[0])

    @exclusive
    def predict(self, X: Any) -> Array:
        """Return the number predicted for each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features_)
            The rows, with columns in the order of ``feature_names_``.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self.in_units(self.scores(X if isinstance(X, Dense | Sparse) else self._rows(X)))

    def _rows(self, X: Any) -> Rows:
        dtype = np.dtype(self._options.dtype)
        X = X.tocsr().astype(dtype) if hasattr(X, "tocsr") else np.array(X, dtype, order="C")
        if X.ndim != 2 or X.shape[1] != self.n_features_:
            raise ValueError(
                f"X is of shape {X.shape}, and there are {self.n_features_:,} features: it needs a "
                "column for each, in the order of feature_names_"
            )
        if not all_finite(X.data if hasattr(X, "indptr") else X):
            raise ValueError(
                "X has numbers that are not finite; leave out what is missing (predict_one)"
            )
        return as_rows(X)

    @exclusive
    def in_units(self, scores: Array) -> Array:
        """Return the predictions that scores stand for."""
        factor, shift = rules.of_numbers(self._options, self._target)
        return factor * scores.astype(np.float64) + shift
