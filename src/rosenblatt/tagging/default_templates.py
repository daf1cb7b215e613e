"""Templates that are good to begin with, for three kinds of tasks.

Those for chunking and parts of speech were chosen on validation data: the last tenth of
CoNLL-2000's training sentences, and the validation part of the English Web Treebank. Those for
entities are what the literature looks at, and were tried on small examples only.
"""

import re
from collections.abc import Sequence
from typing import Any

from rosenblatt.tagging.corpus import POS, WORD
from rosenblatt.tagging.schemes import is_spans
from rosenblatt.tagging.templates import BIAS, NAME

NAMES = ("pos", "chunking", "entities")

_POS = """
word
lower(word)[-2..2]
lower(word)[-1..0] & lower(word)[0..1]
prefix(lower(word), 1..5)
suffix(lower(word), 1..5)
suffix(lower(word), 2..3)[-1]
suffix(lower(word), 2..3)[+1]
lower(word) & suffix(lower(word), 3)[-1]
lower(word) & suffix(lower(word), 3)[+1]
shape(word)[-1..1]
shape(word)[-1..0] & shape(word)[0..1]
"""
_CHUNKING = """
word[-2..2]
word[-1..0] & word[0..1]
lower(word)[-1..1]
prefix(word, 1..4)
suffix(word, 1..4)
shape(word)[-1..1]
"""
_CHUNKING_POS = """
pos[-2..2]
pos[-2..1] & pos[-1..2]
pos[-2..0] & pos[-1..1] & pos[0..2]
word[-1..1] & pos[-1..1]
word & pos[-1]
word & pos[+1]
"""
_ENTITIES = """
word[-2..2]
lower(word)[-1..1]
lower(word)[-1..0] & lower(word)[0..1]
prefix(word, 1..5)
suffix(word, 1..5)
shape(word)[-2..2]
shape(word)[-1..0] & shape(word)[0..1]
lower(word)[-1] & shape(word)
shape(word) & lower(word)[+1]
"""
_OTHER = """
other[-2..2]
other[-1..0] & other[0..1]
word & other
"""


def task_for(classes: Sequence[Any], columns: Sequence[str]) -> str:
    """Return the name of the templates that suit tags and columns.

    >>> task_for(["NOUN", "VERB"], ["word"]), task_for(["B-NP", "O"], ["word", "pos"])
    ('pos', 'chunking')
    """
    if not is_spans(list(map(str, classes))):
        return "pos"
    return "chunking" if len(columns) > 1 else "entities"


def templates_for(name: str, columns: Sequence[str]) -> str:
    """Return the templates of a task for the columns there are.

    The column word, or else the first, is taken for the words; for chunking the column pos, or else
    the next, for parts of speech. Further columns are looked at around a token and together with
    the word.

    >>> templates_for("pos", ["word"]).split()[:2]
    ['word', 'lower(word)[-2..2]']
    """
    for column in columns:
        if column == BIAS:
            raise ValueError(
                f"templates cannot name a column {column!r}: the name is reserved for the template "
                "that is always there; call it otherwise"
            )
        if not NAME.fullmatch(column):
            raise ValueError(
                f"templates cannot name a column {column!r}: call it by letters, digits, _ and -, "
                "with a letter first"
            )
    word = WORD if WORD in columns else columns[0]
    others = [column for column in columns if column != word]
    text = _called({"pos": _POS, "chunking": _CHUNKING, "entities": _ENTITIES}[name], word)
    if name == "chunking" and others:
        pos = POS if POS in others else others[0]
        text += _called(_CHUNKING_POS, word, pos)
        others.remove(pos)
    return text + "".join(_called(_OTHER, word, other) for other in others)


def _called(text: str, word: str, other: str = "") -> str:
    """Put the names of columns where word stands, and pos or other."""
    return re.sub(rf"\b({WORD}|{POS}|other)\b", lambda m: word if m[1] == WORD else other, text)
