"""The linear SVM to a proven precision: coordinate ascent on the dual, with conjugate directions.

Minimise ``(1/N) Σ c_i max(0, 1 − y_i (w·x_i + b)) + α/2 ‖w‖²``, or with the hinge squared. A sweep
maximises the dual along each variable in turn (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008).
Sweeps alone crawl where rows that are alike compete. So there and back make a step, and steps are
made conjugate to each other, between the bounds (as in Moré and Toraldo 1991): `leap`.

The intercept has no penalty, so the dual demands ``Σ a_i y_i = 0``. That is met in the limit, by
the method of multipliers (Hestenes 1969; Powell 1969). The gap between a primal and a dual value,
both of points that are feasible, says how far from the optimum the solution can be at most.
"""

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, entries, n_rows
from rosenblatt.kernels.exact.dual import (
    Direction,
    Point,
    Task,
    add_sides,
    ascend,
    balancing,
    best_intercept,
    choose_active,
    fill_scores,
    fill_squares,
    leap,
    leave_out,
    violations,
)
from rosenblatt.kernels.row_order import shuffle
from rosenblatt.learners.blocks import in_turn

_BLOCK = 1 << 22  # stored numbers in a block, which take some hundredths of a second
_FIRST = (2, 4, 8)  # sweeps over all rows, each in a new order, before a look at the gap
_STEPS = (4, 6, 10)  # steps between looks at the gap, later


_SLACK = 0.1  # in units of the margin: rows so close to having a say are visited, too


class Progress(NamedTuple):
    """What was done so far: rows visited, and the best objective and lower bound that are known.

    ``looks`` counts the times that these were computed; the weights are those of the best, and
    ``mistakes`` how many rows they get wrong.
    """

    rows: int
    primal: float
    dual: float
    looks: int
    weights: Array
    intercept: Any
    mistakes: int


class Solution(NamedTuple):
    """The minimum: objective ``primal``, and ``dual``, which no weights can be below.

    ``variables`` are the dual variables that prove it, ``0 ≤ a_i ≤ c_i / (α N)`` for the hinge.
    ``passes`` counts visits to rows in passes over all of them.
    """

    weights: Array
    intercept: float
    variables: Array
    passes: float
    primal: float
    dual: float
    converged: bool


def solve(
    rows: Rows,
    y: Array,
    n_features: int,
    *,
    alpha: float,
    squared: bool = False,
    weights: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    max_passes: int = 10_000,
    seed: int = 0,
) -> Generator[Progress, None, Solution]:
    """Minimise the objective until the gap is at most ``tol`` times its value.

    Yield after each block of rows; the generator returns the solution.

    Parameters
    ----------
    rows : Dense or Sparse
        The rows.
    y : array of shape (n_samples,)
        Labels −1 and 1.
    n_features : int
        How many columns there are.
    alpha : float
        The penalty, above zero. LIBLINEAR's C is 1/(α N).
    squared : bool
        Whether the hinge is squared.
    weights : array of shape (n_samples,), optional
        What the losses of the rows are multiplied by.
    fit_intercept : bool
        Whether there is an intercept; it has no penalty.
    tol : float
        The gap to stop at, relative to the objective.
    max_passes : int
        The most visits to rows, in passes over all of them.
    seed : int
        Decides the orders of the rows.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> found = finish(solve(as_rows(X), y, 1, alpha=0.01))
    >>> found.weights.round(4).tolist(), round(found.intercept, 4), found.converged
    ([1.0], -2.0, True)
    """
    search = _Search(rows, y, n_features, alpha, squared, weights, fit_intercept, seed)
    for number in range(max_passes):
        if number < len(_FIRST):
            yield from search.sweeps(_FIRST[number])
        else:
            yield from search.steps(_STEPS[min(number - len(_FIRST), len(_STEPS) - 1)])
        yield from search.look()
        if search.gap_is_at_most(tol) or search.visited >= max_passes * search.n:
            break
    return search.solution(tol)


def finish(run: Generator[Progress, None, Solution]) -> Solution:
    """Go through to the end, and return the solution."""
    while True:
        try:
            next(run)
        except StopIteration as end:
            found: Solution = end.value
            return found


class _Search:
    """The state of a search. Objectives here are divided by α, so that ½‖w‖² is the penalty."""

    def __init__(
        self, rows: Rows, y: Array, n_features: int, alpha: float, squared: bool,
        weights: Array | None, fit_intercept: bool, seed: int,
    ) -> None:  # fmt: skip
        self.rows, self.n, self.alpha, self.squared = rows, n_rows(rows), alpha, squared
        self.fit_intercept = fit_intercept
        self.size = max(1, _BLOCK * self.n // max(entries(rows), 1))
        self.rng = np.random.default_rng(seed)
        self.y = np.ascontiguousarray(y, np.float64)
        self.cost = np.full(self.n, 1.0 / (alpha * self.n))
        if weights is not None:
            self.cost *= weights
        self.visited, self.primal, self.dual = 0, np.inf, -np.inf
        self.looks = self.mistakes = 0
        self.point = Point(np.zeros(self.n), np.zeros(n_features), np.zeros(2))
        self.before, self.last, self.way = (
            kind(np.zeros(self.n), np.zeros(n_features), np.zeros(2))
            for kind in (Point, Direction, Direction)
        )
        # A trial's variables are the point's: the loops move them as they read them.
        self.trial = Point(self.point.alpha, np.zeros(n_features), np.zeros(2))
        self.order = np.arange(self.n, dtype=np.int32)
        self.kept = np.ones(self.n, np.bool_)
        self.scores = np.zeros(self.n)
        self.best = (self.point.weights, 0.0)
        self.variables = self.point.alpha
        self.task: Task | None = None

    def prepare(self) -> Iterator[Progress]:
        """Compute the curvature along each variable."""
        squares, scratch = np.empty(self.n), np.zeros_like(self.point.weights)
        for start, stop in self.cut(self.n):
            fill_squares(self.rows, start, stop, scratch, squares)
            yield self.progress()
        positive = self.cost > 0
        ridge, upper = np.zeros(self.n), self.cost
        if self.squared:
            ridge[positive] = 0.5 / self.cost[positive]
            upper = np.where(positive, np.inf, 0.0)
        rho = (float((squares + ridge).mean()) or 1.0) if self.fit_intercept else 0.0
        self.task = Task(self.y, upper, ridge, squares + ridge + rho, rho)

    def cut(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield the start and stop of each block of rows."""
        for start in range(0, n, self.size):
            yield start, min(start + self.size, n)

    def progress(self) -> Progress:
        values = self.alpha * self.primal, self.alpha * self.dual
        return Progress(self.visited, *values, self.looks, *self.best, self.mistakes)

    def shuffled(self) -> Array:
        """Bring the active rows into a new order."""
        bits = self.rng.integers(1 << 32, size=len(self.order), dtype=np.uint32)
        shuffle(self.order, bits)
        return self.order

    def sweep(self, order: Array, backward: bool = False) -> Iterator[Progress]:
        """Go along the rows in order, or the other way."""
        blocks = list(self.cut(len(order)))
        for start, stop in blocks[::-1] if backward else blocks:
            ascend(self.rows, order, start, stop, backward, self.task, self.point)
            self.visited += stop - start
            yield self.progress()

    def sweeps(self, count: int) -> Iterator[Progress]:
        """Sweep over the active rows, each time in a new order."""
        if self.task is None:
            yield from self.prepare()
        for _ in range(count):
            yield from self.sweep(self.shuffled())

    def steps(self, count: int) -> Iterator[Progress]:
        """Make steps: there and back, and a leap."""
        order = self.shuffled()  # steps in one order for ever would slow down
        for mine, its in zip(self.before, self.point, strict=True):
            mine[:] = its
        leave_out(self.rows, self.kept, self.task, self.last)
        places = self.point, self.before, self.last, self.way, self.trial
        for _ in range(count):
            yield from self.sweep(order)
            yield from self.sweep(order, backward=True)
            leap(self.rows, order, self.task, *places)

    def look(self) -> Iterator[Progress]:
        """Compute the gap at points that are feasible, and choose the rows to go on with."""
        task, alpha = self.task, self.point.alpha
        assert task is not None
        plus, minus = balancing(task, alpha) if self.fit_intercept else (1.0, 1.0)
        feasible = alpha * np.where(self.y > 0, plus, minus)
        sides = np.zeros((2, len(self.point.weights)))
        cuts = list(zip(*self.cut(self.n), strict=True))

        def added(start: int, stop: int) -> Array:
            own = np.zeros_like(sides)
            add_sides(self.rows, start, stop, task, alpha, *own)
            return own

        for own in in_turn(added, *cuts):
            sides += own
            yield self.progress()
        self.point.weights[:] = sides[0] + sides[1]  # without the rounding of many steps
        weights = plus * sides[0] + minus * sides[1]
        scores = np.empty(self.n)

        def scored(start: int, stop: int) -> None:
            fill_scores(self.rows, start, stop, weights, scores)

        for _ in in_turn(scored, *cuts):
            yield self.progress()
        self.visited += self.n
        balance = self.point.balance
        balance[1] += task.rho * balance[0]
        here = float(balance[1])
        intercept = best_intercept(scores, here, task, self.squared) if self.fit_intercept else 0.0
        half = 0.5 * float(weights @ weights)
        primal = half + violations(scores, intercept, task, self.squared)[0]
        dual = float(feasible.sum()) - half - 0.5 * float(task.ridge @ feasible**2)
        if primal < self.primal:
            self.primal, self.best = primal, (weights, intercept)
            self.mistakes = int((self.y * (scores + intercept) <= 0).sum())
        if dual > self.dual:
            self.dual, self.variables = dual, feasible.copy()
        slack = min(float(np.abs(scores - self.scores).mean()), _SLACK)
        self.scores = scores
        choose_active(scores, here, slack, task, alpha, self.kept)
        self.order = np.flatnonzero(self.kept).astype(np.int32)
        self.looks += 1
        yield self.progress()

    def gap_is_at_most(self, tol: float) -> bool:
        return self.primal - self.dual <= tol * self.primal

    def solution(self, tol: float) -> Solution:
        weights, intercept = self.best
        values = self.alpha * self.primal, self.alpha * self.dual
        passes = self.visited / self.n
        return Solution(
            weights, intercept, self.variables, passes, *values, self.gap_is_at_most(tol)
        )
