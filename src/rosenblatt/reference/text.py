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
    """What a line says. The label is a text, and empty if there is none.

    ``hashes`` has for each feature the hash of its name, of which as many bits count as there are
    columns.
    """

    label: str
    weight: float
    tag: str
    features: list[tuple[str, float]]
    hashes: list[int]


_COST = re.compile(rf"{NUMBER.pattern}(:({NUMBER.pattern}))+", re.ASCII)
_SEVERAL = re.compile(r"[0-9]+(,[0-9]+)+", re.ASCII)
_LIKE_NUMBER = re.compile(r"[+-]?(\.?[0-9].*|nan|inf|infinity)", re.ASCII | re.IGNORECASE)


def murmur3(name: bytes, seed: int) -> int:
    """Hash bytes: MurmurHash3 (Appleby 2011), 32 bits.

    >>> murmur3(b"offer", 0) % 2**18
    102263
    """
    low, h = 0xFFFFFFFF, seed & 0xFFFFFFFF
    for start in range(0, len(name), 4):
        block = name[start : start + 4]
        k = int.from_bytes(block, "little") * 0xCC9E2D51 & low
        h ^= ((k << 15 | k >> 17) & low) * 0x1B873593 & low
        if len(block) == 4:
            h = ((h << 13 | h >> 19) * 5 + 0xE6546B64) & low
    h ^= len(name)
    h = (h ^ h >> 16) * 0x85EBCA6B & low
    h = (h ^ h >> 13) * 0xC2B2AE35 & low
    return h ^ h >> 16


def vw_hash(name: str, seed: int = 0) -> int:
    """Hash a name as Vowpal Wabbit does: a whole number is itself, and an empty name is 0.

    >>> vw_hash("17", 5), vw_hash("")
    (22, 0)
    """
    if re.fullmatch("[0-9]*", name):
        return int(name or "0") + seed
    return murmur3(name.encode("utf-8", "surrogatepass"), seed)


def _in_space(space: str, name: str) -> int:
    """Hash a name within a namespace; the whole is cut at its first caret."""
    whole = f"{space}^{name}" if space else name
    space, caret, name = whole.partition("^")
    return vw_hash(name, vw_hash(space)) if caret else vw_hash(whole)


def vw_line(line: str, ngrams: int = 1) -> VwLine | None:
    """Return what a line says; None if it is blank.

    >>> vw_line("1 0.5 'first|user id:3 |:2 17:0.5 :1 at:home")[:4]
    ('1', 0.5, 'first', [('user^id', 3.0), ('17', 1.0), ('0', 2.0), ('at^home', 1.0)])
    """
    line = line.removesuffix("\r")
    if not line.strip(" \t\r"):
        return None
    head, bar, rest = line.partition("|")
    if not bar:
        raise ValueError("there is no |")
    label, weight, tag = _head(head)
    found: list[_Feature] = []
    parts = rest.split("|")
    for k, part in enumerate(parts):
        space = re.split(r"[ \t]", part)[0]
        features = part.removeprefix(space)
        space, colon, given = space.partition(":")
        scale = short_number(given) if colon else 1.0
        if "\r" in space:
            raise ValueError("a line end within a line")
        found += _features(space, features + "|" * (k < len(parts) - 1), scale)
    found += _ngrams(found, ngrams)
    pairs = [(f"{one.space}^{one.name}" if one.space else one.name, one.value) for one in found]
    return VwLine(label, weight, tag, pairs, [one.hash for one in found])


class _Feature(NamedTuple):
    """A feature: its namespace, its name there, its value and its hash."""

    space: str
    name: str
    value: float
    hash: int

    @property
    def group(self) -> bytes:
        """The first byte of the namespace: those with the same one are one in Vowpal Wabbit."""
        return (self.space or " ").encode("utf-8", "surrogatepass")[:1]


def _features(space: str, text: str, scale: float) -> list[_Feature]:
    """Return the features of a namespace; the text ends with the next one's bar if there is one."""
    found, unnamed = [], 0
    # A value may be apart from its colon.
    for word in re.findall(r"[^ \t:|]*:[ \t]*[^ \t]*|[^ \t:|]+", text):
        name, _, value = word.partition(":")
        value, bar = value.strip(" \t").removesuffix("|"), value.endswith("|")
        if "\r" in word or (bar and not NUMBER.fullmatch(value)):
            raise ValueError(f"{word!r} is not a feature")
        is_word = value and not _LIKE_NUMBER.fullmatch(value)
        read = 1.0
        if value and not is_word:
            read = (number if scale == 1 else short_number)(value)
        if is_word:
            hashed = vw_hash(value, _in_space(space, name)) if name else _in_space(space, value)
            name = f"{name}^{value}" if name else value
        else:
            name, unnamed = (name, unnamed) if name else (str(unnamed), unnamed + 1)
            hashed = _in_space(space, name)
        found.append(_Feature(space, name, read if is_word else read * scale, hashed))
    return found


def _ngrams(features: list[_Feature], most: int) -> list[_Feature]:
    """Return the runs of 2 to so many features of a group, which has none of the value zero."""
    found = []
    for size in range(2, most + 1):
        for k, first in enumerate(features):
            run = [one for one in features[k:] if one.value and one.group == first.group]
            if first.value and len(run) >= size:
                hashed = 0
                for one in run[:size]:
                    hashed = hashed * 27942141 + one.hash
                name = "^".join(one.name for one in run[:size])
                found.append(_Feature(first.space, name, 1.0, hashed))
    return found


def _head(head: str) -> tuple[str, float, str]:
    """Read what is before the first bar: a label, a weight, a base that is not used, and a tag."""
    if "\r" in head:
        raise ValueError("a line end within a line")
    words = [word for word in re.split(r"[ \t]+", head) if word]
    touches = head != "" and head[-1] not in " \t"
    tag = words.pop().removeprefix("'") if words and (touches or words[-1][0] == "'") else ""
    if any(word.startswith("'") for word in words):
        raise ValueError("a tag that is not last")
    label, *numbers = words or [""]
    if _COST.fullmatch(label) or _SEVERAL.fullmatch(label) or label == "shared":
        raise ValueError("a label that no learner can use")
    if len(numbers) > 2:
        raise ValueError("too many words before the |")
    weight = [*map(short_number, numbers), 1.0][0]
    if weight < 0:
        raise ValueError("a weight below zero")
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
