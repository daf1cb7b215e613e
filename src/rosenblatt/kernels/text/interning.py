"""A dictionary of names in flat arrays: each distinct name gets the next number.

The names lie one after the other in ``letters``, the k-th ends at ``ends[k]``. ``slots`` is a hash
table with open addressing and linear probing; an empty slot is −1. Only names of equal letters are
equal, whatever their hashes.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.text.hashing import murmur3

NO_ROOM = -2


class Dictionary(NamedTuple):
    """The arrays of a dictionary; ``size`` holds the number of names."""

    letters: Any
    ends: Any
    hashes: Any
    slots: Any
    size: Any


@jit
def same(text: Any, start: int, stop: int, letters: Any, at: int, length: int) -> bool:
    """Compare a name with a stored one."""
    equal = stop - start == length
    j = 0
    while equal and j < length:
        equal = text[np.uintp(start + j)] == letters[np.uintp(at + j)]
        j += 1
    return equal


@jit
def find(dictionary: Any, text: Any, start: int, stop: int, hashed: int) -> tuple[Any, Any]:
    """Return a name's number or −1, and the slot where it is or would be."""
    last = dictionary.slots.shape[0] - 1
    slot: Any = hashed & last
    while True:
        number = np.int64(dictionary.slots[np.uintp(slot)])
        if number < 0:
            return -1, slot
        if dictionary.hashes[np.uintp(number)] == hashed:
            at = dictionary.ends[np.uintp(number - 1)] if number else 0
            length = dictionary.ends[np.uintp(number)] - at
            if same(text, start, stop, dictionary.letters, at, length):
                return number, slot
        slot = (slot + 1) & last


@jit
def add(dictionary: Any, text: Any, start: int, stop: int, hashed: int, slot: int) -> Any:
    """Give the next number to a name, and its slot to it; return `NO_ROOM` if there is none.

    Half of the slots may be taken at most.
    """
    number = dictionary.size[0]
    at = dictionary.ends[number - 1] if number else 0
    full = number == dictionary.ends.shape[0] or 2 * (number + 1) > dictionary.slots.size
    if full or at + stop - start > dictionary.letters.shape[0]:
        return NO_ROOM
    for j in range(stop - start):
        dictionary.letters[at + j] = text[start + j]
    dictionary.ends[number] = at + stop - start
    dictionary.hashes[number] = hashed
    dictionary.slots[slot] = number
    dictionary.size[0] = number + 1
    return number


@jit
def intern(
    dictionary: Any, text: Any, starts: Any, stops: Any, first: int, grow: bool, columns: Any
) -> Any:
    """Give numbers to names that are slices of a text, from the ``first`` on.

    Stop where the dictionary is too full for a new name, and return how many are done. Without
    ``grow`` unknown names get −1, and always what begins below zero.
    """
    for k in range(first, stops.shape[0]):
        start, stop = starts[k], stops[k]
        number = -1
        if start >= 0:
            hashed = murmur3(text, start, stop, 0)
            number, slot = find(dictionary, text, start, stop, hashed)
            if number < 0 and grow:
                number = add(dictionary, text, start, stop, hashed, slot)
                if number == NO_ROOM:
                    return k
        columns[k] = number
    return stops.shape[0]


@jit
def rebuild(dictionary: Any, hash_again: bool) -> bool:
    """Fill the slots from the names; say whether all names are distinct."""
    start = 0
    dictionary.slots[:] = -1
    for number in range(dictionary.size[0]):
        stop = dictionary.ends[number]
        if hash_again:
            dictionary.hashes[number] = murmur3(dictionary.letters, start, stop, 0)
        hashed: Any = np.int64(dictionary.hashes[number])
        known, slot = find(dictionary, dictionary.letters, start, stop, hashed)
        if known >= 0:
            return False
        dictionary.slots[slot] = number
        start = stop
    return True
