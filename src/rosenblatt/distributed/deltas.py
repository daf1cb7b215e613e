"""What a shard changed in a state: the entries that differ, which is what travels.

A state's arrays of one shape and memory order form a group, as a feature that is learned from
changes in all of them: its index is sent once, with a value for each array. Where most entries
changed, all values are sent without an index. Arrays that a state lists by ``keys``, as it is zero
at all others, are such a group, too; what is new in the list is another, whose places are keys.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.data.sorted_keys import places_of, union
from rosenblatt.tagging.mixing import LISTED

S = TypeVar("S", bound=tuple[Any, ...])


class Entries(NamedTuple):
    """New values of some arrays, in memory order; ``places`` is None if these are all values.

    What is ``new`` in a list has keys as places.
    """

    names: tuple[str, ...]
    places: Array | None
    values: tuple[Array, ...]
    new: bool = False


Delta = tuple[Entries, ...]


class Part(NamedTuple):
    """Where a part of a listed state is in all of it: the places of its entries, and its keys.

    The key k of the part is ``firsts[k // width] + k % width`` in the whole.
    """

    entries: Array
    firsts: Array
    width: int

    def keys(self, own: Array) -> Array:
        """Return keys of the part as they are in the whole."""
        row = own // self.width
        return np.asarray(self.firsts[row] + (own - row * self.width))


def arrays_of(state: Any) -> dict[str, Array]:
    """Return the arrays of a state by their names."""
    return {name: part for name, part in state._asdict().items() if isinstance(part, np.ndarray)}


def listed_by_keys(state: Any) -> tuple[str, ...]:
    """Return the names of the arrays that a state lists by its ``keys``, which may be none."""
    return LISTED if "keys" in state._fields else ()


def groups_of(state: Any, plain: bool = False) -> list[tuple[str, ...]]:
    """Return the names of the arrays of each shape and memory order, of those not listed by keys.

    ``plain`` takes all, and the keys as well, for arrays like others.
    """
    listed = listed_by_keys(state)
    apart = () if plain or not listed else ("keys", *listed)
    groups: dict[Any, list[str]] = {}
    for name, array in arrays_of(state).items():
        if name in apart:
            continue
        groups.setdefault((array.shape, array.flags.c_contiguous), []).append(name)
    return [tuple(names) for names in groups.values()]


def flat(array: Array) -> Array:
    """View an array in memory order.

    >>> flat(np.asfortranarray([[1, 2], [3, 4]])).tolist()
    [1, 3, 2, 4]
    """
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        raise ValueError("only arrays without gaps in memory can be sent as changes")
    return array.reshape(-1, order="C" if array.flags.c_contiguous else "F")


def changes(before: Any, after: Any, part: Part | None = None) -> Delta:
    """Return the entries of a state that differ from those before, be it in the last bit.

    With ``part``, the states are that part of another, and the entries are those of the whole.

    >>> from rosenblatt.learners import perceptron
    >>> start, end = perceptron.init(4), perceptron.init(4)
    >>> end.weights[0, 2] = 5
    >>> weights, intercept = changes(start, end)
    >>> weights.names, weights.places.tolist(), weights.values[0].tolist(), len(intercept.places)
    (('weights',), [2], [5.0], 0)
    """
    found = [_changed(names, before, after) for names in groups_of(before)]
    names = listed_by_keys(before)
    return (*found, *_changed_list(names, before, after, part)) if names else tuple(found)


def _changed(names: tuple[str, ...], before: Any, after: Any) -> Entries:
    new = [flat(getattr(after, name)) for name in names]
    index = _differing(_values(before, names), new)
    return _smallest(names, index, [array[index] for array in new], before)


def _changed_list(
    names: tuple[str, ...], before: Any, after: Any, part: Part | None
) -> tuple[Entries, Entries]:
    """Return what changed in a list, and what is new in it."""
    new = np.ones(len(after.keys), bool)
    at, there = places_of(after.keys, before.keys)
    new[at[there]] = False
    now = [np.zeros(len(at), values.dtype) for values in _values(after, names)]
    for array, values in zip(now, _values(after, names), strict=True):
        array[there] = values[at[there]]
    index = _differing(_values(before, names), now)
    changed, keys = [array[index] for array in now], after.keys[new]
    added = tuple(values[new] for values in _values(after, names))
    if part is not None:
        here = Entries(names, part.entries[index], tuple(changed))
        return here, Entries(names, part.keys(keys), added, True)
    return _smallest(names, index, changed, before), Entries(names, keys, added, True)


def _values(state: Any, names: Sequence[str]) -> list[Array]:
    return [flat(getattr(state, name)) for name in names]


def _differing(old: Sequence[Array], new: Sequence[Array]) -> Array:
    """Return where values differ in any of some arrays."""
    differs = [_bits(a) != _bits(b) for a, b in zip(old, new, strict=True)]
    return np.flatnonzero(np.logical_or.reduce(differs))


def _smallest(
    names: tuple[str, ...], index: Array, values: Sequence[Array], before: Any
) -> Entries:
    """Return entries with their index, or all of them where that is less to send."""
    old = _values(before, names)
    index = index.astype(np.int32 if len(old[0]) < 1 << 31 else np.int64)
    row = sum(array.itemsize for array in old)
    if len(index) * (index.itemsize + row) < len(old[0]) * row or not len(index):
        return Entries(names, index, tuple(values))
    every = tuple(array.copy() for array in old)
    for array, new in zip(every, values, strict=True):
        array[index] = new
    return Entries(names, None, every)


def _bits(array: Array) -> Array:
    return array.view(f"u{array.itemsize}")


def applied(state: S, delta: Delta) -> S:
    """Return a copy of a state with its changes."""
    parts: dict[str, Array] = {name: array.copy("K") for name, array in arrays_of(state).items()}
    for names, index, values, new_keys in delta:
        if new_keys:
            assert index is not None
            keys = np.concatenate([parts["keys"], index])
            order = np.argsort(keys, kind="stable")
            parts["keys"] = keys[order]
            for name, new in zip(names, values, strict=True):
                parts[name] = np.concatenate([parts[name], new])[order]
            continue
        for name, new in zip(names, values, strict=True):
            flat(parts[name])[... if index is None else index] = new
    return state._replace(**parts)  # type: ignore[attr-defined, no-any-return]


def n_bytes(delta: Delta) -> int:
    """Count the bytes of the entries and their indices."""
    return sum(
        (0 if part.places is None else part.places.nbytes) + sum(v.nbytes for v in part.values)
        for part in delta
    )


class Blank(NamedTuple):
    """A state without its arrays: their shapes, types and memory orders."""

    state: Any
    shapes: dict[str, tuple[tuple[int, ...], str, Literal["C", "F"]]]

    def fill(self, delta: Delta) -> Any:
        """Return the state, its arrays zero but for some entries."""
        zeros = {
            name: np.zeros(shape, dtype, order)
            for name, (shape, dtype, order) in self.shapes.items()
        }
        return applied(self.state._replace(**zeros), delta)


def packed(state: Any) -> tuple[Blank, Delta]:
    """Return what `Blank.fill` makes a state of: weights that are zero need not be sent."""
    arrays = arrays_of(state)
    shapes: dict[str, tuple[tuple[int, ...], str, Literal["C", "F"]]] = {
        name: (array.shape, array.dtype.str, "C" if array.flags.c_contiguous else "F")
        for name, array in arrays.items()
    }
    zeros = state._replace(**{name: np.zeros_like(array) for name, array in arrays.items()})
    without = state._replace(**dict.fromkeys(arrays))
    filled = {name for name, array in arrays.items() if _bits(flat(array)).any()}
    groups = [tuple(n for n in names if n in filled) for names in groups_of(state, plain=True)]
    return Blank(without, shapes), tuple(_changed(names, zeros, state) for names in groups if names)


def merged(
    learner: Any, start: Any, parts: Sequence[tuple[Any, Delta]], weights: Sequence[float]
) -> Delta:
    """Mix the changes that several made to one state, by the learner's own ``merge``.

    Parameters
    ----------
    learner : module
        Its ``merge`` mixes states entry by entry.
    start : state
        What all of them started from.
    parts : sequence of pairs
        Each one's counts, in a state whose arrays are not looked at, and its changes.
    weights : sequence of float
        How much each counts.

    Returns
    -------
    Delta
        The entries that any of them changed. Where all agree, nothing is rounded.
    """
    groups = list(zip(*(delta for _, delta in parts), strict=True))
    places = [_union([_index(entries, start) for entries in group]) for group in groups]
    small = [counts._replace(**_small(start, delta, places)) for counts, delta in parts]
    mixed = learner.merge(small, weights)
    found: list[Entries] = []
    ahead: dict[tuple[str, ...], int] = {}  # entries of a list come before what is new in it
    for group, index in zip(groups, places, strict=True):
        names, new = group[0].names, group[0].new
        first = ahead.get(names, 0)
        ahead[names] = first + len(index)
        values = _kept(names, slice(first, ahead[names]), small, weights, mixed)
        if new:
            found.append(Entries(names, index, tuple(values), True))
        else:
            found.append(_smallest(names, index, values, start))
    return tuple(found)


def _small(start: Any, delta: Delta, places: Sequence[Array]) -> dict[str, Array]:
    """Return the values at some places, among which are all that changed, as arrays of a row."""
    found: dict[str, list[Array]] = {}
    for entries, index in zip(delta, places, strict=True):
        for name, values in zip(entries.names, _at(start, entries, index), strict=True):
            found.setdefault(name, []).append(values)
    return {name: np.concatenate(values)[np.newaxis] for name, values in found.items()}


def _index(entries: Entries, start: Any) -> Array:
    """Return where entries differ from what was there before."""
    if entries.places is not None:
        return entries.places
    return _differing(_values(start, entries.names), entries.values)


def _union(indices: Sequence[Array]) -> Array:
    return indices[0] if len(indices) == 1 else union(*indices)


def _at(start: Any, entries: Entries, places: Array) -> Sequence[Array]:
    names, index, values, new = entries
    if index is None:
        return [array[places] for array in values]
    if len(index) == len(places):  # all of them
        return values
    at, _ = places_of(places, index)
    found = []
    for name, array in zip(names, values, strict=True):
        old = flat(getattr(start, name))
        whole = np.zeros(len(places), array.dtype) if new else old[places]
        whole[at] = array
        found.append(whole)
    return found


def _kept(
    names: Sequence[str], some: slice, parts: Sequence[Any], weights: Sequence[float], mixed: Any
) -> list[Array]:
    """Return mixed values; where all parts agree they are what they are, without rounding.

    Parts of weight zero do not count. Sums for a mean over steps depend on the steps as well.
    """
    counted = [part for part, weight in zip(parts, weights, strict=True) if weight]
    first, *rest = ([getattr(part, name)[0, some] for name in names] for part in counted)
    if rest:
        pairs = [pair for other in rest for pair in zip(first, other, strict=True)]
        same = np.logical_and.reduce([_bits(a) == _bits(b) for a, b in pairs])
    else:
        same = np.ones(len(first[0]), bool)
    values = [getattr(mixed, name)[0, some] for name in names]
    return [
        value if name.startswith("total") else np.where(same, own, value)
        for name, own, value in zip(names, first, values, strict=True)
    ]
