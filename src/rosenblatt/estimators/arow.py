"""AROW."""

from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.margin import MarginLearner
from rosenblatt.estimators._base.params import Rules, positive
from rosenblatt.learners import arow


@estimator_class
class AROW(MarginLearner):
    """AROW, adaptive regularisation of weights: a perceptron that knows how sure it is of a weight.

    Where the loss ``l = 1 − y (w·x + b)`` is positive, ``w ← w + α y V x`` with ``α = l / (Σ V x² +
    r)``, and then ``1/V ← 1/V + x²/r``. V is the variance of each weight, 1 at first: the weights
    of frequent features settle, while those of rare ones still take long steps. With K > 2 classes
    there are K linear functions, the margin is that of the right class over its best rival, and
    both move. The intercept is the weight of a feature that is always 1.

    Parameters
    ----------
    r : float
        How little a single row counts. The larger r, the shorter the steps, and the slower the
        variances shrink. The weight of a row (``sample_weight``, ``class_weight``) divides it.
    max_iter : int
        The most passes over the data. Passes end earlier when one makes no mistake. One is often
        enough, and more seldom help.

    References
    ----------
    K. Crammer, A. Kulesza and M. Dredze (2009), "Adaptive regularization of weight vectors",
    Advances in Neural Information Processing Systems 22. The covariance is diagonal here.

    Examples
    --------
    >>> from rosenblatt import AROW
    >>> X = [[1, 1], [1, 0]]
    >>> model = AROW(fit_intercept=False, shuffle=False, max_iter=1).fit(X, [1, -1])
    >>> model.coef_.round(3).tolist(), model.variance_.round(3).tolist()
    ([[-0.111, 0.333]], [[0.333, 0.5]])
    """

    _learner = arow
    _rules: ClassVar[Rules] = {"r": (positive, "a positive number")}

    r: float = 1.0

    def _update_options(self) -> dict[str, Any]:
        return {"r": self.r}

    @property
    def variance_(self) -> Array:
        """The variance of each weight, of the shape of ``coef_``."""
        check_is_fitted(self)
        return arow.variance(self._state)
