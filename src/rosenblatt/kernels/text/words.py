"""Texts cut into words, numbers and signs, and files into lines with a label and a text.

What a word is, and what the parts of a line are, `rosenblatt.reference.words` says in a few lines
of plain Python. Indices are cast to ``uintp``, which spares each access a test for negative ones.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit

LONGEST = 64  # bytes of a word that count, and up to three more that end its last character
FRONT, BACK = 1, 4  # bytes before and after the letters: a space, and what is read with the last
MARK = b"__label__"

TAB, LINE_END, RETURN, SPACE, APOSTROPHE, NINE = 9, 10, 13, 32, 39, 57
BLANK, LETTER, DIGIT, SIGN, QUOTE, WIDE = range(6)


def _kinds() -> Any:
    """Return the kind of each byte; where it is wide, those that follow it count too."""
    kinds = np.full(256, BLANK, np.uint8)
    kinds[33:127], kinds[128:] = SIGN, LETTER
    kinds[48:58], kinds[65:91], kinds[97:123] = DIGIT, LETTER, LETTER
    kinds[APOSTROPHE], kinds[0xC2], kinds[0xE2] = QUOTE, WIDE, WIDE
    return kinds


def _written() -> Any:
    """Return how each byte is written: letters small, and every digit as a nine."""
    written = np.arange(256).astype(np.uint8)
    written[48:58], written[65:91] = NINE, np.arange(97, 123)
    return written


_KINDS, _WRITTEN, _MARK = _kinds(), _written(), np.frombuffer(MARK, np.uint8)


class Words(NamedTuple):
    """The words of texts, one after the other, with a space before each and one after the last.

    ``gaps`` says where the spaces are, so that word i lies between ``gaps[i]`` and ``gaps[i + 1]``,
    and a run of words is a piece of the letters. The first word of text r is ``firsts[r]``.
    """

    letters: Any
    gaps: Any
    firsts: Any


def word_buffer(texts: int, size: int) -> Words:
    """Allocate buffers for the words of as many texts and bytes; each byte may be a word."""
    letters = np.empty(FRONT + 2 * size + BACK, np.uint8)
    return Words(letters, np.empty(size + 2, np.int64), np.empty(texts + 1, np.int64))


@jit
def kind_at(text: Any, p: int, stop: int) -> tuple[int, int]:
    """Return the kind of the character at p and its bytes; those of a letter come one by one.

    Of the characters beyond ASCII, U+0080 to U+00BF and U+2000 to U+206F are signs or blank.
    """
    if p >= stop:
        return BLANK, 0
    kind: Any = np.int64(_KINDS[text[p]])
    if kind != WIDE:
        return kind, 1
    second = text[p + 1] if p + 1 < stop else 0
    if text[p] == 0xC2:
        if second & 0xC0 != 0x80:
            return LETTER, 1
        return (BLANK if second == 0xA0 else SIGN), 2
    third = text[p + 2] if p + 2 < stop else 0
    if second & 0xFE != 0x80 or third & 0xC0 != 0x80:
        return LETTER, 1
    if second == 0x80 and third == 0x99:
        return QUOTE, 3
    if second == 0x80 and (third < 0x90 or 0xA8 <= third < 0xB0):
        return BLANK, 3
    return SIGN, 3


@jit
def cut(text: Any, starts: Any, stops: Any, words: Any) -> int:
    """Write down the words of texts; return how many there are.

    Where a word ends cannot be guessed, so nothing here branches on it: space and letter are always
    written, and what counts moves on by zero or one.
    """
    letters, gaps = words.letters, words.gaps
    n, at = 0, FRONT
    gaps[0], letters[0] = 0, SPACE
    for row in range(starts.shape[0]):
        words.firsts[row] = n
        p, stop = starts[row], stops[row]
        this, most = BLANK, at
        while p < stop:
            byte = text[np.uintp(p)]
            kind: Any = np.int64(_KINDS[byte])
            if kind >= QUOTE or (at + 1 >= most and kind == this):
                p, n, at, this, most = odd_character(text, p, stop, words, n, at, this, most)
                continue
            new = kind != this
            ended = new & (this != BLANK)
            letters[np.uintp(at)], gaps[np.uintp(n + 1)] = SPACE, at
            n, at = n + ended, at + ended
            most = at + LONGEST if new else most
            letters[np.uintp(at)] = _WRITTEN[byte]
            at += kind != BLANK
            this = kind
            p += 1
        if this != BLANK:
            letters[at], gaps[n + 1] = SPACE, at
            n, at = n + 1, at + 1
    words.firsts[starts.shape[0]] = n
    return n


@jit
def odd_character(
    text: Any, p: int, stop: int, words: Any, n: int, at: int, this: int, most: int
) -> tuple[int, int, int, int, int]:
    """Do as `cut` for an apostrophe, a character of several bytes, and at the end of the buffer."""
    kind, size = kind_at(text, p, stop)
    quote = kind == QUOTE
    if quote:
        within = this == LETTER and kind_at(text, p + size, stop)[0] == LETTER
        kind = LETTER if within else SIGN
    if kind != this:
        if this != BLANK:
            words.letters[at], words.gaps[n + 1] = SPACE, at
            n, at = n + 1, at + 1
        this, most = kind, at + LONGEST
    if kind != BLANK:
        for j in range(1 if quote else size):
            byte = np.uint8(APOSTROPHE) if quote else text[p + j]
            if at < most or (at < most + 3 and byte & 0xC0 == 0x80):
                words.letters[at] = _WRITTEN[byte]
                at += 1
            else:
                most = -3  # nothing more of this word
    return p + size, n, at, this, most


@jit
def is_blank(byte: int) -> bool:
    """Say whether a byte within a line is a blank."""
    return byte == SPACE or TAB <= byte <= RETURN


@jit
def after_blanks(text: Any, p: int, stop: int) -> int:
    """Return the first place from p on that is not blank."""
    while p < stop and is_blank(text[p]):
        p += 1
    return p


@jit
def is_marked(text: Any, p: int, stop: int) -> bool:
    """Say whether `MARK` is at p."""
    found: bool = stop - p >= _MARK.shape[0]
    j = 0
    while found and j < _MARK.shape[0]:
        found = bool(text[p + j] == _MARK[j])
        j += 1
    return found


@jit
def cut_line(text: Any, p: int, stop: int) -> tuple[int, int, int, int]:
    """Return where the label of a line starts and stops, where its text starts, and a second label.

    The label ends at the first tab; without one, it is the first word. A second label is −1 if
    there is none: there can only be one if the first is marked.
    """
    tab = p
    while tab < stop and text[tab] != TAB:
        tab += 1
    start = after_blanks(text, p, tab)
    end = start
    if tab < stop:
        for q in range(start, tab):
            if not is_blank(text[q]):
                end = q + 1
        rest = tab + 1
    else:
        while end < stop and not is_blank(text[end]):
            end += 1
        rest = end
    second = -1
    if is_marked(text, start, end):
        start += _MARK.shape[0]
        following = after_blanks(text, rest, stop)
        if is_marked(text, following, stop):
            second = following
    return start, end, rest, second


@jit
def cut_lines(text: Any, labelled: bool, parts: Any, lines: Any) -> int:
    """Find the parts of each line that is not blank, and its number from 0 on; return how many.

    Parts are where the line starts, its label starts and stops, its text starts and stops, and a
    second label (−1 if there is none). The buffer must be large enough for all lines.
    """
    n = line = start = 0
    while start < text.shape[0]:
        stop = start
        while stop < text.shape[0] and text[stop] != LINE_END:
            stop += 1
        end = stop - 1 if stop > start and text[stop - 1] == RETURN else stop
        p = start
        while p < end and text[p] == SPACE:
            p += 1
        if p < end:
            place = start, start, start, -1
            if labelled:
                place = cut_line(text, start, end)
            parts[n, 0], parts[n, 1], parts[n, 2] = start, place[0], place[1]
            parts[n, 3], parts[n, 4], parts[n, 5] = place[2], end, place[3]
            lines[n] = line
            n += 1
        start = stop + 1
        line += 1
    return n
