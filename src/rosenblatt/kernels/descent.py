"""Gradient descent in batches of any size: score a batch, then move against its mean gradient.

One example a batch is stochastic gradient descent. An L2 penalty shrinks all weights at every move,
which costs nothing here: the weights are ``scale · w``, and only the scale shrinks. An L1 penalty
pulls every weight towards zero by all that it was spared so far, so that noise does not lift a
weight off zero (Tsuruoka et al. 2009); one that no row touches is pulled when a row does.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import exact_jit, jit
from rosenblatt.kernels.losses import loss_and_slope, losses_and_slopes, weigh
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.online.perceptrons import Functions, all_finite, is_beaten, rival, weight_of
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.rows import GROUP, add, add_batch, all_pairs, dot, prefetch, scores_from

SMALL = 2.0**-12  # a scale below which the weights take it over


class Rule(NamedTuple):
    """The loss's code and parameter, the rows in a batch, the L2 penalty, and the intercept's rate.

    The latter is 0 if the intercept does not learn.
    """

    loss: int
    parameter: float
    batch: int
    l2: float
    bias: float


class Linear(NamedTuple):
    """The linear functions that learn: their arrays change in place. ``none`` is zeros."""

    weights: Any
    intercept: Any
    none: Any


class Mean(NamedTuple):
    """For averaging: sums of (what was averaged before) · move, in float64.

    ``mass`` holds two numbers: the sum of the scales, and how many weights were averaged; it is
    empty if none are.
    """

    weights: Any
    intercept: Any
    mass: Any


class Pull(NamedTuple):
    """For an L1 penalty: its size, the sum of all pulls, and how far each weight was pulled.

    The sum is an array of one number, which is empty if there is no such penalty. While the weights
    are ``scale · w``, the two are in units of w: an L2 penalty shrinks them as it does the weights.
    """

    l1: float
    sum: Any
    done: Any


def catch_up(rows: Any, i: int, weights: Any, pull: Any) -> None:
    """Pull the weights that a row touches by what they missed."""
    raise TypeError("for compiled code only")


@overload(catch_up)
def _catch_up(rows, i, weights, pull):
    if rows.instance_class is Dense:

        def dense(rows, i, weights, pull):
            for j in range(weights.shape[1]):
                pull_weight(j, weights, pull)

        return dense

    def sparse(rows, i, weights, pull):
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            pull_weight(rows.indices[at], weights, pull)

    return sparse


@exact_jit  # regrouped, sums differ between code that was just compiled and cached code
def pull_weight(j: int, weights: Any, pull: Any) -> None:
    """Pull a feature's weights towards zero, and no further, by what they were spared so far."""
    for k in range(weights.shape[0]):
        weight = np.float64(weights[k, j])
        if weight > 0:
            moved = weights.dtype.type(max(0.0, weight - (pull.sum[0] + pull.done[k, j])))
        elif weight < 0:
            moved = weights.dtype.type(min(0.0, weight + (pull.sum[0] - pull.done[k, j])))
        else:
            continue
        pull.done[k, j] += np.float64(moved) - weight
        weights[k, j] = moved


@jit
def catch_up_all(weights: Any, pull: Any) -> None:
    """Pull every weight by what it missed."""
    for j in range(weights.shape[1]):
        pull_weight(j, weights, pull)


@jit
def take_over(scale: float, weights: Any, mean: Any, pull: Any) -> Any:
    """Multiply the weights, and how they were pulled, by the scale, which is one after that.

    The sum of the weights so far is then kept as it is: as a difference that grows while the scale
    shrinks it would cancel.
    """
    if scale != 1:
        if mean.mass.shape[0]:
            for k in range(weights.shape[0]):
                for j in range(weights.shape[1]):
                    mean.weights[k, j] -= mean.mass[0] * weights[k, j]
            mean.mass[0] = 0
        for k in range(weights.shape[0]):
            for j in range(weights.shape[1]):
                weights[k, j] *= scale
        if pull.sum.shape[0]:
            pull.sum[0] *= scale
            for k in range(weights.shape[0]):
                for j in range(weights.shape[1]):
                    pull.done[k, j] *= scale
    return weights.dtype.type(1)


@jit
def binary_descent(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, etas: Any, rule: Any, mean: Any,
    pull: Any, row_weights: Any,
) -> tuple[int, int, int, float, int]:  # fmt: skip
    """Visit rows in order, batch by batch: ``w -= η (1/B) Σ slope_i x_i``.

    ``etas`` are the step sizes of the moves to come; the loop ends when they are used up.
    ``row_weights`` multiply the losses of the rows; without them, they are empty.

    Return the rows visited, the moves, the mistakes, the sum of the losses, and −1 or the position
    in the order of a score that overflowed.
    """
    w, b, one = functions.weights[0], functions.intercept[0], functions.weights.dtype.type(1)
    scale = one
    slopes = np.empty(min(rule.batch, order.shape[0]), w.dtype)
    moves, mistakes, total = 0, 0, 0.0
    for start in range(0, order.shape[0], rule.batch):
        if moves == etas.shape[0]:
            take_over(scale, functions.weights, mean, pull)
            functions.intercept[0] = b
            return start, moves, mistakes, total, -1
        stop = min(start + rule.batch, order.shape[0])
        for t in range(start, stop):
            if ahead.shape[0]:
                prefetch(rows, ahead[t])
            i = order[t]
            if pull.sum.shape[0]:
                catch_up(rows, i, functions.weights, pull)
            score = scale * dot(rows, i, w) + b
            if not finite(score):
                functions.intercept[0] = b
                return t, moves, mistakes, total, t
            given = np.float64(score), np.float64(y[i])
            loss, slope = loss_and_slope(rule.loss, rule.parameter, *given)
            weight = weight_of(row_weights, i)
            total += weight * loss
            mistakes += y[i] * score <= 0
            slopes[t - start] = weight * slope
        eta = etas[moves]
        if rule.l2 > 0:
            scale *= one - eta * w.dtype.type(rule.l2)
            if scale < SMALL:
                scale = take_over(scale, functions.weights, mean, pull)
        factor = -eta / (stop - start)
        for t in range(start, stop):
            step = w.dtype.type(factor * slopes[t - start])
            if step != 0:
                add(rows, order[t], step / scale, w)
                b += step * rule.bias
                if mean.mass.shape[0]:
                    late = mean.mass[0] * step / scale
                    add(rows, order[t], late, mean.weights[0])
                    mean.intercept[0] += mean.mass[1] * step * rule.bias
        if mean.mass.shape[0]:
            mean.mass[0] += scale
            mean.mass[1] += 1
        if pull.sum.shape[0]:
            pull.sum[0] += eta * pull.l1 / scale
        moves += 1
    take_over(scale, functions.weights, mean, pull)
    functions.intercept[0] = b
    return order.shape[0], moves, mistakes, total, -1


@jit
def multiclass_descent(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, etas: Any, rule: Any, mean: Any,
    pull: Any, row_weights: Any,
) -> tuple[int, int, int, float, int]:  # fmt: skip
    """Do the same for y = 0…K−1; the arguments and results are those of `binary_descent`."""
    weights, n_classes = functions.weights, functions.intercept.shape[0]
    one, pairs = weights.dtype.type(1), all_pairs(n_classes)
    scale = one
    # One array for all that small loops write to: how they round may depend on how far apart it is.
    notes = np.empty((min(rule.batch, order.shape[0]) + GROUP + 2, n_classes), weights.dtype)
    intercept, raw, table = notes[0], notes[1], notes[2:]
    intercept[:] = functions.intercept
    plain = Functions(weights, functions.none, 0.0, 0)
    moves, mistakes, total = 0, 0, 0.0
    for start in range(0, order.shape[0], rule.batch):
        if moves == etas.shape[0]:
            take_over(scale, weights, mean, pull)
            functions.intercept[:] = intercept
            return start, moves, mistakes, total, -1
        stop = min(start + rule.batch, order.shape[0])
        part = order[start:stop]
        if ahead.shape[0]:
            for t in range(start, stop):
                prefetch(rows, ahead[t])
        if pull.sum.shape[0]:
            for i in part:
                catch_up(rows, i, weights, pull)
        at = 0
        while at < part.shape[0]:
            at += scores_from(rows, part, at, pairs, plain, table[at:])
        for t in range(part.shape[0]):
            for k in range(n_classes):
                raw[k] = scale * table[t, k] + intercept[k]
            if not all_finite(raw):
                functions.intercept[:] = intercept
                return start + t, moves, mistakes, total, start + t
            right = y[part[t]]
            mistakes += is_beaten(raw, right, rival(raw, right), 0)
            loss = losses_and_slopes(rule.loss, rule.parameter, raw, right, table[t])
            total += weight_of(row_weights, part[t]) * loss
            weigh(table[t], row_weights, part[t])
        eta = etas[moves]
        if rule.l2 > 0:
            scale *= one - eta * weights.dtype.type(rule.l2)
            if scale < SMALL:
                scale = take_over(scale, weights, mean, pull)
        factor = -eta / part.shape[0]
        add_batch(rows, part, factor / scale, table, weights)
        if mean.mass.shape[0]:
            add_batch(rows, part, mean.mass[0] * factor / scale, table, mean.weights)
        for t in range(part.shape[0]):
            for k in range(n_classes):
                step = factor * table[t, k] * rule.bias
                intercept[k] += step
                if mean.mass.shape[0]:
                    mean.intercept[k] += mean.mass[1] * step
        if mean.mass.shape[0]:
            mean.mass[0] += scale
            mean.mass[1] += 1
        if pull.sum.shape[0]:
            pull.sum[0] += eta * pull.l1 / scale
        moves += 1
    take_over(scale, weights, mean, pull)
    functions.intercept[:] = intercept
    return order.shape[0], moves, mistakes, total, -1


def length(rows: Any, i: int) -> float:
    """Return ``‖x_i‖²``."""
    raise TypeError("for compiled code only")


@overload(length)
def _length(rows, i):
    if rows.instance_class is Dense:

        def dense(rows, i):
            total = 0.0
            for value in rows.values[i]:
                total += np.float64(value) * np.float64(value)
            return total

        return dense

    def sparse(rows, i):
        total = 0.0
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            total += np.float64(rows.values[at]) * np.float64(rows.values[at])
        return total

    return sparse


@exact_jit
def add_lengths(rows: Any, begun: float, extra: float, out: Any) -> None:
    """Write the sums of the squared lengths so far, each plus ``extra``, from ``begun`` on."""
    for i in range(out.shape[0]):
        begun += length(rows, i) + extra
        out[i] = begun
