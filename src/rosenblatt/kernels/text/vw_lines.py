"""Reading Vowpal Wabbit's text, ``label weight 'tag|namespace name:value name … |…``, into rows.

The text must end with a line end, and `PAD` bytes after that must be readable. Nothing else is
trusted. A line has at least one bar; `vw_head` reads what is before the first. A namespace touches
its bar, and may have a value that its features are multiplied by. A feature without a value has the
value 1. One without a name, ``:0.5``, is called by its number among those of its namespace; one
whose value is a word, ``city:oslo``, is called ``city^oslo`` and has the value 1.

The loop over lines is one long function on purpose: to hand all these arrays to another for each
line costs more than to read it, as each is counted anew.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd.letters import find_marks
from rosenblatt.kernels.text.hashing import full_name_hash, name_hash
from rosenblatt.kernels.text.numbers import (
    IS_NUMBER,
    IS_ROUGH,
    NO_NUMBER,
    is_digit,
    plain_pairs,
    read_number,
)
from rosenblatt.kernels.text.parsing import (
    BAR,
    BAR_IN_VALUE,
    COLON,
    LINE_END,
    NO_NAME,
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
from rosenblatt.kernels.text.vw_head import OK, end_of_word, is_word, read_head

_ANY = (1 << 62) - 1
_CARET, _POINT, _PLUS, _MINUS = 94, 46, 43, 45
_DIGITS = 20  # letters of a number that a feature without a name is called by
_NAN = np.frombuffer(b"nan", np.uint8)
_INF = np.frombuffer(b"inf", np.uint8)
_INFINITY = np.frombuffer(b"infinity", np.uint8)


@exact_jit
def end_of_name(text: Any, p: int) -> int:
    """Return where a name ends: at a blank, a bar, a colon or the end of the line."""
    letter = text[np.uintp(p)]
    while not (ends_token(letter) or letter in (BAR, COLON)):
        p += 1
        letter = text[np.uintp(p)]
    return p


@exact_jit
def end_of_value(text: Any, p: int) -> int:
    """Return where a value that is a word ends: at a blank or the end of the line."""
    while not ends_token(text[p]):
        p += 1
    return p


@exact_jit
def is_any_case(text: Any, p: int, q: int, word: Any) -> bool:
    """Say whether the letters from p to q are this word, in upper or lower case."""
    if q - p != word.shape[0]:
        return False
    same = True
    for j in range(q - p):
        same &= text[p + j] | 32 == word[j]
    return same


@exact_jit
def like_number(text: Any, p: int, q: int) -> bool:
    """Say whether a value is meant as a number, so that it is wrong if it is not one."""
    if text[p] == _PLUS or text[p] == _MINUS:
        p += 1
    if is_digit(text[p]) or (text[p] == _POINT and is_digit(text[p + 1])):
        return True
    odd = is_any_case(text, p, q, _NAN) or is_any_case(text, p, q, _INF)
    return odd or is_any_case(text, p, q, _INFINITY)


@exact_jit
def read_odd(text: Any, p: int) -> tuple[int, float, int, int, bool]:
    """Read a value that does not begin as a number, or not at once.

    Return where it starts, the value, where it ends, whether it is a number, and whether it is a
    word, of which the value is 1. As in VW it may be apart from its colon; if the line ends there,
    it is 1, too.
    """
    while text[p] in (SPACE, TAB):
        p += 1
    if ends_token(text[p]):
        return p, 1.0, p, IS_NUMBER, False
    q = end_of_value(text, p)
    if not like_number(text, p, q):
        return p, 1.0, q, IS_NUMBER, True
    value, q, kind = read_number(text, p)
    return p, value, q, kind, False


@exact_jit
def keep_name(text: Any, space: Any, start: int, stop: int, at: int, letters: Any) -> int:
    """Write ``namespace^name``, or the name alone; return where it ends."""
    if space[1] > space[0]:
        for p in range(space[0], space[1]):
            letters[np.uintp(at)] = text[np.uintp(p)]
            at += 1
        letters[np.uintp(at)] = _CARET
        at += 1
    for p in range(start, stop):
        letters[np.uintp(at)] = text[np.uintp(p)]
        at += 1
    return at


@exact_jit
def keep_part(text: Any, space: Any, part: Any, at: int, letters: Any) -> int:
    """Do so for a feature that has a word as its value, or no name.

    ``part`` is the start and end of the name and of the word, and the number of a feature that has
    neither.
    """
    at = keep_name(text, space, part[0], part[1], at, letters)
    if part[3] > part[2]:
        if part[1] > part[0]:
            letters[at] = _CARET
            at += 1
        for p in range(part[2], part[3]):
            letters[at] = text[p]
            at += 1
    else:
        power = np.int64(1)
        while part[4] // power >= 10:
            power *= 10
        while power:
            letters[at] = 48 + part[4] // power % 10
            power //= 10
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
def hash_part(text: Any, space: Any, part: Any, seed: int) -> int:
    """Hash a feature that has a word as its value, or no name.

    The word is hashed with the name's hash as its seed, as that is with the namespace's.
    """
    if part[1] > part[0]:
        seed = hash_in_space(text, space, part[0], part[1], seed)
        return name_hash(text, part[2], part[3], seed)
    if part[3] > part[2]:
        return hash_in_space(text, space, part[2], part[3], seed)
    if not has_caret(text, space):
        return seed + int(part[4])
    letters = np.empty(space[1] - space[0] + 1 + _DIGITS, np.uint8)
    return full_name_hash(letters, 0, keep_part(text, space, part, 0, letters))


@exact_jit
def is_wanted(text: Any, space: Any, spaces: Any) -> bool:
    """Say whether the features of a namespace are wanted, and note that it was there."""
    start = np.int64(0)
    for k in range(spaces.ends.shape[0]):
        if is_word(text, space[0], space[1], spaces.letters[start : spaces.ends[k]]):
            spaces.seen[k] = 1
            return bool(spaces.keep)
        start = spaces.ends[k]
    return not spaces.keep


@exact_jit
def note_group(text: Any, space: Any, k: int, at: int, spans: Any) -> None:
    """Write down what n-grams need of a feature, whose letters will start at ``at``."""
    named = space[1] > space[0]
    spans.groups[k] = text[space[0]] if named else SPACE
    if spans.bare.shape[0] > 0:
        spans.bare[k] = at + space[1] - space[0] + named


@exact_jit
def end_of_space(text: Any, p: int) -> int:
    """Return where the features of a namespace end: at the next bar, or at the end of the line."""
    while not (text[p] == BAR or text[p] == LINE_END):
        p += 1
    return p


@exact_jit
def parse_vw(
    text: Any,
    stop: int,
    mask: int,
    keep: bool,
    skip: bool,
    found: Any,
    spans: Any,
    spaces: Any,
    marks: Any,
) -> bool:
    """Read lines up to ``stop``; return False if there is no space left for names or rough numbers.

    Names are hashed, and with ``keep`` written down, too, unless the mask is zero: then they are
    not hashed. After an error the rest of the line is skipped, or reading ends. ``marks`` is a
    buffer for the places of blanks, colons and line ends.
    """
    indptr, indices, values = found.indptr, found.indices, found.values
    counts, buffer = found.counts, found.rough.shape[0]
    rows, k, lines, rough, p = counts[0], counts[1], counts[2], counts[3], counts[6]
    first, j, grams, chosen = k, 0, spans.groups.shape[0] > 0, spaces.ends.shape[0] > 0
    space, part = np.zeros(2, np.int64), np.zeros(5, np.int64)
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
        scale, seed, full, plain = 1.0, np.int64(0), False, False
        space[:] = part[4] = 0
        while wrong == OK:
            if plain and scale == 1.0:
                while marks[j] < p:
                    j += 1
                if marks[j] == p:
                    j, k = plain_pairs(text, marks, j, k, _ANY, seed, mask, indices, values)
                    p = np.int64(marks[j])
            letter = text[np.uintp(p)]
            while letter in (SPACE, TAB):
                p += 1
                letter = text[np.uintp(p)]
            if letter == LINE_END or (letter == RETURN and text[p + 1] == LINE_END):
                break
            if letter == BAR:
                scale, seed, plain = 1.0, np.int64(0), not (keep or grams)
                space[0] = p + 1
                p = end_of_name(text, p + 1)
                space[1] = p
                part[4] = 0
                if space[1] > space[0]:
                    seed = name_hash(text, space[0], space[1], 0)
                    plain &= not has_caret(text, space)
                if text[p] == COLON:
                    scale, q, kind = read_number(text, p + 1)
                    if kind != IS_NUMBER or not (ends_token(text[q]) or text[q] == BAR):
                        p, wrong = p + 1, NO_VALUE
                        break
                    p = q
                if chosen and not is_wanted(text, space, spaces):
                    p = end_of_space(text, p)
                continue
            q = end_of_name(text, p)
            named = q > p
            if not named and text[q] != COLON:
                wrong = NO_NAME
                break
            hashed = np.int64(0)
            if named and (mask or not keep):
                hashed = hash_in_space(text, space, p, q, seed)
            name, name_end, kind, value = p, q, IS_NUMBER, 1.0
            word = word_end = q
            if text[q] == COLON:
                p = q + 1
                value, q, kind = read_number(text, p)
                if kind == NO_NUMBER:
                    p, value, q, kind, is_text = read_odd(text, p)
                    word, word_end = p if is_text else q, q
                    if end_of_word(text, word) < word_end:
                        wrong = BAR_IN_VALUE
                        break
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
            odd = not named or word_end > word
            if odd:
                part[0], part[1], part[2], part[3] = name, name_end, word, word_end
            if keep:
                length = space[1] - space[0] + name_end - name + word_end - word
                if at + length + _DIGITS > spans.letters.shape[0]:
                    full = True
                    break
                if grams:
                    note_group(text, space, k, at, spans)
                if odd:
                    at = keep_part(text, space, part, at, spans.letters)
                else:
                    at = keep_name(text, space, name, name_end, at, spans.letters)
                spans.ends[np.uintp(k)] = at
            elif grams:
                note_group(text, space, k, at, spans)
            if odd and (mask or not keep):
                hashed = hash_part(text, space, part, seed)
            indices[np.uintp(k)] = hashed & mask
            values[np.uintp(k)] = number
            if odd:
                part[4] += word_end == word
                if word_end > word:
                    values[k] = 1  # as in VW, whatever the namespace's value is
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
