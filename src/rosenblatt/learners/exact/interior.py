"""The linear SVM of two classes and not too many features, by an interior point method.

Minimise ``½‖w‖² + Σ c_i max(0, 1 − y_i (w·x_i + b))``. The dual variables a stay strictly between
their bounds 0 and c, and Newton's steps on the conditions of optimality, with predictor and
corrector (Mehrotra 1992), lead to where they belong. A step solves one system in the features alone
(Ferris and Munson 2002), so twenty or thirty steps do whatever the size of the columns is, where
coordinate ascent crawls if they are unscaled.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.learners.exact.objective import Problem

MOST_FEATURES = 1_500
_STEPS = 100
_BLOCK = 1 << 21  # numbers in a block of rows
_STAY = 0.995  # the share of the way to the nearest bound that a step goes at most


class Here(NamedTuple):
    """The best weights so far, how low the objective is there and can be, and their mistakes."""

    weights: Array
    intercept: float
    primal: float
    dual: float
    mistakes: int


class Point(NamedTuple):
    """Variables, the distance to their upper bounds, the multipliers of both, and the intercept."""

    alpha: Array
    room: Array
    low: Array
    high: Array
    b: float


def solve(problem: Problem, tol: float) -> Iterator[Here]:
    """Yield each step until the gap is at most ``tol`` times the objective, or nothing is gained.

    The objective is that of the mean loss and ``l2/2 ‖w‖²``.
    """
    search = _Search(problem)
    best, stale = None, 0
    for _ in range(_STEPS):
        here = search.look()
        better = best is None or here.primal - here.dual < 0.9 * (best.primal - best.dual)
        stale = 0 if better else stale + 1
        if best is None or here.primal <= best.primal:
            best = here._replace(dual=here.dual if best is None else max(here.dual, best.dual))
        else:
            best = best._replace(dual=max(here.dual, best.dual))
        yield best
        if best.primal - best.dual <= tol * best.primal or stale > 5 or not search.step():
            return


class _Search:
    """The state of a search."""

    def __init__(self, problem: Problem) -> None:
        n, self.l2, self.d = len(problem.y), problem.l2, problem.n_features
        self.X = as_matrix(problem.rows, self.d).astype(np.float64, copy=False)
        self.y, self.fit_intercept = problem.y.astype(np.float64), problem.fit_intercept
        weights = np.ones(n) if problem.weights is None else problem.weights
        self.cost = weights / (n * self.l2)
        alpha = self._balanced(0.1 * self.cost)
        self.w = self._sum(self.y * alpha)
        slack = self.y * self._scores(self.w) - 1
        size = max(1.0, float(np.abs(slack).mean()))
        low, high = np.maximum(slack, 0) + size, np.maximum(-slack, 0) + size
        self.at = Point(alpha, self.cost - alpha, low, high, 0.0)

    def _balanced(self, alpha: Array) -> Array:
        """Make the variables of both classes add up to the same, as an intercept demands."""
        if not self.fit_intercept:
            return alpha
        positive = self.y > 0
        sums = alpha[positive].sum(), alpha[~positive].sum()
        share = np.where(positive, min(sums) / sums[0], min(sums) / sums[1])
        return np.asarray(alpha * share)

    def _scores(self, w: Array) -> Array:
        return np.asarray(self.X @ w)

    def _sum(self, factors: Array) -> Array:
        return np.asarray(self.X.T @ factors)

    def look(self) -> Here:
        """Compute the objective and the bound that the variables give."""
        alpha = self._balanced(self.at.alpha)
        w = self._sum(self.y * alpha)
        half = 0.5 * float(w @ w)
        scores = self._scores(w)
        b = self._best_intercept(scores)
        margins = self.y * (scores + b)
        primal = half + float(self.cost @ np.maximum(1 - margins, 0))
        dual = float(alpha.sum()) - half
        return Here(w, b, self.l2 * primal, self.l2 * dual, int((margins <= 0).sum()))

    def _best_intercept(self, scores: Array) -> float:
        """Return the intercept with the lowest objective: where the slope of the hinges turns."""
        if not self.fit_intercept:
            return 0.0
        turns = self.y - scores  # a hinge of the positive class ends there, of the other begins
        order = np.argsort(turns)
        slope = np.cumsum(self.cost[order]) - float(self.cost[self.y > 0].sum())
        return float(turns[order[min(int(np.searchsorted(slope, 0.0)), len(order) - 1)]])

    def step(self) -> bool:
        """Take a step; say whether that was possible."""
        alpha, room, low, high, b = self.at
        weights = 1 / (low / alpha + high / room)  # of rows in the system
        try:
            self._factor(weights)
        except LinAlgError:
            return False
        scores = self._scores(self.w)
        rest = 1 - self.y * (scores + b) + low - high  # what stationarity lacks
        mu = float(alpha @ low + room @ high) / (2 * len(alpha))
        ahead = self._direction(weights, rest, -alpha * low, -room * high)
        share = self._longest(ahead)
        d_alpha, _, d_low, d_high = ahead
        after = float(
            (alpha + share * d_alpha) @ (low + share * d_low)
            + (room - share * d_alpha) @ (high + share * d_high)
        ) / (2 * len(alpha))
        aim = mu * (after / mu) ** 3
        to_low = aim - alpha * low - d_alpha * d_low
        to_high = aim - room * high + d_alpha * d_high
        way = self._direction(weights, rest, to_low, to_high)
        share = min(1.0, _STAY * self._longest(way))
        d_alpha, d_b, d_low, d_high = (share * part for part in way)
        new = Point(alpha + d_alpha, room - d_alpha, low + d_low, high + d_high, b + float(d_b))
        if not all(np.isfinite(part).all() and (part > 0).all() for part in new[:4]):
            return False
        self.at = new
        self.w = self._sum(self.y * new.alpha)
        return True

    def _factor(self, weights: Array) -> None:
        """Factor ``I + Xᵀ diag(weights) X``, its columns scaled alike."""
        gram = np.eye(self.d)
        if sp.issparse(self.X):
            gram += (self.X.multiply(weights[:, None]).T.tocsr() @ self.X).toarray()
        else:
            size = max(256, _BLOCK // self.d)
            for start in range(0, len(weights), size):
                part = slice(start, start + size)
                rooted = self.X[part] * np.sqrt(weights[part])[:, None]
                gram += rooted.T @ rooted
        self.scale = 1 / np.sqrt(np.einsum("ii->i", gram))
        gram *= self.scale
        gram *= self.scale[:, None]
        self.factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        self.along = self._solve(weights, self.y) if self.fit_intercept else self.y

    def _solve(self, weights: Array, right: Array) -> Array:
        """Solve the system of the variables by that of the features (Woodbury's identity)."""
        first = weights * right
        inner = self.scale * self._sum(self.y * first)
        found = self.scale * cho_solve(self.factor, inner, check_finite=False)
        return first - weights * self.y * self._scores(found)

    def _direction(
        self, weights: Array, rest: Array, to_low: Array, to_high: Array
    ) -> tuple[Array, Any, Array, Array]:
        """Return the change of variables, intercept and multipliers."""
        alpha, room, low, high, _ = self.at
        d_alpha, d_b = self._solve(weights, rest + to_low / alpha - to_high / room), 0.0
        if self.fit_intercept:
            d_b = float(self.y @ d_alpha + self.y @ alpha) / float(self.y @ self.along)
            d_alpha = d_alpha - d_b * self.along
        d_low = (to_low - low * d_alpha) / alpha
        d_high = (to_high + high * d_alpha) / room
        return d_alpha, d_b, d_low, d_high

    def _longest(self, way: tuple[Array, Any, Array, Array]) -> float:
        """Return the share of a way after which the first number would be zero."""
        alpha, room, low, high, _ = self.at
        d_alpha, _, d_low, d_high = way
        shares = [1.0]
        for part, change in ((alpha, d_alpha), (room, -d_alpha), (low, d_low), (high, d_high)):
            falling = change < 0
            if falling.any():
                shares.append(float((-part[falling] / change[falling]).min()))
        return min(shares)
