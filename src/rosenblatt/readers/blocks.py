"""Blocks of rows, which all readers yield; errors that name a file and a line."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, Sparse, all_finite, frozen, take
from rosenblatt.readers.column_types import ColumnType
from rosenblatt.readers.names import Names
from rosenblatt.readers.products import Products, TooManyProductsError

SHOWN = 40  # characters of a text that an error shows
KEPT_MESSAGES = 5
CONVERT = "convert the file, for example with iconv -f latin1 -t utf-8"
NOT_UTF8 = f"this is not UTF-8; {CONVERT}, found"
MOST_CACHED = 1 << 18  # names, which take some 40 MB


class Block(NamedTuple):
    """Some rows of a file, in its order.

    Attributes
    ----------
    rows : Sparse or Dense
        The features. Columns are numbered as the `Names` of the reader say.
    labels : array or None
        float64 numbers (NaN where a row has none), or an object array of strings (None where a row
        has none); None if no row has a label.
    weights : array or None
        Importance weights in float64; None if all are one.
    file : str
        The name of their file, for messages.
    lines : array
        The line of each row in that file, from 1 on (the row number in formats without lines).
    done : int
        How many bytes of all files were read when these rows were complete, for a progress bar.
    tags : list of str or None
        What the rows are called, in formats where they have names.
    """

    rows: Rows
    labels: Array | None
    weights: Array | None
    file: str
    lines: Array
    done: int
    tags: list[str] | None = None


class DataError(ValueError):
    """Something in a file cannot be read; says where and what."""

    quotes_data = True

    def __init__(
        self, file: str, line: int | None, column: int | None, problem: str, text: str | None = None
    ) -> None:
        place = ":".join(str(group) for group in (file, line, column) if group is not None)
        found = "" if text is None else f": {shown(text)}"
        super().__init__(f"{place}: {problem}{found}")
        self.file, self.line, self.column = file, line, column


def shown(text: str) -> str:
    """Quote a text for an error: one line, and not too much of it.

    >>> shown("3:abc" + "x" * 100)
    '"3:abcxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"'
    """
    short = text if len(text) <= SHOWN else text[:SHOWN] + "…"
    return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short) + '"'


@dataclass
class ErrorLog:
    """The errors of a file: the first is raised, or all are counted and their lines skipped.

    It also keeps what is found out about columns.

    Attributes
    ----------
    label : str or None
        The column or key of the labels, in formats where these have names.
    columns : tuple of ColumnType
        The columns of a table, as it was decided what they hold.
    missing : dict
        How many values are missing in a column, if any are.
    constants : dict
        The value that all rows have in a column; None if they differ.
    absent : list of str
        The columns that the model learned from and a file does not have.
    others : bool
        As in `Reading`: the columns are keys of JSON lines, found among others.
    multiplied : set of str
        The parts of interactions that stood for a feature.
    keys : dict
        Some of the keys and namespaces that there are, if there are interactions.
    """

    skip: bool = False
    count: int = 0
    label: str | None = None
    messages: list[str] = field(default_factory=list)
    columns: tuple[ColumnType, ...] = ()
    missing: dict[str, int] = field(default_factory=dict)
    constants: dict[str, Any] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    others: bool = False
    multiplied: set[str] = field(default_factory=set)
    keys: dict[str, None] = field(default_factory=dict)

    def note_products(self, products: Products) -> None:
        """Take note of what was multiplied."""
        self.multiplied |= products.seen
        self.keys |= products.keys

    def add(self, error: DataError) -> None:
        """Count an error, or raise it unless errors are skipped."""
        if not self.skip:
            raise error
        self.count += 1
        if len(self.messages) < KEPT_MESSAGES:
            self.messages.append(str(error))


class Group(NamedTuple):
    """Some features of each of a block's rows, laid out as in `Sparse`; column −1 is dropped."""

    indptr: Array
    columns: Array
    values: Array


class ColumnCache:
    """A cache of the columns of names, as most names occur again and again."""

    def __init__(self, names: Names | Products) -> None:
        self.names = names
        self._columns: dict[str, int] = {}

    def columns(self, names: Sequence[str]) -> Array:
        """Return the columns of some names."""
        try:
            return self._look_up(names)
        except KeyError:
            new = [name for name in dict.fromkeys(names) if name not in self._columns]
        if len(self._columns) + len(new) > MOST_CACHED:
            self._columns.clear()
            new = list(dict.fromkeys(names))
        self._columns.update(zip(new, self.names.columns(new).tolist(), strict=True))
        return self._look_up(names)

    def _look_up(self, names: Sequence[str]) -> Array:
        return np.fromiter(map(self._columns.__getitem__, names), np.int64, len(names))


class BlockBuilder:
    """Builds a block: collects labels, weights, and at most one error for each row.

    In the end errors are reported in the order of the lines, and their rows are left out.
    """

    def __init__(self, file: str, lines: Array) -> None:
        self.file, self.lines = file, lines
        self.labels: Array | None = None
        self.weights: Array | None = None
        self.errors: dict[int, DataError] = {}
        self.bad_lines: list[DataError] = []  # of lines that are not rows

    def reject(self, row: int, problem: str, text: str | None = None) -> None:
        """Record what is wrong with a row."""
        if row not in self.errors:
            self.errors[row] = DataError(self.file, int(self.lines[row]), None, problem, text)

    def block(
        self,
        groups: Sequence[Group],
        names: Names | Products,
        dtype: str,
        done: int,
        errors: ErrorLog,
    ) -> Block:
        """Join the groups of each row, report the errors, and return the other rows."""
        try:
            rows = joined_rows(groups, names, len(self.lines), dtype)
        except TooManyProductsError as too_many:
            line = int(self.lines[too_many.row])
            raise DataError(self.file, line, None, too_many.problem) from None
        if isinstance(names, Products):
            errors.note_products(names)
        self._reject_too_large(rows, names, dtype)
        labels, weights, lines = self.labels, self.weights, self.lines
        for error in sorted(
            [*self.bad_lines, *self.errors.values()], key=lambda error: error.line or 0
        ):
            errors.add(error)
        if self.errors:
            good = np.delete(np.arange(len(lines)), list(self.errors))
            taken = take(rows, good)
            assert isinstance(taken, Sparse)
            rows, lines = taken, lines[good]
            labels = None if labels is None else labels[good]
            weights = None if weights is None else weights[good]
        if weights is not None and (weights == 1).all():
            weights = None
        return Block(frozen(rows), _or_none(labels), weights, self.file, lines, done)

    def _reject_too_large(self, rows: Sparse, names: Names | Products, dtype: str) -> None:
        """Reject rows with numbers that became infinite in float32."""
        if all_finite(rows.values):
            return
        places = np.flatnonzero(~np.isfinite(rows.values))
        which, first = np.unique(
            np.searchsorted(rows.indptr, places, side="right") - 1, return_index=True
        )
        for row, at in zip(which.tolist(), places[first].tolist(), strict=True):
            name = names.name(int(rows.indices[at]))
            what = "a number" if name is None else f"feature {name!r}"
            self.reject(row, f"{what} is too large for {dtype}; scale it, or use float64")


def joined_rows(groups: Sequence[Group], names: Names | Products, n: int, dtype: Any) -> Sparse:
    """Join the groups of each row, with the products of its features if there are such."""
    if isinstance(names, Products):
        return names.rows(side_by_side(groups, n, np.dtype(dtype), np.int64))
    return side_by_side(groups, n, np.dtype(dtype))


def side_by_side(groups: Sequence[Group], n: int, dtype: Any, kind: Any = np.int32) -> Sparse:
    """Join the groups of each row, and drop what has no column; columns are of the kind given."""
    groups = [_with_columns(group) for group in groups]
    if len(groups) == 1:
        indptr, columns, values = groups[0]
        return Sparse(indptr.astype(np.int32), columns.astype(kind), _cast(values, dtype))
    indptr = np.zeros(n + 1, np.int64)
    for group in groups:
        indptr += group.indptr
    rows = Sparse(indptr.astype(np.int32), np.empty(indptr[-1], kind), np.empty(indptr[-1], dtype))
    start = indptr[:-1].copy()
    for group in groups:
        sizes = np.diff(group.indptr)
        at = np.arange(group.indptr[-1]) + np.repeat(start - group.indptr[:-1], sizes)
        rows.indices[at], rows.values[at] = group.columns, _cast(group.values, dtype)
        start += sizes
    return rows


def _with_columns(group: Group) -> Group:
    keep = group.columns >= 0
    if keep.all():
        return group
    before = np.concatenate([[0], np.cumsum(keep)])
    return Group(before[group.indptr], group.columns[keep], group.values[keep])


def _cast(values: Array, dtype: Any) -> Array:
    with np.errstate(over="ignore"):  # infinite values are rejected later, by name
        return values.astype(dtype, copy=False)


def _or_none(labels: Array | None) -> Array | None:
    """Return labels, or None if no row has one."""
    if labels is None:
        return None
    if labels.dtype == object:
        return None if all(label is None for label in labels.tolist()) else labels
    return None if np.isnan(labels).all() else labels
