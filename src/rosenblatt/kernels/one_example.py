"""One example at a time: the loop over many, called for one, with little to hand over.

Each array that a compiled function is given costs time, so a few hold all. These functions hold the
interpreter's lock and run no Python code: for other threads each of them happens at once.

All of them get the same first arguments. On the ``desk`` lie the interpreter's addresses, what the
learner is told, and its counts; ``numbers`` are more of that, in float64. The example is the dict
at address ``x``, read with a ``plan`` into the buffers ``columns`` and ``values``. If ``x`` is 0 it
is in these already, and if ``x`` is `OWNER` as well, and the weights may be `CLOSED` to others.
Before the columns lie where the row begins and ends; before the values, places for the target and
the step. The next seven are the `Columns` of numbers, and an array that counts the rows these are
from and the numbers cut off. No feature is a word.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.adaptive import Adaptive, Pace, binary_adaptive, multiclass_adaptive
from rosenblatt.kernels.jit import holding_jit
from rosenblatt.kernels.online_perceptrons import Functions, Sums, binary_pass, multiclass_pass
from rosenblatt.kernels.simd.dicts import API, features_of
from rosenblatt.kernels.standardize import NOT_BEGUN, Columns, scaled, standardize

NOT_THIS, OVERFLOW = -1, -2
OWNER = -1
FRONT = 2
_FIRST = np.zeros(1, np.int32)
_NONE = np.empty(0, np.int32)
BIAS, TIES, LOSS, STEPS, UPDATES, MISTAKES, AVERAGED, CLOSED, SCALED, BEGIN, TARGET = range(
    API, API + 11
)
DESK = API + 11
ETA, L2, TOTAL_LOSS, MOST, USUAL, LENGTHS = range(6)
N_NUMBERS = 6


@holding_jit
def is_ready(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    width: int, learn: bool,
) -> bool:  # fmt: skip
    """Read an example and standardise its numbers; False if that is left to the slow path."""
    if desk[CLOSED] and x != OWNER:
        return False
    if x > 0:
        columns[0], columns[1] = 0, features_of(desk, x, plan, columns[FRONT:], values[FRONT:])
    size, limit, scales = columns[1], width, desk[SCALED] != 0
    if size < 0:
        return False
    if scales:
        limit = min(width, place.shape[0])
    for at in range(FRONT, FRONT + size):
        if columns[at] >= limit:
            return False
        new = learn and scales and place[columns[at]] < 0
        if new and values[at] != 0 and values[at] != 1:  # a column of numbers that is new
            return False
    if scales:
        known = Columns(place, kind, first, count, mean, squares, kind[:0], first[:0])
        if learn:
            row = columns[:FRONT], columns[FRONT:], values[FRONT:]
            begin = desk[BEGIN]
            seen[1] += standardize(*row, known, seen[0], numbers[MOST], begin, values[FRONT:])
            seen[0] += 1
        else:
            for at in range(FRONT, FRONT + size):
                c = place[columns[at]]
                if c >= 0 and kind[c] != NOT_BEGUN:
                    values[at] = scaled(np.float64(values[at]), c, known)
    return True


@holding_jit
def score(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    out: Any, weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Score an example, with the last weights or their mean, and return its class's number.

    ``total`` is None if there is no mean. Of two classes there is one score.
    """
    if not is_ready(
        desk, numbers, plan, x, columns, values, place, kind, first, count, mean, squares, seen,
        weights.shape[1], False,
    ):  # fmt: skip
        return NOT_THIS
    share = 1 / np.float64(max(desk[AVERAGED], 1))
    for k in range(out.shape[0]):
        out[k] = np.float64(intercept[k])
        if total is not None:
            out[k] -= total_intercept[k] * share
    for at in range(FRONT, FRONT + columns[1]):
        j, value = columns[at], np.float64(values[at])
        for k in range(out.shape[0]):
            w = np.float64(weights[k, j])
            if total is not None:
                w -= total[k, j] * share
            out[k] += value * w
    if out.shape[0] == 1:
        return 1 if out[0] >= 0 else 0
    best = 0
    for k in range(1, out.shape[0]):
        if out[k] > out[best]:
            best = k
    return best


@holding_jit
def learn_two(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    y: int, weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Let a perceptron of two classes learn; ``y`` is the number of the example's class.

    Return 1 for a mistake and 0 for none; −1 says that the slow path has to learn, and −2 that a
    number would overflow, so that nothing was learned.
    """
    if not is_ready(
        desk, numbers, plan, x, columns, values, place, kind, first, count, mean, squares, seen,
        weights.shape[1], True,
    ):  # fmt: skip
        return NOT_THIS
    values[0], values[1] = 2 * y - 1, 1
    target, etas = values[:1], values[1:FRONT]
    rows, steps = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), desk[STEPS]
    functions = Functions(weights, intercept, weights.dtype.type(desk[BIAS]), desk[TIES])
    sums = sums_of(total, total_intercept)
    done = binary_pass(rows, target, _FIRST, _NONE, functions, etas, steps, sums, None, True)
    return noted(desk, done[1], done[2] >= 0)


@holding_jit
def learn_many(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    y: int, weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Let a perceptron of K classes learn; see `learn_two`."""
    if not is_ready(
        desk, numbers, plan, x, columns, values, place, kind, first, count, mean, squares, seen,
        weights.shape[1], True,
    ):  # fmt: skip
        return NOT_THIS
    values[1], desk[TARGET] = 1, y
    target, etas = desk[TARGET : TARGET + 1], values[1:FRONT]
    rows, steps = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), desk[STEPS]
    functions = Functions(weights, intercept, weights.dtype.type(desk[BIAS]), desk[TIES])
    sums = sums_of(total, total_intercept)
    done = multiclass_pass(rows, target, _FIRST, _NONE, functions, etas, steps, sums, None, True)
    return noted(desk, done[1], done[2] >= 0)


@holding_jit
def sums_of(total: Any, total_intercept: Any) -> Any:
    """Return the sums for the mean, if there is one."""
    return None if total is None else Sums(total, total_intercept)


@holding_jit
def noted(desk: Any, mistakes: int, overflow: bool) -> int:
    """Count a perceptron's step."""
    if overflow:
        return OVERFLOW
    desk[STEPS] += 1
    desk[AVERAGED] += 1
    desk[UPDATES] += mistakes
    return mistakes


@holding_jit
def adapt_two(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    y: int, weights: Any, sums: Any, roots: Any, total: Any,
    intercept: Any, sums_intercept: Any, roots_intercept: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Take a step that adapts to each feature, for two classes; see `learn_two`."""
    if not is_ready(
        desk, numbers, plan, x, columns, values, place, kind, first, count, mean, squares, seen,
        weights.shape[1], True,
    ):  # fmt: skip
        return NOT_THIS
    values[0] = 2 * y - 1
    rows = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:])
    parts = Adaptive(weights, sums, roots, total)
    one = Adaptive(intercept, sums_intercept, roots_intercept, total_intercept)
    eta, l2 = weights.dtype.type(numbers[ETA]), weights.dtype.type(numbers[L2])
    pace = Pace(desk[LOSS], eta, l2, desk[BIAS] != 0, numbers[USUAL])
    lengths = numbers[LENGTHS : LENGTHS + 1]
    done = binary_adaptive(
        rows, values[:1], _FIRST, _NONE, parts, one, pace, desk[AVERAGED], None, lengths,
        desk[STEPS], numbers[TOTAL_LOSS],
    )  # fmt: skip
    return adapted(desk, numbers, done, total)


@holding_jit
def adapt_many(
    desk: Any, numbers: Any, plan: Any, x: int, columns: Any, values: Any,
    place: Any, kind: Any, first: Any, count: Any, mean: Any, squares: Any, seen: Any,
    y: int, weights: Any, sums: Any, roots: Any, total: Any,
    intercept: Any, sums_intercept: Any, roots_intercept: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Take a step that adapts to each feature, for K classes; see `learn_two`."""
    if not is_ready(
        desk, numbers, plan, x, columns, values, place, kind, first, count, mean, squares, seen,
        weights.shape[1], True,
    ):  # fmt: skip
        return NOT_THIS
    desk[TARGET] = y
    rows = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:])
    parts = Adaptive(weights, sums, roots, total)
    one = Adaptive(intercept, sums_intercept, roots_intercept, total_intercept)
    eta, l2 = weights.dtype.type(numbers[ETA]), weights.dtype.type(numbers[L2])
    pace = Pace(desk[LOSS], eta, l2, desk[BIAS] != 0, numbers[USUAL])
    lengths = numbers[LENGTHS : LENGTHS + 1]
    target = desk[TARGET : TARGET + 1]
    done = multiclass_adaptive(
        rows, target, _FIRST, _NONE, parts, one, pace, desk[AVERAGED], None, lengths, desk[STEPS],
        numbers[TOTAL_LOSS],
    )  # fmt: skip
    return adapted(desk, numbers, done, total)


@holding_jit
def adapted(desk: Any, numbers: Any, done: Any, total: Any) -> int:
    """Count a step that adapts."""
    moves, mistakes = int(done[1]), int(done[2])
    if done[0] == 0:
        return OVERFLOW
    desk[STEPS] += 1
    desk[UPDATES] += moves
    desk[MISTAKES] += mistakes
    if total is not None:
        desk[AVERAGED] += 1
    numbers[TOTAL_LOSS] = done[3]
    return mistakes
