"""One-hot encoding in ONNX: of text by looking it up, of numbers by comparing."""

from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder

from rosenblatt.data.frames import is_missing
from rosenblatt.data.rows import Array
from rosenblatt.models.onnx.graph import INT64, Graph, Matrix
from rosenblatt.models.onnx.table import (
    MISSING,
    Columns,
    Features,
    Table,
    Texts,
    as_texts,
    holds_text,
)

_FLAGS = ["False", "True"]
_FLOAT = np.dtype(np.float32)


def one_hot(
    graph: Graph, table: Table, step: OneHotEncoder, given: Features, dtype: np.dtype[Any]
) -> Matrix:
    """Add a one-hot encoder: a column for each category, but for those that it drops."""
    dropped = [None] * len(step.categories_) if step.drop_idx_ is None else step.drop_idx_
    strict, parts = step.handle_unknown == "error", []
    for place, (known, drop) in enumerate(zip(step.categories_, dropped, strict=True)):
        columns, width = _columns(len(known), drop)
        if not width:
            continue
        one = _one(graph, given, place)
        is_text = isinstance(one, Texts) or (isinstance(one, Columns) and one.text)
        if isinstance(one, Columns) and _are_flags(step, place, one):
            values = np.arange(2.0)
            name = _of_numbers(graph, table.flag(one.names[0]), values, columns, width, strict)
        elif is_text or holds_text(known):
            text = as_texts(table, one).tensors[0]
            name = _of_text(graph, text, known, columns, width, strict)
        else:
            numbers = _numbers(table, one)
            values = _as_numbers(known, table.dtype)
            name = _of_numbers(graph, numbers, values, columns, width, strict)
        parts.append(graph.as_type(Matrix(name, width, _FLOAT), dtype))
    return graph.all_beside(parts, dtype)


def _columns(count: int, drop: int | None) -> tuple[Array, int]:
    """Return the column of each category, and how many there are; a dropped one is past the last.

    >>> _columns(3, 1)
    (array([0, 2, 1]), 2)
    """
    columns = np.arange(count)
    if drop is None:
        return columns, count
    columns[drop:] -= 1
    columns[drop] = count - 1
    return columns, count - 1


def _one(graph: Graph, given: Features, place: int) -> Features:
    if isinstance(given, Matrix):
        return graph.chosen(given, np.array([place]))
    if isinstance(given, Columns):
        return given._replace(names=given.names[place : place + 1])
    return Texts(given.tensors[place : place + 1], given.names[place : place + 1])


def _are_flags(step: OneHotEncoder, place: int, column: Columns) -> bool:
    """Tell whether a column holds truth values, as themselves or as the text of `prepare`."""
    known = step.categories_[place]
    if column.text:  # `prepare` gives the categories of these alone
        return not isinstance(step.categories, str) and known.tolist() == _FLAGS
    return all(isinstance(value, bool) for value in known.tolist())


def _numbers(table: Table, one: Features) -> Matrix:
    if isinstance(one, Matrix):
        return one
    return Matrix(table.number(one.names[0]), 1, table.dtype)


def _as_numbers(known: Array, dtype: np.dtype[Any]) -> Array:
    """Return categories as numbers, NaN for one that is missing."""
    try:
        values = np.array([np.nan if is_missing(v) else float(v) for v in known.tolist()])
    except (TypeError, ValueError):
        raise ValueError("a column has categories of several types; make them text") from None
    rounded = values.astype(dtype)
    differ = np.flatnonzero((rounded != values) & ~np.isnan(values))
    if differ.size:
        raise ValueError(
            f"the category {values[differ[0]].item()!r} is not a number of {dtype}; export with "
            "dtype='float64'"
        )
    return values


def _of_numbers(
    graph: Graph, column: Matrix, known: Array, columns: Array, width: int, strict: bool
) -> str:
    """Compare a column with its categories."""
    name = _equal(graph, column, known[columns < width])
    if not strict:
        return name
    seen = graph.add("ReduceMax", _equal(graph, column, known), axes=[1], keepdims=1)
    unseen = graph.cast(graph.add("Sub", graph.constant("one", _FLOAT.type(1)), seen), INT64)
    # A place that is not there is an error of the runtime, as an unknown category is here.
    nothing = graph.constant("known_categories_only", np.zeros(1, _FLOAT))
    return graph.add("Add", name, graph.add("Gather", nothing, unseen))


def _equal(graph: Graph, column: Matrix, known: Array) -> str:
    """Compare a column with numbers, the last of which may be NaN."""
    numbers = known[~np.isnan(known)].astype(column.dtype)
    found = []
    if len(numbers):
        table = graph.constant("categories", numbers[None])
        found.append(graph.add("Equal", column.name, table))
    if len(numbers) < len(known):
        found.append(graph.add("IsNaN", column.name))
    return graph.cast(graph.beside(found), _FLOAT)


def _of_text(
    graph: Graph, column: str, known: Array, columns: Array, width: int, strict: bool
) -> str:
    """Look up the categories of a column."""
    places = _places(known.tolist(), columns.tolist())
    place = graph.codes(graph.flat(column), places, len(known) if strict else width)
    if strict:  # the next place is not there, as above
        there = graph.constant("known_categories_only", np.arange(len(known)))
        place = graph.add("Gather", there, place)
    depth = graph.constant("depth", np.array(width))
    return graph.add("OneHot", place, depth, graph.constant("off_on", np.array([0, 1], _FLOAT)))


def _places(known: list[Any], columns: list[int]) -> dict[str, int]:
    """Return the column of each text, and of those that stand for a missing one.

    >>> _places(["a", "nan", None], [0, 1, 2])
    {'a': 0, 'nan': 1, 'None': 2, '': 2, '<NA>': 2}
    """
    pairs = [*zip(known, columns, strict=True)]
    places = {text: column for text, column in pairs if not is_missing(text)}
    missing = [(value, column) for value, column in pairs if is_missing(value)]
    for value, column in missing:
        places.setdefault("None" if value is None else "nan", column)
    for _, column in missing:
        for text in MISSING:
            places.setdefault(text, column)
    return places
