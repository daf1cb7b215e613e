"""Shuffling row numbers."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit


@jit
def shuffle_windows(order: Any, bits: Any, window: int) -> None:
    """Shuffle each run of `window` numbers in place (Fisher and Yates).

    ``bits`` are as many random unsigned 32-bit numbers. A product's upper half picks the place
    (Lemire 2019), which favours no place by more than window / 2³².
    """
    for start in range(0, order.shape[0], window):
        size = min(window, order.shape[0] - start)
        for k in range(size - 1, 0, -1):
            other = np.intp((np.uint64(bits[start + k]) * np.uint64(k + 1)) >> np.uint64(32))
            order[start + k], order[start + other] = order[start + other], order[start + k]
