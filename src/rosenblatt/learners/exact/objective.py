"""The mean loss of all rows, with an L2 penalty, as a function of the weights.

Weights are a table with a line for each linear function, the intercept last, in float64. Two
classes, and numbers to predict, need one function; the softmax of K classes has K. Blocks of rows
are worked through on all cores, and their sums are added up in order, so that results are the same
on any number of cores.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, n_rows, weights_or_empty
from rosenblatt.kernels.exact import smooth
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.losses import LOSSES
from rosenblatt.learners.products import Matrix

_DENSE_BLOCK = 1 << 21  # numbers in a block that NumPy multiplies, which should stay in the cache


class Problem(NamedTuple):
    """What to minimise: the mean of the rows' losses, and ``l2/2 ‖w‖²``.

    ``parameter`` is that of the loss, ``y`` are ±1, numbers to predict, or numbers of classes.
    ``weights`` multiply the losses of the rows; their mean is 1.
    """

    rows: Rows
    y: Array
    n_features: int
    loss: str
    parameter: float = 0.0
    l2: float = 0.0
    weights: Array | None = None
    fit_intercept: bool = True


class Look(NamedTuple):
    """What all rows say about some weights: the objective, mistakes, gradient and curvatures.

    ``bends`` are the second derivatives of the losses by the scores; for the softmax, the slopes
    that they follow from, a column for each class.
    """

    value: float
    mistakes: int
    gradient: Array
    bends: Array


class Objective(Protocol):
    """A smooth function of weights that Newton's method can minimise."""

    problem: Problem
    n_functions: int

    def look(self, at: Array) -> Look: ...
    def times(self, here: Look, v: Array) -> Array: ...
    def part_of(self, rows: Rows, y: Array, weights: Array | None) -> "Objective": ...
    def curvatures(self, here: Look) -> Iterator[Array]: ...
    def shifted(self, at: Array) -> Array: ...
    def turned(self, here: Look, turns: Array) -> Array: ...
    def caps(self, at: Array) -> Iterator[Array]: ...


class OneFunction:
    """The objective of one linear function."""

    n_functions = 1

    def __init__(self, problem: Problem) -> None:
        self.problem = problem._replace(y=np.ascontiguousarray(problem.y, np.float64))

    def look(self, at: Array) -> Look:
        """Add up losses and slopes of all rows."""
        rows, y, d, loss, parameter, l2, weights, fit_intercept = self.problem
        code = LOSSES[loss].code
        w, b = np.ascontiguousarray(at[0, :d]), float(at[0, d])
        bends = np.empty(len(y))

        def work(block: Rows, where: slice) -> tuple[Array, float, float, int]:
            gradient = np.zeros(d)
            some = weights_or_empty(part(weights, where))
            given = y[where], some, w, b, bends[where], gradient
            return gradient, *smooth.look(code, float(parameter), block, *given)

        gradient, total, rise, mistakes = np.zeros((1, d + 1)), 0.0, 0.0, 0
        for found in each_block(rows, work, least=16 * d):
            gradient[0, :d] += found[0]
            total, rise, mistakes = total + found[1], rise + found[2], mistakes + found[3]
        gradient[0, d] = rise if fit_intercept else 0.0
        gradient /= len(y)
        gradient[0, :d] += l2 * w
        return Look(total / len(y) + l2 / 2 * float(w @ w), mistakes, gradient, bends)

    def times(self, here: Look, v: Array) -> Array:
        """Multiply by the Hessian."""
        rows, y, d, _, _, l2, _, fit_intercept = self.problem
        w, b = np.ascontiguousarray(v[0, :d]), float(v[0, d])

        def work(block: Rows, where: slice) -> tuple[Array, float]:
            out = np.zeros(d)
            return out, smooth.bend(block, here.bends[where], w, b, out)

        product = np.zeros((1, d + 1))
        for out, rise in each_block(rows, work, least=16 * d):
            product[0, :d] += out
            product[0, d] += rise * fit_intercept
        product /= len(y)
        product[0, :d] += l2 * w
        return product

    def shifted(self, at: Array) -> Array:
        """Return the weights: no others have the same scores."""
        return at

    def part_of(self, rows: Rows, y: Array, weights: Array | None) -> "OneFunction":
        """Return the objective of other rows."""
        return OneFunction(self.problem._replace(rows=rows, y=y, weights=weights))

    def curvatures(self, here: Look) -> Iterator[Array]:
        """Yield, for each function, the curvature of each row."""
        yield here.bends

    def turned(self, here: Look, turns: Array) -> Array:
        """Return how the slope of each row's loss changes with its score."""
        return np.asarray(here.bends[:, None] * turns)

    def caps(self, at: Array) -> Iterator[Array]:
        """Yield, for each function, curvatures with which parabolas are not below the losses."""
        rows, y, d, loss, parameter, _, weights, _ = self.problem
        scores = Matrix(as_matrix(rows, d)).scores(at[:, :d].astype(rows.values.dtype), at[:, d])
        caps, some = np.empty(len(y)), weights_or_empty(weights)
        given = np.ascontiguousarray(scores[:, 0], np.float64), y, some, caps
        smooth.fill_caps(LOSSES[loss].code, float(parameter), *given)
        yield caps


class Softmax:
    """The objective of K classes: the cross-entropy of the softmax of K functions."""

    def __init__(self, problem: Problem, n_classes: int) -> None:
        self.n_functions = n_classes
        self.problem = problem._replace(y=np.ascontiguousarray(problem.y, np.int64))

    def look(self, at: Array) -> Look:
        """Add up losses and slopes of all rows."""
        _, y, d, _, _, l2, weights, _ = self.problem
        slopes = np.empty((len(y), len(at)))

        def work(scores: Array, where: slice) -> tuple[float, int]:
            some = weights_or_empty(part(weights, where))
            found = smooth.slopes_of_softmax(scores, y[where], some)
            slopes[where] = scores
            if weights is not None:
                scores *= some[:, None]
            return found

        gradient, found = self._through(at, work)
        total, mistakes = sum(loss for loss, _ in found), sum(wrong for _, wrong in found)
        value = total / len(y) + l2 / 2 * float((at[:, :d] ** 2).sum())
        return Look(value, mistakes, gradient, slopes)

    def times(self, here: Look, v: Array) -> Array:
        """Multiply by the Hessian."""
        y, weights = self.problem.y, self.problem.weights

        def work(turns: Array, where: slice) -> None:
            some = weights_or_empty(part(weights, where))
            smooth.turn_classes(here.bends[where], y[where], some, turns)

        return self._through(v, work)[0]

    def _through(self, at: Array, work: Any) -> tuple[Array, list[Any]]:
        """Score all rows, have ``work`` replace the scores, and sum up the rows times them."""
        rows, y, d, _, _, l2, _, fit_intercept = self.problem
        total, notes = np.zeros_like(at), []
        for sums, rise, note in (self._dense if isinstance(rows, Dense) else self._sparse)(
            at, work
        ):
            total[:, :d] += sums
            total[:, d] += rise * fit_intercept
            notes.append(note)
        total /= len(y)
        total[:, :d] += l2 * at[:, :d]
        return total, notes

    def _dense(self, at: Array, work: Any) -> Iterator[tuple[Array, Array, Any]]:
        values, d = self.problem.rows.values, self.problem.n_features
        w = np.ascontiguousarray(at[:, :d], values.dtype)
        size = max(256, _DENSE_BLOCK // d)
        for start in range(0, len(values), size):
            block = values[start : start + size]
            scores = (block @ w.T).astype(np.float64, copy=False) + at[:, d]
            note = work(scores, slice(start, start + len(block)))
            yield scores.T.astype(values.dtype, copy=False) @ block, scores.sum(axis=0), note

    def _sparse(self, at: Array, work: Any) -> Iterator[tuple[Array, Array, Any]]:
        rows, d = self.problem.rows, self.problem.n_features
        w, b = np.asfortranarray(at[:, :d]), np.ascontiguousarray(at[:, d])

        def one(block: Rows, where: slice) -> tuple[Array, Array, Any]:
            scores, sums = np.empty((n_rows(block), len(at))), np.zeros(w.shape, order="F")
            smooth.score_classes(block, w, b, scores)
            note = work(scores, where)
            smooth.add_classes(block, scores, sums)
            return sums, scores.sum(axis=0), note

        yield from each_block(rows, one, least=16 * w.size)

    def shifted(self, at: Array) -> Array:
        """Return the shortest weights with the same probabilities: those of a mean of zero."""
        return np.asarray(at - at.mean(axis=0))

    def part_of(self, rows: Rows, y: Array, weights: Array | None) -> "Softmax":
        """Return the objective of other rows."""
        problem = self.problem._replace(rows=rows, y=y, weights=weights)
        return Softmax(problem, self.n_functions)

    def curvatures(self, here: Look) -> Iterator[Array]:
        """Yield, for each function, the curvature of each row."""
        y, weights = self.problem.y, self.problem.weights
        for k, slopes in enumerate(here.bends.T):
            share = slopes + (y == k)
            bends = share * (1 - share)
            yield bends if weights is None else bends * weights

    def turned(self, here: Look, turns: Array) -> Array:
        """Return how the slopes of each row's loss change with its scores."""
        y, some = self.problem.y, weights_or_empty(self.problem.weights)
        found = turns.copy()
        smooth.turn_classes(here.bends, y, some, found)
        return found

    def caps(self, at: Array) -> Iterator[Array]:
        """Yield, for each function, curvatures with which parabolas are not below the losses."""
        y, weights = self.problem.y, self.problem.weights
        for _ in range(self.n_functions):
            yield np.full(len(y), 0.5) if weights is None else 0.5 * weights
