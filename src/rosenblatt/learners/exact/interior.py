"""The linear SVM of not too many features, by an interior point method.

Minimise ``½‖W‖² + Σ c_i max_k (s_ik − s_iy + [k ≠ y])`` with ``s_ik = w_k·x_i + b_k`` (Crammer and
Singer 2001); with two classes, that is the hinge. In the dual, each row divides its cost among the
classes: ``p_ik ≥ 0`` and ``Σ_k p_ik = c_i``. Newton's steps on the conditions of optimality, with
predictor and corrector (Mehrotra 1992), keep all shares above zero and lead them to where they
belong. A step solves one system in the weights alone (as in Ferris and Munson 2002), so ten to
thirty steps do whatever the size of the columns is, where coordinate ascent crawls.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.learners.exact.dual_classes import balancing
from rosenblatt.learners.exact.objective import Problem

_MOST_WEIGHTS = 1_500
_MOST_CLASSES = 60
_STEPS = 100
_PATIENCE = 15  # steps without a nearer bound: early ones may be in vain, where columns are large
_BLOCK = 1 << 19  # numbers in a block of rows
_STAY = 0.995  # the share of the way to the nearest bound that a step goes at most
_AIM = 0.1  # of the gap that is asked for: shares need not come closer to zero than that takes
_FIRST = 0.3  # the share of a row's cost that all classes divide at first
_AGAIN = 2  # times a system is solved for what the first solution leaves
_LEAST = 1e-6  # relative to the system: what rows so far from any margin add is left out


class Here(NamedTuple):
    """The best weights so far, how low the objective is there and can be, and their mistakes.

    There is a line of weights and an intercept for each class.
    """

    weights: Array
    intercept: Array
    primal: float
    dual: float
    mistakes: int


class Point(NamedTuple):
    """Weights and intercepts, and two tables with a line for each class and a column for each row.

    Those are the shares p, and how far each score is below the row's level, which is at least all
    of its ``s_ik + [k ≠ y]``.
    """

    weights: Array
    intercept: Array
    shares: Array
    below: Array


class Newton(NamedTuple):
    """A step's system: the factor, and what the point says that its right side needs.

    ``targets`` are ``s_ik + [k ≠ y]``, ``stiffness`` is ``shares / below``, and ``lacking`` is what
    the weights that the shares make are more than the weights, and how far intercepts are from
    their balance.
    """

    factor: tuple[Array, bool]
    scale: Array
    targets: Array
    stiffness: Array
    highest: Array
    lacking: Array


def is_small(n_functions: int, n_features: int) -> bool:
    """Say whether a step's system is small enough."""
    return n_functions <= _MOST_CLASSES and n_functions * n_features <= _MOST_WEIGHTS


def solve(problem: Problem, n_classes: int, tol: float) -> Iterator[Here]:
    """Yield each step until the gap is at most ``tol`` times the objective, or nothing is gained.

    The objective is that of the mean loss and ``l2/2 ‖W‖²``; labels are numbers of classes.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> *_, found = solve(Problem(as_rows(X), y, 1, "hinge", l2=0.01), 2, 1e-9)
    >>> found.weights.round(4).tolist(), found.intercept.round(4).tolist()
    ([[-0.5], [0.5]], [1.0, -1.0])
    """
    search = _Search(problem, n_classes)
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
        target = tol * best.primal
        if best.primal - best.dual <= target or stale > _PATIENCE or not search.step(target):
            return


class _Search:
    """The state of a search. Objectives here are divided by the penalty.

    Rows without a cost are left out, and so are, where there are intercepts, classes without one:
    they have weights of zero and a low intercept. Columns are seen from their means where there are
    intercepts, which can make up for that.
    """

    def __init__(self, problem: Problem, n_classes: int) -> None:
        n, d = len(problem.y), problem.n_features
        self.l2, self.d, self.fit_intercept = problem.l2, d, problem.fit_intercept
        self.X = as_matrix(problem.rows, d).astype(np.float64, copy=False)
        weights = np.ones(n) if problem.weights is None else problem.weights
        y, cost = problem.y, weights / (n * self.l2)
        if not (cost > 0).all():
            self.X, y, cost = self.X[cost > 0], y[cost > 0], cost[cost > 0]
        self.n_classes, self.present = n_classes, np.arange(n_classes)
        if self.fit_intercept:
            self.present, y = np.unique(y, return_inverse=True)
        K, self.cost, self.columns = len(self.present), cost, np.arange(len(y))
        self.right = y, self.columns
        self.centre = np.zeros(d)
        if self.fit_intercept:
            self.centre = np.asarray(self.X.mean(axis=0)).ravel()
        self.wrong = np.ones((K, len(y)))
        self.wrong[self.right] = 0.0
        # Intercepts demand that each class gets as much as its rows have.
        evenly = np.bincount(y, cost, K) / cost.sum() if self.fit_intercept else np.full(K, 1 / K)
        shares = _FIRST * evenly[:, None] * cost
        shares[self.right] += (1 - _FIRST) * cost
        self.at = Point(np.zeros((K, d)), np.zeros(K), shares, 2 - self.wrong)

    def _scores(self, weights: Array, intercept: Array) -> Array:
        shifted = intercept - weights @ self.centre
        return np.ascontiguousarray((self.X @ weights.T).T) + shifted[:, None]

    def _sum(self, factors: Array) -> Array:
        """Sum up the rows, times factors for each class, with those of intercepts last."""
        sums = factors.sum(axis=1)
        products = np.asarray((self.X.T @ factors.T).T) - np.outer(sums, self.centre)
        return np.column_stack([products, sums]) if self.fit_intercept else products

    def _variables(self) -> Array:
        """Return the dual variables of the classes, which add up to zero for each row."""
        alpha = -self.at.shares
        alpha[self.right] = 0.0
        alpha[self.right] = -alpha.sum(axis=0)
        return alpha

    def look(self) -> Here:
        """Compute the objective, and the bound that the shares give."""
        weights, intercept = self.at[:2]
        scores, alpha = self._scores(weights, intercept), self._variables()
        highest = (scores + self.wrong).max(axis=0)
        losses = float(self.cost @ (highest - scores[self.right]))
        primal = 0.5 * float((weights**2).sum()) + losses
        if self.fit_intercept:
            by_class = [np.bincount(self.right[0], line, len(alpha)) for line in alpha]
            alpha *= balancing(np.array(by_class).T)[self.right[0]]
        bound = float(alpha[self.right].sum()) - 0.5 * float(
            (self._sum(alpha)[:, : self.d] ** 2).sum()
        )
        others = np.where(self.wrong > 0, scores, -np.inf).max(axis=0)
        mistakes = int((others >= scores[self.right]).sum())
        all_weights = np.zeros((self.n_classes, self.d))
        all_intercepts = np.full(self.n_classes, float(highest.min()) - 1)
        all_weights[self.present] = weights
        all_intercepts[self.present] = intercept - weights @ self.centre
        if not self.fit_intercept:
            all_intercepts[:] = 0.0
        return Here(all_weights, all_intercepts, self.l2 * primal, self.l2 * bound, mistakes)

    def step(self, target: float) -> bool:
        """Take a step towards a gap of ``target``; say whether that was possible."""
        _, _, shares, below = self.at
        try:
            system = self._system()
        except LinAlgError:
            return False
        mean = float((shares * below).mean())
        ahead = self._direction(system, -shares * below)
        share = longest(self.at, ahead)
        after = (shares + share * ahead.shares) * (below + share * ahead.below)
        aim = mean * (float(after.mean()) / mean) ** 3
        aim = max(aim, _AIM * target / self.l2 / shares.size)
        way = self._direction(system, aim - shares * below - ahead.shares * ahead.below)
        share = min(1.0, _STAY * longest(self.at, way))
        new = Point(*(part + share * change for part, change in zip(self.at, way, strict=True)))
        if not all(np.isfinite(part).all() for part in new):
            return False
        if not all((part > 0).all() for part in (new.shares, new.below)):
            return False
        self.at = new
        return True

    def _system(self) -> Newton:
        """Factor the Hessian of the weights, its columns scaled alike."""
        weights, intercept, shares, below = self.at
        stiffness = shares / below
        matrix = self._matrix(stiffness)
        scale = 1 / np.sqrt(np.einsum("ii->i", matrix))
        matrix *= scale
        matrix *= scale[:, None]
        factor = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        lacking = self._sum(self._variables())
        lacking[:, : self.d] -= weights
        targets = self._scores(weights, intercept) + self.wrong
        highest = stiffness.argmax(axis=0)
        return Newton(factor, scale, targets, stiffness, highest, lacking)

    def _matrix(self, stiffness: Array) -> Array:
        """Return the Hessian of the weights: 1, and a weighted Gram matrix for each two classes.

        The classes' weights add up to zero. So one line does for two of them; for more, what the
        Hessian does to a sum of lines is of no account, and is made as large as the rest.
        """
        K, d = len(stiffness), self.d
        pairs, grams = list(combinations(range(K), 2)), self._grams(stiffness)
        size = grams.shape[1]
        if K == 2:
            matrix = 2 * grams[0][None, :, None]
        else:
            matrix = np.zeros((K, size, K, size))
            for (k, other), gram in zip(pairs, grams, strict=True):
                matrix[k, :, k] += gram
                matrix[other, :, other] += gram
                matrix[k, :, other] = matrix[other, :, k] = -gram
            matrix += 2 / K**2 * grams.sum(axis=0)[:, None]
        lines = len(matrix)
        matrix = np.ascontiguousarray(matrix).reshape(lines * size, lines * size)
        places = np.arange(lines * size).reshape(lines, size)[:, :d]
        matrix[places, places] += 1.0
        return matrix

    def _grams(self, stiffness: Array) -> Array:
        """Return ``Σ h x xᵀ`` for each two classes, where h is the stiffness between them."""
        K, n = stiffness.shape
        size = self.d + self.fit_intercept
        pairs, share = list(combinations(range(K), 2)), stiffness / stiffness.sum(axis=0)
        grams = np.zeros((len(pairs), size, size))
        step = max(256, _BLOCK // size)
        for start in range(0, n, step):
            where = slice(start, start + step)
            rows = self._block(where)
            least = _LEAST / n / np.maximum(np.einsum("ij,ij->i", rows, rows), 1e-300)
            for number, (k, other) in enumerate(pairs):
                h = stiffness[k, where] * share[other, where]
                kept = h > np.minimum(least, _LEAST / n * h.max())
                rooted = rows[kept] * np.sqrt(h[kept])[:, None]
                grams[number] += rooted.T @ rooted
        return grams

    def _block(self, where: slice) -> Array:
        """Return some rows, from the means, with 1 for the intercept."""
        rows = self.X[where]
        rows = (rows.toarray() if sp.issparse(rows) else rows) - self.centre
        return np.column_stack([rows, np.ones(len(rows))]) if self.fit_intercept else rows

    def _direction(self, system: Newton, to: Array) -> Point:
        """Return the change after which shares times distances have changed by ``to``.

        Stiff rows turn rounding of their scores into wrong shares, so that the weights made of
        these are wrong, too. What is wrong is small, so solving for it again mends it.
        """
        _, _, shares, below = self.at
        d_shares, level = self._differences(system, to / shares + below + system.targets)
        lines, change = np.zeros_like(system.lacking), np.zeros_like(shares)
        for _ in range(1 + _AGAIN):
            right = system.lacking - self._sum(d_shares)
            right[:, : self.d] -= lines[:, : self.d]
            found = self._solve(system, right)
            more = self._scores(*self._split(found))
            lines, change = lines + found, change + more
            d_more, higher = self._differences(system, more)
            d_shares, level = d_shares + d_more, level + higher
        d_below = level - (system.targets + change) - below
        return Point(*self._split(lines), d_shares, d_below)

    def _split(self, lines: Array) -> tuple[Array, Array]:
        """Split lines into weights and intercepts."""
        intercept = lines[:, self.d] if self.fit_intercept else np.zeros(len(lines))
        return lines[:, : self.d], intercept

    def _solve(self, system: Newton, right: Array) -> Array:
        """Solve the system for a line of each class."""
        right = right[1] if len(right) == 2 else right.ravel()
        scaled = cho_solve(system.factor, system.scale * right, check_finite=False)
        found = system.scale * scaled
        return (
            np.array([-found, found])
            if len(self.present) == 2
            else found.reshape(len(self.present), -1)
        )

    def _differences(self, system: Newton, values: Array) -> tuple[Array, Array]:
        """Return stiffness times how far values are from their mean for each row, and the mean.

        The mean is that weighted with the stiffness, so the sums are zero: the largest is made up
        of the others, which has no rounding.
        """
        _, _, _, stiffness, highest, _ = system
        largest = highest, self.columns
        base = values[largest]
        values = values - base
        mean = (stiffness * values).sum(axis=0) / stiffness.sum(axis=0)
        out = stiffness * (values - mean)
        out[largest] = 0.0
        out[largest] = -out.sum(axis=0)
        return out, base + mean


def longest(at: Point, way: Point) -> float:
    """Return the share of a way after which the first share or distance would be zero."""
    least = 1.0
    for part, change in ((at.shares, way.shares), (at.below, way.below)):
        falling = change < 0
        if falling.any():
            least = min(least, float((-part[falling] / change[falling]).min()))
    return least
