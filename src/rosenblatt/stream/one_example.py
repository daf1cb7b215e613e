"""The fast path of one example, for perceptrons, learners of margins, and steps that adapt.

It holds the arrays of a state and of the names, which change in place, and counts by itself. What
it cannot do is left to the slow path, which does everything.

It changes the arrays in one call that holds the interpreter's lock, so any number of threads may
use it. The slow path closes it first; while it is closed it does nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import method_of
from rosenblatt.kernels.online import one_example as kernels
from rosenblatt.kernels.online.arow import LEAST
from rosenblatt.kernels.online.one_example import FRONT
from rosenblatt.kernels.simd import dicts
from rosenblatt.kernels.simd import interpreter as python
from rosenblatt.kernels.simd.addresses import address_of
from rosenblatt.kernels.simd.interpreter import ADDRESSES, interpreter, to_count_up
from rosenblatt.learners import adaptive, arow, online, passive_aggressive
from rosenblatt.readers.dict_rows import DictRows
from rosenblatt.readers.names import Hashed, Kept, Names
from rosenblatt.stream import rules
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.stream.scaling import MOST, Scaling

_API = interpreter()
# What the fast path returns beside what it predicts: it has learned, somebody else has to do it, or
# a number would overflow.
LEARNED, NOT_HERE, OVERFLOW = None, NotImplemented, False
_NEVER = np.zeros(1, np.int64)
_WIDTH = 64  # features, for which there is room at first
_COUNTS = {"steps": kernels.STEPS, "updates": kernels.UPDATES}
_MISTAKES = {"mistakes": kernels.MISTAKES}
_AVERAGED = {"averaged": kernels.AVERAGED}
_ARRAYS = (("weights",), ("sums", "evidence"), ("roots",), ("total",))


class Buffers:
    """Where compiled code reads an example to, and caches the columns of names.

    The cache holds the names, so that an address of one is that of no other.
    """

    def __init__(self, dtype: str, width: int = _WIDTH) -> None:
        self.columns, self.values = (
            np.zeros(width + FRONT, np.int32),
            np.zeros(width + FRONT, dtype),
        )
        self.held = np.full(2 * width, None, object)
        self.cached, self.scratch = (
            np.zeros(width, np.int32),
            np.zeros(dicts.LONGEST, np.uint8),
        )

    @property
    def width(self) -> int:
        """How many features an example may have."""
        return len(self.values) - FRONT

    def wider(self, width: int) -> "Buffers":
        """Return some for examples of so many features."""
        return Buffers(self.values.dtype.name, 1 << (width - 1).bit_length())


def not_here(*_: Any) -> Any:
    """Leave an example to the slow path."""
    return NOT_HERE


class Single:
    """A learner for one dict at a time.

    ``learn`` is called with a dict and its label, or with a dict, the number of the
    label or the number to predict, and a weight as a float; ``predict`` is called with a dict. Both
    may return `NOT_HERE`.
    ``begin`` is what a column of numbers is at first; see `rosenblatt.kernels.online.standardize`.
    ``target`` is what is known of numbers to predict, if it does that.
    """

    def __init__(
        self,
        options: Options,
        state: Any,
        names: Names,
        classes: list[Any],
        scaling: Scaling | None,
        sum_squares: Array,
        begin: int,
        buffers: Buffers,
        target: Array | None = None,
    ) -> None:
        rule = rule_of(options)
        self._names, self.classes = names, classes
        self.codes: dict[Any, int] = {label: k for k, label in enumerate(classes)}
        self._labels = np.array(list(map(id, classes)), np.int64)
        self._desk, self._numbers = np.zeros(kernels.DESK, np.int64), np.zeros(kernels.N_NUMBERS)
        desk, numbers = self._desk, self._numbers
        self._counts = _COUNTS | (_MISTAKES if hasattr(state, "mistakes") else {})
        self._counts |= _AVERAGED if rule.adapts else {}
        for name, at in self._counts.items():
            desk[at] = getattr(state, name)
        if _API is not None:
            desk[:ADDRESSES] = _API
        desk[kernels.BIAS], desk[kernels.BEGIN] = state.fit_intercept, begin
        desk[kernels.SCALED], numbers[kernels.MOST] = scaling is not None, MOST
        desk[kernels.MEAN] = hasattr(state, "total")
        if rule.adapts:
            pace = adaptive.pace_of(
                state, **rules.pace(options), usual=rules.usual(options, scaling)
            )
            desk[kernels.LOSS], numbers[kernels.ETA], numbers[kernels.L2] = pace[:3]
            numbers[kernels.L1], desk[kernels.HALF_LIFE] = pace.l1, pace.half_life
            numbers[kernels.USUAL], numbers[kernels.LENGTHS] = pace.usual, sum_squares[0]
            numbers[kernels.TOTAL_LOSS], desk[kernels.MEAN] = state.loss_sum, options.average
        else:
            desk[kernels.TIES], desk[kernels.AVERAGED] = state.ties, state.steps
            numbers[kernels.PRICE], desk[kernels.VARIANT] = _price(options, rule.module)
        self._adapts, self._out = rule.adapts, np.empty(len(state.intercept))
        desk[kernels.INTERCEPTS + kernels.OUT] = address_of(self._out)
        desk[dicts.DESK_AT], desk[kernels.FALSE] = address_of(desk), id(False)
        desk[kernels.NOT_IMPLEMENTED], desk[python.NONE] = id(NotImplemented), id(None)
        desk[python.HOLD] = to_count_up()
        desk[kernels.LABELS], desk[kernels.N_LABELS] = address_of(self._labels), len(classes)
        self._kind = True if options.dtype == "float64" else None
        self._kept = self._put_on_the_desk(state, scaling or Scaling(), target)
        self._target = target
        self.put_names()
        self.put_buffers(buffers)
        self._many = len(self._out) > 1
        self._learn_it = method_of(_loop(rule, self._many), desk, self._kind)
        self._predict_it = method_of(kernels.predict, desk, self._kind)
        self._scores: Any = None  # seldom needed
        self.learn, self.predict = self._ways(self._learn_it, self._predict_it)

    def _ways(self, learn: Callable[..., Any], predict: Callable[..., Any]) -> tuple[Any, Any]:
        """Return how dicts are learned from and predicted."""
        return learn, predict

    def _plain(self, x: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
        """Return a dict of features; None, if it takes more than names and values to make a row."""
        return x

    def _put_on_the_desk(self, state: Any, scaling: Scaling, target: Array | None) -> list[Array]:
        """Note the addresses of arrays, and return these, so that they stay alive."""
        desk, columns = self._desk, scaling.arrays()
        kept = [self._numbers, *columns, *(() if target is None else (target,))]
        weights = online.whole(state.weights)
        desk[kernels.NUMBERS] = address_of(self._numbers)
        desk[kernels.TARGETS] = 0 if target is None else address_of(target)
        for number, array in enumerate(columns):
            desk[kernels.COLUMNS + number] = address_of(array)
        desk[kernels.N_PLACES] = len(columns[0])
        desk[kernels.N_COLUMNS] = min(len(columns[1]), len(columns[-1]))
        for number, names in enumerate(_ARRAYS):
            for name in names:
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

    def put_names(self) -> None:
        """Note where the names are, as the owner of the weights: they may have moved."""
        desk, names = self._desk, self._names
        if isinstance(names, Kept):
            book = names.dictionary
            for number, array in enumerate(book):
                desk[dicts.BOOK + number] = address_of(array)
            desk[dicts.SIZES : dicts.SIZES + 3] = len(book[0]), len(book[1]), len(book.slots)
            desk[dicts.KIND], desk[dicts.EXTENT] = dicts.KEPT, not names.frozen
        elif isinstance(names, Hashed):
            desk[dicts.KIND], desk[dicts.EXTENT] = dicts.HASHED, names.mask
        else:
            desk[dicts.KIND], desk[dicts.EXTENT] = dicts.NUMBERED, names.n_features
        moves = names.moves if isinstance(names, Kept) else _NEVER
        desk[kernels.MOVES], desk[kernels.MOVED] = address_of(moves), moves[0]
        self._dictionary = names.dictionary, moves  # whose arrays stay alive

    def put_buffers(self, buffers: Buffers) -> None:
        """Use other buffers, as the owner of the weights."""
        desk = self._desk
        desk[kernels.INDICES] = address_of(buffers.columns)
        desk[kernels.VALUES] = address_of(buffers.values)
        desk[kernels.N_BUFFERS] = len(buffers.values)
        desk[dicts.HELD], desk[dicts.CACHED] = address_of(buffers.held), address_of(buffers.cached)
        desk[dicts.N_CACHED], desk[dicts.SCRATCH] = len(buffers.cached), address_of(buffers.scratch)
        self._buffers = buffers

    @property
    def sum_squares(self) -> Array:
        """The sum of the squared lengths of all rows so far, which changes in place."""
        return self._numbers[kernels.LENGTHS : kernels.LENGTHS + 1]

    @property
    def counts(self) -> dict[str, Any]:
        """What the state counts, as it is now."""
        found: dict[str, Any] = {name: int(self._desk[at]) for name, at in self._counts.items()}
        if self._adapts:
            found["loss_sum"] = float(self._numbers[kernels.TOTAL_LOSS])
        return found

    @property
    def closed(self) -> bool:
        """Whether all calls must take the slow path."""
        return bool(self._desk[kernels.CLOSED])

    def close(self) -> None:
        """Send all calls to the slow path."""
        self._desk[kernels.CLOSED] = True

    def open(self) -> None:
        """Let others in, as the owner of the weights."""
        self.put_names()
        self._desk[kernels.CLOSED] = False

    def scores(self, x: Mapping[Any, Any]) -> list[float] | None:
        """Return the scores of a dict, one for two classes; None, take the slow path."""
        plain = self._plain(x)
        found = None if plain is None else self._scores_of(plain)
        return None if found is None else found.tolist()

    def learn_row(self, columns: Any, values: Array, y: Any, weight: float = 1.0) -> Any:
        """Learn from a row, as the owner of the weights."""
        self._write(columns, values)
        self._numbers[kernels.WEIGHT] = weight
        if self._target is None:
            self._desk[kernels.TARGET] = y
        else:
            self._numbers[kernels.ONE] = y
        return self._learn_it(self._desk)

    def scores_of_row(self, columns: Array, values: Array) -> Array | None:
        """Return the scores of a row, as the owner of the weights."""
        self._write(columns, values)
        return self._scores_of(self._desk)

    def _scores_of(self, x: Any) -> Array | None:
        """Return the scores of a dict, or of the row that was written; None, if that cannot be."""
        out = np.empty(len(self._out))
        if self._scores is None:
            self._scores = method_of(kernels.scores, self._desk, self._kind)
        return None if self._scores(x, out) is NOT_HERE else out

    def _write(self, columns: Any, values: Array) -> None:
        """Write a row to where compiled code reads it."""
        size = len(columns)
        if size > self._buffers.width:
            self.put_buffers(self._buffers.wider(size))
        given = self._buffers
        given.columns[:FRONT] = 0, size
        given.columns[FRONT : FRONT + size] = columns
        given.values[FRONT : FRONT + size] = values


class TableSingle(Single):
    """A learner for dicts that are rows of a table, of which it is known what its columns hold."""

    def __init__(self, rows: DictRows, *given: Any) -> None:
        self._rows = rows
        super().__init__(*given)

    def _ways(self, learn: Callable[..., Any], predict: Callable[..., Any]) -> tuple[Any, Any]:
        plain = self._rows.plain
        return lambda x, *given: learn(plain(x), *given), lambda x: predict(plain(x))

    def _plain(self, x: Mapping[Any, Any]) -> Mapping[Any, Any]:
        return self._rows.plain(x)


class RowSingle(Single):
    """A learner for rows, where it takes more than the names and values of a dict to make one."""

    def _ways(self, learn: Callable[..., Any], predict: Callable[..., Any]) -> tuple[Any, Any]:
        return not_here, not_here

    def _plain(self, x: Mapping[Any, Any]) -> None:
        return None


def _loop(rule: rules.StreamRule, many: bool) -> Any:
    """Return the compiled function that learns from one example."""
    if rule.predicts_numbers:
        return kernels.adapt_number
    if rule.adapts:
        return kernels.adapt_many if many else kernels.adapt_two
    if rule.module is arow:
        return kernels.confident_many if many else kernels.confident_two
    if rule.module is passive_aggressive:
        return kernels.aggressive_many if many else kernels.aggressive_two
    return kernels.learn_many if many else kernels.learn_two


def _price(options: Options, module: Any) -> tuple[float, int]:
    """Return C or r of a learner that wants a margin, and its variant."""
    eta0 = 1.0 if isinstance(options.eta0, str) else float(options.eta0)
    if module is arow:
        return max(float(1 / eta0), LEAST), 0
    return eta0, passive_aggressive.VARIANTS[options.loss]
