"""Reading svmlight text, ``label index:value index:value … # comment``, into rows.

The text must end with a line end, and `PAD` bytes after that must be readable. Nothing else is
trusted.

The loop over lines is one long function on purpose: to hand all these arrays to another for each
line costs more than to read it, as each is counted anew.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd.letters import find_marks
from rosenblatt.kernels.text.numbers import (
    IS_NUMBER,
    IS_ROUGH,
    NO_NUMBER,
    plain_pairs,
    read_digits,
    read_number,
)
from rosenblatt.kernels.text.parsing import (
    COLON,
    HASH,
    INDEX_TOO_LARGE,
    LINE_END,
    NO_LABEL,
    NO_PAIR,
    NO_VALUE,
    RETURN,
    SPACE,
    TAB,
    TOO_LARGE,
    end_of_line,
    ends_token,
    keep_counts,
    note_error,
    note_rough,
    widest,
)

OK, QUERY = -1, -2


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
def parse_svmlight(
    text: Any, stop: int, most: int, mask: int, skip: bool, found: Any, marks: Any
) -> bool:
    """Read lines up to ``stop``; return False if Python must read rough numbers first.

    An index above ``most`` is an error; an index's column is ``index & mask``. After an error the
    rest of the line is skipped, or reading ends.

    ``marks`` is a buffer for the places of blanks, colons and line ends. With these known, numbers
    that look like most do are read without finding out, letter by letter, where they end.
    """
    labels, indptr, indices, values = found.labels, found.indptr, found.indices, found.values
    counts, buffer = found.counts, found.rough.shape[0]
    rows, k, lines, rough, p = counts[0], counts[1], counts[2], counts[3], counts[6]
    first, j = k, 0
    find_marks(text, p, stop, SPACE, COLON, LINE_END, marks)
    while p < stop:
        begin, row_start, rough_start = p, k, rough
        while text[p] == SPACE or text[p] == TAB:
            p += 1
        if text[p] == RETURN and text[p + 1] == LINE_END:
            p += 1
        if text[p] == LINE_END or text[p] == HASH:
            p = end_of_line(text, p)
            lines += 1
            continue
        wrong = OK
        label, q, kind = read_number(text, p)
        if kind == IS_ROUGH and rough < buffer:
            rough = note_rough(found, rough, -1 - rows, p, q)
        elif kind == IS_ROUGH:
            break
        if kind > IS_ROUGH or not (ends_token(text[q]) or text[q] == HASH):
            wrong = NO_LABEL
        else:
            p = q
        full = False
        while wrong == OK:
            while marks[j] < p:
                j += 1
            if marks[j] == p:
                j, k = plain_pairs(text, marks, j, k, most, 0, mask, indices, values)
                p = np.int64(marks[j])
            while text[p] == SPACE:
                p += 1
            letter = text[p]
            if letter == TAB:
                p += 1
                continue
            if letter in (LINE_END, HASH):
                break
            if letter == RETURN and text[p + 1] == LINE_END:
                break
            index, q, wrong = read_index(text, p, most)
            if wrong == QUERY:
                value, p, kind = read_number(text, q)
                ends = ends_token(text[p]) or text[p] == HASH
                wrong = OK if kind <= IS_ROUGH and ends else NO_VALUE
                continue
            if wrong != OK:
                break
            p = q
            value, q, kind = read_number(text, p)
            if not ends_token(text[q]) and text[q] != HASH:
                kind = NO_NUMBER
            if kind != IS_NUMBER:
                if kind > IS_ROUGH:
                    wrong = NO_VALUE
                    break
                if rough == buffer:
                    full = True
                    break
                rough = note_rough(found, rough, k, p, q)
            number = values.dtype.type(value)
            if not finite(number):
                wrong = TOO_LARGE
                break
            indices[k] = index & mask
            values[k] = number
            k += 1
            p = q
        if full:
            k, rough, p = row_start, rough_start, begin
            break
        if wrong != OK:
            note_error(found, wrong, p, lines)
            k, rough = row_start, rough_start
            if not skip:
                break
        else:
            labels[rows] = label
            found.lines[rows] = lines
            rows += 1
            indptr[rows] = k
        p = end_of_line(text, p)
        lines += 1
    widest(found, first, k)
    keep_counts(found, rows, k, lines, rough, p)
    return p >= stop or (counts[4] > 0 and not skip)
