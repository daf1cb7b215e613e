"""The online loops: receive, predict, suffer, update; two classes, then K.

Both serve the perceptron, the averaged and the voted one, which differ in what they keep. What a
learner does not keep is passed as empty arrays, not as None, for which all would be compiled again.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.overflow import finite, harmless, size_of, stays_finite
from rosenblatt.kernels.rows import GROUP, add, all_pairs, dot, prefetch, score_again, scores_from

TIE_IS_MISTAKE = 0
TIE_IS_POSITIVE = 1


class Functions(NamedTuple):
    """The linear functions that learn: their arrays change in place.

    ``bias`` is c² if the intercept is the weight of a feature of value c, and 0 if there is none;
    ``ties`` is the code of the tie rule.
    """

    weights: Any
    intercept: Any
    bias: float
    ties: int


class Sums(NamedTuple):
    """For averaging: the sums of (step − 1) · update, in float64. No intercepts: no averaging."""

    weights: Any
    intercept: Any


class Log(NamedTuple):
    """For voting: which row was mistaken at which step, its class, and the one it was taken for.

    A ledger also wants the score (for K classes those of the right and of the wrong one) and the
    step size; the loops write the one, who calls them the other. Either may be None, but for the
    loops, to which it is empty then; without a log, all columns are.
    """

    row: Any
    step: Any
    right: Any
    wrong: Any
    score: Any = None
    eta: Any = None


@jit
def is_mistake(y: float, score: float, ties: int) -> bool:
    """Judge a prediction. A score that is NaN is a mistake too, so that overflow is noticed."""
    if y * score > 0:
        return False
    return not (ties == TIE_IS_POSITIVE and score == 0 and y > 0)


@jit
def rival(score: Any, right: Any) -> int:
    """Find the best of the other classes; the first of them, if several are equal."""
    best = 1 if right == 0 else 0
    for k in range(best + 1, score.shape[0]):
        if k != right and score[k] > score[best]:
            best = k
    return best


@jit
def is_beaten(score: Any, right: Any, wrong: int, ties: int) -> bool:
    """Judge K scores. Of equal ones the first class is predicted, unless a tie is a mistake."""
    if score[right] > score[wrong]:
        return False
    return not (ties == TIE_IS_POSITIVE and score[right] == score[wrong] and right < wrong)


@jit
def all_finite(score: Any) -> bool:
    """Say whether no score overflowed."""
    good = True
    for k in range(score.shape[0]):
        good &= finite(score[k])
    return good


@jit
def write(log: Any, at: int, row: int, step: int, right: int, wrong: int, scores: Any) -> None:
    """Log a mistake, if there is a log, and its scores, if they are wanted."""
    if log.row.shape[0]:
        log.row[at] = row
        log.step[at] = step
        log.right[at] = right
        log.wrong[at] = wrong
        if log.score.shape[0]:
            for k in range(len(scores)):
                log.score[at, k] = scores[k]


@jit
def weight_of(weights: Any, i: int) -> float:
    """Return the weight of an example; without weights each counts once."""
    return np.float64(weights[i]) if weights.shape[0] else 1.0


@jit
def weighted(eta: Any, weights: Any, i: int) -> Any:
    """Return a step size times the weight of an example, in its own type."""
    return eta * weights[i] if weights.shape[0] else eta


@jit
def score_row(rows: Any, order: Any, functions: Any, out: Any) -> None:
    """Score the first row of an order to the last bit as the loops do."""
    if out.shape[0] == 1:
        out[0] = dot(rows, order[0], functions.weights[0]) + functions.intercept[0]
        return
    table = np.empty((GROUP, out.shape[0]), out.dtype)
    scores_from(rows, order, 0, all_pairs(out.shape[0]), functions, table)
    out[:] = table[0]


@jit
def one_fits(rows: Any, i: int, step: float, late: float, functions: Any, sums: Any) -> bool:
    """Say whether a step of two classes' one function, and that of the sums, overflows nothing."""
    size = np.float64(size_of(rows, i)) + 1.0
    small = abs(np.float64(step)) * size < harmless(functions.weights)
    averages = sums.intercept.shape[0] > 0
    if small and (not averages or abs(late) * size < harmless(sums.weights)):
        return True
    good = stays_finite(rows, i, step, functions.weights[0], functions.intercept[0])
    if averages:
        good &= stays_finite(rows, i, late, sums.weights[0], sums.intercept[0])
    return good


@jit
def both_fit(
    rows: Any, i: int, eta: float, late: float, functions: Any, sums: Any, right: Any, wrong: int
) -> bool:
    """Say whether a step towards one class and away from another overflows nothing."""
    size = np.float64(size_of(rows, i)) + 1.0
    small = abs(np.float64(eta)) * size < harmless(functions.weights)
    averages = sums.intercept.shape[0] > 0
    if small and (not averages or abs(late) * size < harmless(sums.weights)):
        return True
    weights, intercept = functions.weights, functions.intercept
    good = stays_finite(rows, i, eta, weights[right], intercept[right])
    good &= stays_finite(rows, i, -eta, weights[wrong], intercept[wrong])
    if averages:
        good &= stays_finite(rows, i, late, sums.weights[right], sums.intercept[right])
        good &= stays_finite(rows, i, -late, sums.weights[wrong], sums.intercept[wrong])
    return good


@jit
def binary_pass(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, etas: Any, steps: int, sums: Any,
    log: Any, guarded: bool, row_weights: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Visit rows in order, with y = ±1: on a mistake ``w += η y x``, ``b += η y``.

    ``ahead`` names for each visit a row to fetch into the cache, or is empty. ``etas`` are the step
    sizes of the updates to come; the loop ends when they are used up. ``steps`` were made before.
    ``row_weights`` multiply the steps of the rows; without them, they are empty.

    Return the rows visited, the mistakes, and −1 or the position in the order of a row whose score
    overflowed; if ``guarded``, also of one that would make a weight overflow. That row
    is visited, but changes nothing. (No named tuple: making one runs Python code, where a Ctrl-C
    that came during the loop is raised, and Numba does not expect that.)
    """
    w, b = functions.weights[0], functions.intercept[0]
    mistakes, visited, overflow = 0, 0, -1
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        score = dot(rows, i, w) + b
        visited += 1
        if is_mistake(y[i], score, functions.ties):
            step = weighted(etas[mistakes], row_weights, i) * y[i]
            late = np.float64(steps + t) * step
            good = finite(score)
            if guarded:
                functions.intercept[0] = b
                good = good and one_fits(rows, i, step, late, functions, sums)
            if not good:
                overflow = t
                break
            add(rows, i, step, w)
            b += step * functions.bias
            if sums.intercept.shape[0]:
                add(rows, i, late, sums.weights[0])
                sums.intercept[0] += late * functions.bias
            write(log, mistakes, i, steps + t + 1, y[i] > 0, y[i] < 0, (score,))
            mistakes += 1
            if mistakes == etas.shape[0]:
                break
    functions.intercept[0] = b
    return visited, mistakes, overflow


@jit
def multiclass_pass(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, etas: Any, steps: int, sums: Any,
    log: Any, guarded: bool, row_weights: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Visit rows in order, with y = 0…K−1; the arguments are those of `binary_pass`.

    On a mistake add η x to the right class's weights, and subtract it from those of the class it
    was taken for.
    """
    weights, intercept = functions.weights, functions.intercept
    mistakes, visited, overflow = 0, 0, -1
    table = np.empty((GROUP, intercept.shape[0]), intercept.dtype)
    pairs, changed = all_pairs(intercept.shape[0]), np.empty((1, 2), np.intp)
    first = scored = 0
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        if t == scored:
            first = t
            scored += scores_from(rows, order, t, pairs, functions, table)
        i, score = order[t], table[t - first]
        visited += 1
        right = y[i]
        wrong = rival(score, right)
        if is_beaten(score, right, wrong, functions.ties):
            eta = weighted(etas[mistakes], row_weights, i)
            late = np.float64(steps + t) * eta
            good = all_finite(score)
            if guarded:
                good = good and both_fit(rows, i, eta, late, functions, sums, right, wrong)
            if not good:
                overflow = t
                break
            add(rows, i, eta, weights[right])
            add(rows, i, -eta, weights[wrong])
            intercept[right] += eta * functions.bias
            intercept[wrong] -= eta * functions.bias
            # Rows that were scored with this one were scored too early for two classes.
            changed[0, 0], changed[0, 1] = right, wrong
            score_again(rows, order, t + 1, scored, changed, functions, table[t + 1 - first :])
            if sums.intercept.shape[0]:
                add(rows, i, late, sums.weights[right])
                add(rows, i, -late, sums.weights[wrong])
                sums.intercept[right] += late * functions.bias
                sums.intercept[wrong] -= late * functions.bias
            write(log, mistakes, i, steps + t + 1, right, wrong, (score[right], score[wrong]))
            mistakes += 1
            if mistakes == etas.shape[0]:
                break
    return visited, mistakes, overflow
