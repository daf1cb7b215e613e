"""Drift in plain NumPy: every cut of the whole window is tried, after each number."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def adwin(
    numbers: Iterable[float], delta: float = 0.002, min_part: int = 5
) -> list[tuple[int, int]]:
    """Return the length of ADWIN's window after each change, as (numbers so far, length).

    Examples
    --------
    >>> from rosenblatt.reference import adwin
    >>> adwin([0.0] * 100 + [1.0] * 100)[:3]
    [(111, 94), (112, 81), (113, 73)]
    """
    window: list[float] = []
    changes = []
    for t, number in enumerate(numbers, 1):
        window.append(number)
        before = len(window)
        while len(window) >= 2 * min_part and _differs(np.array(window), delta, min_part):
            del window[0]
        if len(window) < before:
            changes.append((t, len(window)))
    return changes


def _differs(window: NDArray[np.float64], delta: float, min_part: int) -> bool:
    n = len(window)
    n_old = np.arange(min_part, n - min_part + 1)
    n_new = n - n_old
    old = np.cumsum(window)[n_old - 1]
    difference = np.abs(old / n_old - (window.sum() - old) / n_new)
    confidence = np.log(2 * max(np.log(n), 1.0) / delta)
    parts = 1 / n_old + 1 / n_new
    bound = np.sqrt(2 * window.var() * confidence * parts) + 2 / 3 * confidence * parts
    return bool((difference > bound).any())
