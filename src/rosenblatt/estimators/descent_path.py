"""Where the real estimators go when they descend, move by move, and the loss they descend on."""

from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.estimators.descent import Descent
from rosenblatt.estimators.moves import moves
from rosenblatt.estimators.start import Task
from rosenblatt.learners.descent import DivergedError, Penalty

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
            losses = _LOSSES[self.loss](first * self.rows[:, 0] + last, self.y).mean(axis=1)
            coef = first if self.fit_intercept else points
            cost = 0.5 * self.penalty.l2 * np.square(coef) + self.penalty.l1 * np.abs(coef)
            return np.asarray(losses + cost.sum(axis=1))


def _logistic(scores: Array, y: Array) -> Array:
    margins = y * scores
    return np.asarray(np.maximum(-margins, 0) + np.log1p(np.exp(-np.abs(margins))))


# As `rosenblatt.learners.losses` has them, for many scores of each row.
_LOSSES: dict[str, Callable[[Array, Array], Array]] = {
    "perceptron": lambda scores, y: np.maximum(-y * scores, 0),
    "hinge": lambda scores, y: np.maximum(1 - y * scores, 0),
    "logistic": _logistic,
    "squared": lambda scores, y: np.square(scores - y),
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
    if ground.loss == "squared" and last > _RISE * first:
        return path._replace(ending=DIVERGED)
    return path


def _two(start: Any) -> Array:
    point = np.zeros(2) if start is None else np.asarray(start, np.float64)
    if point.shape != (2,) or not np.all(np.isfinite(point)):
        raise ValueError(f"start must be two numbers, got {start!r}")
    return point
