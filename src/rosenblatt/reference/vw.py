"""A line of Vowpal Wabbit's text, ``label weight 'tag|namespace name:value name … |…``."""

import re
from typing import NamedTuple

from rosenblatt.reference.text_numbers import number, short_number


class VwLine(NamedTuple):
    """What a line says. The label is a text, and empty if there is none."""

    label: str
    weight: float
    tag: str
    features: list[tuple[str, float]]


def vw_line(line: str) -> VwLine | None:
    """Return what a line says; None if it is blank.

    >>> vw_line("1 0.5 'first|user id:3 |:2 17:0.5")
    VwLine(label='1', weight=0.5, tag='first', features=[('user^id', 3.0), ('17', 1.0)])
    """
    line = line.removesuffix("\r")
    if not line.strip(" \t\r"):
        return None
    head, bar, rest = line.partition("|")
    if not bar:
        raise ValueError("there is no |")
    label, weight, tag = _head(head)
    features = []
    for part in rest.split("|"):
        space, *words = re.split(r"[ \t]+", part)
        space, colon, told = space.partition(":")
        scale = short_number(told) if colon else 1.0
        for word in filter(None, words):
            name, colon, value = word.partition(":")
            if not name or "\r" in word:
                raise ValueError(f"{word!r} is no feature")
            read = number if scale == 1 else short_number
            features.append(
                (f"{space}^{name}" if space else name, read(value) * scale if colon else scale)
            )
        if "\r" in space:
            raise ValueError("a line end within a line")
    return VwLine(label, weight, tag, features)


def _head(head: str) -> tuple[str, float, str]:
    """Read what is before the first bar: a label, a weight, a base that is not used, and a tag."""
    if "\r" in head:
        raise ValueError("a line end within a line")
    words = [word for word in re.split(r"[ \t]+", head) if word]
    touches = head != "" and head[-1] not in " \t"
    label, weight, tag = "", 1.0, ""
    for k, word in enumerate(words):
        if word.startswith("'") or (touches and k == len(words) - 1 and k > 0):
            tag = word.removeprefix("'")
        elif k == 0:
            label = word
        elif k == 1:
            weight = short_number(word)
            if weight < 0:
                raise ValueError("a weight below zero")
        elif k == 2:
            short_number(word)
        else:
            raise ValueError("too many words before the |")
    return label, weight, tag
