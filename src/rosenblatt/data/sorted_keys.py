"""Values that are listed by keys, which rise: everything else is zero."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.data.rows import Array


def union(*arrays: Array) -> Array:
    """Return the keys that are in any of some arrays, each of which rises.

    It sorts, as NumPy's union1d did: the hash table of its later versions is far slower here.

    >>> union(np.array([1, 4]), np.array([1, 2, 9])).tolist()
    [1, 2, 4, 9]
    """
    every = np.sort(np.concatenate(arrays), kind="stable")
    first = np.ones(len(every), bool)
    np.not_equal(every[1:], every[:-1], out=first[1:])
    return every[first]


def places_of(keys: Array, wanted: Array) -> tuple[Array, Array]:
    """Return where the keys wanted are, and whether they are there. Both rise.

    They are merged, which is faster than a search for each.

    >>> at, there = places_of(np.array([2, 5]), np.array([1, 2, 5, 7]))
    >>> at[there].tolist(), there.tolist()
    ([0, 1], [False, True, True, False])
    """
    if not len(keys):
        return np.zeros(len(wanted), np.intp), np.zeros(len(wanted), bool)
    order = np.argsort(np.concatenate([keys, wanted]), kind="stable")
    known = order < len(keys)
    at = np.maximum(np.cumsum(known)[~known] - 1, 0)  # of the last key that is not above
    return at, keys[at] == wanted


def values_at(keys: Array, values: Sequence[Array], wanted: Array) -> list[Array]:
    """Return the values at the keys wanted, of each of some arrays; zero where there is no key.

    >>> keys, values = np.array([2, 5]), np.array([1.5, 2.5])
    >>> values_at(keys, [values], np.array([1, 2, 5, 7]))[0].tolist()
    [0.0, 1.5, 2.5, 0.0]
    """
    found = [np.zeros(len(wanted), array.dtype) for array in values]
    at, there = places_of(keys, wanted)
    at = at[there]
    for array, own in zip(found, values, strict=True):
        array[there] = own[at]
    return found
