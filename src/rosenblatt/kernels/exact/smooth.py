"""Sums over rows for Newton's method: losses, gradients, and products with the Hessian.

Weights and sums are float64 whatever the rows are. `look` and `bend` are for one linear function;
for the softmax of K classes, scores are turned into slopes and added up apart.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.losses import (
    HUBER,
    LOGISTIC,
    MODIFIED_HUBER,
    SQUARED,
    SQUARED_HINGE,
    loss_and_slope,
    losses_and_slopes,
)
from rosenblatt.kernels.online.perceptrons import weight_of
from rosenblatt.kernels.rows import add, dot, scores


@jit
def curvature(code: int, parameter: float, score: float, y: float, slope: float) -> float:
    """Return the second derivative of a smooth loss by the score, given the first.

    Where it jumps, that of the side with the larger loss.
    """
    if code == LOGISTIC:
        share = abs(slope)
        return share * (1 - share)
    if code == SQUARED:
        return 2.0
    if code == HUBER:
        return 1.0 if abs(score - y) <= parameter else 0.0
    margin = y * score
    if code == SQUARED_HINGE:
        return 2.0 if margin < 1 else 0.0
    if code == MODIFIED_HUBER:
        return 2.0 if -1 <= margin < 1 else 0.0
    return 0.0


@jit
def cap(code: int, parameter: float, score: float, y: float) -> float:
    """Return the curvature of a parabola that touches a smooth loss here and is nowhere below."""
    if code == LOGISTIC:
        return 0.25
    if code == HUBER:
        off = abs(score - y)
        return 1.0 if off <= parameter else parameter / off
    if code == MODIFIED_HUBER:
        margin = y * score
        return 2.0 if margin >= -1 else 4 / (1 - margin)
    return 2.0


@jit
def fill_caps(code: int, parameter: float, scores: Any, y: Any, weights: Any, caps: Any) -> None:
    """Fill in the curvatures of such parabolas, weighted."""
    for i in range(scores.shape[0]):
        caps[i] = weight_of(weights, i) * cap(code, parameter, scores[i], y[i])


@jit
def look(
    code: int, parameter: float, rows: Any, y: Any, weights: Any, w: Any, b: float,
    curvatures: Any, gradient: Any,
) -> tuple[float, float, int]:  # fmt: skip
    """Add the slopes of rows to the gradient by w, and fill in their curvatures.

    Return the sum of the losses, the gradient by the intercept, and the mistakes.
    """
    total, rise, mistakes = 0.0, 0.0, 0
    for i in range(y.shape[0]):
        score = np.float64(dot(rows, i, w)) + b
        loss, slope = loss_and_slope(code, parameter, score, y[i])
        count = weight_of(weights, i)
        total += count * loss
        curvatures[i] = count * curvature(code, parameter, score, y[i], slope)
        mistakes += y[i] * score <= 0
        slope *= count
        if slope != 0:
            rise += slope
            add(rows, i, slope, gradient)
    return total, rise, mistakes


@jit
def bend(rows: Any, curvatures: Any, v: Any, c: float, out: Any) -> float:
    """Add what the Hessian of rows makes of v and c to ``out``; return what it makes of c."""
    total = 0.0
    for i in range(curvatures.shape[0]):
        if curvatures[i] != 0:
            turn = curvatures[i] * (np.float64(dot(rows, i, v)) + c)
            total += turn
            add(rows, i, turn, out)
    return total


@jit
def slopes_of_softmax(scores: Any, y: Any, weights: Any) -> tuple[float, int]:
    """Replace scores by their slopes, the probabilities less 1 for the right class.

    Return the sum of the losses, and the mistakes.
    """
    total, mistakes = 0.0, 0
    slopes = np.empty(scores.shape[1])
    for i in range(scores.shape[0]):
        right, best = y[i], scores[i].argmax()
        mistakes += best != right
        total += weight_of(weights, i) * losses_and_slopes(LOGISTIC, 0.0, scores[i], right, slopes)
        scores[i] = slopes
    return total, mistakes


@jit
def turn_classes(slopes: Any, y: Any, weights: Any, turns: Any) -> None:
    """Replace the change of scores by that of their slopes: ``p ∘ (t − p·t)``, weighted."""
    for i in range(turns.shape[0]):
        right, mean = y[i], 0.0
        for k in range(turns.shape[1]):
            mean += (slopes[i, k] + (k == right)) * turns[i, k]
        count = weight_of(weights, i)
        for k in range(turns.shape[1]):
            turns[i, k] = count * (slopes[i, k] + (k == right)) * (turns[i, k] - mean)


@jit
def add_squares(rows: Any, factors: Any, out: Any) -> None:
    """Do ``out += factor · x²`` for sparse rows."""
    for i in range(factors.shape[0]):
        row = np.uintp(i)
        for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            value = np.float64(rows.values[n])
            out[np.uintp(rows.indices[n])] += factors[i] * value * value


@jit
def score_classes(rows: Any, weights: Any, intercept: Any, out: Any) -> None:
    """Fill in the scores of rows for K classes."""
    for i in range(out.shape[0]):
        scores(rows, i, weights, intercept, out[i])


@jit
def add_classes(rows: Any, table: Any, gradient: Any) -> None:
    """Add each row, times its line of the table, to the gradient of each class."""
    for i in range(table.shape[0]):
        row = np.uintp(i)
        for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            value, j = np.float64(rows.values[n]), np.uintp(rows.indices[n])
            for k in range(table.shape[1]):
                gradient[k, j] += value * table[i, k]
