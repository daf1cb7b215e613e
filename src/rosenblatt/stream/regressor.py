"""`OnlineRegressor`: numbers to predict, for examples as dicts, one at a time."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from rosenblatt.data.checks import is_finite
from rosenblatt.data.rows import Array, Dense, Rows, Sparse, all_finite, as_rows
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.dict_rows import DictRows, Part
from rosenblatt.readers.features import swapped
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream import rules
from rosenblatt.stream.explaining import Contributions, ordered
from rosenblatt.stream.frames import TakesFrames
from rosenblatt.stream.model import exclusive
from rosenblatt.stream.one_by_one import OneByOne
from rosenblatt.stream.one_example import LEARNED, NOT_HERE, OVERFLOW
from rosenblatt.stream.rules import Options
from rosenblatt.stream.settings import RegressorSettings

_ONE = 1.0


class OnlineRegressor(TakesFrames, RegressorSettings, OneByOne):
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
    l1 : float, default=0.0
        For adaptive steps: the penalty ``l1 · Σ |w|``, which makes weights exactly zero.
    forget : int or None, default=None
        For adaptive steps: after so many examples one counts half, for streams that drift. None
        never forgets. Means and deviations are of all numbers so far.
    scale : {"standard"} or None, default="standard"
        "standard" subtracts from a number the mean of its feature so far, and divides by its
        deviation so far, as :class:`OnlineClassifier` does. None takes features as they are.
    dtype : {"float32", "float64"}, default="float32"
        The type of the weights.
    interactions : sequence of str or None, default=None
        Features that are multiplied, such as ``"size*city"``; see :class:`OnlineClassifier`.

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
    _river_base = "MiniBatchRegressor"
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
        l1: float = 0.0,
        forget: int | None = None,
        interactions: Sequence[str] | None = None,
    ) -> None:
        options = Options(
            "regression",
            bool(fit_intercept),
            eta0=eta0,
            average=bool(average),
            dtype=str(dtype),
            learning_rate=str(learning_rate),
            l2=l2,
            scale=scale,
            l1=l1,
            forget=forget,
        )
        names: Names = Kept() if bits is None else Hashed(bits)
        self._set_up(rules.checked(options, numbers=True), names)
        self._multiply(interactions)

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        super()._set_up(options, names)
        self._target = np.zeros(3)
        self._state = rules.init(options, self._width(), 2)

    def _numbers_to_predict(self) -> Array | None:
        return self._target

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

    def learn_one(
        self, x: Mapping[Any, Any], y: float, weight: float = _ONE, *, w: float | None = None
    ) -> Self:
        """Learn from an example.

        Parameters
        ----------
        x : dict
            The features.
        y : float
            The number to predict.
        weight : float
            How much it counts: 3 counts as three examples, and 0 is to leave it out.
        w : float, optional
            The same under River's name.

        Returns
        -------
        self
        """
        if weight is _ONE and w is None and self._learn_fast(x, y) is LEARNED:
            self._changed = True
            return self
        if w is not None:
            if weight != 1:
                raise TypeError(f"weight={weight!r} and w={w!r} are the same; give one of them")
            weight = w
        if isinstance(y, Mapping):
            raise swapped()
        if not (is_finite(weight) and weight >= 0):
            raise ValueError(f"weight={weight!r} must be a finite number, not negative")
        if isinstance(y, bool) or not is_finite(y):
            raise ValueError(f"the number to predict must be a finite number, and {y!r} is not")
        y, weight = float(y), float(weight)
        single, done = self._single or self._fast_path(), NOT_HERE
        if single is not None and weight:
            done = single.learn(x, y, weight)
        if done is NOT_HERE:
            self._learn_elsewhere(x, y, weight)
        elif done is OVERFLOW:
            raise self._overflow()
        self._changed = True
        return self

    def _learn_elsewhere(self, x: Mapping[Any, Any], y: float, weight: float) -> None:
        """Learn from an example that is not for the fast path."""
        if (rows := self._dict_reader()) is not None:
            parts = rows.parts(x)
            if weight:
                self._learn_parts(rows, parts, y, weight)
            return
        row = self._row(self._plain(x))
        if weight:
            self._learn_slowly(*row, y, weight)

    @exclusive
    def _learn_parts(self, rows: DictRows, parts: list[Part], y: float, weight: float) -> None:
        """Learn from a dict with texts."""
        known = self.n_features_
        try:
            row = self._row_of(rows, parts, True)
            self.learn_rows(row, np.array([y]), np.array([weight]))
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        except (MemoryError, ValueError):
            self._forget(known)
            raise

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """Return the number predicted for an example; 0 before there was one.

        Parameters
        ----------
        x : dict
            The features; those never seen before have no weight.
        """
        found = self._predict_fast(x)
        if found is not NOT_HERE:
            return float(found)
        if self._single is None and (single := self._fast_path()) is not None:
            found = single.predict(x)
            if found is not NOT_HERE:
                return float(found)
        x = self._to_predict(x)
        if (rows := self._dict_reader()) is not None:
            parts = rows.parts(x)
            return self._predict(lambda: self._row_of(rows, parts, False))
        return self._predict_slowly(*self._row(self._plain(x)))

    def explain_one(self, x: Mapping[Any, Any]) -> dict[str, float]:
        """Return what each feature of an example contributes to the number predicted.

        A number that is standardised contributes its weight times what it is above the mean; one
        that is missing contributes nothing.

        Parameters
        ----------
        x : dict
            The features; those never seen before are left out.

        Returns
        -------
        dict
            Features and contributions, the largest first, and at the end "(intercept)". They add up
            to what `predict_one` returns.
        """
        names, found, _ = self._contributions_one(x)
        return ordered(names, found.of_class(0, False))

    @exclusive
    def contributions(self, row: Sparse) -> Contributions:
        """Return what each feature of a single row contributes to the number predicted."""
        found = super().contributions(row)
        factor, shift = rules.of_numbers(self._options, self._target)
        return found._replace(
            weights=factor * found.weights,
            parts=factor * found.parts,
            intercepts=factor * found.intercepts + shift,
        )

    @exclusive
    def _predict(self, row: Callable[[], Sparse]) -> float:
        return float(self.predict(row())[0])

    @exclusive
    def _predict_slowly(self, names: list[str], numbers: Array) -> float:
        row = self._known_row(names, numbers)
        single = self._single or self._fast_path()
        found = None if single is None else single.scores_of_row(row.indices, row.values)
        if found is not None and found[0] == found[0]:
            return float(found[0])
        return float(self.predict(row)[0])

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
