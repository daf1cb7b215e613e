"""One example at a time: the loop over many, called for one, with little to hand over.

Each array that a compiled function is given costs time. So one array, the ``desk``, holds all that
the learner is told, its counts, the interpreter's addresses, and the addresses of the other arrays;
it is given by its address. These functions hold the interpreter's lock and run no Python code:
for other threads each of them happens at once.

Python calls some of them as methods of the desk: `learn_two` and others with a dict and a label, or
with a dict, what is learned for it and its weight; `predict` with a dict, and `scores` with a dict
and an array for them. They return None, a prediction, False for a number that would overflow, or
NotImplemented, which says that the slow path has to do it. Given the desk in place of the dict,
the example is in the buffers already, and what is learned for it is on the desk: this is for the
owner of the weights, which may be `CLOSED` to others.

The features of a dict at address ``x`` are read into two buffers, of columns and of ``values``.
Before the columns lie where the row begins and ends; before the values, places for the target and
the step. No feature is a word.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Sparse
from rosenblatt.kernels.jit import holding_jit, inlined_jit, method_jit
from rosenblatt.kernels.numba_api import carray, farray, overload, types
from rosenblatt.kernels.online.adaptive import Adaptive, Pace, binary_adaptive, multiclass_adaptive
from rosenblatt.kernels.online.arow import Confidence
from rosenblatt.kernels.online.margin_passes import binary_margin_pass, multiclass_margin_pass
from rosenblatt.kernels.online.passive_aggressive import Aggressive
from rosenblatt.kernels.online.perceptrons import Functions, Log, Sums, binary_pass, multiclass_pass
from rosenblatt.kernels.online.regression import adaptive_regression, centre, spread
from rosenblatt.kernels.online.standardize import NOT_BEGUN, Columns, scaled, standardize
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd import dicts
from rosenblatt.kernels.simd import interpreter as python
from rosenblatt.kernels.simd.addresses import pointer_to
from rosenblatt.kernels.simd.dicts import API, features_of, has_room
from rosenblatt.kernels.simd.interpreter import (
    as_integer,
    count_reference,
    data_of,
    float_of,
    new_float,
    type_of,
)

NOT_THIS, OVERFLOW = -1, -2
OWNER, NOBODY = -1, 0
_FEW = 16  # labels, up to which that of an example is looked for here
FRONT = 2
# What lies on the desk: what the learner is told, and its counts;
BIAS, TIES, LOSS, SCALED, BEGIN, TARGET, STEPS, UPDATES, MISTAKES, AVERAGED = range(API, API + 10)
# whether somebody else is at work on the weights, whether there is a mean of these, and a variant;
CLOSED, MEAN, VARIANT = API + 10, API + 11, API + 12
# the sizes of arrays;
CLASSES, ROWS, WIDTH, N_PLACES, N_COLUMNS = range(API + 13, API + 18)
# how many names and columns of numbers there were before the example;
N_NAMES, N_BEFORE = API + 18, API + 19
# and the addresses of arrays: some numbers, a target, the buffers; those of the columns of numbers
# with three counts and their features; those of a state: wide ones, as many flat ones, and a place
# for scores. The last are how long the buffers are, and after how many examples one counts half.
NUMBERS, TARGETS, INDICES, VALUES, COLUMNS = API + 20, API + 21, API + 22, API + 23, API + 24
WEIGHTS, INTERCEPTS = API + 32, API + 36
N_BUFFERS, HALF_LIFE = API + 41, API + 42
# The addresses of the labels and how many there are; of False and NotImplemented; and of a count
# of the times that the names have moved, and the count when they were here.
LABELS, N_LABELS, FALSE, NOT_IMPLEMENTED = (API + k for k in range(43, 47))
MOVES, MOVED = API + 47, API + 48
DESK = API + 49
ETA, L2, TOTAL_LOSS, MOST, USUAL, LENGTHS, WEIGHT, PRICE, ONE, L1 = range(10)
N_NUMBERS = 10
SEEN, CUT, N_USED = range(3)  # the counts of the columns of numbers
# Which of a state's arrays are where.
FIRST, SECOND, THIRD, FOURTH, OUT = range(5)
_FIRST = np.zeros(1, np.int32)
_NONE = np.empty(0, np.int32)
_BYTES, _DOUBLES, _INTEGERS = np.zeros(1, np.uint8), np.zeros(1), np.zeros(1, np.int64)
_SINGLES = np.zeros(1, np.float32)


@inlined_jit
def desk_of(this: int) -> Any:
    """Return the desk that an object is."""
    return carray(pointer_to(data_of(this), _INTEGERS), (DESK,))


@inlined_jit
def given_by(desk: Any, this: int, given: int) -> int:
    """Return the address of the dict that was given, `OWNER`, or `NOBODY` if it cannot be read."""
    x = carray(pointer_to(given, _INTEGERS), (1,))[0]
    if x == this:
        return OWNER
    if desk[CLOSED] or desk[python.NEXT] == 0:
        return NOBODY
    if carray(pointer_to(desk[MOVES], _INTEGERS), (1,))[0] != desk[MOVED]:
        return NOBODY
    kind = type_of(x)
    if kind != desk[python.DICT] and kind != desk[python.COUNTER]:
        return int(x) if kind == desk[python.DEFAULTDICT] else NOBODY
    return int(x)


@holding_jit
def to_learn(desk: Any, this: int, given: int, n: int) -> int:
    """Note what is to be learned for a dict, and its weight; return what `given_by` returns."""
    x = given_by(desk, this, given)
    if x in (OWNER, NOBODY):
        return x
    numbers = doubles(desk, NUMBERS, N_NUMBERS)
    others = carray(pointer_to(given, _INTEGERS), (3,))
    y = others[1]
    numbers[WEIGHT] = float_of(others[2]) if n > 2 else 1.0
    if desk[TARGETS]:
        if type_of(y) != desk[python.FLOAT] or not finite(float_of(y)):
            return NOBODY
        numbers[ONE] = float_of(y)
        return x
    if n > 2:
        desk[TARGET] = as_integer(desk[python.AS_INTEGER], y)
        return x
    labels = integers(desk, LABELS, min(desk[N_LABELS], _FEW))
    for k in range(labels.shape[0]):
        if labels[k] == y:
            desk[TARGET] = k
            return x
    return NOBODY


@inlined_jit
def returned(desk: Any, thing: int) -> int:
    """Return an object to Python."""
    count_reference(desk[python.HOLD], thing)
    return thing


@inlined_jit
def answer(desk: Any, done: int) -> int:
    """Return to Python what came of an example to learn from."""
    if done >= 0:
        return int(returned(desk, desk[python.NONE]))
    return int(returned(desk, desk[NOT_IMPLEMENTED if done == NOT_THIS else FALSE]))


@holding_jit
def doubles(desk: Any, which: int, size: int) -> Any:
    """Return an array of float64 whose address is on the desk."""
    return carray(pointer_to(desk[which], _DOUBLES), (size,))


@holding_jit
def integers(desk: Any, which: int, size: int) -> Any:
    """Return an array of int64 whose address is on the desk."""
    return carray(pointer_to(desk[which], desk), (size,))


@holding_jit
def indices(desk: Any, which: int, size: int) -> Any:
    """Return an array of int32 whose address is on the desk."""
    return carray(pointer_to(desk[which], _NONE), (size,))


def like(kind: Any) -> Any:
    """Return an array of the type of values that is meant: of float32 by None, of float64 by True.

    These are the arguments that take no time to hand over.
    """
    raise TypeError("for compiled code only")


@overload(like)
def _like(kind):
    if isinstance(kind, types.NoneType):
        return lambda kind: _SINGLES
    return lambda kind: _DOUBLES


@holding_jit
def buffers_of(desk: Any, kind: Any) -> Any:
    """Return the buffers, of columns and of values of a type."""
    size = desk[N_BUFFERS]
    return indices(desk, INDICES, size), carray(pointer_to(desk[VALUES], like(kind)), (size,))


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
def columns_of(desk: Any) -> Any:
    """Return what is known of the columns of numbers: all that there is room for."""
    n = desk[N_COLUMNS]
    kind = carray(pointer_to(desk[COLUMNS + 1], _BYTES), (n,))
    first, count = integers(desk, COLUMNS + 2, n), integers(desk, COLUMNS + 3, n)
    mean, squares = doubles(desk, COLUMNS + 4, n), doubles(desk, COLUMNS + 5, n)
    none = integers(desk, COLUMNS + 2, 0)
    no_words = carray(pointer_to(desk[COLUMNS + 1], _BYTES), (0,))
    place = indices(desk, COLUMNS, desk[N_PLACES])
    return Columns(place, kind, first, count, mean, squares, no_words, none)


@holding_jit
def new_numbers(desk: Any, row: Any, values: Any, learn: bool) -> int:
    """Count the features of a row that are to be new columns of numbers, −1 if they do not fit.

    Features without a column among the weights are among them, and no other may lie beyond these.
    """
    scales, n, limit = desk[SCALED] != 0, 0, desk[WIDTH]
    if scales:
        limit = min(limit, desk[N_PLACES])
    place = indices(desk, COLUMNS, desk[N_PLACES])
    for at in range(row.shape[0]):
        j = row[at]
        if j >= limit:
            return NOT_THIS
        if learn and scales and values[at] != 0 and values[at] != 1:
            n += j < 0 or place[j] < 0
    if scales and n and integers(desk, COLUMNS + 6, 3)[N_USED] + n > desk[N_COLUMNS]:
        return NOT_THIS
    return n


@holding_jit
def give_places(desk: Any, row: Any, values: Any) -> None:
    """Give new columns of numbers a place, in the order of the row."""
    place, counts = indices(desk, COLUMNS, desk[N_PLACES]), integers(desk, COLUMNS + 6, 3)
    features = indices(desk, COLUMNS + 7, desk[N_COLUMNS])
    for at in range(row.shape[0]):
        j = row[at]
        if values[at] != 0 and values[at] != 1 and place[j] < 0:
            features[counts[N_USED]] = j
            place[j] = counts[N_USED]
            counts[N_USED] += 1


@holding_jit
def has_room_for_names(desk: Any) -> bool:
    """Say whether all new names get a column; take note of how many there were before."""
    limit = desk[WIDTH]
    if desk[SCALED] != 0:
        limit = min(limit, desk[N_PLACES])
    desk[N_NAMES] = dicts.names_of(desk).size[0]
    return has_room(desk) and desk[N_NAMES] + desk[dicts.UNKNOWN] <= limit


@holding_jit
def is_ready(desk: Any, columns: Any, values: Any, x: int, learn: bool) -> bool:
    """Read an example and standardise its numbers; False if that is left to the slow path.

    To learn, new names get a column, and new numbers one of these as well.
    """
    if x == NOBODY:
        return False
    desk[dicts.UNKNOWN], desk[N_NAMES], turns, n_new = 0, -1, 1, 0
    row, numbers = columns[FRONT:], values[FRONT:]
    for turn in range(2):
        if turn == turns:
            break
        if x != OWNER:
            found = features_of(desk, x, row, numbers, row.shape[0], learn, turn > 0)
            if found < 0:  # the buffers may be others by now: an exception can run any code
                return False
            columns[0], columns[1] = 0, found
        if turn == 0:
            n_new = new_numbers(desk, row[: columns[1]], numbers, learn)
            if n_new < 0:
                return False
            if desk[dicts.UNKNOWN]:
                if not has_room_for_names(desk):
                    return False
                turns = 2
    size = columns[1]
    if desk[SCALED] == 0:
        return True
    counts, known = integers(desk, COLUMNS + 6, 3), columns_of(desk)
    if learn:
        desk[N_BEFORE] = counts[N_USED]
        if n_new:
            give_places(desk, row[:size], numbers)
        given = columns[:FRONT], row, numbers
        most = doubles(desk, NUMBERS, N_NUMBERS)[MOST]
        seen, begin = counts[SEEN], desk[BEGIN]
        counts[CUT] += standardize(*given, known, seen, most, begin, numbers)
        counts[SEEN] += 1
    else:
        for at in range(size):
            c = known.place[row[at]]
            if c >= 0 and known.kind[c] != NOT_BEGUN:
                numbers[at] = scaled(np.float64(numbers[at]), c, known)
    return True


@holding_jit
def refused(desk: Any) -> int:
    """Take back the names of an example that makes a number overflow, and their columns."""
    n_names = desk[N_NAMES]
    if n_names < 0:
        return OVERFLOW
    dicts.forget(desk, n_names)
    if desk[SCALED] != 0:
        counts, known = integers(desk, COLUMNS + 6, 3), columns_of(desk)
        features, kept = indices(desk, COLUMNS + 7, desk[N_COLUMNS]), desk[N_BEFORE]
        for c in range(desk[N_BEFORE], counts[N_USED]):
            j = features[c]
            known.place[j] = -1
            if j < n_names:
                features[kept], known.place[j] = j, kept
                if kept < c:
                    known.kind[kept], known.first[kept] = known.kind[c], known.first[c]
                    known.count[kept], known.mean[kept] = known.count[c], known.mean[c]
                    known.squares[kept] = known.squares[c]
                kept += 1
        for c in range(kept, counts[N_USED]):
            known.kind[c] = known.first[c] = known.count[c] = 0
            known.mean[c] = known.squares[c] = 0.0
        counts[N_USED] = kept
    return OVERFLOW


@holding_jit
def score_into(desk: Any, columns: Any, values: Any, out: Any) -> None:
    """Score an example that is ready, with the last weights or their mean."""
    weights, intercept = rows_of(desk, FIRST, values), flat(desk, FIRST, values)
    total, total_intercept = rows_of(desk, FOURTH, _DOUBLES), flat(desk, FOURTH, _DOUBLES)
    mean, share = desk[MEAN] != 0, 1 / np.float64(max(desk[AVERAGED], 1))
    if out.shape[0] == 1 and not mean:  # a sum in memory takes longer
        total_score = np.float64(intercept[0])
        for at in range(FRONT, FRONT + columns[1]):
            total_score += np.float64(values[at]) * np.float64(weights[0, columns[at]])
        out[0] = total_score
        if desk[TARGETS]:
            out[0] = number_of(desk, total_score)
        return
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
    if desk[TARGETS]:
        out[0] = number_of(desk, out[0])


@holding_jit
def number_of(desk: Any, score: float) -> float:
    """Return what a regression predicts."""
    target, centred = doubles(desk, TARGETS, 3), desk[BIAS] != 0
    return float(spread(target, centred) * score + centre(target, centred))


@method_jit
def predict(this: int, given: int, n: int, kind: Any) -> int:
    """Predict an example, with the last weights or their mean: a label, or a number."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    x, out = given_by(desk, this, given), flat(desk, OUT, _DOUBLES)
    if is_ready(desk, columns, values, x, False):
        score_into(desk, columns, values, out)
        best = best_of(desk, out)
        if best >= 0 and desk[TARGETS]:
            return int(new_float(desk[python.AS_FLOAT], out[0]))
        if best >= 0:
            return int(returned(desk, integers(desk, LABELS, desk[N_LABELS])[best]))
    return int(returned(desk, desk[NOT_IMPLEMENTED]))


@holding_jit
def best_of(desk: Any, out: Any) -> int:
    """Return the number of the class that scores predict; −1 where the only one is NaN."""
    if out.shape[0] == 1:
        return NOT_THIS if out[0] != out[0] else int(out[0] >= 0)
    best = 0
    for k in range(1, out.shape[0]):
        if out[k] > out[best]:
            best = k
    return best


@method_jit
def scores(this: int, given: int, n: int, kind: Any) -> int:
    """Write the scores of an example, one for two classes, or a number that is predicted."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    x = given_by(desk, this, given)
    if not is_ready(desk, columns, values, x, False):
        return int(returned(desk, desk[NOT_IMPLEMENTED]))
    where = data_of(carray(pointer_to(given, _INTEGERS), (2,))[1])
    out = carray(pointer_to(where, _DOUBLES), (desk[CLASSES],))
    score_into(desk, columns, values, out)
    return int(returned(desk, desk[python.NONE]))


@holding_jit
def row_of(columns: Any, values: Any) -> Any:
    """Return the example that is ready as a row."""
    return Sparse(columns[:FRONT], columns[FRONT:], values[FRONT:])


@method_jit
def learn_two(this: int, given: int, n: int, kind: Any) -> int:
    """Let a perceptron of two classes learn, unless a number would overflow."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    numbers = doubles(desk, NUMBERS, N_NUMBERS)
    values[0], values[1] = 2 * desk[TARGET] - 1, numbers[WEIGHT]
    target, etas, steps = values[:1], values[1:FRONT], desk[STEPS]
    weights, bias = one_row(desk, FIRST, values), values.dtype.type(desk[BIAS])
    functions = Functions(weights, flat(desk, FIRST, values), bias, desk[TIES])
    sums = Sums(one_row(desk, FOURTH, _DOUBLES), sums_intercept(desk))
    front = row_of(columns, values), target, _FIRST, _NONE, functions, etas, steps
    done = binary_pass(*front, sums, no_log(desk), True, flat(desk, FIRST, values)[:0])
    return answer(desk, noted(desk, done[1], done[2] >= 0))


@method_jit
def learn_many(this: int, given: int, n: int, kind: Any) -> int:
    """Let a perceptron of K classes learn."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    values[1] = doubles(desk, NUMBERS, N_NUMBERS)[WEIGHT]
    target, etas, steps = desk[TARGET : TARGET + 1], values[1:FRONT], desk[STEPS]
    weights, bias = rows_of(desk, FIRST, values), values.dtype.type(desk[BIAS])
    functions = Functions(weights, flat(desk, FIRST, values), bias, desk[TIES])
    sums = Sums(rows_of(desk, FOURTH, _DOUBLES), sums_intercept(desk))
    front = row_of(columns, values), target, _FIRST, _NONE, functions, etas, steps
    done = multiclass_pass(*front, sums, no_log(desk), True, flat(desk, FIRST, values)[:0])
    return answer(desk, noted(desk, done[1], done[2] >= 0))


@holding_jit
def sums_intercept(desk: Any) -> Any:
    """Return the sums of the intercepts, which are empty if there is no mean."""
    return flat(desk, FOURTH, _DOUBLES)[: desk[CLASSES] if desk[MEAN] else 0]


@holding_jit
def no_log(desk: Any) -> Any:
    """Return a log in which nothing is written."""
    none, numbers = integers(desk, NUMBERS, 0), doubles(desk, NUMBERS, 0)
    no_scores = carray(pointer_to(desk[NUMBERS], _DOUBLES), (0, 0))
    return Log(none, none, none, none, no_scores, numbers)


@holding_jit
def noted(desk: Any, mistakes: int, overflow: bool) -> int:
    """Count a perceptron's step."""
    if overflow:
        return refused(desk)
    desk[STEPS] += 1
    desk[AVERAGED] += 1
    desk[UPDATES] += mistakes
    return mistakes


@method_jit
def adapt_two(this: int, given: int, n: int, kind: Any) -> int:
    """Take a step that adapts to each feature, for two classes."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    values[0] = 2 * desk[TARGET] - 1
    row, so_far = row_of(columns, values), so_far_of(desk, values)
    done = binary_adaptive(row, values[:1], _FIRST, _NONE, *parts_of_one(desk, values), *so_far)
    return answer(desk, adapted(desk, done[0], done[1], done[2], done[3]))


@method_jit
def adapt_many(this: int, given: int, n: int, kind: Any) -> int:
    """Take a step that adapts to each feature, for K classes."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    target = desk[TARGET : TARGET + 1]
    row, so_far = (row_of(columns, values), target, _FIRST, _NONE), so_far_of(desk, values)
    arrays = rows_of(desk, FIRST, values), rows_of(desk, SECOND, values)
    parts = Adaptive(*arrays, rows_of(desk, THIRD, values), rows_of(desk, FOURTH, _DOUBLES))
    done = multiclass_adaptive(*row, parts, intercept_of(desk, values), *so_far)
    return answer(desk, adapted(desk, done[0], done[1], done[2], done[3]))


@method_jit
def adapt_number(this: int, given: int, n: int, kind: Any) -> int:
    """Take a step towards a number to predict."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    numbers = doubles(desk, NUMBERS, N_NUMBERS)
    row = row_of(columns, values), numbers[ONE : ONE + 1], doubles(desk, TARGETS, 3)
    done = adaptive_regression(*row, *parts_of_one(desk, values), *so_far_of(desk, values))
    return answer(desk, adapted(desk, done[0], done[1], 0, done[2]))


@holding_jit
def parts_of_one(desk: Any, values: Any) -> Any:
    """Return the weights of two classes or a regression, and the intercept as a weight."""
    arrays = one_row(desk, FIRST, values), one_row(desk, SECOND, values)
    parts = Adaptive(*arrays, one_row(desk, THIRD, values), one_row(desk, FOURTH, _DOUBLES))
    return parts, intercept_of(desk, values)


@holding_jit
def intercept_of(desk: Any, values: Any) -> Any:
    """Return the intercepts as weights of a feature that is always 1."""
    ones = column(desk, FIRST, values), column(desk, SECOND, values), column(desk, THIRD, values)
    return Adaptive(*ones, column(desk, FOURTH, _DOUBLES))


@holding_jit
def so_far_of(desk: Any, values: Any) -> Any:
    """Return how long steps are, in numbers of the type of the values, and what was done so far."""
    numbers = doubles(desk, NUMBERS, N_NUMBERS)
    eta, l2 = values.dtype.type(numbers[ETA]), values.dtype.type(numbers[L2])
    l1 = values.dtype.type(numbers[L1])
    bias, half_life = desk[BIAS] != 0, desk[HALF_LIFE]
    pace = Pace(desk[LOSS], eta, l2, bias, numbers[USUAL], l1, half_life, 0.0)
    lengths = numbers[LENGTHS : LENGTHS + 1]
    averaged = desk[AVERAGED] if desk[MEAN] else -1
    weights = numbers[WEIGHT : WEIGHT + 1]
    return pace, averaged, weights, lengths, desk[STEPS], numbers[TOTAL_LOSS]


@holding_jit
def adapted(desk: Any, visited: int, moves: int, mistakes: int, total_loss: float) -> int:
    """Count a step that adapts."""
    if visited == 0:
        return refused(desk)
    desk[STEPS] += 1
    desk[UPDATES] += int(moves)
    desk[MISTAKES] += int(mistakes)
    desk[AVERAGED] += desk[MEAN]
    doubles(desk, NUMBERS, N_NUMBERS)[TOTAL_LOSS] = total_loss
    return int(mistakes)


@holding_jit
def move_two(desk: Any, columns: Any, values: Any, rule: Any) -> int:
    """Move where the margin of an example of two classes is below 1."""
    values[0], numbers = 2 * desk[TARGET] - 1, doubles(desk, NUMBERS, N_NUMBERS)
    steps = desk[STEPS]
    bias = values.dtype.type(desk[BIAS])
    functions = Functions(one_row(desk, FIRST, values), flat(desk, FIRST, values), bias, desk[TIES])
    front = row_of(columns, values), values[:1], _FIRST, _NONE, functions, rule, steps, no_log(desk)
    done = binary_margin_pass(*front, numbers[WEIGHT : WEIGHT + 1])
    return moved(desk, done[0], done[1], done[2])


@holding_jit
def move_many(desk: Any, columns: Any, values: Any, rule: Any) -> int:
    """Do the same for K classes."""
    numbers, steps = doubles(desk, NUMBERS, N_NUMBERS), desk[STEPS]
    target, bias = desk[TARGET : TARGET + 1], values.dtype.type(desk[BIAS])
    functions = Functions(rows_of(desk, FIRST, values), flat(desk, FIRST, values), bias, desk[TIES])
    front = row_of(columns, values), target, _FIRST, _NONE, functions, rule, steps, no_log(desk)
    done = multiclass_margin_pass(*front, numbers[WEIGHT : WEIGHT + 1])
    return moved(desk, done[0], done[1], done[2])


@holding_jit
def moved(desk: Any, visited: int, moves: int, mistakes: int) -> int:
    """Count an example of a learner that wants a margin."""
    if visited == 0:
        return refused(desk)
    desk[STEPS] += 1
    desk[UPDATES] += moves
    desk[MISTAKES] += mistakes
    return mistakes


@method_jit
def aggressive_two(this: int, given: int, n: int, kind: Any) -> int:
    """Let a passive-aggressive learner of two classes learn."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    rule = Aggressive(doubles(desk, NUMBERS, N_NUMBERS)[PRICE], desk[VARIANT], 1.0)
    return answer(desk, move_two(desk, columns, values, rule))


@method_jit
def aggressive_many(this: int, given: int, n: int, kind: Any) -> int:
    """Let a passive-aggressive learner of K classes learn."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    rule = Aggressive(doubles(desk, NUMBERS, N_NUMBERS)[PRICE], desk[VARIANT], 1.0)
    return answer(desk, move_many(desk, columns, values, rule))


@method_jit
def confident_two(this: int, given: int, n: int, kind: Any) -> int:
    """Let AROW learn, for two classes."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    r = doubles(desk, NUMBERS, N_NUMBERS)[PRICE]
    rule = Confidence(one_row(desk, SECOND, values), flat(desk, SECOND, values), r)
    return answer(desk, move_two(desk, columns, values, rule))


@method_jit
def confident_many(this: int, given: int, n: int, kind: Any) -> int:
    """Let AROW learn, for K classes."""
    desk = desk_of(this)
    columns, values = buffers_of(desk, kind)
    if not is_ready(desk, columns, values, to_learn(desk, this, given, n), True):
        return answer(desk, NOT_THIS)
    r = doubles(desk, NUMBERS, N_NUMBERS)[PRICE]
    rule = Confidence(rows_of(desk, SECOND, values), flat(desk, SECOND, values), r)
    return answer(desk, move_many(desk, columns, values, rule))
