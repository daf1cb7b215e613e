"""Reading Vowpal Wabbit's text, ``label weight 'tag|namespace name:value name … |…``, into rows.

The text must end with a line end, and `PAD` bytes after that must be readable. Nothing else is
trusted. A line has at least one bar. Before the first one: nothing, or a label, or a label and an
importance weight (and a base, which is read and not used), and a tag that touches the bar or begins
with an apostrophe. A namespace touches its bar, and may have a value that its features are
multiplied by. A feature without a value has the value 1.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.hashing import full_name_hash, murmur3, name_hash
from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.letters import find_marks
from rosenblatt.kernels.numbers import IS_NUMBER, IS_ROUGH, read_number
from rosenblatt.kernels.pairs import plain_pairs
from rosenblatt.kernels.parsing import (
    BAR,
    COLON,
    FULL,
    LINE_END,
    NO_BAR,
    NO_LABEL,
    NO_NAME,
    NO_VALUE,
    NO_WEIGHT,
    OK,
    RETURN,
    SPACE,
    TAB,
    TOO_LARGE,
    end_line,
    ends_token,
    note_rough,
    widest,
)

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
def read_space(text: Any, found: Any, space: Any) -> tuple[float, int]:
    """Read a namespace after its bar; return the value of its features, and how that ended."""
    p = found.counts[6] + 1
    space[0] = p
    p = end_of_name(text, p)
    space[1] = found.counts[6] = p
    if text[p] != COLON:
        return 1.0, OK
    scale, q, kind = read_number(text, p + 1)
    if kind != IS_NUMBER or not (ends_token(text[q]) or text[q] == BAR):
        found.counts[6] = p + 1
        return 1.0, NO_VALUE
    found.counts[6] = q
    return scale, OK


@exact_jit
def read_feature(
    text: Any, mask: int, space: Any, scale: float, seed: int, found: Any, spans: Any
) -> int:
    """Read ``name`` or ``name:value`` of any look; return how that ended."""
    counts = found.counts
    start, k, keep = counts[6], counts[1], spans.ends.shape[0] > 0
    stop = q = end_of_name(text, start)
    if stop == start:
        return NO_NAME
    kind, value, p = IS_NUMBER, 1.0, start
    if text[q] == COLON:
        p = counts[6] = stop + 1
        value, q, kind = read_number(text, p)
    if kind > IS_ROUGH or not (ends_token(text[q]) or text[q] == BAR):
        return NO_VALUE
    number = found.values.dtype.type(value * scale)
    if not np.isfinite(number) or (kind == IS_ROUGH and scale != 1.0):
        return TOO_LARGE
    if keep:
        at = spans.ends[k - 1] if k else np.int64(0)
        if at + (space[1] - space[0]) + 1 + (stop - start) > spans.letters.shape[0]:
            return FULL
        spans.ends[k] = keep_name(text, space, start, stop, at, spans.letters)
        found.indices[k] = 0
    else:
        found.indices[k] = hash_in_space(text, space, start, stop, seed) & mask
    if kind == IS_ROUGH and not note_rough(found, k, p, q):
        return FULL
    found.values[k] = number
    counts[1], counts[6] = k + 1, q
    return OK


@exact_jit
def read_features(text: Any, mask: int, found: Any, spans: Any, marks: Any) -> int:
    """Read the namespaces and features of a line; return how that ended."""
    counts, hashes = found.counts, spans.ends.shape[0] == 0
    space = np.zeros(2, np.int64)
    scale, seed, plain, ended = 1.0, np.int64(0), hashes, OK
    while ended == OK:
        p, j = counts[6], counts[8]
        if plain and scale == 1.0:
            while marks[j] < p:
                j += 1
            if marks[j] == p:
                j, k = plain_pairs(
                    text, marks, j, counts[1], _ANY, seed, mask, found.indices, found.values
                )
                p, counts[1] = np.int64(marks[j]), k
        while text[p] in (SPACE, TAB):
            p += 1
        counts[6], counts[8] = p, j
        if text[p] == LINE_END or (text[p] == RETURN and text[p + 1] == LINE_END):
            return OK
        if text[p] == BAR:
            scale, ended = read_space(text, found, space)
            named = space[1] > space[0]
            seed = np.int64(murmur3(text, space[0], space[1], 0)) if named else np.int64(0)
            plain = hashes and not has_caret(text, space)
        else:
            ended = read_feature(text, mask, space, scale, seed, found, spans)
    return ended


@exact_jit
def parse_vw(
    text: Any, stop: int, mask: int, skip: bool, found: Any, spans: Any, marks: Any
) -> bool:
    """Read lines up to ``stop``; return False if there is no more room for names or rough numbers.

    Names are hashed, or written down if ``spans`` has room for them. After an error the rest of the
    line is skipped, or reading ends. ``marks`` is room for the places of blanks, colons and line
    ends.
    """
    counts = found.counts
    first, goes_on = counts[1], True
    before = np.empty_like(counts)
    find_marks(text, counts[6], stop, SPACE, COLON, LINE_END, marks)
    counts[8] = 0
    while counts[6] < stop and goes_on:
        before[:] = counts
        p = counts[6]
        while text[p] in (SPACE, TAB, RETURN):
            p += 1
        if text[p] == LINE_END:
            counts[6] = p + 1
            counts[2] += 1
            continue
        counts[6], ended = read_head(text, counts[6], counts[0], found, spans)
        if ended == OK:
            ended = read_features(text, mask, found, spans, marks)
        goes_on = end_line(text, found, ended, before, skip)
    widest(found, first)
    return counts[6] >= stop or (counts[4] > 0 and not skip)
