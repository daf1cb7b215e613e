"""`fit`: which learners distribute, in which way, and the fitted estimator."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from rosenblatt.console import naming_parameters
from rosenblatt.distributed.arrays import Shape, prepared
from rosenblatt.distributed.checkpoint import Checkpoint, described
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.estimator_files import (
    FileRows,
    count_mistakes,
    file_metadata,
    prepared_files,
    read_files,
)
from rosenblatt.distributed.file_fitting import (
    Plan,
    check_stream,
    fit_examples,
    fit_files,
    is_files,
    kept_rounds,
    listed,
    usual_size,
)
from rosenblatt.distributed.file_fitting import described as described_shards
from rosenblatt.distributed.files import all_errors
from rosenblatt.distributed.mixing import MIXINGS, Rounds, Start
from rosenblatt.distributed.online import first_state, seed_of, work_for
from rosenblatt.distributed.sources import examples_of, pairs_of
from rosenblatt.distributed.sums import fit_batch, fit_closed_form, fit_descent
from rosenblatt.distributed.tagger import check_tagger, fit_tagger
from rosenblatt.estimators._base.closed_form import ClosedForm
from rosenblatt.estimators._base.descent import DescentClassifier
from rosenblatt.estimators._base.linear import OnlinePerceptron
from rosenblatt.estimators._base.params import check_params, unchanged_on_error
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.learner_registry import of_model
from rosenblatt.passes import CONVERGED, History
from rosenblatt.readers.command_options import READING_NAMES, Reading
from rosenblatt.readers.interactions import parsed
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.tagging.estimator import SequenceTagger

E = TypeVar("E")
_DISTRIBUTED = (OnlinePerceptron, BatchPerceptron, ClosedForm, DescentClassifier)
_REFUSED = {
    "voted": "its hypotheses are numbered along one sequence of mistakes, and there is no mean of "
    "two such sequences; use AveragedPerceptron, which predicts nearly the same",
    "kernel": "its model is the training rows that it was mistaken about, all of which every "
    "worker would need; train it on a sample, or use a linear learner",
    "structured": "its problem makes up the names of features while it learns, so that shards have "
    "no numbers for them in common; for sequences use SequenceTagger, which does",
}


@naming_parameters(label="y")
def fit(
    estimator: E,
    source: Any,
    y: Any = None,
    *,
    client: Any = None,
    rounds: int = 10,
    mixing: str = "mistakes",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    shard_bytes: int | None = None,
    **reading: Any,
) -> E:
    """Fit an estimator to data in shards, on the workers of a Dask cluster.

    Perceptrons, AROW, passive-aggressive and taggers of sequences learn by iterative parameter
    mixing [1]_: in each round every shard makes a pass from the same weights, and the results are
    mixed: ``w ← Σ μₖ wₖ``, with shares μₖ that sum to 1. On data that a margin γ separates the
    mistakes, weighted as the mixtures are, number at most (R/γ)², as on one machine. Nearest
    centroids, discriminants and naive Bayes add up sums over rows, in one round; the batch
    perceptron and gradient descent with ``batch_size=None`` add up gradients, in a round for each
    move. These are what they are on one machine, to rounding.

    The result depends on the data, the shards and the parameters alone: not on the number of
    workers, and not on which of them die.

    Parameters
    ----------
    estimator : estimator
        What to fit. Where weights are mixed, ``rounds`` replaces ``max_iter`` and ``tol``.
    source : files, Dask array, data frame or bag, list of futures, or list of arrays
        The rows. Files, such as ``"part-*.csv"``, may have any format of the readers; they must be
        where all workers see them. An estimator then has the features that ``rosenblatt train``
        would give it, keeps their names in ``metadata``, and is saved with these. Else each part is
        a shard: a
        chunk of an array, a partition of a data frame, a future of a pair (X, y), a pair (X, y), or
        an array if ``y`` is a list as well. An ``OnlineClassifier`` takes a data frame, a bag of
        pairs of a dict and a label, or lists of such pairs. A ``SequenceTagger`` takes CoNLL files,
        which are cut between sentences, a bag of pairs of a sequence and its tags, or pairs of
        lists of them; with one shard it learns what it would on one machine, to the bit. Data that
        were scattered are lost with their worker; all else is computed again.
    y : Dask array or series, name of a column, list of arrays, or None
        The labels, cut as the rows are; for files, the column of the label or the tags.
    client : distributed.Client or None
        The cluster; None is Dask's current client.
    rounds : int
        The most rounds in which weights are mixed. They end earlier when one makes no mistake.
    mixing : {"mistakes", "uniform"}
        What a shard counts in the mixture: as much as the rows that it learned from in the round,
        which are its mistakes, and for AROW and passive-aggressive rows with a small margin as
        well; or the same for all.
    checkpoint : str or path, optional
        A file for the state after each round.
    resume : bool
        Continue from the checkpoint, if there is one: to the same bits, if all is as it was.
        More ``rounds`` than before may be asked for.
    shard_bytes : int, optional
        About how many bytes of a file are a shard. Unless told otherwise there is one shard for
        each thread of the cluster, or more so that none is much above 1 GiB; each file is one at
        least. Then the result depends on
        the number of threads at the start.
    **reading
        How to read files: ``format``, ``label``, ``text``, ``ngrams``, ``weight``, ``drop``,
        ``keep``, ``category`` and ``on_error``, as
        :class:`rosenblatt.readers.command_options.Reading` has them; for an estimator
        also ``bits`` and ``dtype``, as :func:`rosenblatt.readers.read` has them. For
        a ``SequenceTagger``: ``format`` and ``names``, those of all columns, as
        :func:`rosenblatt.tagging.conll.read` has them.

    Returns
    -------
    estimator
        The one given, fitted. ``mistakes_`` has the mistakes of each round; see also
        :func:`rounds_of`.

    References
    ----------
    .. [1] R. McDonald, K. Hall and G. Mann (2010), "Distributed training strategies for the
       structured perceptron", NAACL.

    Examples
    --------
    Two lists of arrays are two shards. The workers of this client are threads of this process;
    that of a cluster is ``Client(address)``, and `local_client` starts processes.

    >>> from distributed import Client
    >>> from rosenblatt import Perceptron
    >>> X, y = [[[0.0], [1.0]], [[3.0], [5.0]]], [[0, 0], [1, 1]]
    >>> with Client(processes=False, dashboard_address=None):
    ...     model = fit(Perceptron(shuffle=False), X, y)
    >>> model.predict([[0.5], [4.0]]).tolist()
    [0, 1]
    """
    if not isinstance(rounds, int | np.integer) or rounds < 1:
        raise ValueError(f"rounds={rounds} must be 1 or more, and whole")
    if shard_bytes is not None and shard_bytes < 1:
        raise ValueError(f"shard_bytes={shard_bytes} must be 1 or more")
    if mixing not in MIXINGS:
        raise ValueError(f"mixing={mixing!r} must be one of {', '.join(MIXINGS)}")
    if resume and checkpoint is None:
        raise ValueError("resume=True needs a checkpoint: name its file")
    if reading and not is_files(source) and not isinstance(estimator, SequenceTagger):
        raise TypeError(f"{next(iter(reading))!r} says how to read files, and these are none")
    if isinstance(estimator, OnlineClassifier):
        check_stream(estimator)
        cluster, plan = Cluster.of(client), Plan(rounds, mixing, checkpoint, resume)
        if is_files(source):
            how, files = _reading(y, reading), listed(source)
            size = shard_bytes or usual_size(cluster, files, checkpoint, resume)
            done = fit_files(cluster, estimator, files, how, plan, size)
        else:
            done = fit_examples(cluster, estimator, examples_of(cluster, source, y), plan)
        remember(estimator, done)
        return estimator
    if isinstance(estimator, SequenceTagger):
        check_tagger(estimator)
        with unchanged_on_error(estimator):
            cluster, plan = Cluster.of(client), Plan(rounds, mixing, checkpoint, resume)
            size = shard_bytes or 1
            if is_files(source) and shard_bytes is None:
                size = usual_size(cluster, listed(source), checkpoint, resume)
            done = fit_tagger(cluster, estimator, source, y, plan, size, **reading)
        remember(estimator, done)
        return estimator
    check_estimator(estimator)
    if checkpoint is not None and not isinstance(estimator, OnlinePerceptron):
        raise ValueError(
            f"a checkpoint is of rounds in which weights are mixed, and {type(estimator).__name__} "
            "makes none"
        )
    Checkpoint(checkpoint, {}).check_kind(resume)
    cluster, plan = Cluster.of(client), Plan(rounds, mixing, checkpoint, resume)
    with unchanged_on_error(estimator):
        if is_files(source):
            bits, dtype = reading.pop("bits", None), reading.pop("dtype", "float64")
            if dtype not in ("float32", "float64"):
                raise ValueError(f"dtype={dtype!r} must be float32 or float64")
            how = replace(_reading(y, reading), dtype=dtype, labelled=True)
            learner = of_model(estimator)
            size = shard_bytes or usual_size(cluster, listed(source), checkpoint, resume)
            rows = read_files(cluster, learner, listed(source), how, bits, size)
            fit_file_rows(cluster, estimator, rows, plan)
        else:
            shape, shards = prepared(cluster, estimator, pairs_of(cluster, source, y))
            _fit_shards(cluster, estimator, shape, shards, plan, {"shards": len(shards)})
    return estimator


def fit_file_rows(
    cluster: Cluster,
    estimator: Any,
    rows: FileRows,
    plan: Plan,
    classes: Sequence[Any] | None = None,
) -> list[int]:
    """Fit an estimator to files that workers have read; return the mistakes of each pass.

    Those of a closed form are its mistakes on the rows that it learned from.
    """
    shape, shards = prepared_files(cluster, estimator, rows, classes)
    data = described_shards(rows.cut, rows.shard_bytes)
    done = _fit_shards(cluster, estimator, shape, shards, plan, data)
    done.errors = all_errors([each.errors for each in rows.surveys])
    remember(estimator, done)
    if isinstance(estimator, ClosedForm):
        mistakes = [count_mistakes(cluster, estimator, shards)]
    else:
        mistakes = estimator.mistakes_.tolist()
    estimator.metadata = file_metadata(rows, estimator, mistakes)
    return mistakes


def _fit_shards(
    cluster: Cluster,
    estimator: Any,
    shape: Shape,
    shards: list[Any],
    plan: Plan,
    data: dict[str, Any],
) -> Rounds:
    """Fit an estimator to shards; ``data`` describes them for a checkpoint."""
    describe(estimator, shape)
    if isinstance(estimator, ClosedForm):
        fit_closed_form(cluster, estimator, shape, shards)
    elif isinstance(estimator, BatchPerceptron):
        fit_batch(cluster, estimator, shape, shards)
    elif isinstance(estimator, DescentClassifier):
        fit_descent(cluster, estimator, shape, shards)
    else:
        return _fit_online(cluster, estimator, shape, shards, plan, data)
    return Rounds()


def _reading(label: Any, given: dict[str, Any]) -> Reading:
    """Return how to read files."""
    given = {"label": None if label is None else str(label), **given}
    listed = ("text", "drop", "keep", "category", "interactions")
    given |= {k: (given[k],) for k in listed if isinstance(given.get(k), str)}
    unknown = sorted(given.keys() - READING_NAMES)
    if unknown:
        raise TypeError(
            f"unknown option {unknown[0]!r}; files are read by {', '.join(sorted(READING_NAMES))}"
        )
    given |= {k: tuple(v) for k, v in given.items() if isinstance(v, list)}
    parsed(given.get("interactions", ()))
    return Reading(**given)


def check_estimator(estimator: Any) -> None:
    """Raise ``ValueError`` for what does not distribute, and why."""
    row = of_model(estimator)
    name = type(estimator).__name__
    if row is not None and row.name in _REFUSED:
        raise ValueError(f"{name} does not distribute: {_REFUSED[row.name]}")
    if not isinstance(estimator, _DISTRIBUTED):
        raise ValueError(f"{name} cannot be fitted on a cluster; fit it on one machine")
    check_params(estimator)
    if isinstance(estimator, DescentClassifier):
        _check_descent(estimator, name)
    if getattr(estimator, "record", False):
        raise ValueError(
            "a ledger lists updates in the order of one machine; set record=False on a cluster"
        )
    if getattr(estimator, "calibration", None) is not None:
        raise ValueError(
            f"calibration={estimator.calibration!r} needs rows held out; leave it out on a cluster"
        )
    if getattr(estimator, "warm_start", False) and hasattr(estimator, "_state"):
        raise ValueError(
            "warm_start=True does not apply to a cluster, where a fit starts from zero weights or "
            "with resume=True from a checkpoint"
        )


def _check_descent(estimator: Any, name: str) -> None:
    if estimator.batch_size is not None:
        size = estimator._rows_in_batch
        raise ValueError(
            f"{name} with batch_size={size} moves after every batch, which does not distribute; "
            "set batch_size=None, which adds up the gradients of all shards"
        )
    if estimator.early_stopping:
        raise ValueError("early_stopping=True needs rows held out; set it to False on a cluster")


def _fit_online(
    cluster: Cluster,
    estimator: Any,
    shape: Shape,
    shards: list[Any],
    plan: Plan,
    data: dict[str, Any],
) -> Rounds:
    run = {
        **described(estimator, random=True),
        "mixing": plan.mixing,
        **data,
        "rows": shape.rows,
        "columns": shape.columns,
        "dtype": shape.dtype,
        "classes": [str(label) for label in shape.classes.tolist()],
    }
    kept = Checkpoint(plan.path, run)
    work, fresh = work_for(estimator, shape), Start(first_state(estimator, shape))
    seed, start, done = kept.load(seed_of(estimator.random_state), fresh, plan.resume)
    start = kept_rounds(cluster, work, shards, start, seed, done, plan, kept)
    estimator._finish(start.state, None)
    estimator._record(
        History(done.mistakes, ending=CONVERGED if work.finished(done.mistakes) else ""), None
    )
    remember(estimator, done)
    return done


def describe(estimator: Any, shape: Shape) -> None:
    """Set what an estimator knows of its rows."""
    estimator.classes_, estimator.n_features_in_ = shape.classes, shape.columns
    if shape.names is not None:
        estimator.feature_names_in_ = np.array(shape.names, object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    vars(estimator).pop("metadata", None)  # of files that it learned from before


_HISTORIES: WeakKeyDictionary[Any, Rounds] = WeakKeyDictionary()


def remember(model: Any, done: Rounds) -> None:
    """Keep the rounds of a model for as long as there is the model."""
    _HISTORIES[model] = done


def rounds_of(model: Any) -> Rounds:
    """Return what the rounds of `fit` came to, as long as the model has not been saved and loaded.

    Parameters
    ----------
    model : estimator
        As `fit` returned it.

    Returns
    -------
    Rounds
        With ``mistakes``, those of each round, and ``passes``, what each shard's pass came to.

    Examples
    --------
    >>> from distributed import Client
    >>> from rosenblatt import Perceptron
    >>> X, y = [[[0.0], [1.0]], [[3.0], [5.0]]], [[0, 0], [1, 1]]
    >>> with Client(processes=False, dashboard_address=None):
    ...     model = fit(Perceptron(shuffle=False), X, y)
    >>> rounds_of(model).mistakes
    [2, 2, 1, 1, 1, 0]
    """
    if model not in _HISTORIES:
        raise ValueError("the rounds of this model are not known: it was not fitted here")
    return _HISTORIES[model]
