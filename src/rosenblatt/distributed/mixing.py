"""Iterative parameter mixing (McDonald, Hall and Mann 2010): rounds over shards, on a cluster.

In each round every shard makes one pass, starting from the same weights; the results are mixed, and
the mixture is what the next round starts from. All of it is made of pure functions of their
arguments, of which nothing depends on where they run: seeds are those of the round and the shard,
and the mixture is made in a tree whose shape depends on the number of shards alone. A worker that
dies costs the time to compute its part once more, and changes no bit of the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.deltas import (
    Blank,
    Delta,
    Part,
    applied,
    arrays_of,
    changes,
    merged,
    n_bytes,
    packed,
)
from rosenblatt.learners import online
from rosenblatt.readers.blocks import ErrorLog

MIXINGS = ("mistakes", "uniform")
COUNTS = ("steps", "updates", "mistakes", "loss_sum", "averaged")


class Pass(NamedTuple):
    """What a shard's pass came to.

    ``updates`` are the rows it learned from, ``weight`` is its part in the mixture before these are
    divided by their sum, ``sent`` the bytes of what it changed. ``tokens`` are those of a tagger's
    sequences, and ``wrong_tokens`` the ones among them that it got wrong.
    """

    examples: int
    mistakes: int
    updates: int
    weight: float = 0.0
    sent: int = 0
    wrong_tokens: int = 0
    tokens: int = 0


class Learned(NamedTuple):
    """What some shards changed, mixed, and each one's pass.

    ``counts`` is a state without arrays: what was done in this round. ``extra`` is a sum over rows
    that a learner keeps beside its state.
    """

    counts: Any
    delta: Delta
    extra: float
    weight: float
    passes: tuple[Pass, ...]


class Start(NamedTuple):
    """What a round starts from: a state, and the sum over rows beside it."""

    state: Any
    extra: float = 0.0


class Report(Protocol):
    """Takes note of a round's number, how many shards are done, and the rounds so far."""

    def __call__(self, number: int, shards: int, done: "Rounds") -> None: ...


class Work(Protocol):
    """How a learner learns in rounds. It travels with every task, so it is small."""

    @property
    def learner(self) -> str:
        """The module with ``merge``."""

    def finished(self, mistakes: Sequence[int]) -> bool:
        """Say whether there is nothing left to learn, by the mistakes of the rounds so far."""

    def begin(self, start: Start, number: int) -> Start:
        """Return what the shards of a round start from."""

    def needed(self, shard: Any, start: Start) -> tuple[Start, Part | None]:
        """Return what a shard needs of a start, and which part of it that is, unless it is all."""

    def learn(self, shard: Any, start: Start, seed: list[int], clean: bool) -> tuple[Start, Pass]:
        """Make a pass over a shard; the start may be changed."""

    def advance(self, before: Start, begun: Start, learned: Learned) -> Start:
        """Return the state after a round."""


@dataclass
class Rounds:
    """What the rounds of a fit came to.

    Attributes
    ----------
    reading : Reading or None
        How the files of a stream's learner were read.
    passes : list of tuples of Pass
        What the pass of each shard came to, for each round.
    errors : ErrorLog
        Which lines of files could not be read, and what was found out about columns.
    """

    passes: list[tuple[Pass, ...]] = field(default_factory=list)
    errors: ErrorLog = field(default_factory=ErrorLog)
    reading: Any = None

    @property
    def skipped(self) -> int:
        """How many lines of files could not be read and were skipped."""
        return self.errors.count

    @property
    def messages(self) -> list[str]:
        """What was wrong with some of them, by file and line."""
        return self.errors.messages

    @property
    def mistakes(self) -> list[int]:
        """The mistakes of each round."""
        return [sum(each.mistakes for each in passes) for passes in self.passes]

    @property
    def weighted_mistakes(self) -> float:
        """The mistakes of all rounds and shards, times their shares in the mixtures.

        Theorem 3 of McDonald, Hall and Mann (2010) bounds it by (R/γ)² for perceptrons on data
        that can be separated by a margin γ.
        """
        return sum(_weighted(passes) for passes in self.passes)


def _weighted(passes: Sequence[Pass]) -> float:
    total = sum(each.weight for each in passes)
    return sum(each.weight * each.mistakes for each in passes) / total if total else 0.0


def publish(blank: Blank, delta: Delta, extra: float) -> Start:
    """Unpack what a round starts from, on a worker."""
    return Start(blank.fill(delta), extra)


def learn_shard(
    work: Work, mixing: str, shard: Any, start: Start, seed: list[int], clean: bool
) -> Learned:
    """Make one pass over a shard, and return what it changed."""
    begun, part = work.needed(shard, start)
    after, done = work.learn(shard, Start(online.copy(begun.state), begun.extra), seed, clean)
    weight = float(done.updates) if mixing == "mistakes" else float(done.examples > 0)
    counts = {
        name: getattr(after.state, name) - getattr(start.state, name)
        for name in COUNTS
        if hasattr(after.state, name)
    }
    without = after.state._replace(**dict.fromkeys(arrays_of(after.state)), **counts)
    delta = changes(begun.state, after.state, part)
    passes = (done._replace(weight=weight, sent=n_bytes(delta)),)
    return Learned(without, delta, after.extra - start.extra, weight, passes)


def mix(learner: str, start: Start, left: Learned, right: Learned) -> Learned:
    """Mix what two groups of shards changed."""
    both, module = (left, right), import_module(learner)
    sums = {
        name: getattr(left.counts, name) + getattr(right.counts, name)
        for name in COUNTS
        if hasattr(left.counts, name)
    }
    if left.weight or right.weight:
        parts = [(part.counts, part.delta) for part in both]
        delta = merged(module, start.state, parts, [left.weight, right.weight])
    else:
        delta = left.delta  # neither moved
    return Learned(
        left.counts._replace(**sums),
        delta,
        left.extra + right.extra,
        left.weight + right.weight,
        left.passes + right.passes,
    )


def with_changes(begun: Start, learned: Learned) -> Start:
    """Return the state after a round, with the counts of the round alone."""
    state, counts = applied(begun.state, learned.delta), learned.counts
    known = {name: getattr(counts, name) for name in COUNTS if hasattr(counts, name)}
    return Start(state._replace(**known), begun.extra + learned.extra)


def counted(before: Any, after: Any) -> Any:
    """Add the counts of a state before to those of the round after it."""
    names = [name for name in COUNTS if hasattr(before, name) and name != "averaged"]
    return after._replace(**{name: getattr(before, name) + getattr(after, name) for name in names})


def run_rounds(
    cluster: Cluster,
    work: Work,
    shards: Sequence[Any],
    start: Start,
    *,
    seed: int,
    rounds: int,
    mixing: str,
    done: Rounds,
    save: Callable[[Start, Rounds], None] = lambda start, done: None,
    report: Report | None = None,
) -> Start:
    """Make rounds until one has no mistake or all are made; ``done`` takes note of each.

    Parameters
    ----------
    cluster : Cluster
        Where tasks run.
    work : Work
        How to learn.
    shards : sequence of futures
        The rows.
    start : Start
        What to start from: after the rounds in ``done``.
    seed, rounds, mixing
        As given to `fit`.
    done : Rounds
        The rounds so far, to which the others are added.
    save : function of what the next round starts from, and the rounds
        Writes a checkpoint.
    report : function of the number of a round and the number of its shards that are done, optional
        Shows progress.
    """
    while len(done.passes) < rounds and not work.finished(done.mistakes):
        number = len(done.passes)
        begun = work.begin(start, number)
        blank, delta = packed(begun.state)
        clean = number > 0 and not done.mistakes[-1]
        with cluster.tasks(f"round {number + 1} of {rounds}") as tasks:
            published = tasks.later("publish", publish, blank, delta, begun.extra)
            learned = [
                tasks.later(
                    "learn", learn_shard, work, mixing, shard, published, [seed, number, k], clean
                )
                for k, shard in enumerate(shards)
            ]
            root = in_tree(learned, partial(tasks.later, "mix", mix, work.learner, published))
            root, *learned = tasks.start(root, *(learned if report is not None else ()))
            tick = None if report is None else partial(_look, report, learned, done)
            (found,) = tasks.results(root, tick=tick)
        start = work.advance(start, begun, found)
        done.passes.append(found.passes)
        save(start, done)
        if report is not None:
            report(number + 1, len(shards), done)
    return start


def _look(report: Report, learned: Sequence[Any], done: Rounds) -> None:
    """Report how many shards of a round are done."""
    ready = sum(future.status == "finished" for future in learned)
    report(len(done.passes) + 1, ready, done)


def in_tree(leaves: Sequence[Any], join: Callable[[Any, Any], Any]) -> Any:
    """Join neighbours two by two until one is left, whose shape depends on their number alone.

    >>> in_tree("abcde", lambda left, right: f"({left}{right})")
    '(((ab)(cd))e)'
    """
    level = list(leaves)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [join(a, b) for a, b in pairs] + (level[-1:] if len(level) % 2 else [])
    return level[0]
