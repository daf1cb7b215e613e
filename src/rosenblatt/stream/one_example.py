"""The fast path of one example, for perceptrons and for steps that adapt to each feature.

It holds the arrays of a state, which change in place, and counts by itself. What it cannot do is
left to the slow path, which does everything.

It changes the arrays in one call that holds the interpreter's lock, so any number of threads may
use it. The slow path closes it first; while it is closed it does nothing.
"""

import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import for_types_of
from rosenblatt.kernels.online import one_example as kernels
from rosenblatt.kernels.online.one_example import FRONT, NOT_THIS, OWNER
from rosenblatt.kernels.simd import dicts
from rosenblatt.kernels.simd.addresses import address_of
from rosenblatt.learners import adaptive, online
from rosenblatt.readers.dict_rows import DictRows
from rosenblatt.readers.features import features_of, not_features
from rosenblatt.readers.names import Kept, Names
from rosenblatt.stream import rules
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.stream.scaling import MOST, Scaling

_API = dicts.interpreter()
_KEYS = frozenset((str, int))
_TEXTS = frozenset((str,))
_NUMBERS = frozenset((float, int, bool, np.float64, np.float32, np.int64))
_MOST_CACHED = 32 << 20  # bytes of names whose columns are cached
_SLOT = 200  # bytes that the dicts need for a name, without the name itself
_WIDTH = 64
_COUNTS = {"steps": kernels.STEPS, "updates": kernels.UPDATES}
_MORE_COUNTS = {"mistakes": kernels.MISTAKES, "averaged": kernels.AVERAGED}
_LEARN = {
    (False, False): kernels.learn_two,
    (False, True): kernels.learn_many,
    (True, False): kernels.adapt_two,
    (True, True): kernels.adapt_many,
}


class _Plan(NamedTuple):
    """The keys of an example, as they lie in it, and what compiled code wants to know of them.

    It holds the keys and the dicts of their categories, so that their addresses stay valid.
    """

    keys: tuple[Any, ...]
    groups: tuple[Any, ...]
    table: Array


_NO_PLAN = _Plan((), (), np.zeros((3, 0), np.int64))


class Lookup:
    """The columns of names, and of the categories of each key, as far as they are cached.

    Compiled code reads these dicts, so they have no other keys than plain strings and whole
    numbers, which stand for the names that they are written as. All keep at most so many bytes.
    """

    def __init__(self, dtype: str) -> None:
        self.names: dict[Any, int] = {}
        self.categories: dict[Any, dict[str, int]] = {}
        self._size, self._dtype = 0, dtype
        self._features, self._complete, self._plain = 0, True, True
        self.plan = _NO_PLAN
        self._last_keys: tuple[Any, ...] = ()
        self.buffers = self._buffers(_WIDTH)

    def _buffers(self, size: int) -> tuple[Array, Array]:
        return np.empty(size + FRONT, np.int32), np.empty(size + FRONT, self._dtype)

    def unknown(self, names: Names) -> int:
        """Say what has no column yet if it is not here: 1 for names, 2 for categories as well."""
        complete = self._complete and names.n_features == self._features
        return 0 if not complete or not isinstance(names, Kept) else 1 + self._plain

    def remember(self, names: list[str], columns: list[int]) -> None:
        """Cache the columns of names."""
        # Names already there are counted again: it is only a limit.
        size = 2 * sum(map(sys.getsizeof, names)) + _SLOT * len(names)
        if self._size + size > _MOST_CACHED:
            self.names.clear()
            self.categories.clear()
            self._size, self.plan, self._complete = 0, _NO_PLAN, False
        if size <= _MOST_CACHED:
            self.names.update(zip(names, columns, strict=True))
            self._size += size
        else:
            self._complete = False

    def learned(self, x: Mapping[Any, Any], before: int, now: int) -> None:
        """Take note of an example with which the features became more."""
        self._complete &= before == self._features
        self._plain &= self.plan_for(x)
        self._features = now

    def plan_for(self, x: Mapping[Any, Any]) -> bool:
        """Get ready for examples with the keys and categories of this one; False if in vain."""
        if _API is None or type(x) is not dict:
            return False
        items, plain = list(x.items()), True
        if _NUMBERS.issuperset(map(type, x.values())) and _TEXTS.issuperset(map(type, x)):
            items, plain = [], "=" not in "".join(x)  # as below, for words and numbers alone
        for key, value in items:
            name = key if type(key) is str else str(key)
            if type(key) not in _KEYS:
                return False
            plain &= "=" not in name  # else it might be the name of a category
            kind = type(value)
            if kind is str:
                column = self.names.get(f"{name}={value}") if value else dicts.NOTHING
                if column is not None:
                    group = self.categories.setdefault(name, {})
                    group[value] = column
                    self.categories[key] = group
            elif kind in _NUMBERS:
                if key is not name and name in self.names:
                    self.names[key] = self.names[name]
            elif value is not None:
                return False
        keys, last = tuple(x), self._last_keys
        self._last_keys = keys
        # Another plan is of use only for keys that come again.
        if keys == last and not (keys == self.plan.keys and self._is_planned()):
            if len(keys) + FRONT > len(self.buffers[0]):
                self.buffers = self._buffers(2 * len(keys))
            groups = tuple(map(self.categories.get, keys))
            columns = [self.names.get(key, dicts.NOTHING) for key in keys]
            addresses = [0 if group is None else id(group) for group in groups]
            table = np.array([list(map(id, keys)), columns, addresses], np.int64).reshape(3, -1)
            self.plan = _Plan(keys, groups, table)
        elif len(keys) + FRONT > len(self.buffers[0]):
            self.buffers = self._buffers(2 * len(keys))
        return plain

    def _is_planned(self) -> bool:
        pairs = zip(self.plan.keys, self.plan.groups, strict=True)
        return all(group is not None or key in self.names for key, group in pairs)

    def row_of(self, names: list[str], values: Any) -> tuple[Array, Array] | None:
        """Return an example's columns and numbers, if all of its names are cached."""
        try:
            found = list(map(self.names.__getitem__, names))
        except KeyError:
            return None
        return self.row(found, values)

    def row(self, columns: Any, values: Any) -> tuple[Array, Array] | None:
        """Return the columns and numbers of an example as compiled code wants them."""
        given = self._buffers(len(columns))
        given[0][:FRONT] = 0, len(columns)
        given[0][FRONT:] = columns
        if type(values) is np.ndarray and values.dtype == given[1].dtype:  # they were checked
            given[1][FRONT:] = values
            return given
        try:
            with np.errstate(over="ignore"):
                given[1][FRONT:] = values
        except OverflowError:
            return None
        return given if np.isfinite(given[1][FRONT:]).all() else None


class Single:
    """A learner for one dict at a time.

    ``begin`` is what a column of numbers is at first; see `rosenblatt.kernels.online.standardize`.
    """

    def __init__(
        self,
        options: Options,
        state: Any,
        lookup: Lookup,
        classes: list[Any],
        scaling: Scaling | None,
        sum_squares: Array,
        begin: int,
    ) -> None:
        rule = rule_of(options)
        self._lookup, self.classes = lookup, classes
        self.codes: dict[Any, int] = {label: k for k, label in enumerate(classes)}
        self._desk, self._numbers = np.zeros(kernels.DESK, np.int64), np.zeros(kernels.N_NUMBERS)
        self._counts = _COUNTS | _MORE_COUNTS if rule.adapts else _COUNTS
        for name, at in self._counts.items():
            self._desk[at] = getattr(state, name)
        desk, numbers = self._desk, self._numbers
        if _API is not None:
            desk[: dicts.ADDRESSES] = _API
        desk[dicts.NUMBERS], desk[dicts.CATEGORIES] = id(lookup.names), id(lookup.categories)
        desk[kernels.BIAS], desk[kernels.BEGIN] = state.fit_intercept, begin
        desk[kernels.SCALED], numbers[kernels.MOST] = scaling is not None, MOST
        averages = hasattr(state, "total")
        if rule.adapts:
            pace = adaptive.pace_of(
                state, **rules.pace(options), usual=rules.usual(options, scaling)
            )
            desk[kernels.LOSS], numbers[kernels.ETA], numbers[kernels.L2] = pace[:3]
            numbers[kernels.USUAL], numbers[kernels.LENGTHS] = pace.usual, sum_squares[0]
            numbers[kernels.TOTAL_LOSS], averages = state.loss_sum, options.average
        else:
            desk[kernels.TIES], desk[kernels.AVERAGED] = state.ties, state.steps
        self._mean = bool(averages)
        self._out = np.empty(len(state.intercept))
        self._arrays = self._put_on_the_desk(state, (scaling or Scaling()).arrays())
        front = desk, lookup.plan.table, *lookup.buffers
        learn = _LEARN[rule.adapts, len(self._out) > 1]
        self._learn = for_types_of(learn, *front, 0, 0, self._mean)
        self._score = for_types_of(kernels.score, *front, self._out, 0, self._mean)

    def _put_on_the_desk(self, state: Any, columns: tuple[Array, ...]) -> list[Array]:
        """Note the addresses of arrays, and return these, so that they stay alive."""
        desk, kept = self._desk, [self._numbers, *columns]
        weights = online.whole(state.weights)
        desk[kernels.NUMBERS] = address_of(self._numbers)
        for number, array in enumerate(columns):
            desk[kernels.COLUMNS + number] = address_of(array)
        desk[kernels.N_PLACES], desk[kernels.N_COLUMNS] = len(columns[0]), len(columns[1])
        for number, name in enumerate(("weights", "sums", "roots", "total")):
            if hasattr(state, name):
                wide = online.whole(getattr(state, name))
                flat = getattr(state, "intercept" if name == "weights" else f"{name}_intercept")
                assert wide.flags.f_contiguous
                assert flat.flags.c_contiguous
                assert (wide.shape, len(flat)) == (weights.shape, len(state.intercept))
                desk[kernels.WEIGHTS + number] = address_of(wide)
                desk[kernels.INTERCEPTS + number] = address_of(flat)
                kept += [wide, flat]
        desk[kernels.CLASSES], desk[kernels.ROWS] = len(state.intercept), len(weights)
        desk[kernels.WIDTH] = weights.shape[1]
        return kept

    @property
    def sum_squares(self) -> Array:
        """The sum of the squared lengths of all rows so far, which changes in place."""
        return self._numbers[kernels.LENGTHS : kernels.LENGTHS + 1]

    @property
    def counts(self) -> dict[str, Any]:
        """What the state counts, as it is now."""
        found: dict[str, Any] = {name: int(self._desk[at]) for name, at in self._counts.items()}
        if "mistakes" in found:
            found["loss_sum"] = float(self._numbers[kernels.TOTAL_LOSS])
        return found

    @property
    def closed(self) -> bool:
        """Whether all calls must take the slow path."""
        return bool(self._desk[kernels.CLOSED])

    @closed.setter
    def closed(self, closed: bool) -> None:
        self._desk[kernels.CLOSED] = closed

    def leave_out(self, unknown: int) -> None:
        """Say what predictions may leave out; see `Lookup.unknown`."""
        self._desk[kernels.COMPLETE] = unknown

    def learn(self, x: Mapping[Any, Any], y: int) -> int:
        """Learn from a dict: 1 is a mistake, 0 none; −1, take the slow path; −2 an overflow."""
        if type(x) is dict and _API is not None:
            # Read once: another thread may replace it, and the keys must stay alive.
            lookup = self._lookup
            plan, buffers = lookup.plan, lookup.buffers
            done: int = self._learn(self._desk, plan.table, *buffers, y, id(x), self._mean)
            if done != NOT_THIS:
                return done
        return NOT_THIS

    def learn_features(self, x: Mapping[Any, Any], names: list[str], values: Any, y: int) -> int:
        """Learn from the features of an example, if all of them are cached."""
        row = self._lookup.row_of(names, values)
        if row is None:
            return NOT_THIS
        self._lookup.plan_for(x)
        return self._learn_row(0, row, y)

    def learn_row(self, columns: Any, values: Array, y: int) -> int:
        """Learn from a row, as the owner of the weights."""
        row = self._lookup.row(columns, values)
        return NOT_THIS if row is None else self._learn_row(OWNER, row, y)

    def _learn_row(self, who: int, row: tuple[Array, Array], y: int) -> int:
        return int(self._learn(self._desk, _NO_PLAN.table, *row, y, who, self._mean))

    def predict(self, x: Mapping[Any, Any]) -> int:
        """Return the number of a dict's class; −1, take the slow path."""
        return self._scored_dict(x, self._out)

    def scores(self, x: Mapping[Any, Any]) -> list[float] | None:
        """Return the scores of a dict, one for two classes; None, take the slow path."""
        out = np.empty_like(self._out)
        return None if self._scored_dict(x, out) == NOT_THIS else out.tolist()

    def scores_of_row(self, columns: Array, values: Array) -> Array | None:
        """Return the scores of a row, as the owner of the weights."""
        row, out = self._lookup.row(columns, values), np.empty_like(self._out)
        if row is None or self._score_row(OWNER, row, out) == NOT_THIS:
            return None
        return out

    def _scored_dict(self, x: Mapping[Any, Any], out: Array) -> int:
        if type(x) is dict and _API is not None:
            lookup = self._lookup
            plan, buffers = lookup.plan, lookup.buffers
            done: int = self._score(self._desk, plan.table, *buffers, out, id(x), self._mean)
            if done != NOT_THIS:
                return done
        row = self._row_of(x)
        return NOT_THIS if row is None else self._score_row(0, row, out)

    def _score_row(self, who: int, row: tuple[Array, Array], out: Array) -> int:
        return int(self._score(self._desk, _NO_PLAN.table, *row, out, who, self._mean))

    def _row_of(self, x: Mapping[Any, Any]) -> tuple[Array, Array] | None:
        """Return an example's columns and numbers, if all of its names are cached."""
        if type(x) is not dict and not isinstance(x, Mapping):
            raise not_features(x)
        row = self._lookup.row_of(*features_of(x))
        if row is not None:
            self._lookup.plan_for(x)
        return row


class TableSingle(Single):
    """A learner for dicts that are rows of a table, of which it is known what its columns hold."""

    def __init__(self, rows: DictRows, *given: Any) -> None:
        super().__init__(*given)
        self._rows = rows

    def learn(self, x: Mapping[Any, Any], y: int) -> int:
        """Learn from a dict, once its values are features."""
        return super().learn(self._rows.plain(x), y)

    def _scored_dict(self, x: Mapping[Any, Any], out: Array) -> int:
        return super()._scored_dict(self._rows.plain(x), out)
