"""The nearest points of two hulls where there are too many features for a working set.

The plane of largest margin is ``min ½‖w‖²`` with every ``y·(w·x + b) ≥ 1``. The method of
multipliers (Hestenes and Powell 1969) turns that into a few smooth problems, each solved by
Newton's method with products of the rows and a vector alone: memory is that of the data. The
multipliers are the weights of the nearest points. If the hulls meet there is no such plane, and the
multipliers that grow without end are those of points that prove it.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.theory.problem import Problem
from rosenblatt.theory.search import Found
from rosenblatt.theory.squared_hinge import Weights, minimize

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
    weights = Weights(np.zeros(problem.n_features), 0.0, np.zeros(problem.n))
    multipliers, rho, gap = np.zeros(problem.n), FIRST, 1.0
    for _ in range(ROUNDS):
        targets = 1 + multipliers / rho
        weights = minimize(X, y, targets, rho, weights, TOL * min(1.0, gap), bias)
        before = multipliers
        multipliers = rho * np.maximum(targets - y * weights.scores, 0.0)
        here = _bracket(X, y, bias, weights, multipliers, np.maximum(multipliers - before, 0.0))
        yield here._replace(found=here.found._replace(w=here.found.w * scale))
        if here.lower > 0:
            gap = here.upper / here.lower - 1
        if gap <= ENOUGH:
            return
        rho *= GROWTH


def scaled_matrix(problem: Problem) -> tuple[Any, float]:
    """Return the rows in float64, the longest of about length one, and the factor it took."""
    X = as_matrix(problem.rows, problem.n_features)
    X = X.astype(np.float64, copy=False)
    largest = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0)) or 1.0
    X = X * (1 / largest)
    squares = X.multiply(X).sum(axis=1) if sp.issparse(X) else np.einsum("ij,ij->i", X, X)
    factor = 1 / float(np.sqrt(np.max(squares)) or 1.0)
    return X * factor, factor / largest


def _bracket(
    X: Any, y: Array, bias: bool, weights: Weights, multipliers: Array, growing: Array
) -> Round:
    """Compute the margin of the plane, and the distance of the points of the multipliers."""
    convex, distance = _hull_points(X, y, bias, multipliers)
    _, apart = _hull_points(X, y, bias, growing)
    scores = weights.scores - weights.b
    size = float(np.linalg.norm(weights.w)) or 1.0
    if bias:
        ahead, behind = float(scores[y > 0].min()), float(scores[y < 0].max())
        lower, b = (ahead - behind) / 2, -(ahead + behind) / 2
    else:
        lower, b = float((y * scores).min()), 0.0
    rows = np.flatnonzero(convex)
    found = Found(rows, convex[rows], weights.w, b, False, True)
    return Round(found, lower / size, distance / (2 if bias else 1), growing, apart)


def _hull_points(X: Any, y: Array, bias: bool, weights: Array) -> tuple[Array, float]:
    """Make weights convex, and return the distance of the points that they single out."""
    convex = np.zeros_like(weights)
    for side in [y > 0, y < 0] if bias else [y != 0]:
        total = float(weights[side].sum())
        if not total > 0:
            return convex, np.inf
        convex[side] = weights[side] / total
    return convex, float(np.linalg.norm(X.T @ (convex * y)))
