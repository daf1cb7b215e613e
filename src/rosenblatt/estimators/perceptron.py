"""The online perceptron."""

from collections.abc import Callable
from typing import Any, Self

from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.linear import OnlinePerceptron, Recorded, ScaledIntercept
from rosenblatt.learners import perceptron
from rosenblatt.learners.schedules import schedule


@estimator_class
class Perceptron(Recorded, ScaledIntercept, OnlinePerceptron):
    """The online perceptron: receive, predict, suffer, update.

    On a mistake ``w ← w + η y x`` and ``b ← b + η y`` (for sparse rows, see
    ``intercept_scaling``); otherwise nothing happens. With K > 2
    classes there are K linear functions, and on a mistake x is added to the right class's weights
    and subtracted from those of the class it was taken for.

    Parameters
    ----------
    selection : {"cyclic", "random_mistake"}
        Visit every row in turn, or learn from a random misclassified row each step. A pass is then
        as many looks as there are rows, and ``shuffle`` plays no part.
    learning_rate : {"constant", "inverse"} or callable
        η = ``eta0``, or ``eta0`` / t, or ``eta0`` · f(t), where t = 1, 2, … numbers the updates.
    eta0 : float
        The step size. From zero weights a constant one scales w and changes no prediction.

    References
    ----------
    F. Rosenblatt (1958), "The perceptron: a probabilistic model for information storage and
    organization in the brain", Psychological Review 65.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)
    >>> model.coef_.tolist(), model.mistakes_.tolist(), model.converged_
    ([[3.0, 1.0]], [3, 0], True)
    """

    _learner = perceptron

    max_iter: int = 1000
    tol: float | None = 1e-3
    selection: str = "cyclic"
    learning_rate: str | Callable[[int], float] = "constant"
    eta0: float = 1.0

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn from all rows until a pass is clean or the stopping rule applies."""
        return self._fit(X, y, coef_init, intercept_init, sample_weight)

    def _order_options(self) -> dict[str, Any]:
        return {"shuffle": self.shuffle, "selection": self.selection}

    def _update_options(self) -> dict[str, Any]:
        return {"schedule": schedule(self.learning_rate, self.eta0)}
