"""What is before the first bar of a line of Vowpal Wabbit's text: label, weight, base and tag.

A word that touches the bar, or begins with an apostrophe, is a tag. Before it may be a label, an
importance weight, and a base, which is read and not used. Labels of other kinds (costs, actions,
several classes) are told apart, so that they can be refused by name.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit
from rosenblatt.kernels.text.numbers import IS_NUMBER, NO_NUMBER, is_digit, read_number
from rosenblatt.kernels.text.parsing import (
    BANDIT,
    BAR,
    COLON,
    COSTS,
    EARLY_TAG,
    LINE_END,
    MULTILABEL,
    MULTILINE,
    NO_BAR,
    NO_LABEL,
    NO_WEIGHT,
    RETURN,
    SLOTS,
    SPACE,
    TAB,
    ends_token,
)

OK = -1
_QUOTE, _COMMA = 39, 44
_SHARED = np.frombuffer(b"shared", np.uint8)
_CCB = np.frombuffer(b"ccb", np.uint8)
_SLATES = np.frombuffer(b"slates", np.uint8)
_CA = np.frombuffer(b"ca", np.uint8)


@exact_jit
def end_of_word(text: Any, p: int) -> int:
    """Return where a word ends: at a blank, a bar or the end of the line."""
    while not (ends_token(text[p]) or text[p] == BAR):
        p += 1
    return p


@exact_jit
def has_bar(text: Any, p: int) -> bool:
    """Say whether there is a bar in the rest of the line."""
    while not (text[p] == BAR or text[p] == LINE_END):
        p += 1
    return bool(text[p] == BAR)


@exact_jit
def is_word(text: Any, p: int, q: int, word: Any) -> bool:
    """Say whether the letters from p to q are this word."""
    if q - p != word.shape[0]:
        return False
    same = True
    for j in range(q - p):
        same &= text[p + j] == word[j]
    return same


@exact_jit
def kind_of_label(text: Any, p: int, q: int) -> int:
    """Say what a label is that is not a number: OK if it is a name, or what no learner can use.

    Numbers with colons are the costs of a class, or with two colons or more those of an action;
    whole numbers with commas are several classes.
    """
    colons, at = 0, p
    while True:
        _, at, kind = read_number(text, at)
        if kind == NO_NUMBER:
            break
        if at == q and colons:
            return COSTS if colons == 1 else BANDIT
        if text[at] != COLON:
            break
        colons += 1
        at += 1
    commas, at = 0, p
    while is_digit(text[at]):
        while is_digit(text[at]):
            at += 1
        if at == q:
            return MULTILABEL if commas else OK
        if text[at] != _COMMA:
            break
        commas += 1
        at += 1
    return MULTILINE if is_word(text, p, q, _SHARED) else OK


@exact_jit
def wrong_number(text: Any, p: int, q: int, label: int, label_end: int) -> int:
    """Say what is wrong with a word after the label that is not a weight."""
    if not has_bar(text, q):
        return NO_BAR
    if is_word(text, label, label_end, _CCB) or is_word(text, label, label_end, _SLATES):
        return SLOTS
    if is_word(text, label, label_end, _CA):
        return BANDIT
    kind = kind_of_label(text, p, q)
    return kind if kind in (COSTS, BANDIT) else NO_WEIGHT


@exact_jit
def read_head(text: Any, p: int, row: int, found: Any, spans: Any) -> tuple[int, int]:
    """Read what is before the first bar; return where that is, and OK or what is wrong.

    The label is NaN if there is none, or if it is a name or a number that Python must read.
    """
    label, weight, words, places = np.nan, 1.0, 0, spans.places
    for j in range(4):
        places[row, j] = 0
    named = tagged = False
    while True:
        while text[p] in (SPACE, TAB):
            p += 1
        if text[p] == BAR:
            break
        if text[p] in (LINE_END, RETURN):
            return p, NO_BAR
        q = end_of_word(text, p)
        if tagged:
            return places[row, 2] - 1, EARLY_TAG if has_bar(text, p) else NO_BAR
        if text[p] == _QUOTE or text[q] == BAR:
            places[row, 2], places[row, 3] = p + (text[p] == _QUOTE), q
            tagged = True
        elif words == 0:
            value, end, kind = read_number(text, p)
            places[row, 0], places[row, 1] = p, q
            if kind == IS_NUMBER and end == q:
                label = value
            else:
                named = True
                wrong = kind_of_label(text, p, q)
                if wrong != OK and has_bar(text, q):
                    return p, wrong
        elif words <= 2:
            value, end, kind = read_number(text, p)
            if kind != IS_NUMBER or end != q or (words == 1 and value < 0):
                return p, wrong_number(text, p, q, places[row, 0], places[row, 1])
            weight = value if words == 1 else weight
        else:
            return p, NO_LABEL if has_bar(text, p) else NO_BAR
        words += 1
        p = q
    found.labels[row], spans.weights[row] = label, weight
    found.counts[7] += named
    return p, OK
