"""Passive-aggressive learning."""

from typing import Any, ClassVar

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.margin import MarginLearner
from rosenblatt.estimators._base.params import Rules, one_of, positive
from rosenblatt.learners import passive_aggressive
from rosenblatt.learners.passive_aggressive import VARIANTS


@estimator_class
class PassiveAggressive(MarginLearner):
    """Passive-aggressive learning: the least change that gives a row its margin.

    Where the loss ``l = 1 − y (w·x + b)`` is positive, ``w ← w + τ y x`` and ``b ← b + τ y``, with
    ``τ = min(C, l / (‖x‖² + 1))`` (PA-I) or ``τ = l / (‖x‖² + 1 + 1/2C)`` (PA-II); otherwise
    nothing happens. The 1 is the intercept's, the weight of a feature that is always 1. With K > 2
    classes there are K linear functions, the margin is that of the right class over its best rival,
    and both move by τ x, with 2 (‖x‖² + 1) in the place of ‖x‖² + 1.

    If some (u, c) has ``y (u·x + c) ≥ 1`` for all rows, and the longest row (x, 1) has length R,
    PA-I makes at most max(R², 1/C) ‖(u, c)‖² mistakes, and PA-II at most (R² + 1/2C) ‖(u, c)‖².

    Parameters
    ----------
    C : float
        The longest step of PA-I, and of PA-II the weight of a row against that of all before it.
        The smaller C, the less a wrong label does. The weight of a row (``sample_weight``,
        ``class_weight``) multiplies it. Where C is so large that it limits no step, that would
        change nothing: so in ``fit`` a row of half the largest weight also goes half the way to its
        margin, and in ``partial_fit``, which does not know the largest, a row of weight ½.
    loss : {"hinge", "squared_hinge"}
        "hinge" is PA-I, "squared_hinge" PA-II.
    max_iter : int
        The most passes over the data. Passes end earlier when one makes no mistake.

    References
    ----------
    K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz and Y. Singer (2006), "Online
    passive-aggressive algorithms", Journal of Machine Learning Research 7.

    Examples
    --------
    >>> from rosenblatt import PassiveAggressive
    >>> X = [[1, 1], [2, 0]]
    >>> model = PassiveAggressive(fit_intercept=False, shuffle=False, max_iter=1)
    >>> model.fit(X, [1, -1]).coef_.tolist()  # (½, ½), less ½ (2, 0)
    [[-0.5, 0.5]]
    """

    _learner = passive_aggressive
    _rules: ClassVar[Rules] = {
        "C": (positive, "a positive number"),
        "loss": (one_of(*VARIANTS), "'hinge' or 'squared_hinge'"),
    }

    C: float = 1.0
    loss: str = "hinge"

    def _update_options(self) -> dict[str, Any]:
        return {"C": self.C, "loss": self.loss}

    def _weight_options(self, weights: Array, partial: bool) -> dict[str, Any]:
        """Divide weights by the largest, and multiply C by it: then they are shares of steps."""
        if partial:
            return {"weights": weights}
        largest = float(weights.max())
        return {"weights": weights / largest, "C": self.C * largest}
