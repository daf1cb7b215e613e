"""The batch loop: sum the mistaken rows while the weights stand still."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.online import TIE_IS_POSITIVE, is_mistake, rival
from rosenblatt.kernels.rows import add, dot, scores


@jit
def binary_sum(
    rows: Any,
    y: Any,
    start: int,
    stop: int,
    weights: Any,
    intercept: Any,
    ties: int,
    total: Any,
    total_intercept: Any,
) -> tuple[int, int]:
    """Add ``Σ y_i x_i`` over the mistakes among rows start…stop−1 to ``total``.

    Return the number of mistakes, and −1 or the row whose score overflowed.
    """
    mistakes = 0
    for i in range(start, stop):
        score = dot(rows, i, weights[0]) + intercept[0]
        if is_mistake(y[i], score, ties):
            if not np.isfinite(score):
                return mistakes, i
            add(rows, i, y[i], total[0])
            total_intercept[0] += y[i]
            mistakes += 1
    return mistakes, -1


@jit
def multiclass_sum(
    rows: Any,
    y: Any,
    start: int,
    stop: int,
    weights: Any,
    intercept: Any,
    ties: int,
    total: Any,
    total_intercept: Any,
) -> tuple[int, int]:
    """Do the same for K classes: plus for the right one, minus for the one it was taken for."""
    mistakes = 0
    score = np.empty_like(intercept)
    for i in range(start, stop):
        scores(rows, i, weights, intercept, score)
        right = y[i]
        wrong = rival(score, right)
        tie_is_right = ties == TIE_IS_POSITIVE and score[right] == score[wrong] and right < wrong
        if not (score[right] > score[wrong] or tie_is_right):
            if not np.all(np.isfinite(score)):
                return mistakes, i
            add(rows, i, total.dtype.type(1), total[right])
            add(rows, i, total.dtype.type(-1), total[wrong])
            total_intercept[right] += 1
            total_intercept[wrong] -= 1
            mistakes += 1
    return mistakes, -1
