"""Logistic regression."""

from rosenblatt.estimators._base.descent import RULES, DescentClassifier
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.exact import RULES as EXACT_RULES
from rosenblatt.estimators._base.exact import ExactlySolved
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.estimators._base.params import Rules

_RULES: Rules = {**RULES, **EXACT_RULES}


@estimator_class
class LogisticRegression(Probabilities, ExactlySolved, DescentClassifier):
    """Logistic regression: the lowest cross-entropy, by Newton's method or by gradient descent.

    By descent, with one row a batch: ``w ← w − η (σ(w·x + b) − t) x``, where t is 1 for
    ``classes_[1]`` and 0 otherwise, and with the L2 penalty every move shrinks w by η α. With K > 2
    classes the probabilities are the softmax of K scores, learned together.

    Parameters
    ----------
    penalty : {"l2", "l1", "elasticnet", None}
        The penalty on the size of the weights. The default, "l2" with a small ``alpha``, changes
        few predictions. Without it there is no lowest loss where a plane separates the classes,
        and the weights grow with every pass. "l1" makes many weights exactly zero.

    References
    ----------
    D. R. Cox (1958), "The regression analysis of binary sequences", Journal of the Royal
    Statistical Society B 20.
    L. Bottou (2012), "Stochastic gradient descent tricks", Neural Networks: Tricks of the Trade.
    Y. Tsuruoka, J. Tsujii and S. Ananiadou (2009), "Stochastic gradient descent training for
    L1-regularized log-linear models with cumulative penalty", ACL.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> model = LogisticRegression(batch_size=None, tol=1e-2).fit(X, y)
    >>> model.predict_proba([[1.5]]).round(2).tolist(), model.predict([[2.5]]).tolist()
    ([[0.5, 0.5]], ['yes'])
    """

    loss = "logistic"

    penalty: str | None = "l2"

    _rules = _RULES
