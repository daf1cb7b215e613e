"""Reading svmlight text, ``label index:value index:value … # comment``, into rows.

The text must end with a line end, and `PAD` bytes after that must be readable. Nothing else is
trusted.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.letters import find_marks
from rosenblatt.kernels.numbers import (
    IS_ROUGH,
    read_digits,
    read_number,
)
from rosenblatt.kernels.pairs import plain_pairs
from rosenblatt.kernels.parsing import (
    COLON,
    FULL,
    HASH,
    INDEX_TOO_LARGE,
    LINE_END,
    NO_LABEL,
    NO_PAIR,
    NO_VALUE,
    OK,
    RETURN,
    SPACE,
    TAB,
    TOO_LARGE,
    end_line,
    end_of_line,
    ends_token,
    note_rough,
    widest,
)

QUERY = -3


@exact_jit
def read_index(text: Any, p: int, most: int) -> tuple[int, int, int]:
    """Read ``index:``: the index, where the value starts, and OK, QUERY or what is wrong."""
    if text[p] == 113 and text[p + 1] == 105 and text[p + 2] == 100 and text[p + 3] == COLON:
        return 0, p + 4, QUERY
    index, q, rest = read_digits(text, p, np.int64(0), 18)
    if q == p or text[q] != COLON:
        return 0, p, NO_PAIR
    if rest or index > most:
        return 0, p, INDEX_TOO_LARGE
    return index, q + 1, OK


@exact_jit
def read_pair(text: Any, most: int, mask: int, found: Any) -> int:
    """Read ``index:value`` of any look, or ``qid:number``; return how that ended."""
    counts, p = found.counts, found.counts[6]
    index, q, ended = read_index(text, p, most)
    if ended > OK:
        return ended
    value, end, kind = read_number(text, q)
    if kind > IS_ROUGH or not (ends_token(text[end]) or text[end] == HASH):
        counts[6] = q
        return NO_VALUE
    if ended == QUERY:
        counts[6] = end
        return OK
    k = counts[1]
    if kind == IS_ROUGH and not note_rough(found, k, q, end):
        return FULL
    number = found.values.dtype.type(value)
    if not np.isfinite(number):
        counts[6] = q
        return TOO_LARGE
    found.indices[k], found.values[k] = index & mask, number
    counts[1], counts[6] = k + 1, end
    return OK


@exact_jit
def read_pairs(text: Any, most: int, mask: int, found: Any, marks: Any) -> int:
    """Read the pairs of a line; return how that ended."""
    counts = found.counts
    while True:
        p, j = counts[6], counts[8]
        while marks[j] < p:
            j += 1
        if marks[j] == p:
            j, k = plain_pairs(
                text, marks, j, counts[1], most, 0, mask, found.indices, found.values
            )
            p, counts[1] = np.int64(marks[j]), k
        while text[p] in (SPACE, TAB):
            p += 1
        counts[6], counts[8] = p, j
        if text[p] in (LINE_END, HASH) or (text[p] == RETURN and text[p + 1] == LINE_END):
            return OK
        ended = read_pair(text, most, mask, found)
        if ended != OK:
            return ended


@exact_jit
def read_label(text: Any, found: Any) -> int:
    """Read the label of a line; return how that ended."""
    p, row = found.counts[6], found.counts[0]
    label, q, kind = read_number(text, p)
    if kind > IS_ROUGH or not (ends_token(text[q]) or text[q] == HASH):
        return NO_LABEL
    if kind == IS_ROUGH and not note_rough(found, -1 - row, p, q):
        return FULL
    found.labels[row], found.counts[6] = label, q
    return OK


@exact_jit
def parse_svmlight(
    text: Any, stop: int, most: int, mask: int, skip: bool, found: Any, marks: Any
) -> bool:
    """Read lines up to ``stop``; return False if Python must read rough numbers before it goes on.

    An index above ``most`` is an error; an index's column is ``index & mask``. After an error the
    rest of the line is skipped, or reading ends.

    ``marks`` is room for the places of blanks, colons and line ends. With these known, numbers that
    look like most do are read without finding out, letter by letter, where they end.
    """
    counts = found.counts
    first, goes_on = counts[1], True
    before = np.empty_like(counts)
    find_marks(text, counts[6], stop, SPACE, COLON, LINE_END, marks)
    counts[8] = 0
    while counts[6] < stop and goes_on:
        before[:] = counts
        p = counts[6]
        while text[p] in (SPACE, TAB):
            p += 1
        if text[p] == RETURN and text[p + 1] == LINE_END:
            p += 1
        counts[6] = p
        if text[p] in (LINE_END, HASH):
            counts[6] = end_of_line(text, p)
            counts[2] += 1
            continue
        ended = read_label(text, found)
        if ended == OK:
            ended = read_pairs(text, most, mask, found, marks)
        goes_on = end_line(text, found, ended, before, skip)
    widest(found, first)
    return counts[6] >= stop or (counts[4] > 0 and not skip)
