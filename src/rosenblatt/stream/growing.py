"""Weights that grow with new features and classes, in doubles, so that growing is cheap.

The weights of all classes for one feature are adjacent, and classes are sorted: a new one moves
those after it by one place. The loops use as many classes as there are intercepts, so the array may
have spare rows; see `rosenblatt.learners.online.whole`.

The system provides no memory for weights that were never used, so these are not copied.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.online import whole

WIDE = ("weights", "total", "sums", "roots", "evidence")  # what has a column for each feature
FLAT = (
    *("intercept", "total_intercept", "sums_intercept", "roots_intercept"),
    "evidence_intercept",
)
_FEW = 32  # classes, up to which there is no spare row: it would cost time in every pass
_CHUNK = 1 << 20  # bytes moved at once
_MANY = 1 << 20  # features, from which on those never used matter
_PART = 1 << 14  # columns looked at together


def widen(state: Any, n_features: int) -> Any:
    """Add features, with zero weights."""
    grown = {}
    for name in WIDE:
        array = getattr(state, name, None)
        if array is not None and array.shape[1] < n_features:
            wider = np.zeros((len(whole(array)), n_features), array.dtype, order="F")
            _fill(wider[: len(array), : array.shape[1]], array)
            grown[name] = wider[: len(array)]
    return state._replace(**grown)


def insert(state: Any, place: int) -> Any:
    """Add a class to three or more. The state before is of no use then, but for `take_out`."""
    arrays = {name: getattr(state, name) for name in WIDE if hasattr(state, name)}
    # Memory first: if there is none, nothing has been moved.
    targets = {name: _one_larger(array) for name, array in arrays.items()}
    grown = {name: _inserted(array, targets[name], place) for name, array in arrays.items()}
    for name in FLAT:
        if hasattr(state, name):
            grown[name] = np.insert(getattr(state, name), place, 0)
    if hasattr(state, "pulled"):
        grown["pulled"] = np.zeros((len(grown["intercept"]), 0))
    if hasattr(state, "right"):
        for name in ("right", "wrong"):
            known = getattr(state, name)
            grown[name] = known + (known >= place)
        grown["zero"] = state.zero + int(state.zero >= place)
    return state._replace(**grown)


def take_out(before: Any, after: Any, place: int) -> None:
    """Undo `insert` for the arrays of the state before."""
    for name in WIDE:
        if hasattr(before, name):
            old = getattr(before, name)
            if np.may_share_memory(old, getattr(after, name)):
                _move(whole(old), place + 1, len(old) + 1, -1)


def _one_larger(array: Array) -> Array:
    """Return an array with a row for one more class: the memory of this one, or else a new one."""
    k, n_features = array.shape
    target = whole(array)
    if len(target) > k:
        return target
    return np.zeros((k + 1 if k < _FEW else 2 * k, n_features), array.dtype, order="F")


def _inserted(array: Array, target: Array, place: int) -> Array:
    k = len(array)
    if np.may_share_memory(array, target):
        _move(target, place, k, 1)
    else:
        _fill(target[:place], array[:place])
        _fill(target[place + 1 : k + 1], array[place:])
    _clear(target[place : place + 1])
    return target[: k + 1]


def _move(target: Array, start: int, stop: int, by: int) -> None:
    """Move some classes by a place. A part of the features at a time: NumPy makes a copy first."""
    step = max(1, _CHUNK // (target.itemsize * len(target)))
    for first in range(0, target.shape[1], step):
        part = target[:, first : first + step]
        if target.shape[1] < _MANY or part.any():
            part[start + by : stop + by] = part[start:stop]


def _fill(target: Array, source: Array) -> None:
    """Copy numbers to where zeros are."""
    if source.shape[1] < _MANY:
        target[...] = source
        return
    for columns in _parts(source):
        if source[:, columns].any():
            target[:, columns] = source[:, columns]


def _clear(target: Array) -> None:
    if target.shape[1] < _MANY:
        target[...] = 0
        return
    for columns in _parts(target):
        if target[:, columns].any():
            target[:, columns] = 0


def used_columns(state: Any) -> Array:
    """Return the columns that are not zero throughout."""
    arrays = [getattr(state, name) for name in WIDE if hasattr(state, name)]
    found = [np.empty(0, np.int64)]
    for columns in _parts(arrays[0]):
        used = np.logical_or.reduce([array[:, columns].any(axis=0) for array in arrays])
        found.append(columns.start + np.flatnonzero(used))
    return np.concatenate(found)


def by_columns(state: Any, change: Callable[[Any], Any]) -> Any:
    """Change a state column by column, where zeros stay zeros: of many, only those used."""
    if state.weights.shape[1] < _MANY:
        return _in_order(change(state))
    columns = used_columns(state)
    small = {name: getattr(state, name)[:, columns] for name in WIDE if hasattr(state, name)}
    changed = change(state._replace(**small))
    grown = {}
    for name in small:
        part = getattr(changed, name)
        grown[name] = np.zeros((len(part), state.weights.shape[1]), part.dtype, order="F")
        grown[name][:, columns] = part
    return changed._replace(**grown)


def _in_order(state: Any) -> Any:
    layout = {
        name: np.asarray(getattr(state, name), order="F") for name in WIDE if hasattr(state, name)
    }
    return state._replace(**layout)


def _parts(array: Array) -> Iterator[slice]:
    for start in range(0, array.shape[1], _PART):
        yield slice(start, start + _PART)
