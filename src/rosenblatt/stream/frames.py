"""Data frames for models that learn one example at a time: a row is a dict of its columns.

A frame is learned from as its rows one after the other, to the last bit; rows of numbers alone are
learned as a block, which is faster. Neither pandas nor polars is imported here.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from rosenblatt.data.checks import is_finite
from rosenblatt.data.frames import columns_of, is_frame, is_missing
from rosenblatt.data.labels import as_labels, check_labels, union
from rosenblatt.data.rows import Array, Sparse, frozen
from rosenblatt.learners import online
from rosenblatt.readers.dict_rows import DictRows
from rosenblatt.readers.features import features_of
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.stream.scaling import Scaling

_NUMBERS = "fiub"
_BLOCK = 1 << 12
_LARGE = 1e9  # Larger numbers might overflow somewhere; one at a time shows where.


class TakesFrames:
    """`learn_many` and `predict_many`."""

    _names: Any
    _scaling: Scaling | None
    _dict_rows: Any
    _options: Any
    n_features_: int
    predicts_numbers: bool

    def learn_many(self, X: Any, y: Any, weights: Any = None, *, w: Any = None) -> Self:
        """Learn from the rows of a data frame in order, each a dict of its columns.

        It is the same as `learn_one` for each row, to the last bit. If something is wrong with a
        row or a label, nothing is learned. Only numbers that overflow are found on the way; the
        rows before are learned then.

        Parameters
        ----------
        X : data frame of pandas or polars
            The examples. What is missing is left out: None, NA, and NaN in a column of texts.
        y : series, array or list
            What is to be predicted of each row; an index is not looked at.
        weights : series, array, list or number, optional
            How much each row counts.
        w : optional
            The same under River's name.

        Returns
        -------
        self
        """
        if w is not None and weights is not None:
            raise TypeError("weights and w are the same; give one of them")
        names, columns = _columns(X, "learn_one(x, y)")
        labels = self._checked_labels(_listed(y))
        if len(labels) != len(X):
            raise ValueError(f"X has {len(X):,} rows and y has {len(labels):,}; it needs one each")
        given = _weights(weights if w is None else w, len(X))
        if self._are_plain(names, columns, labels, given):
            used = np.flatnonzero(given)
            for start in range(0, len(used), _BLOCK):
                part = used[start : start + _BLOCK]
                rows = np.column_stack([column[part] for column in columns])
                self._learn_block(names, rows, [labels[j] for j in part], given[part])
            return self
        for x in _rows(names, columns, len(X)):
            self._check(x)
        for x, label, weight in zip(
            _rows(names, columns, len(X)), labels, given.tolist(), strict=True
        ):
            self.learn_one(x, label, weight)
        return self

    def _are_plain(self, names: list[Any], columns: list[Any], labels: Any, weights: Any) -> bool:
        """Say whether rows can be learned as a block: if they are numbers, and nothing is odd."""
        kinds = {getattr(array, "dtype", np.dtype(object)).kind for array in columns}
        plain = {str(name) for name in names if type(name) in (str, int)}
        return (
            isinstance(self._names, Kept | Hashed)
            and self._dict_rows is None
            and kinds <= set(_NUMBERS)
            and 0 < len(plain) == len(names)
            and bool(len(weights) == 0 or weights.max() < _LARGE)
            and all(bool(np.all(np.abs(array.astype(np.float64)) < _LARGE)) for array in columns)
            and self._of_one_type(labels)
        )

    def _learn_block(self, names: list[Any], rows: Array, labels: list[Any], given: Array) -> None:
        self.exclusively(
            lambda: self._learn_exclusively(list(map(str, names)), rows, labels, given)
        )

    def _learn_exclusively(
        self, names: list[str], rows: Array, labels: list[Any], weights: Array
    ) -> None:
        known, only_words = self.n_features_, self._scaling is not None and self._scaling.only_words
        columns = self._names.columns(names)
        if only_words and isinstance(self._names, Kept):
            self._names.mark_words(known)
        n, width = rows.shape
        indptr = np.arange(0, (n + 1) * width, width, dtype=np.int32)
        indices = np.tile(columns.astype(np.int32), n)
        numbers = rows.astype(np.float64).astype(self._options.dtype).ravel()
        kind = object if labels and isinstance(labels[0], str) else None
        try:
            self.learn_rows(
                frozen(Sparse(indptr, indices, numbers)), np.array(labels, kind), weights
            )
        except online.NumberTooLargeError as error:
            if error.row == 0:
                self._forget(known)
            raise

    def _check(self, x: Mapping[Any, Any]) -> None:
        """Raise what `learn_one` would raise for a dict, whatever its label."""
        if isinstance(self._dict_rows, DictRows):
            self._dict_rows.parts(x)
        else:
            self._numbers(*features_of(x))

    def predict_many(self, X: Any) -> Any:
        """Return what is predicted for each row of a data frame, as `predict_one` does.

        Parameters
        ----------
        X : data frame of pandas or polars
            The examples.

        Returns
        -------
        series
            Of the same library, for pandas with the index of ``X``.
        """
        names, columns = _columns(X, "predict_one(x)")
        return _series(X, [self.predict_one(x) for x in _rows(names, columns, len(X))])

    def _checked_labels(self, labels: list[Any]) -> list[Any]:
        for row, y in enumerate(labels):
            if isinstance(y, bool) or not is_finite(y):
                raise ValueError(
                    f"row {row} of y: the number to predict must be a finite number, and {y!r} is "
                    "not"
                )
        return labels

    def _of_one_type(self, labels: list[Any]) -> bool:
        return True

    # What the models have.
    learn_one: Any
    predict_one: Any
    learn_rows: Any
    exclusively: Any
    _forget: Any
    _numbers: Any


class ClassifierFrames(TakesFrames):
    """The same, and `predict_proba_many`."""

    classes_: Array
    predict_proba_one: Any
    _label: Any

    def predict_proba_many(self, X: Any) -> Any:
        """Return the probabilities of each row of a data frame, as `predict_proba_one` does.

        Parameters
        ----------
        X : data frame of pandas or polars
            The examples.

        Returns
        -------
        data frame
            Of the same library, with a column for each class (of its name, for polars).
        """
        names, columns = _columns(X, "predict_proba_one(x)")
        found = [self.predict_proba_one(x) for x in _rows(names, columns, len(X))]
        classes = list(found[0]) if found else self.classes_.tolist()
        return _frame(X, {label: [row.get(label, 0.0) for row in found] for label in classes})

    def _checked_labels(self, labels: list[Any]) -> list[Any]:
        labels = [y if type(y) is str or type(y) is int else self._label(y) for y in labels]
        if labels:
            check_labels(as_labels(labels))
            if len(self.classes_):
                union(self.classes_, as_labels(list(dict.fromkeys(labels))))
        return labels

    def _of_one_type(self, labels: list[Any]) -> bool:
        known = set(map(type, self.classes_[:1].tolist()))
        return len(known | set(map(type, labels))) < 2


def _columns(X: Any, instead: str) -> tuple[list[Any], list[Any]]:
    """Return the names of a frame's columns and their values, as arrays if they are numbers."""
    if not is_frame(X) or not hasattr(X, "columns"):
        raise TypeError(
            f"X must be a data frame, and this is of type {type(X).__name__}; for one example as "
            f"a dict there is {instead}"
        )
    found = list(columns_of(X))
    names = [name for name, _ in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"there are two columns called {twice!r}; rename one of them")
    return names, [_values(column) for _, column in found]


def _values(column: Any) -> Any:
    array = np.asarray(column) if _is_numeric(column) else None
    if array is not None and array.dtype.kind in _NUMBERS:
        return array
    values = column.tolist() if hasattr(column, "tolist") else column.to_list()
    if getattr(column.dtype, "kind", "") == "O":  # in which pandas has NaN for None
        values = [None if is_missing(value) else value for value in values]
    return values


def _is_numeric(column: Any) -> bool:
    if isinstance(column.dtype, np.dtype):
        return column.dtype.kind in _NUMBERS
    # Of pandas' own types, and of polars', those without missing values.
    plain = getattr(column, "null_count", lambda: 1)() == 0
    return plain and bool(getattr(column.dtype, "is_numeric", lambda: False)())


def _rows(names: list[Any], columns: list[Any], n: int) -> Iterator[dict[Any, Any]]:
    if not names:
        yield from ({} for _ in range(n))
        return
    values = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns]
    for row in zip(*values, strict=True):
        yield dict(zip(names, row, strict=True))


def _listed(y: Any) -> list[Any]:
    """Return the labels of a series, an array or a list."""
    if isinstance(y, str | bytes | Mapping) or is_frame(y) or not hasattr(y, "__len__"):
        raise TypeError(f"y must have a label for each row, and this is of type {type(y).__name__}")
    for name in ("tolist", "to_list"):
        if hasattr(y, name):
            return list(getattr(y, name)())
    return list(y)


def _weights(weights: Any, n: int) -> Array:
    found = np.ones(n) if weights is None else np.array(weights, np.float64)
    if found.ndim == 0:
        found = np.full(n, float(found))
    if found.shape != (n,):
        raise ValueError(f"weights are of shape {found.shape}; each of the {n:,} rows needs one")
    bad = np.flatnonzero(~((found >= 0) & (found < np.inf)))
    if len(bad):
        raise ValueError(
            f"row {bad[0]}: weight={found[bad[0]]} must be a finite number, not negative"
        )
    return found


def _series(X: Any, values: list[Any]) -> Any:
    if hasattr(X, "iloc"):
        return sys.modules["pandas"].Series(values, index=X.index, dtype=_type_of(values))
    return sys.modules["polars"].Series(values)


def _type_of(values: list[Any]) -> Any:
    """Return the type of no values, or of None alone, of which pandas cannot know it."""
    return object if not values or values[0] is None else None


def _frame(X: Any, columns: dict[Any, list[float]]) -> Any:
    if hasattr(X, "iloc"):
        return sys.modules["pandas"].DataFrame(columns, index=X.index, dtype=np.float64)
    return sys.modules["polars"].DataFrame({str(name): c for name, c in columns.items()})
