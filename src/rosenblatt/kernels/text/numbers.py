"""Numbers in text, read to the last bit as Python's ``float`` reads them.

A number of up to 2^53 without its point, times or over a power of ten up to 10^22, takes one
rounding and so is exact (Clinger 1990). Others, which are rare, are left to Python.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.simd.letters import digits_in, eight, number_before, number_of
from rosenblatt.kernels.text.parsing import COLON, SPACE

EXACT = 1 << 53
POWERS = 10.0 ** np.arange(23)
TENS = 10 ** np.arange(9)
MANY = 19  # digits that a 64-bit number holds

IS_NUMBER, IS_ROUGH, NO_NUMBER = 0, 1, 2
_PLUS, _MINUS, _POINT, _E = 43, 45, 46, 101
_FAR = 100_000  # an exponent that nothing needs


@exact_jit
def is_digit(letter: int) -> bool:
    """Say whether a letter is a digit."""
    return letter >= 48 and letter <= 57


@exact_jit
def read_digits(text: Any, p: int, m: int, most: int) -> tuple[int, int, int]:
    """Append at most so many digits to a number; return it, their end, and how many are left.

    Those that are left did not fit, and the number is not exact.
    """
    while most >= 8:
        word = eight(text, p)
        n = digits_in(word)
        if n == 0:
            return m, p, 0
        m = m * TENS[n] + number_of(word, n)
        p += n
        most -= n
        if n < 8:
            return m, p, 0
    while most > 0 and is_digit(text[p]):
        m = m * 10 + (np.int64(text[p]) - 48)
        p += 1
        most -= 1
    rest = 0
    while is_digit(text[p]):
        p += 1
        rest += 1
    return m, p, rest


@exact_jit
def read_number(text: Any, p: int) -> tuple[float, int, int]:
    """Read a number: its value, where it ends, and whether it is exact, rough or none at all.

    A rough one is to be read again from its letters. ``inf`` and ``nan`` are no numbers.
    """
    negative = text[p] == _MINUS
    if negative or text[p] == _PLUS:
        p += 1
    start = p
    m, p, rest = read_digits(text, p, np.int64(0), MANY - 1)
    whole = p - start
    exponent, lost = rest, rest > 0
    if text[p] == _POINT:
        p += 1
        first = p
        most = MANY - 1 - whole if whole < MANY - 1 else 0
        m, p, rest = read_digits(text, p, m, most)
        whole += p - first
        exponent -= p - first - rest
        lost |= rest > 0
    if whole == 0:
        return 0.0, start, NO_NUMBER
    if text[p] | 32 == _E:
        q = p + 1
        down = text[q] == _MINUS
        if down or text[q] == _PLUS:
            q += 1
        if not is_digit(text[q]):
            return 0.0, q, NO_NUMBER
        x = np.int64(0)
        while is_digit(text[q]):
            x = min(x * 10 + (np.int64(text[q]) - 48), _FAR)
            q += 1
        exponent += -x if down else x
        p = q
    if lost or m > EXACT or exponent > 22 or exponent < -22:
        return 0.0, p, IS_ROUGH
    value = np.float64(m)
    value = value * POWERS[exponent] if exponent >= 0 else value / POWERS[-exponent]
    return (-value if negative else value), p, IS_NUMBER


_ONE, _TWO = np.uint64(1), np.uint64(2)


@exact_jit
def plain_pairs(
    text: Any,
    marks: Any,
    j: int,
    k: int,
    most: int,
    shift: int,
    mask: int,
    indices: Any,
    values: Any,
) -> tuple[int, int]:
    """Read pairs while they look like ``123:4.56``, ``123:-4.56`` or ``123:4``, each after a blank.

    Mark j is the blank before the first. A pair's column is ``(index + shift) & mask``; an index
    above ``most`` is left to others. Return the mark after the last, and where the numbers end.
    """
    # Unsigned places spare a look at whether they are negative, which would count from the end.
    j, k = np.uint64(j), np.uint64(k)
    while True:
        blank, colon, end = marks[j], marks[j + _ONE], marks[j + _TWO]
        n = colon - blank - 1
        negative = text[np.uint64(colon + 1)] == _MINUS
        start = colon + 1 + negative
        behind = np.int64(end - start - 2)
        shaped = (text[np.uint64(blank)] == SPACE) & (text[np.uint64(colon)] == COLON)
        shaped &= (text[np.uint64(end)] != COLON) & (n > 0) & (n < 8)
        pointed = (text[np.uint64(start + 1)] == _POINT) & (behind > 0) & (behind < 8)
        if not (shaped & (pointed | (behind == -1))):
            break
        index = number_before(text, colon, n)
        whole = np.int64(text[np.uint64(start)]) - 48
        good = (index >= 0) & (index <= most) & (whole >= 0) & (whole <= 9)
        if pointed:
            after = number_before(text, end, behind)
            good &= after >= 0
            places = np.uint64(behind)
            value = np.float64(whole * TENS[places] + after) / POWERS[places]
        else:
            value = np.float64(whole)
        if not good:
            break
        indices[k] = (index + shift) & mask
        values[k] = -value if negative else value
        k += _ONE
        j += _TWO
    return np.int64(j), np.int64(k)
