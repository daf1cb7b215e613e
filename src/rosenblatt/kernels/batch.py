"""The batch loops: sum the mistaken rows while the weights stand still."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.online.perceptrons import (
    all_finite,
    is_beaten,
    is_mistake,
    rival,
    weighted,
    write,
)
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.rows import GROUP, add, all_pairs, dot, scores_from


@jit
def binary_sum(
    rows: Any, y: Any, order: Any, functions: Any, move: int, total: Any, log: Any,
    weights: Any,
) -> tuple[int, int]:  # fmt: skip
    """Add ``Σ y_i x_i`` over the mistakes among some rows to ``total``.

    ``move`` numbers the move that they will make, for the log. ``weights`` multiply the rows;
    without them, they are empty. Return the number of mistakes, and
    −1 or the row whose score overflowed.
    """
    mistakes = 0
    for t in range(order.shape[0]):
        i = order[t]
        score = dot(rows, i, functions.weights[0]) + functions.intercept[0]
        if is_mistake(y[i], score, functions.ties):
            if not finite(score):
                return mistakes, i
            step = weighted(y[i], weights, i)
            add(rows, i, step, total.weights[0])
            total.intercept[0] += step
            write(log, mistakes, i, move, y[i] > 0, y[i] < 0, (score,))
            mistakes += 1
    return mistakes, -1


@jit
def multiclass_sum(
    rows: Any, y: Any, order: Any, functions: Any, move: int, total: Any, log: Any,
    weights: Any,
) -> tuple[int, int]:  # fmt: skip
    """Do the same for K classes: plus for the right one, minus for the one it was taken for."""
    mistakes = 0
    n_classes = functions.intercept.shape[0]
    table = np.empty((GROUP, n_classes), functions.intercept.dtype)
    pairs, one = all_pairs(n_classes), table.dtype.type(1)
    first = scored = 0
    for t in range(order.shape[0]):
        if t == scored:
            first = t
            scored += scores_from(rows, order, t, pairs, functions, table)
        i, score = order[t], table[t - first]
        right = y[i]
        wrong = rival(score, right)
        if is_beaten(score, right, wrong, functions.ties):
            if not all_finite(score):
                return mistakes, i
            step = weighted(one, weights, i)
            add(rows, i, step, total.weights[right])
            add(rows, i, -step, total.weights[wrong])
            total.intercept[right] += step
            total.intercept[wrong] -= step
            write(log, mistakes, i, move, right, wrong, (score[right], score[wrong]))
            mistakes += 1
    return mistakes, -1
