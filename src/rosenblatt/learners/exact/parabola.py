"""The parabola through a smooth objective that a proximal Newton step minimises with its penalty.

The weights of one class after another are moved to where it is lowest. Once no weight changes its
sign any more, conjugate gradients find the rest at once, however alike classes and features are.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Dense, as_matrix, n_rows
from rosenblatt.learners.exact.local_lasso import ByColumns, Shifted, local_lasso
from rosenblatt.learners.exact.objective import Look, Objective, Problem

_CYCLES = 50  # over the classes
_SHARE = 1e-2  # of the decrease so far, below which a cycle is the last
_CG_STEPS = 100
_REST = 1e-4  # of the slopes, which conjugate gradients leave
_FAR = 1e4  # times the variance: a squared mean that would hide it


class Place(NamedTuple):
    """Some weights, what the rows say about them, and how much the parabola is to curve more."""

    at: Array
    here: Look
    damping: float


class Columns:
    """The columns of the features that take part, in float64; those of sparse rows as CSC.

    Sparse columns that are far from zero, and so have few zeros, are shifted to their means.
    """

    def __init__(self, problem: Problem) -> None:
        d = problem.n_features
        self.matrix: Any = as_matrix(problem.rows, d)
        self.offset = np.zeros(d)
        if not isinstance(problem.rows, Dense):
            self.matrix = sp.csc_matrix(self.matrix, dtype=np.float64, copy=True)
            self.matrix.sum_duplicates()
            if problem.fit_intercept:
                self._shift()
        self.last: tuple[Array, Shifted] | None = None

    def _shift(self) -> None:
        n = self.matrix.shape[0]
        mean = np.asarray(self.matrix.sum(axis=0)).ravel() / n
        squares = np.asarray(self.matrix.multiply(self.matrix).sum(axis=0)).ravel() / n
        far = np.flatnonzero(mean**2 > _FAR * (squares - mean**2))
        far = far[mean[far] != 0]
        if len(far):
            self.offset[far] = mean[far]
            near = np.ones(len(mean))
            near[far] = 0.0
            there = sp.csc_matrix(self.matrix[:, far].toarray() - mean[far])
            back = sp.csc_matrix(
                (np.ones(len(far)), (np.arange(len(far)), far)), (len(far), len(mean))
            )
            self.matrix = (self.matrix @ sp.diags(near) + there @ back).tocsc()

    def take(self, chosen: Array) -> Shifted:
        """Return some of them."""
        if self.last is None or not np.array_equal(chosen, self.last[0]):
            whole = len(chosen) == len(self.offset)
            X = self.matrix if whole else self.matrix[:, chosen]
            shifted = Shifted(X.astype(np.float64, copy=False), self.offset[chosen])
            self.last = chosen, shifted
        return self.last[1]


class Parabola:
    """A parabola of the weights of some features, and all intercepts."""

    def __init__(
        self, objective: Objective, l1: float, place: Place, columns: Shifted, chosen: Array
    ) -> None:
        at, here, damping = place
        n = n_rows(objective.problem.rows)
        self.objective, self.here, self.l1 = objective, here, l1
        self.l2, self.fit_intercept = objective.problem.l2, objective.problem.fit_intercept
        self.columns = columns
        self.start, self.slopes = at[:, chosen], here.gradient[:, chosen]
        pairs = zip(objective.caps(at), objective.curvatures(here), strict=True)
        extra, self.models = [], []
        for cap, bends in pairs:
            extra.append(np.maximum(damping * (cap - bends), 0.0))
            bends = (bends + extra[-1]) / n
            self.models.append(local_lasso(columns, bends, l1, self.l2, self.fit_intercept))
        self.extra, self.n = np.stack(extra, axis=1), n

    def lowest(self, enough: float) -> tuple[Array, Array]:
        """Return the way to where it is lowest with the penalty, and the weights there."""
        p, total = np.zeros_like(self.start), 0.0
        signs = None
        for cycle in range(_CYCLES):
            gain = 0.0
            for k, change, lower in self._visits(p, cycle, enough):
                p[k] += change
                gain += lower
            total += gain
            exact = len(p) == 1 and not isinstance(self.models[0], ByColumns)
            # The closer the end, the more exactly: then steps square what is left.
            share = min(_SHARE, np.sqrt(total / max(self.here.value, 1e-300)))
            if exact or gain <= max(enough, share * total):
                break
            last, signs = signs, np.sign(self._weights(p))
            if last is not None and np.array_equal(signs, last):
                self._finish(p)
        return p, self._weights(p)

    def _weights(self, p: Array) -> Array:
        """Return the weights after a change; differences that are rounding are zero."""
        start, w = self.start[:, :-1], self.start[:, :-1] + p[:, :-1]
        w[np.abs(w) <= 1e-15 * np.abs(start)] = 0.0
        return np.asarray(w)

    def _visits(self, p: Array, cycle: int, enough: float) -> Iterator[tuple[int, Array, float]]:
        """Minimise it along the weights of each class, given those of the others."""
        turns = self._turns(p) if cycle else np.zeros((self.n, len(p)))
        for k, model in enumerate(self.models):
            now = self.slopes[k].copy()
            if cycle or k:
                rise = (
                    self.objective.turned(self.here, turns)[:, k] + self.extra[:, k] * turns[:, k]
                )
                now += self._sums(rise[:, None] / self.n)[0]
                now[:-1] += self.l2 * p[k, :-1]
            w = self._weights(p)[k]
            change, gain = model.solve(now, w, enough)
            change[:-1] -= (self.start[k, :-1] + p[k, :-1]) - w
            yield k, change, gain
            if len(p) > 1:
                turns[:, k] += self.columns.times(change[None])[:, 0]

    def _turns(self, v: Array) -> Array:
        return self.columns.times(v)

    def _sums(self, table: Array) -> Array:
        found = self.columns.sums(table)
        found[:, -1] *= self.fit_intercept
        return found

    def times(self, v: Array) -> Array:
        """Multiply by its second derivatives."""
        turns = self._turns(v)
        rise = (self.objective.turned(self.here, turns) + self.extra * turns) / self.n
        product = self._sums(rise)
        product[:, :-1] += self.l2 * v[:, :-1]
        return product

    def _finish(self, p: Array) -> None:
        """Go to where it is lowest for these signs, or as far as they are kept."""
        w = self._weights(p)
        signs = np.sign(w)
        free = np.hstack([signs != 0, np.full((len(p), 1), self.fit_intercept)])
        rest = -(self.slopes + self.times(p))
        rest[:, :-1] -= self.l1 * signs
        step = self._conjugate(rest * free, free)
        crossing = step[:, :-1] * signs < 0
        lengths = np.where(crossing, -w / np.where(crossing, step[:, :-1], 1.0), np.inf)
        far = min(1.0, float(lengths.min(initial=np.inf)))
        p += far * step
        p[:, :-1][lengths <= far] = -self.start[:, :-1][lengths <= far]

    def _conjugate(self, rest: Array, free: Array) -> Array:
        """Divide by the second derivatives of the free weights, by conjugate gradients."""
        inverses = [model.inverse(free[k, :-1]) for k, model in enumerate(self.models)]

        def divide(v: Array) -> Array:
            return np.stack([inverse(line) for inverse, line in zip(inverses, v, strict=True)])

        step = np.zeros_like(rest)
        scaled = divide(rest)
        towards, size = scaled, float((rest * scaled).sum())
        enough = _REST**2 * size
        for _ in range(_CG_STEPS):
            product = self.times(towards) * free
            curved = float((towards * product).sum())
            if not curved > 0 or not size > enough:
                break
            step += size / curved * towards
            rest = rest - size / curved * product
            scaled = divide(rest)
            size, last = float((rest * scaled).sum()), size
            towards = scaled + size / last * towards
        return step
