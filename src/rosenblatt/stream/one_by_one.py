"""What learns from one example at a time: the fast path, and the lock around the slow one."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.kernels.online.one_example import OVERFLOW
from rosenblatt.kernels.online.standardize import DENSE, SPARSE
from rosenblatt.learners import online
from rosenblatt.readers.dict_rows import DictRows
from rosenblatt.readers.names import Kept, Names, Numbered
from rosenblatt.stream.model import StreamModel, exclusive
from rosenblatt.stream.one_example import Buffers, RowSingle, Single, TableSingle
from rosenblatt.stream.rules import Options, rule_of

T = TypeVar("T")


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
        if done == OVERFLOW:
            raise self._overflow()
        self._changed = True
        return done >= 0

    @exclusive
    def _known_row(self, names: list[str], numbers: Array) -> Sparse:
        """Return the row of features, without those whose names are not known."""
        self._make_room(len(names))
        return self._sparse(self._names.known(names), numbers)
