"""Proximal Newton steps, for smooth losses with an L1 penalty or the elastic net.

Yuan, Ho and Lin (2012), "An improved GLMNET for L1-regularized logistic regression"; Friedman,
Hastie and Tibshirani (2010). Each step goes to where a parabola through the smooth part, with the
penalty itself, is lowest, or part of the way. Only weights that are not zero, or whose slope is
larger than the penalty, take part. Of K classes the softmax's whole parabola is used, one class
after another; only the search for the length of a step sees the loss itself.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Dense, as_matrix, n_rows
from rosenblatt.learners.exact.local_lasso import local_lasso
from rosenblatt.learners.exact.newton import ENOUGH, Step
from rosenblatt.learners.exact.objective import Look, Objective

_HALVINGS = 40
_SLOPE = 1e-4  # Armijo's: the share of the promised decrease that a step must bring
_EXACTLY = 1e-2  # of what is enough: how exactly a parabola is minimised
_CYCLES = 50  # over the classes
_SHARE = 1e-3  # of the decrease so far, below which a cycle is the last
_DAMPING = 1e-6  # the least share of the caps, which are never flat
_ABRUPT = ("huber", "modified_huber")  # flat far away: their curvatures say little there
_INTERCEPT = 1e-8  # what a better intercept must promise, before weights move


def proximal_newton(
    objective: Objective, l1: float, start: Array, enough: float = ENOUGH
) -> Iterator[Step]:
    """Yield each step, until what is left to gain is less than a share of the objective."""
    search = _Search(objective, l1)
    at, here = search.with_intercept(start)
    least = 1e-3 * here.value
    damping = 1.0 if objective.problem.loss in _ABRUPT else _DAMPING
    passes = 1
    while True:
        yield Step(at, here, passes, np.inf, False)
        exactly = _EXACTLY * enough * max(here.value, least)
        p = search.direction(at, here, damping, exactly)
        before, left = here, -search.promise(at, here, p)
        at, here, eta, tried = search.along(at, here, p, left)
        passes += tried
        damping = max(damping / 10, _DAMPING) if eta == 1 else min(1.0, max(10 * damping, 1e-3))
        stuck = here is before
        if left <= enough * max(here.value, least) or (stuck and damping == 1):
            yield Step(at, here, passes, left, left <= enough * max(here.value, 1e3 * least))
            return


class _Search:
    """An objective with its penalty, and the columns of the features that take part."""

    def __init__(self, objective: Objective, l1: float) -> None:
        self.objective, self.l1 = objective, l1
        self.matrix: Any = as_matrix(objective.problem.rows, objective.problem.n_features)
        if not isinstance(objective.problem.rows, Dense):
            self.matrix = sp.csc_matrix(self.matrix, dtype=np.float64)
            self.matrix.sum_duplicates()
        self.moving = np.arange(0)
        self.columns = self.matrix[:, :0]

    def look(self, at: Array) -> Look:
        """Add the penalty to what the rows say; the gradient is that of the rest."""
        here = self.objective.look(at)
        return here._replace(value=here.value + self.l1 * float(np.abs(at[:, :-1]).sum()))

    def with_intercept(self, at: Array) -> tuple[Array, Look]:
        """Where all weights are zero, find the intercept that is best for that."""
        here, damping = self.look(at), 1.0
        if at[:, :-1].any() or not self.objective.problem.fit_intercept:
            return at, here
        for _ in range(_HALVINGS):
            p = self.direction(at, here, damping, 0.0, alone=True)
            left = -self.promise(at, here, p)
            if not left > _INTERCEPT * here.value:
                break
            at, here, eta, _ = self.along(at, here, p, left)
            damping = max(damping / 10, _DAMPING) if eta == 1 else 1.0
        return at, here

    def promise(self, at: Array, here: Look, p: Array) -> float:
        """Return how the objective changes along p, as far as its slope says; it is negative."""
        w = at[:, :-1]
        penalty = np.abs(w + p[:, :-1]).sum() - np.abs(w).sum()
        return float((here.gradient * p).sum() + self.l1 * penalty)

    def along(
        self, at: Array, here: Look, p: Array, left: float
    ) -> tuple[Array, Look, float, int]:
        """Halve a step until it lowers the objective enough; return its end, length, and tries."""
        eta = 1.0
        for tried in range(1, _HALVINGS + 1):
            if not left > 1e-15 * abs(here.value):
                return at, here, 1.0, tried - 1
            there = at + eta * p
            after = self.look(there)
            if after.value <= here.value - _SLOPE * eta * left:
                return there, after, eta, tried
            eta /= 2
        return at, here, 0.0, _HALVINGS

    def _take(self, moving: Array) -> Any:
        """Return the columns of some features, in float64."""
        if not np.array_equal(moving, self.moving):
            whole = len(moving) == self.matrix.shape[1]
            columns = self.matrix if whole else self.matrix[:, moving]
            self.moving, self.columns = moving, columns.astype(np.float64, copy=False)
        return self.columns

    def direction(
        self, at: Array, here: Look, damping: float, exactly: float, alone: bool = False
    ) -> Array:
        """Minimise the parabola with its penalty; return the way there.

        ``alone`` says that only the intercept moves.
        """
        objective, l1, n = self.objective, self.l1, n_rows(self.objective.problem.rows)
        l2, fit_intercept = objective.problem.l2, objective.problem.fit_intercept
        takes_part = (at[:, :-1] != 0) | (np.abs(here.gradient[:, :-1]) > l1)
        moving = np.flatnonzero(takes_part.any(axis=0) & (not alone))
        chosen = np.append(moving, at.shape[1] - 1)
        X, start, slopes = self._take(moving), at[:, chosen], here.gradient[:, chosen]
        extra = [
            np.maximum(damping * (cap - bends), 0.0) / n
            for cap, bends in zip(objective.caps(at), objective.curvatures(here), strict=True)
        ]
        models = [
            local_lasso(X, bends / n + more, l1, l2, fit_intercept)
            for bends, more in zip(objective.curvatures(here), extra, strict=True)
        ]
        p, turns, total = np.zeros_like(start), np.zeros((n, len(at))), 0.0
        for cycle in range(_CYCLES):
            gain = 0.0
            for k, model in enumerate(models):
                now = slopes[k].copy()
                if cycle or k:
                    rise = objective.turned(here, turns)[:, k] / n + extra[k] * turns[:, k]
                    now[:-1] += X.T @ rise + l2 * p[k, :-1]
                    now[-1] += rise.sum() * fit_intercept
                change, lower = model.solve(now, start[k, :-1] + p[k, :-1], exactly)
                p[k] += change
                if len(models) > 1:
                    turns[:, k] += X @ change[:-1] + change[-1]
                gain += lower
            total += gain
            if len(models) == 1 or gain <= max(exactly, _SHARE * total):
                break
        whole = np.zeros_like(at)
        whole[:, chosen] = p
        # So that zeros are exact, whatever was added up.
        whole[:, moving][start[:, :-1] + p[:, :-1] == 0] = -at[:, moving][
            start[:, :-1] + p[:, :-1] == 0
        ]
        return whole
