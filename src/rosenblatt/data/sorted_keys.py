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


def values_at(keys: Array, values: Sequence[Array], wanted: Array) -> list[Array]:
    """Return the values at the keys wanted, of each of some arrays; zero where there is no key.

    >>> keys, values = np.array([2, 5]), np.array([1.5, 2.5])
    >>> values_at(keys, [values], np.array([1, 2, 5, 7]))[0].tolist()
    [0.0, 1.5, 2.5, 0.0]
    """
    found = [np.zeros(len(wanted), array.dtype) for array in values]
    if len(keys):
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = keys[at] == wanted
        at = at[there]
        for array, own in zip(found, values, strict=True):
            array[there] = own[at]
    return found
