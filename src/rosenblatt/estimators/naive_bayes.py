"""Naive Bayes with a linear decision function."""

from dataclasses import field
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, as_rows
from rosenblatt.estimators._base.checks import check_X
from rosenblatt.estimators._base.closed_form import ClosedForm, Given, as_priors
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.params import Rules, at_least, flag, one_of, positive
from rosenblatt.learners.closed_form import moments, naive_bayes
from rosenblatt.learners.closed_form.moments import merged_columns
from rosenblatt.learners.closed_form.planes import Planes, linear_scores, possible

_COUNTING = ("multinomial", "complement")  # of the same sums
_FITTED = ("feature_log_prob_", "theta_", "var_")


def _limits(value: Any) -> bool:
    return value is None or (at_least(-np.inf)(value) and bool(np.isfinite(value)))


def _amounts(value: Any) -> bool:
    if np.ndim(value) == 0:
        return at_least(0)(value) and bool(np.isfinite(value))
    numbers = np.asarray(value)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iuf":
        return False
    return bool(np.all((numbers >= 0) & np.isfinite(numbers)))


def _for_features(alpha: Any, n_features: int) -> naive_bayes.Alpha:
    """Return alpha as a number, or as an array with one for each feature."""
    if np.ndim(alpha) == 0:
        return float(alpha)
    if len(alpha) != n_features:
        raise ValueError(
            f"alpha has {len(alpha)} numbers, but X has {n_features} features; give one for each, "
            "or one for all"
        )
    return np.asarray(alpha, np.float64)


@estimator_class
class NaiveBayes(Probabilities, ClosedForm):
    """Naive Bayes: ``log π_k + Σ_j log p(x_j | k)`` is largest for the class of x.

    Features are taken to be independent within a class. For three families of p this is linear in
    x, so that the classifier is a hyperplane and its scores are log-odds:

    - Gaussian, with variances v_j that all classes share: ``w_j = (m_j₊ − m_j₋) / v_j``;
    - Bernoulli, a feature is there with probability p_j or is not:
      ``w_j = log p_j₊/(1 − p_j₊) − log p_j₋/(1 − p_j₋)``;
    - multinomial, a row counts what was drawn with probabilities θ_j: ``w_j = log θ_j₊ / θ_j₋``;
    - complement, the multinomial one turned around, for classes of unequal size: a row belongs to
      the class whose complement, all other classes together, draws it least: ``w_k = −log θ̄_k``.

    Parameters
    ----------
    distribution : {"gaussian", "bernoulli", "multinomial", "complement"}
        The family of p.
    alpha : float or array of shape (n_features,)
        What is added to every count, or to those of each feature, so that what was never seen is
        not impossible: ``p = (count + α)/(n_k + 2α)``, ``θ = (count + α)/Σ(count + α)``. 0 adds
        nothing: then the class is chosen for which fewer features of the row are impossible. Not
        for "gaussian".
    binarize : float or None
        For "bernoulli", a feature is there if its number is above this. None expects zeros and
        ones.
    var_smoothing : float
        For "gaussian", the share of the largest variance of all rows that is added to each
        variance, so that none is zero.
    norm : bool
        For "complement", divide the weights of each class by the sum of their sizes.
    priors : {"empirical", "uniform"} or array of shape (n_classes,)
        The prior of each class: its share of the rows, all the same, or as given. "complement"
        knows none, but a prior of zero rules a class out there, too.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The weights. For "bernoulli" they are those of zeros and ones, not of the rows' own numbers.
    class_count_ : array of shape (n_classes,)
        The weight of each class's rows.
    class_prior_ : array of shape (n_classes,)
        π_k.
    class_log_prior_ : array of shape (n_classes,)
        log π_k.
    feature_count_ : array of shape (n_classes, n_features)
        The weighted sums of each class's rows, for all but "gaussian".
    feature_log_prob_ : array of shape (n_classes, n_features)
        log p or log θ, for "bernoulli" and "multinomial", and the weights for "complement". With
        ``alpha=0`` some are infinite, which in ``coef_`` are ±2²⁴ instead.
    theta_ : array of shape (n_classes, n_features)
        The means, for "gaussian".
    var_ : array of shape (n_features,)
        The variances, for "gaussian"; 1 if no feature varies at all.

    Notes
    -----
    The model is made from sums over the rows of each class. So `partial_fit` in pieces is `fit` of
    the whole, to rounding. Weights count rows, so whole ones are repetitions. A tie goes to
    ``classes_[1]`` for two classes, as ``sign(0) = +1``, and to the first class for more. A class
    without rows is never chosen, and its probability is zero.

    References
    ----------
    A. McCallum and K. Nigam (1998), "A comparison of event models for naive Bayes text
    classification", AAAI workshop on learning for text categorization.
    J. Rennie, L. Shih, J. Teevan and D. Karger (2003), "Tackling the poor assumptions of naive
    Bayes text classifiers", ICML.

    Examples
    --------
    >>> from rosenblatt import NaiveBayes
    >>> X, y = [[1, 0], [1, 1], [0, 1], [0, 1]], ["ham", "ham", "spam", "spam"]
    >>> model = NaiveBayes("bernoulli").fit(X, y)
    >>> model.predict_proba([[1, 0]]).round(3).tolist()
    [[0.857, 0.143]]
    """

    _rules: ClassVar[Rules] = {
        "distribution": (
            one_of("gaussian", "bernoulli", "multinomial", "complement"),
            "'gaussian', 'bernoulli', 'multinomial' or 'complement'",
        ),
        "alpha": (
            _amounts,
            "a finite number that is not negative, or such a number for each feature",
        ),
        "norm": (flag, "True or False"),
        "var_smoothing": (positive, "a positive number"),
        "binarize": (_limits, "None or a finite number"),
    }

    # The distributions for which a parameter matters, if not for all.
    _only_for: ClassVar[dict[str, tuple[str, ...]]] = {
        "alpha": ("bernoulli", "multinomial", "complement"),
        "norm": ("complement",),
        "binarize": ("bernoulli",),
        "var_smoothing": ("gaussian",),
    }

    distribution: str = field(default="gaussian", kw_only=False)
    alpha: Any = 1.0
    binarize: float | None = 0.0
    var_smoothing: float = 1e-9
    norm: bool = False
    priors: Any = "empirical"

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.distribution in _COUNTING
        # Of measurements, counting sees little.
        tags.classifier_tags.poor_score = self.distribution != "gaussian"
        return tags

    @property
    def class_log_prior_(self) -> Array:
        """Log π_k."""
        check_is_fitted(self)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.class_prior_))

    @property
    def feature_count_(self) -> Array:
        """The sums of the rows of each class; of "gaussian", which has none, an error."""
        check_is_fitted(self)
        if isinstance(self._state, moments.State):
            raise AttributeError("a Gaussian model has means and no counts: see theta_")
        return np.asarray(self._state.sums)

    @property
    def _learner(self) -> ModuleType:  # type: ignore[override]
        return moments if self.distribution == "gaussian" else naive_bayes

    def _init_options(self) -> dict[str, Any]:
        return {} if self.distribution == "gaussian" else {"binarize": self._limit()}

    def _limit(self) -> float | None:
        """Return what a Bernoulli feature must be above."""
        return float(self.binarize or 0.0) if self.distribution == "bernoulli" else None

    def _learn(self, state: Any, given: Given) -> None:
        rows = self._checked(given.rows)
        if self.distribution in _COUNTING:
            rows = merged_columns(rows, len(state.sums[0]))
            advice = (
                f"a {self.distribution} model is of counts: do not standardise them, or use "
                "'gaussian'"
            )
            _refuse(rows, rows.values < 0, "Negative values in data", advice)
        super()._learn(state, given._replace(rows=rows))

    def _finish(self, state: Any) -> None:
        for name in _FITTED:
            self.__dict__.pop(name, None)
        priors = as_priors(self.priors, state.weight)
        self.class_prior_, self.class_count_ = priors, state.weight.copy()
        if self.distribution == "gaussian":
            self.theta_ = state.mean.copy()
            self.var_ = naive_bayes.variances(state, self.var_smoothing)
            planes = naive_bayes.gaussian_planes(state, self.var_, priors)
        else:
            self.feature_log_prob_, planes = self._of_counts(state, priors)
        self.coef_, self.intercept_ = planes

    def _of_counts(self, state: naive_bayes.State, priors: Array) -> tuple[Array, Planes]:
        """Return the logarithms of probabilities, and the hyperplanes."""
        alpha = _for_features(self.alpha, state.sums.shape[1])
        if self.distribution == "bernoulli":
            planes = naive_bayes.bernoulli_planes(state, alpha, priors)
            return naive_bayes.bernoulli(state, alpha)[0], planes
        if self.distribution == "multinomial":
            planes = naive_bayes.multinomial_planes(state, alpha, priors)
            return naive_bayes.multinomial(state, alpha), planes
        planes = naive_bayes.complement_planes(state, alpha, self.norm, priors)
        return naive_bayes.complement(state, alpha, self.norm), planes

    def predict_joint_log_proba(self, X: Any) -> Array:
        """Return ``log π_k + log p(x | k)``, the logarithm of how probable row and class are.

        Multinomial ones leave out how many orders a row's counts could have come in, and for
        "complement" they are the scores, as in scikit-learn.

        Returns
        -------
        array of shape (n_samples, n_classes)
            Columns are in the order of ``classes_``; −∞ for what is impossible.
        """
        check_is_fitted(self)
        rows = self._checked(as_rows(check_X(self, X, reset=False)))
        seen = possible(self.class_count_, self.class_prior_)
        with np.errstate(divide="ignore"):
            log_prior = np.where(seen, np.log(self.class_prior_), -np.inf)
        if self.distribution == "gaussian":
            matrix = as_matrix(rows, self.n_features_in_)
            return naive_bayes.joint_gaussian(self.theta_, self.var_, log_prior, matrix)
        if self.distribution == "bernoulli":
            limit = float(self.binarize or 0.0)
            return naive_bayes.joint_bernoulli(self.feature_log_prob_, log_prior, rows, limit)
        if self.distribution == "complement":
            log_prior = np.where(seen, 0.0, -np.inf)
        return naive_bayes.joint_counts(self.feature_log_prob_, log_prior, rows)

    def _scores(self, rows: Rows) -> Array:
        return linear_scores(self.coef_, self.intercept_, self._checked(rows), self._limit())

    def _checked(self, rows: Rows) -> Rows:
        """Return rows that a Bernoulli model can read; others as they are."""
        if self.distribution != "bernoulli":
            return rows
        limit = self._limit()
        if limit is not None and limit < 0 and not isinstance(rows, Dense):
            raise ValueError(
                f"binarize={limit} makes a one of every zero that a sparse matrix leaves out; give "
                "an array, or binarize=0 or more"
            )
        rows = merged_columns(rows, self.n_features_in_)
        if self.binarize is None:
            bad = (rows.values != 0) & (rows.values != 1)
            _refuse(rows, bad, "binarize=None expects zeros and ones", "set binarize to a number")
        return rows

    def _check_unchanged(self) -> None:
        limit: Any = getattr(self._state, "binarize", None)
        if isinstance(self._state, moments.State):
            was = "gaussian"
        else:
            was = "bernoulli" if limit is not None else "multinomial"
            if limit is None and (self.feature_log_prob_ > 0).any():
                was = "complement"
        if {was, self.distribution} <= {*_COUNTING}:
            was = self.distribution  # made of the same counts
        before = {"distribution": was, "binarize": limit}
        now = {"distribution": self.distribution, "binarize": self._limit()}
        for name, old in before.items():
            if old != now[name]:
                raise ValueError(
                    f"this model learned with {name}={old!r}, which cannot be changed later to "
                    f"{now[name]!r}; fit it again"
                )


def _refuse(rows: Rows, bad: Array, what: str, advice: str) -> None:
    """Raise ``ValueError`` naming the first number that is bad."""
    if not bad.any():
        return
    if isinstance(rows, Dense):
        row, column = (int(k[0]) for k in np.nonzero(bad))
        value = rows.values[row, column]
    else:
        at = int(np.flatnonzero(bad)[0])
        row, column = int(np.searchsorted(rows.indptr, at, side="right")) - 1, int(rows.indices[at])
        value = rows.values[at]
    raise ValueError(f"{what}: X has {value} at row {row}, column {column}; {advice}")
