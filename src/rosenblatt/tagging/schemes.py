"""Schemes of span tags such as B-NP, conversion between them, and which tag may follow which."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.tagging.spans import spans, split

SCHEMES = ("iob2", "iob1", "iobes")
_FOLLOWS = {"iob2": "I", "iob1": "B"}  # what stands only after a tag of the same type
_LETTERS = set("BIESLUM")
_IOBES = _LETTERS - set("BI")
_LONGEST = 10_000  # of the sequences that are looked at; rules that go round later are not made


def is_spans(classes: Sequence[str]) -> bool:
    """Say whether tags look like those of spans: all are O or such as B-NP, and some begin so.

    >>> is_spans(["O", "B-NP", "I-NP"]), is_spans(["-LRB-", "PROPN", "O"])
    (True, False)
    """
    parts = [split(tag) for tag in classes if tag != "O"]
    return all(letter in _LETTERS and type_ for letter, type_ in parts) and any(
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
    letters = np.array([letter if type_ else "" for letter, type_ in parts], np.str_)
    names: dict[str, int] = {}
    types = np.array([names.setdefault(type_, len(names)) for _, type_ in parts], np.int64)
    same = types[:, None] == types
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
    for start, stop, type_ in spans(tags):
        letters = ["I"] * (stop - start)
        if to == "iobes":
            letters[0], letters[-1] = "B", "E"
            if len(letters) == 1:
                letters = ["S"]
        elif to == "iob2" or before == (start, type_):
            letters[0] = "B"
        made[start:stop] = [f"{letter}-{type_}" if type_ else letter for letter in letters]
        before = stop, type_
    return made


def _check(scheme: str) -> None:
    if scheme not in SCHEMES:
        raise ValueError(f"there is no scheme {scheme!r}; it must be one of {', '.join(SCHEMES)}")


class BrokenConstraintsError(ValueError):
    """The right tags of a sequence break the constraints; says which one's, and how."""

    def __init__(self, sequence: int, why: str) -> None:
        super().__init__(f"sequence {sequence} of y breaks the constraints: {why}")
        self.sequence, self.why = sequence, why


class Allowed(NamedTuple):
    """Which tags may be the first, follow one another (i, then j), and be the last."""

    first: Array
    pairs: Array
    last: Array


def seen(n: int, tags: Array, offsets: Array) -> Allowed:
    """Return what occurs in sequences of tags, given as numbers below n."""
    first, last, pairs = np.zeros(n, bool), np.zeros(n, bool), np.zeros((n, n), bool)
    there = np.flatnonzero(np.diff(offsets))
    starts, stops = offsets[:-1][there], offsets[1:][there]
    first[tags[starts]], last[tags[stops - 1]] = True, True
    follows = np.ones(len(tags), bool)
    follows[starts] = False
    later = np.flatnonzero(follows)
    pairs[tags[later - 1], tags[later]] = True
    return Allowed(first, pairs, last)


def allowed_by(
    constraints: Any, classes: Sequence[Any], tags: Array, offsets: Array
) -> tuple[Allowed, str | None]:
    """Return what constraints allow, and the scheme that they keep to, if it is one."""
    return allowed_for(constraints, classes, seen(len(classes), tags, offsets))


def allowed_for(
    constraints: Any, classes: Sequence[Any], there: Allowed
) -> tuple[Allowed, str | None]:
    """Do so by what was seen of sequences of tags."""
    n, names = len(classes), list(map(str, classes))
    free = Allowed(np.ones(n, bool), np.ones((n, n), bool), np.ones(n, bool))
    if constraints is None:
        return free, None
    if isinstance(constraints, str):
        if constraints == "seen":
            return there, None
        if constraints == "auto":
            scheme = scheme_of(names, *there)
            if scheme is None:
                return free, None
            found = Allowed(*allowed(names, scheme))
            # Tags of a few sequences may be too few to tag others, such as a single token.
            return (found, scheme) if impossible_length(found) is None else (free, None)
        if constraints in SCHEMES:
            return Allowed(*allowed(names, constraints)), constraints
        raise ValueError(
            f"constraints must be None, 'auto', 'seen', {', '.join(map(repr, SCHEMES))} or "
            f"a list of pairs that are forbidden, got {constraints!r}"
        )
    if not isinstance(constraints, Iterable):
        raise ValueError(f"constraints must be a list of pairs, got {constraints!r}")
    place = {value: number for number, value in enumerate(classes)}
    for pair in constraints:
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"a constraint must be a pair of tags that is forbidden, got {pair!r}")
        for value in pair:
            if not isinstance(value, Hashable) or value not in place:
                raise ValueError(f"constraints name the tag {value!r}, which is not in y")
        free.pairs[place[pair[0]], place[pair[1]]] = False
    return free, None


def check_feasible(
    rules: Allowed, classes: Sequence[Any], tags: Array, offsets: Array, rows: Array
) -> None:
    """Raise ``ValueError`` if correct tags break the rules, or sequences of some length have none.

    ``rows`` has the number of each sequence, as the user knows it.
    """
    if breaks(rules, seen(len(classes), tags, offsets)):
        for row, (a, b) in zip(rows.tolist(), pairwise(offsets.tolist()), strict=True):
            if a < b and not _fits(rules, tags[a:b]):
                raise BrokenConstraintsError(row, _broken(rules, classes, tags[a:b]))
    check_possible(rules)


def breaks(rules: Allowed, there: Allowed) -> bool:
    """Say whether what was seen of sequences of tags breaks the rules."""
    return any((found & ~may).any() for found, may in zip(there, rules, strict=True))


def check_possible(rules: Allowed) -> None:
    """Raise ``ValueError`` if sequences of some length have no tags that rules allow."""
    length = impossible_length(rules)
    if length is not None:
        raise ValueError(
            f"the constraints allow no sequence of {length} tag{'s' * (length > 1)}, and so could "
            "not tag one; allow more, or set constraints=None"
        )


def nearest_scheme(
    classes: Sequence[str], tags: Array, offsets: Array
) -> tuple[str, list[BrokenConstraintsError]]:
    """Return the scheme that the fewest sequences of spans break, and where they do.

    >>> tags, offsets = np.array([0, 1, 2, 1]), np.array([0, 2, 4])
    >>> scheme, broken = nearest_scheme(["B-X", "I-X", "O"], tags, offsets)
    >>> scheme, broken[0].why
    ('iob2', 'token 1 has I-X after O')
    """
    best: tuple[str, list[BrokenConstraintsError]] | None = None
    for scheme in SCHEMES:
        try:
            rules = Allowed(*allowed(classes, scheme))
        except ValueError:  # a letter that it does not know
            continue
        broken = [
            BrokenConstraintsError(row, _broken(rules, classes, tags[a:b]))
            for row, (a, b) in enumerate(pairwise(offsets.tolist()))
            if a < b and not _fits(rules, tags[a:b])
        ]
        if best is None or len(broken) < len(best[1]):
            best = scheme, broken
    assert best is not None  # one of them knows all letters
    return best


def impossible_length(rules: Allowed) -> int | None:
    """Return the shortest length for which no tags are allowed; None if all are possible."""
    reached, known = rules.first, set[bytes]()
    for length in range(1, _LONGEST):
        if not (reached & rules.last).any():
            return length
        if reached.tobytes() in known:  # from here on it goes round
            return None
        known.add(reached.tobytes())
        reached = np.asarray(rules.pairs[reached].any(axis=0))
    return None


def _fits(rules: Allowed, tags: Array) -> bool:
    inside = rules.pairs[tags[:-1], tags[1:]].all()
    return bool(inside and rules.first[tags[0]] and rules.last[tags[-1]])


def _broken(rules: Allowed, classes: Sequence[Any], tags: Array) -> str:
    if not rules.first[tags[0]]:
        return f"it begins with {classes[tags[0]]}"
    bad = np.flatnonzero(~rules.pairs[tags[:-1], tags[1:]])
    if len(bad):
        at = int(bad[0])
        return f"token {at + 1} has {classes[tags[at + 1]]} after {classes[tags[at]]}"
    return f"it ends with {classes[tags[-1]]}"
