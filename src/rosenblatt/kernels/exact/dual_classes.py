"""The loops of the exact solver of the linear SVM of K classes: ascent on its dual, row by row.

Row i of class y has dual variables ``a_ik``, which add up to 0 and are at most 0, but for
``a_iy ≤ upper_i``; and ``w_k = Σ a_ik x_i``. The dual is ``Σ a_iy − ½ Σ ‖w_k‖²``, less
``Σ centre_k r_k + ρ/2 r_k²`` with ``r_k = Σ_i a_ik`` where there are intercepts.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.rows import add, prefetch, scores

_AHEAD = 6


class Task(NamedTuple):
    """What is fixed: classes, upper bounds, and the curvature along the variables of each row."""

    y: Array
    upper: Array
    curvature: Array
    rho: float


class Point(NamedTuple):
    """Dual variables, the weights and the r that they make, and the centres."""

    alpha: Array
    weights: Array
    balance: Array
    centre: Array


@jit
def best_of_row(task: Any, i: int, pull: Any, out: Any) -> None:
    """Fill in the variables of a row that maximise the dual (Crammer and Singer 2001).

    They are ``min(c_k, (v − pull_k) / curvature)``, where v makes their sum 0. It is found by
    Newton's method from below, which needs no sorting and as many rounds as bounds are met.
    """
    y, upper, curvature = task.y[i], task.upper[i], task.curvature[i]
    level = -np.inf
    for _ in range(pull.shape[0] + 1):
        total, count = 0.0, 0
        for k in range(pull.shape[0]):
            bound = upper if k == y else 0.0
            if level > pull[k] + curvature * bound:
                total -= curvature * bound
            else:
                total += pull[k]
                count += 1
        if count == 0 or total / count <= level:
            break
        level = total / count
    total, largest = 0.0, 0
    for k in range(pull.shape[0]):
        out[k] = min(upper if k == y else 0.0, (level - pull[k]) / curvature)
        total += out[k]
        if out[k] < out[largest]:
            largest = k
    out[largest] -= total  # rounding


@jit
def ascend(rows: Any, order: Any, start: int, stop: int, task: Any, point: Any, table: Any) -> None:
    """Maximise the dual along the variables of one row after another (Keerthi et al. 2008).

    ``table`` has three lines of one number for each class.
    """
    intercept, pull, new = table[0], table[1], table[2]
    for t in range(start, stop):
        if t + _AHEAD < stop:
            prefetch(rows, order[t + _AHEAD])
        i = order[t]
        for k in range(pull.shape[0]):
            intercept[k] = point.centre[k] + task.rho * point.balance[k]
        scores(rows, i, point.weights, intercept, pull)
        for k in range(pull.shape[0]):
            pull[k] -= task.curvature[i] * point.alpha[i, k]
        pull[task.y[i]] -= 1.0
        best_of_row(task, i, pull, new)
        for k in range(pull.shape[0]):
            change = new[k] - point.alpha[i, k]
            if change != 0:
                point.alpha[i, k] = new[k]
                point.balance[k] += change
                add(rows, i, change, point.weights[k])


@jit
def fill_tables(rows: Any, start: int, stop: int, weights: Any, intercept: Any, out: Any) -> None:
    """Fill in the scores of some rows for all classes."""
    for i in range(start, stop):
        if i + _AHEAD < stop:
            prefetch(rows, i + _AHEAD)
        scores(rows, i, weights, intercept, out[i])


@jit
def add_variables(
    rows: Any, start: int, stop: int, alpha: Any, share: Any, y: Any, weights: Any
) -> None:
    """Add to the weights what some rows make of them, times the share of their class."""
    for i in range(start, stop):
        for k in range(alpha.shape[1]):
            if alpha[i, k] != 0:
                add(rows, i, share[y[i]] * alpha[i, k], weights[k])


@jit
def sum_of_losses(table: Any, task: Any) -> Any:
    """Return the sum of the losses of all rows, given their scores."""
    total = 0.0
    for i in range(table.shape[0]):
        right, best = table[i, task.y[i]], -np.inf
        for k in range(table.shape[1]):
            if k != task.y[i]:
                best = max(best, table[i, k])
        total += task.upper[i] * max(0.0, 1.0 + best - right)
    return total


@jit
def choose_active(table: Any, slack: float, task: Any, alpha: Any, kept: Any) -> None:
    """Mark the rows whose variables may move.

    Those are left out of which one variable alone is not at its bound, and no other one wants to
    leave its own, by more than the slack.
    """
    for i in range(table.shape[0]):
        y, free, inside = task.y[i], 0, -1
        for k in range(table.shape[1]):
            if alpha[i, k] < (task.upper[i] if k == y else 0.0):
                free += 1
                inside = k
        kept[i] = free > 1
        if free == 1:
            level = table[i, inside] - (1.0 if inside == y else 0.0)
            for k in range(table.shape[1]):
                if k != inside and table[i, k] - (1.0 if k == y else 0.0) > level - slack:
                    kept[i] = True
