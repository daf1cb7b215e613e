"""The loops of the learners that want a margin of 1: AROW and passive-aggressive.

They visit rows as the loops of `rosenblatt.kernels.online.perceptrons` do, but also learn from rows
that are on the right side by less than 1. What a step is, the type of the rule says.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense, Sparse
from rosenblatt.kernels.jit import exact_jit, jit
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.online.arow import LEAST, Confidence, arow_step, arow_step_between
from rosenblatt.kernels.online.passive_aggressive import Aggressive, pa_step, pa_step_between
from rosenblatt.kernels.online.perceptrons import all_finite, is_beaten, is_mistake, rival, write
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.rows import GROUP, all_pairs, dot, prefetch, score_again, scores_from

_FEW = 48  # features, up to which looking at all pairs is faster than sorting


def step(rows: Any, i: int, y: float, gap: float, functions: Any, rule: Any) -> int:
    """Move the one function of two classes."""
    raise TypeError("for compiled code only")


@overload(step)
def _step(rows, i, y, gap, functions, rule):
    move = arow_step if rule.instance_class is Confidence else pa_step
    if rows.instance_class is Dense:
        return lambda rows, i, y, gap, functions, rule: move(rows, i, y, gap, functions, rule)

    def sparse(rows, i, y, gap, functions, rule):
        if not repeats_a_feature(rows, i):
            return move(rows, i, y, gap, functions, rule)
        return move(added_up(rows, i), 0, y, gap, functions, rule)

    return sparse


def step_between(
    rows: Any, i: int, right: int, wrong: int, gap: float, functions: Any, rule: Any
) -> int:
    """Move two of the functions of K classes."""
    raise TypeError("for compiled code only")


@overload(step_between)
def _step_between(rows, i, right, wrong, gap, functions, rule):
    move = arow_step_between if rule.instance_class is Confidence else pa_step_between
    if rows.instance_class is Dense:

        def dense(rows, i, right, wrong, gap, functions, rule):
            return move(rows, i, right, wrong, gap, functions, rule)

        return dense

    def sparse(rows, i, right, wrong, gap, functions, rule):
        if not repeats_a_feature(rows, i):
            return move(rows, i, right, wrong, gap, functions, rule)
        return move(added_up(rows, i), 0, right, wrong, gap, functions, rule)

    return sparse


@exact_jit
def quotient(x: float, y: float) -> float:
    """Return a quotient that is not taken for a product."""
    return x / y


def rule_for(rule: Any, weights: Any, i: int) -> Any:
    """Return the rule for an example of some weight: C times the weight, or r divided by it.

    Of a passive-aggressive step, a weight below 1 is the share that is made.
    """
    raise TypeError("for compiled code only")


@overload(rule_for)
def _rule_for(rule, weights, i):
    if rule.instance_class is Confidence:

        def surer(rule, weights, i):
            r = rule.r
            if weights.shape[0]:
                r = max(quotient(rule.r, weights[i]), LEAST)
            return Confidence(rule.evidence, rule.evidence_intercept, r)

        return surer

    def dearer(rule, weights, i):
        C, share = rule.C, 1.0
        if weights.shape[0]:
            C, share = max(rule.C * weights[i], LEAST), min(weights[i], 1.0)
        return Aggressive(C, rule.variant, share)

    return dearer


@jit
def repeats_a_feature(rows: Any, i: int) -> bool:
    """Say whether a feature comes twice in a CSR row, as with names of one hash."""
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    rises = True
    for k in range(start + 1, stop):
        rises &= rows.indices[k] > rows.indices[k - 1]
    if rises:
        return False
    if stop - start > _FEW:
        ordered = np.sort(rows.indices[start:stop])
        return bool((ordered[1:] == ordered[:-1]).any())
    for k in range(start, stop):
        for other in range(start, k):
            if rows.indices[k] == rows.indices[other]:
                return True
    return False


@jit
def added_up(rows: Any, i: int) -> Any:
    """Return a row with the values of each feature added up: squares are those of the sums."""
    start, stop = rows.indptr[i], rows.indptr[i + 1]
    indices, values = rows.indices[start:stop].copy(), rows.values[start:stop].copy()
    order = np.argsort(indices, kind="mergesort")
    last = -1
    for k in order:
        j, value = rows.indices[start + k], rows.values[start + k]
        if last >= 0 and indices[last] == j:
            values[last] += value
        else:
            last += 1
            indices[last], values[last] = j, value
    indptr = np.zeros(2, rows.indptr.dtype)
    indptr[1] = last + 1
    return Sparse(indptr, indices[: last + 1], values[: last + 1])


@jit
def binary_margin_pass(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, rule: Any, steps: int, log: Any,
    weights: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Visit rows in order, with y = ±1, and move where ``y (w·x + b) < 1``.

    ``ahead`` names for each visit a row to fetch into the cache, or is empty; ``steps`` were made
    before; ``weights`` are those of the rows, or empty, and so may the ``log`` be. Return the rows
    visited, the moves and the mistakes, which are logged; fewer rows than there are if the next one
    makes a number overflow. That row changes nothing.
    """
    w = functions.weights[0]
    visited, moves, mistakes = 0, 0, 0
    for t in range(order.shape[0]):
        if ahead.shape[0]:
            prefetch(rows, ahead[t])
        i = order[t]
        score = dot(rows, i, w) + functions.intercept[0]
        gap = 1.0 - np.float64(y[i]) * np.float64(score)
        moved = 0 if finite(score) else -1
        if moved == 0 and gap > 0:
            moved = step(rows, i, y[i], gap, functions, rule_for(rule, weights, i))
        if moved < 0:
            break
        visited += 1
        moves += moved
        if is_mistake(y[i], score, functions.ties):
            write(log, mistakes, i, steps + t + 1, y[i] > 0, y[i] < 0, (score,))
            mistakes += 1
    return visited, moves, mistakes


@jit
def multiclass_margin_pass(
    rows: Any, y: Any, order: Any, ahead: Any, functions: Any, rule: Any, steps: int, log: Any,
    weights: Any,
) -> tuple[int, int, int]:  # fmt: skip
    """Visit rows in order, with y = 0…K−1; the arguments and results are `binary_margin_pass`'s.

    Move where the right class is not ahead of its best rival by 1.
    """
    intercept = functions.intercept
    visited, moves, mistakes = 0, 0, 0
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
        right = y[i]
        wrong = rival(score, right)
        gap = 1.0 - (np.float64(score[right]) - np.float64(score[wrong]))
        moved = 0 if all_finite(score) else -1
        if moved == 0 and gap > 0:
            its = rule_for(rule, weights, i)
            moved = step_between(rows, i, right, wrong, gap, functions, its)
        if moved < 0:
            break
        visited += 1
        moves += moved
        if moved:
            # Rows that were scored with this one were scored too early for two classes.
            changed[0, 0], changed[0, 1] = right, wrong
            score_again(rows, order, t + 1, scored, changed, functions, table[t + 1 - first :])
        if is_beaten(score, right, wrong, functions.ties):
            write(log, mistakes, i, steps + t + 1, right, wrong, (score[right], score[wrong]))
            mistakes += 1
    return visited, moves, mistakes
