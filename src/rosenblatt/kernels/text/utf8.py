"""Parts of texts in UTF-8, as slices of their bytes; and their shapes."""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit

_CONTINUES = 0x80  # of a byte that is not the first of its character, the upper two bits
_NO_SIGN = np.uint32(0xFFFFFFFF)


@jit
def prefixes(letters: Any, starts: Any, stops: Any, k: int, ends: Any) -> None:
    """Write where the first k characters of each slice end; −1 if it has fewer."""
    for n in range(starts.shape[0]):
        at, left = starts[n], k
        ends[n] = -1
        if at < 0:
            continue
        while at < stops[n] and left > 0:
            at += 1
            while at < stops[n] and letters[at] & 0xC0 == _CONTINUES:
                at += 1
            left -= 1
        if left == 0:
            ends[n] = at


@jit
def suffixes(letters: Any, starts: Any, stops: Any, k: int, begins: Any) -> None:
    """Write where the last k characters of each slice begin; −1 if it has fewer."""
    for n in range(starts.shape[0]):
        at, left = stops[n], k
        begins[n] = -1
        if starts[n] < 0:
            continue
        while at > starts[n] and left > 0:
            at -= 1
            while at > starts[n] and letters[at] & 0xC0 == _CONTINUES:
                at -= 1
            left -= 1
        if left == 0:
            begins[n] = at


@jit
def shapes(points: Any, kinds: Any, starts: Any, stops: Any, out: Any, ends: Any) -> int:
    """Write the shape of each slice of characters: of a run of one kind its sign once.

    ``kinds`` has the sign of each character's kind, or 0 for one that stands for itself.
    """
    size = 0
    for n in range(starts.shape[0]):
        before = _NO_SIGN
        for at in range(starts[n], stops[n]):
            sign = kinds[at] if kinds[at] else points[at]
            if sign != before:
                out[size] = sign
                size += 1
                before = sign
        ends[n] = size
    return size
