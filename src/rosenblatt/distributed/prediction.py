"""`predict` and `evaluate` over shards: the model travels, the data do not."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rosenblatt.console import naming_parameters
from rosenblatt.data.labels import as_labels, places
from rosenblatt.data.rows import Array
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.file_fitting import is_files, listed
from rosenblatt.distributed.files import (
    SHARD_BYTES,
    TABLES,
    FileShard,
    RangeErrors,
    blocks_of,
    cut_files,
    outside_quotes,
    placed_errors,
)
from rosenblatt.distributed.mixing import in_tree
from rosenblatt.distributed.sources import pairs_of, rows_of
from rosenblatt.distributed.tagger_prediction import evaluate_sequences, predict_sequences
from rosenblatt.evaluation.files import _add, labelled_rows
from rosenblatt.evaluation.metrics import Confusion
from rosenblatt.prediction.model_files import Predictor, located, predictor_of
from rosenblatt.readers.blocks import Block
from rosenblatt.readers.command_options import Reading
from rosenblatt.tagging.estimator import SequenceTagger


@naming_parameters()
def predict(
    model: Any, source: Any, *, client: Any = None, shard_bytes: int = SHARD_BYTES, **reading: Any
) -> Any:
    """Predict the classes of rows in shards, on the workers of a Dask cluster.

    Parameters
    ----------
    model : estimator, OnlineClassifier or SequenceTagger
        A fitted classifier or tagger.
    source : files, Dask array or data frame, list of arrays or futures
        The rows, as in :func:`fit` but without labels. Files are read as those that the model
        learned from.
    client : distributed.Client or None
        The cluster; None is Dask's current client.
    shard_bytes : int
        About how many bytes of a file a task reads.
    **reading
        How to read files, where that differs from the training files: as in :func:`fit`.

    Returns
    -------
    array or list
        The class of each row, in the order of the shards; the tags of each sequence, as a list.

    Examples
    --------
    >>> from distributed import Client
    >>> from rosenblatt import NearestCentroid
    >>> model = NearestCentroid().fit([[0.0], [5.0]], ["low", "high"])
    >>> with Client(processes=False, dashboard_address=None):
    ...     print(predict(model, [[[1.0], [2.0]], [[4.0]]]))
    ['low' 'low' 'high']
    """
    cluster = Cluster.of(client)
    if isinstance(model, SequenceTagger):
        return predict_sequences(cluster, model, source, shard_bytes, **reading)
    with cluster.tasks("predicting") as tasks:
        if is_files(source):
            shards, how = _files(cluster, model, source, reading, shard_bytes, aside=True)
            given = tasks.submit("publish", _parts, model, how)
            parts = [tasks.submit("predict", predict_file, shard, given) for shard in shards]
        else:
            given = tasks.submit("publish", _parts, model, None)
            rows = rows_of(cluster, source)
            parts = [tasks.submit("predict", predict_rows, given, part) for part in rows]
        return np.concatenate(tasks.results(*parts))


@naming_parameters(label="y")
def evaluate(
    model: Any,
    source: Any,
    y: Any = None,
    *,
    client: Any = None,
    shard_bytes: int = SHARD_BYTES,
    **reading: Any,
) -> Any:
    """Count how many predictions are right, on the workers of a Dask cluster.

    Parameters
    ----------
    model : estimator, OnlineClassifier or SequenceTagger
        A fitted classifier or tagger.
    source, y : files, Dask collections, or lists
        Rows with labels, as in :func:`fit`.
    client : distributed.Client or None
        The cluster; None is Dask's current client.
    shard_bytes : int
        About how many bytes of a file a task reads.
    **reading
        How to read files, where that differs from the training files: as in :func:`fit`.

    Returns
    -------
    :class:`~rosenblatt.evaluation.metrics.Confusion`
        How often each class was predicted for the rows of each label: ``accuracy``, ``mistakes``,
        ``matrix``, ``macro()`` and so on. Of a tagger, as its own ``evaluate`` returns it, a
        :class:`~rosenblatt.tagging.spans.SpanReport`: ``accuracy``, ``f1`` and so on.

    Examples
    --------
    >>> from distributed import Client
    >>> from rosenblatt import NearestCentroid
    >>> model = NearestCentroid().fit([[0.0], [5.0]], ["low", "high"])
    >>> with Client(processes=False, dashboard_address=None):
    ...     found = evaluate(model, [[[1.0], [2.0]], [[4.0]]], [["low", "high"], ["high"]])
    >>> found.examples, found.mistakes
    (3, 1)
    """
    cluster = Cluster.of(client)
    if isinstance(model, SequenceTagger):
        return evaluate_sequences(cluster, model, source, y, shard_bytes, **reading)
    with cluster.tasks("evaluating") as tasks:
        if is_files(source):
            if y is not None:
                reading = {"label": str(y), **reading}
            shards, how = _files(cluster, model, source, reading, shard_bytes)
            given = tasks.submit("publish", _parts, model, how)
            parts = [tasks.submit("evaluate", evaluate_file, shard, given) for shard in shards]
        else:
            given = tasks.submit("publish", _parts, model, None)
            pairs = pairs_of(cluster, source, y)
            parts = [tasks.submit("evaluate", evaluate_rows, given, *pair) for pair in pairs]
        (found,) = tasks.results(
            in_tree(parts, lambda a, b: tasks.submit("add", add_confusions, a, b))
        )
    if not found.examples:
        raise ValueError("no row has a label, so there is nothing to evaluate")
    return found


def _parts(model: Any, reading: Reading | None) -> tuple[Any, Reading | None]:
    return model, reading


def _files(
    cluster: Cluster, model: Any, source: Any, given: dict[str, Any], size: int, aside: bool = False
) -> tuple[Sequence[FileShard], Reading]:
    """Cut files as those that a model learned from."""
    known = getattr(model, "metadata", None) or {}
    header = known.get("reading", {"dtype": "float64"})
    reading = Reading.from_header(header, **given)
    cut = cut_files(listed(source), reading, None, size)
    reading = replace(reading, label=cut.reading.label or reading.label)
    shards = cut.shards
    if any(shard.format in TABLES and shard.stop is not None for shard in shards):
        shards = outside_quotes(cluster, shards)
    if aside and shards[0].format == "text":
        with open(shards[0].path, "rb") as file:  # noqa: PTH123
            line = file.readline()
        if b"\t" not in line and not line.startswith(b"__label__"):
            reading = replace(reading, label="")
    return shards, reading


def _opened(model: Any) -> Predictor:
    return predictor_of(model, getattr(model, "metadata", None) or {})


def _blocks(shard: FileShard, given: tuple[Any, Reading]) -> Iterator[tuple[Predictor, Block]]:
    model, reading = given
    predictor = _opened(model)
    errors = RangeErrors(skip=reading.on_error == "skip", shard=shard)
    for block in blocks_of(shard, reading, predictor.names, errors):
        yield predictor, block


def predict_file(shard: FileShard, given: tuple[Any, Reading]) -> Array:
    """Predict the rows of a file shard."""
    found = [np.empty(0, object)]
    for predictor, block in _blocks(shard, given):
        with placed_errors(shard), located(block):
            assert predictor.classes is not None
            found.append(predictor.classes[predictor.codes(block.rows)])
    return np.concatenate(found[1:] or found)


def predict_rows(given: tuple[Any, Any], X: Any) -> Array:
    """Predict the rows of a shard."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    model = given[0]
    return np.asarray(model.predict(X)) if n else model.classes_[:0]


def evaluate_file(shard: FileShard, given: tuple[Any, Reading]) -> Confusion:
    """Count what is right in a file shard."""
    classes = _opened(given[0]).classes
    if classes is None:
        raise ValueError("this model predicts numbers; evaluate it on one machine")
    counted = Confusion(classes)
    for predictor, block in _blocks(shard, given):
        with placed_errors(shard):
            rows, labels, weights = labelled_rows(block, False)
        if len(labels):
            with placed_errors(shard), located(block, labelled_only=True):
                _add(counted, labels, predictor.codes(rows), weights)
    return counted


def evaluate_rows(given: tuple[Any, Any], X: Any, y: Any) -> Confusion:
    """Count what is right in a shard."""
    model = given[0]
    counted = Confusion(model.classes_)
    predicted = predict_rows(given, X)
    if len(predicted):
        labels = np.asarray(as_labels(y))
        counted.add(labels, places(counted.classes, predicted))
    return counted


def add_confusions(left: Confusion, right: Confusion) -> Confusion:
    """Add what was counted in two groups of shards."""
    made = Confusion(left.classes)
    made._known = left._known + right._known
    for part in (left, right):
        for label, row in part._unknown.items():
            made._unknown[label] = made._unknown.get(label, 0) + row
    made.examples = left.examples + right.examples
    made.mistakes = left.mistakes + right.mistakes
    return made
