"""Adding rows up, class by class: sums, and sums of squares about a shift.

A total has a line for each group of rows, and below them a line of squares for each set of
``n_classes`` groups. For CSR rows it lies in Fortran order: what one feature needs is side by side.
"""

from typing import Any

import numpy as np
from numba.extending import overload

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, jit
from rosenblatt.kernels.rows import add

_OPTIONS = {"fastmath": FASTMATH}


def add_squares(rows: Any, i: int, w: float, g: int, q: int, shift: Any, total: Any) -> None:
    """Add w times row i's distance from the shift to line g, and w times its square to line q.

    CSR rows know no shift: they are added as they are.
    """
    raise TypeError("for compiled code only")


def add_stored(rows: Any, i: int, w: float, g: int, q: int, mean: Any, total: Any) -> None:
    """Do as `add_squares`, for the stored numbers' distances from ``mean[g]``, and count them.

    The counts are lines below the squares, one for each group.
    """
    raise TypeError("for compiled code only")


def ascends(rows: Any, i: int) -> bool:
    """Say whether row i lists its columns in order, none of them twice."""
    raise TypeError("for compiled code only")


@overload(add_squares, jit_options=_OPTIONS)
def _add_squares(rows, i, w, g, q, shift, total):
    if rows.instance_class is Dense:

        def dense(rows, i, w, g, q, shift, total):
            x, origin = rows.values[np.uintp(i)], shift[np.uintp(g)]
            sums, squares = total[np.uintp(g)], total[np.uintp(q)]
            for j in range(x.shape[0]):
                t = x[j] - origin[j]
                sums[j] += w * t
                squares[j] += w * t * t

        return dense

    def sparse(rows, i, w, g, q, shift, total):
        row, line, square = np.uintp(i), np.uintp(g), np.uintp(q)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            j, t = np.uintp(rows.indices[k]), np.float64(rows.values[k])
            total[line, j] += w * t
            total[square, j] += w * t * t

    return sparse


@overload(add_stored, jit_options=_OPTIONS)
def _add_stored(rows, i, w, g, q, mean, total):
    def sparse(rows, i, w, g, q, mean, total):
        row, line, square = np.uintp(i), np.uintp(g), np.uintp(q)
        count = np.uintp(total.shape[0] - mean.shape[0] + g)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            j = np.uintp(rows.indices[k])
            t = rows.values[k] - mean[line, j]
            total[line, j] += w * t
            total[square, j] += w * t * t
            total[count, j] += w

    return sparse


@overload(ascends, jit_options=_OPTIONS)
def _ascends(rows, i):
    if rows.instance_class is Dense:
        return lambda rows, i: True

    def sparse(rows, i):
        row = np.uintp(i)
        good = True
        start, stop = np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])
        for k in range(start + np.uintp(1), stop):
            good &= rows.indices[k - np.uintp(1)] < rows.indices[k]
        return good

    return sparse


@jit
def add_moments(
    rows: Any, groups: Any, n_classes: int, n_groups: int, weights: Any, shift: Any, total: Any
) -> bool:
    """Add up all rows and their squares; say whether each row named its columns once, in order.

    If one did not, the squares are wrong: a number may have been stored in two parts.
    """
    good = True
    for i in range(groups.shape[0]):
        g = groups[i]
        w = 1.0 if weights is None else weights[i]
        add_squares(rows, i, w, g, n_groups + g // n_classes, shift, total)
        good &= ascends(rows, i)
    return good


@jit
def add_stored_moments(
    rows: Any, groups: Any, n_classes: int, n_groups: int, weights: Any, mean: Any, total: Any
) -> None:
    """Add up the distances of stored numbers from known means, their squares, and their counts."""
    for i in range(groups.shape[0]):
        g = groups[i]
        w = 1.0 if weights is None else weights[i]
        add_stored(rows, i, w, g, n_groups + g // n_classes, mean, total)


@jit
def find_first(groups: Any, first: Any) -> None:
    """Do ``first[g]`` = the first row of each group; those without rows keep what is there."""
    missing = first.shape[0]
    for i in range(groups.shape[0]):
        if first[groups[i]] < 0:
            first[groups[i]] = i
            missing -= 1
            if not missing:
                break


@jit
def all_ascend(rows: Any, n: int) -> bool:
    """Say whether all rows list their columns in order, none of them twice."""
    good = True
    for i in range(n):
        good &= ascends(rows, i)
    return good


@jit
def add_sums(rows: Any, groups: Any, weights: Any, total: Any) -> None:
    """Add each row to the line of its group."""
    for i in range(groups.shape[0]):
        add(rows, i, 1.0 if weights is None else weights[i], total[groups[i]])
