"""Names of features as numbers: MurmurHash3 (Appleby 2011), 32 bits.

A name that is a whole number stands for that number, as in Vowpal Wabbit, so that numbered features
do not collide while the numbers are small. The hash of the namespace, which may be a number too, is
the seed of its names.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit

LOW = 0xFFFFFFFF
MOST_DIGITS = 18  # of a name that is read as a number
CARET = 94


@jit
def mixed(k: int) -> int:
    """Scramble four bytes."""
    k = (k * 0xCC9E2D51) & LOW
    k = ((k << 15) | (k >> 17)) & LOW
    return (k * 0x1B873593) & LOW


@jit
def hash_block(h: int, block: int) -> int:
    """Continue a MurmurHash3 with four bytes."""
    h ^= mixed(block)
    h = ((h << 13) | (h >> 19)) & LOW
    return (h * 5 + 0xE6546B64) & LOW


@jit
def hash_end(h: int, rest: int, length: int) -> int:
    """End a MurmurHash3 with up to three bytes; ``length`` is that of all."""
    h ^= mixed(rest) ^ length
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & LOW
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & LOW
    return h ^ (h >> 16)


@jit
def murmur3(text: Any, start: int, stop: int, seed: int) -> int:
    """Hash the bytes of a text from start to stop."""
    h = np.int64(seed) & LOW
    p = start
    while p + 4 <= stop:
        k = (
            np.int64(text[p])
            | np.int64(text[p + 1]) << 8
            | np.int64(text[p + 2]) << 16
            | np.int64(text[p + 3]) << 24
        )
        h = hash_block(h, k)
        p += 4
    rest = np.int64(0)
    for j in range(stop - p):
        rest |= np.int64(text[p + j]) << (8 * j)
    return hash_end(h, rest, stop - start)


@jit
def name_hash(text: Any, start: int, stop: int, seed: int) -> int:
    """Hash a name within its namespace; a whole number is itself, counted from the seed.

    Of a number only the lowest 32 bits matter. An empty name is zero.
    """
    number = np.int64(0)
    for p in range(start, stop):
        digit = np.int64(text[p]) - 48
        if digit < 0 or digit > 9:
            return murmur3(text, start, stop, seed)
        number = (number * 10 + digit) & LOW
    return number + seed


@jit
def full_name_hash(text: Any, start: int, stop: int) -> int:
    """Hash a name that may begin with its namespace and a caret, such as ``user^id``."""
    for p in range(start, stop):
        if text[p] == CARET:
            return name_hash(text, p + 1, stop, name_hash(text, start, p, 0))
    return name_hash(text, start, stop, 0)


@jit
def hash_names(text: Any, ends: Any, mask: int, columns: Any) -> None:
    """Hash many names that lie one after the other; column = hash mod 2^bits."""
    start = np.int64(0)
    for k in range(ends.shape[0]):
        columns[k] = full_name_hash(text, start, ends[k]) & mask
        start = ends[k]
