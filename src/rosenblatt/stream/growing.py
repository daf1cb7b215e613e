"""Room for features and classes that come late. It grows in doubles, so that many cost little.

Of each feature the weights of all classes lie side by side, and classes are sorted: a new one moves
those behind it by one place. The loops look at as many classes as there are intercepts, and so the
array may have room for more; see `rosenblatt.learners.online.whole`.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.online import whole

WIDE = ("weights", "total")  # what has a column for each feature
_FLAT = ("intercept", "total_intercept")
_FEW = 32  # classes, up to which there is no spare room: it would cost time in every pass
_CHUNK = 1 << 20  # bytes moved at once


def widen(state: Any, n_features: int) -> Any:
    """Make room for more features; those that are new have zeros."""
    grown = {}
    for name in WIDE:
        array = getattr(state, name, None)
        if array is not None and array.shape[1] < n_features:
            wider = np.zeros((len(whole(array)), n_features), array.dtype, order="F")
            wider[: len(array), : array.shape[1]] = array
            grown[name] = wider[: len(array)]
    return state._replace(**grown)


def insert(state: Any, place: int) -> Any:
    """Add a class to three or more. The state before is of no use then, but for `take_out`."""
    grown = {name: _inserted(getattr(state, name), place) for name in WIDE if hasattr(state, name)}
    for name in _FLAT:
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


def _inserted(array: Array, place: int) -> Array:
    k, n_features = array.shape
    room = whole(array)
    if len(room) > k:
        _move(room, place, k, 1)
    else:
        room = np.zeros((k + 1 if k < _FEW else 2 * k, n_features), array.dtype, order="F")
        room[:place], room[place + 1 : k + 1] = array[:place], array[place:]
    room[place] = 0
    return room[: k + 1]


def _move(room: Array, start: int, stop: int, by: int) -> None:
    """Move some classes by a place. A part of the features at a time: NumPy makes a copy first."""
    step = max(1, _CHUNK // (room.itemsize * len(room)))
    for first in range(0, room.shape[1], step):
        part = room[:, first : first + step]
        part[start + by : stop + by] = part[start:stop]
