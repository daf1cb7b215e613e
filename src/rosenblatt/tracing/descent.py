"""Watching gradient descent: one record for every move."""

from collections.abc import Callable, Generator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.estimators._base.descent import Descent
from rosenblatt.estimators._base.descent_passes import (
    OnePass,
    PassMaker,
    Plan,
    all_at_once,
    in_batches,
)
from rosenblatt.estimators._base.held_out import held_out
from rosenblatt.estimators._base.start import Task, generator
from rosenblatt.learners import descent, online
from rosenblatt.learners.descent import DivergedError, Penalty, State
from rosenblatt.learners.losses import LOSSES
from rosenblatt.learners.order import Orders, Visits
from rosenblatt.passes import BlockEnd, Following, History, Run
from rosenblatt.theory.replay import shown


class Move(NamedTuple):
    """What one batch of rows did.

    Weights are a vector and an intercept a number for two classes and for a regression; K classes
    have K of each. They are those that the model would predict with: the mean, if it averages.

    Attributes
    ----------
    rows : array of int
        The rows of the batch, in the order they were looked at. With early stopping they are
        numbered among those that are not held out.
    weights, intercept : array, float or array
        w and b after the move.
    weights_before, intercept_before : array, float or array
        w and b before it.
    mistakes : int
        The rows of all batches so far that were on the wrong side when they were looked at.
    pass_number, step : int
        The number of the pass and of the move, both from 1 on.
    """

    rows: Array
    weights: Array
    intercept: Any
    weights_before: Array
    intercept_before: Any
    mistakes: int
    pass_number: int
    step: int


def moves(
    model: Any, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None
) -> Generator[Move, None, History]:
    """Learn as ``fit`` does, and yield a record of every move.

    Moves are made when they are asked for. What the generator returns at the end says whether the
    loss settled. The weights at the end of each pass are to the last bit those of ``fit``; a move
    within a pass begins at the pass's start, as the rounding of a pass depends on where it ends, so
    a pass takes time in proportion to the square of its moves.

    Parameters
    ----------
    model : GradientDescent, LogisticRegression, LinearSVM or LinearRegression
        It is copied, and stays as it is.
    X, y : array or sparse matrix, array
        Rows and labels, or numbers, as for ``fit``.
    coef_init, intercept_init : arrays, optional
        Weights to start from, as for ``fit``.

    Raises
    ------
    DivergedError
        Where the weights or the loss leave what numbers can hold.

    Examples
    --------
    >>> from rosenblatt import GradientDescent
    >>> from rosenblatt.tracing.descent import moves
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = GradientDescent(learning_rate="constant", fit_intercept=False, shuffle=False)
    >>> made = moves(model, X, y)
    >>> [next(made).weights.tolist() for _ in range(5)]
    [[1.0, -2.0], [1.0, -2.0], [2.0, -1.0], [2.0, -1.0], [3.0, 1.0]]
    """
    if not isinstance(model, Descent):
        raise ValueError(f"{type(model).__name__} does not go down a loss, so it makes no moves")
    if model.learning_rate == "adaptive":
        raise ValueError(
            "steps of learning_rate='adaptive' cannot be traced; choose another learning_rate"
        )
    walker: Any = clone(model)
    task: Task = walker._begin(X, y, coef_init, intercept_init)
    rng = generator(walker.random_state, task.state.steps)
    judge, task = held_out(walker, task, rng) if walker.early_stopping else (None, task)
    one_pass = _one_pass(walker, task, rng)
    walker._pass_maker = lambda *_: one_pass
    return _moves(task.state, walker._passes(task, rng, judge))


def _moves(start: State, run: Run) -> Generator[Move, None, History]:
    before = shown(*descent.average(online.copy(start)))
    blocks = Following(run)
    for step, here in enumerate(blocks, 1):
        after = shown(*descent.average(here.state))
        yield Move(here.block, *after, *before, here.state.mistakes, here.number, step)
        before = after
    history: History = blocks.result[1]
    return history


def _one_pass(walker: Any, task: Task, rng: np.random.Generator) -> PassMaker:
    """Make the passes of an estimator, stopping after every move."""
    plan: Plan = walker._plan(task)
    n = len(task.y)
    if plan.batch >= n:
        whole, everything = all_at_once(task, plan), online.row_numbers(n)

        def at_once(state: State, number: int) -> OnePass:
            move = whole(online.copy(state), number)
            yield next(move)._replace(block=everything)
            return _result(move)

        return at_once
    orders, part = Orders(task.rows, task.y, rng, shuffle=walker.shuffle), [online.NO_ROWS]
    rows_so_far = in_batches(task, plan, lambda: Visits(part[0]))

    def in_parts(start: State, number: int) -> OnePass:
        order, state = orders.next().order.copy(), start
        for first in range(0, n, plan.batch):
            stop = min(first + plan.batch, n)
            part[0] = order[:stop]
            state, _ = _result(rows_so_far(online.copy(start), number))
            made = state.mistakes - start.mistakes
            yield BlockEnd(state, order[first:stop], number, stop, made, stop == n)
        return state, np.inf

    return in_parts


def _result(run: OnePass) -> tuple[State, float]:
    """Go through a pass to its end, and return what it came to."""
    blocks = Following(run)
    for _ in blocks:
        pass
    return blocks.result


DIVERGED, CUT = "diverges", "goes on"
_RISE = 10.0  # a loss so many times as large at the end has not settled
_BLOCK = 1 << 20  # losses computed at a time


class Path(NamedTuple):
    """The two weights at the start and after every move, and how the moves ended.

    ``ending`` is empty, or says that they diverged, or that there were more than asked for.
    """

    points: Array
    ending: str = ""

    @property
    def moves(self) -> int:
        """How many there are."""
        return len(self.points) - 1


class Surface(NamedTuple):
    """What a model minimises, as a function of its two weights."""

    loss: str
    rows: Array
    y: Array
    penalty: Penalty
    fit_intercept: bool
    loss_parameter: float = 0.0

    def __call__(self, weights: Array) -> float:
        """Return the mean loss of all rows, and what the penalty adds."""
        return float(self.at(np.asarray(weights, np.float64)[None])[0])

    def at(self, points: Array) -> Array:
        """Return its heights at several points, a row for each."""
        heights, size = np.empty(len(points)), max(1, _BLOCK // len(self.y))
        for k in range(0, len(points), size):
            heights[k : k + size] = self._at(points[k : k + size])
        return heights

    def over(self, across: Array, up: Array) -> Array:
        """Return its heights on a grid."""
        grid = np.stack(np.meshgrid(across, up), axis=-1)
        return self.at(grid.reshape(-1, 2)).reshape(grid.shape[:2])

    def _at(self, points: Array) -> Array:
        first, second = points[:, :1], points[:, 1:]
        # Sums of products, not a matrix product: the same bits for one point as for many.
        last = second if self.fit_intercept else second * self.rows[:, 1]
        with np.errstate(over="ignore"):
            scores = first * self.rows[:, 0] + last
            losses = _LOSSES[self.loss](scores, self.y, self.loss_parameter).mean(axis=1)
            coef = first if self.fit_intercept else points
            cost = 0.5 * self.penalty.l2 * np.square(coef) + self.penalty.l1 * np.abs(coef)
            return np.asarray(losses + cost.sum(axis=1))


def _logistic(scores: Array, y: Array, _: float) -> Array:
    margins = y * scores
    return np.asarray(np.maximum(-margins, 0) + np.log1p(np.exp(-np.abs(margins))))


def _squared_hinge(scores: Array, y: Array, _: float) -> Array:
    return np.asarray(np.square(np.maximum(1 - y * scores, 0)))


def _modified_huber(scores: Array, y: Array, _: float) -> Array:
    return np.where(y * scores < -1, -4 * y * scores, _squared_hinge(scores, y, 0.0))


def _huber(scores: Array, y: Array, epsilon: float) -> Array:
    off = np.abs(scores - y)
    near = np.minimum(off, epsilon)
    return np.asarray(near * (off - near / 2))


def _quantile(scores: Array, y: Array, quantile: float) -> Array:
    return np.maximum(quantile * (y - scores), (1 - quantile) * (scores - y))


# As `rosenblatt.learners.losses` has them, for many scores of each row.
_LOSSES: dict[str, Callable[[Array, Array, float], Array]] = {
    "perceptron": lambda scores, y, _: np.maximum(-y * scores, 0),
    "hinge": lambda scores, y, _: np.maximum(1 - y * scores, 0),
    "squared_hinge": _squared_hinge,
    "logistic": _logistic,
    "modified_huber": _modified_huber,
    "squared": lambda scores, y, _: np.square(scores - y),
    "huber": _huber,
    "quantile": _quantile,
}


def split(weights: Array, fit_intercept: bool) -> tuple[Array, float]:
    """Take two weights apart: both of features, or the second an intercept."""
    return (weights[:1], float(weights[1])) if fit_intercept else (weights, 0.0)


def surface(model: Any, X: Any, y: Any) -> Surface:
    """Return what a model minimises on some rows, if that has two weights."""
    if not isinstance(model, Descent):
        raise ValueError(
            f"{type(model).__name__} does not go down a loss: give a GradientDescent, "
            "LogisticRegression, LinearSVM or LinearRegression"
        )
    model = clone(model)
    task: Task = model._begin(X, y, None, None)
    wanted, found = 1 if model.fit_intercept else 2, task.state.weights.shape
    if found != (1, wanted):
        classes = f" and {found[0]} classes" if found[0] > 1 else ""
        raise ValueError(
            "a surface is over two weights: those of two features with fit_intercept=False, or "
            f"one and the intercept, for two classes; this model has {found[1]} features"
            f"{classes}, fit_intercept={bool(model.fit_intercept)}"
        )
    if task.weights is not None:
        raise ValueError("a surface is of rows that count the same; set class_weight=None")
    rows = as_matrix(task.rows, wanted)
    rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64)
    target = np.asarray(task.y, np.float64)
    given = model._penalty(), bool(model.fit_intercept), float(task.state.loss_parameter)
    return Surface(model.loss, rows, target, *given)


def walk(model: Any, X: Any, y: Any, start: Any = None, max_moves: int = 10_000) -> Path:
    """Note the two weights that a copy of the model would predict with after each move."""
    points = [_two(start)]
    coef, intercept = split(points[0], bool(model.fit_intercept))
    made = moves(model, X, y, coef, [intercept])
    try:
        for move in islice(made, max_moves):
            both = (*move.weights, move.intercept) if model.fit_intercept else move.weights
            points.append(np.array(both, np.float64))
    except DivergedError:
        return Path(np.array(points), DIVERGED)
    return Path(np.array(points), CUT if len(points) > max_moves else "")


def path_over(
    ground: Surface, model: Any, X: Any, y: Any, start: Any, max_moves: int = 100_000
) -> Path:
    """Return a path, which diverged also if it only climbed for as long as it lasted.

    Steps on the other losses are no longer than η x, so a path may be lost but cannot run away.
    """
    path = walk(model, X, y, start, max_moves)
    first, last = ground(path.points[0]), ground(path.points[-1])
    if LOSSES[ground.loss].steep and last > _RISE * first:
        return path._replace(ending=DIVERGED)
    return path


def _two(start: Any) -> Array:
    point = np.zeros(2) if start is None else np.asarray(start, np.float64)
    if point.shape != (2,) or not np.all(np.isfinite(point)):
        raise ValueError(f"start must be two numbers, got {start!r}")
    return point
