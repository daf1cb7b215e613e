"""`fit` for files: an `OnlineClassifier` as `rosenblatt train` would make it, from shards."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt.data.rows import Array
from rosenblatt.distributed.checkpoint import Checkpoint
from rosenblatt.distributed.cluster import Cluster, ClusterError, Tasks
from rosenblatt.distributed.files import (
    MOST_BYTES,
    TABLES,
    Cut,
    all_errors,
    cut_files,
    fresh_names,
    new_columns,
    outside_quotes,
    read_shard,
)
from rosenblatt.distributed.mixing import Report, Rounds, Start, Work, run_rounds
from rosenblatt.distributed.stream import (
    FileShape,
    FileSurvey,
    StreamWork,
    read_examples,
    ready_stream,
    survey_read,
    united_files,
)
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed, Names
from rosenblatt.readers.sources import expand
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.compacting import compacted
from rosenblatt.stream.rules import rule_of

_SEED = 0
_TURNS = 8  # of reading anew, as columns have values that were empty before


def is_files(source: Any) -> bool:
    """Say whether a source is files or patterns of files."""
    if isinstance(source, str | Path):
        return True
    return (
        isinstance(source, list | tuple)
        and all(isinstance(one, str | Path) for one in source)
        and bool(source)
    )


def listed(source: Any) -> list[str | Path]:
    """Return files or patterns as a list."""
    return [source] if isinstance(source, str | Path) else list(source)


def check_stream(model: Any) -> None:
    """Raise ``ValueError`` if a stream's learner does not distribute, or has learned already."""
    options = model._options
    rule = rule_of(options)
    if rule.keeps_rows:
        raise ValueError(
            "the voted perceptron does not distribute: its hypotheses are numbered along one "
            "sequence of mistakes; use learner='averaged', which predicts nearly the same"
        )
    if rule.loss is not None and not rule.adapts:
        raise ValueError(
            "learning_rate='inverse_sqrt' counts steps along one sequence; use 'adaptive' on a "
            "cluster"
        )
    if options.l1:
        raise ValueError(
            "l1 is for one process: on a cluster weights are mixed, and seldom zero; use l2"
        )
    if options.forget:
        raise ValueError("forget is for one process: on a cluster examples are in no one order")
    if model.t_ or (model.n_features_ and not isinstance(model._names, Hashed)):
        raise ValueError(
            f"this {model!r} has learned already; give a new one, which a fit starts from"
        )


def usual_size(
    cluster: Cluster,
    files: Sequence[str | Path],
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
) -> int:
    """Return the bytes of a shard to learn from: as few shards as can be, one for each thread.

    More shards each learn less from a round. They are larger than `MOST_BYTES` in no case, so that
    their rows fit into the memory of a worker, and few are to be read again if it dies. A fit that
    is resumed has those that it had.
    """
    known = Checkpoint(checkpoint, {}).shard_bytes() if resume else None
    total = sum(source.size or 0 for source in expand(files))
    return known or max(1, min(-(-total // max(1, cluster.threads)), MOST_BYTES))


class Plan(NamedTuple):
    """How a stream's learner is to be fitted: the arguments of `fit`, and what shows progress."""

    rounds: int
    mixing: str
    path: str | os.PathLike[str] | None
    resume: bool
    report: Report | None = None


def fit_files(
    cluster: Cluster,
    model: OnlineClassifier,
    files: Sequence[str | Path],
    reading: Reading,
    plan: Plan,
    shard_bytes: int,
) -> Rounds:
    """Fit a stream's learner to files."""
    Checkpoint(plan.path, {}).check_kind(plan.resume)
    bits = model._names.bits if isinstance(model._names, Hashed) else None
    reading = replace(reading, dtype=model._options.dtype, labelled=True)
    reading = replace(reading, interactions=reading.interactions or tuple(model.interactions or ()))
    cut = cut_all(cluster, files, reading, bits, shard_bytes)
    kind, scaled = _names_like(model, cut.names)
    with cluster.tasks("reading the files") as tasks:
        cut, read, surveys = read_all(tasks, cut, kind, scaled)
        shape, shards = _ready_shards(tasks, model, kind, read, surveys, f"{shown(cut)}: ")
        read.clear()  # workers need not keep both
    places = tuple(shard.place for shard in cut.shards)
    data = described(cut, shard_bytes)
    done = _fit(cluster, model, shape, shards, surveys, places, data, plan)
    done.reading = cut.reading
    facts = training_facts(cut, surveys, model.n_features_, done.mistakes)
    model.metadata = {**facts, "learner": model._options.learner}
    return done


def cut_all(
    cluster: Cluster, files: Sequence[str | Path], reading: Reading, bits: int | None, size: int
) -> Cut:
    """Cut files into shards; see `cut_files`. Quotes are counted by the workers."""
    cut = cut_files(files, reading, bits, size)
    if any(shard.format in TABLES and shard.stop is not None for shard in cut.shards):
        cut = cut._replace(shards=outside_quotes(cluster, cut.shards))
    return cut


def read_all(
    tasks: Tasks, cut: Cut, kind: Names, scaled: bool, weightless: bool = False
) -> tuple[Cut, list[Any], list[FileSurvey]]:
    """Read all shards, and look at them; return futures of their rows.

    It is done anew where a column has values that was empty in the first rows.
    """
    for _ in range(_TURNS):
        given = cut.reading, kind, weightless
        tasks.futures.clear()
        read = [tasks.submit("read", read_shard, one, *given) for one in cut.shards]
        surveys = tasks.results(
            *[tasks.submit("survey", survey_read, each, scaled) for each in read]
        )
        more = new_columns(cut.reading.columns, [each.errors for each in surveys])
        if not more:
            break
        columns = (*cut.reading.columns, *more)
        cut = cut._replace(reading=replace(cut.reading, columns=columns))
    return cut, read, surveys


def shown(cut: Cut) -> str:
    """Return the names of some files, for an error."""
    names = list(dict.fromkeys(shard.name for shard in cut.shards))
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def described(cut: Cut, shard_bytes: int) -> dict[str, Any]:
    """Describe shards for a checkpoint, which is of no use for others."""
    data = [[one.name, Path(one.path).stat().st_mtime_ns, *one[3:5]] for one in cut.shards]
    reading = json.loads(json.dumps(cut.reading.header()))  # lists, as they are stored
    return {"shards": data, "shard_bytes": shard_bytes, "reading": reading}


def fit_examples(
    cluster: Cluster, model: OnlineClassifier, parts: Sequence[Any], plan: Plan
) -> Rounds:
    """Fit a stream's learner to lists of pairs: an example as a dict, and its label."""
    Checkpoint(plan.path, {}).check_kind(plan.resume)
    kind, scaled = _names_like(model, model._names)
    dtype = model._options.dtype
    with cluster.tasks("reading the examples") as tasks:
        read = [
            tasks.submit("read", read_examples, number, part, kind, dtype, model.interactions)
            for number, part in enumerate(parts)
        ]
        surveys = tasks.results(
            *[tasks.submit("survey", survey_read, each, scaled) for each in read]
        )
        shape, shards = _ready_shards(tasks, model, kind, read, surveys, "")
        read.clear()
    places = tuple(f"shard {number}" for number in range(len(parts)))
    described: dict[str, Any] = {"shards": [each.rows for each in surveys]}
    if model.interactions:
        described["interactions"] = model.interactions
    return _fit(cluster, model, shape, shards, surveys, places, described, plan)


def _names_like(model: OnlineClassifier, names: Names) -> tuple[Names, bool]:
    """Return empty names for a shard's features, and whether numbers are to be scaled."""
    kind = fresh_names(names)
    OnlineClassifier.with_names(model._options, kind)  # which says whether words are counted
    return kind, bool(model._options.scale) and not isinstance(kind, Hashed)


def _ready_shards(
    tasks: Tasks,
    model: OnlineClassifier,
    kind: Names,
    read: Sequence[Any],
    surveys: Sequence[FileSurvey],
    what: str,
) -> tuple[FileShape, list[Any]]:
    """Unite what shards have, and return them ready to learn from."""
    shape = united_files(surveys, model._options, kind, model.classes_)
    check_classes(surveys, shape.classes, what)
    published = tasks.submit("publish", _same, (shape.classes, shape.scaling))
    pairs = zip(read, shape.maps, strict=True)
    return shape, [tasks.cluster.submit("shard", _ready, *pair, published) for pair in pairs]


def _fit(
    cluster: Cluster,
    model: OnlineClassifier,
    shape: FileShape,
    shards: Sequence[Any],
    surveys: Sequence[FileSurvey],
    places: tuple[str, ...],
    data: dict[str, Any],
    plan: Plan,
) -> Rounds:
    """Make rounds over shards, and make the model what they come to."""
    options = model._options
    fitted = OnlineClassifier.with_names(options, shape.names, shape.classes.tolist())
    fitted._scaling = shape.scaling
    run = {
        **options.stored(),
        "mixing": plan.mixing,
        **data,
        "classes": [str(label) for label in shape.classes.tolist()],
        "features": shape.names.n_features,
    }
    kept = Checkpoint(plan.path, run)
    work = StreamWork(options, len(shape.classes), shape.scaling is not None, places)
    seed, start, done = kept.load(_SEED, Start(fitted._state), plan.resume)
    done.errors = all_errors([each.errors for each in surveys])
    start = kept_rounds(cluster, work, shards, start, seed, done, plan, kept)
    fitted._state, fitted._sum_squares[0] = start.state, start.extra
    _take_over(model, compacted(fitted) or fitted)
    return done


def kept_rounds(
    cluster: Cluster,
    work: Work,
    shards: Sequence[Any],
    start: Start,
    seed: int,
    done: Rounds,
    plan: Plan,
    kept: Checkpoint,
) -> Start:
    """Make the rounds of a plan, each with a checkpoint; an error names the last one."""
    try:
        return run_rounds(
            cluster, work, shards, start,
            seed=seed, rounds=plan.rounds, mixing=plan.mixing, done=done,
            save=lambda start, done: kept.save(seed, start, done), report=plan.report,
        )  # fmt: skip
    except ClusterError as error:
        left = ""
        if plan.path is not None and done.passes:
            left = (
                f". {plan.path} has the state after round {len(done.passes)}; resume=True "
                "continues from it"
            )
        raise ClusterError(f"{error}{left}") from None


def _same(value: Any) -> Any:
    return value


def _ready(read: Any, own: Any, common: tuple[Any, Any]) -> Any:
    return ready_stream(read, own, *common)


def check_classes(surveys: Sequence[FileSurvey], classes: Array, what: str) -> None:
    """Refuse data that nothing can be learned from."""
    rows = sum(each.rows for each in surveys)
    if not rows:
        unlabelled = sum(each.unlabelled for each in surveys)
        why = "there are no examples"
        if unlabelled:
            why = f"none of the {unlabelled:,} rows has a label"
        raise ValueError(f"{what}{why}")
    if len(classes) < 2:
        raise ValueError(
            f"{what}all {rows:,} examples have the label {classes.tolist()[0]!r}, so there "
            "is nothing to distinguish"
        )


def _take_over(model: OnlineClassifier, fitted: OnlineClassifier) -> None:
    """Make a model what another one is."""
    interactions = model.interactions
    model._set_up(fitted._options, fitted._names)
    model._multiply(interactions)
    model.classes_, model._sum_squares = fitted.classes_, fitted._sum_squares
    model._scaling = fitted._scaling
    model._state = fitted._state


def training_facts(
    cut: Cut, surveys: Sequence[FileSurvey], n_features: int, mistakes: list[int]
) -> dict[str, Any]:
    """Return what `train` stores with a model: how files are read, and facts of its training."""
    return {
        "reading": {**cut.reading.header(), "label": cut.reading.label, "usual": cut.usual},
        "summary": {
            "files": cut.described,
            "examples": sum(each.rows for each in surveys),
            "features": n_features,
            "passes": len(mistakes),
            "mistakes": mistakes,
            "losses": [],
            "validation": [],
            "best_pass": None,
            "retrained": False,
            "unlabelled": sum(each.unlabelled for each in surveys),
            "skipped": sum(each.errors.count for each in surveys),
        },
    }
