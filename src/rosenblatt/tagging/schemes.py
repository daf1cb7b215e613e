"""Schemes of tags for spans: which tag may follow which, and from one scheme to another."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.tagging.spans import spans, split

SCHEMES = ("iob2", "iob1", "iobes")
_FOLLOWS = {"iob2": "I", "iob1": "B"}  # what stands only after a tag of the same type
_LETTERS = set("BIESLUM")
_IOBES = _LETTERS - set("BI")


def is_spans(classes: Sequence[str]) -> bool:
    """Say whether tags look like those of spans: all are O or such as B-NP, and some begin so.

    >>> is_spans(["O", "B-NP", "I-NP"]), is_spans(["-LRB-", "PROPN", "O"])
    (True, False)
    """
    parts = [split(tag) for tag in classes if tag != "O"]
    return all(letter in _LETTERS and kind for letter, kind in parts) and any(
        letter in ("B", "I") for letter, _ in parts
    )


def scheme_of(classes: Sequence[str], first: Array, pairs: Array, last: Array) -> str | None:
    """Find the scheme that tags follow, from what was seen of them; None if they follow none.

    Parameters
    ----------
    classes : sequence of str
        The tags.
    first, last : bool array of shape (n_classes,)
        Whether some sequence begins, or ends, with each tag.
    pairs : bool array of shape (n_classes, n_classes)
        Whether the tag of the column was seen right after that of the row.

    Examples
    --------
    >>> first, last = np.array([True, True, False]), np.array([True, True, True])
    >>> pairs = np.array([[True, True, False], [False, False, True], [True, True, False]])
    >>> scheme_of(["O", "B-NP", "I-NP"], first, pairs, last)
    'iob2'
    """
    if not is_spans(classes):
        return None
    letters = {split(tag)[0] for tag in classes}
    for scheme in ("iobes",) if letters & _IOBES else ("iob2", "iob1"):
        rules = zip((first, pairs, last), allowed(classes, scheme), strict=True)
        if not any((seen & ~rule).any() for seen, rule in rules):
            return scheme
    return None


def allowed(classes: Sequence[str], scheme: str) -> tuple[Array, Array, Array]:
    """Say which tags may come first, follow each other, and come last.

    - iob2: a span begins with B, and goes on with I of its type.
    - iob1: a span begins with I, but with B right after another span of its type.
    - iobes: a span of one token is S; others are B, any number of I, and E. For those who write
      so, U is S, L is E, and M is I.

    Tags of another form than O and B-NP are free: they may stand before and after all others.

    Returns
    -------
    first, pairs, last : bool arrays of shape (n_classes,), (n_classes, n_classes), (n_classes,)
        ``pairs[i, j]`` says whether tag j may follow tag i.

    Examples
    --------
    >>> first, pairs, last = allowed(["O", "B-NP", "I-NP", "I-VP"], "iob2")
    >>> first.tolist(), pairs[1].tolist()
    ([True, True, False, False], [True, True, True, False])
    """
    _check(scheme)
    parts = [split(tag) for tag in classes]
    letters = np.array([letter if kind else "" for letter, kind in parts], np.str_)
    names: dict[str, int] = {}
    kinds = np.array([names.setdefault(kind, len(names)) for _, kind in parts], np.int64)
    same = kinds[:, None] == kinds
    spanning = np.isin(letters, [*_LETTERS])
    free = ~spanning & np.array([tag != "O" for tag in classes], bool)
    if scheme == "iobes":
        goes_on, follows = np.isin(letters, [*"BIM"]), np.isin(letters, [*"IMEL"])
        pairs = (goes_on[:, None] == follows) & (same | ~follows)
    else:
        if len(wrong := np.flatnonzero(np.isin(letters, [*_IOBES]))):
            tag = classes[wrong[0]]
            raise ValueError(f"the tag {tag!r} is not of the scheme {scheme}; is it iobes?")
        goes_on, follows = np.zeros(len(parts), bool), letters == _FOLLOWS[scheme]
        pairs = (spanning[:, None] & same) | ~follows
    return ~follows, pairs | free | free[:, None], ~goes_on


def convert(tags: Sequence[str], to: str) -> list[str]:
    """Write the spans of a sequence in another scheme. Tags of no span stay as they are.

    >>> convert(["I-NP", "I-NP", "B-NP", "O"], "iob2")
    ['B-NP', 'I-NP', 'B-NP', 'O']
    >>> convert(["I-NP", "I-NP", "B-NP", "O"], "iobes")
    ['B-NP', 'E-NP', 'S-NP', 'O']
    """
    _check(to)
    made, before = list(tags), (-1, "")
    for start, stop, kind in spans(tags):
        letters = ["I"] * (stop - start)
        if to == "iobes":
            letters[0], letters[-1] = "B", "E"
            if len(letters) == 1:
                letters = ["S"]
        elif to == "iob2" or before == (start, kind):
            letters[0] = "B"
        made[start:stop] = [f"{letter}-{kind}" if kind else letter for letter in letters]
        before = stop, kind
    return made


def _check(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ValueError(f"there is no scheme {scheme!r}; it must be one of {', '.join(SCHEMES)}")
