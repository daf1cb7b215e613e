"""Passes of a tagger over sequences, judged on validation sequences after each."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners import tagger

_TOKENS = 100_000  # in a block: a twentieth of a second


class Task(NamedTuple):
    """What there is to learn from: features and classes of tokens, where sequences begin."""

    features: Array
    gold: Array
    offsets: Array


class Progress(NamedTuple):
    """Where training stands, for those who want to be told after each block of sequences.

    Attributes
    ----------
    number : int
        The number of the pass, from 1 on.
    sequences : int
        How many of this pass are done.
    of : int
        How many a pass has.
    mistakes : int
        How many of them were not tagged right, before they were learned from.
    wrong_tokens : int
        How many tokens were wrong.
    seconds : float
        Time spent on learning so far, in all passes.
    score : float or None
        After a pass with validation sequences: how good the tagger is on those.
    """

    number: int
    sequences: int
    of: int
    mistakes: int
    wrong_tokens: int
    seconds: float
    score: float | None = None


class Outcome(NamedTuple):
    """How training went: mistakes of each pass, and where the best weights were found."""

    state: tagger.State
    mistakes: list[int]
    wrong_tokens: list[int]
    scores: list[float]
    converged: bool


Judge = Callable[[tagger.State], float]
Told = Callable[[Progress], None]


def blocks(order: Array, lengths: Array) -> Iterator[Array]:
    """Cut an order of sequences into blocks of so many tokens that none takes long."""
    ends = np.cumsum(lengths[order])
    first = 0
    while first < len(order):
        before = int(ends[first - 1]) if first else 0
        last = int(np.searchsorted(ends, before + _TOKENS)) + 1
        yield order[first:last]
        first = last


def run_passes(
    state: tagger.State,
    task: Task,
    rng: np.random.Generator | None,
    max_iter: int,
    finished: Callable[[tagger.State], tagger.State],
    judge: Judge | None,
    patience: int,
    told: Told,
) -> Outcome:
    """Make passes until one is clean, or they run out, or do no good to the validation score.

    ``finished`` makes the weights to tag with of those that learn. With a judge, those of the best
    pass are returned.
    """
    lengths, n = np.diff(task.offsets), len(task.offsets) - 1
    mistakes: list[int] = []
    wrong: list[int] = []
    scores: list[float] = []
    best, converged, seconds = None, False, 0.0
    for number in range(1, max_iter + 1):
        order = np.arange(n) if rng is None else rng.permutation(n)
        before, tokens, done = state.updates, 0, 0
        for block in blocks(order, lengths):
            began = perf_counter()
            state, more = tagger.update(state, *task, block)
            seconds += perf_counter() - began
            tokens, done = tokens + more, done + len(block)
            told(Progress(number, done, n, state.updates - before, tokens, seconds))
        mistakes.append(state.updates - before)
        wrong.append(tokens)
        converged = mistakes[-1] == 0
        if judge is not None:
            ready = finished(state)
            scores.append(judge(ready))
            told(Progress(number, n, n, mistakes[-1], tokens, seconds, scores[-1]))
            if scores[-1] > max(scores[:-1], default=-1.0):
                best = ready
            if number - int(np.argmax(scores)) > patience:
                break
        if converged:
            break
    return Outcome(best or finished(state), mistakes, wrong, scores, converged)
