"""Gradient descent on dense batches of K classes, at the speed of matrix products.

Scores are made four rows by four classes at a time, so that a number read from memory is multiplied
four times; sums of rows stay in registers (`kernels.simd.tiles`). The columns come in two
parts and the rows of a batch in two halves, which two threads may share; the result is the same to
the last bit whether they do or not.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.descent import SMALL
from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.losses import losses_and_slopes, weigh
from rosenblatt.kernels.online.perceptrons import all_finite, is_beaten, rival, weight_of
from rosenblatt.kernels.rows import touch
from rosenblatt.kernels.simd.lockstep import LINE, meet
from rosenblatt.kernels.simd.tiles import BYTES, add_column, add_thin, add_wide

PARTS = 2
_STEP = 32  # columns that a part is a multiple of, so that no loop ends in single numbers


class Shared(NamedTuple):
    """What two threads share, or one has for itself.

    Sums of products and steps for each part of the columns; the slopes; their counters, and with
    each the position of a score that overflowed; for each half of the rows its loss and mistakes;
    and the weights of all rows, or an empty array.
    """

    sums: Any
    steps: Any
    slopes: Any
    counters: Any
    tally: Any
    weights: Any


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
    rows: Any, batch: Any, near: Any, low: int, high: int, weights: Any, out: Any
) -> None:
    """Multiply all rows of a batch by all classes, along some columns.

    Fetch those of some rows to come, a few at a time.
    """
    n_classes = weights.shape[0]
    whole = n_classes // 4 * 4
    groups, fetched = (batch.shape[0] + 3) // 4, 0
    for group in range(groups):
        while fetched * groups < near.shape[0] * (group + 1):
            touch(rows, near[fetched], low, high)
            fetched += 1
        t = 4 * group
        for k in range(0, whole, 4):
            score_four(rows, batch, t, low, high, weights, k, out)
        if n_classes - whole > 1:
            score_two(rows, batch, t, low, high, weights, whole, out)
        if n_classes % 2:
            score_one(rows, batch, t, low, high, weights, n_classes - 1, out)


@jit
def add_part(
    rows: Any, batch: Any, near: Any, low: int, high: int, slopes: Any, weights: Any
) -> None:
    """Add all rows of a batch, each times its slopes, to all classes, along some columns.

    Fetch those of some rows to come, a few at a time.
    """
    wide = 2 * BYTES // weights.itemsize
    tiles, fetched = (high - low) // wide, 0
    for tile in range(tiles):
        while fetched * tiles < near.shape[0] * (tile + 1):
            touch(rows, near[fetched], low, high)
            fetched += 1
        add_wide(rows.values, batch, slopes, weights, low + tile * wide)
    column = low + tiles * wide
    if column + wide // 2 <= high:
        add_thin(rows.values, batch, slopes, weights, column)
        column += wide // 2
    for last in range(column, high):
        add_column(rows.values, batch, slopes, weights, last)


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
            if mean.mass.shape[0]:
                mean.weights[k, j] -= mass * weights[k, j]
            weights[k, j] *= scale


@jit
def slopes_of_half(
    batch: Any, half: int, y: Any, shared: Any, scale: float, intercept: Any, raw: Any, rule: Any
) -> None:
    """Work out the slopes of half of a batch's rows from the sums of both parts."""
    middle = (batch.shape[0] + 1) // 2
    tally, sums = shared.tally[half], shared.sums
    for t in range(0 if half == 0 else middle, middle if half == 0 else batch.shape[0]):
        for k in range(intercept.shape[0]):
            raw[k] = scale * (sums[0, t, k] + sums[1, t, k]) + intercept[k]
        if not all_finite(raw):
            shared.counters[half * LINE + 1] = t + 1
            return
        right = y[batch[t]]
        loss = losses_and_slopes(rule.loss, rule.parameter, raw, right, shared.slopes[t])
        tally[0] += weight_of(shared.weights, batch[t]) * loss
        weigh(shared.slopes[t], shared.weights, batch[t])
        tally[1] += is_beaten(raw, right, rival(raw, right), 0)


@jit
def blocked_descent(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, etas: Any, rule: Any, mean: Any,
    shared: Any, patience: int, me: int, threads: int,
) -> tuple[int, int, int, bool]:  # fmt: skip
    """Do what `rosenblatt.kernels.descent.multiclass_descent` does, for dense rows in batches.

    With two threads, thread ``me`` works on one part of the columns and one half of the rows; they
    meet when the sums are made, and when the slopes are. If more than a few meetings take long
    (``patience``), as on a busy machine, the first thread continues alone. Return the rows visited,
    the moves, −1 or the position of a score that overflowed, and whether it got stuck.
    """
    weights, (n_classes, n_columns) = functions.weights, functions.weights.shape
    one, slopes = weights.dtype.type(1), shared.slopes
    # One array for all that small loops write to: how they round may depend on how far apart it is.
    notes = np.zeros((3, n_classes), weights.dtype)
    intercept, raw, offset = notes[0], notes[1], notes[2]
    intercept[:] = functions.intercept
    averages = mean.mass.shape[0] > 0
    mass, mass_intercept = (mean.mass[0], mean.mass[1]) if averages else (0.0, 0.0)
    scale, visited, moves, bad, waits, stuck = one, 0, 0, -1, 0, False
    while visited < order.shape[0] and moves < etas.shape[0]:
        batch = order[visited : visited + rule.batch]
        near = ahead[visited : visited + rule.batch]
        size, nearer = batch.shape[0], near.shape[0] // 2
        for part in range(me, PARTS, threads):
            low, high = cut(n_columns, part)
            score_part(rows, batch, near[:nearer], low, high, weights, shared.sums[part])
        if threads > 1:
            waits += meet(shared.counters, me, 2 * moves + 1)
        for half in range(me, PARTS, threads):
            slopes_of_half(batch, half, y, shared, scale, intercept, raw, rule)
        if threads > 1:
            shared.counters[me * LINE + 2] = waits
            waits += meet(shared.counters, me, 2 * moves + 2)
            # Both see the same numbers, and so come to the same end.
            stuck = shared.counters[2] + shared.counters[LINE + 2] > patience
        for half in range(PARTS):
            if bad < 0 and shared.counters[half * LINE + 1] > 0:
                bad = visited + shared.counters[half * LINE + 1] - 1
        if bad >= 0:
            break
        eta = etas[moves]
        if rule.l2 > 0:
            scale *= one - eta * weights.dtype.type(rule.l2)
        factor = -eta / weights.dtype.type(size)
        for t in range(size):
            for k in range(n_classes):
                step = factor * slopes[t, k] * rule.bias
                intercept[k] += step
                offset[k] += mass_intercept * step
        for part in range(me, PARTS, threads):
            low, high = cut(n_columns, part)
            own = shared.steps[part]
            for t in range(size):
                for k in range(n_classes):
                    own[t, k] = factor * slopes[t, k] / scale
            add_part(rows, batch, near[nearer:], low, high, own, weights)
            if mean.mass.shape[0]:
                add_late(rows, batch, low, high, own, mass, mean.weights)
            if scale < SMALL:
                scale_part(scale, low, high, weights, mean, mass + scale)
        mass, mass_intercept = mass + scale, mass_intercept + 1
        if scale < SMALL:
            mass, scale = 0.0, one
        if stuck and threads > 1:
            # One thread continues alone: where a block ends must not depend on how busy it is.
            meet(shared.counters, me, 2 * moves + 3)
            if me == 1:
                return visited, moves, bad, stuck
            threads = 1
        visited, moves = visited + size, moves + 1
    for part in range(me, PARTS, threads):
        if scale != 1:
            low, high = cut(n_columns, part)
            scale_part(scale, low, high, weights, mean, mass)
    if me == 0:
        functions.intercept[:] = intercept
        if mean.mass.shape[0]:
            mean.mass[0], mean.mass[1] = mass if scale == 1 else 0.0, mass_intercept
            mean.intercept[:] += offset
    return visited, moves, bad, stuck
