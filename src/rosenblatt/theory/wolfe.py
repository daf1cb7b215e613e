"""Wolfe's method: in floating point with scans of all rows, and in fractions where that fails.

The rows are never handed to a solver at once. A working set starts as a sample; its nearest points
give a plane; a scan of all rows finds those that lie nearer to the plane than they should; they
join the set. On separable data this ends when no such row is left. On inseparable data it ends as
soon as the working set's hulls meet, which few rows suffice for.

The method in fractions is slow, finite and exact. It starts from the points that the search in
floating point ended with, so that a few steps suffice.
"""

from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels import margins as kernel
from rosenblatt.kernels.nearest_points import MORE, ORIGIN, Corral, corral, enter, nearest
from rosenblatt.theory import exact, exact_planes
from rosenblatt.theory.exact import Whole
from rosenblatt.theory.exact_planes import Plane, blocks
from rosenblatt.theory.problem import Problem, dense_rows

SAMPLE = 1024
JOIN = 512
STEPS = 64
BLOCK = 1 << 27  # products between two checks for Ctrl-C
TOL = 1e-10
ZERO = 1e-14
ENOUGH = 1 - 1e-7
PROGRESS = 1 - 1e-10
DEPENDENT = 1e-13
EXACT_ENOUGH = 1 - Fraction(1, 10**8)
SECONDS = 60.0

Progress: TypeAlias = Callable[[str], None]


def silent(text: str) -> None:
    """Report no progress. An empty text is for what shows that work still goes on."""


class SearchResult(NamedTuple):
    """A corral: rows and weights, the plane they imply, and whether their hulls seem to meet."""

    rows: Array
    weights: Array
    w: Array
    b: float
    meet: bool


class WorkingSet:
    """Some rows as points ``z = y·(x − centre)``, and the corral among them.

    ``even`` turns the features into others that vary alike and independently.
    """

    def __init__(self, problem: Problem, index: Array, even: bool = False) -> None:
        self.problem = problem
        self.index = np.empty(0, np.intp)
        self.n_groups = 1 + problem.fit_intercept
        self.k = 0
        values = self._values(index)
        # A power of two brings the largest number near one, so that no square overflows.
        self.scale = 2.0 ** min(1000.0, -float(np.frexp(np.abs(values).max())[1]))
        # Far from the origin most digits say only how far; without an intercept it is the origin
        # that counts.
        self.centre = (values * self.scale).mean(axis=0) * problem.fit_intercept
        self.turn = _evening(values * self.scale - self.centre) if even else None
        self.Z = np.empty((0, problem.n_features if self.turn is None else self.turn.shape[1]))
        self.group = np.empty(0, np.intp)
        self._append(index, values)
        self.corral = self._buffer(float(np.sqrt(np.mean(np.sum(self.Z**2, axis=1)))) or 1.0)
        for group in range(self.n_groups):
            self._start(int(np.flatnonzero(self.group == group)[0]))

    def _values(self, index: Array) -> Array:
        values, used = dense_rows(self.problem, index)
        if len(used) == self.problem.n_features:
            return values
        wide = np.zeros((len(index), self.problem.n_features))
        wide[:, used] = values
        return wide

    def _append(self, index: Array, values: Array) -> None:
        y = self.problem.y[index]
        group = (y > 0).astype(np.intp) if self.n_groups == 2 else np.zeros(len(y), np.intp)
        Z = (values * self.scale - self.centre) * y[:, None]
        self.Z = np.concatenate([self.Z, Z if self.turn is None else Z @ self.turn])
        self.group = np.concatenate([self.group, group])
        self.index = np.concatenate([self.index, index])

    def _buffer(self, sigma: float) -> Corral:
        n_features = self.Z.shape[1]
        return corral(n_features, min(len(self.index), n_features + self.n_groups), sigma)

    def _start(self, row: int) -> None:
        self.k = enter(self.Z, self.group, self.corral, self.k, row)
        self.corral.weights[self.k - 1] = 1.0

    def join(self, index: Array) -> None:
        """Take more rows in."""
        self._append(index, self._values(index))
        larger = self._buffer(self.corral.sigma)
        k = self.k
        if len(larger.rows) > len(self.corral.rows):
            larger.rows[:k], larger.weights[:k] = self.corral.rows[:k], self.corral.weights[:k]
            larger.triangle[:k, :k] = self.corral.triangle[:k, :k]
            self.corral = larger

    def solve(self) -> int:
        """Find the nearest points of the working set's hulls; say how it ended."""
        args = self.Z, self.group, self.n_groups, self.corral
        length, steps = np.inf, max(1, min(STEPS, BLOCK // self.Z.size))
        while True:
            self.k, status = nearest(*args, self.k, steps, TOL, ZERO * self.corral.sigma)
            last, length = length, float(np.linalg.norm(self.corral.sum))
            # Each step shortens the sum, until rounding is all that changes it.
            if status != MORE or not length < last * PROGRESS:
                return int(status)

    def result(self, status: int) -> SearchResult:
        """Describe the corral in terms of the data's own rows and features."""
        state, k = self.corral, self.k
        at, weights, w = state.rows[:k], state.weights[:k].copy(), state.sum.copy()
        own = [
            float(weights[self.group[at] == g] @ (self.Z[at[self.group[at] == g]] @ w))
            for g in range(self.n_groups)
        ]
        w = w if self.turn is None else self.turn @ w
        # Scores are w·(x − centre) plus what puts the plane halfway.
        b = 0.0
        if self.n_groups == 2:
            b = ((own[0] - own[1]) / 2 - float(w @ self.centre)) / self.scale
        meet = status == ORIGIN
        return SearchResult(self.index[at], weights, w, b, meet)


def search(problem: Problem, progress: Progress = silent, even: bool = False) -> SearchResult:
    """Look for the nearest points of the two hulls.

    With ``even`` they are nearest in another geometry. Hulls that meet do so in any, and where
    features are almost dependent it is easier to see there.
    """
    work = WorkingSet(problem, sample(problem), even)
    while True:
        status = work.solve()
        result = work.result(status)
        if status == ORIGIN:
            return result
        squared = float(work.corral.sum @ work.corral.sum)
        most = np.sqrt(squared) / (work.n_groups * work.scale)
        progress(
            f"{len(work.index):,} of {problem.n:,} rows matter so far; margin at most {most:.6g}"
        )
        limit = ENOUGH * squared / (work.n_groups * work.scale)
        rows = lowest(problem, result.w, result.b, limit)
        new = rows[~np.isin(rows, work.index)]
        if not len(new):
            return result
        work.join(new)


def _evening(values: Array) -> Array:
    """Return the matrix that turns features into independent ones of equal size."""
    _, sizes, directions = np.linalg.svd(values, full_matrices=False)
    kept = sizes > DEPENDENT * sizes[0]
    return np.asarray(directions[kept].T / sizes[kept])


def sample(problem: Problem) -> Array:
    """Pick rows to start with, evenly spread, of both classes: all of them if there are few."""
    if problem.n <= 2 * SAMPLE:
        return np.arange(problem.n)
    parts = [np.flatnonzero(problem.y == side) for side in (-1.0, 1.0)]
    picks = [p[np.linspace(0, len(p) - 1, min(len(p), SAMPLE // 2)).astype(np.intp)] for p in parts]
    return np.sort(np.concatenate(picks))


def lowest(problem: Problem, w: Array, b: float, limit: float, most: int = JOIN) -> Array:
    """Find the rows of the smallest margins below a limit, at most ``most`` of them."""
    heap, index = np.full(most, np.inf), np.empty(most, np.intp)
    for start, stop in blocks(problem):
        kernel.lowest(problem.rows, problem.y, start, stop, w, b, limit, heap, index)
    return np.sort(index[np.isfinite(heap)])


class ExactResult(NamedTuple):
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
        solution = exact.solve(system, np.array([0] * k + [1] * m, object))
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
        shift = exact.null_vector(np.concatenate([np.array(self.points, object).T, self.groups()]))
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
    problem: Problem, rows: Array, weights: Array, progress: Progress
) -> ExactResult | None:
    """Continue in fractions from rows and weights, until the answer is certain either way.

    None if that takes more than a minute.
    """
    corral, start = _corral(problem, rows, weights), perf_counter()
    while perf_counter() - start < SECONDS:
        corral.settle()
        progress(f"{len(corral.rows)} points in fractions")
        plane = corral.plane()
        if plane is None:
            return ExactResult(np.array(corral.rows), corral.weights, None)
        least = exact_planes.least(problem, plane)
        own = exact_planes.margin(problem, corral.rows[0], plane)
        if least.value >= EXACT_ENOUGH * own:
            return ExactResult(np.array(corral.rows), corral.weights, plane)
        if not least.exact:
            least = exact_planes.least(problem, plane, exactly=True)
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
