"""What learns from one example at a time: the fast path, and the lock around the slow one."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse, frozen
from rosenblatt.kernels.online.standardize import DENSE, SPARSE
from rosenblatt.learners import online
from rosenblatt.readers.dict_rows import DictRows, Part
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered
from rosenblatt.stream.explaining import Contributions
from rosenblatt.stream.model import StreamModel, exclusive
from rosenblatt.stream.one_example import (
    LEARNED,
    OVERFLOW,
    Buffers,
    RowSingle,
    Single,
    TableSingle,
    not_here,
)
from rosenblatt.stream.rules import Options, rule_of

T = TypeVar("T")
_FITS = float(np.finfo(np.float32).max)


class OneByOne(StreamModel):
    """A model that learns from dicts, one at a time, in any number of threads."""

    def _set_up(self, options: Options, names: Names, classes: Any = None) -> None:
        self._lock: Any = threading.RLock()
        self._buffers: Buffers | None = None
        self._one_by_one = rule_of(options).one_by_one
        super()._set_up(options, names, classes)

    def exclusively(self, work: Callable[[], T]) -> T:
        """Call a function while no other thread learns or predicts.

        The lock is taken by a plain ``with``, which Ctrl-C cannot leave with the lock held. The
        outermost call closes the fast path to other threads, and opens it again.
        """
        outermost = not self._lock._is_owned()
        with self._lock:
            try:
                if outermost and self._single is not None:
                    self._single.close()
                return work()
            finally:
                if outermost and self._single is not None:
                    self._single.open()

    @property
    def _state(self) -> Any:
        """The learner's state. To be used within `exclusively` only."""
        if self._single is not None:
            self._stored_state = self._stored_state._replace(**self._single.counts)
        return self._stored_state

    @_state.setter
    def _state(self, state: Any) -> None:
        self._stored_state, self._changed = state, True
        self._single: Single | None = None
        self._learn_fast: Callable[..., Any] = not_here
        self._predict_fast: Callable[..., Any] = not_here

    def _fast_path(self) -> Single | None:
        """Return the fast path for one example, if there is one."""
        return self._make_fast_path() if self._one_by_one else None

    @exclusive
    def _make_fast_path(self) -> Single | None:
        state = self._stored_state
        if self._single is None and state is not None and self._one_by_one:
            begin = SPARSE if isinstance(self._names, Numbered) else DENSE
            scaling, rows = self._scaling, self._dict_rows
            if isinstance(rows, ValueError) or (rows is not None and rows.has_texts):
                return None
            if scaling is not None and len(scaling.words):
                return None
            if self._buffers is None:
                self._buffers = Buffers(self._options.dtype)
            given = self._options, state, self._names, self._labels(), scaling, self._sum_squares
            single = self._single_of(rows, *given, begin, self._buffers, self._numbers_to_predict())
            if rule_of(self._options).adapts:
                self._sum_squares = single.sum_squares
            single.close()  # `exclusively` opens it
            self._single = single
            self._learn_fast, self._predict_fast = single.learn, single.predict
        return self._single

    def _single_of(self, rows: DictRows | None, *given: Any) -> Single:
        if rows is None:
            return Single(*given)
        return RowSingle(*given) if rows.whole else TableSingle(rows, *given)

    def _labels(self) -> list[Any]:
        """Return the classes."""
        return []

    def _numbers_to_predict(self) -> Array | None:
        """Return what is known of the numbers to predict, to be changed."""
        return None

    def _forget(self, n_features: int) -> None:
        super()._forget(n_features)
        self._buffers = None  # which may have cached the columns
        self._state = self._state

    def _make_room(self, size: int) -> None:
        """Let the fast path read examples with so many features."""
        if self._buffers is not None and size > self._buffers.width:
            self._buffers = self._buffers.wider(size)
            if self._single is not None:
                self._single.put_buffers(self._buffers)

    @exclusive
    def _learn_slowly(self, names: list[str], numbers: Array, y: Any, weight: float = 1.0) -> None:
        """Learn from features whose names may be new."""
        known = self.n_features_
        label = self._checked(y)
        try:
            columns = self._columns_of(names)
            if not self._learn_row(columns, numbers, y, weight):
                weights = None if weight == 1 else np.array([weight], np.float64)
                self.learn_rows(self._sparse(columns, numbers), label, weights)
        except MemoryError:
            self._forget(known)
            raise
        except online.NumberTooLargeError:
            self._forget(known)
            raise self._overflow() from None
        self._make_room(len(names))

    def _checked(self, y: Any) -> Array:
        """Return an array with one label; raise ``ValueError`` if it cannot be one."""
        return np.array([float(y)])

    def _code(self, single: Single, y: Any) -> Any:
        """Return what the fast path learns a label as; None if it does not know it."""
        return y

    def _columns_of(self, names: list[str]) -> Array:
        """Return the columns of names, giving new ones the next."""
        only_words = self._scaling is not None and self._scaling.only_words
        known = self.n_features_ if only_words else 0
        columns = self._names.columns(names)
        if only_words and isinstance(self._names, Kept):
            self._names.mark_words(known)  # as in a dict nothing else tells words from categories
        return columns

    def _learn_row(self, columns: Array, numbers: Array, y: Any, weight: float) -> bool:
        """Learn from a row on the fast path; False if it is not for that."""
        self._widen()
        single = self._single or self._fast_path()
        code = None if single is None else self._code(single, y)
        if single is None or code is None or (len(columns) and columns.min() < 0):
            return False
        done = single.learn_row(columns, numbers, code, float(weight))
        if done is OVERFLOW:
            raise self._overflow()
        self._changed = True
        return done is LEARNED

    @exclusive
    def _known_row(self, names: list[str], numbers: Array) -> Sparse:
        """Return the row of features, without those whose names are not known."""
        self._make_room(len(names))
        return self._sparse(self._names.known(names), numbers)

    def _dict_reader(self) -> DictRows | None:
        """Return what makes rows of dicts, where it takes more than names and values."""
        rows = self._dict_rows
        if isinstance(rows, ValueError):
            raise rows
        return rows if rows is not None and rows.whole else None

    def _to_predict(self, x: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return a dict; if nothing was learned, without NaN, which is no matter then.

        Of numbers that it has not seen yet River's `MinMaxScaler` makes NaN.
        """
        if self.t_ or not isinstance(x, Mapping):
            return x
        return {
            key: value for key, value in x.items() if not isinstance(value, float) or value == value
        }

    def _plain(self, x: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return a dict with the features as they are: those of a table's columns, if it is so."""
        return self._dict_rows.plain(x) if isinstance(self._dict_rows, DictRows) else x

    def _row_of(self, rows: DictRows, parts: list[Part], new: bool) -> Sparse:
        """Return the row of a dict with texts; ``new`` words get a column."""
        row = rows.row(parts, self._names, self._options.dtype, new)
        if not np.isfinite(row.values).all():
            for part in parts:
                if not isinstance(part, str):
                    self._numbers(*part)  # which names the one that is too large
            raise ValueError(
                f"a product of features is too large for {self._options.dtype}; scale them, or use "
                "dtype='float64'"
            )
        return frozen(row)

    def _row(self, x: Mapping[Any, Any]) -> tuple[list[str], Array]:
        """Return the names and values of an example's features."""
        names, values = features_of(x)  # may run code of the caller: not with the lock held
        return names, self._numbers(names, values)

    def _numbers(self, names: list[str], values: list[float]) -> Array:
        """Return the values as an array, if they fit."""
        if not values or -_FITS < min(values) <= max(values) < _FITS:
            return np.array(values, self._options.dtype)
        with np.errstate(over="ignore"):
            numbers = np.array(values, self._options.dtype)
        if not np.isfinite(numbers).all():
            at = int(np.argmin(np.isfinite(numbers)))
            raise ValueError(
                f"feature {names[at]!r} is {values[at]:.3g}, which is too large for "
                f"{self._options.dtype}; scale it, or use dtype='float64'"
            )
        return numbers

    def _sparse(self, columns: Array, numbers: Array) -> Sparse:
        known = columns >= 0
        if not known.all():
            columns, numbers = columns[known], numbers[known]
        indptr = np.array([0, len(columns)], np.int32)
        return frozen(Sparse(indptr, columns.astype(np.int32), numbers))

    def _overflow(self) -> online.NumberTooLargeError:
        what = "this example makes a score or a weight"
        return online.too_large(what, np.dtype(self._options.dtype))

    def _contributions_one(
        self, x: Mapping[Any, Any]
    ) -> tuple[list[str], Contributions, list[Any]]:
        """Return the features of a dict, what each contributes to its scores, and the classes."""
        rows = self._dict_reader()
        parts = None if rows is None else rows.parts(x)
        names, values = ([], []) if parts is not None else self._row(self._plain(x))

        def found() -> tuple[list[str], Contributions, list[Any]]:
            if rows is not None and parts is not None:
                row, own = self._row_of(rows, parts, False), {}
            else:
                columns = self._names.known(names)
                row = self._sparse(columns, np.asarray(values))
                own = {} if not isinstance(self._names, Hashed) else _joined(columns, names)
            made = self.contributions(row)
            shown = [own.get(j) or self._names.name(j) or f"#{j}" for j in made.columns.tolist()]
            return shown, made, getattr(self, self._of_labels).tolist()

        return self.exclusively(found)


def _joined(columns: Array, names: list[str]) -> dict[int, str]:
    """Return the name of each hashed column, or its names if some have the same."""
    found: dict[int, str] = {}
    for column, name in zip(columns.tolist(), names, strict=True):
        found[column] = f"{found[column]}, {name}" if column in found else name
    return found
