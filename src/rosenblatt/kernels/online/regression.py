"""Numbers to predict, standardised as they come, and least squares with a step for each weight.

A number is taken less the mean so far, over the deviation so far, so that steps are as good for
numbers in the millions as for millionths. Means and sums of squares are kept by Welford's (1962)
method as West (1979) extends it to weights, in float64.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.descent import length
from rosenblatt.kernels.jit import exact_jit, jit
from rosenblatt.kernels.losses import SQUARED, loss_and_slope
from rosenblatt.kernels.online.adaptive import (
    calmness,
    emphasis,
    fade,
    lateness,
    move,
    move_intercept,
    share_of,
    steepest,
    times,
)
from rosenblatt.kernels.online.standardize import LARGEST
from rosenblatt.kernels.overflow import finite, size_of
from rosenblatt.kernels.rows import dot

WEIGHT, MEAN, SQUARES = 0, 1, 2  # what is known of the target: an array of these


@exact_jit
def add_number(target: Any, y: float, weight: float) -> None:
    """Add a number to those that the target's mean and deviation are of."""
    target[WEIGHT] += weight
    off = y - target[MEAN]
    target[MEAN] += off * (weight / target[WEIGHT])
    target[SQUARES] += weight * off * (y - target[MEAN])


@exact_jit
def centre(target: Any, centred: bool) -> float:
    """Return what is subtracted from numbers: their mean, or nothing if there is no intercept."""
    return target[MEAN] if centred else 0.0


@exact_jit
def spread(target: Any, centred: bool) -> float:
    """Return what numbers are divided by; 0 if all are the same so far."""
    if target[WEIGHT] <= 0:
        return 0.0
    variance = target[SQUARES] / target[WEIGHT]
    root: float = np.sqrt(variance if centred else variance + target[MEAN] * target[MEAN])
    return root


@exact_jit
def standard(target: Any, y: float, centred: bool) -> float:
    """Standardise a number."""
    deviation = spread(target, centred)
    return (y - centre(target, centred)) / deviation if deviation > 0 else 0.0


@exact_jit
def squared_error(target: Any, y: float, weight: float, score: float, centred: bool) -> float:
    """Return how far off a score is, in the numbers' own units; 0 if there was no number yet."""
    if target[WEIGHT] <= 0:
        return 0.0
    off = y - (centre(target, centred) + spread(target, centred) * score)
    return weight * off * off


@exact_jit
def add_numbers(target: Any, y: Any, weights: Any) -> None:
    """Add numbers in order; ``weights`` may be empty."""
    for i in range(y.shape[0]):
        add_number(target, y[i], weights[i] if weights.shape[0] else 1.0)


@jit
def adaptive_regression(
    rows: Any, y: Any, target: Any, parts: Any, one: Any, pace: Any, averaged: int, weights: Any,
    lengths: Any, before: int, total: float,
) -> tuple[int, int, float]:  # fmt: skip
    """Learn from rows in order, each time after the number was added to the target.

    Return the rows visited, the moves, and ``total`` with the squared errors added: those of what
    was predicted before the row, in the numbers' own units. The first row of all has none. The
    other arguments are those of `rosenblatt.kernels.online.adaptive.binary_adaptive`, and so is
    what happens to a row that makes a number overflow, and to weights.
    """
    w = parts.weights[0]
    slopes = np.empty(1, w.dtype)
    rate = w.dtype.type(1) / pace.eta
    visited, moves = 0, 0
    known = target.copy()
    for i in range(y.shape[0]):
        score = dot(rows, i, w) + one.weights[0, 0]
        weight = weights[i] if weights.shape[0] else 1.0
        if not (finite(score) and abs(y[i]) <= LARGEST):
            break
        after = total + squared_error(target, y[i], weight, np.float64(score), pace.bias)
        known[:] = target
        add_number(known, y[i], weight)
        z = standard(known, y[i], pace.bias)
        _, slope = loss_and_slope(SQUARED, 0.0, np.float64(score), z)
        longer = lengths[0] + length(rows, i)
        calm = calmness(longer, before + i + 1, pace.usual)
        share, more = share_of(weight), emphasis(pace.half_life, before + i)
        steep = calm * abs(slope) * max(share, 1.0) * more
        if not (finite(after) and steep * np.float64(size_of(rows, i)) < steepest(w)):
            break
        target[:], lengths[0], total = known, longer, after
        calm, l2, l1 = (
            w.dtype.type(calm),
            pace.l2 * w.dtype.type(more),
            pace.l1 * w.dtype.type(more),
        )
        fade(pace.half_life, before + i, parts, one)
        visited += 1
        late, moved = lateness(averaged, i), False
        for turn in range(times(weight)):
            if turn:
                score = dot(rows, i, w) + one.weights[0, 0]
                _, slope = loss_and_slope(SQUARED, 0.0, np.float64(score), z)
            slopes[0] = slope * share * more
            if slopes[0] != 0:
                move(rows, i, slopes, parts, rate, l2, l1, calm, late)
                if pace.bias:
                    move_intercept(slopes, one, rate, calm, late)
                moved = True
        moves += moved
    return visited, moves, total
