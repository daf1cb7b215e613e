"""Scoring rows with linear functions in float64, whatever the rows are."""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, exact_jit, jit
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.online.perceptrons import weight_of
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


@exact_jit
def add_sparse_scores(rows: Any, weights: Any, out: Any) -> None:
    """Do ``out[i, k] += Σ_j x_ij · weights[j, k]`` for sparse rows, adding in the rows' order."""
    for i in range(out.shape[0]):
        line = out[i]
        for n in range(np.uintp(rows.indptr[i]), np.uintp(rows.indptr[i + 1])):
            value, w = rows.values[n], weights[np.uintp(rows.indices[n])]
            for k in range(line.shape[0]):
                line[k] += value * w[k]


@jit
def all_binary_scores(rows: Any, limit: float, weights: Any, intercept: Any, out: Any) -> None:
    """Do as `linear_scores` with rows of zeros and ones: which numbers are above the limit."""
    for i in range(out.shape[0]):
        binary_scores(rows, i, limit, weights, intercept, out[i])


@jit
def add_binary_sums(rows: Any, groups: Any, limit: float, weights: Any, total: Any) -> None:
    """Count, in the line of each row's group, the numbers above the limit."""
    for i in range(groups.shape[0]):
        add_binary(rows, i, limit, weight_of(weights, i), total[groups[i]])


LANES = 64  # rows that are scored side by side, which is how the processor adds


def path_scores(
    rows: Any, index: Any, shares: Any, ends: Any, thresholds: Any, buffer: Any, out: Any
) -> None:
    """Score rows, at most `LANES`, without intercepts: ``out[k, t]`` is a line of them.

    ``shares[k, p]`` holds full and fall of a feature. For dense rows these are in the order of the
    thresholds, from the last, up to which the features take part; its number comes third, and
    ``ends[k, t]`` of them take part at t. For sparse rows p is the feature, and third comes how
    many thresholds it takes part in.
    """
    raise TypeError("for compiled code only")


@overload(path_scores, jit_options=_OPTIONS)
def _path_scores(rows, index, shares, ends, thresholds, buffer, out):
    if rows.instance_class is Dense:

        def dense(rows, index, shares, ends, thresholds, buffer, out):
            d, width = shares.shape[1], index.shape[0]
            for r in range(width):
                x = rows.values[np.uintp(index[r])]
                for j in range(d):
                    buffer[j, r] = x[j]
            full, fall = buffer[d], buffer[d + 1]
            for k in range(shares.shape[0]):
                full[:] = 0.0
                fall[:] = 0.0
                start = 0
                for t in range(thresholds.shape[0] - 1, -1, -1):
                    for p in range(start, ends[k, t]):
                        a, b, x = (
                            shares[k, p, 0],
                            shares[k, p, 1],
                            buffer[np.uintp(shares[k, p, 2])],
                        )
                        for r in range(width):
                            full[r] += x[r] * a
                            fall[r] += x[r] * b
                    start = ends[k, t]
                    scores, threshold = out[k, t], thresholds[t]
                    for r in range(width):
                        scores[r] = full[r] - threshold * fall[r]

        return dense

    def sparse(rows, index, shares, ends, thresholds, buffer, out):
        for r in range(index.shape[0]):
            row = np.uintp(index[r])
            buffer[:] = 0.0
            for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
                x, j = rows.values[n], np.uintp(rows.indices[n])
                for k in range(shares.shape[0]):
                    b = np.uintp(shares[k, j, 2])
                    buffer[k, b, 0] += x * shares[k, j, 0]
                    buffer[k, b, 1] += x * shares[k, j, 1]
            for k in range(shares.shape[0]):
                full = fall = 0.0
                for t in range(thresholds.shape[0] - 1, -1, -1):
                    full += buffer[k, t + 1, 0]
                    fall += buffer[k, t + 1, 1]
                    out[k, t, r] = full - thresholds[t] * fall

    return sparse


@jit
def choose(scores: Any, intercepts: Any, t: int, width: int, best: Any, chosen: Any) -> None:
    """Choose the classes of so many rows at a threshold."""
    n_classes = scores.shape[0]
    best[:] = -np.inf
    chosen[:] = 0.0
    for k in range(n_classes):
        line, intercept = scores[k, t], intercepts[t, k]
        for r in range(width):
            score = line[r] + intercept
            better = score > best[r] or (n_classes == 2 and score == best[r])
            best[r] = score if better else best[r]
            chosen[r] = k if better else chosen[r]


@jit
def path_errors(
    rows: Any,
    y: Any,
    weights: Any,
    index: Any,
    shares: Any,
    ends: Any,
    thresholds: Any,
    intercepts: Any,
    buffer: Any,
    wrong: Any,
) -> None:
    """Add the weight of each misclassified row to ``wrong``, one number for each threshold."""
    scores = np.empty((shares.shape[0], thresholds.shape[0], LANES))
    best, chosen = np.empty(LANES), np.empty(LANES)
    right, weight = np.empty(LANES), np.empty(LANES)
    for start in range(0, index.shape[0], LANES):
        some = index[start : start + LANES]
        width = some.shape[0]
        for r in range(width):
            right[r] = y[some[r]]
            weight[r] = weight_of(weights, some[r])
        path_scores(rows, some, shares, ends, thresholds, buffer, scores)
        for t in range(thresholds.shape[0]):
            choose(scores, intercepts, t, width, best, chosen)
            missed = 0.0
            for r in range(width):
                missed += weight[r] if chosen[r] != right[r] else 0.0
            wrong[t] += missed
