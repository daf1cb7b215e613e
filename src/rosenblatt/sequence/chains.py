"""Which sequences of tags are allowed."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.sequence import schemes


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
            return (free if scheme is None else Allowed(*schemes.allowed(names, scheme))), scheme
        if constraints in schemes.SCHEMES:
            return Allowed(*schemes.allowed(names, constraints)), constraints
        raise ValueError(
            f"constraints must be None, 'auto', 'seen', {', '.join(map(repr, schemes.SCHEMES))} or "
            f"a list of pairs that are forbidden, got {constraints!r}"
        )
    place = {value: number for number, value in enumerate(classes)}
    for pair in constraints:
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"a constraint must be a pair of tags that is forbidden, got {pair!r}")
        for value in pair:
            if value not in place:
                raise ValueError(f"constraints name the tag {value!r}, which is not in y")
        free.pairs[place[pair[0]], place[pair[1]]] = False
    return free, None


def check_feasible(allowed: Allowed, classes: Sequence[Any], tags: Array, offsets: Array) -> None:
    """Raise ``ValueError`` if right tags are not allowed, or sequences of some length have none."""
    for row, (a, b) in enumerate(pairwise(offsets.tolist())):
        if a < b and not _fits(allowed, tags[a:b]):
            why = _broken(allowed, classes, tags[a:b])
            raise ValueError(f"sequence {row} of y breaks the constraints: {why}")
    reached = allowed.first
    for length in range(1, 2 * len(classes) + 2):
        if not (reached & allowed.last).any():
            raise ValueError(f"the constraints allow no sequence of {length} tags")
        reached = np.asarray(allowed.pairs[reached].any(axis=0))


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
