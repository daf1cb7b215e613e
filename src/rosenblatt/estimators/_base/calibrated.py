"""Probabilities of classifiers whose scores are not log-odds, from scores of rows held out."""

import warnings
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.metaestimators import _safe_split, available_if

from rosenblatt.data.labels import as_labels
from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.checks import check_X
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.hyperplanes import of_each_class
from rosenblatt.stream.calibration import Calibration, Isotonic
from rosenblatt.stream.calibration import fit as fit_sigmoid

FOLDS = 5
SIGMOID, ISOTONIC = "sigmoid", "isotonic"


def fit_isotonic(scores: Array, codes: Array, weights: Array | None) -> Isotonic:
    """Fit curves that only increase, with the least squared error.

    References
    ----------
    B. Zadrozny and C. Elkan (2002), "Transforming classifier scores into accurate multiclass
    probability estimates", KDD.
    """
    from sklearn.isotonic import IsotonicRegression  # loads much that few need

    columns = scores.reshape(len(scores), -1).astype(np.float64).T
    first = 1 if len(columns) == 1 else 0
    curves = [
        IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(
            s, codes == k, sample_weight=weights
        )
        for k, s in enumerate(columns, first)
    ]
    return Isotonic(
        np.concatenate([curve.X_thresholds_ for curve in curves]),
        np.concatenate([curve.y_thresholds_ for curve in curves]),
        np.array([len(curve.X_thresholds_) for curve in curves]),
    )


def _has_probabilities(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if no probabilities were asked for."""
    if model.calibration is not None:
        return True
    raise AttributeError(
        f"{type(model).__name__} has scores but no probabilities; set calibration='sigmoid' or "
        "'isotonic' before fit"
    )


@estimator_class
class Calibrated:
    """Mixin of the classifiers whose scores are not log-odds.

    Parameters
    ----------
    calibration : {"sigmoid", "isotonic"} or None
        Let ``fit`` also find what probabilities scores stand for, so that there is
        ``predict_proba``. Five models learn from four fifths of the rows each, and score the rest;
        a curve is fitted to all these scores, and the model itself learns from all rows, as
        without. "sigmoid" is Platt's curve, for more than two classes a softmax with one slope.
        "isotonic" is any curve that increases, for more classes one for each against the rest; it
        wants a thousand rows or more. ``predict`` goes on to decide by scores, as without, though
        of classes of unequal size the probability of ½ may be at another score than 0. All rows are
        needed at once, so that there is no ``partial_fit``, and no warm start.

    Attributes
    ----------
    calibration_ : named tuple
        The curve, with ``calibration`` only: slope and offset of the sigmoid, or the corners of the
        increasing curves.
    """

    calibration: str | None = None

    @available_if(_has_probabilities)
    def predict_proba(self: Any, X: Any) -> Array:
        """Return the probability of each class for each row; with ``calibration`` only.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Rows that add up to one; columns are in the order of ``classes_``.
        """
        fitted, scores = self._curve(X)
        if isinstance(fitted, Calibration):
            return np.asarray(of_each_class(fitted.log_odds(scores), expit, softmax))
        found = np.asarray(fitted.of(scores))
        if found.shape[1] == 1:
            return np.column_stack([1 - found[:, 0], found[:, 0]])
        sums = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1 / found.shape[1])  # of rows that look like no class
        return np.asarray(np.divide(found, sums, out=even, where=sums > 0))

    @available_if(_has_probabilities)
    def predict_log_proba(self: Any, X: Any) -> Array:
        """Return the logarithm of `predict_proba`, exact where a sigmoid would round to 0 or 1."""
        fitted, scores = self._curve(X)
        if isinstance(fitted, Calibration):
            return of_each_class(fitted.log_odds(scores), log_expit, log_softmax)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _curve(self: Any, X: Any) -> tuple[Calibration | Isotonic, Array]:
        """Return what scores become probabilities by, and the scores of rows."""
        scores = self.decision_function(X)
        fitted = getattr(self, "calibration_", None)
        if fitted is None:
            raise NotFittedError(
                f"calibration={self.calibration!r} was set after fit; call fit again"
            )
        now, then = getattr(self, "predict_with", None), getattr(self, "_calibrated_with", None)
        if now != then:
            raise ValueError(
                f"the probabilities were fitted to scores of predict_with={then!r}, and "
                f"predict_with is {now!r} now; set it back, or fit again"
            )
        return fitted, scores


def calibrate(model: Any, X: Any, y: Any, **given: Any) -> None:
    """Fit ``calibration_`` if a model asks for it; ``given`` are other arguments of its ``fit``."""
    for name in ("calibration_", "_calibrated_with"):
        vars(model).pop(name, None)
    if getattr(model, "calibration", None) is None:
        return
    X = check_X(model, X, reset=False)
    y, given = np.asarray(as_labels(y)).ravel(), {k: v for k, v in given.items() if v is not None}
    weights = given.pop("sample_weight", None)
    if weights is not None:
        weights = np.broadcast_to(np.asarray(weights, np.float64), len(y))
    used = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
    codes = np.searchsorted(model.classes_, y)
    plain = clone(model).set_params(calibration=None, verbose=0)
    scores: Any = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # which the model itself has
        for learn, judge in _folds(model, codes[used]):
            learn, judge = used[learn], used[judge]
            part, labels = _safe_split(plain, X, y, learn)
            if weights is not None:
                given["sample_weight"] = weights[learn]
            fold = clone(plain).fit(part, labels, **given)
            found = fold.decision_function(_safe_split(plain, X, y, judge, learn)[0])
            if scores is None:
                scores = np.empty((len(y), *found.shape[1:]))
            scores[judge] = found
    own = None if weights is None else weights[used]
    if model.calibration == SIGMOID:
        model.calibration_ = fit_sigmoid(scores[used], codes[used], len(model.classes_), own)
    else:
        model.calibration_ = fit_isotonic(scores[used], codes[used], own)
    if hasattr(model, "predict_with"):
        model._calibrated_with = model.predict_with


def _folds(model: Any, codes: Array) -> Any:
    """Yield the folds: as many as the smallest class has rows, if these are fewer than five."""
    counts = np.bincount(codes)
    if counts.min() < 2:
        label = model.classes_[counts.argmin()]
        raise ValueError(
            f"calibration={model.calibration!r} holds out rows of each class, and class "
            f"{label.item() if hasattr(label, 'item') else label!r} has one row; add rows, or "
            "leave calibration out"
        )
    from sklearn.model_selection import StratifiedKFold  # loads much that few need

    n_folds = min(FOLDS, int(counts.min()))
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=0)
    return splitter.split(np.zeros((len(codes), 1)), codes)


def learns_in_parts(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if calibration needs all rows at once."""
    if model.calibration is None:
        return True
    raise AttributeError(_needs_all(model, "there is no partial_fit"))


def refuse_warm_start(model: Any) -> None:
    """Raise ``ValueError`` if a model that goes on learning asks for calibration."""
    if getattr(model, "calibration", None) is not None:
        raise ValueError(_needs_all(model, "a warm start does not support it"))


def _needs_all(model: Any, hence: str) -> str:
    return (
        f"calibration={model.calibration!r} needs all rows at once, so {hence}: set "
        "calibration=None, and calibrate the model in the end, with CalibratedClassifierCV on a "
        "FrozenEstimator, both scikit-learn's"
    )
