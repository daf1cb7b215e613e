"""Nearest centroids, also shrunken."""

from dataclasses import field
from numbers import Integral, Real
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, Rows
from rosenblatt.estimators._base.closed_form import ClosedForm, Given, as_priors
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.params import at_least, flag
from rosenblatt.learners.closed_form import centroid, value_tables
from rosenblatt.learners.closed_form.centroid import Folds, cross_validate
from rosenblatt.learners.closed_form.planes import linear_scores, possible
from rosenblatt.learners.online import too_large


def has_probabilities(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if the metric has no probabilities."""
    if model.metric == "euclidean":
        return True
    raise AttributeError(
        f"metric={model.metric!r} has distances but no probabilities; use metric='euclidean'"
    )


def can_go_on(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if rows cannot be learned from in parts."""
    if not isinstance(model.shrink_threshold, str):
        return True
    raise AttributeError(
        "shrink_threshold='cv' needs all rows at once: call fit, then continue with a model whose "
        "shrink_threshold is the threshold_ that was chosen"
    )


def check_together(model: Any) -> None:
    """Raise ``ValueError`` if the parameters do not go together."""
    if model.metric not in ("euclidean", "manhattan", "hamming"):
        raise ValueError(
            f"metric must be 'euclidean', 'manhattan' or 'hamming', got {model.metric!r}"
        )
    shrink = model.shrink_threshold
    finite = at_least(0)(shrink) and isinstance(shrink, Real) and float(shrink) < np.inf
    if not (shrink is None or finite or (isinstance(shrink, str) and shrink == "cv")):
        raise ValueError(
            f"shrink_threshold must be None, 'cv' or a number that is not negative, got {shrink!r}"
        )
    plain = isinstance(model.priors, str) and model.priors == "uniform"
    if model.metric != "euclidean" and not (shrink is None and plain):
        what = "shrink_threshold" if shrink is not None else "priors"
        raise ValueError(
            f"{what}={getattr(model, what)!r} needs metric='euclidean'; {model.metric!r} has "
            "distances only"
        )


def as_thresholds(thresholds: Any) -> int | Array:
    """Return how many thresholds to try, or these."""
    if at_least(2)(thresholds) and not flag(thresholds) and int(thresholds) == thresholds:
        return int(thresholds)
    try:
        result = np.asarray(thresholds, np.float64)
    except (TypeError, ValueError):
        result = np.empty(0)
    if result.ndim != 1 or not result.size or not (np.isfinite(result) & (result >= 0)).all():
        raise ValueError(
            "thresholds must be a whole number, 2 or more, or numbers that are not negative, got "
            f"{thresholds!r}"
        )
    return result


def as_folds(cv: Any, y: Array, kept: Array | None = None) -> Folds:
    """Return the fold that each row is tested in.

    A number of folds deals the rows of each class out in turn. Else ``cv`` splits as scikit-learn's
    splitters do, or is a list of such splits, and must test each row once. ``kept`` numbers the
    rows among those that the splits speak of.

    >>> as_folds(2, np.array([0, 0, 0, 1, 1])).of.tolist()
    [0, 1, 0, 1, 0]
    """
    if isinstance(cv, Integral) and not flag(cv):
        return _dealt(int(cv), y)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _listed([test for _, test in cv.split(np.zeros((len(y), 1)), y)], len(y))
    try:
        tests = [np.asarray(test, np.intp) for _, test in cv]
    except (TypeError, ValueError):
        raise ValueError(
            f"cv must be a number of folds, 2 or more, a splitter or a list of splits, got {cv!r}"
        ) from None
    if kept is None:
        return _listed(tests, len(y))
    folds = _listed(tests, int(max([kept[-1], *(test.max(initial=0) for test in tests)])) + 1, kept)
    return folds._replace(of=folds.of[kept])


def _dealt(count: int, y: Array) -> Folds:
    if count < 2:
        raise ValueError(f"cv must be a number of folds, 2 or more, got {count}")
    if count > len(y):
        count = len(y)
    # Sorted by class, rows go to the folds in turn: classes and folds differ by one row at most.
    order = np.argsort(y, kind="stable")
    of = np.empty(len(y), np.intp)
    of[order] = np.arange(len(y)) % count
    return Folds(of, count)


def _listed(tests: list[Array], n: int, needed: Array | None = None) -> Folds:
    of, times = np.full(n, -1), np.zeros(n, int)
    for f, test in enumerate(tests):
        if test.size and not (test.min() >= 0 and test.max() < n):
            raise ValueError(f"cv tests a row outside of 0…{n - 1} in split {f}")
        of[test] = f
        np.add.at(times, test, 1)
    bad = np.flatnonzero(times != 1) if needed is None else needed[times[needed] != 1]
    if len(tests) < 2 or bad.size:
        what = f"row {bad[0]} {times[bad[0]]} times" if bad.size else "rows in one split only"
        raise ValueError(f"cv tests {what}; use two splits or more that test each row once")
    return Folds(of, len(tests))


_PLANES = ("coef_", "intercept_", "hyperplane_")
# What only some settings give; the first of them is set before the rest is made.
_SOMETIMES = (
    "path_",
    "coef_",
    "intercept_",
    "variance_",
    "threshold_",
    "deviations_",
    "within_class_std_dev_",
    "n_features_left_",
)


@estimator_class
class NearestCentroid(Probabilities, ClosedForm):
    """Nearest centroid: a row belongs to the class whose centre it is nearest to.

    With Euclidean distance the centre of class k is its mean m_k, and for two classes the rule is
    the hyperplane ``w = m₊ − m₋``, ``b = −½(‖m₊‖² − ‖m₋‖²)``. A threshold makes it nearest shrunken
    centroids: the differences ``d_ik = (m_ik − m_i) / (√(1/n_k − 1/n) (s_i + s_0))`` shrink towards
    zero, so that features drop out, and the class of x is that with the smallest
    ``Σ_i (x_i − m'_ik)² / (s_i + s_0)² − 2 log π_k``.

    Parameters
    ----------
    metric : {"euclidean", "manhattan", "hamming"}
        The distance. The centre of a class is its mean; with "manhattan" (the sum of the absolute
        differences) its median, feature by feature; with "hamming" (the share of features that
        differ) the most frequent value of each feature, of several the smallest. Where float32 rows
        meet float64 ones, "hamming" compares in float32.
    shrink_threshold : float, "cv" or None
        None takes plain distances to the means. A number shrinks by as much and standardises
        distances; 0 standardises and shrinks nothing. "cv" chooses the number by cross-validation:
        of those with the fewest errors the largest.
    priors : {"uniform", "empirical"} or array of shape (n_classes,)
        The prior of each class: all the same, its share of the rows, or as given.
    thresholds : int or array
        The thresholds that "cv" tries: as many from zero to where no feature is left, or these.
    cv : int, splitter or list of splits
        The folds of "cv". A number deals out the rows of each class in turn.

    Attributes
    ----------
    centroids_ : array of shape (n_classes, n_features)
        The centres, shrunken with a threshold.
    coef_, intercept_ : arrays
        The hyperplane of two classes, or a linear function for each of K classes: half of how much
        nearer a row is to the centre than to the mean of all rows. Euclidean distance only.
    class_prior_ : array of shape (n_classes,)
        π_k.
    variance_ : float
        σ², the mean square of a number's distance from its class's mean; 1 with a threshold, where
        distances are standardised. Probabilities are those of normal rows with this variance.
    threshold_ : float
        The threshold, chosen or given. With one only, as are all below.
    deviations_ : array of shape (n_classes, n_features)
        The shrunken d_ik. A feature whose deviations are all zero plays no part.
    within_class_std_dev_ : array of shape (n_features,)
        s_i.
    n_features_left_ : int
        How many features play a part.
    path_ : :class:`~rosenblatt.learners.closed_form.centroid.Path`
        With "cv" only: ``thresholds``, ``errors`` (the share of rows misclassified when their fold
        was left out) and ``n_features`` left.

    Notes
    -----
    The model is made from sums: the weight and mean of each class, and the spread of each feature
    within the classes. So `partial_fit` in pieces is `fit` of the whole, to rounding. Medians and
    most frequent values have no such sums: with these metrics the model keeps every different
    nonzero value of each feature and class, with its count.

    "cv" takes a pass for the sums of all folds, and one that scores each row for all thresholds: as
    long as 5 to 20 fits, measured with 10 folds and 30 thresholds, and not as 300.

    A tie goes to the first class; but on the hyperplane of two classes to ``classes_[1]``, as
    ``sign(0) = +1``. A class without rows is never chosen. Without spread, as when each class has
    one row, σ² is 1. Where s_0, the median of the s_i, is zero, it is the median of those that are
    not; where all are zero, s_i + s_0 is 1. Weights count rows, so whole ones are repetitions.

    scikit-learn's class of this name standardises by s_i alone if priors differ, and not at all if
    they are the same.

    References
    ----------
    R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu (2002), "Diagnosis of multiple cancer types
    by shrunken centroids of gene expression", PNAS 99.

    Examples
    --------
    >>> from rosenblatt import NearestCentroid
    >>> X, y = [[1, -2], [1, 4], [4, 2], [2, 2]], [-1, -1, 1, 1]
    >>> model = NearestCentroid().fit(X, y)
    >>> print(model.hyperplane_)
    2·x1 + 1·x2 − 5.5 = 0
    >>> model.predict(X).tolist()
    [-1, 1, 1, 1]
    """

    _dtype = np.dtype("float64")  # the narrowest that was learned from

    metric: str = field(default="euclidean", kw_only=False)
    shrink_threshold: float | str | None = None
    priors: Any = "uniform"
    thresholds: Any = 30
    cv: Any = 10

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        # Measurements are hardly ever equal.
        tags.classifier_tags.poor_score = self.metric == "hamming"
        return tags

    partial_fit = available_if(can_go_on)(ClosedForm.partial_fit)
    predict_proba = available_if(has_probabilities)(Probabilities.predict_proba)
    predict_log_proba = available_if(has_probabilities)(Probabilities.predict_log_proba)

    def predict(self, X: Any) -> Array:
        """Return the class of each row: that of the nearest centre.

        Returns
        -------
        array of shape (n_samples,)
            A label of ``classes_`` for each row.
        """
        if self.metric == "euclidean" or len(getattr(self, "classes_", ())) != 2:
            return super().predict(X)
        # Not on a hyperplane, a tie is no sign: it goes to the first class, as with more of them.
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.intp)])

    def __getattr__(self, name: str) -> Any:
        # A method or property that is not there for this metric ends up here, its reason lost.
        if name in ("predict_proba", "predict_log_proba"):
            has_probabilities(self)
        elif name == "partial_fit":
            can_go_on(self)
        elif name == "hyperplane_":
            check_is_fitted(self)
        if name in _PLANES and "_state" in self.__dict__:
            raise AttributeError(
                f"metric={self.metric!r} has no hyperplanes, so there is no {name}; "
                "use metric='euclidean'"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _check_unchanged(self) -> None:
        check_together(self)
        if not isinstance(self._state, self._learner.State):
            raise ValueError(
                f"metric={self.metric!r} cannot continue from what another metric learned; fit "
                "again"
            )

    @property
    def _learner(self) -> ModuleType:  # type: ignore[override]
        return centroid if self.metric == "euclidean" else value_tables

    def _learn(self, state: Any, given: Given) -> None:
        check_together(self)
        if self.metric != "euclidean":
            state, given = self._in_one_type(state, given)
        if not isinstance(self.shrink_threshold, str):
            super()._learn(state, given)
            return
        thresholds = as_thresholds(self.thresholds)
        folds = as_folds(self.cv, given.y, given.kept)
        weight = np.bincount(given.y, given.weights, len(self.classes_))
        fixed = as_priors(self.priors, weight)
        own = isinstance(self.priors, str) and self.priors == "empirical"
        self._state, self.path_ = cross_validate(
            state, given.rows, given.y, given.weights, folds, thresholds, None if own else fixed
        )
        self._finish(self._state)

    def _in_one_type(self, state: Any, given: Given) -> tuple[Any, Given]:
        """Round to float32 what was learned and what is new, if either came so: 0.1 is not there.

        Medians do without, but may be left for most frequent values later.
        """
        new = given.rows.values.dtype
        self._dtype = min(self._dtype, new) if state.weight.any() else new
        if self.metric == "hamming" and self._dtype == np.float32:
            state = value_tables.rounded(state, self._dtype)
            given = given._replace(rows=value_tables.rounded_rows(given.rows, self._dtype))
        return state, given

    def _finish(self, state: Any) -> None:
        for name in _SOMETIMES[isinstance(self.shrink_threshold, str) :]:
            self.__dict__.pop(name, None)
        self.class_prior_ = as_priors(self.priors, state.weight)
        if self.metric == "manhattan":
            self.centroids_ = value_tables.medians(state)
        elif self.metric == "hamming":
            self.centroids_ = value_tables.modes(state)
        elif self.shrink_threshold is None:
            self.centroids_ = state.mean.copy()
            self.variance_ = centroid.variance(state)
            self.coef_, self.intercept_ = centroid.plain(state, self.class_prior_)
        else:
            self._shrink(state)

    def _shrink(self, state: Any) -> None:
        chosen = isinstance(self.shrink_threshold, str)
        self.threshold_ = self.path_.best if chosen else float(self.shrink_threshold or 0.0)
        shrunk = centroid.standard(state).shrink(self.threshold_)
        self.centroids_, self.deviations_ = shrunk.centroids(), shrunk.deviations
        self.within_class_std_dev_ = shrunk.within
        self.n_features_left_ = int(np.count_nonzero(shrunk.deviations.any(axis=0)))
        self.variance_ = 1.0
        seen = possible(state.weight, self.class_prior_)
        self.coef_, self.intercept_ = centroid.shrunken(shrunk, self.class_prior_, seen)

    def _scores(self, rows: Rows) -> Array:
        if self.metric == "euclidean":
            return linear_scores(self.coef_, self.intercept_, rows)
        if self.metric == "hamming" and self._dtype == np.float32:
            rows = value_tables.rounded_rows(rows, self._dtype)
        far = value_tables.distances(rows, self.centroids_, self.metric == "hamming")
        if self.metric == "hamming":
            far /= self.centroids_.shape[1]
        far[:, self._state.weight == 0] = np.inf
        if not np.isfinite(far[:, self._state.weight > 0]).all():
            raise too_large("the distances are", np.dtype(np.float64))
        if far.shape[1] == 2:
            return np.asarray(far[:, 0] - far[:, 1])
        return np.negative(far, out=far) if far.shape[1] > 2 else np.zeros(len(far))

    def _probabilities(self, X: Any, of_two: Any, of_many: Any) -> Array:
        # Plain distances are in squares of the data's own units.
        return super()._probabilities(
            X,
            lambda scores: of_two(scores / self.variance_),
            lambda scores, **axis: of_many(np.asarray(scores) / self.variance_, **axis),
        )
