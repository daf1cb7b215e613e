"""Reading Vowpal Wabbit's text, ``label weight 'tag|namespace name:value name … |…``, into rows.

The text must end with a line end, and `PAD` bytes after that must be readable. Nothing else is
trusted. A line has at least one bar. Before the first one: nothing, or a label, or a label and an
importance weight (and a base, which is read and not used), and a tag that touches the bar or begins
with an apostrophe. A namespace touches its bar, and may have a value that its features are
multiplied by. A feature without a value has the value 1.

The loop over lines is one long function on purpose: to hand all these arrays to another for each
line costs more than to read it, as each is counted anew.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd.letters import find_marks
from rosenblatt.kernels.text.hashing import full_name_hash, murmur3, name_hash
from rosenblatt.kernels.text.numbers import IS_NUMBER, IS_ROUGH, NO_NUMBER, plain_pairs, read_number
from rosenblatt.kernels.text.parsing import (
    BAR,
    COLON,
    LINE_END,
    NO_BAR,
    NO_LABEL,
    NO_NAME,
    NO_VALUE,
    NO_WEIGHT,
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

OK = -1
_ANY = (1 << 62) - 1
_CARET, _QUOTE = 94, 39


@exact_jit
def end_of_word(text: Any, p: int) -> int:
    """Return where a word ends: at a blank, a bar or the end of the line."""
    while not (ends_token(text[p]) or text[p] == BAR):
        p += 1
    return p


@exact_jit
def end_of_name(text: Any, p: int) -> int:
    """Return where a name ends: at a colon too."""
    while not (ends_token(text[p]) or text[p] == BAR or text[p] == COLON):
        p += 1
    return p


@exact_jit
def has_bar(text: Any, p: int) -> bool:
    """Say whether there is a bar in the rest of the line."""
    while not (text[p] == BAR or text[p] == LINE_END):
        p += 1
    return bool(text[p] == BAR)


@exact_jit
def read_head(text: Any, p: int, row: int, found: Any, spans: Any) -> tuple[int, int]:
    """Read what is before the first bar; return where that is, and OK or what is wrong.

    The label is NaN if there is none, or if it is a name or a number that Python must read.
    """
    label, weight, words, places = np.nan, 1.0, 0, spans.places
    for j in range(4):
        places[row, j] = 0
    named = False
    while True:
        while text[p] in (SPACE, TAB):
            p += 1
        if text[p] == BAR:
            break
        if text[p] in (LINE_END, RETURN):
            return p, NO_BAR
        q = end_of_word(text, p)
        if text[p] == _QUOTE or (text[q] == BAR and words > 0):
            # A word that touches the bar is a tag; but alone it is a label, as in "1|a b".
            places[row, 2], places[row, 3] = p + (text[p] == _QUOTE), q
        elif words == 0:
            value, end, kind = read_number(text, p)
            places[row, 0], places[row, 1] = p, q
            if kind == IS_NUMBER and end == q:
                label = value
            else:
                named = True
        elif words <= 2:
            value, end, kind = read_number(text, p)
            if kind != IS_NUMBER or end != q or (words == 1 and value < 0):
                return p, NO_WEIGHT if has_bar(text, p) else NO_BAR
            weight = value if words == 1 else weight
        else:
            return p, NO_LABEL if has_bar(text, p) else NO_BAR
        words += 1
        p = q
    found.labels[row], spans.weights[row] = label, weight
    found.counts[7] += named
    return p, OK


@exact_jit
def keep_name(text: Any, space: Any, start: int, stop: int, at: int, letters: Any) -> int:
    """Write ``namespace^name``, or the name alone; return where it ends."""
    if space[1] > space[0]:
        for p in range(space[0], space[1]):
            letters[at] = text[p]
            at += 1
        letters[at] = _CARET
        at += 1
    for p in range(start, stop):
        letters[at] = text[p]
        at += 1
    return at


@exact_jit
def has_caret(text: Any, space: Any) -> bool:
    """Say whether a namespace has a caret in it, which is rare."""
    found = False
    for p in range(space[0], space[1]):
        found |= text[p] == _CARET
    return found


@exact_jit
def hash_in_space(text: Any, space: Any, start: int, stop: int, seed: int) -> int:
    """Hash a name with its namespace, as the whole name ``namespace^name`` is hashed."""
    if space[0] == space[1]:
        return full_name_hash(text, start, stop)
    if has_caret(text, space):  # it is at the first caret that the whole name is cut
        letters = np.empty(space[1] - space[0] + 1 + stop - start, np.uint8)
        return full_name_hash(letters, 0, keep_name(text, space, start, stop, 0, letters))
    return name_hash(text, start, stop, seed)


@exact_jit
def parse_vw(
    text: Any, stop: int, mask: int, keep: bool, skip: bool, found: Any, spans: Any, marks: Any
) -> bool:
    """Read lines up to ``stop``; return False if there is no space left for names or rough numbers.

    Names are hashed, or with ``keep`` written down. After an error the rest of the line is skipped,
    or reading ends. ``marks`` is a buffer for the places of blanks, colons and line ends.
    """
    indptr, indices, values = found.indptr, found.indices, found.values
    counts, buffer = found.counts, found.rough.shape[0]
    rows, k, lines, rough, p = counts[0], counts[1], counts[2], counts[3], counts[6]
    first, j = k, 0
    space = np.zeros(2, np.int64)
    find_marks(text, p, stop, SPACE, COLON, LINE_END, marks)
    while p < stop:
        begin, row_start, rough_start = p, k, rough
        after = p
        while text[after] in (SPACE, TAB, RETURN):
            after += 1
        if text[after] == LINE_END:
            p = after + 1
            lines += 1
            continue
        p, wrong = read_head(text, p, rows, found, spans)
        at = spans.ends[k - 1] if keep and k else np.int64(0)
        scale, seed, full, plain = 1.0, np.int64(0), False, not keep
        space[:] = 0
        while wrong == OK:
            if plain and scale == 1.0:
                while marks[j] < p:
                    j += 1
                if marks[j] == p:
                    j, k = plain_pairs(text, marks, j, k, _ANY, seed, mask, indices, values)
                    p = np.int64(marks[j])
            while text[p] in (SPACE, TAB):
                p += 1
            letter = text[p]
            if letter == LINE_END or (letter == RETURN and text[p + 1] == LINE_END):
                break
            if letter == BAR:
                scale, seed, plain = 1.0, np.int64(0), not keep
                space[0] = p + 1
                p = end_of_name(text, p + 1)
                space[1] = p
                if space[1] > space[0]:
                    seed = murmur3(text, space[0], space[1], 0)
                    plain &= not has_caret(text, space)
                if text[p] == COLON:
                    scale, q, kind = read_number(text, p + 1)
                    if kind != IS_NUMBER or not (ends_token(text[q]) or text[q] == BAR):
                        p, wrong = p + 1, NO_VALUE
                        break
                    p = q
                continue
            q = end_of_name(text, p)
            if q == p:
                wrong = NO_NAME
                break
            hashed = np.int64(0) if keep else hash_in_space(text, space, p, q, seed)
            name, name_end, kind, value = p, q, IS_NUMBER, 1.0
            if text[q] == COLON:
                p = q + 1
                value, q, kind = read_number(text, p)
            if not (ends_token(text[q]) or text[q] == BAR):
                kind = NO_NUMBER
            if kind > IS_ROUGH:
                wrong = NO_VALUE
                break
            if kind == IS_ROUGH and scale != 1.0:
                wrong = TOO_LARGE
                break
            if kind == IS_ROUGH:
                if rough == buffer:
                    full = True
                    break
                rough = note_rough(found, rough, k, p, q)
            number = values.dtype.type(value * scale)
            if not finite(number):
                wrong = TOO_LARGE
                break
            if keep:
                if at + (space[1] - space[0]) + 1 + (name_end - name) > spans.letters.shape[0]:
                    full = True
                    break
                at = keep_name(text, space, name, name_end, at, spans.letters)
                spans.ends[k] = at
                indices[k] = 0
            else:
                indices[k] = hashed & mask
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
            found.lines[rows] = lines
            rows += 1
            indptr[rows] = k
        p = end_of_line(text, p)
        lines += 1
    widest(found, first, k)
    keep_counts(found, rows, k, lines, rough, p)
    return p >= stop or (counts[4] > 0 and not skip)
