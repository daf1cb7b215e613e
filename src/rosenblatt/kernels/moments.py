"""Adding rows up, class by class: sums, and sums of squares about a shift.

A total has a line for each group of rows, and below them a line of squares for each set of
``n_classes`` groups. For CSR rows it lies in Fortran order: what one feature needs is side by side.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, jit
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.online.perceptrons import weight_of
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
        w = weight_of(weights, i)
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
        w = weight_of(weights, i)
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
        add(rows, i, weight_of(weights, i), total[groups[i]])


@jit
def add_products(X: Any, codes: Any, weights: Any, shift: Any, sums: Any, products: Any) -> None:
    """Add each row's distance c from its class's shift to ``sums``, and c cᵀ to ``products``.

    Of the products the lower triangle counts; what else is written means nothing. The matrix is of
    even size, one more than an odd number of features. Eight rows and two columns are worked on
    together, so that the matrix is read and written an eighth as often.
    """
    n, d = X.shape
    B = np.zeros((8, products.shape[1]))
    for i in range(0, n, 8):
        for r in range(8):
            if i + r < n:
                k = codes[i + r]
                _centre(X[i + r], shift[k], sums[k], weights, i + r, B[r])
            else:
                B[r] = 0
        for j in range(0, d, 2):
            _add_two(B, j, products[j], products[j + 1])


@jit
def _centre(x: Any, origin: Any, total: Any, weights: Any, i: int, out: Any) -> None:
    if not weights.shape[0]:
        for j in range(x.shape[0]):
            c = x[j] - origin[j]
            total[j] += c
            out[j] = c
    else:
        w, root = weights[i], np.sqrt(weights[i])
        for j in range(x.shape[0]):
            c = x[j] - origin[j]
            total[j] += w * c
            out[j] = root * c


@jit
def _add_two(B: Any, j: int, one: Any, two: Any) -> None:
    """Add the products of columns j and j + 1 with those up to them, over eight rows."""
    k = j + 1
    x0, x1, x2, x3, x4, x5, x6, x7 = B[0], B[1], B[2], B[3], B[4], B[5], B[6], B[7]
    a0, a1, a2, a3, a4, a5, a6, a7 = x0[j], x1[j], x2[j], x3[j], x4[j], x5[j], x6[j], x7[j]
    b0, b1, b2, b3, b4, b5, b6, b7 = x0[k], x1[k], x2[k], x3[k], x4[k], x5[k], x6[k], x7[k]
    for m in range(k + 1):
        y0, y1, y2, y3, y4, y5, y6, y7 = x0[m], x1[m], x2[m], x3[m], x4[m], x5[m], x6[m], x7[m]
        one[m] += (a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3) + (a4 * y4 + a5 * y5 + a6 * y6 + a7 * y7)
        two[m] += (b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3) + (b4 * y4 + b5 * y5 + b6 * y6 + b7 * y7)
