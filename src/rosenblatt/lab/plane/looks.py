"""What is seen of a learner: what it looks at, step by step, and how it stands after that."""

from collections.abc import Generator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, Rows
from rosenblatt.estimators.descent_passes import Outcome as DescentOutcome
from rosenblatt.estimators.passes import Outcome
from rosenblatt.lab.plane.points import Points
from rosenblatt.lab.plane.regions import Grid
from rosenblatt.learners import online


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
    do; ``mean`` those that are told as a mean. ``factor`` is what the row was multiplied with when
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
    """A learner being watched; kinds of learners have a class each.

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
        """Return what only learners of this kind have to tell."""
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


def ending_of(outcome: Outcome) -> str:
    """Say how passes ended."""
    if outcome.converged:
        return "a pass without a mistake: it has converged"
    return _over(len(outcome.mistakes)) if outcome.ran_out else "no more progress"


def ending_of_descent(outcome: DescentOutcome, most: int) -> str:
    """Say how the passes of gradient descent ended, of which there were to be so many at most."""
    if outcome.converged:
        return "the loss has settled"
    passes = len(outcome.losses)
    return _over(passes) if passes >= most else "the loss goes up and down: the steps are too long"


def _over(passes: int) -> str:
    return "1 pass is over" if passes == 1 else f"{passes:,} passes are over"
