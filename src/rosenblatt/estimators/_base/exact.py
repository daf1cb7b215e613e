"""Estimators that find the lowest loss itself, where nothing asks for steps of gradient descent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, n_rows
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.params import Rules, at_least, one_of
from rosenblatt.estimators._base.start import Task
from rosenblatt.learners import online
from rosenblatt.learners.descent import Penalty, State
from rosenblatt.learners.exact import dual
from rosenblatt.learners.exact.least_squares import least_squares
from rosenblatt.learners.exact.newton import first_guess, newton
from rosenblatt.learners.exact.objective import Objective, OneFunction, Problem, Softmax
from rosenblatt.learners.losses import LOSSES
from rosenblatt.passes import CONVERGED, BlockEnd, History, Run

RULES: Rules = {
    "solver": (one_of("auto", "exact", "descent"), "'auto', 'exact' or 'descent'"),
    "batch_size": (
        lambda v: v is None or one_of("auto")(v) or at_least(1, int | np.integer)(v),
        "'auto', None (all rows), or a whole number of rows, 1 or more",
    ),
    "alpha": (
        lambda v: one_of("auto")(v) or (at_least(0)(v) and v < np.inf),
        "'auto', or a finite number that is not negative",
    ),
}
PRECISION = 1e-5  # times ``tol``: by how much of itself the loss may be above the lowest
# What steps need to be asked for by, and what it is if they are not.
STEPS = {
    "batch_size": "auto",
    "learning_rate": "auto",
    "eta0": "auto",
    "decay_steps": "auto",
    "average": "auto",
    "shuffle": True,
    "early_stopping": False,
}


class End(NamedTuple):
    """Weights with the intercept last, the loss and the mistakes on the way, and how it ended."""

    at: Array
    losses: list[float]
    mistakes: list[int]
    converged: bool


@estimator_class
class ExactlySolved:
    """Mixin of the estimators with an exact solver.

    Parameters
    ----------
    solver : {"auto", "exact", "descent"}
        "exact" finds the weights with the lowest loss on all rows: by normal equations for squares,
        by coordinate ascent on the dual for the hinge, and by Newton's method for the other losses.
        Columns of any size do no harm. "descent" is gradient descent. "auto" is "exact" if there is
        such a solver for the loss and the penalty (not for a quantile, the L1 penalty or the
        elastic net, nor for the hinge without a penalty), and nothing asks for steps:
        ``batch_size``, ``learning_rate``, ``eta0``, ``decay_steps``, ``average``, ``shuffle`` and
        ``early_stopping`` are as they are by default, and ``tol`` is not None.
    batch_size : int, None or "auto"
        Rows in a batch of gradient descent: 1, which is "auto", is stochastic gradient descent,
        None takes all rows for every move. The gradient of a batch is the mean of its rows'.
    """

    solver: str = "auto"
    batch_size: int | str | None = "auto"

    def _asks_for_steps(self) -> list[str]:
        """Return what is set that only steps of gradient descent have a use for."""
        asked = [name for name, usual in STEPS.items() if getattr(self, name) != usual]
        return [*asked, *(["tol=None"] if self.tol is None else [])]  # type: ignore[attr-defined]

    def _solves(self, penalty: Penalty) -> bool:
        """Say whether `fit` uses an exact solver; raise ``ValueError`` where there is none."""
        if self.solver == "descent":
            return False
        loss = self.loss  # type: ignore[attr-defined]
        asked = self._asks_for_steps()
        reason = ""
        if penalty.l1:
            reason = f"penalty='{self.penalty}'"  # type: ignore[attr-defined]
        elif loss == "hinge" and not penalty.l2:
            reason = "loss='hinge' without an L2 penalty"
        elif loss in ("quantile", "perceptron"):
            reason = f"loss='{loss}'"
        if self.solver == "exact" and (reason or asked):
            raise ValueError(
                f"solver='exact' has no way to minimise {reason}; choose solver='descent'"
                if reason
                else f"solver='exact' takes no steps that {asked[0]} could change; leave it as it "
                "is, or choose solver='descent'"
            )
        return not (reason or asked)


def solve(task: Task, penalty: Penalty, tol: float, max_iter: int) -> Run:
    """Go through the passes of an exact solver; return the state and what they came to."""
    state, n = task.state, n_rows(task.rows)
    at = np.hstack([state.weights, state.intercept[:, None]]).astype(np.float64)
    search = _search(task, penalty, at, PRECISION * tol)
    losses: list[float] = []
    mistakes: list[int] = []
    end = None
    while len(losses) < max_iter:
        try:
            loss, wrong = next(search)
        except StopIteration as stop:
            end = stop.value
            break
        losses.append(loss)
        mistakes.append(wrong)
        yield BlockEnd(state, online.NO_ROWS, len(losses), n, wrong, True)
