"""Where the real estimators go when they descend, move by move, and the loss they descend on."""

import warnings
from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rosenblatt.data.rows import Array, as_matrix, n_rows
from rosenblatt.estimators.descent import Descent
from rosenblatt.estimators.descent_passes import PassMaker, all_at_once, in_batches
from rosenblatt.estimators.start import Task
from rosenblatt.learners import descent
from rosenblatt.learners.descent import DivergedError, Penalty, State
from rosenblatt.learners.losses import judge
from rosenblatt.learners.order import Orders, Visits

DIVERGED, CUT = "diverges", "goes on"


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

    def __call__(self, weights: Array) -> float:
        """Return the mean loss of all rows, and what the penalty adds."""
        coef, intercept = split(weights, self.fit_intercept)
        scores = self.rows @ coef + intercept
        total = judge(self.loss, scores[:, None], self.y)[0]
        return float(total) / len(self.y) + self.penalty.of(coef)

    def over(self, across: Array, up: Array) -> Array:
        """Return its heights on a grid."""
        return np.array([[self(np.array([x, y])) for x in across] for y in up])


class _EnoughError(Exception):
    """There are as many moves as were asked for."""


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
    task: Task = clone(model)._begin(X, y, None, None)
    wanted, found = 1 if model.fit_intercept else 2, task.state.weights.shape
    if found != (1, wanted):
        classes = f" and {found[0]} classes" if found[0] > 1 else ""
        raise ValueError(
            "a surface is over two weights: those of two features with fit_intercept=False, or "
            f"one and the intercept, for two classes; this model has {found[1]} features"
            f"{classes}, fit_intercept={bool(model.fit_intercept)}"
        )
    rows = as_matrix(task.rows, wanted)
    rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64)
    target = np.asarray(task.y, np.float64)
    return Surface(model.loss, rows, target, model._penalty(), bool(model.fit_intercept))


def walk(model: Any, X: Any, y: Any, start: Any = None, max_moves: int = 10_000) -> Path:
    """Fit a copy of the model, and note the weights that it would predict with after each move."""
    walker, points = clone(model), [_two(start)]

    def note(state: State) -> None:
        weights, intercept = descent.average(state)
        both = np.append(weights[0], intercept[0]) if walker.fit_intercept else weights[0]
        points.append(both.astype(np.float64))
        if len(points) > max_moves:
            raise _EnoughError

    # The passes are those of fit, but stop after every move.
    walker._pass_maker = lambda task, rng: _noting(walker, task, rng, note)
    coef, intercept = split(points[0], bool(walker.fit_intercept))
    options = {"coef_init": coef, "intercept_init": [intercept]}
    ending = ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            walker.fit(X, y, **options)
    except _EnoughError:
        ending = CUT
    except ValueError as error:
        if not isinstance(error.__context__, DivergedError):
            raise
        ending = DIVERGED
    return Path(np.array(points), ending)


def _two(start: Any) -> Array:
    point = np.zeros(2) if start is None else np.asarray(start, np.float64)
    if point.shape != (2,) or not np.all(np.isfinite(point)):
        raise ValueError(f"start must be two numbers, got {start!r}")
    return point


def _noting(walker: Any, task: Task, rng: np.random.Generator, note: Any) -> PassMaker:
    """Make the passes of an estimator, a move at a time."""
    plan, n = walker._plan(task), n_rows(task.rows)
    parts: list[Array] = []
    if plan.batch >= n:
        one_move = all_at_once(task, plan)
    else:
        one_move = in_batches(task, plan, lambda: Visits(parts.pop()))
    orders = Orders(task.rows, task.y, rng, shuffle=walker.shuffle)

    def one_pass(state: State, number: int) -> Generator[Any, None, tuple[State, float]]:
        if plan.batch < n:
            order = orders.next().order.copy()
            parts[:] = [order[k : k + plan.batch] for k in range(0, n, plan.batch)][::-1]
        while True:
            state, steepness = yield from one_move(state, number)
            note(state)
            if not parts:
                return state, steepness

    return one_pass
