"""Columns of data frames, of pandas or polars, and of arrays of objects, as numbers and as text.

These functions are steps of the pipelines that `prepare` makes, and model files name them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array

NOTHING = frozenset(("NAType", "NaTType"))  # the types of pandas' missing values


def is_frame(X: Any) -> bool:
    """Tell a data frame, of pandas or polars, from arrays and lists."""
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def columns_of(table: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the name and the values of each column; an array's columns are called by number."""
    if not is_frame(table):
        yield from enumerate(np.asarray(table).T)
        return
    for place, name in enumerate(table.columns):
        # By place: a pandas frame may have two columns of one name.
        yield name, table.iloc[:, place] if hasattr(table, "iloc") else table[name]


def is_missing(value: Any) -> bool:
    """Tell None, NaN and pandas' NA, which need not be installed, from values."""
    if value is None or type(value).__name__ in NOTHING:
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def numbers_first(kind: str) -> str:
    """Say what to do with a column of values that are neither numbers, text nor dates.

    >>> numbers_first("timedelta64[us]")
    'Drop the column or make numbers of it first: of durations .dt.total_seconds()'
    """
    ways = {
        "timedelta": "of durations .dt.total_seconds()",
        "period": "of periods .dt.to_timestamp() makes dates, which prepare takes",
        "time": "of times of day the hours or seconds",
    }
    found = next((way for name, way in ways.items() if kind.lower().startswith(name)), None)
    advice = "Drop the column or make numbers of it first"
    return advice if found is None else f"{advice}: {found}"


def as_floats(table: Any) -> Array:
    """Return a table's numbers as floats, and NaN for what is missing, whatever stands for it."""
    return np.column_stack([floats(name, column) for name, column in columns_of(table)])


def floats(name: Any, column: Any) -> Array:
    """Return a column's numbers as floats, or raise ``ValueError`` if it holds something else."""
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return values
    try:
        if values.dtype.kind == "O":
            values = np.array([np.nan if is_missing(v) else float(v) for v in values.tolist()])
        return values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} of X must hold numbers: {error}") from None


def as_text(table: Any) -> Array:
    """Return each value as text, so that all frames mean the same: pandas, polars or an array.

    What is missing becomes None, which no text can be.
    """
    columns = [
        [value if type(value) is str else _name(value) for value in np.asarray(column).tolist()]
        for _, column in columns_of(table)
    ]
    text = np.empty((len(columns[0]), len(columns)), object)
    for place, column in enumerate(columns):
        text[:, place] = column
    return text


def _name(value: Any) -> str | None:
    if is_missing(value):
        return None
    # A missing number beside them makes floats of whole numbers; they stay the same category.
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


def join(name: str, category: Any) -> str:
    """Name the binary feature of a category, such as ``weather=sunny``."""
    return f"{name}={'⟨missing⟩' if category is None else category}"
