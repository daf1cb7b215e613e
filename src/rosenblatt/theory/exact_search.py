"""Wolfe's method in fractions: slow, finite, and right, where floating point could not decide.

It starts from the points that the search in floating point ended with, so that a few steps do.
"""

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory import exact, planes
from rosenblatt.theory import exact as equations
from rosenblatt.theory.exact import Whole
from rosenblatt.theory.planes import Plane
from rosenblatt.theory.problem import Problem, dense_rows

ENOUGH = 1 - Fraction(1, 10**8)
SECONDS = 60.0


class Result(NamedTuple):
    """Rows with their weights, and the plane they imply; None if they prove that there is none."""

    rows: Array
    weights: list[Fraction]
    plane: Plane | None


class ExactCorral:
    """Points z = y·x in whole numbers (times one power of two), their products, and weights."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows: list[int] = []
        self.weights: list[Fraction] = []
        self.points: list[Whole] = []
        self.power = 0

    def add(self, row: int, weight: Fraction) -> None:
        """Append a point."""
        numbers, power = exact.whole(_row(self.problem, row))
        numbers = numbers * int(self.problem.y[row])
        if not self.points:
            self.power = power
        if power < self.power:
            self.points = [point << (self.power - power) for point in self.points]
            self.power = power
        self.rows.append(row)
        self.weights.append(weight)
        self.points.append(numbers << (power - self.power))

    def keep_positive(self) -> None:
        """Drop the points whose weight is zero."""
        kept = [i for i, weight in enumerate(self.weights) if weight > 0]
        self.rows = [self.rows[i] for i in kept]
        self.weights = [self.weights[i] for i in kept]
        self.points = [self.points[i] for i in kept]

    def groups(self) -> Whole:
        """Return a row of ones and zeros for each group."""
        signs = self.problem.y[self.rows]
        if not self.problem.fit_intercept:
            return np.ones((1, len(signs)), object)
        return np.array([signs < 0, signs > 0]).astype(np.int64).astype(object)

    def affine(self) -> list[Fraction] | None:
        """Return the weights of the affine hull's nearest point; None if points are dependent."""
        P, E = np.array(self.points, object), self.groups()
        k, m = len(P), len(E)
        system = np.zeros((k + m, k + m), object)
        system[:k, :k], system[:k, k:], system[k:, :k] = P.dot(P.T), E.T, E
        solution = equations.solve(system, np.array([0] * k + [1] * m, object))
        if solution is None:
            return None
        numbers, divisor = solution
        return [Fraction(int(v), divisor) for v in numbers[:k]]

    def settle(self) -> None:
        """Move to the nearest point of the points' hull, dropping those it does not need."""
        while True:
            target = self.affine()
            if target is None:
                self._drop_dependent()
                continue
            if min(target) > 0:
                self.weights = target
                return
            pairs = list(zip(self.weights, target, strict=True))
            step = min(old / (old - new) for old, new in pairs if new <= 0 and old != new)
            self.weights = [old + step * (new - old) for old, new in pairs]
            self.keep_positive()

    def _drop_dependent(self) -> None:
        """Shift weight among dependent points, onto the last one, until one is used up."""
        shift = equations.null_vector(
            np.concatenate([np.array(self.points, object).T, self.groups()])
        )
        if shift is None:
            raise RuntimeError("points depend on each other, and it was not found how")
        last = max(i for i, v in enumerate(shift) if v)
        shift = shift if shift[last] > 0 else -shift
        pairs = list(zip(self.weights, shift, strict=True))
        step = min(weight / -int(v) for weight, v in pairs if v < 0)
        self.weights = [weight + step * int(v) for weight, v in pairs]
        self.keep_positive()

    def _sum(self) -> tuple[Whole, int]:
        """Return ``Σ λ_i z_i`` times a divisor, which is the second number, in units of 2^power."""
        divisor = int(np.lcm.reduce(np.array([w.denominator for w in self.weights], object)))
        numbers = np.array([int(w * divisor) for w in self.weights], object)
        return numbers.dot(np.array(self.points, object)), divisor

    def squared_distance(self) -> Fraction:
        """Return ``‖Σ λ_i z_i‖²``."""
        total, divisor = self._sum()
        return exact.scaled(int(total.dot(total)), 2 * self.power) / divisor**2

    def plane(self) -> Plane | None:
        """Return the plane halfway between the two nearest points; None if they are one point."""
        normal, _ = self._sum()
        if not normal.any():
            return None
        P = np.array(self.points, object)
        offset = 0
        if self.problem.fit_intercept:
            signs = self.problem.y[self.rows]
            ahead, behind = (
                int(P[int(np.flatnonzero(signs == s)[0])].dot(normal)) for s in (1, -1)
            )
            offset = behind - ahead
            normal = 2 * normal
        # Scores are normal · x + offset with x in units of 2^power; bring both to one unit.
        if self.power >= 0:
            return _shortest(normal, offset << self.power)
        return _shortest(normal << -self.power, offset)


def hull_distance(problem: Problem, rows: Array) -> float:
    """Return the bound on margins that some rows prove, by their hulls' true nearest points."""
    corral = _corral(problem, rows, np.ones(len(rows)))
    corral.settle()
    squared = corral.squared_distance()
    return exact.root_above(squared / (4 if problem.fit_intercept else 1))


def _row(problem: Problem, row: int) -> Array:
    values, used = dense_rows(problem, np.array([row]))
    wide = np.zeros(problem.n_features)
    wide[used] = values[0]
    return wide


def _shortest(normal: Whole, offset: int) -> Plane:
    numbers = exact.shortest(np.append(normal, offset))
    return Plane(numbers[:-1], int(numbers[-1]), 0)


def exact_search(
    problem: Problem, rows: Array, weights: Array, tell: Callable[[str], None]
) -> Result | None:
    """Go on in fractions from rows and weights, until the answer is certain either way.

    None if that takes more than a minute.
    """
    corral, start = _corral(problem, rows, weights), perf_counter()
    while perf_counter() - start < SECONDS:
        corral.settle()
        tell(f"{len(corral.rows)} points in fractions")
        plane = corral.plane()
        if plane is None:
            return Result(np.array(corral.rows), corral.weights, None)
        least = planes.least(problem, plane)
        own = planes.margin(problem, corral.rows[0], plane)
        if least.value >= ENOUGH * own:
            return Result(np.array(corral.rows), corral.weights, plane)
        if not least.exact:
            least = planes.least(problem, plane, exactly=True)
        corral.add(least.row, Fraction(0))
    return None


def _corral(problem: Problem, rows: Array, weights: Array) -> ExactCorral:
    """Start from rows and weights, each group's made to sum to one."""
    corral = ExactCorral(problem)
    for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        if weight > 0:
            corral.add(row, Fraction(weight))
    for side in (-1.0, 1.0):  # where rounding left nothing, start from any point
        missing = problem.fit_intercept or not corral.rows
        if missing and not np.any(problem.y[corral.rows] == side):
            corral.add(int(np.flatnonzero(problem.y == side)[0]), Fraction(1))
    for group in corral.groups():
        total = sum(w for w, g in zip(corral.weights, group, strict=True) if g)
        corral.weights = [w / total if g else w for w, g in zip(corral.weights, group, strict=True)]
    return corral
