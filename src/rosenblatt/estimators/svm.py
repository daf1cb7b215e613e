"""The linear support vector machine."""

from sklearn.utils.metaestimators import available_if

from rosenblatt.estimators._base.calibrated import Calibrated, learns_in_parts
from rosenblatt.estimators._base.descent import RULES, DescentClassifier
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.exact import RULES as EXACT_RULES
from rosenblatt.estimators._base.exact import ExactlySolved
from rosenblatt.estimators._base.params import Rules, one_of

_RULES: Rules = {
    **RULES,
    **EXACT_RULES,
    "loss": (one_of("hinge", "squared_hinge"), "'hinge' or 'squared_hinge'"),
}


@estimator_class
class LinearSVM(ExactlySolved, Calibrated, DescentClassifier):
    """The linear support vector machine.

    Minimise ``(1/N) Σ max(0, 1 − y (w·x + b)) + α/2 ‖w‖²``, exactly or by gradient descent: below
    the margin ``w ← w + η y x``, and every move shrinks w by η α. With K > 2 classes the right
    class must lead the best of the others by 1 (Crammer and Singer). LIBLINEAR's C is 1/(α N).

    Parameters
    ----------
    loss : {"hinge", "squared_hinge"}
        "squared_hinge" is ``max(0, 1 − y s)²`` of a score s: it is smooth, and what is far on the
        wrong side counts more. With K > 2 classes it is summed over them, each against the rest.
    penalty : {"l2", "l1", "elasticnet", None}
        What the size of the weights costs; "l2" is the support vector machine's, and a small
        ``alpha`` asks for a wide margin less. "l1" makes many weights exactly zero.

    References
    ----------
    C. Cortes and V. Vapnik (1995), "Support-vector networks", Machine Learning 20.
    S. Shalev-Shwartz, Y. Singer and N. Srebro (2007), "Pegasos: primal estimated sub-gradient
    solver for SVM", ICML.
    K. Crammer and Y. Singer (2001), "On the algorithmic implementation of multiclass kernel-based
    vector machines", Journal of Machine Learning Research 2.

    Examples
    --------
    >>> from rosenblatt import LinearSVM
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 1]
    >>> LinearSVM(alpha=0.01).fit(X, y).predict(X).tolist()
    [0, 1, 1, 1]
    """

    loss: str = "hinge"

    penalty: str | None = "l2"

    partial_fit = available_if(learns_in_parts)(DescentClassifier.partial_fit)

    _rules = _RULES
