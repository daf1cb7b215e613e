"""Watching the library's learners: a class for each way in which they learn."""

from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.estimators._base.margin import MarginLearner
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.lab.plane.points import Grid, Points
from rosenblatt.learner_registry import KERNEL_STEPS, MOVES, STEPS, Learner
from rosenblatt.learners import online
from rosenblatt.learners.descent import DivergedError
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel
from rosenblatt.learners.kernel_perceptron.scores import Standing
from rosenblatt.learners.losses import evaluate
from rosenblatt.learners.schedules import schedule
from rosenblatt.passes import History
from rosenblatt.tracing.descent import Move, moves
from rosenblatt.tracing.kernel import KernelStep, trace_kernel
from rosenblatt.tracing.perceptrons import Step, trace


class Planes(NamedTuple):
    """Linear functions: one for two classes, else one for each."""

    weights: Array
    intercept: Array

    def scores(self, rows: Rows) -> Array:
        """Return scores of rows, a line for each function."""
        return np.atleast_2d(online.linear_scores(self.weights, self.intercept, rows).T)


class Change(NamedTuple):
    """What a mistake about a row changed: which functions that sum up rows, and by how much."""

    row: int
    step: int
    function: Array
    change: Array


class Look(NamedTuple):
    """One step: what was looked at, what came of it, and the planes after it.

    Classes are numbered as in the points' ``y``. ``used`` are the planes that predict, if planes
    do; ``mean`` those that are shown as a mean. ``factor`` is what the row was multiplied with when
    it was added to the one w there is, if that is what the update was.
    """

    rows: Array
    pass_number: int
    mistakes: int
    mistake: bool = False
    updated: bool = False
    score: Any = None
    label: int | None = None
    prediction: int | None = None
    planes: Planes | None = None
    mean: Planes | None = None
    used: Planes | None = None
    change: Change | None = None
    factor: float | None = None


Looks: TypeAlias = Generator[Look, None, str]


class Watch:
    """A learner being watched; each way of learning has a class.

    A look tells what will be once it is taken in by `take`; the looks after it need that.
    """

    shown: tuple[str, ...] = ("plane",)

    def __init__(self, points: Points, model: Any, grid: Grid | None) -> None:
        self.points, self.model, self.grid = points, model, grid
        self.y = points.y
        self.functions = online.n_functions(len(points.present))
        self.before = Planes(np.zeros((self.functions, 2)), np.zeros(self.functions))

    def start(self) -> Look:
        """Return how it stands before the first step."""
        nothing = np.empty(0, np.intp)
        return Look(nothing, 0, 0, planes=self.before, used=self.before)

    def looks(self) -> Looks:
        """Yield the steps, and return how it ended, in words."""
        raise NotImplementedError

    def take(self, look: Look) -> None:
        """Take a step's changes in."""

    def on_points(self, look: Look, step: int) -> Array:
        """Return the scores of the points as they stand, a line for each function."""
        assert look.used is not None
        return look.used.scores(self.points.rows)

    def on_grid(self, look: Look, step: int) -> Array | None:
        """Return the scores of the grid's places, if no plane tells them."""
        if self.functions == 1 or look.used is None or self.grid is None:
            return None
        return look.used.scores(self.grid.rows)

    def loss(self, look: Look, scores: Array) -> float | None:
        """Return the mean loss of all points, given their scores, if the learner goes by one."""
        return None

    def more(self) -> dict[str, Any]:
        """Return what only learners of this kind show."""
        return {}


def planes_of(weights: Array, intercept: Any) -> Planes:
    """Return planes of weights as records show them."""
    return Planes(np.atleast_2d(weights), np.atleast_1d(intercept))


def shown_score(scores: Array) -> Any:
    """Return a number for two classes, else one for each."""
    return float(scores[0]) if len(scores) == 1 else scores


def taken_for(scores: Array, label: int, mistake: bool) -> int:
    """Return the class that a point was taken for; at a tie that is a mistake, the wrong one."""
    if not mistake:
        return label
    if len(scores) == 1:
        return 1 - label
    return int(np.argmax(np.where(np.arange(len(scores)) == label, -np.inf, scores)))


def ending_of(history: History) -> str:
    """Say how passes ended."""
    if history.converged:
        return "a pass without a mistake: it has converged"
    return _over(len(history.mistakes)) if history.ran_out else "no more progress"


def ending_of_descent(history: History, most: int) -> str:
    """Say how the passes of gradient descent ended, of which there were to be so many at most."""
    if history.converged:
        return "the loss has settled"
    passes = len(history.losses)
    return _over(passes) if passes >= most else "the loss goes up and down: the steps are too long"


def _over(passes: int) -> str:
    return "1 pass is over" if passes == 1 else f"{passes:,} passes are over"


class AtOnce(Watch):
    """A closed form: there is nothing to watch but the result."""

    shown = ("plane", "centroids")

    def start(self) -> Look:
        """Fit, as that is all there is."""
        self.model.fit(self.points.X, self.y)
        planes = Planes(self.model.coef_, self.model.intercept_)
        return super().start()._replace(planes=planes, used=planes)

    def looks(self) -> Looks:
        """Yield no step."""
        yield from ()
        return "computed at once, from sums over all points"

    def more(self) -> dict[str, Any]:
        """Return the means of the classes."""
        names = ("centroids_", "means_", "theta_")
        attribute = next(name for name in names if name in vars(self.model))
        return {"centroids": getattr(self.model, attribute)}


class Traced(Watch):
    """A perceptron of planes, whose last one predicts."""

    def looks(self) -> Looks:
        """Yield the steps of a trace."""
        steps, mistakes = trace(self.points.X, self.y, self.model), 0
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return ending_of(end.value)
            mistakes += step.mistake
            yield self.look(step, mistakes)

    def look(self, step: Step, mistakes: int) -> Look:
        """Turn a step of a trace into a look."""
        before = planes_of(step.weights_before, step.intercept_before)
        planes = planes_of(step.weights, step.intercept)
        return Look(
            np.array([step.index]),
            step.pass_number,
            mistakes,
            step.mistake,
            not all(map(np.array_equal, before, planes)),
            step.score,
            step.label,
            step.prediction,
            planes,
            used=planes,
            factor=self._factor(step, mistakes),
        )

    def _factor(self, step: Step, mistakes: int) -> float | None:
        """Return ±η, if the row itself was added: in a batch it waits for the others."""
        other = BatchPerceptron | MarginLearner
        if not step.mistake or self.functions > 1 or isinstance(self.model, other):
            return None
        known = vars(self.model)
        etas = schedule(known.get("learning_rate", "constant"), known.get("eta0", 1.0))
        return float(etas(mistakes, 1)[0]) * (1 if step.label else -1)


class Averaged(Traced):
    """A perceptron whose mean plane predicts."""

    shown = ("plane", "mean")

    def start(self) -> Look:
        """Return how it stands before the first step."""
        return super().start()._replace(mean=self.before)

    def look(self, step: Step, mistakes: int) -> Look:
        """Turn a step of a trace into a look."""
        assert step.mean_weights is not None
        mean = planes_of(step.mean_weights, step.mean_intercept)
        return super().look(step, mistakes)._replace(mean=mean, used=mean)


class Summed(Watch):
    """Base of those whose functions are sums over mistakes: each one changes all scores."""

    standing: Standing

    def stand(self, kernel: Kernel, joint: bool, how: str) -> None:
        """Score the points and the grid's places, as things will stand."""
        places = [] if self.grid is None else [self.grid.X]
        both = as_rows(np.concatenate([self.points.X, *places]))
        classes = len(self.points.present)
        self.standing = Standing(kernel, self.points.rows, both, classes, joint, how)

    def take(self, look: Look) -> None:
        """Take a step's changes in."""
        if look.change is not None:
            self.standing.learn(*look.change)

    def on_points(self, look: Look, step: int) -> Array:
        """Return scores, or shares of votes."""
        return self.standing.scores(step)[:, : len(self.y)]

    def on_grid(self, look: Look, step: int) -> Array | None:
        """Return scores, or shares of votes."""
        return None if self.grid is None else self.standing.scores(step)[:, len(self.y) :]


class Voted(Summed, Traced):
    """A perceptron all of whose planes vote."""

    shown = ("plane", "region")

    def __init__(self, points: Points, model: Any, grid: Grid | None) -> None:
        super().__init__(points, model, grid)
        self.stand(Kernel("linear", bias=float(model.fit_intercept)), True, "vote")

    def look(self, step: Step, mistakes: int) -> Look:
        """Turn a step of a trace into a look."""
        look = super().look(step, mistakes)._replace(used=None)
        if not step.mistake:
            return look
        function, change = np.array([step.label, step.prediction]), np.array([1, -1])
        if self.functions == 1:
            function, change = np.array([0]), np.array([1 if step.label else -1])
        return look._replace(change=Change(step.index, step.step, function, change))


class Dual(Summed):
    """The kernel perceptron, which has coefficients of points in place of planes."""

    shown = ("region", "support")

    def __init__(self, points: Points, model: Any, grid: Grid | None) -> None:
        super().__init__(points, model, grid)
        self.trace = trace_kernel(points.X, self.y, model)
        self.stand(self.trace.kernel, self.trace.joint, model.predict_with)
        self.coef = np.zeros((len(self.y), self.functions), np.int64)
        self.ever = np.zeros(len(self.y), bool)

    def start(self) -> Look:
        """Return how it stands before the first step."""
        return super().start()._replace(planes=None, used=None)

    def looks(self) -> Looks:
        """Yield the steps of a trace."""
        mistakes = 0
        while True:
            try:
                step = next(self.trace.steps)
            except StopIteration as end:
                return ending_of(end.value)
            count = len(step.change)
            mistakes += min(count, 1) if self.trace.joint else count
            yield self._look(step, mistakes)

    def _look(self, step: KernelStep, mistakes: int) -> Look:
        row, mistake = step.index, len(step.change) > 0
        scores, label = self.standing.last[:, row].copy(), int(self.y[row])
        return Look(
            np.array([row]),
            step.pass_number,
            mistakes,
            mistake,
            mistake,
            shown_score(scores),
            label,
            taken_for(scores, label, mistake),
            change=Change(row, step.step, step.function, step.change) if mistake else None,
        )

    def take(self, look: Look) -> None:
        """Take a step's changes in."""
        super().take(look)
        if look.change is not None:
            row, _, function, change = look.change
            np.add.at(self.coef[row], function, change)
            self.ever[row] = True

    def more(self) -> dict[str, Any]:
        """Return the points that have coefficients, each with that of its own class's function."""
        rows = np.flatnonzero(self.ever)
        own = self.coef[rows, 0 if self.functions == 1 else self.y[rows]]
        return {"support": np.column_stack([rows, own])}


class Descending(Watch):
    """A learner that goes down a loss, move by move."""

    shown = ("plane", "loss")

    def __init__(self, points: Points, model: Any, grid: Grid | None) -> None:
        super().__init__(points, model, grid)
        # A regression learns the numbers −1 and +1.
        self.targets = online.targets(self.y, len(points.present), np.dtype(np.float64))
        numbers = not hasattr(model, "decision_function")
        self.moves = moves(model, points.X, self.targets if numbers else self.y)

    def looks(self) -> Looks:
        """Yield the moves."""
        mistakes = 0
        while True:
            try:
                move = next(self.moves)
            except StopIteration as end:
                return ending_of_descent(end.value, self.model.max_iter)
            except DivergedError as error:
                return f"it diverges: {error}. Take shorter steps, or let the data choose them"
            yield self._look(move, move.mistakes - mistakes)
            mistakes = move.mistakes

    def _look(self, move: Move, wrong: int) -> Look:
        before = planes_of(move.weights_before, move.intercept_before)
        after = planes_of(move.weights, move.intercept)
        changed = not all(map(np.array_equal, before, after))
        parts = move.rows, move.pass_number, move.mistakes, wrong > 0, changed
        look = Look(*parts, planes=after, used=after)
        if len(move.rows) > 1:
            return look
        row = int(move.rows[0])
        scores, label = online.score_of(*before, self.points.rows, row), int(self.y[row])
        prediction = taken_for(scores, label, wrong > 0)
        return look._replace(
            score=shown_score(scores),
            label=label,
            prediction=prediction,
            factor=self._factor(row, after.weights - before.weights),
        )

    def _factor(self, row: int, change: Array) -> float | None:
        """Return how much of a row was added, if nothing else was."""
        x = self.points.X[row]
        if self.functions > 1 or self.model.penalty is not None or not x.any():
            return None
        return float(change[0] @ x / (x @ x))

    def loss(self, look: Look, scores: Array) -> float | None:
        """Return the mean loss of all points, and what the penalty adds."""
        assert look.used is not None
        table = np.ascontiguousarray(scores.T)
        with np.errstate(over="ignore", invalid="ignore"):
            total = float(evaluate(self.model.loss, table, self.targets)[0]) / len(self.y)
            total += self.model._penalty().of(look.used.weights)
        return total if np.isfinite(total) else None


def watch(row: Learner, points: Points, model: Any, grid: Grid | None) -> Watch:
    """Begin to watch an estimator learn from points."""
    how = getattr(model, "predict_with", row.predicts_with)
    perceptrons = {"average": Averaged, "vote": Voted}
    by_trace = {STEPS: perceptrons.get(how, Traced), KERNEL_STEPS: Dual, MOVES: Descending}
    return by_trace.get(row.traced or "", AtOnce)(points, model, grid)
