"""Scoring rows with linear functions in float64, whatever the rows are."""

from typing import Any

import numpy as np
from numba.extending import overload

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, jit
from rosenblatt.kernels.rows import dot, scores

_OPTIONS = {"fastmath": FASTMATH}


def binary_scores(rows: Any, i: int, limit: float, weights: Any, intercept: Any, out: Any) -> None:
    """Do as `scores` with a row of zeros and ones: which of its numbers are above the limit."""
    raise TypeError("for compiled code only")


def add_binary(rows: Any, i: int, limit: float, scale: float, w: Any) -> None:
    """Do ``w += scale · [x_i > limit]``."""
    raise TypeError("for compiled code only")


@overload(binary_scores, jit_options=_OPTIONS)
def _binary_scores(rows, i, limit, weights, intercept, out):
    if rows.instance_class is Dense:

        def dense(rows, i, limit, weights, intercept, out):
            x = rows.values[np.uintp(i)]
            for k in range(out.shape[0]):
                w, total = weights[k], 0.0
                for j in range(x.shape[0]):
                    total += w[j] if x[j] > limit else 0.0
                out[k] = total + intercept[k]

        return dense

    def sparse(rows, i, limit, weights, intercept, out):
        row = np.uintp(i)
        for k in range(out.shape[0]):
            out[k] = intercept[k]
        for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            if rows.values[n] > limit:
                j = np.uintp(rows.indices[n])
                for k in range(out.shape[0]):
                    out[k] += weights[k, j]

    return sparse


@overload(add_binary, jit_options=_OPTIONS)
def _add_binary(rows, i, limit, scale, w):
    if rows.instance_class is Dense:

        def dense(rows, i, limit, scale, w):
            x = rows.values[np.uintp(i)]
            for j in range(w.shape[0]):
                w[j] += scale if x[j] > limit else 0.0

        return dense

    def sparse(rows, i, limit, scale, w):
        row = np.uintp(i)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            if rows.values[k] > limit:
                w[np.uintp(rows.indices[k])] += scale

    return sparse


@jit
def linear_scores(rows: Any, weights: Any, intercept: Any, out: Any) -> None:
    """Do ``out[i, k] = x_i · weights[k] + intercept[k]``."""
    if weights.shape[0] == 1:
        for i in range(out.shape[0]):
            out[i, 0] = dot(rows, i, weights[0]) + intercept[0]
    else:
        for i in range(out.shape[0]):
            scores(rows, i, weights, intercept, out[i])


@jit
def all_binary_scores(rows: Any, limit: float, weights: Any, intercept: Any, out: Any) -> None:
    """Do as `linear_scores` with rows of zeros and ones: which numbers are above the limit."""
    for i in range(out.shape[0]):
        binary_scores(rows, i, limit, weights, intercept, out[i])


@jit
def add_binary_sums(rows: Any, groups: Any, limit: float, weights: Any, total: Any) -> None:
    """Count, in the line of each row's group, the numbers above the limit."""
    for i in range(groups.shape[0]):
        add_binary(rows, i, limit, 1.0 if weights is None else weights[i], total[groups[i]])
