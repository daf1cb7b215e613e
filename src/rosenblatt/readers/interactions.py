"""Which features are multiplied with which: ``user*ad`` and the like, as text.

A part of an interaction stands for the features whose name it is, or whose name goes on after it
with one of ``=``, ``^``, ``[`` and ``.``: ``city`` for ``city=Oslo``, ``user`` for all of the
namespace ``user``. An empty part stands for the features without a namespace, and ``*`` alone for
all pairs.
"""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from itertools import permutations

MOST_FACTORS = 4
MOST_PARTS = 30  # different ones: each is a bit
MOST_PRODUCTS = 1 << 16  # of a row
AFTER = "=^[."  # what follows a part in the name of a feature
EVERY = "*"  # the part that stands for all features
ALL_PAIRS = (EVERY, EVERY)
_OPTION = "write interactions as a*b"


def parsed(interactions: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the parts of interactions; raise ``ValueError`` for what is none.

    Parts that occur twice are sorted, as Vowpal Wabbit does, so that equal ones are neighbours.

    >>> parsed(["user*ad", "ad*user*ad"]), parsed(["*"])
    ((('user', 'ad'), ('ad', 'ad', 'user')), (('*', '*'),))
    """
    found: list[tuple[str, ...]] = []
    for text in interactions:
        factors = ALL_PAIRS if text == "*" else tuple(text.split("*"))
        if len(factors) < 2:
            raise ValueError(f"interaction {text!r} has one part: {_OPTION}, or * for all pairs")
        if len(factors) > MOST_FACTORS:
            raise ValueError(
                f"interaction {text!r} has {len(factors)} parts, and {MOST_FACTORS} are the most"
            )
        if not any(factors):
            raise ValueError(f"interaction {text!r} names no feature: {_OPTION}")
        if len({*factors}) < len(factors):
            factors = tuple(sorted(factors))
        for other in found:
            if overlap(factors, other):
                first = "*" if other == ALL_PAIRS else "*".join(other)
                raise ValueError(
                    f"interactions {first!r} and {text!r} make the same products; leave one out"
                )
        found.append(factors)
    if len(parts_of(found)) > MOST_PARTS:
        raise ValueError(f"interactions have more than {MOST_PARTS} different parts")
    return tuple(found)


def overlap(factors: Sequence[str], others: Sequence[str]) -> bool:
    """Say whether two interactions may multiply the same features, in this order or another.

    >>> overlap(("user", "ad"), ("ad", "user.age")), overlap(("a", "b"), ("a", "c"))
    (True, False)
    """
    return len(factors) == len(others) and any(
        all(stands_for(a, b) or stands_for(b, a) for a, b in zip(factors, order, strict=True))
        for order in permutations(others)
    )


def parts_of(interactions: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the different parts, in the order in which they occur.

    >>> parts_of((("user", "ad"), ("ad", "city")))
    ('user', 'ad', 'city')
    """
    return tuple(dict.fromkeys(part for factors in interactions for part in factors))


def stands_for(part: str, name: str) -> bool:
    """Say whether a part stands for a feature, by its name.

    >>> [stands_for("user", name) for name in ("user", "user=u1", "user^age", "users")]
    [True, True, True, False]
    >>> stands_for("", "age"), stands_for("", "user^age"), stands_for("*", "age")
    (True, False, True)
    """
    if part == EVERY:
        return True
    if not part:
        return "^" not in name
    return name.startswith(part) and (len(name) == len(part) or name[len(part)] in AFTER)


def shadows(parts: Sequence[str], columns: Collection[str]) -> dict[str, list[str]]:
    """Return the columns that a part would stand for, and that are columns of their own.

    >>> shadows(["petal"], ["petal", "petal.length"])
    {'petal.length': ['petal']}
    """
    found = {
        column: [
            part
            for part in parts
            if part in columns and part != column and stands_for(part, column)
        ]
        for column in columns
    }
    return {column: hidden for column, hidden in found.items() if hidden}


def problem_of(
    interactions: Sequence[str],
    columns: Sequence[str],
    taken: Sequence[tuple[Collection[str | None], str]],
) -> str | None:
    """Say which part stands for none of the columns of a table, or for one with another role."""
    for part in parts_of(parsed(interactions)):
        if part == EVERY:
            continue
        if not part:
            return "an interaction has an empty part, which is for the features without a namespace"
        for names, role in taken:
            if part in names:
                return f"column {part!r} is {role}, and cannot be multiplied (--interactions)"
        if not any(stands_for(part, column) for column in columns):
            hint = similar(part, columns)
            return f"there is no column {part!r} to multiply (--interactions); {hint}"
    return None


def similar(part: str, names: Sequence[str], what: str = "columns", most: int = 8) -> str:
    """Say which name may have been meant, and which there are.

    >>> similar("usr", ["user", "ad"])
    "did you mean 'user'? The columns are 'user', 'ad'"
    """
    lower = {name.lower(): name for name in names}
    near = get_close_matches(part.lower(), list(lower), 1)
    hint = f"did you mean {lower[near[0]]!r}? The" if near else "the"
    listed = ", ".join(map(repr, names[:most])) + (", …" if len(names) > most else "")
    return f"{hint} {what} are {listed}"


def key_of(name: str) -> str:
    """Return what comes first in the name of a feature: its namespace, or its key.

    >>> key_of("user^city=Oslo"), key_of("city=Oslo"), key_of("age")
    ('user', 'city', 'age')
    """
    places = [at for letter in AFTER if (at := name.find(letter)) > 0]
    caret = name.find("^")
    return name[:caret] if caret > 0 else name[: min(places, default=len(name))]
