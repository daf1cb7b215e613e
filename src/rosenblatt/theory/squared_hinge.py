"""Minimising ``½‖w‖² + ρ/2 Σ max(0, t_i − y_i w·x_i)²`` by Newton's method.

The Hessian is that of the rows within reach, ``I + ρ XᵀX``, and is never formed: conjugate
gradients ask for products with it only (Keerthi and DeCoste 2005). So memory is that of the data.
An offset is the weight of a last feature that is always one, and is left out of ``‖w‖²``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.products import Matrix
from rosenblatt.theory.problem import Problem, scaled_matrix
from rosenblatt.theory.wolfe import Progress, SearchResult, silent

_NEWTON_STEPS = 40
_CG_STEPS = 300
_CG_TOL = 0.1
_HALVINGS = 24


class Weights(NamedTuple):
    """Weights, the offset last if there is one, and the scores of all rows."""

    w: Array
    scores: Array


class Task(NamedTuple):
    """The rows, their labels, and 1 for each weight that counts in ``‖w‖²``, else 0."""

    X: Matrix
    y: Array
    counts: Array


def minimize(
    task: Task, targets: Array, rho: float, start: Weights, tol: float, progress: Progress = silent
) -> Weights:
    """Go on from a start until the gradient is at most ``tol·‖w‖``, or for a number of steps."""
    X, y, counts = task
    w, scores = start
    for _ in range(_NEWTON_STEPS):
        slack = np.maximum(targets - y * scores, 0.0)
        gradient = counts * w - X.transposed_times(rho * slack * y)
        if np.linalg.norm(gradient) <= tol * np.linalg.norm(counts * w):
            break
        step = _newton_step(X.part(slack > 0), gradient, rho, counts, progress)
        along = X.times(step)
        eta = _line_search(counts * w, step, y * scores, y * along, targets, rho, counts)
        if not eta > 0:
            break
        w, scores = w + eta * step, scores + eta * along
    return Weights(w, scores)


def _newton_step(
    A: Matrix, gradient: Array, rho: float, counts: Array, progress: Progress
) -> Array:
    """Solve ``H·step = −gradient`` by conjugate gradients, scaled by the diagonal of H."""
    inverse = 1 / np.maximum(counts + rho * A.squared_columns(), np.finfo(np.float64).tiny)
    step, rest = np.zeros_like(gradient), -gradient
    towards = rest * inverse
    size = float(rest @ towards)
    enough = _CG_TOL**2 * size
    for _ in range(_CG_STEPS if size > 0 else 0):
        progress("")  # nothing new, but still at work
        scores = A.times(towards)
        scores *= rho
        product = A.transposed_times(scores)
        product += counts * towards
        eta = size / float(towards @ product)
        # Not by BLAS's axpy: its threads and those of the products would fight over the cores.
        step += eta * towards
        rest -= eta * product
        scaled = rest * inverse
        size, last = float(rest @ scaled), size
        if not size > enough:
            break
        towards *= size / last
        towards += scaled
    return step


def _line_search(
    w: Array, step: Array, margins: Array, slopes: Array, targets: Array, rho: float, counts: Array
) -> float:
    """Find where the derivative along a line turns positive, by halving."""
    along, square = float(w @ step), float((counts * step) @ step)

    def slope(eta: float) -> float:
        slack = np.maximum(targets - margins - eta * slopes, 0.0)
        return along + eta * square - rho * float(slack @ slopes)

    first, low, high = slope(0.0), 0.0, 1.0
    if not first < 0:
        return 0.0
    if abs(slope(1.0)) <= 1e-3 * -first:
        return 1.0
    while slope(high) < 0 and high < 2.0**40:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return high


ROUNDS = 40
GROWTH = 3.0
FIRST = 100.0
ENOUGH = 5e-7
TOL = 1e-2


class Round(NamedTuple):
    """What a round found: a plane with its bracket, and the multipliers that grew in it.

    ``apart`` is how far apart the hulls' points are that those single out; the longest row is 1.
    """

    found: SearchResult
    lower: float
    upper: float
    growing: Array
    apart: float


def rounds(problem: Problem, progress: Progress = silent) -> Iterator[Round]:
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
        weights = minimize(task, targets, rho, weights, TOL * min(1.0, gap), progress)
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
    found = SearchResult(rows, convex[rows], w, b, False)
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
