"""The graph of a model: its inputs, its steps, and what a classifier or a regression gives."""

import json
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.hyperplanes import Probabilities
from rosenblatt.models.onnx.graph import INT64, TEXT, Graph, Matrix
from rosenblatt.models.onnx.scores import check_scores, dtype_of, has_distances, scores
from rosenblatt.models.onnx.steps import Steps
from rosenblatt.models.onnx.streams import as_estimator
from rosenblatt.models.onnx.table import (
    ROWS,
    Columns,
    Features,
    Table,
    feature_names,
    input_names,
    width_of,
)
from rosenblatt.models.stored_types import STREAMS, kind_of

_OUTPUTS = ("label", "prediction", "probabilities", "scores")


def content(onnx: Any, model: Any, kind: str, given: np.dtype[Any]) -> bytes:
    """Return the content of a file that takes numbers of a type."""
    if kind in STREAMS:
        model = model.exclusively(lambda: as_estimator(model))
        kind = kind_of(model)
    steps, estimator = _apart(model)
    check_scores(estimator, kind_of(estimator, "export"))
    columns = input_names(model)
    _check_names(columns or [])
    graph = Graph(onnx, [*(columns or [ROWS]), *_OUTPUTS])
    own = dtype_of(estimator, given)
    if columns is None:
        width = width_of(model) or estimator.n_features_in_
        rows: Features = Matrix(graph.input(ROWS, given, width), width, given)
    else:
        rows = Columns(tuple(columns))
    table = Table(graph, columns or [], given)
    # Numbers are not rounded before their mean is taken away.
    made = Steps(graph, table, np.result_type(own, given) if steps else given)
    rows = graph.as_type(made.numbers(made.pipeline(steps, rows)), own)
    table.declare()
    if hasattr(estimator, "classes_"):
        _classifier(graph, estimator, rows)
    else:
        _regression(graph, estimator, rows)
    names = None if columns else feature_names(model)
    facts = {} if names is None else {"feature_names": json.dumps(names)}
    return graph.message(kind, facts)


def _apart(model: Any) -> tuple[list[Any], Any]:
    """Return the steps of a pipeline and the estimator at the end."""
    if not isinstance(model, Pipeline):
        return [], model
    *steps, (name, last) = model.steps
    inner, estimator = _apart(last)
    return [*steps, (name, Pipeline(inner))] if inner else steps, estimator


def _check_names(columns: list[str]) -> None:
    for name in columns:
        if name in _OUTPUTS:
            raise ValueError(
                f"column {name!r} of the table has the name of an output of the file; give it "
                "another, and fit again"
            )


def _regression(graph: Graph, model: Any, rows: Matrix) -> None:
    """Add all of a regression."""
    found = scores(graph, model, rows)
    graph.flat(found.name, "prediction")
    graph.output("prediction", found.dtype, ["n"])


def _classifier(graph: Graph, model: Any, rows: Matrix) -> None:
    """Add all of a classifier."""
    if getattr(model, "distribution", "") == "bernoulli":  # of zeros and ones
        limit = graph.constant("limit", rows.dtype.type(model._limit()))
        ones = graph.add("Greater", rows.name, limit)
        rows = rows._replace(name=graph.cast(ones, rows.dtype))
    found, n_classes, labels = scores(graph, model, rows), len(model.classes_), _labels(model)
    if n_classes > 2:
        place = graph.add("ArgMax", found.name, axis=1, keepdims=0)
        graph.add("Identity", found.name, output="scores")
    else:
        zero = graph.constant("zero", found.dtype.type(0))
        above = "Greater" if has_distances(model) else "GreaterOrEqual"
        place = graph.cast(graph.add(above, graph.flat(found.name, "scores"), zero), INT64)
    # A single class is what either side of its hyperplane gives.
    known = graph.constant("classes", labels if n_classes > 1 else np.repeat(labels, 2))
    graph.add("Gather", known, place, output="label", axis=0)
    graph.output("label", TEXT if labels.dtype.kind in "UO" else labels.dtype, ["n"])
    graph.output("scores", found.dtype, ["n", n_classes] if n_classes > 2 else ["n"])
    if isinstance(model, Probabilities) and hasattr(model, "predict_proba"):
        _probabilities(graph, found, n_classes, getattr(model, "variance_", 1.0))


def _probabilities(graph: Graph, scores: Matrix, n_classes: int, variance: float) -> None:
    odds = scores.name
    if variance != 1:
        odds = graph.add("Div", odds, graph.constant("variance", scores.dtype.type(variance)))
    if n_classes == 2:
        first = graph.add("Sigmoid", graph.add("Neg", odds))
        pair = first, graph.add("Sigmoid", odds)
        graph.add("Concat", *pair, output="probabilities", axis=1)
    else:
        graph.add("Softmax", odds, output="probabilities", axis=1)
    graph.output("probabilities", scores.dtype, ["n", n_classes])


def _labels(model: Any) -> Array:
    """Return labels as ONNX has them: whole numbers of 64 bits, or texts."""
    classes: Array = model.classes_
    if classes.dtype.kind == "O" and not all(isinstance(label, str) for label in classes):
        classes = np.array(classes.tolist())
    if classes.dtype.kind in "UO":
        return classes
    if classes.dtype.kind in "biuf":
        whole = classes.astype(np.int64)
        if np.array_equal(whole, classes):
            return whole
    raise ValueError(
        f"classes_ are of {classes.dtype}; ONNX has labels that are texts or whole numbers"
    )
