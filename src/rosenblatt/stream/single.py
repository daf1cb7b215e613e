"""The way of one example into a model of two classes, without detours.

It holds the arrays of a state, which change in place, and counts by itself. What it cannot do it
leaves to the long way, which is for everything.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.dicts import ADDRESSES, interpreter
from rosenblatt.kernels.single import (
    BIAS,
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

_API = interpreter()
_NUMBERS = frozenset((float, int, bool, np.float64, np.float32, np.int64))
_NO_TOTAL = np.zeros((1, 0), order="F"), np.zeros(1)


class Single:
    """A perceptron or averaged perceptron of two classes, for one dict at a time."""

    def __init__(self, state: Any, known: dict[str, int]) -> None:
        self._known = known
        total = getattr(state, "total", None)
        sums = _NO_TOTAL if total is None else (total, state.total_intercept)
        self._arrays: tuple[Any, ...] = state.weights, state.intercept, *sums
        self._desk = np.zeros(DESK, np.int64)
        if _API is not None:
            self._desk[:ADDRESSES] = _API
        self._desk[BIAS], self._desk[TIES] = state.fit_intercept, state.ties
        self._desk[STEPS], self._desk[UPDATES] = state.steps, state.updates
        self._row: Any = None

    @property
    def counts(self) -> tuple[int, int]:
        """The steps and the updates so far."""
        return int(self._desk[STEPS]), int(self._desk[UPDATES])

    def learn(self, x: Mapping[Any, Any], y: float) -> int:
        """Learn from a dict: 1 is a mistake, 0 none, and less that it must go the long way."""
        if self._row is not None and type(x) is dict:
            given: Any = self._desk, id(x), *self._row, y, *self._arrays
            done: int = learn_dict(*given)
            if done != NOT_THIS:
                return done
        row = self._row_of(x)
        return NOT_THIS if row is None else int(learn_row(self._desk, *row, y, *self._arrays))

    def score(self, x: Mapping[Any, Any]) -> float:
        """Score a dict; NaN says that it must go the long way."""
        if self._row is not None and type(x) is dict:
            score: float = score_dict(self._desk, id(x), *self._row, *self._arrays)
            if score == score:
                return score
        row = self._row_of(x)
        return np.nan if row is None else float(score_row(self._desk, *row, *self._arrays))

    def _row_of(self, x: Mapping[Any, Any]) -> tuple[Array, Array] | None:
        """Return an example's numbers and columns, if all is plain numbers under known names."""
        if not _NUMBERS.issuperset(map(type, x.values())):
            return None
        n, dtype = len(x), self._arrays[0].dtype
        columns, values = np.empty(n + FRONT, np.int32), np.empty(n + FRONT, dtype)
        columns[0], columns[1] = 0, n
        try:
            columns[FRONT:] = list(map(self._known.__getitem__, x))
            with np.errstate(over="ignore"):
                values[FRONT:] = list(x.values())
        except (KeyError, TypeError, OverflowError):
            return None
        if not np.isfinite(values[FRONT:]).all():
            return None
        self._expect(x, values, columns)
        return values, columns

    def _expect(self, x: Mapping[Any, Any], values: Array, columns: Array) -> None:
        """Be ready for the next one, which may well have the same keys."""
        self._row = None
        if _API is not None and all(type(key) is str for key in x):
            self._keys = tuple(x)  # kept, so that they stay where they are
            addresses = np.fromiter(map(id, self._keys), np.int64, len(x))
            self._desk = np.concatenate([self._desk[:DESK], addresses])
            self._row = values, columns
