"""A linear classifier by gradient descent on any loss."""

from rosenblatt.estimators._base.descent import DescentClassifier
from rosenblatt.estimators._base.estimator import estimator_class


@estimator_class
class GradientDescent(DescentClassifier):
    """A linear classifier by gradient descent on the loss of your choice.

    ``w ← w − η ((1/B) Σ slope_i x_i + penalty's gradient)`` over batches of B rows. With one row
    a batch, η = 1 and the perceptron's criterion it is the perceptron, step for step. (With steps
    that grow shorter it is not: t numbers all moves here, and the mistakes there.)

    Parameters
    ----------
    loss : {"perceptron", "hinge", "logistic", "squared"}
        The loss of a score s: ``max(0, −y s)``, ``max(0, 1 − y s)``, ``log(1 + exp(−y s))`` or
        ``(y − s)²`` with y = ±1. For K classes the first two compare the right class with the best
        of the others, the third is the softmax's, the last adds up K squares.

    References
    ----------
    H. Robbins and S. Monro (1951), "A stochastic approximation method", Annals of Mathematical
    Statistics 22.
    B. Widrow and M. E. Hoff (1960), "Adaptive switching circuits", IRE WESCON (the squared loss).

    Examples
    --------
    >>> from rosenblatt import GradientDescent
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> model = GradientDescent(learning_rate="constant", fit_intercept=False, shuffle=False)
    >>> model.fit(X, y).coef_.tolist(), model.mistakes_[:2].tolist()
    ([[3.0, 1.0]], [3, 0])
    """

    loss: str = "perceptron"
    average: bool | int | str = False
