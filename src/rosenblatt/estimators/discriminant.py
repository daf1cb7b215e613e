"""The linear discriminant."""

from numbers import Real
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.closed_form import ClosedForm, as_priors
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.params import Rules, flag, one_of
from rosenblatt.learners.closed_form import discriminant
from rosenblatt.learners.closed_form.discriminant import amounts, covariance, hyperplanes


def _shrinkage(value: Any) -> bool:
    if isinstance(value, Real) and not flag(value):
        return 0 <= float(value) <= 1
    return value is None or one_of("auto")(value)


@estimator_class
class LinearDiscriminant(Probabilities, ClosedForm):
    """Linear discriminant: ``w_k = Σ⁻¹ m_k``, ``b_k = −½ m_kᵀ Σ⁻¹ m_k + log π_k``.

    Rows of class k are taken to be normal about m_k, with a covariance Σ that all classes share.
    Then the log-odds of two classes are linear in x: the boundary is a hyperplane. For two classes
    ``w = Σ⁻¹ (m₊ − m₋)``.

    Parameters
    ----------
    shrinkage : None, float in [0, 1] or "auto"
        With s, Σ is replaced by ``(1 − s) Σ + s (tr Σ / d) I``, which has an inverse and varies
        less from sample to sample. "auto" estimates s by Ledoit and Wolf's formula, for each class
        by itself with features scaled to unit variance, as scikit-learn does.
    priors : {"empirical", "uniform"}, array of shape (n_classes,) or None
        π_k: the share of the rows, all the same, or as given. None is "empirical". They do not
        enter Σ, in which every row counts the same.

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
    """

    _learner = discriminant
    _rules: ClassVar[Rules] = {"shrinkage": (_shrinkage, "None, 'auto', or a number from 0 to 1")}

    shrinkage: float | str | None = None
    priors: Any = None

    @property
    def covariance_(self) -> Array:
        """The covariance within classes, shrunk."""
        check_is_fitted(self)
        return covariance(self._state, self.shrinkage_)

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
