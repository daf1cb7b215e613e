"""Scanning rows for small margins, ``y·(w·x + b)``, in float64 whatever the rows are."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.rows import dot, dot_sizes, length_of

EPSILON = 2.0**-52  # twice the rounding error of one operation
SMALLEST = 5e-324


@jit
def score_rows(rows: Any, start: int, stop: int, w: Any, out: Any) -> None:
    """Do ``out[i] = x_i · w`` for some rows."""
    for i in range(start, stop):
        out[i] = dot(rows, i, w)


@jit
def lowest(
    rows: Any, y: Any, start: int, stop: int, w: Any, b: float, limit: float, heap: Any, index: Any
) -> None:
    """Keep the rows of the smallest margins below a limit in a heap, the largest on top.

    Free places of the heap hold infinity.
    """
    for i in range(start, stop):
        margin = y[i] * (dot(rows, i, w) + b)
        if margin < limit and margin < heap[0]:
            at, size = 0, heap.shape[0]
            while True:
                child = 2 * at + 1
                if child >= size:
                    break
                if child + 1 < size and heap[child + 1] > heap[child]:
                    child += 1
                if heap[child] <= margin:
                    break
                heap[at], index[at] = heap[child], index[child]
                at = child
            heap[at], index[at] = margin, i


@jit
def error_bound(rows: Any, i: int, w: Any, b: float) -> float:
    """Bound what rounding can have done to ``dot(rows, i, w) + b``, in whatever order it was added.

    The bound is that of a dot product (Higham 2002, section 3.1), doubled so as to cover its own
    rounding and weights that were themselves rounded to float64.
    """
    terms = length_of(rows, i, w) + 4.0
    size = dot_sizes(rows, i, w) + abs(b)
    return terms * EPSILON * size + terms * SMALLEST


@jit
def least(rows: Any, y: Any, start: int, stop: int, w: Any, b: float) -> tuple[float, float]:
    """Return two numbers that the smallest margin lies between; a NaN says that one overflowed."""
    low, high, good = np.inf, np.inf, True
    for i in range(start, stop):
        margin, error = y[i] * (dot(rows, i, w) + b), error_bound(rows, i, w, b)
        good &= finite(margin) and finite(error)
        low, high = min(low, margin - error), min(high, margin + error)
    return (low, high) if good else (np.nan, np.nan)


@jit
def not_above(
    rows: Any, y: Any, start: int, stop: int, w: Any, b: float, limit: float, index: Any
) -> int:
    """List the rows whose margin may be at most the limit; return how many, listed or not."""
    count = 0
    for i in range(start, stop):
        margin, error = y[i] * (dot(rows, i, w) + b), error_bound(rows, i, w, b)
        if not margin - error > limit:
            if count < index.shape[0]:
                index[count] = i
            count += 1
    return count


@jit
def first_conflict(keys: Any, y: Any, table: Any) -> tuple[int, int]:
    """Return the first two places with equal keys and opposite labels, or −1 and −1.

    ``keys`` are unsigned 64-bit numbers. ``table`` is full of −1, and has as many places as a power
    of two that is larger than the number of keys. Of equal keys the first one is entered.
    """
    mask = np.uint64(table.shape[0] - 1)
    for i in range(keys.shape[0]):
        key = keys[i]
        mixed = (key ^ (key >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
        at = (mixed >> np.uint64(20)) & mask
        while table[at] >= 0 and keys[table[at]] != key:
            at = (at + np.uint64(1)) & mask
        if table[at] < 0:
            table[at] = i
        elif y[table[at]] != y[i]:
            return table[at], i
    return -1, -1
