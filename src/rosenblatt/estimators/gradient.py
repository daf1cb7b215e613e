"""A linear classifier by gradient descent on any loss."""

from rosenblatt.estimators._base.default_steps import PULLING, SETTLING
from rosenblatt.estimators._base.descent import RULES, DescentClassifier
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.params import Rules
from rosenblatt.estimators._base.start import Task

_RULES: Rules = {
    **RULES,
    "average": (lambda v: v is None or RULES["average"][0](v), f"None, {RULES['average'][1]}"),
}


@estimator_class
class GradientDescent(DescentClassifier):
    """A linear classifier by gradient descent on the loss of your choice.

    ``w ← w − η ((1/B) Σ slope_i x_i + penalty's gradient)`` over batches of B rows. With one row
    a batch, η = 1 and the perceptron's criterion it is the perceptron, step for step. (With steps
    that grow shorter it is not: t numbers all moves here, and the mistakes there.)

    Parameters
    ----------
    loss : {"perceptron", "hinge", "squared_hinge", "logistic", "modified_huber", "squared"}
        The loss of a score s, with y = ±1: ``max(0, −y s)``, ``max(0, 1 − y s)`` or its square,
        ``log(1 + exp(−y s))``, the squared hinge with the straight line ``−4 y s`` where
        ``y s < −1`` (Zhang 2004), or ``(y − s)²``. For K classes "perceptron" and "hinge" compare
        the right class with the best of the others, "logistic" is the softmax's, and the others are
        sums over the classes, with y = 1 for the right class and −1 for the others.
    average : None, "auto", bool or int
        Predict with the mean of the weights after every move; a number k starts at the k-th row.
        "auto" starts with the second pass, where moves look at some of the rows and steps do not
        settle by themselves. None, the default, predicts with the last weights unless rows have
        weights (``class_weight``, ``sample_weight``): a heavy row makes a long move, so that the
        last weights depend on the last mistakes about such rows. Then it averages where "auto"
        does, but after ``n_iter_no_change`` passes, or half of ``max_iter``, as heavy rows keep the
        weights on their way for longer.

    References
    ----------
    H. Robbins and S. Monro (1951), "A stochastic approximation method", Annals of Mathematical
    Statistics 22.
    B. Widrow and M. E. Hoff (1960), "Adaptive switching circuits", IRE WESCON (the squared loss).
    T. Zhang (2004), "Solving large scale linear prediction problems using stochastic gradient
    descent algorithms", ICML (the modified Huber loss).
    H. Zou and T. Hastie (2005), "Regularization and variable selection via the elastic net",
    Journal of the Royal Statistical Society B 67.

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
    average: bool | int | str | None = None

    _rules = _RULES

    def _average_from(self, task: Task, partial: bool = False) -> int:
        """Return the number of the row from which weights are averaged, 0 for none."""
        if self.average is not None:
            return super()._average_from(task, partial)
        if partial:
            return int(task.state.averaged > 0)
        last = self.batch_size is None or self.penalty in PULLING or self.learning_rate in SETTLING
        if task.weights is None or last:
            return 0
        if self.learning_rate == "adaptive":  # whose mean is that of the last pass
            return 1
        return min(int(self.n_iter_no_change), self.max_iter // 2) * len(task.y) + 1
