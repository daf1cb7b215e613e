"""Products of a batch of dense rows with the weights of K classes, at the speed of the processor.

Scores are made four rows by four classes at a time, so that a number read from memory is multiplied
four times; sums of rows stay in registers (`rosenblatt.kernels.tiles`). Columns come in two parts, which two threads may share; the sums are the same
whether they do or not.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.descent import SMALL
from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.lockstep import meet
from rosenblatt.kernels.losses import losses_and_slopes
from rosenblatt.kernels.online import all_finite, is_beaten, rival
from rosenblatt.kernels.rows import touch
from rosenblatt.kernels.tiles import add_tiles

PARTS = 2
_STEP = 32  # columns that a part is a multiple of, so that no loop ends in single numbers


class Shared(NamedTuple):
    """What two threads share: sums of products for each part, twice, their counters, and notes.

    Each thread has notes of its own. They are made beforehand and lie alike for both: how a loop
    rounds may depend on how far apart the arrays that it writes to are.
    """

    sums: Any
    counters: Any
    notes: Any


@jit
def cut(n_columns: int, part: int) -> tuple[int, int]:
    """Return where a part of the columns starts and stops."""
    middle = n_columns // PARTS // _STEP * _STEP
    return (0, middle) if part == 0 else (middle, n_columns)


@jit
def row_part(rows: Any, batch: Any, t: int, low: int, high: int) -> Any:
    """Return some columns of the row at t; beyond the batch's end, of its last row."""
    return rows.values[np.uintp(batch[min(t, batch.shape[0] - 1)])][low:high]


@jit
def score_four(
    rows: Any, batch: Any, t: int, low: int, high: int, weights: Any, k: int, out: Any
) -> None:
    """Multiply four rows by the weights of four classes, from k on."""
    x0, x1 = row_part(rows, batch, t, low, high), row_part(rows, batch, t + 1, low, high)
    x2, x3 = row_part(rows, batch, t + 2, low, high), row_part(rows, batch, t + 3, low, high)
    w0, w1 = weights[k][low:high], weights[k + 1][low:high]
    w2, w3 = weights[k + 2][low:high], weights[k + 3][low:high]
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = weights.dtype.type(0)
    c0 = c1 = c2 = c3 = d0 = d1 = d2 = d3 = weights.dtype.type(0)
    for j in range(w0.shape[0]):
        a0 += x0[j] * w0[j]
        a1 += x0[j] * w1[j]
        a2 += x0[j] * w2[j]
        a3 += x0[j] * w3[j]
        b0 += x1[j] * w0[j]
        b1 += x1[j] * w1[j]
        b2 += x1[j] * w2[j]
        b3 += x1[j] * w3[j]
        c0 += x2[j] * w0[j]
        c1 += x2[j] * w1[j]
        c2 += x2[j] * w2[j]
        c3 += x2[j] * w3[j]
        d0 += x3[j] * w0[j]
        d1 += x3[j] * w1[j]
        d2 += x3[j] * w2[j]
        d3 += x3[j] * w3[j]
    out[t, k], out[t, k + 1], out[t, k + 2], out[t, k + 3] = a0, a1, a2, a3
    out[t + 1, k], out[t + 1, k + 1], out[t + 1, k + 2], out[t + 1, k + 3] = b0, b1, b2, b3
    out[t + 2, k], out[t + 2, k + 1], out[t + 2, k + 2], out[t + 2, k + 3] = c0, c1, c2, c3
    out[t + 3, k], out[t + 3, k + 1], out[t + 3, k + 2], out[t + 3, k + 3] = d0, d1, d2, d3


@jit
def score_two(
    rows: Any, batch: Any, t: int, low: int, high: int, weights: Any, k: int, out: Any
) -> None:
    """Multiply four rows by the weights of two classes."""
    x0, x1 = row_part(rows, batch, t, low, high), row_part(rows, batch, t + 1, low, high)
    x2, x3 = row_part(rows, batch, t + 2, low, high), row_part(rows, batch, t + 3, low, high)
    v, w = weights[k][low:high], weights[k + 1][low:high]
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = weights.dtype.type(0)
    for j in range(w.shape[0]):
        a0 += x0[j] * v[j]
        a1 += x0[j] * w[j]
        b0 += x1[j] * v[j]
        b1 += x1[j] * w[j]
        c0 += x2[j] * v[j]
        c1 += x2[j] * w[j]
        d0 += x3[j] * v[j]
        d1 += x3[j] * w[j]
    out[t, k], out[t, k + 1], out[t + 1, k], out[t + 1, k + 1] = a0, a1, b0, b1
    out[t + 2, k], out[t + 2, k + 1], out[t + 3, k], out[t + 3, k + 1] = c0, c1, d0, d1


@jit
def score_one(
    rows: Any, batch: Any, t: int, low: int, high: int, weights: Any, k: int, out: Any
) -> None:
    """Multiply four rows by the weights of one class."""
    x0, x1 = row_part(rows, batch, t, low, high), row_part(rows, batch, t + 1, low, high)
    x2, x3 = row_part(rows, batch, t + 2, low, high), row_part(rows, batch, t + 3, low, high)
    w = weights[k][low:high]
    a = b = c = d = weights.dtype.type(0)
    for j in range(w.shape[0]):
        a += x0[j] * w[j]
        b += x1[j] * w[j]
        c += x2[j] * w[j]
        d += x3[j] * w[j]
    out[t, k], out[t + 1, k], out[t + 2, k], out[t + 3, k] = a, b, c, d


@jit
def score_part(
    rows: Any, batch: Any, ahead: Any, low: int, high: int, weights: Any, out: Any
) -> None:
    """Multiply all rows of a batch by all classes, along some columns; fetch rows to come."""
    n_classes = weights.shape[0]
    whole = n_classes // 4 * 4
    for t in range(0, batch.shape[0], 4):
        for near in range(t, min(t + 4, ahead.shape[0])):
            touch(rows, ahead[near], low, high)
        for k in range(0, whole, 4):
            score_four(rows, batch, t, low, high, weights, k, out)
        if n_classes - whole > 1:
            k = whole
            score_two(rows, batch, t, low, high, weights, k, out)
        if n_classes % 2:
            k = n_classes - 1
            score_one(rows, batch, t, low, high, weights, k, out)


@jit
def add_late(
    rows: Any, batch: Any, low: int, high: int, slopes: Any, mass: float, total: Any
) -> None:
    """Add rows, each times its slopes and a number, to sums in float64."""
    for t in range(batch.shape[0]):
        x = rows.values[np.uintp(batch[t])][low:high]
        for k in range(total.shape[0]):
            late, sums = mass * slopes[t, k], total[k][low:high]
            for j in range(sums.shape[0]):
                sums[j] += late * x[j]


@jit
def scale_part(scale: float, low: int, high: int, weights: Any, mean: Any, mass: float) -> None:
    """Do what `rosenblatt.kernels.descent.take_over` does, for some columns."""
    for k in range(weights.shape[0]):
        for j in range(low, high):
            if mean is not None:
                mean.weights[k, j] -= mass * weights[k, j]
            weights[k, j] *= scale


@jit
def blocked_descent(
    rows: Any,
    y: Any,
    order: Any,
    ahead: Any,
    functions: Any,
    etas: Any,
    rule: Any,
    mean: Any,
    shared: Any,
    me: int,
    threads: int,
) -> tuple[int, int, int, float, int]:
    """Do what `rosenblatt.kernels.descent.multiclass_descent` does, for dense rows in batches.

    With two threads, thread ``me`` works on one part of the columns, and both work out the slopes
    from the sums of both parts.
    """
    weights, (n_classes, n_columns) = functions.weights, functions.weights.shape
    one, notes = weights.dtype.type(1), shared.notes[me]
    scale, visited, moves, mistakes, total, bad = one, 0, 0, 0, 0.0, -1
    mass, mass_intercept = 0.0, 0.0
    intercept, raw, offset, slopes = notes[0], notes[1], notes[2], notes[3:]
    intercept[:], offset[:] = functions.intercept, 0
    if mean is not None:
        mass, mass_intercept = mean.mass[0], mean.mass[1]
    while visited < order.shape[0] and moves < etas.shape[0] and bad < 0:
        batch = order[visited : visited + rule.batch]
        near = ahead[visited : visited + rule.batch]
        sums, size = shared.sums[moves % 2], batch.shape[0]
        for part in range(me, PARTS, threads):
            low, high = cut(n_columns, part)
            score_part(rows, batch, near, low, high, weights, sums[part])
        if threads > 1:
            meet(shared.counters, me, moves + 1)
        for t in range(size):
            for k in range(n_classes):
                raw[k] = scale * (sums[0, t, k] + sums[1, t, k]) + intercept[k]
            if not all_finite(raw):
                bad = visited + t
                break
            right = y[batch[t]]
            mistakes += is_beaten(raw, right, rival(raw, right), 0)
            total += losses_and_slopes(rule.loss, raw, right, slopes[t])
        if bad >= 0:
            break
        eta = etas[moves]
        if rule.l2 > 0:
            scale *= one - eta * weights.dtype.type(rule.l2)
        factor = -eta / weights.dtype.type(size)
        for t in range(size):
            for k in range(n_classes):
                step = factor * slopes[t, k]
                slopes[t, k] = step / scale
                intercept[k] += step * rule.bias
                offset[k] += mass_intercept * step * rule.bias
        for part in range(me, PARTS, threads):
            low, high = cut(n_columns, part)
            add_tiles(rows.values, batch, low, high, slopes, weights)
            if mean is not None:
                add_late(rows, batch, low, high, slopes, mass, mean.weights)
            if scale < SMALL:
                scale_part(scale, low, high, weights, mean, mass + scale)
        mass, mass_intercept = mass + scale, mass_intercept + 1
        if scale < SMALL:
            mass, scale = 0.0, one
        visited, moves = visited + size, moves + 1
    for part in range(me, PARTS, threads):
        if scale != 1:
            low, high = cut(n_columns, part)
            scale_part(scale, low, high, weights, mean, mass)
    if me == 0:
        functions.intercept[:] = intercept
        if mean is not None:
            mean.mass[0], mean.mass[1] = mass if scale == 1 else 0.0, mass_intercept
            mean.intercept[:] += offset
    return visited, moves, mistakes, total, bad
