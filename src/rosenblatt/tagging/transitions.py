"""Which sequences of tags are allowed."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.tagging import schemes

_LONGEST = 10_000  # of the sequences that are looked at; rules that go round later are not made


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
    n, names = len(classes), list(map(str, classes))
    free = Allowed(np.ones(n, bool), np.ones((n, n), bool), np.ones(n, bool))
    if constraints is None:
        return free, None
    if isinstance(constraints, str):
        if constraints == "seen":
            return seen(n, tags, offsets), None
        if constraints == "auto":
            scheme = schemes.scheme_of(names, *seen(n, tags, offsets))
            if scheme is None:
                return free, None
            found = Allowed(*schemes.allowed(names, scheme))
            # Tags of a few sequences may be too few to tag others, such as a single token.
            return (found, scheme) if impossible_length(found) is None else (free, None)
        if constraints in schemes.SCHEMES:
            return Allowed(*schemes.allowed(names, constraints)), constraints
        raise ValueError(
            f"constraints must be None, 'auto', 'seen', {', '.join(map(repr, schemes.SCHEMES))} or "
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
    allowed: Allowed, classes: Sequence[Any], tags: Array, offsets: Array, rows: Array
) -> None:
    """Raise ``ValueError`` if right tags are not allowed, or sequences of some length have none.

    ``rows`` has the number of each sequence, as the user knows it.
    """
    there = seen(len(classes), tags, offsets)
    if any((found & ~may).any() for found, may in zip(there, allowed, strict=True)):
        for row, (a, b) in zip(rows.tolist(), pairwise(offsets.tolist()), strict=True):
            if a < b and not _fits(allowed, tags[a:b]):
                raise BrokenConstraintsError(row, _broken(allowed, classes, tags[a:b]))
    length = impossible_length(allowed)
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
    for scheme in schemes.SCHEMES:
        try:
            allowed = Allowed(*schemes.allowed(classes, scheme))
        except ValueError:  # a letter that it does not know
            continue
        broken = [
            BrokenConstraintsError(row, _broken(allowed, classes, tags[a:b]))
            for row, (a, b) in enumerate(pairwise(offsets.tolist()))
            if a < b and not _fits(allowed, tags[a:b])
        ]
        if best is None or len(broken) < len(best[1]):
            best = scheme, broken
    assert best is not None  # one of them knows all letters
    return best


def impossible_length(allowed: Allowed) -> int | None:
    """Return how long a sequence is for which there are no tags, None if there are for all."""
    reached, known = allowed.first, set[bytes]()
    for length in range(1, _LONGEST):
        if not (reached & allowed.last).any():
            return length
        if reached.tobytes() in known:  # from here on it goes round
            return None
        known.add(reached.tobytes())
        reached = np.asarray(allowed.pairs[reached].any(axis=0))
    return None


def _fits(allowed: Allowed, tags: Array) -> bool:
    inside = allowed.pairs[tags[:-1], tags[1:]].all()
    return bool(inside and allowed.first[tags[0]] and allowed.last[tags[-1]])


def _broken(allowed: Allowed, classes: Sequence[Any], tags: Array) -> str:
    if not allowed.first[tags[0]]:
        return f"it begins with {classes[tags[0]]}"
    bad = np.flatnonzero(~allowed.pairs[tags[:-1], tags[1:]])
    if len(bad):
        at = int(bad[0])
        return f"token {at + 1} has {classes[tags[at + 1]]} after {classes[tags[at]]}"
    return f"it ends with {classes[tags[-1]]}"
