"""The inputs of an ONNX file: rows X, or the columns of a table, each by its name."""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from rosenblatt.data.frames import as_text, is_missing
from rosenblatt.models.frame_steps import Days, Words
from rosenblatt.models.onnx.graph import BOOL, TEXT, Graph, Matrix

ROWS = "X"
# What onnxruntime makes of values that are missing, and what can stand for them elsewhere.
NAN = ("nan", "<NA>")
MISSING = ("", "None", *NAN)


class Columns(NamedTuple):
    """Columns of a table, before a step says what they hold; ``text`` if a step makes it text."""

    names: tuple[str, ...]
    text: bool = False


class Texts(NamedTuple):
    """Columns of text: a tensor of strings for each, of shape (n, 1)."""

    tensors: tuple[str, ...]
    names: tuple[str, ...]


Features: TypeAlias = Matrix | Columns | Texts


class Table:
    """The columns of a table as inputs of a graph; what is never used is not one of them."""

    def __init__(self, graph: Graph, names: list[str], dtype: np.dtype[Any]) -> None:
        self.graph, self.names, self.dtype = graph, names, dtype
        self._used: dict[str, tuple[np.dtype[Any], str]] = {}
        self._numbers: dict[str, str] = {}

    def number(self, name: str, note: str = "") -> str:
        """Return a column of numbers."""
        return self._use(name, self.dtype, note)

    def flag(self, name: str) -> Matrix:
        """Return a column of truth values, as zeros and ones."""
        if name not in self._numbers:
            self._numbers[name] = self.graph.cast(self._use(name, BOOL, ""), self.dtype)
        return Matrix(self._numbers[name], 1, self.dtype)

    def text(self, name: str) -> str:
        """Return a column of text."""
        return self._use(name, TEXT, "")

    def _use(self, name: str, dtype: np.dtype[Any], note: str) -> str:
        before = self._used.setdefault(name, (dtype, note))
        if before != (dtype, note):
            raise ValueError(
                f"column {name!r} cannot be an input of an ONNX file: one step takes its values as "
                "they are, and another as text, dates or truth values. Give the table two columns"
            )
        return name

    def declare(self) -> None:
        """Make the columns that are used inputs, in the table's order."""
        for name in self.names:
            if name in self._used:
                dtype, note = self._used[name]
                self.graph.input(name, dtype, 1, note)


def input_names(model: Any) -> list[str] | None:
    """Return the names of a table's columns; None if a model takes rows of numbers, all alike.

    It does unless a pipeline takes a data frame apart, or makes features of text.
    """
    if not isinstance(model, Pipeline):
        return None
    steps = [*_all_steps(model)]
    names = feature_names(model)
    apart = any(isinstance(step, ColumnTransformer) for step in steps)
    if (apart and names is not None) or any(map(_takes_text, steps)):
        return [f"x{k}" for k in range(width_of(model) or 0)] if names is None else names
    return None


def feature_names(model: Any) -> list[str] | None:
    """Return what the columns of the rows that a model takes are called, if they have names."""
    names = getattr(_first(model), "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def width_of(model: Any) -> int | None:
    """Return how many columns the rows have that a model takes; None if it is not fitted."""
    return getattr(_first(model), "n_features_in_", None)


def _first(model: Any) -> Any:
    """Return the first step that knows of its columns."""
    if not isinstance(model, Pipeline):
        return model
    return next((step for _, step in model.steps if hasattr(step, "n_features_in_")), None)


def _all_steps(step: Any) -> Iterator[Any]:
    if isinstance(step, Pipeline):
        for _, inner in step.steps:
            yield from _all_steps(inner)
    else:
        yield step
    if isinstance(step, ColumnTransformer):
        for _, inner, _ in getattr(step, "transformers_", ()):
            yield from _all_steps(inner)


def _takes_text(step: Any) -> bool:
    if isinstance(step, FunctionTransformer):
        return step.func is as_text
    if isinstance(step, OneHotEncoder):
        return any(holds_text(column) for column in getattr(step, "categories_", ()))
    return isinstance(step, Days | Words)


def holds_text(categories: Any) -> bool:
    """Tell whether the categories of a column are texts, but for what stands for a missing one."""
    known = [value for value in np.asarray(categories).tolist() if not is_missing(value)]
    return bool(known) and all(isinstance(value, str) for value in known)


def as_texts(table: Table, given: Features) -> Texts:
    """Return columns of text, which the columns of a table are then said to hold."""
    if isinstance(given, Matrix):
        raise ValueError("the steps before it make numbers, and it needs text")
    if isinstance(given, Texts):
        return given
    return Texts(tuple(map(table.text, given.names)), given.names)
