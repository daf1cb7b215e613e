"""The online loops: receive, predict, suffer, update; two classes, then K.

Both serve the perceptron, the averaged and the voted one, which differ in what they keep. What a
learner does not keep it passes as None, and the compiler leaves those lines out.

Arguments shared by the loops, beside rows and labels:

``order``, ``ahead``
    row numbers to visit, and for each visit a row to fetch into the cache (or none at all)
``weights``, ``intercept``
    changed in place
``bias``, ``ties``
    1 if the intercept learns, else 0; the code of the tie rule
``etas``
    step sizes of the updates to come; the loop stops when they are used up
``total``, ``total_intercept``, ``steps``
    for averaging: sums of (step − 1) · update, and the steps made before this call
``log_row``, ``log_step``, ``log_right``, ``log_wrong``
    for voting: which row was mistaken, when, its class and the class it was taken for

They return the number of rows visited, the number of mistakes, and −1 or the position in ``order``
of the row whose score overflowed.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.rows import add, dot, prefetch, scores

TIE_IS_MISTAKE = 0
TIE_IS_POSITIVE = 1


@jit
def is_mistake(y: float, score: float, ties: int) -> bool:
    """Judge a prediction. A score that is NaN is a mistake too, so that overflow is noticed."""
    if y * score > 0:
        return False
    return not (ties == TIE_IS_POSITIVE and score == 0 and y > 0)


@jit
def binary_pass(
    rows: Any,
    y: Any,
    order: Any,
    ahead: Any,
    weights: Any,
    intercept: Any,
    bias: float,
    ties: int,
    etas: Any,
    total: Any,
    total_intercept: Any,
    steps: int,
    log_row: Any,
    log_step: Any,
    log_right: Any,
    log_wrong: Any,
) -> tuple[int, int, int]:
    """Visit the rows in order, with y = ±1: on a mistake ``w += η y x``, ``b += η y``."""
    w, b = weights[0], intercept[0]
    mistakes, visited, overflow = 0, 0, -1
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        score = dot(rows, i, w) + b
        visited += 1
        if is_mistake(y[i], score, ties):
            if not np.isfinite(score):
                overflow = t
                break
            step = etas[mistakes] * y[i]
            add(rows, i, step, w)
            b += step * bias
            if total is not None:
                add(rows, i, np.float64(steps + t) * step, total[0])
                total_intercept[0] += np.float64(steps + t) * step * bias
            if log_row is not None:
                log_row[mistakes] = i
                log_step[mistakes] = steps + t + 1
                log_right[mistakes] = y[i] > 0
                log_wrong[mistakes] = y[i] < 0
            mistakes += 1
            if mistakes == etas.shape[0]:
                break
    intercept[0] = b
    return visited, mistakes, overflow


@jit
def rival(score: Any, right: int) -> int:
    """Find the best of the other classes; the first of them, if several are equal."""
    best = 1 if right == 0 else 0
    for k in range(best + 1, score.shape[0]):
        if k != right and score[k] > score[best]:
            best = k
    return best


@jit
def multiclass_pass(
    rows: Any,
    y: Any,
    order: Any,
    ahead: Any,
    weights: Any,
    intercept: Any,
    bias: float,
    ties: int,
    etas: Any,
    total: Any,
    total_intercept: Any,
    steps: int,
    log_row: Any,
    log_step: Any,
    log_right: Any,
    log_wrong: Any,
) -> tuple[int, int, int]:
    """Visit the rows in order, with y = 0…K−1.

    On a mistake add η x to the right class's weights, and subtract it from those of the class it
    was taken for.
    """
    mistakes, visited, overflow = 0, 0, -1
    score = np.empty_like(intercept)
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        scores(rows, i, weights, intercept, score)
        visited += 1
        right = y[i]
        wrong = rival(score, right)
        # Of equal scores the first class is predicted, so a tie can be "right" by that rule alone.
        tie_is_right = ties == TIE_IS_POSITIVE and score[right] == score[wrong] and right < wrong
        if not (score[right] > score[wrong] or tie_is_right):
            if not np.all(np.isfinite(score)):
                overflow = t
                break
            eta = etas[mistakes]
            add(rows, i, eta, weights[right])
            add(rows, i, -eta, weights[wrong])
            intercept[right] += eta * bias
            intercept[wrong] -= eta * bias
            if total is not None:
                late = np.float64(steps + t) * eta
                add(rows, i, late, total[right])
                add(rows, i, -late, total[wrong])
                total_intercept[right] += late * bias
                total_intercept[wrong] -= late * bias
            if log_row is not None:
                log_row[mistakes] = i
                log_step[mistakes] = steps + t + 1
                log_right[mistakes] = right
                log_wrong[mistakes] = wrong
            mistakes += 1
            if mistakes == etas.shape[0]:
                break
    return visited, mistakes, overflow
