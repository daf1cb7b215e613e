"""Scores of the kernel perceptron: by its last hypothesis, their mean, a vote, or one at random.

No hypothesis is stored. Going through the changes of coefficients in order, and adding up kernel
values, visits them all; a block of examples goes through them at once.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array, all_finite, n_rows
from rosenblatt.kernels.dual import (
    score_at,
    vote_each,
    vote_jointly,
    vote_jointly_now,
    vote_now,
)
from rosenblatt.learners.gram import Grams
from rosenblatt.learners.kernel import State, changes_of, kernel_of, known_steps
from rosenblatt.learners.online import too_large
from rosenblatt.learners.recent import Recent

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
    """Score the n examples that ``grams`` has beside the kept rows, as things stood after steps.

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
