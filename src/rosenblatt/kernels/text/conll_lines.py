"""Lines of columns, one for each token, cut into fields; and texts cut between sentences.

What the fields of a line are, and which lines are tokens, `rosenblatt.reference.text` says in a
few lines of plain Python. Indices are cast to ``uintp``, which spares each access a test for
negative ones.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.text.parsing import HASH, LINE_END, RETURN, SPACE, TAB

# What can be wrong with a line.
OK, RAGGED, EMPTY, NUMBER = range(4)
TOKEN, OTHER, ODD = range(3)
ZERO, NINE, MINUS, POINT = 48, 57, 45, 46
_DIGITS = 18  # of a number; with more of them it is not the next one


class Cut(NamedTuple):
    """Arrays for the tokens of a text, as many as it has lines.

    ``starts`` and ``stops`` of their lines, whose numbers ``lines`` has, from 0 on; of their fields
    ``begins`` and ``ends``, a row for each column that is kept. Sentence s begins with the token
    ``offsets[s]``. ``wrong`` has the code, the line and the place of an error, and a number: how
    many fields there are, which one is empty, or the number that the token should have.
    """

    starts: Any
    stops: Any
    lines: Any
    begins: Any
    ends: Any
    offsets: Any
    wrong: Any


def token_buffer(lines: int, columns: int) -> Cut:
    """Allocate buffers for the tokens of so many lines, of which so many columns are kept."""
    starts, stops, numbers = np.empty((3, lines), np.int64)
    begins, ends = np.empty((2, columns, lines), np.int64)
    offsets, wrong = np.empty(lines + 1, np.int64), np.zeros(4, np.int64)
    return Cut(starts, stops, numbers, begins, ends, offsets, wrong)


@jit
def is_blank(letter: int) -> bool:
    """Say whether a letter separates fields."""
    return letter in (SPACE, TAB)


@jit
def cut_fields(
    text: Any, p: int, stop: int, tabs: bool, columns: Any, begins: Any, ends: Any, n: int
) -> tuple[int, int]:
    """Note the fields of a line from p to stop; return how many there are, and an empty one or −1.

    ``columns`` has for each field the row of ``begins`` and ``ends`` it goes to, −1 for none.
    """
    count, empty = 0, -1
    while True:
        while not tabs and p < stop and is_blank(text[np.uintp(p)]):
            p += 1
        if p >= stop and not tabs:
            return count, empty
        first = p
        if tabs:
            while p < stop and text[np.uintp(p)] != TAB:
                p += 1
        else:
            while p < stop and not is_blank(text[np.uintp(p)]):
                p += 1
        if p == first and empty < 0:
            empty = count
        if count < columns.shape[0]:
            row = columns[np.uintp(count)]
            if row >= 0:
                begins[row, n], ends[row, n] = first, p
        count += 1
        if p >= stop:
            return count, empty
        p += tabs


@jit
def read_number(text: Any, p: int, stop: int) -> tuple[int, int]:
    """Read the number of a token, in the field at p: what it is, and the number or −1.

    ``3`` is a token, ``3-4`` (tokens written as one word) and ``3.1`` (one not in the text) are
    others, and all else is odd.
    """
    number: Any = np.int64(0)
    first = p
    while p < stop and ZERO <= text[p] <= NINE:
        number = 10 * number + np.int64(text[p]) - ZERO if p - first < _DIGITS else np.int64(-1)
        p += 1
    if p == first:
        return ODD, -1
    if p == stop or text[p] == TAB:
        return TOKEN, (number if text[first] != ZERO else -1)
    if text[p] != MINUS and text[p] != POINT:
        return ODD, -1
    p += 1
    first = p
    while p < stop and ZERO <= text[p] <= NINE:
        p += 1
    return (OTHER if p > first and (p == stop or text[p] == TAB) else ODD), -1


@jit
def cut_tokens(
    text: Any, p: int, tabs: bool, numbered: bool, columns: Any, cut: Any
) -> tuple[int, int]:
    """Cut a text from p on; return the number of tokens and of sentences. An error ends it.

    Lines are ``numbered`` in CoNLL-U: their first field counts the tokens of a sentence, and before
    the first there may be comments.
    """
    size, width = text.shape[0], columns.shape[0]
    begins, ends, offsets, wrong = cut.begins, cut.ends, cut.offsets, cut.wrong
    n = sentences = line = number = 0
    begun, offsets[0] = False, 0
    while p < size:
        start, code, place, detail = p, OK, p, 0
        while p < size and text[np.uintp(p)] != LINE_END:
            p += 1
        stop = p
        while stop > start and text[np.uintp(stop - 1)] == RETURN:
            stop -= 1
        p += 1
        while place < stop and is_blank(text[np.uintp(place)]):
            place += 1
        if place == stop:
            begun, number = False, 0
            if n > offsets[sentences]:
                sentences += 1
                offsets[sentences] = n
        elif begun or not (numbered and text[start] == HASH):
            begun = True
            count, empty = cut_fields(text, start, stop, tabs, columns, begins, ends, n)
            kind, found = read_number(text, start, stop) if numbered else (TOKEN, number + 1)
            if count != width:
                code, detail = RAGGED, count
            elif empty >= 0:
                code, detail = EMPTY, empty
            elif kind == ODD or (kind == TOKEN and found != number + 1):
                code, detail = NUMBER, number + 1
            if code != OK:
                wrong[0], wrong[1], wrong[2], wrong[3] = code, line, start, detail
                break
            if kind == TOKEN:
                cut.starts[n], cut.stops[n], cut.lines[n] = start, stop, line
                n, number = n + 1, number + 1
        line += 1
    if n > offsets[sentences]:
        sentences += 1
        offsets[sentences] = n
    return n, sentences


@jit
def last_break(text: Any, blank: bool) -> tuple[int, int, bool]:
    """Find where the last blank line of a piece of text ends: no sentence continues after it.

    Was all ``blank`` of its first line that came before? Return the place or −1, where the last
    line starts, and whether all of that is blank.
    """
    place, start = -1, 0
    for p in range(text.shape[0]):
        letter = text[p]
        if letter == LINE_END:
            if blank:
                place = p + 1
            blank, start = True, p + 1
        elif blank and letter not in (SPACE, TAB, RETURN):
            blank = False
    return place, start, blank
