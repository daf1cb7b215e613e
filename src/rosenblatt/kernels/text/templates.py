"""Features of tokens by templates: numbers of values at places around a token, as one number.

A template is some parts, each a row of ``values`` (−1 where a token has none) and a place relative
to the token. With the number of values known of each row, a combination of them is one number, its
key: before the start of a sequence stands the value 0, behind its end 1, and others are 2 more than
they were.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit

NONE = -1
_BEFORE, _BEHIND, _SHIFT = 0, 1, 2


@jit
def key_of(
    values: Any, sizes: Any, rows: Any, places: Any, first: int, last: int, t: int, a: int, b: int
) -> Any:
    """Return the key of token t, in a sequence from a to b, for the parts first…last−1."""
    key = np.int64(0)
    for p in range(first, last):
        row, at = rows[p], t + places[p]
        if at < a:
            value = np.int64(_BEFORE)
        elif at >= b:
            value = np.int64(_BEHIND)
        else:
            value = np.int64(values[np.uintp(row), np.uintp(at)]) + _SHIFT
            if value < _SHIFT:
                return NONE
        key = key * (sizes[row] + _SHIFT) + value
    return key


@jit
def slot_of(keys: Any, start: int, mask: int, key: int) -> Any:
    """Return the slot of a key in a table with open addressing, or the free one it would have."""
    h = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64(h >> np.uint64(32)) & mask
    while keys[np.uintp(start + slot)] != key and keys[np.uintp(start + slot)] != NONE:
        slot = (slot + 1) & mask
    return start + slot


@jit
def number_keys(
    values: Any,
    sizes: Any,
    rows: Any,
    places: Any,
    first: int,
    last: int,
    offsets: Any,
    slots: Any,
    numbers: Any,
    found: Any,
    counts: Any,
    done: int,
    size: int,
    out: Any,
) -> tuple[int, int]:
    """Give numbers to the distinct keys of one template, as they are met, and count each.

    ``found`` gets the keys, ``out`` the number of each token's. Begin with the sequence ``done``,
    with ``size`` keys known; end where half of the slots would be taken. Return where it ended.
    """
    mask = slots.shape[0] - 1
    for s in range(done, offsets.shape[0] - 1):
        a, b = offsets[s], offsets[s + 1]
        if 2 * (size + b - a) > slots.shape[0]:
            return s, size
        for t in range(a, b):
            key = key_of(values, sizes, rows, places, first, last, t, a, b)
            number = np.int64(NONE)
            if key != NONE:
                slot = slot_of(slots, 0, mask, key)
                if slots[slot] == NONE:
                    slots[slot] = key
                    numbers[slot] = size
                    found[size] = key
                    counts[size] = 0
                    size += 1
                number = np.int64(numbers[slot])
                counts[number] += 1
            out[t] = number
    return offsets.shape[0] - 1, size


@jit
def fill_slots(keys: Any, starts: Any, slots: Any, numbers: Any) -> bool:
    """Fill a table of given keys, template by template; say whether they are distinct.

    The keys of template q are those from ``starts[q, 0]`` to ``starts[q + 1, 0]``, and its slots
    those from ``starts[q, 1]`` to ``starts[q + 1, 1]``, a power of two.
    """
    slots[:] = NONE
    for q in range(starts.shape[0] - 1):
        start, mask = starts[q, 1], starts[q + 1, 1] - starts[q, 1] - 1
        for k in range(starts[q, 0], starts[q + 1, 0]):
            slot = slot_of(slots, start, mask, keys[k])
            if slots[slot] != NONE:
                return False
            slots[slot] = keys[k]
            numbers[slot] = k + 1
    return True


@jit
def find_features(
    values: Any,
    sizes: Any,
    rows: Any,
    places: Any,
    parts: Any,
    offsets: Any,
    starts: Any,
    slots: Any,
    numbers: Any,
    out: Any,
) -> None:
    """Write the feature of each token for each template, from 1 on; 0 where it is not known.

    The parts of template q are those from ``parts[q]`` to ``parts[q + 1]``.
    """
    for q in range(parts.shape[0] - 1):
        first, last, start = parts[q], parts[q + 1], starts[q, 1]
        mask = starts[q + 1, 1] - start - 1
        for s in range(offsets.shape[0] - 1):
            a, b = offsets[s], offsets[s + 1]
            for t in range(a, b):
                number = np.int64(0)
                key = key_of(values, sizes, rows, places, first, last, t, a, b)
                if key != NONE:
                    slot = slot_of(slots, start, mask, key)
                    if slots[np.uintp(slot)] == key:
                        number = np.int64(numbers[np.uintp(slot)])
                out[np.uintp(t), np.uintp(q)] = number
