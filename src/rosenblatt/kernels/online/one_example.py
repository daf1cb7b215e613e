"""One example at a time: the loop over many, called for one, with little to hand over.

Each array that a compiled function is given costs time. So one of them, the ``desk``, holds all
that the learner is told, its counts, the interpreter's addresses, and the addresses of the other
arrays. These functions hold the interpreter's lock and run no Python code: for other threads each
of them happens at once.

The example is the dict at address ``x``, read with a ``plan`` into the buffers ``columns`` and
``values``. If ``x`` is 0 it is in these already, and if ``x`` is `OWNER` as well, and the weights
may be `CLOSED` to others. Before the columns lie where the row begins and ends; before the values,
places for the target and the step. ``mean`` says whether there is a mean of the weights. No feature
is a word.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.jit import holding_jit
from rosenblatt.kernels.numba_api import carray, farray
from rosenblatt.kernels.online.adaptive import Adaptive, Pace, binary_adaptive, multiclass_adaptive
from rosenblatt.kernels.online.perceptrons import Functions, Log, Sums, binary_pass, multiclass_pass
from rosenblatt.kernels.online.standardize import NOT_BEGUN, Columns, scaled, standardize
from rosenblatt.kernels.simd.addresses import pointer_to
from rosenblatt.kernels.simd.dicts import API, features_of

NOT_THIS, OVERFLOW = -1, -2
OWNER = -1
FRONT = 2
# What lies on the desk: what the learner is told, and its counts;
BIAS, TIES, LOSS, SCALED, BEGIN, TARGET, STEPS, UPDATES, MISTAKES, AVERAGED = range(API, API + 10)
# whether somebody else is at work on the weights, and what may be left out as unknown;
CLOSED, COMPLETE = API + 10, API + 11
# the sizes of arrays;
CLASSES, ROWS, WIDTH, N_PLACES, N_COLUMNS = range(API + 12, API + 17)
# and the addresses of arrays: six numbers, those of the columns of numbers with two counts, and
# those of a state. The others of a state follow where the weights and intercepts are.
NUMBERS, COLUMNS, WEIGHTS, INTERCEPTS = API + 17, API + 18, API + 25, API + 29
DESK = API + 33
ETA, L2, TOTAL_LOSS, MOST, USUAL, LENGTHS = range(6)
N_NUMBERS = 6
_FIRST = np.zeros(1, np.int32)
_NONE = np.empty(0, np.int32)
_BYTES, _DOUBLES, _NO_WEIGHTS = np.zeros(1, np.uint8), np.zeros(1), np.empty(0)


@holding_jit
def doubles(desk: Any, which: int, size: int) -> Any:
    """Return an array of float64 whose address is on the desk."""
    return carray(pointer_to(desk[which], _DOUBLES), (size,))


@holding_jit
def integers(desk: Any, which: int, size: int) -> Any:
    """Return an array of int64 whose address is on the desk."""
    return carray(pointer_to(desk[which], desk), (size,))


@holding_jit
def one_row(desk: Any, which: int, like: Any) -> Any:
    """Return the weights of two classes, or what else a state has of that shape."""
    return carray(pointer_to(desk[WEIGHTS + which], like), (1, desk[WIDTH]))


@holding_jit
def rows_of(desk: Any, which: int, like: Any) -> Any:
    """Return the weights of K classes, or what else a state has of that shape."""
    return farray(pointer_to(desk[WEIGHTS + which], like), (desk[ROWS], desk[WIDTH]))


@holding_jit
def flat(desk: Any, which: int, like: Any) -> Any:
    """Return the intercepts, or what else a state has of that shape."""
    return carray(pointer_to(desk[INTERCEPTS + which], like), (desk[CLASSES],))


@holding_jit
def column(desk: Any, which: int, like: Any) -> Any:
    """Return what `flat` returns, as an array of one column."""
    return carray(pointer_to(desk[INTERCEPTS + which], like), (desk[CLASSES], 1))


@holding_jit
def is_ready(desk: Any, plan: Any, columns: Any, values: Any, x: int, learn: bool) -> bool:
    """Read an example and standardise its numbers; False if that is left to the slow path."""
    if desk[CLOSED] and x != OWNER:
        return False
    if x > 0:
        leave_out = 0 if learn else desk[COMPLETE]
        size = features_of(desk, x, plan, columns[FRONT:], values[FRONT:], leave_out)
        columns[0], columns[1] = 0, size
    size, limit, scales = columns[1], desk[WIDTH], desk[SCALED] != 0
    if size < 0:
        return False
    if scales:
        limit = min(limit, desk[N_PLACES])
    place = carray(pointer_to(desk[COLUMNS], columns), (desk[N_PLACES],))
    for at in range(FRONT, FRONT + size):
        if columns[at] >= limit:
            return False
        if scales and place[columns[at]] >= desk[N_COLUMNS]:
            return False
        new = learn and scales and place[columns[at]] < 0
        if new and values[at] != 0 and values[at] != 1:  # a column of numbers that is new
            return False
    if scales:
        n = desk[N_COLUMNS]
        kind = carray(pointer_to(desk[COLUMNS + 1], _BYTES), (n,))
        first, count = integers(desk, COLUMNS + 2, n), integers(desk, COLUMNS + 3, n)
        mean, squares = doubles(desk, COLUMNS + 4, n), doubles(desk, COLUMNS + 5, n)
        known = Columns(place, kind, first, count, mean, squares, kind[:0], first[:0])
        if learn:
            seen = integers(desk, COLUMNS + 6, 2)
            row = columns[:FRONT], columns[FRONT:], values[FRONT:]
            most = doubles(desk, NUMBERS, N_NUMBERS)[MOST]
            seen[1] += standardize(*row, known, seen[0], most, desk[BEGIN], values[FRONT:])
            seen[0] += 1
        else:
            for at in range(FRONT, FRONT + size):
                c = place[columns[at]]
                if c >= 0 and kind[c] != NOT_BEGUN:
                    values[at] = scaled(np.float64(values[at]), c, known)
    return True


@holding_jit
def score(desk: Any, plan: Any, columns: Any, values: Any, out: Any, x: int, mean: bool) -> int:
    """Score an example, with the last weights or their mean, and return its class's number.

    Of two classes there is one score.
    """
    if not is_ready(desk, plan, columns, values, x, False):
        return NOT_THIS
    weights, intercept = rows_of(desk, 0, values), flat(desk, 0, values)
    total, total_intercept = rows_of(desk, 3, _DOUBLES), flat(desk, 3, _DOUBLES)
    share = 1 / np.float64(max(desk[AVERAGED], 1))
    for k in range(out.shape[0]):
        out[k] = np.float64(intercept[k])
        if mean:
            out[k] -= total_intercept[k] * share
    for at in range(FRONT, FRONT + columns[1]):
        j, value = columns[at], np.float64(values[at])
        for k in range(out.shape[0]):
            w = np.float64(weights[k, j])
            if mean:
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
def learn_two(desk: Any, plan: Any, columns: Any, values: Any, y: int, x: int, mean: bool) -> int:
    """Let a perceptron of two classes learn; ``y`` is the number of the example's class.

    Return 1 for a mistake and 0 for none; −1 says that the slow path has to learn, and −2 that a
    number would overflow, so that nothing was learned.
    """
    if not is_ready(desk, plan, columns, values, x, True):
        return NOT_THIS
    values[0], values[1] = 2 * y - 1, 1
    target, etas = values[:1], values[1:FRONT]
    rows, steps = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), desk[STEPS]
    weights, bias = one_row(desk, 0, values), values.dtype.type(desk[BIAS])
    functions = Functions(weights, flat(desk, 0, values), bias, desk[TIES])
    sums = Sums(one_row(desk, 3, _DOUBLES), sums_intercept(desk, mean))
    front = rows, target, _FIRST, _NONE, functions, etas, steps
    done = binary_pass(*front, sums, no_log(desk), True, flat(desk, 0, values)[:0])
    return noted(desk, done[1], done[2] >= 0)


@holding_jit
def learn_many(desk: Any, plan: Any, columns: Any, values: Any, y: int, x: int, mean: bool) -> int:
    """Let a perceptron of K classes learn; see `learn_two`."""
    if not is_ready(desk, plan, columns, values, x, True):
        return NOT_THIS
    values[1], desk[TARGET] = 1, y
    target, etas = desk[TARGET : TARGET + 1], values[1:FRONT]
    rows, steps = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), desk[STEPS]
    weights, bias = rows_of(desk, 0, values), values.dtype.type(desk[BIAS])
    functions = Functions(weights, flat(desk, 0, values), bias, desk[TIES])
    sums = Sums(rows_of(desk, 3, _DOUBLES), sums_intercept(desk, mean))
    front = rows, target, _FIRST, _NONE, functions, etas, steps
    done = multiclass_pass(*front, sums, no_log(desk), True, flat(desk, 0, values)[:0])
    return noted(desk, done[1], done[2] >= 0)


@holding_jit
def sums_intercept(desk: Any, mean: bool) -> Any:
    """Return the sums of the intercepts, which are empty if there is no mean."""
    return flat(desk, 3, _DOUBLES)[: desk[CLASSES] if mean else 0]


@holding_jit
def no_log(desk: Any) -> Any:
    """Return a log in which nothing is written.

    To slice an array costs more than to make one of an address, whose owner nobody counts.
    """
    none, numbers = integers(desk, NUMBERS, 0), doubles(desk, NUMBERS, 0)
    return Log(none, none, none, none, numbers.reshape(0, 0), numbers)


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
def adapt_two(desk: Any, plan: Any, columns: Any, values: Any, y: int, x: int, mean: bool) -> int:
    """Take a step that adapts to each feature, for two classes; see `learn_two`."""
    if not is_ready(desk, plan, columns, values, x, True):
        return NOT_THIS
    values[0], numbers = 2 * y - 1, doubles(desk, NUMBERS, N_NUMBERS)
    row = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), values[:1], _FIRST, _NONE
    arrays = one_row(desk, 0, values), one_row(desk, 1, values), one_row(desk, 2, values)
    ones = column(desk, 0, values), column(desk, 1, values), column(desk, 2, values)
    total, total_one = one_row(desk, 3, _DOUBLES), column(desk, 3, _DOUBLES)
    parts, one = Adaptive(*arrays, total), Adaptive(*ones, total_one)
    done = binary_adaptive(*row, parts, one, *so_far_of(desk, numbers, values, mean))
    if mean:
        desk[AVERAGED] += done[0]
    return adapted(desk, numbers, done)


@holding_jit
def adapt_many(desk: Any, plan: Any, columns: Any, values: Any, y: int, x: int, mean: bool) -> int:
    """Take a step that adapts to each feature, for K classes; see `learn_two`."""
    if not is_ready(desk, plan, columns, values, x, True):
        return NOT_THIS
    desk[TARGET], numbers = y, doubles(desk, NUMBERS, N_NUMBERS)
    target = desk[TARGET : TARGET + 1]
    row = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), target, _FIRST, _NONE
    arrays = rows_of(desk, 0, values), rows_of(desk, 1, values), rows_of(desk, 2, values)
    ones = column(desk, 0, values), column(desk, 1, values), column(desk, 2, values)
    total, total_one = rows_of(desk, 3, _DOUBLES), column(desk, 3, _DOUBLES)
    parts, one = Adaptive(*arrays, total), Adaptive(*ones, total_one)
    done = multiclass_adaptive(*row, parts, one, *so_far_of(desk, numbers, values, mean))
    if mean:
        desk[AVERAGED] += done[0]
    return adapted(desk, numbers, done)


@holding_jit
def so_far_of(desk: Any, numbers: Any, values: Any, mean: bool) -> Any:
    """Return how long steps are, in numbers of the type of the values, and what was done so far."""
    eta, l2 = values.dtype.type(numbers[ETA]), values.dtype.type(numbers[L2])
    pace = Pace(desk[LOSS], eta, l2, desk[BIAS] != 0, numbers[USUAL])
    lengths = numbers[LENGTHS : LENGTHS + 1]
    averaged = desk[AVERAGED] if mean else -1
    return pace, averaged, _NO_WEIGHTS, lengths, desk[STEPS], numbers[TOTAL_LOSS]


@holding_jit
def adapted(desk: Any, numbers: Any, done: Any) -> int:
    """Count a step that adapts."""
    moves, mistakes = int(done[1]), int(done[2])
    if done[0] == 0:
        return OVERFLOW
    desk[STEPS] += 1
    desk[UPDATES] += moves
    desk[MISTAKES] += mistakes
    numbers[TOTAL_LOSS] = done[3]
    return mistakes
