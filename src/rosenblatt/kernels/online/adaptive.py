"""Gradient descent with a step for each weight: FTRL-proximal (McMahan et al. 2013).

Steps shrink with the slopes that a weight has seen, as in AdaGrad (Duchi, Hazan and Singer 2011),
so that rare features take long steps and frequent ones short steps. A weight follows from two
numbers, ``w = −sum / (root/η + λ)``: the root of the sum of its squared slopes, and the sum of its
slopes less what the changing steps owe. So an L2 penalty λ applies to all weights at once, though
only those of the features in a row are computed. An L1 penalty λ₁ first takes λ₁ from the sum's
size: weights whose sum is no larger are zero.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.descent import length
from rosenblatt.kernels.jit import FASTMATH, exact_jit, inlined_jit, jit
from rosenblatt.kernels.losses import loss_and_slope, losses_and_slopes
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.online.perceptrons import Functions, all_finite, is_beaten, rival
from rosenblatt.kernels.overflow import finite, size_of
from rosenblatt.kernels.rows import GROUP, all_pairs, dot, prefetch, scores_from

_OPTIONS = {"fastmath": FASTMATH}
# Slopes are squared and added up, for as many examples as there may be.
MOST_TIMES = 32  # that an example is learned from in a row, whatever its weight
HALVINGS = 16  # half-lives after which sums and roots that forget are made smaller
_FADED = 2.0**-HALVINGS
_STEEPEST = {"float32": 2.0**40, "float64": 2.0**480}


class Adaptive(NamedTuple):
    """The weights that learn, and what they follow from: all of these change in place.

    ``total`` is, for the mean of the weights, the sum of (examples averaged before) · change, in
    float64.
    """

    weights: Any
    sums: Any
    roots: Any
    total: Any


class Pace(NamedTuple):
    """The loss's code and parameter, η, the penalties λ and λ₁, and whether the intercept learns.

    Where rows are longer, in the mean of their squared lengths, than ``usual``, all steps are as
    much shorter: as in each row many weights move together, they would move too far. After
    ``half_life`` examples more, one counts half; 0 is never.
    """

    loss: int
    eta: Any
    l2: Any
    bias: bool
    usual: float
    l1: Any
    half_life: int
    parameter: float


def steepest(w: Any) -> float:
    """Return the largest slope that weights of w's type can bear."""
    raise TypeError("for compiled code only")


@overload(steepest)
def _steepest(w):
    limit = _STEEPEST[str(w.dtype)]
    return lambda w: limit


@inlined_jit
def move(
    rows: Any, i: int, slopes: Any, parts: Any, rate: float, l2: float, l1: float, calm: float,
    late: float,
) -> None:  # fmt: skip
    """Move the weights of a row's features; ``slopes`` are the loss's, by each score.

    Without an L1 penalty, and without a mean (``late`` is negative), the loop is another: one that
    asks at each weight would not run in parallel lanes.
    """
    if l1 > 0:
        if late >= 0:
            move_each(rows, i, slopes, parts, rate, l2, l1, calm, late)
        else:
            move_each(rows, i, slopes, parts, rate, l2, l1, calm, None)
    elif late >= 0:
        move_each(rows, i, slopes, parts, rate, l2, None, calm, late)
    else:
        move_each(rows, i, slopes, parts, rate, l2, None, calm, None)


def move_each(
    rows: Any, i: int, slopes: Any, parts: Any, rate: float, l2: float, l1: Any, calm: float,
    late: Any,
) -> None:  # fmt: skip
    """Move the weights of each feature of a row; None for the L1 penalty or the mean is none."""
    raise TypeError("for compiled code only")


@overload(move_each, jit_options=_OPTIONS)
def _move_each(rows, i, slopes, parts, rate, l2, l1, calm, late):
    if rows.instance_class is Dense:

        def dense(rows, i, slopes, parts, rate, l2, l1, calm, late):
            at = np.uintp(i)
            for j in range(parts.weights.shape[1]):
                move_feature(j, rows.values[at, j], slopes, parts, rate, l2, l1, calm, late)

        return dense

    def sparse(rows, i, slopes, parts, rate, l2, l1, calm, late):
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            move_feature(rows.indices[at], rows.values[at], slopes, parts, rate, l2, l1, calm, late)

    return sparse


@inlined_jit
def move_feature(
    j: int, x: float, slopes: Any, parts: Any, rate: float, l2: float, l1: Any, calm: float,
    late: Any,
) -> None:  # fmt: skip
    """Move the weights of one feature; ``rate`` is 1/η, and steps are ``calm`` times shorter.

    It rounds as IEEE 754 says, so that it is the same to the last bit in every loop.
    """
    if slopes.shape[0] == 1:  # a loop over one would be made ready for many
        move_weight(0, j, slopes[0] * x, parts, rate, l2, l1, calm, late)
        return
    for k in range(slopes.shape[0]):
        move_weight(k, j, slopes[k] * x, parts, rate, l2, l1, calm, late)


@inlined_jit
def move_weight(
    k: int, j: int, slope: float, parts: Any, rate: float, l2: float, l1: Any, calm: float,
    late: Any,
) -> None:  # fmt: skip
    """Move one weight."""
    before, w = parts.roots[k, j], parts.weights[k, j]
    seen = slope * calm
    root = np.sqrt(before * before + seen * seen)
    if slope != 0 and root > 0:  # which is zero also where a slope's square is too small
        total = parts.sums[k, j] + (slope - (root - before) * rate * w)
        moved = -shrunk(total, l1) / (root * rate + l2)
        parts.roots[k, j], parts.sums[k, j], parts.weights[k, j] = root, total, moved
        add_late(parts.total, k, j, late, moved, w)


@inlined_jit
def shrunk(total: float, l1: Any) -> float:
    """Return a sum that an L1 penalty, if there is one, made smaller; what is left has its sign."""
    if l1 is None:
        return total
    left = abs(total) - l1
    size: float = np.copysign(left if left > 0 else l1 - l1, total)
    return size


@exact_jit
def add_late(total: Any, k: int, j: int, late: Any, after: float, before: float) -> None:
    """Take note of a change for the mean, if there is one."""
    if late is not None:
        total[k, j] += late * (np.float64(after) - np.float64(before))


@exact_jit
def move_intercept(slopes: Any, one: Any, rate: float, calm: float, late: float) -> None:
    """Move the intercepts, the weights of a feature that is always 1 and has no penalty."""
    x, no_l2 = one.weights.dtype.type(1), one.weights.dtype.type(0)
    if late >= 0:
        move_feature(0, x, slopes, one, rate, no_l2, None, calm, late)
    else:
        move_feature(0, x, slopes, one, rate, no_l2, None, calm, None)


@exact_jit
def lateness(averaged: int, t: int) -> float:
    """Return how many examples the mean is of before the t-th; −1 if there is no mean."""
    return np.float64(averaged + t) if averaged >= 0 else -1.0


@exact_jit
def calmness(lengths: float, n: int, usual: float) -> float:
    """Return how much shorter steps are, for rows with this sum of squared lengths."""
    return max(1.0, lengths / n / usual)


@exact_jit
def emphasis(half_life: int, t: int) -> float:
    """Return how much more the t-th example counts than those before it, which are forgotten.

    Instead of all sums and roots getting smaller with each example, what is new gets larger; and
    now and then all of it smaller, by `fade`. It is 1 where nothing is forgotten.
    """
    if half_life == 0:
        return 1.0
    return 2.0 ** (np.float64(t % (HALVINGS * half_life)) / half_life)


@exact_jit
def fade(half_life: int, t: int, parts: Any, one: Any) -> None:
    """Before the t-th example, make sums and roots smaller if `emphasis` begins anew with it.

    They are divided by a power of two, so that no digit is lost.
    """
    if half_life > 0 and t > 0 and t % (HALVINGS * half_life) == 0:
        make_smaller(parts)
        make_smaller(one)


@exact_jit
def make_smaller(parts: Any) -> None:
    """Divide all sums and roots by a power of two."""
    for j in range(parts.sums.shape[1]):
        for k in range(parts.sums.shape[0]):
            parts.sums[k, j] *= _FADED
            parts.roots[k, j] *= _FADED


@jit
def times(weight: float) -> int:
    """Return how often to learn from an example of this weight, each time with a share of it."""
    return 1 if weight <= 1 else min(MOST_TIMES, int(np.ceil(weight)))


@exact_jit
def share_of(weight: float) -> float:
    """Return the weight of each time; it is a quotient, and no product, in every loop."""
    return weight / times(weight)


@exact_jit
def with_loss(total: float, weight: float, loss: float) -> float:
    """Return a sum of losses with one more; it is rounded twice in every loop."""
    return total + weight * loss


@jit
def binary_adaptive(
    rows: Any, y: Any, order: Any, ahead: Any, parts: Any, one: Any, pace: Any, averaged: int,
    weights: Any, lengths: Any, before: int, total: float,
) -> tuple[int, int, int, float]:  # fmt: skip
    """Visit rows in order, with y = ±1 or, for squares, the number to predict.

    ``one`` is `Adaptive` of the intercept, a feature that is always 1 and has no penalty;
    ``averaged`` is how many examples the mean is of, −1 if there is none. Return
    the rows visited, the moves, the mistakes and ``total`` with the losses added; fewer rows than
    there are if the next one makes a number overflow. That row changes nothing. An example of
    weight 3 is learned from three times in a row, so that its step falls short of what it asks for
    less and less (Karampatziakis and Langford 2011); ``weights`` may be empty. ``lengths`` has the
    sum of the squared lengths of the rows that came ``before``, and gets those of these added.
    """
    w = parts.weights[0]
    slopes = np.empty(1, w.dtype)
    rate = w.dtype.type(1) / pace.eta
    visited, moves, mistakes = 0, 0, 0
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        score = dot(rows, i, w) + one.weights[0, 0]
        given = np.float64(score), np.float64(y[i])
        loss, slope = loss_and_slope(pace.loss, pace.parameter, *given)
        weight = weights[i] if weights.shape[0] else 1.0
        longer = lengths[0] + length(rows, i)
        calm = calmness(longer, before + t + 1, pace.usual)
        share, more = share_of(weight), emphasis(pace.half_life, before + t)
        steep = calm * abs(slope) * max(share, 1.0) * more
        if not (finite(score) and steep * np.float64(size_of(rows, i)) < steepest(w)):
            break
        lengths[0] = longer
        calm, l2, l1 = (
            w.dtype.type(calm),
            pace.l2 * w.dtype.type(more),
            pace.l1 * w.dtype.type(more),
        )
        fade(pace.half_life, before + t, parts, one)
        visited += 1
        total = with_loss(total, weight, loss)
        mistakes += y[i] * score <= 0
        late, moved = lateness(averaged, t), False
        for turn in range(times(weight)):
            if turn:
                score = dot(rows, i, w) + one.weights[0, 0]
                given = np.float64(score), np.float64(y[i])
                _, slope = loss_and_slope(pace.loss, pace.parameter, *given)
            slopes[0] = slope * share * more
            if slopes[0] != 0:
                move(rows, i, slopes, parts, rate, l2, l1, calm, late)
                if pace.bias:
                    move_intercept(slopes, one, rate, calm, late)
                moved = True
        moves += moved
    return visited, moves, mistakes, total


@jit
def multiclass_adaptive(
    rows: Any, y: Any, order: Any, ahead: Any, parts: Any, one: Any, pace: Any, averaged: int,
    weights: Any, lengths: Any, before: int, total: float,
) -> tuple[int, int, int, float]:  # fmt: skip
    """Do the same for y = 0…K−1; the arguments and results are those of `binary_adaptive`."""
    n_classes = one.weights.shape[0]
    dtype = parts.weights.dtype
    pairs, rate = all_pairs(n_classes), dtype.type(1) / pace.eta
    notes = np.empty((GROUP + 2, n_classes), dtype)
    slopes, intercept, table = notes[0], notes[1], notes[2:]
    visited, moves, mistakes = 0, 0, 0
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        intercept[:] = one.weights[:, 0]
        scores_from(
            rows, order[t : t + 1], 0, pairs, Functions(parts.weights, intercept, 0.0, 0), table
        )
        score = table[0]
        if not all_finite(score):
            break
        right = y[i]
        loss = losses_and_slopes(pace.loss, pace.parameter, score, right, slopes)
        largest = 0.0
        for k in range(n_classes):
            largest = max(largest, abs(np.float64(slopes[k])))
        weight = weights[i] if weights.shape[0] else 1.0
        longer = lengths[0] + length(rows, i)
        calm = calmness(longer, before + t + 1, pace.usual)
        more = emphasis(pace.half_life, before + t)
        steep = calm * largest * max(share_of(weight), 1.0) * more
        if not steep * np.float64(size_of(rows, i)) < steepest(parts.weights):
            break
        lengths[0] = longer
        calm, l2, l1 = dtype.type(calm), pace.l2 * dtype.type(more), pace.l1 * dtype.type(more)
        fade(pace.half_life, before + t, parts, one)
        visited += 1
        share = dtype.type(share_of(weight) * more)
        total = with_loss(total, weight, loss)
        mistakes += is_beaten(score, right, rival(score, right), 0)
        late = lateness(averaged, t)
        moves += largest > 0 and weight > 0
        for turn in range(times(weight)):
            if turn:
                intercept[:] = one.weights[:, 0]
                functions = Functions(parts.weights, intercept, 0.0, 0)
                scores_from(rows, order[t : t + 1], 0, pairs, functions, table)
                losses_and_slopes(pace.loss, pace.parameter, score, right, slopes)
            for k in range(n_classes):
                slopes[k] *= share
            move(rows, i, slopes, parts, rate, l2, l1, calm, late)
            if pace.bias:
                move_intercept(slopes, one, rate, calm, late)
    return visited, moves, mistakes, total


@jit
def settle(parts: Any, eta: float, l2: float, l1: float) -> None:
    """Compute all weights for other penalties, and begin a new mean."""
    weights, sums, roots = parts.weights, parts.sums, parts.roots
    for j in range(weights.shape[1]):
        for k in range(weights.shape[0]):
            if roots[k, j] > 0:
                weights[k, j] = -shrunk(sums[k, j], l1) / (roots[k, j] / eta + l2)
            parts.total[k, j] = 0
