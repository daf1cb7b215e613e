"""The averaged perceptron."""

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.linear import OnlinePerceptron, Recorded, ScaledIntercept
from rosenblatt.learners import averaged


@estimator_class
class AveragedPerceptron(Recorded, ScaledIntercept, OnlinePerceptron):
    """The averaged perceptron: predict with the mean of the weights after every step.

    It learns exactly as the perceptron does, and also keeps ``w̄ = (1/T) Σ_t w_t``, which costs time
    only on mistakes. Prefer it on data that no hyperplane separates: there the last weights depend
    on the last mistakes, and the mean does not.

    Parameters
    ----------
    max_iter : int
        The most passes over the data. Passes end earlier when one makes no mistake. More of them
        seldom make a better mean.

    Attributes
    ----------
    coef_, intercept_ : arrays
        The averaged weights and intercepts.

    References
    ----------
    Y. Freund and R. E. Schapire (1999), "Large margin classification using the perceptron
    algorithm", Machine Learning 37.
    H. Daumé III (2006), "Practical structured learning techniques for natural language processing",
    PhD thesis (the mean at no cost but on mistakes).

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron
    >>> X = [[-1, 2], [1, 0], [1, 1]]
    >>> model = AveragedPerceptron(fit_intercept=False, shuffle=False, max_iter=1, tol=None)
    >>> model.fit(X, [-1, 1, 1]).coef_.round(3).tolist()  # of (1, −2), (1, −2) and (2, −1)
    [[1.333, -1.667]]
    """

    _learner = averaged

    def _hyperplanes(self, state: averaged.State) -> tuple[Array, Array]:
        return averaged.average(state)
