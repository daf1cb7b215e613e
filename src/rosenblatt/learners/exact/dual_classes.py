"""The linear SVM of K classes to a proven precision, by the sequential dual method.

Minimise ``(1/N) Σ c_i max(0, 1 + max_{j≠y} s_ij − s_iy) + α/2 ‖W‖²`` with ``s_ik = w_k·x_i + b_k``
(Crammer and Singer 2001). A sweep maximises the dual along the variables of each row in turn
(Keerthi, Sundararajan, Chang, Hsieh and Lin 2008). Intercepts have no penalty, so the dual demands
``Σ_i a_ik = 0`` of each class: met in the limit, by the method of multipliers.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, Sparse, entries, n_rows
from rosenblatt.kernels.exact.dual import fill_squares
from rosenblatt.kernels.exact.dual_classes import (
    Point,
    Task,
    add_variables,
    ascend,
    choose_active,
    fill_tables,
    sum_of_losses,
)
from rosenblatt.kernels.row_order import shuffle
from rosenblatt.learners.exact.dual import Progress

_BLOCK = 1 << 22
_SWEEPS = (2, 4, 8, 10)  # between looks at the gap
_SLACK = 0.1


class Solution(NamedTuple):
    """The minimum, as of two classes: a line of weights, an intercept, and variables per class."""

    weights: Array
    intercept: Array
    variables: Array
    passes: float
    primal: float
    dual: float
    converged: bool


def solve(
    rows: Rows,
    y: Array,
    n_features: int,
    n_classes: int,
    *,
    alpha: float,
    weights: Array | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    max_passes: int = 10_000,
    seed: int = 0,
) -> Generator[Progress, None, Solution]:
    """Minimise the objective until the gap is at most ``tol`` times its value.

    Yield after each block of rows. ``y`` are numbers of classes, from 0; the other parameters are
    those of two classes.

    >>> from rosenblatt.data.rows import as_rows
    >>> from rosenblatt.learners.exact.dual import finish
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> found = finish(solve(as_rows(X), y, 1, 2, alpha=0.01))  # two classes share the weight
    >>> found.weights.round(4).tolist(), found.intercept.round(3).tolist(), found.converged
    ([[-0.25], [0.25]], [0.5, -0.5], True)
    """
    search = _Search(rows, y, n_features, n_classes, alpha, weights, fit_intercept, seed)
    yield from search.prepare()
    for number in range(max_passes):
        yield from search.sweeps(_SWEEPS[min(number, len(_SWEEPS) - 1)])
        yield from search.look()
        if search.gap_is_at_most(tol) or search.visited >= max_passes * search.n:
            break
    return search.solution(tol)


class _Search:
    """The state of a search. Objectives here are divided by α."""

    def __init__(
        self, rows: Rows, y: Array, n_features: int, n_classes: int, alpha: float,
        weights: Array | None, fit_intercept: bool, seed: int,
    ) -> None:  # fmt: skip
        self.rows, self.n, self.alpha = rows, n_rows(rows), alpha
        self.fit_intercept = fit_intercept
        self.size = max(1, _BLOCK * self.n // max(entries(rows) * n_classes, 1))
        self.rng = np.random.default_rng(seed)
        self.y = np.ascontiguousarray(y, np.intp)
        self.cost = np.full(self.n, 1.0 / (alpha * self.n))
        if weights is not None:
            self.cost *= weights
        # A sparse row's scores of all classes are added up side by side.
        self.layout = "F" if isinstance(rows, Sparse) else "C"
        self.shape = n_classes, n_features
        sums = np.zeros(n_classes), np.zeros(n_classes)
        self.point = Point(np.zeros((self.n, n_classes)), self.zeros(), *sums)
        self.visited, self.primal, self.dual = 0, np.inf, -np.inf
        self.order = np.arange(self.n, dtype=np.int32)
        self.kept = np.ones(self.n, np.bool_)
        self.scores = np.zeros((self.n, n_classes))
        self.best = (self.point.weights, sums[0])
        self.variables = self.point.alpha

    def zeros(self) -> Array:
        return np.zeros(self.shape, order="F" if self.layout == "F" else "C")

    def prepare(self) -> Iterator[Progress]:
        """Compute the curvature along the variables of each row."""
        squares, scratch = np.empty(self.n), np.zeros(self.shape[1])
        for start, stop in self.cut(self.n):
            fill_squares(self.rows, start, stop, scratch, squares)
            yield self.progress()
        rho = (float(squares.mean()) or 1.0) if self.fit_intercept else 0.0
        # The score of a row of zeros never changes: any curvature that lets it reach its bound.
        free = 1e-3 / np.maximum(self.cost, np.finfo(np.float64).tiny)
        curvature = np.where(squares + rho > 0, squares + rho, free)
        self.task = Task(self.y, self.cost, curvature, rho)

    def cut(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield the start and stop of each block of rows."""
        for start in range(0, n, self.size):
            yield start, min(start + self.size, n)

    def progress(self) -> Progress:
        return Progress(self.visited, self.alpha * self.primal, self.alpha * self.dual)

    def sweeps(self, count: int) -> Iterator[Progress]:
        """Sweep over the active rows, each time in a new order."""
        table = np.empty((3, self.shape[0]))
        for _ in range(count):
            bits = self.rng.integers(1 << 32, size=len(self.order), dtype=np.uint32)
            shuffle(self.order, bits)
            for start, stop in self.cut(len(self.order)):
                ascend(self.rows, self.order, start, stop, self.task, self.point, table)
                self.visited += stop - start
                yield self.progress()

    def look(self) -> Iterator[Progress]:
        """Compute the gap at points that are feasible, and choose the rows to go on with."""
        task, point = self.task, self.point
        n_classes = self.shape[0]
        share = np.ones(n_classes)
        if self.fit_intercept:
            point.centre[:] += task.rho * point.balance
            sums = np.zeros((n_classes, n_classes))
            np.add.at(sums, self.y, point.alpha)
            share = balancing(sums)
        weights, scores = self.zeros(), np.empty_like(self.scores)
        for start, stop in self.cut(self.n):
            add_variables(self.rows, start, stop, point.alpha, share, self.y, weights)
            yield self.progress()
        intercept = point.centre.copy()
        for start, stop in self.cut(self.n):
            fill_tables(self.rows, start, stop, weights, intercept, scores)
            yield self.progress()
        self.visited += self.n
        half = 0.5 * float((weights**2).sum())
        primal = half + sum_of_losses(scores, task)
        variables = point.alpha * share[self.y, None]
        dual = float(variables[np.arange(self.n), self.y].sum()) - half
        if primal < self.primal:
            self.primal, self.best = primal, (weights, intercept)
        if dual > self.dual:
            self.dual, self.variables = dual, variables
        slack = min(float(np.abs(scores - self.scores).mean()), _SLACK)
        self.scores = scores
        choose_active(scores, slack, task, point.alpha, self.kept)
        self.order = np.flatnonzero(self.kept).astype(np.int32)

    def gap_is_at_most(self, tol: float) -> bool:
        return self.primal - self.dual <= tol * self.primal

    def solution(self, tol: float) -> Solution:
        values = self.alpha * self.primal, self.alpha * self.dual
        passes = self.visited / self.n
        return Solution(*self.best, self.variables, passes, *values, self.gap_is_at_most(tol))


def balancing(sums: Array) -> Array:
    """Return a share of each class's variables, at most 1, with which those of all add up to 0.

    Line c of the sums belongs to the rows of class c. It adds up to 0, and is negative but for
    class c, so there are such shares; these are the nearest to being all alike.

    >>> balancing(np.array([[2.0, -2.0], [-1.0, 1.0]])).round(6).tolist()
    [0.5, 1.0]
    """
    ones = np.ones(len(sums))
    away = np.linalg.lstsq(sums.T, sums.sum(axis=0), rcond=1e-13)[0]
    share = ones - away
    if share.min() < 0 or not share.max() > 0:
        return np.zeros(len(sums))
    return np.asarray(share / share.max())
