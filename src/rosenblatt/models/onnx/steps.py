"""The steps of scikit-learn's pipelines in ONNX, those that model files hold."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from rosenblatt.data.frames import as_floats, as_text, is_missing
from rosenblatt.data.rows import Array
from rosenblatt.models.frame_steps import Days, Words
from rosenblatt.models.onnx.categories import one_hot
from rosenblatt.models.onnx.graph import BOOL, Graph, Matrix
from rosenblatt.models.onnx.table import NAN, Columns, Features, Table, Texts, as_texts


class Steps:
    """Adds steps to a graph. ``dtype`` is the type of numbers that they compute with."""

    def __init__(self, graph: Graph, table: Table, dtype: np.dtype[Any]) -> None:
        self.graph, self.table, self.dtype = graph, table, dtype

    def pipeline(self, steps: list[Any], given: Features, where: str = "") -> Features:
        """Add steps, one after the other."""
        for name, step in steps:
            given = self.step(step, given, f"{where}{name}")
        return given

    def step(self, step: Any, given: Features, where: str) -> Features:
        """Add a step, or raise an error that names it."""
        if step is None or (isinstance(step, str) and step == "passthrough"):
            return given
        if type(step) is Pipeline:
            return self.pipeline(step.steps, given, f"{where}.")
        if type(step) is ColumnTransformer:
            return self._columns(step, given, where)
        add = _LEAVES.get(type(step))
        if add is None:
            raise TypeError(_refusal(where, type(step).__name__))
        for name, usual in _PLAIN.get(type(step), {}).items():
            value = getattr(step, name, usual)
            if value is not usual and not (is_missing(value) and is_missing(usual)):
                raise ValueError(
                    f"step {where!r} has {name}={value!r}, which cannot be exported to ONNX; make "
                    "the features before, or leave it out"
                )
        try:
            return add(self, step, given)
        except ValueError as error:
            raise ValueError(f"step {where!r} cannot be exported to ONNX: {error}") from None

    def numbers(self, given: Features, note: str = "") -> Matrix:
        """Return features as numbers, which the columns of a table are then said to hold."""
        if isinstance(given, Columns) and not given.text:
            graph, dtype = self.graph, self.table.dtype
            name = graph.beside([self.table.number(one, note) for one in given.names])
            given = Matrix(name, len(given.names), dtype)
        if isinstance(given, Matrix):
            return self.graph.as_type(given, self.dtype)
        raise ValueError(f"column {given.names[0]!r} is text, and numbers are needed")

    def _columns(self, step: ColumnTransformer, given: Features, where: str) -> Features:
        names = getattr(step, "feature_names_in_", None)
        numbers = {} if names is None else {name: place for place, name in enumerate(names)}
        parts = []
        for name, part, columns in step.transformers_:
            places = _places(columns, numbers, step.n_features_in_)
            if places is None:
                raise TypeError(
                    f"step {where!r} takes the columns {columns!r} for {name!r}; give a list of "
                    "names, or one of numbers"
                )
            if len(places) and not (isinstance(part, str) and part == "drop"):
                made = self.step(part, self._chosen(given, places), f"{where}.{name}")
                parts.append(self.numbers(made))
        return self.graph.all_beside(parts, self.dtype)

    def _chosen(self, given: Features, places: Array) -> Features:
        if isinstance(given, Matrix):
            return self.graph.chosen(given, places)
        names = tuple(given.names[place] for place in places)
        if isinstance(given, Columns):
            return given._replace(names=names)
        return Texts(tuple(given.tensors[place] for place in places), names)


def _places(columns: Any, numbers: Mapping[str, int], n: int) -> Array | None:
    """Return which columns a part takes, by number; None if that is a single one, or a callable."""
    if isinstance(columns, str | int) or callable(columns):
        return None
    if not isinstance(columns, slice):
        columns = [numbers[one] if isinstance(one, str) else one for one in columns]
    elif isinstance(columns.start, str) or isinstance(columns.stop, str):
        return None
    return np.arange(n)[columns] if columns != [] else np.empty(0, int)


def _refusal(where: str, kind: str) -> str:
    known = ", ".join(sorted([ColumnTransformer.__name__, *(leaf.__name__ for leaf in _LEAVES)]))
    return (
        f"step {where!r} is a {kind}, which cannot be exported to ONNX. There are {known}; or "
        "export pipeline[-1], which takes the rows that the steps before it make"
    )


def _scaler(steps: Steps, step: StandardScaler, given: Features) -> Features:
    rows, graph = steps.numbers(given), steps.graph
    if step.with_mean:
        mean = graph.constant("mean", step.mean_.astype(rows.dtype))
        rows = rows._replace(name=graph.add("Sub", rows.name, mean))
    if step.with_std:
        scale = graph.constant("scale", step.scale_.astype(rows.dtype))
        rows = rows._replace(name=graph.add("Div", rows.name, scale))
    return rows


def _imputer(steps: Steps, step: SimpleImputer, given: Features) -> Features:
    if any(isinstance(value, str) for value in step.statistics_.tolist()):
        return _filled_texts(steps, step.statistics_.tolist(), given)
    rows, graph = steps.numbers(given), steps.graph
    statistics = step.statistics_.astype(rows.dtype)
    if step.strategy != "constant" and not step.keep_empty_features:
        known = np.flatnonzero(~np.isnan(statistics))
        rows, statistics = graph.chosen(rows, known), statistics[known]
    holes = graph.add("IsNaN", rows.name)
    filled = graph.add("Where", holes, graph.constant("statistics", statistics), rows.name)
    return rows._replace(name=filled)


def _filled_texts(steps: Steps, fills: list[Any], given: Features) -> Features:
    graph = steps.graph
    tensors, names = as_texts(steps.table, given)
    filled = []
    for tensor, fill in zip(tensors, fills, strict=True):
        holes = graph.cast(graph.codes(tensor, dict.fromkeys(NAN, 1), 0), BOOL)
        filled.append(graph.add("Where", holes, graph.constant("fill", np.array([[fill]])), tensor))
    return Texts(tuple(filled), names)


def _indicator(steps: Steps, step: MissingIndicator, given: Features) -> Features:
    rows = steps.graph.chosen(steps.numbers(given), step.features_)
    holes = steps.graph.add("IsNaN", rows.name)
    return Matrix(steps.graph.cast(holes, steps.dtype), rows.width, steps.dtype)


def _function(steps: Steps, step: FunctionTransformer, given: Features) -> Features:
    if step.func is None:
        return given
    if step.func is as_floats:
        return steps.numbers(given)
    if step.func is as_text and not isinstance(given, Matrix):
        return given._replace(text=True) if isinstance(given, Columns) else given
    name = getattr(step.func, "__name__", repr(step.func))
    raise ValueError(f"the function {name} is Python code, and ONNX has operators only")


def _encoder(steps: Steps, step: OneHotEncoder, given: Features) -> Features:
    if isinstance(given, Matrix):
        given = steps.numbers(given)
    return one_hot(steps.graph, steps.table, step, given, steps.dtype)


def _days(steps: Steps, step: Days, given: Features) -> Features:
    return steps.numbers(given, "days since 1970-01-01; NaN if there is no date")


def _words(steps: Steps, step: Words, given: Features) -> Features:
    columns = ", ".join(repr(str(name)) for name in getattr(given, "names", ()))
    raise ValueError(
        f"ONNX has no operator that cuts text into words, as column {columns} needs. Leave such "
        "columns out, make them categories, or export pipeline[-1], which takes the rows that "
        "pipeline[:-1].transform makes"
    )


_LEAVES: Mapping[type, Callable[[Steps, Any, Features], Features]] = {
    StandardScaler: _scaler,
    SimpleImputer: _imputer,
    MissingIndicator: _indicator,
    OneHotEncoder: _encoder,
    FunctionTransformer: _function,
    Days: _days,
    Words: _words,
}
# Parameters that change what comes out, and the value that they must have.
_PLAIN: Mapping[type, Mapping[str, Any]] = {
    SimpleImputer: {"missing_values": np.nan, "add_indicator": False},
    MissingIndicator: {"missing_values": np.nan},
    OneHotEncoder: {"min_frequency": None, "max_categories": None},
}
