"""Products of features: which of a row's features are multiplied, and what that makes."""

from collections.abc import Callable, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np


def is_of(name: str, part: str) -> bool:
    """Say whether a feature is one of a column, key or namespace.

    >>> [is_of(name, "user") for name in ("user", "user=u1", "user^age", "user.age", "users")]
    [True, True, True, True, False]
    """
    if part in ("", "*"):
        return part == "*" or "^" not in name
    return name == part or any(name.startswith(part + after) for after in "=^[.")


def products(
    names: Sequence[str],
    values: Sequence[float],
    parts: Sequence[str],
    dtype: str = "float64",
    order: Callable[[str], Any] = str,
) -> list[tuple[tuple[str, ...], float]]:
    """Multiply the features of a row: those of one part without repetition, in an order of names.

    Equal parts are neighbours. A product is called what its factors are, with a star between them.

    >>> products(["user=u1", "age", "size"], [1, 40, 2], ["user", "age"])
    [(('user=u1', 'age'), 40.0)]
    >>> products(["b", "a"], [3, 2], ["*", "*"])
    [(('b', 'b'), 9.0), (('a', 'b'), 6.0), (('a', 'a'), 4.0)]
    """
    number = np.dtype(dtype).type
    runs: list[list[tuple[int, ...]]] = []
    for part in dict.fromkeys(parts):
        own = [j for j, name in enumerate(names) if is_of(name, part)]
        runs.append([*combinations_with_replacement(own, list(parts).count(part))])
    found = []
    for chosen in product(*runs):
        value = number(1)
        for j in (j for run in chosen for j in run):
            value = number(value * number(values[j]))
        factors = [name for run in chosen for name in sorted((names[j] for j in run), key=order)]
        found.append((tuple(factors), float(value)))
    return found


def product_hash(hashes: Sequence[int], bits: int) -> int:
    """Combine the hashes of features as Vowpal Wabbit does, modulo 2^bits.

    >>> product_hash([96423, 30925], 18)  # of user^a and ad^c
    38440
    """
    combined = int(hashes[0])
    for other in hashes[1:]:
        combined = (combined * 16777619) ^ other
    return combined % (1 << bits)
