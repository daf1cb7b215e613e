"""Whole files in memory with the names of their columns, for the commands that need all rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.console import count, shortened
from rosenblatt.readers.blocks import DataError, ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.matrix import Examples, TooLargeError, free_memory, gather
from rosenblatt.readers.names import Hashed, Kept, Names, Numbered, few_used
from rosenblatt.readers.reader import Reader, class_labels

if TYPE_CHECKING:
    from pathlib import Path

    from rosenblatt.data.rows import Array

FILLED = 1 / 3  # from this share of numbers that are not zero on, an array is better
_NAMED = 3  # features in an error
_MEMORY = 0.25  # of the free memory, which a dense copy of the rows may take


def one_label(number: int, what: str, label: Any) -> str:
    """Say that all examples have the same label.

    >>> one_label(1, "row", "ham")
    "the only row has the label 'ham', so there is nothing to distinguish"
    """
    them = f"the only {what} has" if number == 1 else f"all {count(number, what)} have"
    return f"{them} the label {label!r}, so there is nothing to distinguish"


@dataclass(frozen=True, eq=False)
class Table:
    """The rows of files that have a label.

    Attributes
    ----------
    X : array or CSR matrix of shape (n, d)
        The features: an array if a third of the numbers or more are not zero.
    y : array of shape (n,)
        The classes: whole numbers, or an object array of strings.
    names : tuple of str
        What the columns are called; ``#17`` if names were hashed to column 17.
    columns : Names
        Which column a name stands for, to read other files in the same way.
    first : int
        1 if the files number their features from 1 on and column 0 of X is number 1, else 0.
    unlabelled : int
        How many rows had no label, and were left out.
    weights : array or None
        Importance weights; None if all are one.
    errors : ErrorLog
        The lines that could not be read, if such are skipped.
    sources : tuple of (str, int or None)
        The files, and how many bytes they have.
    kind : str or None
        The format of the first file.
    """

    X: Any
    y: "Array"
    names: tuple[str, ...]
    columns: Names
    first: int
    unlabelled: int
    weights: "Array | None"
    errors: ErrorLog
    sources: tuple[tuple[str, int | None], ...]
    kind: str | None
    lines: "Array" = field(repr=False)
    files: tuple[tuple[str, int], ...] = field(repr=False)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def classes(self) -> list[Any]:
        """The classes, sorted."""
        found: list[Any] = np.unique(self.y).tolist()
        return found

    def check_classes(self) -> None:
        """Raise ``ValueError`` unless there are two classes or more."""
        if len(classes := self.classes) < 2:
            files = ", ".join(name for name, _ in self.sources)
            raise ValueError(f"{files}: {one_label(self.n, 'row', classes[0])}")

    @contextmanager
    def named(self) -> Iterator[None]:
        """Put the names of the files before what is wrong with their rows."""
        try:
            yield
        except (DataError, TooLargeError):
            raise
        except ValueError as error:
            files = ", ".join(name for name, _ in self.sources)
            raise ValueError(f"{files}: {error}") from None

    def place(self, row: int) -> tuple[str, int]:
        """Return the file and the line of a row."""
        names = [name for name, start in self.files if start <= row]
        return names[-1], int(self.lines[row])

    def places(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Return the files and lines of rows, for JSON."""
        each = (self.place(row) for row in rows)
        return [{"file": file, "line": line} for file, line in each]

    def where(self, row: int) -> str:
        """Return the line of a row, with its file's name if there are several.

        Compilers write ``file:line``, and so does this; what one file has is known to be its.
        """
        file, line = self.place(row)
        return f"{file}:{line}" if len(self.files) > 1 else f"{line}"


def read_table(
    files: Sequence["str | Path"],
    reading: Reading | None = None,
    *,
    like: Table | None = None,
    bits: int | None = None,
    first: int | str = "auto",
    dense: bool | None = None,
    count_words: bool = False,
) -> Table:
    """Read all rows of files into memory.

    Of feature numbers that lie far apart only those that some row has become columns, and the
    numbers are their names: a file of a few bytes may name feature 134,217,727.

    Parameters
    ----------
    files : sequence of str or path
        Files, patterns, or "-" for standard input.
    reading : Reading, optional
        How to read them.
    like : Table, optional
        Give the columns the same meaning as there; features that were not there are left out.
    bits : int, optional
        Hash the names of features to 2^bits columns.
    first : int or "auto"
        The feature number that becomes column 0, for svmlight; see `gather`.
    dense : bool, optional
        Make an array, or do not; None decides by how many numbers are not zero.
    count_words : bool
        Give a word of a text the number of times that it is there, and not 1.

    Raises
    ------
    TooLargeError
        If the files seem not to fit into memory.
    DataError
        If a row cannot be read, or a label is a number that is not whole.
    ValueError
        If no row has a label.
    """
    reader, examples = _gathered(files, reading, like, bits, first, count_words)
    have, y = class_labels(examples.y, examples.place)
    if not len(have):
        where = ", ".join(source.name for source in reader.sources)
        raise ValueError(f"no row of {where} has a label; there is nothing to learn from")
    X, weights, lines = examples.X, examples.weights, examples.lines
    assert lines is not None
    unlabelled = len(lines) - len(have)
    starts = [start for _, start in examples.files]
    if unlabelled:
        starts = np.searchsorted(have, starts).tolist()
        X, lines = X[have], lines[have]
        weights = None if weights is None else weights[have]
    if like is not None:
        _check_alike(like, X, y, reader)
        dense = not hasattr(like.X, "indptr")
    return Table(
        _laid_out(X, dense),
        y,
        names_of(examples, X.shape[1]) if like is None else like.names,
        examples.names,
        examples.first,
        unlabelled,
        weights,
        reader.errors,
        tuple((source.name, source.size) for source in reader.sources),
        reader.kind,
        lines,
        tuple((name, start) for (name, _), start in zip(examples.files, starts, strict=True)),
    )


def _check_alike(known: Table, X: Any, y: "Array", reader: Reader) -> None:
    """Refuse rows that have no feature of those known, or labels of another type."""
    files = ", ".join(source.name for source in reader.sources)
    others = ", ".join(name for name, _ in known.sources)
    if hasattr(X, "indptr") and not X.nnz:
        some = ", ".join(map(repr, known.names[:_NAMED]))
        problem = (
            f"no row has a feature of {others}, such as {some}; call features the same in both "
            "files, and number them alike if they have numbers"
        )
        raise DataError(files, None, None, problem)
    first, other = shortened(y[0]), shortened(known.y[0])
    if isinstance(y[0], str) != isinstance(known.y[0], str):
        problem = (
            f"the labels are such as {first}, and those of {others} such as {other}; write labels "
            "alike in both files, each in its place"
        )
        raise DataError(files, None, None, problem)


def _gathered(
    files: Sequence["str | Path"],
    reading: Reading | None,
    like: Table | None,
    bits: int | None,
    first: int | str,
    count_words: bool,
) -> tuple[Reader, Examples]:
    """Read all rows; if their columns are to mean what others mean, no new ones are made."""
    if like is None:
        reader = Reader(files, reading, bits=bits)
        if isinstance(reader.names, Kept):
            reader.names.counts_words = count_words
        return reader, _compacted(gather(reader, first=first, lines=True))
    frozen, like.columns.frozen = like.columns.frozen, True
    try:
        known = like.errors
        reading = reading or Reading()
        reading = replace(
            reading,
            usual=reading.usual or like.kind,
            label=known.label or reading.label,
            columns=known.columns,
            others=known.others,
        )
        reader = Reader(files, reading, names=like.columns)
        return reader, gather(reader, first=like.first, n_features=len(like.names), lines=True)
    finally:
        like.columns.frozen = frozen


def _compacted(examples: Examples) -> Examples:
    """Leave out the columns that no row has, if the numbers of the features lie far apart."""
    X, names, first = examples.X, examples.names, examples.first
    if not (isinstance(names, Numbered) and hasattr(X, "indptr") and few_used(1, X.shape[1])):
        return examples
    columns, places = np.unique(X.indices, return_inverse=True)
    if not few_used(len(columns), X.shape[1]):
        return examples
    if not len(columns):
        columns = np.zeros(1, X.indices.dtype)
    import scipy.sparse as sp

    kept = Kept()
    kept.columns([str(column) for column in (columns.astype(np.int64) + first).tolist()])
    parts = X.data, places.astype(X.indices.dtype, copy=False), X.indptr
    X = sp.csr_matrix(parts, shape=(X.shape[0], len(columns)), copy=False)
    return replace(examples, X=X, names=kept, first=0)


def names_of(examples: Examples, n_features: int) -> tuple[str, ...]:
    """Return what the columns of X are called."""
    names, first = examples.names, examples.first
    if isinstance(names, Hashed):
        return tuple(f"#{column}" for column in range(n_features))
    return tuple(str(names.name(column + first)) for column in range(n_features))


def _laid_out(X: Any, dense: bool | None) -> Any:
    """Make an array of sparse rows, if that is better or wanted."""
    if not hasattr(X, "indptr"):
        return X
    cells = X.shape[0] * X.shape[1]
    if dense is None:
        free = free_memory()
        fits = free is None or cells * X.dtype.itemsize <= _MEMORY * free
        dense = X.nnz >= FILLED * cells and fits
    return X.toarray() if dense else X
