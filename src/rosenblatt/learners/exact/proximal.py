"""Proximal Newton steps, for smooth losses with an L1 penalty or the elastic net.

Yuan, Ho and Lin (2012), "An improved GLMNET for L1-regularized logistic regression"; Friedman,
Hastie and Tibshirani (2010). Each step goes to where a parabola through the smooth part, with the
penalty itself, is lowest, or part of the way. Only weights that are not zero, or whose slope is
larger than the penalty, take part. Of K classes the softmax's whole parabola is used; only the
search for the length of a step sees the loss itself.
"""

from collections.abc import Iterator

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.exact.newton import ENOUGH, Step
from rosenblatt.learners.exact.objective import Look, Objective
from rosenblatt.learners.exact.parabola import Columns, Parabola, Place

_HALVINGS = 40
_SLOPE = 1e-4  # Armijo's: the share of the promised decrease that a step must bring
_EXACTLY = 1e-2  # of what is enough: how exactly a parabola is minimised
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
        yield Step(at, here, passes, left, False)


class _Search:
    """An objective with its penalty, and the columns of the features that take part."""

    def __init__(self, objective: Objective, l1: float) -> None:
        self.objective, self.l1 = objective, l1
        self.columns = Columns(objective.problem)

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

    def along(self, at: Array, here: Look, p: Array, left: float) -> tuple[Array, Look, float, int]:
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

    def direction(
        self, at: Array, here: Look, damping: float, exactly: float, alone: bool = False
    ) -> Array:
        """Minimise the parabola with its penalty; return the way there.

        ``alone`` says that only the intercept moves.
        """
        takes_part = (at[:, :-1] != 0) | (np.abs(here.gradient[:, :-1]) > self.l1)
        moving = np.flatnonzero(takes_part.any(axis=0) & (not alone))
        chosen = np.append(moving, at.shape[1] - 1)
        place, columns = Place(at, here, damping), self.columns.take(moving)
        p, weights = Parabola(self.objective, self.l1, place, columns, chosen).lowest(exactly)
        whole = np.zeros_like(at)
        whole[:, chosen] = p
        # So that zeros are exact, whatever was added up.
        zero = np.zeros(at.shape, np.bool_)
        zero[:, moving] = weights == 0
        whole[zero] = -at[zero]
        return whole
