"""Runs of words as features: each is hashed, or looked up in a dictionary.

Where no name is a number or has a caret, which is nearly everywhere, the hash of a run continues
that of the same run without its last word.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.text.hashing import CARET, full_name_hash, hash_block, hash_end
from rosenblatt.kernels.text.interning import NO_ROOM, add, find
from rosenblatt.kernels.text.words import BACK, LONGEST, NINE

_ROOM = LONGEST + 3 + 1  # for a word and a space


class Naming(NamedTuple):
    """How runs are named: ``run`` is a buffer for one, and starts with the letters of a prefix.

    Hashes are taken modulo ``mask + 1``; where there is a dictionary, it may ``grow`` or not.
    """

    run: Any
    prefix: int
    mask: int
    grow: bool


def run_buffer(prefix: bytes, ngrams: int) -> Any:
    """Allocate a buffer for a run of so many words after a prefix."""
    run = np.empty(len(prefix) + ngrams * _ROOM + BACK, np.uint8)
    run[: len(prefix)] = np.frombuffer(prefix, np.uint8)
    return run


@jit
def four(text: Any, p: int) -> Any:
    """Return four bytes of a text as a number, the first lowest."""
    u = np.uintp(p)
    return (
        np.int64(text[u])
        | np.int64(text[u + np.uintp(1)]) << 8
        | np.int64(text[u + np.uintp(2)]) << 16
        | np.int64(text[u + np.uintp(3)]) << 24
    )


@jit
def has_caret(text: Any, start: int, stop: int) -> bool:
    """Say whether there is a caret."""
    found = False
    for p in range(start, stop):
        found |= text[np.uintp(p)] == CARET
    return found


@jit
def all_digits(text: Any, stop: int) -> bool:
    """Say whether a text starts with so many digits."""
    found = True
    for p in range(stop):
        found &= 48 <= text[p] <= 57
    return found


@jit
def number_runs(
    words: Any, ngrams: int, naming: Any, dictionary: Any, row: int, indptr: Any, columns: Any
) -> int:
    """Find the column of each run of up to ``ngrams`` words, in the texts from ``row`` on.

    Runs are in the order of their first words, the shorter first. They are hashed if there is no
    dictionary. Return the text at which it was full; its runs must be looked up again then.
    """
    run, prefix = naming.run, naming.prefix
    hashes = dictionary is None
    odd = hashes and prefix > 0 and (has_caret(run, 0, prefix) or all_digits(run, prefix))
    begun = 0
    for p in range(0, prefix - 3, 4):
        begun = hash_block(begun, four(run, p))
    while row < indptr.shape[0] - 1:
        place = words.firsts[row], words.firsts[row + 1], indptr[row]
        start, stop = words.gaps[place[0]], words.gaps[place[1]]
        slow = odd or (hashes and has_caret(words.letters, start, stop))
        if not number_text(words, place, ngrams, naming, dictionary, begun, slow, columns):
            return row
        row += 1
    return row


@jit
def number_text(
    words: Any,
    place: tuple[int, int, int],
    ngrams: int,
    naming: Any,
    dictionary: Any,
    begun: int,
    slow: bool,
    columns: Any,
) -> bool:
    """Find the columns of one text's runs; say whether all were found or added.

    ``place`` is its first word, the one after its last, and where its columns go. ``begun`` is the
    hash of the prefix, as far as it has whole blocks of four. ``slow`` says that names may have a
    caret, or be numbers even with the prefix.
    """
    letters, gaps, run, prefix = words.letters, words.gaps, naming.run, naming.prefix
    text = run if prefix else letters
    first, last, n = place
    for i in range(first, last):
        start = done = gaps[np.uintp(i)] + 1
        moved = prefix - start if prefix else 0  # from the letters to the text
        digits = not prefix and letters[np.uintp(start)] == NINE
        h, p = begun, prefix & ~3 if prefix else start
        for k in range(i, min(i + ngrams, last)):
            stop = gaps[np.uintp(k + 1)]
            if prefix:
                for j in range(done, stop):
                    run[np.uintp(j + moved)] = letters[np.uintp(j)]
                done = stop
            end = stop + moved
            block = four(text, p)
            while p + 4 <= end:
                h = hash_block(h, block)
                p += 4
                block = four(text, p)
            hashed = hash_end(h, block & ((1 << 8 * (end - p)) - 1), prefix + stop - start)
            begin = start + moved - prefix
            if dictionary is None:
                if slow or (digits and k == i):
                    hashed = full_name_hash(text, begin, end)
                column = hashed & naming.mask
            else:
                column, slot = find(dictionary, text, begin, end, hashed)
                if column < 0 and naming.grow:
                    column = add(dictionary, text, begin, end, hashed, slot)
                    if column == NO_ROOM:
                        return False
            columns[np.uintp(n)] = column
            n += 1
    return True


@jit
def count_distinct(indptr: Any, columns: Any, counts: Any, slots: Any) -> None:
    """Keep the first of equal columns in each row, and none below zero; count how many there were.

    All arrays are changed. ``slots`` is a hash table for the columns of a row. It must have twice
    as many slots as the longest row has columns, rounded up to a power of two.
    """
    start = kept = 0
    for row in range(indptr.shape[0] - 1):
        stop = indptr[row + 1]
        last = 1
        while last < 2 * (stop - start):
            last *= 2
        last -= 1
        slots[: last + 1] = -1
        first = kept
        for k in range(start, stop):
            column = columns[np.uintp(k)]
            if column < 0:
                continue
            slot = column & last
            found: Any = np.int64(slots[np.uintp(slot)])
            while found >= 0 and columns[np.uintp(first + found)] != column:
                slot = (slot + 1) & last
                found = np.int64(slots[np.uintp(slot)])
            if found >= 0:
                counts[np.uintp(first + found)] += 1
                continue
            slots[np.uintp(slot)] = kept - first
            columns[np.uintp(kept)] = column
            counts[np.uintp(kept)] = 1
            kept += 1
        start = stop
        indptr[row + 1] = kept
