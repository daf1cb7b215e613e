"""The passes of gradient descent, in batches or with all rows at once, and when to stop."""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, Dense, as_matrix, entries, take
from rosenblatt.estimators._base.default_steps import KINKED, Steps, Target
from rosenblatt.estimators._base.start import Task
from rosenblatt.learners import adaptive, descent, full_batch_descent, online
from rosenblatt.learners.descent import DivergedError, Penalty, State
from rosenblatt.learners.losses import FOR_NUMBERS, evaluate
from rosenblatt.learners.order import Visits
from rosenblatt.learners.products import Matrix
from rosenblatt.passes import CONVERGED, NO_PROGRESS, BlockEnd, History, PassEnd, Patience

# Products in a block, some hundredths of a second. Its end rounds, so it must depend on the data
# alone and not on the time it takes. Dense batches of many classes are faster by far.
BLOCK, DENSE_BLOCK, BATCH_BLOCK = 1 << 23, 1 << 27, 1 << 30
SAMPLE = 5_000
FEW = 20  # moves: passes of fewer count in part where the loss has kinks
FAR = 1e8  # a loss so many times as large as at the start only grows

# The state after a pass, and the length of the gradient where that is known, or what the loss may
# still fall by: below ``tol`` it is the end.
OnePass: TypeAlias = Generator[BlockEnd, None, tuple[Any, float]]
PassMaker: TypeAlias = Callable[[Any, int], OnePass]


class Plan(NamedTuple):
    """How to descend: rows in a batch, steps, penalty, and the first row to average from.

    Averaging from row 0 means not to average; the first row is number 1. Steps that aim at a loss
    aim less low after ``patience`` moves, and end when less than ``tol`` is left to hope for.
    """

    batch: int
    steps: Steps
    penalty: Penalty
    average: int
    patience: int
    tol: float


class StopByLoss:
    """Stop when a pass's loss, or that of held-out rows, no longer falls, or no move is left.

    Parameters
    ----------
    loss : str
        The name of the loss.
    start : float
        The mean loss before any move.
    tol : float or None
        By how much it must fall; None never stops.
    passes : int
        How many passes to wait for that.
    whole : bool
        Each move looks at all rows.
    aimed : bool
        Steps aim at a loss, and know themselves when there is no lower one.
    objective : function of a state, or None
        Returns the mean loss of all rows with the weights that would predict, and the penalty. The
        loss of a pass is that of weights that move, and if it does not fall that may be noise: so
        this one must not fall by ``tol`` a pass either. Without it, the loss of a pass decides.
    averaged : bool
        These weights are a mean, so that what moves them gets less and less.
    """

    def __init__(
        self,
        loss: str,
        start: float,
        tol: float | None,
        passes: int,
        whole: bool,
        aimed: bool,
        objective: Callable[[Any], float] | None = None,
        averaged: bool = False,
    ) -> None:
        self.loss, self.start, self.whole, self.aimed = loss, start, whole, aimed
        self.averaged = averaged
        self.tol, self.patience = tol or 0.0, Patience(tol, passes)
        self._objective = None if tol is None else objective
        self._then: tuple[int, float] | None = None  # passes, and the objective after them

    def __call__(self, history: History, end: PassEnd) -> str:
        """Return why to stop, or an empty text."""
        # The perceptron's criterion is lowest at zero weights, so it tells nothing: where every
        # loss is that of the same weights for all rows, their mistakes are counted instead.
        by_mistakes = self.loss == "perceptron" and self.whole
        measures = history.validation or (history.mistakes if by_mistakes else history.losses)
        self.patience.better(measures[-1])
        if end.enough:
            return CONVERGED
        over = self.patience.is_over() and not self.aimed
        if over and not self._settled(history.losses):
            return NO_PROGRESS
        if self._objective is not None:
            return self._by_objective(history.passes, end.state, over)
        return CONVERGED if over else ""

    def _by_objective(self, passes: int, state: Any, over: bool) -> str:
        """Return why to stop if the wait for a lower loss of a pass is over, or an empty text.

        The objective is computed in the middle of that wait and at its end.
        """
        assert self._objective is not None
        if 2 * self.patience.stale < self.patience.passes:
            self._then = None
        elif self._then is None:
            self._then = passes, self._objective(state)
        elif over:
            before, value = self._then
            self._then = passes, self._objective(state)
            fell = (value - self._then[1]) / (passes - before)
            if abs(fell) <= self.tol * (self.start if self.loss in FOR_NUMBERS else 1.0):
                return CONVERGED
            if fell < 0 and not self.averaged:  # noise moves it by more than ``tol``
                return NO_PROGRESS
            self.patience.stale = 0
        return ""

    def _settled(self, losses: list[float]) -> bool:
        """Say whether a loss that no longer falls has settled, or goes up and down.

        Raise ``DivergedError`` if it ended above where it started: by anything for all rows at
        once, whose steps lower it if they are short enough; by ten times for fewer, which are
        noisy.
        """
        last = losses[-1]
        if self.loss != "perceptron" and last > self.start * (1 if self.whole else 10) + self.tol:
            raise DivergedError(f"the loss grew from {self.start:.3g} to {last:.3g}")
        return not self.whole or max(losses[-2:]) <= min(losses) + self.tol


def check_loss(loss: str, start: float, last: float) -> None:
    """Raise ``DivergedError`` if a loss is far above that of the weights it started with.

    The perceptron's criterion is as large as its weights, and starts from zero: it may.
    """
    if not np.isfinite(last):
        raise DivergedError("the loss is too large for float64")
    if loss != "perceptron" and last > FAR * (start + 1):
        raise DivergedError(f"the loss grew from {start:.3g} to {last:.3g}")


def passes_for_loss(loss: str, passes: int, moves: int) -> int:
    """Return how many passes to wait for a lower loss, if each makes so many moves.

    A loss with kinks goes up and down on its way, so a few moves tell nothing.
    """
    return passes * max(1, -(-FEW // moves)) if loss in KINKED else passes


def in_batches(task: Task, plan: Plan, visits: Callable[[], Visits]) -> PassMaker:
    """Make passes that visit the rows in an order, a batch at a time."""
    cost = 2 * entries(task.rows) * len(task.state.weights) // len(task.y) + 1
    block = BLOCK
    if isinstance(task.rows, Dense):
        block = BATCH_BLOCK if plan.batch >= 4 and len(task.state.weights) > 1 else DENSE_BLOCK
    size = plan.batch * max(1, block // (cost * plan.batch))

    def one_pass(state: State, number: int) -> OnePass:
        order, ahead, _ = visits()
        n, mistakes, start = len(order), state.mistakes, 0
        while start < n:
            average = 0 < plan.average <= state.steps + 1
            stop = min(start + size, n)
            if plan.average and not average:
                # The batch that holds the first row to average from starts a block.
                before = max((plan.average - 1 - state.steps) // plan.batch, 1) * plan.batch
                stop = min(stop, start + before)
            state = descent.update(
                state,
                task.rows,
                task.y,
                order[start:stop],
                ahead[start:stop],
                batch_size=plan.batch,
                schedule=plan.steps.schedule,
                penalty=plan.penalty,
                average=average,
                weights=task.weights,
            )
            made = state.mistakes - mistakes
            yield BlockEnd(state, order[start:stop], number, stop, made, stop == n)
            start = stop
        return state, np.inf

    return one_pass


def one_by_one(
    task: Task, pace: dict[str, Any], average: bool, visits: Callable[[], Visits], stream: bool
) -> PassMaker:
    """Make passes with a step for each weight, a row at a time; a stream is one long pass.

    ``pace`` has the first step and the penalty of a pass, as `rosenblatt.learners.adaptive` does.
    """
    cost = 4 * entries(task.rows) * len(task.state.weights) // len(task.y) + 1
    size = max(1, BLOCK // cost)

    def one_pass(state: adaptive.State, number: int) -> OnePass:
        order, ahead, _ = visits()
        n, mistakes = len(order), state.mistakes
        if state.steps and not stream:
            state = adaptive.next_pass(state, **pace)
        for start in range(0, n, size):
            part = slice(start, min(start + size, n))
            state = adaptive.update(
                state,
                task.rows,
                task.y,
                order[part],
                ahead[part],
                **pace,
                average=average,
                weights=task.weights,
            )
            made = state.mistakes - mistakes
            yield BlockEnd(state, order[part], number, part.stop, made, part.stop == n)
        return state, np.inf

    return one_pass


def all_at_once(task: Task, plan: Plan) -> PassMaker:
    """Make passes that look at all rows, then move once along their gradient."""
    matrix = Matrix(as_matrix(task.rows, task.state.weights.shape[1]))
    n, y, penalty, weights = len(task.y), task.y, plan.penalty, task.weights
    scores: Array | None = None
    target, best = Target(plan.patience) if plan.steps.aimed else None, task.state
    unit = 0.0 if task.state.loss in FOR_NUMBERS else 1.0  # of numbers, the loss at the start

    def one_pass(state: State, number: int) -> OnePass:
        nonlocal scores, best, unit
        slope = full_batch_descent.look(state, matrix, y, penalty, scores, weights)
        scores = None
        steepness = slope.length
        if target is not None:
            eta = target.step(slope.loss, full_batch_descent.steepness(state, slope, penalty))
            unit = unit or slope.loss or 1.0
            steepness = target.gap / unit  # what is left to hope for
            if slope.loss == target.best:
                best = state
        elif plan.steps.searched and slope.length > 0:
            given = slope, penalty, plan.steps.eta0, weights
            eta, scores = full_batch_descent.line_search(state, matrix, y, *given)
        else:
            first = state.updates + 1
            eta = float(descent.step_sizes(plan.steps.schedule, first, 1, penalty)[0])
        average = 0 < plan.average <= state.steps + 1
        last = target is not None and steepness < plan.tol
        state = full_batch_descent.move(state, slope, 0.0 if last else eta, penalty, average)
        if last and not average:  # the last move leads back to the best weights
            state = state._replace(weights=best.weights, intercept=best.intercept)
        yield BlockEnd(state, online.NO_ROWS, number, n, slope.mistakes, True)
        return state, steepness

    return one_pass


def starting_loss(task: Task, penalty: Penalty) -> float:
    """Return the mean loss of the rows, or of some thousands of them, before any move."""
    n = len(task.y)
    some = np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp)
    weights = None if task.weights is None else task.weights[some]
    part = task._replace(rows=take(task.rows, some), y=task.y[some], weights=weights)
    return mean_loss(part, penalty, task.state.weights, task.state.intercept)


def mean_loss(task: Task, penalty: Penalty, weights: Array, intercept: Array) -> float:
    """Return the mean loss of the rows, and the penalty."""
    scores = online.linear_scores(weights, intercept, task.rows).reshape(len(task.y), -1)
    loss, _, _ = evaluate(task.state.loss, scores, task.y, task.weights, task.state.loss_parameter)
    return float(loss / len(task.y) + penalty.of(weights))
