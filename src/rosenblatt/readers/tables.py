"""What csv.py and parquet.py share: columns of a table made into rows of features.

A column of numbers or truth values is a feature with the column's name; a column of strings is the
category ``column=value``, as `features_of` has it. A missing value adds nothing.

What each column holds is decided when a model learns, by the first rows that have a value in it
(`ColumnType`); it is kept in the model, and other files are read accordingly.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import Block, BlockBuilder, ColumnCache, DataError, ErrorLog, Group
from rosenblatt.readers.cells import Categories, Column
from rosenblatt.readers.column_types import TEXT, ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.formats import label_among, recognise, separator_of
from rosenblatt.readers.names import Names
from rosenblatt.readers.sources import MOST_AHEAD, Stream, arrow
from rosenblatt.readers.text import word_columns_of

_NAMED = 8  # columns that an error lists


class TableColumn(Protocol):
    """A column of a file, which may hold text or have a type."""

    name: str

    def guess(self, array: Any, builder: BlockBuilder) -> Column:
        """Return its numbers or strings, whichever the first rows hold."""

    def decide(self, array: Any) -> ColumnType | None:
        """Return what it holds, by some of its rows; None if these have no value."""

    def read(self, array: Any, kind: ColumnType, builder: BlockBuilder) -> Column:
        """Return its numbers or strings, given what it holds."""


class Roles(NamedTuple):
    """The role of each column of a file; text columns are among the features."""

    label: int | None
    weight: int | None
    texts: frozenset[int]
    features: tuple[int, ...]


def roles(columns: Sequence[str], reading: Reading, file: str) -> Roles:
    """Find the columns of the label, the weights, texts and features.

    The label is the column that ``reading.label`` names, or has as number (from 1 on, or from −1
    backwards). A file without it, or without a column of weights, has no labels or no weights,
    as is usual when a model predicts.
    """
    others = (reading.weight, *reading.drop) if reading.learning else ()
    for name in (*reading.text, *others):
        if name is not None and name not in columns:
            raise DataError(file, None, None, f"there is no column {name!r}; {_listed(columns)}")
    other = {reading.weight, *reading.text, *reading.drop}
    usable = [k for k, name in enumerate(columns) if name not in other]
    label = _label(columns, usable, reading.label, file)
    if label is None and reading.labelled:
        problem = f"there is no column {reading.label!r} for the labels (--label)"
        raise DataError(file, None, None, f"{problem}; {_listed(columns)}")
    weight = columns.index(reading.weight) if reading.weight in columns else None
    texts = frozenset(columns.index(name) for name in reading.text)
    features = tuple(sorted(({*usable} | texts) - {label, weight}))
    known = {column.name for column in reading.columns}
    if known and not reading.learning:
        features = tuple(k for k in features if columns[k] in known)
    name, times = Counter(columns[k] for k in features).most_common(1)[0] if features else ("", 0)
    if times > 1:
        problem = f"{times} columns are called {name!r}; give them different names"
        advice = "or, if the first line is not a header, add one"
        raise DataError(file, None, None, f"{problem}, {advice}")
    if not features:
        raise DataError(file, None, None, f"no column is left for features; {_listed(columns)}")
    return Roles(label, weight, texts, features)


def _label(
    columns: Sequence[str], usable: Sequence[int], label: str | None, file: str
) -> int | None:
    if label is None:
        named = label_among([columns[k] for k in usable])
        last = usable[-1] if usable else None
        return last if named is None else columns.index(named)
    if label in columns:
        return columns.index(label)
    if not label.removeprefix("-").isdecimal():
        return None
    place = int(label)
    if not 1 <= abs(place) <= len(columns):
        problem = f"the label should be in column {place}, and there are {len(columns)} columns"
        raise DataError(file, None, None, problem)
    return place - 1 if place > 0 else len(columns) + place


def _listed(columns: Sequence[str]) -> str:
    more = ", …" if len(columns) > _NAMED else ""
    return f"the columns are {', '.join(map(repr, columns[:_NAMED]))}{more}"


class TableReader:
    """Makes blocks of rows from the columns of a file."""

    def __init__(
        self,
        file: str,
        columns: Sequence[TableColumn],
        reading: Reading,
        names: Names,
        errors: ErrorLog,
    ) -> None:
        self.file, self.reading, self.errors = file, reading, errors
        self._columns, self.columns = columns, [column.name for column in columns]
        self.names, self.cache = names, ColumnCache(names)
        self.types = {column.name: column for column in reading.columns}
        self.roles = roles(self.columns, reading, file)
        self._typed = reading.learning or bool(self.types)
        self._undecided = [k for k in self.used if self.columns[k] not in self.types]

    @property
    def used(self) -> list[int]:
        """The numbers of the columns that are needed."""
        label, weight, _, features = self.roles
        return sorted({*features, *(k for k in (label, weight) if k is not None)})

    def _decide(self, arrays: dict[int, Any]) -> None:
        """Decide what columns hold by the rows of a block."""
        for k in self._undecided:
            if k in self.roles.texts:
                self.types[self.columns[k]] = ColumnType(self.columns[k], TEXT)
            elif (found := self._columns[k].decide(arrays[k])) is not None:
                self.types[found.name] = found
        self._undecided = [k for k in self._undecided if self.columns[k] not in self.types]
        self.errors.columns = tuple(self.types.values())

    def _column(self, k: int, array: Any, builder: BlockBuilder) -> Column:
        if not self._typed:
            return self._columns[k].guess(array, builder)
        kind = self.types.get(self.columns[k])
        return None if kind is None else self._columns[k].read(array, kind, builder)

    def block(
        self, arrays: dict[int, Any], builder: BlockBuilder, done: int, errors: ErrorLog
    ) -> Block:
        """Make a block of some rows, given as an array for each column."""
        if self._typed and self._undecided:
            self._decide(arrays)
        if self.roles.label is not None:
            builder.labels = self._labels(arrays, builder)
            errors.label = self.columns[self.roles.label]
        if self.roles.weight is not None:
            builder.weights = self._weights(arrays, builder)
        groups = []
        with self._named():
            for is_text, group in groupby(self.roles.features, self.roles.texts.__contains__):
                if is_text:
                    groups += [self._words(arrays[k], k) for k in group]
                else:
                    columns = {k: self._column(k, arrays[k], builder) for k in group}
                    self._reject_infinite(columns, builder)
                    groups.append(self._grid(columns, len(builder.lines)))
        return builder.block(groups, self.names, self.reading.dtype, done, errors)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in which the names of columns do not fit the model."""
        try:
            yield
        except DataError:
            raise
        except ValueError as error:
            raise DataError(self.file, None, None, str(error)) from None

    def _labels(self, arrays: dict[int, Any], builder: BlockBuilder) -> Array | None:
        assert self.roles.label is not None
        column = self._column(self.roles.label, arrays[self.roles.label], builder)
        if isinstance(column, Categories):
            return np.array([*column.values, None], object)[column.codes]
        if column is not None:
            self._reject_infinite({self.roles.label: column}, builder)
        return column

    def _weights(self, arrays: dict[int, Any], builder: BlockBuilder) -> Array | None:
        place = self.roles.weight
        assert place is not None
        column = self._column(place, arrays[place], builder)
        if isinstance(column, Categories):
            problem = f"the weights in column {self.columns[place]!r} must be numbers"
            raise DataError(self.file, None, None, problem)
        if column is None:
            return None
        self._reject_infinite({place: column}, builder)
        for row in np.flatnonzero(column < 0).tolist():
            builder.reject(row, "a weight must not be negative", str(column[row]))
        return np.where(np.isnan(column), 1.0, column)

    def _reject_infinite(self, columns: dict[int, Column], builder: BlockBuilder) -> None:
        for k, column in columns.items():
            if isinstance(column, np.ndarray) and np.isinf(column).any():
                problem = f"the number in column {self.columns[k]!r} must be finite"
                for row in np.flatnonzero(np.isinf(column)).tolist():
                    builder.reject(row, problem, str(column[row]))

    def _grid(self, columns: dict[int, Column], n: int) -> Group:
        """Interleave columns, row by row."""
        there = {k: column for k, column in columns.items() if column is not None}
        where = np.empty((n, len(there)), np.int64)
        values = np.ones((n, len(there)))
        for j, (k, column) in enumerate(there.items()):
            name = self.columns[k]
            if isinstance(column, Categories):
                found = self.cache.columns([f"{name}={value}" for value in column.values])
                where[:, j] = np.append(found, -1)[column.codes]
            else:
                where[:, j] = np.where(np.isnan(column), -1, self.cache.columns([name])[0])
                values[:, j] = column
        return Group(np.arange(n + 1) * len(there), where.ravel(), values.ravel())

    def _words(self, array: Any, place: int) -> Group:
        """Cut a column of texts into words."""
        offsets, letters = _texts(array, self.columns[place], self.file)
        prefix = "" if len(self.roles.texts) == 1 else f"{self.columns[place]}="
        ngrams = self.reading.ngrams
        found = word_columns_of(letters, offsets[:-1], offsets[1:], ngrams, self.names, prefix)
        return Group(*found, np.ones(len(found[1])))


def is_string(kind: Any) -> bool:
    """Say whether an Arrow type is a string type."""
    return str(kind) in ("string", "large_string", "string_view")


def _texts(array: Any, name: str, file: str) -> tuple[Array, Array]:
    """Return where each text of an Arrow array starts, and the letters of all."""
    pyarrow, compute = arrow("tables"), arrow("tables", ".compute")
    kind, types = array.type, pyarrow.types
    if types.is_dictionary(kind):
        return _texts(array.dictionary_decode(), name, file)
    if not is_string(kind) and not types.is_null(kind):
        raise DataError(file, None, None, f"column {name!r} holds {kind}, which is not text")
    array = compute.fill_null(compute.cast(array, pyarrow.large_string()), "")
    _, offsets, letters = array.buffers()
    offsets = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return offsets, np.frombuffer(letters or b"", np.uint8)


def blocks(
    stream: Stream, name: str, reading: Reading, names: Names, errors: ErrorLog
) -> Iterator[Block]:
    """Yield the rows of a table: CSV, TSV, Parquet or Arrow."""
    from rosenblatt.readers import csv, parquet

    kind = reading.format
    if kind not in ("csv", "tsv", "parquet", "arrow"):
        kind = recognise(name, stream.peek(MOST_AHEAD))
    if kind == "parquet":
        return parquet.parquet_blocks(stream, name, reading, names, errors)
    if kind == "arrow":
        return parquet.arrow_blocks(stream, name, reading, names, errors)
    separator = "\t" if kind == "tsv" else separator_of(stream.peek(MOST_AHEAD))
    return csv.blocks(stream, name, reading, names, errors, separator)
