"""The pairs of svmlight and VW text that look like most do, read without a loop over letters."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.letters import number_before
from rosenblatt.kernels.numbers import _MINUS, _POINT, POWERS, TENS
from rosenblatt.kernels.parsing import COLON, SPACE

_ONE, _TWO = np.uint64(1), np.uint64(2)


@exact_jit
def plain_pairs(
    text: Any,
    marks: Any,
    j: int,
    k: int,
    most: int,
    shift: int,
    mask: int,
    indices: Any,
    values: Any,
) -> tuple[int, int]:
    """Read pairs while they look like ``123:4.56``, ``123:-4.56`` or ``123:4``, each after a blank.

    Mark j is the blank before the first. A pair's column is ``(index + shift) & mask``; an index
    above ``most`` is left to others. Return the mark after the last, and where the numbers end.
    """
    # Unsigned places spare a look at whether they are negative, which would count from the end.
    j, k = np.uint64(j), np.uint64(k)
    while True:
        blank, colon, end = marks[j], marks[j + _ONE], marks[j + _TWO]
        n = colon - blank - 1
        negative = text[np.uint64(colon + 1)] == _MINUS
        start = colon + 1 + negative
        behind = np.int64(end - start - 2)
        shaped = (text[np.uint64(blank)] == SPACE) & (text[np.uint64(colon)] == COLON)
        shaped &= (text[np.uint64(end)] != COLON) & (n > 0) & (n < 8)
        pointed = (text[np.uint64(start + 1)] == _POINT) & (behind > 0) & (behind < 8)
        if not (shaped & (pointed | (behind == -1))):
            break
        index = number_before(text, colon, n)
        whole = np.int64(text[np.uint64(start)]) - 48
        good = (index >= 0) & (index <= most) & (whole >= 0) & (whole <= 9)
        if pointed:
            after = number_before(text, end, behind)
            good &= after >= 0
            places = np.uint64(behind)
            value = np.float64(whole * TENS[places] + after) / POWERS[places]
        else:
            value = np.float64(whole)
        if not good:
            break
        indices[k] = (index + shift) & mask
        values[k] = -value if negative else value
        k += _ONE
        j += _TWO
    return np.int64(j), np.int64(k)
