"""Arranging row numbers."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit


@jit
def shuffle(order: Any, bits: Any) -> None:
    """Shuffle numbers in place (Fisher and Yates).

    ``bits`` are at least as many random unsigned 32-bit numbers. A product's upper half picks the
    place (Lemire 2019), which favours no place by more than n / 2³².
    """
    for k in range(order.shape[0] - 1, 0, -1):
        other = np.intp((np.uint64(bits[k]) * np.uint64(k + 1)) >> np.uint64(32))
        order[k], order[other] = order[other], order[k]


@jit
def lay_blocks(starts: Any, block: int, first: int, n: int, stream: Any) -> None:
    """Write the row numbers of whole blocks in the order of ``starts``.

    The rows before ``first`` come before them, and those after the blocks' end after them.
    """
    at = 0
    for row in range(first):
        stream[at] = row
        at += 1
    for start in starts:
        for row in range(start, start + block):
            stream[at] = row
            at += 1
    for row in range(at, n):
        stream[row] = row
    for after in range(n, stream.shape[0]):
        stream[after] = stream[n - 1]


@jit
def shuffle_windows(stream: Any, permutations: Any, pick: Any, order: Any) -> None:
    """Fill ``order`` with the stream, each window rearranged by the permutation picked for it."""
    window = permutations.shape[1]
    for k in range(pick.shape[0]):
        permutation = permutations[pick[k]]
        for j in range(window):
            order[k * window + j] = stream[k * window + permutation[j]]
