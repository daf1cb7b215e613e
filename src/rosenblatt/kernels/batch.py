"""The batch loops: sum the mistaken rows while the weights stand still."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.online import all_finite, is_beaten, is_mistake, rival
from rosenblatt.kernels.rows import add, dot, scores


@jit
def binary_sum(
    rows: Any, y: Any, start: int, stop: int, functions: Any, total: Any
) -> tuple[int, int]:
    """Add ``Σ y_i x_i`` over the mistakes among rows start…stop−1 to ``total``.

    Return the number of mistakes, and −1 or the row whose score overflowed.
    """
    mistakes = 0
    for i in range(start, stop):
        score = dot(rows, i, functions.weights[0]) + functions.intercept[0]
        if is_mistake(y[i], score, functions.ties):
            if not np.isfinite(score):
                return mistakes, i
            add(rows, i, y[i], total.weights[0])
            total.intercept[0] += y[i]
            mistakes += 1
    return mistakes, -1


@jit
def multiclass_sum(
    rows: Any, y: Any, start: int, stop: int, functions: Any, total: Any
) -> tuple[int, int]:
    """Do the same for K classes: plus for the right one, minus for the one it was taken for."""
    mistakes = 0
    score = np.empty_like(functions.intercept)
    one = score.dtype.type(1)
    for i in range(start, stop):
        scores(rows, i, functions.weights, functions.intercept, score)
        right = y[i]
        wrong = rival(score, right)
        if is_beaten(score, right, wrong, functions.ties):
            if not all_finite(score):
                return mistakes, i
            add(rows, i, one, total.weights[right])
            add(rows, i, -one, total.weights[wrong])
            total.intercept[right] += one
            total.intercept[wrong] -= one
            mistakes += 1
    return mistakes, -1
