"""Sequences as users have them: lists of tokens, columns, data frames; and their tags."""

from collections.abc import Mapping, Sequence
from itertools import chain
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.tagging.corpus import Column, Corpus, check_known, factorize, is_missing


class Tags(NamedTuple):
    """The distinct tags, and the number of each token's."""

    values: list[Any]
    codes: Array


def is_flat(X: Any) -> bool:
    """Say whether X has a row for each token, in columns, rather than a list for each sequence."""
    return isinstance(X, Mapping) or (hasattr(X, "columns") and not isinstance(X, Corpus))


def as_corpus(X: Any, names: Sequence[str] | None = None, groups: Any = None) -> Corpus:
    """Make a corpus of sequences, or of columns and groups, or raise ``ValueError``."""
    if isinstance(X, Corpus) or not is_flat(X):
        if groups is not None:
            raise ValueError(
                "groups are for a data frame or a dict of columns, such as frame[['word']]; X is a "
                f"{type(X).__name__}, which is taken for a list of sequences"
            )
        if isinstance(X, Corpus):
            return X if names is None else X.only(check_known(names, X.names))
        return Corpus.from_sequences(X, names)
    there = X if isinstance(X, Mapping) else getattr(X, "column_names", X.columns)  # Arrow's first
    columns = {str(name): X[name] for name in there}
    if isinstance(groups, str):
        check_known([groups], tuple(columns))
        groups = columns.pop(groups)
    if names is not None:
        columns = {name: columns[name] for name in check_known(names, tuple(columns))}
    if not columns:
        raise ValueError("X has no columns")
    lists = {name: _listed(values) for name, values in columns.items()}
    n = len(next(iter(lists.values())))
    for name, values in lists.items():
        if len(values) != n:
            raise ValueError(f"columns must be of one length; {name!r} has {len(values)} of {n}")
    lengths = _lengths(groups, n)
    for name, values in lists.items():
        if len(lengths) > 1 and values == _listed(groups):
            raise ValueError(
                f"column {name!r} of X is the same as groups; leave it out, or say groups={name!r}"
            )
    return Corpus.from_columns(lists, lengths)


def _listed(values: Any) -> list[Any]:
    for way in ("tolist", "to_pylist"):  # NumPy's and pandas', and Arrow's
        if hasattr(values, way):
            return list(getattr(values, way)())
    return list(values)


def _lengths(groups: Any, n: int) -> Array:
    """Return how many rows each group has; its rows must stand together."""
    if groups is None:
        raise ValueError(
            "columns need groups, which say to which sequence each row belongs: "
            "fit(frame[['word']], frame['tag'], groups=frame['sentence'])"
        )
    marks = _listed(groups)
    if len(marks) != n:
        raise ValueError(f"groups has {len(marks)} values, and X has {n} rows")
    gaps = [row for row, mark in enumerate(marks) if is_missing(mark)]
    if gaps:
        raise ValueError(f"groups has no value at row {gaps[0]}; say to which sequence it belongs")
    starts = [row for row in range(n) if row == 0 or marks[row] != marks[row - 1]]
    seen: set[Any] = set()
    for row in starts:
        if marks[row] in seen:
            raise ValueError(
                f"group {marks[row]!r} goes on at row {row}, after another one: the rows of a "
                "sequence must stand together; sort them, or number the sequences"
            )
        seen.add(marks[row])
    return np.diff([*starts, n])


def as_tags(y: Any, corpus: Corpus, flat: bool = False) -> Tags:
    """Return the tags of a corpus's tokens, or raise ``ValueError`` where some are missing."""
    if y is None:
        raise ValueError("y is missing: the tags of each sequence, one for each token")
    if isinstance(y, Column):
        if len(y.codes) != corpus.n_tokens:
            raise ValueError(f"y has {len(y.codes):,} tags for {corpus.n_tokens:,} tokens")
        return Tags(y.values(), y.codes.astype(np.int64))
    if flat:
        given = _listed(y)
        if len(given) != corpus.n_tokens:
            raise ValueError(f"y has {len(given):,} tags for {corpus.n_tokens:,} rows of X")
    else:
        given = _chained(y, corpus)
    try:
        distinct, codes, token = factorize(given, np.int64)
    except TypeError as error:
        raise ValueError(f"a tag must be a text or a number: {error}") from None
    if token is not None:
        row = int(np.searchsorted(corpus.offsets, token, "right")) - 1
        inside = f"sequence {row}, token {token - int(corpus.offsets[row])}"
        place = f"row {token}" if flat else inside
        raise ValueError(f"y has no tag at {place}; fill it, or leave the sequence out")
    return Tags(distinct, codes)


def check_no_answer(corpus: Corpus, tags: Tags) -> None:
    """Raise ``ValueError`` if a column of X has the tags themselves: a slip with data frames."""
    for name, column in corpus.columns.items():
        values = column.values()
        if len(values) == len(tags.values) > 1 and {*values} == {*map(str, tags.values)}:
            place = {value: number for number, value in enumerate(values)}
            same = np.array([place[str(tag)] for tag in tags.values])[tags.codes]
            if np.array_equal(same, column.codes):
                raise ValueError(
                    f"column {name!r} of X is the same as y, and would give the answer away; leave "
                    "it out"
                )


def _chained(y: Any, corpus: Corpus) -> list[Any]:
    """Return the tags of all sequences, after looking at their lengths."""
    if isinstance(y, str | bytes) or not hasattr(y, "__len__"):
        raise ValueError(f"y must be a list with the tags of each sequence; got {type(y).__name__}")
    if len(y) != len(corpus):
        raise ValueError(f"X has {len(corpus):,} sequences, and y has tags for {len(y):,}")
    for row, (tags, n) in enumerate(zip(y, corpus.lengths.tolist(), strict=True)):
        if isinstance(tags, str | bytes) or not hasattr(tags, "__len__"):
            raise ValueError(f"y must have a list of tags for sequence {row}; got {tags!r:.40}")
        if len(tags) != n:
            raise ValueError(f"sequence {row} has {n} tokens and {len(tags)} tags")
    return list(chain.from_iterable(_listed(tags) for tags in y))


def numbered(tags: Tags, classes: Array) -> tuple[Array, list[Any]]:
    """Return the class of each token, and all classes: those that are new follow the known ones."""
    every = classes.tolist()
    place = {value: number for number, value in enumerate(every)}
    for value in tags.values:
        if value not in place:
            place[value] = len(every)
            every.append(value)
    return np.array([place[value] for value in tags.values], np.int64)[tags.codes], every


def sorted_classes(values: list[Any]) -> Array:
    """Return distinct tags, sorted."""
    for value in values:
        if not isinstance(value, str | Number | np.bool_):
            raise ValueError(f"a tag must be a text or a number, got {value!r:.60}")
    try:
        ordered = sorted(values)
    except TypeError:
        types = sorted({type(value).__name__ for value in values})
        raise ValueError(
            f"tags must be of one type to be sorted; these are {' and '.join(types)}"
        ) from None
    classes = np.array(ordered)
    if classes.tolist() != ordered:  # as with large numbers beside fractions
        raise ValueError("some tags change when they stand in one array; write them as texts")
    return classes


def check_names(corpus: Corpus, names: Sequence[str], what: str) -> None:
    """Raise ``ValueError`` if a column is missing that a tagger learned from."""
    missing = [name for name in names if name not in corpus.columns]
    if missing and corpus.n_tokens:
        raise ValueError(
            f"{what} has no column {missing[0]!r}: the tagger learned from {', '.join(names)}, and "
            f"here are {', '.join(corpus.names)}"
        )


def confidence_of(gaps: Array, offsets: Array) -> Array:
    """Return the smallest gap of each sequence's tokens; infinity for one without tokens."""
    out = np.full(len(offsets) - 1, np.inf, gaps.dtype)
    there = np.diff(offsets) > 0
    if there.any():
        out[there] = np.minimum.reduceat(gaps, offsets[:-1][there])
    return out
