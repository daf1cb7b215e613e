"""Scores of the kernel perceptron: by its last hypothesis, their mean, a vote, or one at random.

No hypothesis is stored. Going through the changes of coefficients in order, and adding up kernel
values, visits them all; a block of examples goes through them at once.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, Rows, all_finite, n_rows
from rosenblatt.kernels.kernel_perceptron import (
    Changes,
    score_at,
    vote_each,
    vote_jointly,
    vote_jointly_now,
    vote_now,
)
from rosenblatt.learners.kernel_perceptron.kernel_values import Grams, Kernel
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams
from rosenblatt.learners.kernel_perceptron.learning import State, changes_of, kernel_of, known_steps
from rosenblatt.learners.kernel_perceptron.recent_rows import Recent
from rosenblatt.learners.online import n_functions, too_large

# Writes the scores of the examples ``where``, whose lanes are ready.
Scorer: TypeAlias = Callable[[Any, slice, Array], None]
_BLOCK = 1 << 22  # kernel values of a block of examples with all that is kept


def scores(
    state: State,
    grams: Grams,
    n: int,
    how: str = "vote",
    rng: np.random.Generator | None = None,
    steps: Sequence[int] | None = None,
) -> Array:
    """Score the n examples that ``grams`` has in addition to the kept rows, as of some steps.

    Returns an array with an axis for the steps, one for the functions, and one for the examples.
    A vote is the share of all votes: of one function −1…1, of classes in common 0…1.
    """
    steps = [state.steps] if steps is None else list(steps)
    out = np.zeros((len(steps), len(state.born), n))
    known, size = n_rows(state.kept), grams.block_size
    if not known:
        score: Scorer = _at_once(state, grams, steps, False)
    elif how in ("last", "average"):
        score = _at_once(state, grams, steps, how == "average")
    else:
        size = max(16, min(size, _BLOCK // known))
        score = (
            _votes(state, grams, steps) if how == "vote" else _picks(state, grams, steps, n, rng)
        )
    for start in range(0, n, size):
        where = slice(start, min(start + size, n))
        lanes = grams.lanes(known + np.arange(where.start, where.stop))
        score(lanes, where, out[:, :, where])
    return out


def _at_once(state: State, grams: Grams, steps: list[int], averaged: bool) -> Scorer:
    """Score by the coefficients, or their means, after each of the steps: one sum for all."""
    count, shape = len(state.born), (len(steps), len(state.born), n_rows(state.kept))
    coef = np.zeros(shape)
    for table, step in zip(coef, steps, strict=True):
        lived = np.maximum(step + 1 - state.step, 0)
        weight = lived / known_steps(state, step) if averaged else lived > 0
        np.add.at(table, (state.function, state.row), state.change * weight)
    recent = Recent(grams)
    stage, function, row = np.nonzero(coef)
    recent.add(row, stage * count + function, coef[stage, function, row])

    def score(lanes: Any, where: slice, out: Array) -> None:
        sums = np.zeros((len(steps) * count, where.stop - where.start))
        grams.add(recent.since(0), lanes, sums)
        out[:] = _finite(sums, state).reshape(out.shape)

    return score


def _votes(state: State, grams: Grams, steps: list[int]) -> Scorer:
    """Let every hypothesis vote, as often as it survived an example."""
    log, taken = changes_of(state), grams.take(np.arange(n_rows(state.kept)))
    ends = np.searchsorted(state.step, steps, side="right").tolist()
    joint = state.joint and len(state.born) > 1
    start = np.array([state.first]) if joint else np.maximum(state.born, state.first)

    def score(lanes: Any, where: slice, out: Array) -> None:
        values = _finite(grams.values(taken, lanes), state)
        running, votes = np.zeros(out.shape[1:]), np.zeros(out.shape[1:])
        since, first = start.copy(), 0
        for stage, step, last in zip(out, steps, ends, strict=True):
            if joint:
                vote_jointly(values, log, first, last, since, state.born, running, votes)
                vote_jointly_now(step, since, state.born, running, votes)
            else:
                vote_each(values, log, first, last, since, running, votes)
                vote_now(step, since, running, votes)
            stage[:] = votes / known_steps(state, step)
            first = last

    return score


def _picks(
    state: State, grams: Grams, steps: list[int], n: int, rng: np.random.Generator | None
) -> Scorer:
    """Score each example by the hypotheses of one step, drawn for it at random."""
    log, taken = changes_of(state), grams.take(np.arange(n_rows(state.kept)))
    rng = rng or np.random.default_rng()
    ends = np.searchsorted(state.step, steps, side="right").tolist()
    picks = [rng.integers(min(step, state.first), step + 1, size=n) for step in steps]

    def score(lanes: Any, where: slice, out: Array) -> None:
        values = _finite(grams.values(taken, lanes), state)
        for stage, pick, last in zip(out, picks, ends, strict=True):
            sums = np.zeros(stage.shape)
            score_at(values, log, last, pick[where], sums)
            there = np.maximum(pick[where], 1)  # before the first step are those of the first
            sums[state.born[:, None] > there] = -np.inf  # that class was not there yet
            stage[:] = sums

    return score


def _finite(values: Array, state: State) -> Array:
    if not all_finite(values):
        raise too_large(f"values of {kernel_of(state)} are", state.kept.values.dtype)
    return values


HOW = ("vote", "average", "last")


class Standing:
    """Rows, and how they score by the vote, the mean or the last of the hypotheses so far.

    Parameters
    ----------
    kernel : Kernel
        With its bias.
    learned, scored : Rows
        The rows that are learned from, and those to score.
    n_classes : int
    joint : bool
        Whether K > 2 classes learn jointly, and a hypothesis votes for one of them.
    how : {"vote", "average", "last"}
    """

    def __init__(
        self,
        kernel: Kernel,
        learned: Rows,
        scored: Rows,
        n_classes: int,
        joint: bool,
        how: str = "vote",
    ) -> None:
        width = learned.values.shape[1]
        self.grams: Any = HostGrams(kernel, scored, learned, width)
        known, n = n_rows(learned), n_rows(scored)
        self.lanes = self.grams.lanes(known + np.arange(n))
        self.kernel, self.how, self.joint = kernel, how, joint and n_classes > 2
        functions = n_functions(n_classes)
        self.last, self.other = np.zeros((2, functions, n))  # the other: votes, or late sums
        self.born = np.ones(functions, np.int64)
        self.since = np.ones(1 if self.joint else functions, np.int64)
        self.step = 0

    def learn(self, row: int, step: int, function: Array, change: Array) -> None:
        """Take over the changes that a mistake about one of the learned rows made in a step."""
        values = self.grams.values(self.grams.take(np.array([row])), self.lanes)
        if not all_finite(values):
            raise too_large(f"values of {self.kernel} are", values.dtype)
        count = len(function)
        log = Changes(np.zeros(count, np.int64), np.full(count, step), function, change)
        if self.how == "vote" and self.joint:
            now = self.since, self.born, self.last, self.other
            vote_jointly(values, log, 0, count, *now)
        elif self.how == "vote":
            vote_each(values, log, 0, count, self.since, self.last, self.other)
        else:
            for k, by in zip(function.tolist(), change.tolist(), strict=True):
                self.last[k] += by * values[0]
                self.other[k] += (step - 1) * by * values[0]

    def scores(self, step: int) -> Array:
        """Return the scores after a step: a line for each function, to be read only.

        Votes are shares of all votes.
        """
        if self.how == "last":
            return self.last
        if self.how == "average":
            return np.asarray(self.last - self.other / max(step, 1))
        if self.joint:
            vote_jointly_now(step, self.since, self.born, self.last, self.other)
        else:
            vote_now(step, self.since, self.last, self.other)
        return np.asarray(self.other / max(step, 1))
