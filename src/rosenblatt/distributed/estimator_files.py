"""`fit` for files and estimators: the rows that one machine would read, in shards.

Each shard is read once, with names of its own. These are numbered as if the files were read from
start to end, and the shards become matrices with the columns of all; from there on they are what
shards of arrays are.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, frozen, usable
from rosenblatt.distributed.arrays import (
    Part,
    Shape,
    Shard,
    check_part,
    ready,
    survey,
    united,
)
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.file_fitting import (
    check_classes,
    cut_all,
    read_all,
    shown,
    training_facts,
)
from rosenblatt.distributed.files import Cut, Read, fresh_names
from rosenblatt.distributed.mixing import in_tree
from rosenblatt.distributed.stream import FileSurvey, united_classes, united_names, with_columns
from rosenblatt.estimators._base.closed_form import ClosedForm
from rosenblatt.estimators._base.value_kinds import ValueKinds
from rosenblatt.learner_registry import CLOSED_FORM, Learner, of_model
from rosenblatt.prediction.model_files import Estimator, matrix
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Kept, Names, Numbered


class FileRows(NamedTuple):
    """Files that workers have read.

    ``read`` are futures of the rows of each shard, and ``maps`` their columns among those of all
    shards, which ``names`` has.
    """

    cut: Cut
    names: Names
    maps: list[Array | None]
    classes: Array
    surveys: list[FileSurvey]
    read: list[Any]
    shard_bytes: int

    @property
    def examples(self) -> int:
        """The number of rows with a label."""
        return sum(each.rows for each in self.surveys)

    @property
    def unlabelled(self) -> int:
        """The number of rows without one."""
        return sum(each.unlabelled for each in self.surveys)


def read_files(
    cluster: Cluster,
    learner: Learner | None,
    files: Sequence[str | Path],
    reading: Reading,
    bits: int | None,
    shard_bytes: int,
) -> FileRows:
    """Read files on the workers, as `train` reads them for a learner, and unite their names."""
    cut = cut_all(cluster, files, reading, bits, shard_bytes)
    kind = fresh_names(cut.names)
    if isinstance(kind, Kept) and learner is not None and learner.trains == CLOSED_FORM:
        kind.counts_words = learner.counts_words
    with cluster.tasks("reading the files") as tasks:
        cut, read, surveys = read_all(tasks, cut, kind, False, weightless=True)
        names = fresh_names(kind)
        maps = united_names(surveys, names)
    classes = united_classes(surveys, np.empty(0, object))
    return FileRows(cut, names, maps, classes, surveys, read, shard_bytes)


def value_kinds(cluster: Cluster, rows: FileRows) -> ValueKinds:
    """Look at the values of all shards."""
    with cluster.tasks("looking at the values") as tasks:
        parts = [tasks.submit("look", kinds_in, each) for each in rows.read]
        (found,) = tasks.results(in_tree(parts, partial(tasks.submit, "join", ValueKinds.join)))
    return found  # type: ignore[no-any-return]


def kinds_in(read: Read) -> ValueKinds:
    """Look at the values of a shard."""
    return ValueKinds().add(read.rows)


def prepared_files(
    cluster: Cluster, estimator: Any, rows: FileRows, known: Sequence[Any] | None = None
) -> tuple[Shape, list[Any]]:
    """Return the common shape of all shards, and futures of what is learned from.

    The rows as they were read are given up. ``known`` are classes that need not have rows.
    """
    what, classes = f"{shown(rows.cut)}: ", rows.classes
    if known is not None:
        classes = united_classes(rows.surveys, np.array(known, object if _texts(known) else None))
    check_classes(rows.surveys, classes, what)
    width = rows.names.n_features
    if not width:
        raise ValueError(f"{what}no example has any feature")
    whole = zip(rows.cut.shards, rows.read, rows.maps, strict=True)
    parts = [
        cluster.submit("part", part_of, estimator, shard.place, read, own, width, _dense(shard))
        for shard, read, own in whole
    ]
    rows.read.clear()
    with cluster.tasks("looking at the shards") as tasks:
        surveys = tasks.results(*[tasks.submit("survey", survey, part) for part in parts])
        if not any(each is not None for each in surveys):
            raise ValueError(
                f"{what}all examples have importance weight 0, so there is nothing to learn from"
            )
        # A closed form knows the classes of rows that count nothing, as `train` has it.
        every = classes if isinstance(estimator, ClosedForm) else None
        shape = united(surveys, getattr(estimator, "class_weight", None), every)
        return shape, [cluster.submit("shard", ready, estimator, part, shape) for part in parts]


def _texts(labels: Sequence[Any]) -> bool:
    return any(isinstance(label, str) for label in labels)


def _dense(shard: Any) -> bool:
    """Say whether the rows of a file are arrays."""
    return bool(shard.format == "npy")


def part_of(
    estimator: Any, place: str, read: Read, own: Array | None, width: int, dense: bool
) -> Part:
    """Return the matrix of a shard, with the columns of all shards."""
    labels, weights = read.labels, read.weights
    used = slice(None) if weights is None or weights.all() else np.flatnonzero(weights)
    if not len(labels[used]):
        return Part(None, labels[:0], None)
    if dense:
        X: Any = matrix(Dense(read.rows.values.reshape(len(labels), width)), width)
    else:
        X = matrix(frozen(with_columns(read, own)), width)
    if not isinstance(used, slice):
        X, labels = X[used], labels[used]
    weights = None if weights is None else weights[used]
    return check_part(estimator, place, X, labels)._replace(weights=weights)


def count_mistakes(cluster: Cluster, estimator: Any, shards: Sequence[Any]) -> int:
    """Count the mistakes of a fitted model on what it learned from."""
    with cluster.tasks("counting mistakes") as tasks:
        model = tasks.submit("publish", _same, estimator)
        parts = [tasks.submit("count", mistakes_in, model, shard) for shard in shards]
        return sum(tasks.results(*parts))


def _same(value: Any) -> Any:
    return value


def mistakes_in(model: Any, shard: Shard | None) -> int:
    """Count the mistakes of a model in a shard."""
    if shard is None:
        return 0
    predictor = Estimator(model, Numbered(model.n_features_in_), type(model).__name__)
    return int(np.count_nonzero(predictor.codes(usable(shard.rows)) != shard.codes))


def file_metadata(rows: FileRows, estimator: Any, mistakes: list[int]) -> dict[str, Any]:
    """Return what `train` stores with an estimator: facts of its training, and the names."""
    learner, names = of_model(estimator), rows.names
    return {
        **training_facts(rows.cut, rows.surveys, names.n_features, mistakes),
        "learner": type(estimator).__name__ if learner is None else learner.name,
        "names": {"header": names.header(), "arrays": names.arrays()},
    }
