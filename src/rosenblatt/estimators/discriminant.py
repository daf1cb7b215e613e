"""The linear discriminant."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array, Dense, as_rows, n_rows
from rosenblatt.estimators._base.checks import check_X
from rosenblatt.estimators._base.closed_form import ClosedForm, Given, as_priors
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.params import Rules, at_least, flag, one_of
from rosenblatt.learners.closed_form import discriminant
from rosenblatt.learners.closed_form.discriminant import amounts, covariance, hyperplanes
from rosenblatt.learners.closed_form.planes import linear_scores, possible


def _shrinkage(value: Any) -> bool:
    if isinstance(value, Real) and not flag(value):
        return 0 <= float(value) <= 1
    return value is None or one_of("auto")(value)


def _takes_more_rows(model: Any) -> bool:
    if model.covariance_estimator is not None:
        raise AttributeError(
            "covariance_estimator needs all rows of a class at once: use fit, or shrinkage"
        )
    return True


@estimator_class
class LinearDiscriminant(
    Probabilities, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClosedForm
):
    """Linear discriminant: ``w_k = Σ⁻¹ m_k``, ``b_k = −½ m_kᵀ Σ⁻¹ m_k + log π_k``.

    Rows of class k are taken to be normal about m_k, with a covariance Σ that all classes share.
    Then the log-odds of two classes are linear in x: the boundary is a hyperplane. For two classes
    ``w = Σ⁻¹ (m₊ − m₋)``. `transform` maps rows to the few directions in which the class means lie
    apart.

    Parameters
    ----------
    shrinkage : None, float in [0, 1] or "auto"
        With s, Σ is replaced by ``(1 − s) Σ + s (tr Σ / d) I``, which has an inverse and varies
        less from sample to sample. "auto" estimates s by Ledoit and Wolf's formula, for each class
        by itself with features scaled to unit variance, as scikit-learn does.
    priors : {"empirical", "uniform"}, array of shape (n_classes,) or None
        π_k: the share of the rows, all the same, or as given. None is "empirical". They do not
        enter Σ, in which every row counts the same.
    n_components : int or None
        How many directions `transform` keeps, at most one less than there are classes; None keeps
        all.
    covariance_estimator : object with ``fit(X)`` and ``covariance_``, or None
        Estimates the covariance of the rows of each class, which Σ is the mean of, instead of
        ``shrinkage``: scikit-learn's ``OAS()``, for example. Only for `fit` on dense rows without
        weights, as it needs all rows of a class.

    Attributes
    ----------
    intercept_ : array of shape (1,) or (n_classes,)
        The intercepts; −∞ for a class that was announced and has no rows yet.
    means_ : array of shape (n_classes, n_features)
        m_k.
    priors_ : array of shape (n_classes,)
        π_k.
    shrinkage_ : float or array of shape (n_classes,)
        s; for "auto" that of each class.
    covariance_ : array of shape (n_features, n_features)
        Σ, shrunk. It is computed on access.
    scalings_ : array of shape (n_features, n_components)
        The directions that `transform` projects on, the one that separates the means best first.
        Rows of a class have variance 1 along each.
    explained_variance_ratio_ : array of shape (n_components,)
        The share that each direction has of the variance between the class means.
    xbar_ : array of shape (n_features,)
        The mean of the class means, weighted by the priors.

    Notes
    -----
    The model is made from sums over the rows, so `partial_fit` in pieces is `fit` of the whole, to
    rounding. Weights count rows: whole ones are repetitions. All sums are in float64, of float32
    rows too, which are widened block by block.

    Directions without variance within classes are ignored, as scikit-learn's solver "svd" does: of
    features scaled to unit variance, those with no more than 10⁻⁸ of it. So a feature that is
    constant in every class, or repeats others, does no harm, and where no class has two different
    rows the priors alone decide. With shrinkage no direction is without variance.

    While there are fewer rows than features, the rows themselves are the state, and no matrix is
    larger than rows × features or rows × rows. From then on it is one matrix of features ×
    features, for "auto" three for each class. More than 4 GiB of that is refused. Sparse rows are
    not made dense, except block by block where that is faster.

    For more than two classes, the scores are those of rows and means counted from the mean of the
    class means. That changes all scores of a row by the same number, hence neither predictions nor
    probabilities.

    `transform` is that of scikit-learn's LinearDiscriminantAnalysis, but for the signs of columns.
    With shrinkage or a ``covariance_estimator`` it is not that of its solver "eigen", which shrinks
    the variance between the means, too, and does not subtract the mean. Directions along which the
    means lie less than 10⁻⁴ as far apart as along the first are left out.

    References
    ----------
    R. A. Fisher (1936), "The use of multiple measurements in taxonomic problems", Annals of
    Eugenics 7.
    O. Ledoit and M. Wolf (2004), "A well-conditioned estimator for large-dimensional covariance
    matrices", Journal of Multivariate Analysis 88.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant
    >>> X = [[1, 2], [3, 2], [2, 1], [2, 3], [5, 2], [7, 2], [6, 1], [6, 3]]
    >>> model = LinearDiscriminant().fit(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> model.coef_.round(9).tolist(), model.intercept_.round(9).tolist()
    ([[8.0, 0.0]], [-32.0])
    >>> model.predict_proba([[4.1, 0]]).round(3).tolist()
    [[0.31, 0.69]]
    >>> model.transform([[4.0, 0], [5.0, 0]]).round(3).tolist()
    [[0.0], [1.414]]
    """

    _learner = discriminant
    _rules: ClassVar[Rules] = {
        "shrinkage": (_shrinkage, "None, 'auto', or a number from 0 to 1"),
        "n_components": (
            lambda v: v is None or at_least(1, Integral)(v),
            "None, or a whole number, 1 or more",
        ),
        "covariance_estimator": (
            lambda v: v is None or hasattr(v, "fit"),
            "None, or an object with fit(X) and covariance_",
        ),
    }

    shrinkage: float | str | None = None
    priors: Any = None
    n_components: int | None = None
    covariance_estimator: Any = None

    @property
    def covariance_(self) -> Array:
        """The covariance within classes, shrunk."""
        check_is_fitted(self)
        return covariance(self._state, self.shrinkage_)

    @property
    def scalings_(self) -> Array:
        """The directions that `transform` projects on."""
        return self._directions()[0]

    @property
    def explained_variance_ratio_(self) -> Array:
        """The share of the variance between the class means along each direction."""
        return self._directions()[1]

    @property
    def xbar_(self) -> Array:
        """The mean of the class means, weighted by the priors."""
        check_is_fitted(self)
        return np.asarray(self._shares() @ self.means_)

    def transform(self, X: Any) -> Array:
        """Project rows on the directions that separate the class means best.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers.

        Returns
        -------
        array of shape (n_samples, n_components)
            The coordinates, counted from ``xbar_``.
        """
        directions = self.scalings_
        rows = as_rows(check_X(self, X, reset=False))
        if not directions.shape[1]:
            return np.empty((n_rows(rows), 0))
        return linear_scores(directions.T, -self.xbar_ @ directions, rows).reshape(
            -1, directions.shape[1]
        )

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit to rows and labels, and project the rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows of numbers.
        y : array of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        array of shape (n_samples, n_components)
            What `transform` returns.
        """
        return self.fit(X, y, sample_weight).transform(X)

    @property
    def _n_features_out(self) -> int:
        return int(self.scalings_.shape[1])

    def _directions(self) -> tuple[Array, Array]:
        check_is_fitted(self)
        found = discriminant.directions(self.coef_, self.means_, self._shares())
        return found[0][:, : self.n_components], found[1][: self.n_components]

    def _shares(self) -> Array:
        """Return the priors of the classes that can be chosen."""
        weight = self.priors_ * possible(self._state.weight, self.priors_)
        return np.asarray(weight / weight.sum())

    def _fresh(self, X: Any) -> Any:
        most = min(len(self.classes_) - 1, X.shape[1])
        if self.n_components is not None and self.n_components > most:
            raise ValueError(
                f"n_components={self.n_components}, but {len(self.classes_)} classes of "
                f"{X.shape[1]} features differ in {most} directions at most, as n_components "
                "cannot be larger than min(n_features, n_classes - 1)"
            )
        return super()._fresh(X)

    partial_fit = available_if(_takes_more_rows)(ClosedForm.partial_fit)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what this accepts."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.covariance_estimator is None
        return tags

    def _learn(self, state: Any, given: Given) -> None:
        if self.covariance_estimator is None:
            super()._learn(state, given)
            return
        if self.shrinkage is not None:
            raise ValueError(
                "covariance_estimator and shrinkage are both set, and each estimates the "
                "covariance; set shrinkage=None"
            )
        if given.weights is not None or not isinstance(given.rows, Dense):
            raise ValueError(
                "covariance_estimator takes dense rows without weights: give X.toarray() for a "
                "sparse matrix, and no sample_weight or class_weight"
            )
        state = discriminant.with_covariances(
            state, given.rows, given.y, self._estimated_covariance
        )
        self._finish(state)
        self._state = state

    def _estimated_covariance(self, X: Array) -> Array:
        """Return the covariance of the rows of a class as the estimator has it."""
        estimator = clone(self.covariance_estimator, safe=False)
        estimator.fit(X)
        if not hasattr(estimator, "covariance_"):
            raise ValueError(
                f"covariance_estimator {type(estimator).__name__} does not have a covariance_ "
                "attribute after fit"
            )
        return np.atleast_2d(np.asarray(estimator.covariance_, np.float64))

    def _init_options(self) -> dict[str, Any]:
        return {"each": self.shrinkage == "auto"}

    def _finish(self, state: Any) -> None:
        auto = self.shrinkage == "auto"
        if auto and not state.each:
            raise ValueError(
                "shrinkage='auto' needs sums that this model did not keep; fit it again with it"
            )
        priors = "empirical" if self.priors is None else self.priors
        self.priors_ = as_priors(priors, state.weight)
        self.shrinkage_ = amounts(state) if auto else float(self.shrinkage or 0)
        self.coef_, self.intercept_ = hyperplanes(state, self.priors_, self.shrinkage_)
        self.means_ = state.mean.copy()
