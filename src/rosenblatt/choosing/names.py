"""Which of the names that there are was meant by one that is not among them."""

from collections.abc import Iterable
from difflib import get_close_matches


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the shortest name that begins so, else the most alike, else one that holds it.

    >>> near("acc", ["accuracy", "jaccard"]), near("svm", ["LinearSVM"]), near("x", ["eta0"])
    ('accuracy', 'LinearSVM', None)
    """
    wanted = name.lower()
    lower = {one.lower(): one for one in sorted(known, key=len, reverse=True)}
    if not wanted:
        return None
    begin = sorted((one for one in lower if one.startswith(wanted)), key=len)
    found = begin or get_close_matches(wanted, lower, 1) or [n for n in lower if wanted in n]
    return lower[found[0]] if found else None
