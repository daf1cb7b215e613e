"""The fast path of one example into a perceptron of two classes.

It holds the arrays of a state, which change in place, and counts by itself. What it cannot do is
left to the slow path, which does everything.

It changes the arrays in one call that holds the interpreter's lock, so any number of threads may
use it. The slow path closes it first; while it is closed it does nothing.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import for_types_of
from rosenblatt.kernels.one_example import (
    BIAS,
    CLOSED,
    DESK,
    FRONT,
    NOT_THIS,
    STEPS,
    TIES,
    UPDATES,
    learn_dict,
    learn_row,
    score_dict,
    score_row,
)
from rosenblatt.kernels.simd.dicts import ADDRESSES, interpreter
from rosenblatt.readers.features import features_of, not_features

_API = interpreter()
_NAMES = frozenset((str,))
_NUMBERS = frozenset((float, int, bool, np.float64, np.float32, np.int64))
_NO_TOTAL = np.zeros((1, 0), order="F"), np.zeros(1)


class _Plan(NamedTuple):
    """The expected keys; the control block, their addresses, a buffer for numbers, and columns.

    It holds the keys, so that their addresses stay valid.
    """

    keys: tuple[str, ...]
    front: tuple[Array, Array, Array, Array]
    learn: Any
    score: Any


class Single:
    """A perceptron or averaged perceptron of two classes, for one dict at a time."""

    def __init__(self, state: Any, columns: dict[str, int], classes: list[Any]) -> None:
        self._columns, self.classes = columns, classes
        self.codes: dict[Any, float] = dict(zip(classes, (-1.0, 1.0), strict=True))
        total = getattr(state, "total", None)
        sums = _NO_TOTAL if total is None else (total, state.total_intercept)
        self._arrays: tuple[Any, ...] = state.weights, state.intercept, *sums
        self._control = np.zeros(DESK, np.int64)
        if _API is not None:
            self._control[:ADDRESSES] = _API
        self._control[BIAS], self._control[TIES] = state.fit_intercept, state.ties
        self._control[STEPS], self._control[UPDATES] = state.steps, state.updates
        self._plan: _Plan | None = None

    @property
    def counts(self) -> tuple[int, int]:
        """The steps and the updates so far."""
        return int(self._control[STEPS]), int(self._control[UPDATES])

    @property
    def closed(self) -> bool:
        """Whether all calls must take the slow path."""
        return bool(self._control[CLOSED])

    @closed.setter
    def closed(self, closed: bool) -> None:
        self._control[CLOSED] = closed

    def learn(self, x: Mapping[Any, Any], y: float) -> int:
        """Learn from a dict: 1 is a mistake, 0 none; less than 0, take the slow path."""
        plan = self._plan  # read once: another thread may replace it, and the keys must stay alive
        if plan is not None and type(x) is dict:
            done: int = plan.learn(*plan.front, id(x), y, *self._arrays)
            if done != NOT_THIS:
                return done
        row = self._row_of(x)
        return NOT_THIS if row is None else int(learn_row(self._control, *row, y, *self._arrays))

    def score(self, x: Mapping[Any, Any]) -> float:
        """Score a dict; NaN means: take the slow path."""
        plan = self._plan
        if plan is not None and type(x) is dict:
            score: float = plan.score(*plan.front, id(x), *self._arrays)
            if score == score:
                return score
        row = self._row_of(x)
        return np.nan if row is None else float(score_row(self._control, *row, *self._arrays))

    def _row_of(self, x: Mapping[Any, Any]) -> tuple[Array, Array] | None:
        """Return an example's numbers and columns, if all of its names are known."""
        if type(x) is not dict and not isinstance(x, Mapping):
            raise not_features(x)
        names: Any = x
        numbers: Any = x.values()
        plain = _NUMBERS.issuperset(map(type, numbers)) and _NAMES.issuperset(map(type, x))
        if not plain:
            names, numbers = features_of(x)
        n, weights = len(names), self._arrays[0]
        columns, values = np.empty(n + FRONT, np.int32), np.empty(n + FRONT, weights.dtype)
        columns[0], columns[1] = 0, n
        try:
            columns[FRONT:] = list(map(self._columns.__getitem__, names))
            with np.errstate(over="ignore"):
                values[FRONT:] = list(numbers)
        except (KeyError, OverflowError):
            return None
        if not n or columns[FRONT:].max() >= weights.shape[1]:
            return None
        if not np.isfinite(values[FRONT:]).all():
            return None
        if _API is not None and plain:
            # The next one may well have the same keys.
            addresses = np.fromiter(map(id, x), np.int64, n)
            front = self._control, addresses, np.empty_like(values), columns
            if self._plan is None:
                self._compiled = (
                    for_types_of(learn_dict, *front, 0, 0.0, *self._arrays),
                    for_types_of(score_dict, *front, 0, *self._arrays),
                )
            self._plan = _Plan(tuple(x), front, *self._compiled)
        return values, columns
