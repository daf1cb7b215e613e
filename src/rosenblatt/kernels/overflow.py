"""Overflow: whether a number is finite, and whether an update leaves numbers so, before it is made.

NumPy's ``isfinite`` asks whether ``x − x`` is zero. Where sums may be regrouped, as in the loops
here, the compiler takes ``(a + b) − (a + b)`` for zero whatever a and b are; so it is not used.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, exact_jit, jit
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.rows import add

_OPTIONS = {"fastmath": FASTMATH}
# Rounding to the nearest, a finite number can overflow only if what is added to it is at least half
# the gap between the largest numbers there are: 2^103 in float32, 2^970 in float64.
_HARMLESS = {"float32": 2.0**100, "float64": 2.0**960}


@exact_jit
def finite(x: float) -> bool:
    """Say whether a number is neither infinite nor NaN."""
    return abs(x) < np.inf


def size_of(rows: Any, i: int) -> float:
    """Return ``Σ |x_ij|``, or infinity if that is too large."""
    raise TypeError("for compiled code only")


@overload(size_of, jit_options=_OPTIONS)
def _size_of(rows, i):
    if rows.instance_class is Dense:

        def dense(rows, i):
            x = rows.values[np.uintp(i)]
            total = x.dtype.type(0)
            for j in range(x.shape[0]):
                total += abs(x[j])
            return total

        return dense

    def sparse(rows, i):
        row = np.uintp(i)
        total = rows.values.dtype.type(0)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            total += abs(rows.values[k])
        return total

    return sparse


def harmless(w: Any) -> float:
    """Return what may be added to any finite number of w's type."""
    raise TypeError("for compiled code only")


@overload(harmless)
def _harmless(w):
    limit = _HARMLESS[str(w.dtype)]
    return lambda w: limit


@jit
def stays_finite(rows: Any, i: int, step: float, w: Any, b: float) -> bool:
    """Say whether ``w += step · x_i`` and ``b += step`` would leave all numbers finite.

    The size of the row nearly always settles the matter; where it does not, the update is made,
    looked at, and taken back.
    """
    if abs(np.float64(step)) * (np.float64(size_of(rows, i)) + 1.0) < harmless(w):
        return True
    return finite(w.dtype.type(b + step)) and _try_out(rows, i, step, w)


def _try_out(rows: Any, i: int, step: float, w: Any) -> bool:
    raise TypeError("for compiled code only")


@overload(_try_out)
def _try_out_for(rows, i, step, w):
    if rows.instance_class is Dense:

        def dense(rows, i, step, w):
            before, good = w.copy(), True
            add(rows, i, step, w)
            for j in range(w.shape[0]):
                good &= finite(w[j])
                w[j] = before[j]
            return good

        return dense

    def sparse(rows, i, step, w):
        start, stop = rows.indptr[i], rows.indptr[i + 1]
        before, good = np.empty(stop - start, w.dtype), True
        for k in range(start, stop):
            before[k - start] = w[rows.indices[k]]
        add(rows, i, step, w)
        for k in range(start, stop):  # an index may come twice, so look before taking back
            good &= finite(w[rows.indices[k]])
        for k in range(start, stop):
            w[rows.indices[k]] = before[k - start]
        return good

    return sparse
