"""What csv.py and parquet.py share: columns of a table made into rows of features.

A column of numbers or truth values is a feature with the column's name; a column of strings is the
category ``column=value``, as `features_of` has it. A missing value adds nothing.

What each column holds is decided when a model learns, by the first rows that have a value in it
(`ColumnType`); it is kept in the model, and other files are read accordingly. A missing value is
then the feature ``column=``, so that a model can learn what it means.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import groupby
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.readers.blocks import Block, BlockBuilder, ColumnCache, DataError, ErrorLog, Group
from rosenblatt.readers.cells import Categories, Column
from rosenblatt.readers.column_types import CATEGORY, IGNORED, TEXT, ColumnType
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.dict_rows import none_is_here, quoted
from rosenblatt.readers.formats import label_among, recognise, separator_of
from rosenblatt.readers.interactions import problem_of, stands_for
from rosenblatt.readers.names import Names
from rosenblatt.readers.products import products_of
from rosenblatt.readers.sources import MOST_AHEAD, Stream
from rosenblatt.readers.text import word_columns_of

_NEARLY_ALL = 0.9  # of the cells are empty in a sparse column


class TableColumn(Protocol):
    """A column of a file, which may hold text or have a type."""

    name: str

    def guess(self, array: Any, builder: BlockBuilder) -> Column:
        """Return its numbers or strings, whichever the first rows hold."""

    def decide(self, array: Any, label: bool = False, keep: bool = False) -> ColumnType | None:
        """Return what it holds, by some of its rows; None if these have no value."""

    def read(
        self, array: Any, kind: ColumnType, builder: BlockBuilder, label: bool = False
    ) -> Column:
        """Return its numbers or strings, given what it holds."""

    def texts(self, array: Any) -> tuple[Array, Array]:
        """Return where each of its texts starts and where the last ends, and the bytes of all."""


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
    chosen = () if reading.remembered else (*reading.drop, *reading.keep, *reading.category)
    others = (reading.weight, *chosen) if reading.learning else ()
    for name in (*reading.text, *others):
        if name is not None and name not in columns:
            raise DataError(file, None, None, no_column(name, columns))
    other = {reading.weight, *reading.text, *reading.drop}
    usable = [k for k, name in enumerate(columns) if name not in other]
    label = _label(
        columns, [k for k in usable if columns[k] not in reading.keep], reading.label, file
    )
    if label is None and reading.labelled:
        problem = no_column(str(reading.label), columns, " for the labels (--label)")
        raise DataError(file, None, None, problem)
    weight = columns.index(reading.weight) if reading.weight in columns else None
    own = [columns[label]] if label is not None else []
    taken = (own, "the label"), ([reading.weight], "the weight"), (reading.drop, "dropped")
    wrong = problem_of(reading.interactions, columns, taken)
    if wrong is not None:
        raise DataError(file, None, None, wrong)
    if reading.keep:
        usable = [k for k in usable if columns[k] in {*reading.keep, *reading.category}]
    texts = frozenset(columns.index(name) for name in reading.text)
    features = tuple(sorted(({*usable} | texts) - {label, weight}))
    known = {column.name: column for column in reading.columns if column.kind != IGNORED}
    if known and not reading.others and (reading.remembered or not reading.learning):
        here = tuple(k for k in features if columns[k] in known)
        expected = [name for name in known if name not in (reading.label, reading.weight)]
        if expected and not here:
            raise DataError(file, None, None, none_is_here(expected, columns, "columns"))
        features = features if reading.learning else here
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


def no_column(name: str, columns: Sequence[str], purpose: str = "") -> str:
    """Say that there is no such column, and which may be meant.

    >>> no_column("status", ["Age", "Status"])
    "there is no column 'status'; did you mean 'Status'? The columns are 'Age', 'Status'"
    """
    lower = {column.lower(): column for column in columns}
    near = get_close_matches(name.lower(), list(lower), 1)
    hint = f"did you mean {lower[near[0]]!r}? The" if near else "the"
    unnamed = columns and list(columns) == [f"c{k + 1}" for k in range(len(columns))]
    more = ", as its first line is not a header" if unnamed else ""
    return f"there is no column {name!r}{purpose}; {hint} columns are {quoted(columns)}{more}"


def _listed(columns: Sequence[str]) -> str:
    return f"the columns are {quoted(columns)}"


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
        known = [column.name for column in reading.columns] or self.columns
        self.names, self.products = names, products_of(reading, names, known)
        self.cache = ColumnCache(self.products or names)
        self.types = {column.name: column for column in reading.columns}
        forced = [name for name in reading.category if name in self.columns]
        self.types |= {name: ColumnType(name, CATEGORY) for name in forced}
        self.roles = roles(self.columns, reading, file)
        label, weight, _, features = self.roles
        self.used = sorted({*features, *(k for k in (label, weight) if k is not None)})
        self._typed = reading.learning or bool(reading.columns)
        guessed = reading.others and not reading.learning
        self._undecided = [
            k for k in self.used if self.columns[k] not in self.types and not guessed
        ]
        self._began = bool(reading.columns)
        self._settle()
        self._missing_columns = self._not_here()

    def _decide(self, arrays: Mapping[int, Any]) -> None:
        """Decide what columns hold by the rows of a block."""
        # What a column is cut into, or whether it is needed, is a matter of the first rows alone.
        later, self._began = self._began, True
        for keep in (later, True):
            for k in self._undecided:
                if k in self.roles.texts:
                    self.types[self.columns[k]] = ColumnType(self.columns[k], TEXT)
                else:
                    label = k in (self.roles.label, self.roles.weight)
                    found = self._columns[k].decide(arrays[k], label, keep)
                    if found is not None:
                        empty = arrays[k].null_count > _NEARLY_ALL * len(arrays[k])
                        self.types[found.name] = found._replace(sparse=found.sparse or empty)
            features = [self.types.get(self.columns[k]) for k in self.roles.features]
            if keep or any(found and found.kind != IGNORED for found in features):
                break  # something is left to learn from
        self._undecided = [k for k in self._undecided if self.columns[k] not in self.types]
        self._settle()
        self._check_products()
        # In the order of the file, in which rows of other formats are read, too.
        order = {name: k for k, name in enumerate(self.columns)}
        known = sorted(self.types, key=lambda name: order.get(name, len(order)))
        self.errors.columns = tuple(self.types[name] for name in known)

    def _settle(self) -> None:
        """Give columns the roles that follow from what they hold."""
        features = self.roles.features
        kinds = {
            k: self.types[name].kind for k in features if (name := self.columns[k]) in self.types
        }
        texts = self.roles.texts | {k for k, kind in kinds.items() if kind == TEXT}
        used = tuple(k for k in features if kinds.get(k) != IGNORED or k in texts)
        self.roles = self.roles._replace(texts=texts, features=used)
        # A single column of text needs no prefix; one that this file does not have counts, too.
        names = {name for name, kind in self.types.items() if kind.kind == TEXT}
        self._texts = len(names | set(self.reading.text))

    def _check_products(self) -> None:
        """Refuse to multiply a column that is left out."""
        for part in self.products.parts if self.products is not None else ():
            named = [one for name, one in self.types.items() if stands_for(part, name)]
            if part and named and all(one.kind == IGNORED for one in named):
                problem = (
                    f"column {part!r} is left out ({named[0].reason or 'ignored'}), and cannot be "
                    f"multiplied (--interactions); to keep it: --category {named[0].name}"
                )
                raise DataError(self.file, None, None, problem)

    def _not_here(self) -> list[str]:
        """Return the columns that a model learned from and this file does not have."""
        if self.reading.learning:
            return []
        label, weight = self.reading.label, self.reading.weight
        wanted = [
            name
            for name, kind in self.types.items()
            if kind.kind != IGNORED and name not in (label, weight)
        ]
        missing = [name for name in wanted if name not in self.columns]
        if missing and not self.errors.absent:
            self.errors.absent = missing
        return missing

    def _column(self, k: int, array: Any, builder: BlockBuilder) -> Column:
        if not self._typed:
            return self._columns[k].guess(array, builder)
        kind = self.types.get(self.columns[k])
        if kind is None:
            others = self.reading.others and not self.reading.learning
            return self._columns[k].guess(array, builder) if others else None
        label = k in (self.roles.label, self.roles.weight)
        return self._columns[k].read(array, kind, builder, label)

    def block(
        self, arrays: Mapping[int, Any], builder: BlockBuilder, done: int, errors: ErrorLog
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
                    groups.append(self._grid(columns, builder))
        if self._missing_columns:
            groups.append(self._all_missing(len(builder.lines)))
        names = self.products or self.names
        return builder.block(groups, names, self.reading.dtype, done, errors)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Name the file in which the names of columns do not fit the model."""
        try:
            yield
        except DataError:
            raise
        except ValueError as error:
            raise DataError(self.file, None, None, str(error)) from None

    def _labels(self, arrays: Mapping[int, Any], builder: BlockBuilder) -> Array | None:
        assert self.roles.label is not None
        column = self._column(self.roles.label, arrays[self.roles.label], builder)
        if isinstance(column, Categories):
            return np.array([*column.values, None], object)[column.codes]
        if column is not None:
            self._reject_infinite({self.roles.label: column}, builder)
        return column

    def _weights(self, arrays: Mapping[int, Any], builder: BlockBuilder) -> Array | None:
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

    def _all_missing(self, n: int) -> Group:
        """Return the features of columns that this file does not have."""
        # As in a column that is here: where nearly all is missing that is no feature.
        names = [f"{name}=" for name in self._missing_columns if not self.types[name].sparse]
        found = self.cache.columns(names)
        return Group(np.arange(n + 1) * len(found), np.tile(found, n), np.ones(n * len(found)))

    def _missing(self, name: str, absent: Array, builder: BlockBuilder) -> int:
        """Return the column of the feature that says that a value is missing; −1 for none."""
        if not self._typed or not absent.any():
            return -1
        if name not in self.types or self.types[name].sparse:
            return -1
        absent[list(builder.errors)] = False  # these rows are left out
        if not (times := int(np.count_nonzero(absent))):
            return -1
        self.errors.missing[name] = self.errors.missing.get(name, 0) + times
        return int(self.cache.columns([f"{name}="])[0])

    def _watch(self, name: str, column: "Array | Categories") -> None:
        """Take note of columns that have the same value in all rows."""
        known, first = self.errors.constants, name not in self.errors.constants
        if not first and known[name] is None:
            return
        if isinstance(column, Categories):
            same = len(column.values) == 1 and not (column.codes < 0).any()
            value: Any = column.values[0] if same else None
        else:
            value = column[0] if (column == column[0]).all() else None
        known[name] = value if first or known[name] == value else None

    def _grid(self, columns: dict[int, Column], builder: BlockBuilder) -> Group:
        """Interleave columns, row by row."""
        n = len(builder.lines)
        there = {k: column for k, column in columns.items() if column is not None}
        where = np.empty((n, len(there)), np.int64)
        values = np.ones((n, len(there)))
        for j, (k, column) in enumerate(there.items()):
            name = self.columns[k]
            if self.reading.learning and n:
                self._watch(name, column)
            if isinstance(column, Categories):
                found = self.cache.columns([f"{name}={value}" for value in column.values])
                missing = self._missing(name, column.codes < 0, builder)
                where[:, j] = np.append(found, missing)[column.codes]
            else:
                absent = np.isnan(column)
                own = self.cache.columns([name])[0]
                missing = self._missing(name, absent.copy(), builder)
                where[:, j] = np.where(absent, missing, own)
                values[:, j] = column if missing < 0 else np.where(absent, 1.0, column)
        return Group(np.arange(n + 1) * len(there), where.ravel(), values.ravel())

    def _words(self, array: Any, place: int) -> Group:
        """Cut a column of texts into words."""
        offsets, letters = self._columns[place].texts(array)
        prefix = "" if self._texts == 1 and not self.products else f"{self.columns[place]}="
        ngrams = self.reading.ngrams
        indptr, found, values = word_columns_of(
            letters, offsets[:-1], offsets[1:], ngrams, self.names, prefix
        )
        if self.products is not None:
            found = self.products.marked_words(found, prefix)
        return Group(indptr, found, values)


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
