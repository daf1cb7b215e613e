"""Equal numbers with opposite labels, found by a hash table."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit


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
