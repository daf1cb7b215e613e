"""`train --workers` and `train --cluster`: learning in shards, on several processes."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from time import perf_counter
from typing import Any

from rosenblatt.console import UsageError, is_terminal
from rosenblatt.distributed.checkpoint import Checkpoint
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.file_fitting import Plan, check_stream, fit_files, usual_size
from rosenblatt.distributed.local import local_client, remote_client
from rosenblatt.distributed.mixing import Rounds
from rosenblatt.learner_registry import LEARNERS, ONLINE, trainable
from rosenblatt.prediction.model_files import Online
from rosenblatt.readers.blocks import ErrorLog
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.names import Hashed, Kept
from rosenblatt.readers.reader import CountingReader
from rosenblatt.readers.sources import expand
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.training.command_options import ClusterOptions, TrainOptions, listed
from rosenblatt.training.online import _options
from rosenblatt.training.progress import Bar, Lines, Silent
from rosenblatt.training.summary import TrainingResult

ROUNDS = 10
_ALONE = {  # what has no meaning in shards, and what to do instead
    "passes": "say --rounds",
    "validation": "evaluate the model with --test",
    "retrain": "evaluate the model with --test",
    "no_shuffle": "each shard is learned from in an order of its own",
    "no_cache": "workers keep their rows in memory",
    "ignore_weights": "remove the weights from the files",
    "report": "train with one process",
    "labels": "name files that have labels",
}


def check_options(job: TrainOptions) -> None:
    """Raise `UsageError` for options that make no sense on a cluster, or without one."""
    check_cluster(job, ("rounds", "shards"), _ALONE)
    if job.on_cluster and LEARNERS[job.learner].trains != ONLINE:
        others = [name for name in trainable(ONLINE) if name != "voted"]
        raise UsageError(
            f"--workers and --cluster are for {listed(others)}, not for {job.learner}; in Python, "
            "rosenblatt.distributed.fit has others"
        )


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
    names = Kept() if job.bits is None else Hashed(job.bits)
    model = OnlineClassifier.with_names(_options(job), names, job.known_classes)
    check_stream(model)
    total, began = size_of(job.files), perf_counter()
    done = in_shards(
        job,
        lambda cluster, plan, size: fit_files(cluster, model, job.files, job.reading(), plan, size),
        Report,
    )
    assert model.metadata is not None
    facts = model.metadata["summary"]
    return TrainingResult(
        Online(model),
        _reader(job, model.metadata, facts, total, done),
        facts["examples"],
        seconds=perf_counter() - began,
        mistakes=done.mistakes,
        checkpoint=None if job.checkpoint is None else Checkpoint(job.checkpoint, {}),
    )


def in_shards(
    job: Any, fit: Callable[[Cluster, Plan, int], Rounds], report: type["Report"]
) -> Rounds:
    """Start or find workers, and fit on them what is given a cluster, a plan and a shard's size."""
    rounds, total = job.rounds or ROUNDS, size_of(job.files)
    with _client(job) as client:
        cluster = Cluster(client)
        size = max(1, -(-total // (job.shards or 1)))
        if job.shards is None:
            size = usual_size(cluster, job.files, job.checkpoint, job.resume)
        shown = report(rounds, max(1, round(total / size)), job.quiet)
        try:
            plan = Plan(rounds, "mistakes", job.checkpoint, job.resume, shown)
            return fit(cluster, plan, size)
        finally:
            shown.close()


def size_of(files: list[str]) -> int:
    """Return how many bytes files have."""
    return sum(source.size or 0 for source in expand(files))


def _client(job: ClusterOptions) -> AbstractContextManager[Any]:
    if job.cluster is not None:
        return remote_client(job.cluster)
    assert job.workers is not None
    return local_client(job.workers)


def _reader(
    job: TrainOptions, metadata: dict[str, Any], facts: dict[str, Any], total: int, done: Rounds
) -> CountingReader:
    """Return a reader of the files with the counts that reading them came to."""
    reading = Reading.from_header(metadata["reading"])
    reader = CountingReader(job.files, replace(job.reading(), columns=reading.columns))
    reader.rows = reader.known = facts["examples"] + facts["unlabelled"]
    reader.bytes = total
    reader.first_errors = reader.errors = ErrorLog(
        count=done.skipped,
        messages=done.messages[:5],
        label=reading.label if reading.columns or reading.usual == "jsonl" else None,
        columns=reading.columns,
    )
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
