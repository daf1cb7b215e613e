"""`train --workers` and `train --cluster`: learning in shards, on several processes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any

from rosenblatt.console import UsageError, is_terminal, say
from rosenblatt.distributed.checkpoint import Checkpoint
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.estimator_files import read_files, value_kinds
from rosenblatt.distributed.file_fitting import Plan, check_stream, fit_files, usual_size
from rosenblatt.distributed.files import all_errors
from rosenblatt.distributed.fitting import check_estimator, fit_file_rows
from rosenblatt.distributed.local import local_client, remote_client
from rosenblatt.distributed.mixing import Rounds
from rosenblatt.learner_registry import CLOSED_FORM, IN_MEMORY, LEARNERS, ONLINE, trainable
from rosenblatt.prediction.model_files import Estimator, Online
from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.readers.reader import CountingReader
from rosenblatt.readers.sources import expand
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.training.command_options import TrainOptions, listed
from rosenblatt.training.estimators import (
    check_examples,
    check_many,
    check_pairs,
    new_model,
    warnings_noted,
)
from rosenblatt.training.online import _options
from rosenblatt.training.progress import Bar, Lines, Silent
from rosenblatt.training.shared_options import ClusterOptions
from rosenblatt.training.summary import TrainingResult

ROUNDS = 10
_WAYS = (ONLINE, CLOSED_FORM, IN_MEMORY)
_ALONE = {  # what has no meaning in shards, and what to do instead
    "validation": "evaluate the model with --test",
    "retrain": "evaluate the model with --test",
    "no_shuffle": "each shard is learned from in an order of its own",
    "no_cache": "workers keep their rows in memory",
    "ignore_weights": "remove the weights from the files",
    "report": "leave out --workers and --cluster",
    "labels": "name files that have labels",
    "forget": "examples have no order there",
    "l1": "weights that are mixed are seldom zero, so use --l2",
}


def check_options(job: TrainOptions) -> None:
    """Raise `UsageError` for options that make no sense on a cluster, or without one."""
    check_cluster(job, ("rounds", "shards"), _ALONE)
    if not job.on_cluster:
        return
    row = LEARNERS[job.learner]
    if row.name == "voted":
        raise UsageError(
            "--workers and --cluster are not for voted, whose hypotheses are numbered along one "
            "sequence of mistakes; take --learner averaged, which predicts nearly the same"
        )
    if row.trains not in _WAYS:
        others = [name for name in trainable(*_WAYS) if name != "voted"]
        raise UsageError(
            f"--workers and --cluster are for {listed(others)}, not for {row.name}, which "
            "standardises the numbers to predict as they come, along one sequence of rows"
        )
    if row.trains == ONLINE and job.passes:
        raise UsageError("--passes is for training with one process; say --rounds")
    if row.trains != ONLINE and job.rounds:
        sums = "one round" if row.trains == CLOSED_FORM else "a round for each pass (--passes)"
        raise UsageError(f"--rounds is not for {row.name}, which adds up sums in {sums}")


def check_cluster(job: Any, together: Sequence[str], alone: Mapping[str, str]) -> None:
    """Raise `UsageError` for options that only a cluster has, or that only one process has."""
    if not job.on_cluster:
        for name in together:
            if getattr(job, name) is not None:
                raise UsageError(f"--{name} needs --workers or --cluster")
        return
    if job.workers is not None and job.cluster is not None:
        raise UsageError("--workers starts processes here, and --cluster uses others: choose one")
    for name in ("workers", "rounds", "shards"):
        value = getattr(job, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value} must be 1 or more")
    for name, instead in alone.items():
        if getattr(job, name):
            raise UsageError(
                f"--{name.replace('_', '-')} is for training with one process; {instead}"
            )
    if "-" in job.files:
        raise UsageError("standard input (-) cannot be cut into parts; name files")


def train_on_cluster(job: TrainOptions) -> TrainingResult:
    """Train as the job says, in shards."""
    if LEARNERS[job.learner].trains == ONLINE:
        return _train_stream(job)
    return _train_estimator(job)


def _train_stream(job: TrainOptions) -> TrainingResult:
    """Mix the weights of shards, in rounds."""
    names = Kept() if job.bits is None else Hashed(job.bits)
    model = OnlineClassifier.with_names(_options(job), names, job.known_classes)
    check_stream(model)
    began = perf_counter()
    done = in_shards(
        job,
        lambda cluster, plan, size: fit_files(cluster, model, job.files, job.reading(), plan, size),
        Report,
    )
    assert model.metadata is not None
    facts = model.metadata["summary"]
    rows = facts["examples"] + facts["unlabelled"]
    return TrainingResult(
        Online(model),
        _reader(job, done.reading, rows, done.errors),
        facts["examples"],
        seconds=perf_counter() - began,
        mistakes=done.mistakes,
        checkpoint=None if job.checkpoint is None else Checkpoint(job.checkpoint, {}),
    )


def in_shards(
    job: Any, fit: Callable[[Cluster, Plan, int], Rounds], report: type["Report"]
) -> Rounds:
    """Start or find workers, and fit on them what is given a cluster, a plan and a shard's size."""
    rounds, kept = job.rounds or ROUNDS, Checkpoint(job.checkpoint, {})
    total = _bytes(job)  # and what is wrong with the files or the checkpoint, before workers start
    kept.check_kind(job.resume)
    with _client(job) as client, _told(kept):
        cluster = Cluster(client)
        size = _shard_bytes(job, cluster)
        shown = report(rounds, max(1, round(total / size)), job.quiet)
        try:
            plan = Plan(rounds, "mistakes", job.checkpoint, job.resume, shown)
            return fit(cluster, plan, size)
        finally:
            shown.close()


@contextmanager
def _told(kept: Checkpoint) -> Iterator[None]:
    """Say where an interrupted fit can continue from."""
    try:
        yield
    except KeyboardInterrupt:
        if kept.path is not None and kept.path.exists():
            say(f"{kept.path} has the state after the last complete round; --resume continues")
        raise


def _train_estimator(job: TrainOptions) -> TrainingResult:
    """Add up sums over shards."""
    began, row = perf_counter(), LEARNERS[job.learner]
    expand(job.files)  # a missing file is an error before workers start
    with _client(job) as client, warnings_noted() as warned:
        cluster = Cluster(client)
        size = _shard_bytes(job, cluster)
        rows = read_files(cluster, row, job.files, job.reading(), job.bits, size)
        n, every = rows.examples, all_errors([each.errors for each in rows.surveys])
        reader = _reader(job, rows.cut.reading, n + rows.unlabelled, every)
        reader.names, classes = rows.names, rows.classes
        kinds = value_kinds(cluster, rows)
        if job.known_classes is None:
            check_many(reader, n, classes)
        check_examples(reader, n, classes if job.known_classes is None else None, kinds.entries)
        check_pairs(row.name, reader, n)
        model, notes = new_model(job, kinds, rows.names)
        check_estimator(model)
        plan = Plan(1, "mistakes", None, False)
        mistakes = fit_file_rows(cluster, model, rows, plan, job.known_classes)
    return TrainingResult(
        Estimator(model, rows.names, row.name),
        reader,
        n,
        seconds=perf_counter() - began,
        mistakes=mistakes,
        notes=[*notes, *warned],
    )


def _shard_bytes(job: Any, cluster: Cluster) -> int:
    """Return about how many bytes a shard has."""
    shards: int | None = job.shards
    if shards is not None:
        return max(1, -(-_bytes(job) // shards))
    return usual_size(cluster, job.files, job.checkpoint, job.resume)


def _bytes(job: Any) -> int:
    return sum(source.size or 0 for source in expand(job.files))


def _client(job: ClusterOptions) -> AbstractContextManager[Any]:
    if job.cluster is not None:
        return remote_client(job.cluster)
    assert job.workers is not None
    return local_client(job.workers)


def _reader(job: TrainOptions, reading: Reading, rows: int, errors: ErrorLog) -> CountingReader:
    """Return a reader of the files with what reading them came to."""
    told = replace(job.reading(), columns=reading.columns, others=reading.others)
    reader = CountingReader(job.files, told, bits=job.bits)
    reader.first_format()  # which a model remembers
    reader.rows = reader.known = rows
    reader.bytes, reader.label = _bytes(job), reading.label
    reader.first_errors = reader.errors = errors
    reader.close()
    return reader


class Report:
    """Shows the progress of rounds and their shards."""

    def __init__(self, rounds: int, shards: int, quiet: bool) -> None:
        self.shards, self.began = shards, 0.0  # of the rounds, once files are read
        self.bar = None if quiet or not is_terminal() else Bar(rounds, "shards")
        self.lines: Any = Silent()
        if not quiet:
            self.lines = self.new_lines(rounds)
            self.lines.bar = self.bar

    def new_lines(self, rounds: int) -> Any:
        """Return what writes a line after each round."""
        return Lines(rounds)

    def __call__(self, number: int, shards: int, done: Rounds) -> None:
        """Take note of how many shards of a round are done; after it, write a line."""
        self.began = self.began or perf_counter()
        if len(done.passes) < number:
            if self.bar is not None:
                self.bar.show(number, shards, shards / max(self.shards, shards))
            return
        self.end_round(number, done)

    def end_round(self, number: int, done: Rounds) -> None:
        """Write a line."""
        examples = sum(each.examples for each in done.passes[-1])
        self.lines.step(number, examples, done.mistakes[-1], 1.0)
        self.lines.end_pass()

    def close(self) -> None:
        """Remove the bar."""
        self.lines.close()
