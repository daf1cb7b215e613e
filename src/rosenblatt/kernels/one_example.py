"""One example at a time: the loop over many, called for one, with little to hand over.

Each array that a compiled function is given costs time, so a few hold all. These functions hold the
interpreter's lock and run no Python code: for other threads each of them happens at once.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.jit import holding_jit
from rosenblatt.kernels.online_perceptrons import Functions, Sums, binary_pass
from rosenblatt.kernels.rows import dot
from rosenblatt.kernels.simd.dicts import ADDRESSES, numbers_of

NOT_THIS, OVERFLOW = -1, -2
_FIRST = np.zeros(1, np.int32)
_NONE = np.empty(0, np.int32)
# What lies on the desk after the interpreter's addresses and three numbers of its own.
BIAS, TIES, STEPS, UPDATES, CLOSED = range(ADDRESSES + 3, ADDRESSES + 8)
DESK = ADDRESSES + 8
FRONT = 2


@holding_jit
def learn_row(
    desk: Any, values: Any, columns: Any, y: float,
    weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Learn from an example of two classes: 1 is a mistake, 0 is none, −2 an overflow.

    −1 says that nothing was done, as somebody else is at work on the weights (``CLOSED``).

    Its numbers are in ``values``, its columns in ``columns``, each after `FRONT` others:
    the target and the step, and where the row begins and ends. On the ``desk`` lie whether the
    intercept learns, what a tie is, and the steps and updates so far. ``total`` has no columns if
    nothing is averaged.
    """
    if desk[CLOSED]:
        return NOT_THIS
    values[0], values[1] = y, 1
    target, etas = values[:1], values[1:FRONT]
    rows, steps = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:]), desk[STEPS]
    functions = Functions(weights, intercept, weights.dtype.type(desk[BIAS]), desk[TIES])
    if total.shape[1]:
        sums = Sums(total, total_intercept)
        done = binary_pass(rows, target, _FIRST, _NONE, functions, etas, steps, sums, None, True)
    else:
        done = binary_pass(rows, target, _FIRST, _NONE, functions, etas, steps, None, None, True)
    if done[2] >= 0:
        return OVERFLOW
    desk[STEPS] += 1
    desk[UPDATES] += done[1]
    return done[1]


@holding_jit
def score_row(
    desk: Any, values: Any, columns: Any,
    weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> float:  # fmt: skip
    """Score an example with the last weights or their mean; NaN if closed; see `learn_row`."""
    if desk[CLOSED]:
        return np.nan
    rows = Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:])
    score = np.float64(dot(rows, 0, weights[0])) + np.float64(intercept[0])
    if total.shape[1]:
        late = dot(rows, 0, total[0]) + total_intercept[0]
        score -= late / max(desk[STEPS], 1)
    return score


@holding_jit
def learn_dict(
    desk: Any, keys: Any, values: Any, columns: Any, x: int, y: float,
    weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> int:  # fmt: skip
    """Learn from the dict at an address, if its keys are those at some addresses.

    If it is not as expected return −1; see `numbers_of` and `learn_row`.
    """
    if not numbers_of(desk, x, keys, values[FRONT:]):
        return NOT_THIS
    return learn_row(desk, values, columns, y, weights, intercept, total, total_intercept)


@holding_jit
def score_dict(
    desk: Any, keys: Any, values: Any, columns: Any, x: int,
    weights: Any, intercept: Any, total: Any, total_intercept: Any,
) -> float:  # fmt: skip
    """Score the dict at an address, if it is as expected, else return NaN; see `learn_dict`."""
    if not numbers_of(desk, x, keys, values[FRONT:]):
        return np.nan
    return score_row(desk, values, columns, weights, intercept, total, total_intercept)
