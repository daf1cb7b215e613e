"""`fit` for files: an `OnlineClassifier` as `rosenblatt train` would make it, from shards."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rosenblatt.distributed.checkpoint import Checkpoint
from rosenblatt.distributed.cluster import Cluster, ClusterError
from rosenblatt.distributed.files import (
    TABLES,
    Cut,
    FileShard,
    cut_files,
    fresh_names,
    new_columns,
    outside_quotes,
    read_shard,
)
from rosenblatt.distributed.mixing import Report, Rounds, Start, run_rounds
from rosenblatt.distributed.stream import (
    FileShape,
    FileSurvey,
    StreamWork,
    ready_stream,
    survey_read,
    united_files,
)
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.model import compacted
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
    if model.t_ or (model.n_features_ and not isinstance(model._names, Hashed)):
        raise ValueError(
            f"this {model!r} has learned already; give a new one, which a fit starts from"
        )


def fit_files(
    cluster: Cluster,
    model: OnlineClassifier,
    files: Sequence[str | Path],
    reading: Reading,
    *,
    rounds: int,
    mixing: str,
    path: str | os.PathLike[str] | None,
    resume: bool,
    shard_bytes: int,
    report: Report | None = None,
) -> Rounds:
    """Fit a stream's learner to files."""
    options = model._options
    bits = model._names.bits if isinstance(model._names, Hashed) else None
    reading = replace(reading, dtype=options.dtype, labelled=True)
    cut = cut_files(files, reading, bits, shard_bytes)
    if any(shard.format in TABLES and shard.stop is not None for shard in cut.shards):
        cut = cut._replace(shards=outside_quotes(cluster, cut.shards))
    cut, surveys, shape, shards = _read(cluster, model, cut)
    fitted = OnlineClassifier.with_names(options, shape.names, shape.classes.tolist())
    fitted._scaling = shape.scaling
    run = {
        "learner": options.learner,
        **{name: value for name, value in options._asdict().items() if name != "learner"},
        "bits": bits,
        "mixing": mixing,
        "files": [
            [one.name, Path(one.path).stat().st_mtime_ns, one.start, one.stop] for one in cut.shards
        ],
        "classes": [str(label) for label in shape.classes.tolist()],
        "features": shape.names.n_features,
    }
    kept = Checkpoint(path, run)
    places = tuple(shard.place for shard in cut.shards)
    work = StreamWork(options, len(shape.classes), shape.scaling is not None, places)
    seed, start, done = kept.load(_SEED, Start(fitted._state), resume)
    done.skipped = sum(each.errors.count for each in surveys)
    done.messages = [message for each in surveys for message in each.errors.messages]
    try:
        start = run_rounds(
            cluster, work, shards, start,
            seed=seed, rounds=rounds, mixing=mixing, done=done,
            save=lambda start, done: kept.save(seed, start, done), report=report,
        )  # fmt: skip
    except ClusterError as error:
        raise ClusterError(f"{error}{where(path, done)}") from None
    fitted._state, fitted._sum_squares[0] = start.state, start.extra
    _take_over(model, compacted(fitted) or fitted)
    model.metadata = _metadata(model, cut, surveys, done)
    return done


def where(path: str | os.PathLike[str] | None, done: Rounds) -> str:
    """Say what is left after an error."""
    if path is None or not done.passes:
        return ""
    return f". {path} has the state after round {len(done.passes)}; resume=True continues from it"


def _read(
    cluster: Cluster, model: OnlineClassifier, cut: Cut
) -> tuple[Cut, list[FileSurvey], FileShape, list[Any]]:
    """Read all shards, unite what they have, and return them ready to learn from."""
    options, kind = model._options, fresh_names(cut.names)
    OnlineClassifier.with_names(options, kind)  # which says whether words are counted
    scaled = bool(options.scale) and not isinstance(kind, Hashed)
    with cluster.tasks("reading the files") as tasks:
        for _ in range(_TURNS):
            read = [tasks.submit("read", read_shard, one, cut.reading, kind) for one in cut.shards]
            surveys = tasks.results(
                *[tasks.submit("survey", survey_read, each, scaled) for each in read]
            )
            more = new_columns(cut.reading.columns, [each.errors for each in surveys])
            if not more:
                break
            columns = (*cut.reading.columns, *more)
            cut = cut._replace(reading=replace(cut.reading, columns=columns))
        shape = united_files(surveys, options, kind, model.classes_)
        _check_classes(cut.shards, surveys, shape)
        published = tasks.submit("publish", _same, (shape.classes, shape.scaling))
        ready = [
            cluster.submit("shard", _ready, each, own, published)
            for each, own in zip(read, shape.maps, strict=True)
        ]
    return cut, surveys, shape, ready


def _same(value: Any) -> Any:
    return value


def _ready(read: Any, own: Any, common: tuple[Any, Any]) -> Any:
    return ready_stream(read, own, *common)


def _check_classes(
    shards: Sequence[FileShard], surveys: Sequence[FileSurvey], shape: FileShape
) -> None:
    """Refuse data that nothing can be learned from."""
    names = list(dict.fromkeys(shard.name for shard in shards))
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    rows = sum(each.rows for each in surveys)
    if not rows:
        unlabelled = sum(each.unlabelled for each in surveys)
        why = (
            f"none of the {unlabelled:,} rows has a label"
            if unlabelled
            else "there are no examples"
        )
        raise ValueError(f"{shown}: {why}")
    if len(shape.classes) < 2:
        raise ValueError(
            f"{shown}: all {rows:,} examples have the label {shape.classes.tolist()[0]!r}, so "
            "there is nothing to distinguish"
        )


def _take_over(model: OnlineClassifier, fitted: OnlineClassifier) -> None:
    """Make a model what another one is."""
    model._set_up(fitted._options, fitted._names)
    model.classes_, model._sum_squares = fitted.classes_, fitted._sum_squares
    model._scaling = fitted._scaling
    model._state = fitted._state


def _metadata(
    model: OnlineClassifier, cut: Cut, surveys: Sequence[FileSurvey], done: Rounds
) -> dict[str, Any]:
    """Return what `train` stores with a model: how files are read, and facts of its training."""
    return {
        "reading": {**cut.reading.header(), "label": cut.reading.label, "usual": cut.usual},
        "summary": {
            "files": cut.described,
            "examples": sum(each.rows for each in surveys),
            "features": model.n_features_,
            "passes": len(done.passes),
            "mistakes": done.mistakes,
            "losses": [],
            "validation": [],
            "best_pass": None,
            "retrained": False,
            "unlabelled": sum(each.unlabelled for each in surveys),
            "skipped": done.skipped,
        },
        "learner": model._options.learner,
    }
