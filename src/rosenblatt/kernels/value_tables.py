"""Tables of values: for each cell, a class and a feature, its values in order and their counts.

Zeros are left out: a class's weight less what its cell counts is theirs.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, jit
from rosenblatt.kernels.numba_api import overload

_OPTIONS = {"fastmath": FASTMATH}
# Of a class's weight: what it may differ from the sum of its parts, a million tenths for example.
_ROUNDING = 1e-10


@jit
def tally(starts: Any, values: Any, counts: Any, cells: Any) -> int:
    """Leave zeros out of sorted cells, and count equal values once; return how many are left.

    The arrays are overwritten from the front, and ``cells`` says where each cell then starts.
    """
    used = 0
    for c in range(cells.shape[0]):
        cells[c] = used
        for n in range(starts[c], starts[c + 1]):
            if used > cells[c] and values[used - 1] == values[n]:
                counts[used - 1] += counts[n]
            elif values[n] != 0:
                values[used], counts[used] = values[n], counts[n]
                used += 1
    return used


@jit
def join(a: Any, b: Any, values: Any, counts: Any, cells: Any) -> int:
    """Join two tables, each ``(cells, values, counts)``, into one; return its size."""
    used = 0
    for c in range(cells.shape[0] - 1):
        cells[c] = used
        m, n = a[0][c], b[0][c]
        while m < a[0][c + 1] or n < b[0][c + 1]:
            first = n == b[0][c + 1] or (m < a[0][c + 1] and a[1][m] <= b[1][n])
            second = m == a[0][c + 1] or (n < b[0][c + 1] and b[1][n] <= a[1][m])
            values[used] = a[1][m] if first else b[1][n]
            counts[used] = (a[2][m] if first else 0.0) + (b[2][n] if second else 0.0)
            m, n, used = m + first, n + second, used + 1
    cells[-1] = used
    return used


@jit
def _zeros(weight: float, counts: Any, start: int, stop: int) -> float:
    zero = weight
    for n in range(start, stop):
        zero -= counts[n]
    return zero if zero > _ROUNDING * weight else 0.0


@jit
def medians(weight: Any, cells: Any, values: Any, counts: Any, out: Any) -> None:
    """Find the value of each cell with half of the weight on either side, or the mean of two."""
    for c in range(cells.shape[0] - 1):
        k, j = c // out.shape[1], c % out.shape[1]
        n, stop = cells[c], cells[c + 1]
        zero = _zeros(weight[k], counts, n, stop)
        below, half, lower, found = 0.0, weight[k] / 2, 0.0, False
        slack = _ROUNDING * weight[k]  # else the last bit of a weight tells what is half
        while n < stop or zero > 0:
            if zero > 0 and (n == stop or values[n] > 0):
                value, count, zero = 0.0, zero, 0.0
            else:
                value, count, n = values[n], counts[n], n + 1
            below += count
            if below >= half - slack and not found:
                lower, found = value, True
            if below > half + slack:
                out[k, j] = 0.5 * lower + 0.5 * value
                break


@jit
def modes(weight: Any, cells: Any, values: Any, counts: Any, out: Any) -> None:
    """Find the most frequent value of each cell; of several, the smallest."""
    for c in range(cells.shape[0] - 1):
        k, j = c // out.shape[1], c % out.shape[1]
        zero = _zeros(weight[k], counts, cells[c], cells[c + 1])
        most = zero
        for n in range(cells[c], cells[c + 1]):
            most = max(most, counts[n])
        least = most - _ROUNDING * weight[k]  # as frequent as the most frequent, to rounding
        out[k, j] = 0.0
        for n in range(cells[c], cells[c + 1]):
            if values[n] > 0 and zero >= least:
                break
            if counts[n] >= least:
                out[k, j] = values[n]
                break


def distance(rows: Any, i: int, centroids: Any, base: Any, hamming: bool, out: Any) -> None:
    """Measure how far row i lies from each centroid; ``base`` is how far a row of zeros lies."""
    raise TypeError("for compiled code only")


@overload(distance, jit_options=_OPTIONS)
def _distance(rows, i, centroids, base, hamming, out):
    if rows.instance_class is Dense:

        def dense(rows, i, centroids, base, hamming, out):
            x = rows.values[np.uintp(i)]
            for k in range(out.shape[0]):
                m, total = centroids[k], 0.0
                if hamming:
                    for j in range(x.shape[0]):
                        total += 1.0 if x[j] != m[j] else 0.0
                else:
                    for j in range(x.shape[0]):
                        total += abs(x[j] - m[j])
                out[k] = total

        return dense

    def sparse(rows, i, centroids, base, hamming, out):
        row = np.uintp(i)
        for k in range(out.shape[0]):
            out[k] = base[k]
        for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            x, j = rows.values[n], np.uintp(rows.indices[n])
            for k in range(out.shape[0]):
                m = centroids[k, j]
                if hamming:
                    out[k] += (1.0 if x != m else 0.0) - (1.0 if m != 0 else 0.0)
                else:
                    out[k] += abs(x - m) - abs(m)

    return sparse


@jit
def distances(rows: Any, centroids: Any, base: Any, hamming: bool, out: Any) -> None:
    """Do ``out[i, k] = distance of row i from centroid k``: absolute differences, or a count."""
    for i in range(out.shape[0]):
        distance(rows, i, centroids, base, hamming, out[i])
