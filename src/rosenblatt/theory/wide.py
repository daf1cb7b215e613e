"""The nearest points of two hulls where there are too many features for a working set.

The plane of largest margin is ``min ½‖w‖²`` with every ``y·(w·x + b) ≥ 1``. The method of
multipliers (Hestenes and Powell 1969) turns that into a few smooth problems, each solved by
Newton's method with products of the rows and a vector alone: memory is that of the data. The
multipliers are the weights of the nearest points. If the hulls meet there is no such plane, and the
multipliers that grow without end are those of points that prove it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory.problem import Problem
from rosenblatt.theory.products import scaled_matrix
from rosenblatt.theory.search import Found
from rosenblatt.theory.squared_hinge import Task, Weights, minimize

ROUNDS = 40
GROWTH = 3.0
FIRST = 100.0
ENOUGH = 5e-7
TOL = 1e-2


class Round(NamedTuple):
    """What a round found: a plane with its bracket, and the multipliers that grew in it.

    ``apart`` is how far apart the hulls' points are that those single out; the longest row is 1.
    """

    found: Found
    lower: float
    upper: float
    growing: Array
    apart: float


def rounds(problem: Problem) -> Iterator[Round]:
    """Yield better and better planes, until one is within the gap or the rounds are used up."""
    X, scale = scaled_matrix(problem)
    y, bias = problem.y, problem.fit_intercept
    counts = np.ones(X.shape[1] + bias)
    counts[X.shape[1] :] = 0.0  # an offset is free
    task = Task(X.with_ones() if bias else X, y, counts)
    weights = Weights(np.zeros(len(counts)), np.zeros(len(y)))
    multipliers, rho, gap = np.zeros(len(y)), FIRST, 1.0
    for _ in range(ROUNDS):
        targets = 1 + multipliers / rho
        weights = minimize(task, targets, rho, weights, TOL * min(1.0, gap))
        before = multipliers
        multipliers = rho * np.maximum(targets - y * weights.scores, 0.0)
        here = _bracket(task, bias, weights, multipliers, np.maximum(multipliers - before, 0.0))
        yield here._replace(found=here.found._replace(w=here.found.w * scale))
        if here.lower > 0:
            gap = here.upper / here.lower - 1
        if gap <= ENOUGH:
            return
        rho *= GROWTH


def _bracket(task: Task, bias: bool, weights: Weights, multipliers: Array, growing: Array) -> Round:
    """Compute the margin of the plane, and the distance of the points of the multipliers."""
    convex, distance = _hull_points(task, bias, multipliers)
    _, apart = _hull_points(task, bias, growing)
    w, y, scores, b = weights.w, task.y, weights.scores, 0.0
    if bias:
        w, scores = w[:-1], scores - w[-1]
        b = -float(scores[y > 0].min() + scores[y < 0].max()) / 2
    lower = float((y * (scores + b)).min()) / (float(np.linalg.norm(w)) or 1.0)
    rows = np.flatnonzero(convex)
    found = Found(rows, convex[rows], w, b, False)
    return Round(found, lower, distance / (2 if bias else 1), growing, apart)


def _hull_points(task: Task, bias: bool, weights: Array) -> tuple[Array, float]:
    """Make weights convex, and return the distance of the points that they single out."""
    convex = np.zeros_like(weights)
    for side in [task.y > 0, task.y < 0] if bias else [task.y != 0]:
        total = float(weights[side].sum())
        if not total > 0:
            return convex, np.inf
        convex[side] = weights[side] / total
    return convex, float(np.linalg.norm(task.counts * task.X.transposed_times(convex * task.y)))
