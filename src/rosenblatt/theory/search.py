"""Searching in floating point: Wolfe's method on a few rows, scans of all rows for more.

The rows are never handed to a solver at once. A working set starts as a sample; its nearest points
give a plane; a scan of all rows finds those that lie nearer to the plane than they should; they
join the set. On separable data this ends when no such row is left. On inseparable data it ends as
soon as the working set's hulls meet, which few rows suffice for.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels import margins as kernel
from rosenblatt.kernels.nearest import MORE, ORIGIN, Corral, corral, enter, nearest
from rosenblatt.theory.planes import blocks
from rosenblatt.theory.problem import Problem, dense_rows

SAMPLE = 1024
JOIN = 512
STEPS = 64
BLOCK = 1 << 27  # products between two chances for Ctrl-C
TOL = 1e-10
ZERO = 1e-14
ENOUGH = 1 - 1e-7
PROGRESS = 1 - 1e-10
DEPENDENT = 1e-13


Tell: TypeAlias = Callable[[str], None]


def silent(text: str) -> None:
    """Tell nobody."""


class Found(NamedTuple):
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
        self.corral = self._room(float(np.sqrt(np.mean(np.sum(self.Z**2, axis=1)))) or 1.0)
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

    def _room(self, sigma: float) -> Corral:
        n_features = self.Z.shape[1]
        return corral(n_features, min(len(self.index), n_features + self.n_groups), sigma)

    def _start(self, row: int) -> None:
        self.k = enter(self.Z, self.group, self.corral, self.k, row)
        self.corral.weights[self.k - 1] = 1.0

    def join(self, index: Array) -> None:
        """Take more rows in."""
        self._append(index, self._values(index))
        room = self._room(self.corral.sigma)
        k = self.k
        if len(room.rows) > len(self.corral.rows):
            room.rows[:k], room.weights[:k] = self.corral.rows[:k], self.corral.weights[:k]
            room.triangle[:k, :k] = self.corral.triangle[:k, :k]
            self.corral = room

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

    def found(self, status: int) -> Found:
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
        return Found(self.index[at], weights, w, b, meet)


def search(problem: Problem, tell: Tell = silent, even: bool = False) -> Found:
    """Look for the nearest points of the two hulls.

    With ``even`` they are nearest in another geometry. Hulls that meet do so in any, and where
    features are almost dependent it is easier to see there.
    """
    work = WorkingSet(problem, sample(problem), even)
    while True:
        status = work.solve()
        found = work.found(status)
        if status == ORIGIN:
            return found
        squared = float(work.corral.sum @ work.corral.sum)
        most = np.sqrt(squared) / (work.n_groups * work.scale)
        tell(f"{len(work.index):,} of {problem.n:,} rows matter so far; margin at most {most:.6g}")
        limit = ENOUGH * squared / (work.n_groups * work.scale)
        rows = lowest(problem, found.w, found.b, limit)
        new = rows[~np.isin(rows, work.index)]
        if not len(new):
            return found
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
    """Find the rows of the smallest margins below a limit, at most so many."""
    heap, index = np.full(most, np.inf), np.empty(most, np.intp)
    for start, stop in blocks(problem):
        kernel.lowest(problem.rows, problem.y, start, stop, w, b, limit, heap, index)
    return np.sort(index[np.isfinite(heap)])
