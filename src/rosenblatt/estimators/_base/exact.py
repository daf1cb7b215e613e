"""Estimators that find the lowest loss itself, where nothing asks for steps of gradient descent."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier

from rosenblatt import waiting
from rosenblatt.data.rows import Array, entries, n_rows
from rosenblatt.estimators._base.callbacks import watched
from rosenblatt.estimators._base.descent_passes import mean_loss
from rosenblatt.estimators._base.estimator import estimator_class
from rosenblatt.estimators._base.params import Rules, at_least, one_of
from rosenblatt.estimators._base.start import Task
from rosenblatt.estimators._base.still_falling import CRAWLING
from rosenblatt.learners import online
from rosenblatt.learners.descent import SETTLED, Penalty, State
from rosenblatt.learners.exact import dual, dual_classes, interior
from rosenblatt.learners.exact.least_squares import least_squares
from rosenblatt.learners.exact.newton import Guess, first_guess, newton
from rosenblatt.learners.exact.objective import Objective, OneFunction, Problem, Softmax
from rosenblatt.learners.exact.proximal import proximal_newton
from rosenblatt.passes import CONVERGED, NO_PROGRESS, BlockEnd, History, PassEnd, Run, StoppingRule

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
HINGE = 100.0  # times that for the hinge, where it is proven
LEAST = 1e-2  # of the loss of zero weights: a share of less than that is not asked for
# Stored numbers times classes: more than that take ascent on the dual of K classes many minutes.
MOST_NUMBERS = 100_000_000
# Stored numbers times weights of all classes: up to that many, what descent settled at is compared
# with the lowest loss, found roughly; a third of it, or less, is far away.
SOON = 100_000_000
ROUGHLY = 1e-2
FAR = 2 / 3
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


class Found(NamedTuple):
    """What a step of a solver found: weights with the intercept last, their loss and mistakes."""

    at: Array
    loss: float
    mistakes: int
    converged: bool = False


@estimator_class
class ExactlySolved:
    """Mixin of the estimators with an exact solver.

    Parameters
    ----------
    solver : {"auto", "exact", "descent"}
        "exact" finds the weights with the lowest loss on all rows: by normal equations for squares,
        for the hinge by interior points, or by coordinate ascent on the dual if there are more than
        1,500 weights or 60 classes, which begin anew even with ``warm_start``, and by Newton's
        method for the other losses; with an L1 penalty, by proximal Newton steps, made of
        coordinate descent. Columns of any size do no harm, except to that ascent. "descent" is
        gradient descent. "auto" is "exact" if there is such a solver for the loss and the penalty
        (not for a quantile, nor for the hinge without an L2 penalty or with an L1 penalty), and
        nothing asks for steps: ``batch_size``, ``learning_rate``, ``eta0``, ``decay_steps``,
        ``average``, ``shuffle`` and ``early_stopping`` are as they are by default, and ``tol`` is
        not None. It is "descent" for the hinge of K > 2 classes if that ascent would take many
        minutes: if the stored numbers of all rows, times K, are more than 100 million.
    alpha : float or "auto"
        The weight α of the penalty, α/2 ‖w‖² or α ‖w‖₁, added to the mean loss. "auto" is 1 divided
        by the number of rows, or by the sum of their weights, which is scikit-learn's C = 1;
        ``partial_fit`` keeps that of an earlier ``fit``, else it is 0.0001.
    batch_size : int, None or "auto"
        Rows in a batch of gradient descent: 1, which is "auto", is stochastic gradient descent,
        None takes all rows for every move. The gradient of a batch is the mean of its rows'.
    """

    solver: str = "auto"
    batch_size: int | str | None = "auto"
    alpha: float | str = "auto"

    def _is_exact(self, task: Task) -> bool:
        """Say whether there is an exact solver that `fit` should use."""
        if self.solver == "descent":
            return False
        estimator: Any = self
        none = no_solver(task.state, estimator._penalty())
        asked = asks_for_steps(self)
        if self.solver == "exact" and (none or asked):
            raise ValueError(
                f"solver='exact' cannot minimise {none}; choose solver='descent'"
                if none
                else f"solver='exact' takes no steps, so it has no use for {asked[0]}; leave that "
                "out, or choose solver='descent'"
            )
        return not (none or asked or (self.solver == "auto" and takes_long(task)))

    def _solve(self, task: Task) -> Run:
        """Find the lowest loss."""
        estimator: Any = self
        vars(estimator).pop("eta0_", None)  # it is of an earlier fit
        precision = PRECISION * float(estimator.tol)
        stop = watched(
            _when_converged, self, lambda made, state: made._finish(online.copy(state), History())
        )
        return solve(task, estimator._penalty(), precision, int(estimator.max_iter), stop)

    def _ahead(self, task: Task, state: State, history: History) -> str:
        """Look whether descent that settled is near the lowest loss, where that is soon found."""
        estimator: Any = self
        said = str(super()._ahead(task, state, history))  # type: ignore[misc]
        penalty = estimator._penalty()
        settled = history.converged and not history.validation and estimator.tol
        # Without a penalty, classes that a plane separates have no lowest loss to be near.
        endless = is_classifier(self) and not (penalty.l1 or penalty.l2)
        unknown = endless or no_solver(task.state, penalty) or not is_soon_solved(task)
        if said or unknown or not settled:
            return said
        coef, intercept = estimator._hyperplanes(state)
        seen = mean_loss(task, penalty, coef, intercept)
        enough = CRAWLING * float(estimator.tol)
        if estimator.loss == "squared":
            enough *= history.losses[0]
        start = task.state._replace(weights=coef, intercept=intercept)
        for found in _steps(_problem_of(task, penalty), penalty.l1, start, ROUGHLY):
            if seen - found.loss > max(enough, FAR * seen):
                history.ending = NO_PROGRESS
                return (
                    f"It falls by less than tol={estimator.tol:g} a pass, and yet the exact solver "
                    f"finds a loss of {found.loss:.3g}, where this is {seen:.3g}. Scale the "
                    f"features, or leave out {' and '.join(asks_for_steps(self))}, for the "
                    "lowest loss"
                )
        return ""


def asks_for_steps(estimator: Any) -> list[str]:
    """Return the parameters of an estimator that ask for steps of gradient descent."""
    asked = [name for name, usual in STEPS.items() if getattr(estimator, name) != usual]
    asked += ["tol=None"] if estimator.tol is None else []
    return asked + (["solver='descent'"] if estimator.solver == "descent" else [])


def no_solver(state: State, penalty: Penalty) -> str:
    """Return what there is no exact solver for, of a loss and a penalty; empty if there is one."""
    if state.loss == "hinge" and penalty.l1:
        return "loss='hinge' with an L1 penalty"
    if state.loss == "hinge" and not penalty.l2:
        return "loss='hinge' without an L2 penalty"
    return f"loss={state.loss!r}" if state.loss in ("quantile", "perceptron") else ""


def is_soon_solved(task: Task) -> bool:
    """Say whether an exact solver takes no longer than some passes of gradient descent."""
    shape = task.state.weights.shape
    return bool(entries(task.rows) * shape[0] * shape[1] <= SOON)


def _problem_of(task: Task, penalty: Penalty) -> Problem:
    """Return what an exact solver minimises."""
    state, d = task.state, task.state.weights.shape[1]
    loss, parameter, fit_intercept = state.loss, state.loss_parameter, bool(state.fit_intercept)
    return Problem(task.rows, task.y, d, loss, parameter, penalty.l2, task.weights, fit_intercept)


def takes_long(task: Task) -> bool:
    """Say whether only ascent on the dual of K classes is left, and would take many minutes."""
    shape = task.state.weights.shape
    if task.state.loss != "hinge" or len(task.state.weights) == 1 or interior.is_small(*shape):
        return False
    return bool(entries(task.rows) * len(task.state.weights) > MOST_NUMBERS)


def _when_converged(history: History, end: PassEnd) -> str:
    """Stop where the solver says that it is there."""
    return CONVERGED if end.enough else ""


def solve(
    task: Task,
    penalty: Penalty,
    precision: float,
    max_iter: int,
    stop: StoppingRule = _when_converged,
) -> Run:
    """Take the steps of an exact solver; return the state and what they came to."""
    state, n = task.state, n_rows(task.rows)
    history, reached = History(), state
    for found in _steps(_problem_of(task, penalty), penalty.l1, state, precision):
        history.mistakes.append(found.mistakes)
        history.losses.append(found.loss)
        reached = _state_of(found, task, history)
        yield BlockEnd(reached, online.NO_ROWS, history.passes, n, found.mistakes, True)
        end = PassEnd(reached, found.mistakes, enough=found.converged, loss=found.loss)
        history.ending = stop(history, end)
        if history.ending or history.passes == max_iter:
            break
    return reached, history


def _state_of(found: Found, task: Task, history: History) -> State:
    """Return the state after the passes so far."""
    state, n, d = task.state, n_rows(task.rows), task.state.weights.shape[1]
    done = n * history.passes
    reached: State = state._replace(
        weights=online.fitting_order(found.at[:, :d].astype(state.weights.dtype), task.rows),
        intercept=found.at[:, d].astype(state.intercept.dtype),
        steps=state.steps + done,
        updates=max(state.updates + done, SETTLED),
        mistakes=state.mistakes + sum(history.mistakes),
        loss_sum=state.loss_sum + n * sum(history.losses),
        averaged=0,
        mass=0.0,
    )
    return reached


def _steps(problem: Problem, l1: float, state: State, precision: float) -> Iterator[Found]:
    """Yield the steps of the solver for a loss."""
    start = np.hstack([state.weights, state.intercept[:, None]]).astype(np.float64)
    if problem.loss == "hinge" and interior.is_small(*state.weights.shape):
        return _by_interior_points(problem, len(start), HINGE * precision)
    if problem.loss == "hinge":
        return _by_dual(problem, len(start), HINGE * precision)
    if len(start) == 1:
        return _smooth(OneFunction(problem), l1, start, precision)
    if problem.loss == "logistic":
        return _smooth(Softmax(problem, len(start)), l1, start, precision)
    return _one_by_one(problem, l1, start, precision)


def _smooth(objective: Objective, l1: float, at: Array, precision: float) -> Iterator[Found]:
    """Minimise a smooth loss by normal equations, or by Newton's method, its penalty included."""
    if l1 or objective.problem.loss == "huber":  # whose curvature may be zero far from the numbers
        for step in proximal_newton(objective, l1, at, precision):
            yield Found(step.at, step.here.value, step.here.mistakes, step.done)
        return
    if objective.problem.loss == "squared" and isinstance(objective, OneFunction):
        fit = waiting.watched(lambda: least_squares(objective), "LinearRegression", "fitting")
        if fit is not None:
            yield Found(fit.at, fit.here.value, fit.here.mistakes, True)
            return
    guess = Guess(at) if at.any() else first_guess(objective, at)
    for step in newton(objective, guess, precision):
        yield Found(step.at, step.here.value, step.here.mistakes, step.done)


def _one_by_one(problem: Problem, l1: float, at: Array, precision: float) -> Iterator[Found]:
    """Minimise a loss that is a sum over classes, each class against the rest."""
    at, values = at.copy(), np.empty(len(at))
    objectives = [
        OneFunction(problem._replace(y=np.where(problem.y == k, 1.0, -1.0))) for k in range(len(at))
    ]
    for k, objective in enumerate(objectives):
        values[k] = objective.look(at[k : k + 1]).value + l1 * np.abs(at[k, :-1]).sum()
    converged = True
    for k, objective in enumerate(objectives):
        for found in _smooth(objective, l1, at[k : k + 1], precision):
            last = found
        at[k], values[k] = last.at[0], last.loss
        converged &= last.converged
        scores = online.linear_scores(at[:, :-1], at[:, -1], problem.rows)
        wrong = int((scores.argmax(axis=1) != problem.y).sum())
        yield Found(at.copy(), float(values.sum()), wrong, converged and k == len(at) - 1)


def _by_interior_points(problem: Problem, n_functions: int, precision: float) -> Iterator[Found]:
    """Minimise the hinge where there are not too many weights."""
    if n_functions == 1:  # half of it for each class, which makes half the square
        y, l2 = (problem.y > 0).astype(np.intp), 2 * problem.l2
        problem = problem._replace(y=y, l2=l2)
    for here in interior.solve(problem, max(n_functions, 2), precision):
        at = np.column_stack([here.weights, here.intercept])
        done = here.primal - here.dual <= precision * max(here.primal, LEAST)
        yield Found(at[1:] - at[:1] if n_functions == 1 else at, here.primal, here.mistakes, done)
        if done:
            return


def _by_dual(problem: Problem, n_functions: int, precision: float) -> Iterator[Found]:
    """Minimise the hinge by coordinate ascent on the dual."""
    rows, y, d, _, _, l2, weights, fit_intercept = problem
    options: Any = {"alpha": l2, "weights": weights, "fit_intercept": fit_intercept}
    if n_functions == 1:
        run: Iterator[dual.Progress] = dual.solve(rows, y, d, tol=precision, **options)
    else:
        run = dual_classes.solve(rows, y, d, n_functions, tol=precision, **options)
    looks = 0
    for here in run:
        if here.looks > looks:
            looks = here.looks
            at = np.column_stack([np.atleast_2d(here.weights), np.atleast_1d(here.intercept)])
            done = here.primal - here.dual <= precision * max(here.primal, LEAST)
            yield Found(at, here.primal, here.mistakes, done)
            if done:
                return
