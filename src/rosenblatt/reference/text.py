"""Lines of svmlight and Vowpal Wabbit's text, and sentences of CoNLL text, in plain Python.

svmlight's lines are ``label index:value index:value … # comment``, Vowpal Wabbit's
``label weight 'tag|namespace name:value name … |…``; CoNLL text has a token a line.
"""

import re
from decimal import Decimal
from typing import NamedTuple

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def number(text: str) -> float:
    """Return the number that a text is, or raise ``ValueError``; ``inf`` and ``nan`` are not."""
    if not NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not a number")
    return float(text)


def short_number(text: str) -> float:
    """Do the same for numbers that one rounding makes: m · 10^e with m ≤ 2^53 and |e| ≤ 22."""
    value = number(text)
    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except ArithmeticError:
        raise ValueError(f"{text!r} has an exponent that no number needs") from None
    before = len(re.sub(r"^[+-]?|[.].*|[eE].*", "", text))
    if int("".join(map(str, digits))) > 2**53 or abs(int(exponent)) > 22 or before > 18:
        raise ValueError(f"{text!r} has more digits than a weight needs")
    return value


def svmlight_line(line: str) -> tuple[float, list[tuple[int, float]]] | None:
    """Return the label and the pairs of a line; None if it is blank.

    >>> svmlight_line("+1 3:0.5 17:2 # a comment")
    (1.0, [(3, 0.5), (17, 2.0)])
    """
    line = line.partition("#")[0] if "#" in line else line.removesuffix("\r")
    words = [word for word in line.replace("\t", " ").split(" ") if word]
    if not words:
        return None
    pairs = []
    for word in words[1:]:
        index, colon, value = word.partition(":")
        found = number(value)
        if index == "qid":
            continue
        if not colon or not (index.isascii() and index.isdigit()):
            raise ValueError(f"{word!r} is not index:value")
        pairs.append((int(index), found))
    return number(words[0]), pairs


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
        space, colon, given = space.partition(":")
        scale = short_number(given) if colon else 1.0
        for word in filter(None, words):
            name, colon, value = word.partition(":")
            if not name or "\r" in word:
                raise ValueError(f"{word!r} is not a feature")
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


_OTHER = re.compile(r"[0-9]+[-.][0-9]+")


def fields(line: str, tabs: bool) -> list[str]:
    r"""Return the columns of a line; tabs separate them, or else blanks and tabs, however many.

    >>> fields("New York\tNNP", tabs=True), fields(" New  York\tNNP ", tabs=False)
    (['New York', 'NNP'], ['New', 'York', 'NNP'])
    """
    if tabs:
        return line.split("\t")
    return [field for field in line.replace("\t", " ").split(" ") if field]


def sentences(
    text: str, tabs: bool, width: int, numbered: bool = False
) -> list[list[tuple[int, list[str]]]]:
    r"""Return for each sentence its tokens: their lines, from 1 on, and columns.

    In CoNLL-U tokens are ``numbered`` in the first column, from 1 on. What has a number such as
    ``3-4`` (tokens written as one word) or ``3.1`` (one not in the text) is not a token; before a
    sentence there may be comments. An error raises ``ValueError`` with the line and a word for it.

    >>> sentences("the DT\ncat NN\n\n\nyes UH", tabs=False, width=2)
    [[(1, ['the', 'DT']), (2, ['cat', 'NN'])], [(5, ['yes', 'UH'])]]
    """
    found: list[list[tuple[int, list[str]]]] = [[]]
    begun = False
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole.rstrip("\r")
        if not line.strip(" \t"):
            begun = False
            found.append([])
        elif begun or not (numbered and line.startswith("#")):
            begun = True
            columns = fields(line, tabs)
            if len(columns) != width:
                raise ValueError(number, "ragged")
            if "" in columns:
                raise ValueError(number, "empty")
            if numbered and _OTHER.fullmatch(columns[0]):
                continue
            if numbered and columns[0] != str(len(found[-1]) + 1):
                raise ValueError(number, "number")
            found[-1].append((number, columns))
    return [sentence for sentence in found if sentence]
