"""Newton's method with conjugate gradients, for smooth losses (Nash 1985; Lin, Weng, Keerthi 2008).

Each step solves ``H p = −g`` by conjugate gradients, no more exactly than the step deserves, so the
Hessian H is never formed: a product with it is a pass over the rows. A first guess comes from some
of the rows. Near the lowest loss every step squares what is left to gain.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, n_rows, take
from rosenblatt.learners.exact.objective import Look, Objective
from rosenblatt.learners.exact.preconditioner import Inverse, is_factored, preconditioner

ENOUGH = 1e-8  # what is left to gain, as a share of the loss, before the last step
_ROUGHLY = 1e-3  # what a guess may be above the lowest loss of its rows, as a share of it
_SHARE = 8  # of the rows, one in so many at most gives the first guess
_LEAST = 20_000  # rows that give it, unless there are fewer or very many features
_PER_FEATURE = 100
_SPARE = 0.1  # of the share of the loss that is looked for
_OLD = 3  # steps after which the preconditioner is made anew
_CAUTION = 4.0  # times what is left by an inverse that is far from the Hessian's
_CG_STEPS = 500
_HALVINGS = 40
_SLOPE = 1e-4  # Armijo's: the share of the promised decrease that a step must bring


class Guess(NamedTuple):
    """Weights to start from, and what is known of the inverse Hessian there."""

    at: Array
    inverse: Inverse | None = None


class Step(NamedTuple):
    """Where Newton's method is: the weights, what rows say, and the passes over all rows so far."""

    at: Array
    here: Look
    passes: int
    left: float
    done: bool


def newton(
    objective: Objective, start: Guess, enough: float = ENOUGH, old: int = _OLD
) -> Iterator[Step]:
    """Yield where each step leads, until what is left to gain is less than a share of the loss.

    After ``old`` steps the preconditioner is made anew.
    """
    at, inverse = start
    here, passes, age = objective.look(at), 1, 0
    least = 1e-3 * here.value
    caution = 1.0 if is_factored(objective) and objective.n_functions == 1 else _CAUTION
    while True:
        if inverse is None or age == old:
            inverse, age = preconditioner(objective, here), 0
        p, used = _direction(objective, here, inverse, enough)
        before, gain = here, -float((here.gradient * p).sum()) / 2
        at, here, tried = _search(objective, at, here, p, gain)
        passes, age = passes + used + tried, age + 1
        # What is left shrinks as the squared gradient does, in the norm of the inverse Hessian.
        shrunk = _size(here, inverse) / max(_size(before, inverse), 1e-300)
        left = gain * min(1.0, caution * shrunk)
        # Where no step is short enough, rounding hides what is left to gain.
        if here is before or left <= enough * max(here.value, least):
            yield Step(at, here, passes, left, left <= enough * max(here.value, 1e3 * least))
            return
        yield Step(at, here, passes, left, False)


def _size(here: Look, inverse: Inverse) -> float:
    return float((here.gradient * inverse(here.gradient)).sum())


def _search(
    objective: Objective, at: Array, here: Look, p: Array, gain: float
) -> tuple[Array, Look, int]:
    """Halve a step until it lowers the objective enough; return where it leads, and the tries."""
    eta = 1.0
    for tried in range(1, _HALVINGS + 1):
        if not gain > 1e-15 * abs(here.value):
            return at, here, tried - 1
        after = objective.look(objective.shifted(at + eta * p))
        if after.value <= here.value - 2 * _SLOPE * eta * gain:
            return objective.shifted(at + eta * p), after, tried
        eta /= 2
    return at, here, _HALVINGS


def _direction(
    objective: Objective, here: Look, inverse: Inverse, least: float
) -> tuple[Array, int]:
    """Solve ``H p = −g`` by conjugate gradients; return p, and the products that it took.

    What is left to gain need not be less than the share of the loss that is looked for.
    """
    p, rest = np.zeros_like(here.gradient), -here.gradient
    scaled = inverse(rest)
    towards, size = scaled, float((rest * scaled).sum())
    # The closer the end, the more exactly: then steps square what is left.
    share = min(0.1, np.sqrt(size / max(here.value, 1e-300)))
    enough = max(max(share, 1e-3) ** 2 * size, _SPARE * least * here.value)
    for used in range(1, _CG_STEPS + 1):
        product = objective.times(here, towards)
        curved = float((towards * product).sum())
        if not curved > 0:
            return (p if used > 1 else towards), used
        eta = size / curved
        p = p + eta * towards
        rest = rest - eta * product
        scaled = inverse(rest)
        size, last = float((rest * scaled).sum()), size
        if not size > enough:
            break
        towards = scaled + size / last * towards
    return p, used


def first_guess(objective: Objective, at: Array) -> Guess:
    """Improve weights on some of the rows, where there are many."""
    problem = objective.problem
    n = n_rows(problem.rows)
    some_rows = min(n // _SHARE, max(_LEAST, _PER_FEATURE * (problem.n_features + 1)))
    if some_rows < max(_LEAST // 4, 10 * problem.n_features):
        return Guess(at)
    chosen = np.linspace(0, n - 1, some_rows).astype(np.intp)
    weights = None if problem.weights is None else problem.weights[chosen]
    some = objective.part_of(take(problem.rows, chosen), problem.y[chosen], weights)
    for step in newton(some, Guess(at), _ROUGHLY, old=_CG_STEPS):
        at, here = step.at, step.here
    return Guess(at, preconditioner(some, here))
