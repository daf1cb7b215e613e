"""Gradient descent on a loss, in batches of any size (deck D; Robbins and Monro 1951).

``w ← w − η ((1/B) Σ_{i in batch} slope_i x_i + α w)``, where slope_i is the loss's derivative by
row i's score. One row a batch is stochastic, all rows are batch gradient descent; for the latter
`rosenblatt.learners.full_batch_descent` takes fewer products. After each move an L1 penalty α may
have pulled each weight towards zero by Σ η α in all (Tsuruoka, Tsujii and Ananiadou 2009); with
both, the elastic net (Zou and Hastie 2005), every move shrinks earlier pulls as it does the
weights. The mean
of the weights after every move is kept lazily (Xu 2011), so it costs what a second update costs.
"""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Dense, Rows, all_finite, n_rows, weights_or_empty
from rosenblatt.kernels.dense_descent import PARTS, Shared, blocked_descent
from rosenblatt.kernels.descent import (
    Linear,
    Mean,
    Pull,
    Rule,
    binary_descent,
    catch_up_all,
    multiclass_descent,
)
from rosenblatt.kernels.simd.lockstep import CAN_WAIT, LINE
from rosenblatt.learners import online
from rosenblatt.learners.blocks import cores, pool
from rosenblatt.learners.losses import LOSSES
from rosenblatt.learners.online import NO_ROWS, Array
from rosenblatt.learners.schedules import Schedule, constant

_SMALL = 1 << 17  # products in a batch, below which waiting for each other takes too long
_PATIENCE = 4  # meetings that may take long, before one thread continues alone
_PAUSE = 0.1  # seconds on one thread, after two got stuck for want of a core
_busy_until = 0.0
# Moves that an exact solution counts as, so that a stream goes on from it with a tenth of the step.
SETTLED = 1_000_000


class State(NamedTuple):
    """Weights, what was done so far, and what the mean of the weights is made of.

    ``updates`` counts the moves, ``mistakes`` the rows on the wrong side and ``loss_sum`` adds up
    their losses, that of each row before it was learned from. The mean is
    ``(mass · weights − total) / averaged``. An L1 penalty may pull every weight by ``pull`` in all;
    ``pulled`` says how far each was, and is empty without one. ``loss_parameter`` is what
    `rosenblatt.learners.losses` says, 0 for most losses.
    """

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: bool
    loss: str
    mistakes: int
    loss_sum: float
    total: Array
    total_intercept: Array
    mass: float
    averaged: int
    pull: float
    pulled: Array
    loss_parameter: float = 0.0


class Penalty(NamedTuple):
    """How much the size of the weights costs: ``l2/2 · Σ w² + l1 · Σ |w|``."""

    l2: float = 0.0
    l1: float = 0.0

    def of(self, weights: Array) -> float:
        """Return the cost of some weights."""
        flat = weights.ravel(order="K")
        squares = 0.5 * self.l2 * float(flat @ flat) if self.l2 else 0.0
        return squares + (self.l1 * float(np.abs(flat).sum()) if self.l1 else 0.0)


NO_PENALTY = Penalty()


class DivergedError(ValueError):
    """Gradient descent left what numbers can hold."""


def init(
    n_features: int,
    n_classes: int = 2,
    *,
    loss: str = "perceptron",
    loss_parameter: float = 0.0,
    fit_intercept: bool = True,
    dtype: Any = np.float64,
    sparse: bool = False,
) -> State:
    """Start from zero weights."""
    weights = online.zeros(n_features, n_classes, dtype, sparse)
    intercept = np.zeros(len(weights), dtype)
    total = online.zeros(n_features, n_classes, np.float64, sparse)
    counts = 0, 0, fit_intercept, loss, 0, 0.0
    nothing = np.zeros((len(weights), 0))
    sums = total, np.zeros(len(weights)), 0.0, 0, 0.0, nothing
    return State(weights, intercept, *counts, *sums, loss_parameter)


def update(
    state: State,
    rows: Rows,
    y: Array,
    order: Array | None = None,
    ahead: Array = NO_ROWS,
    *,
    batch_size: int = 1,
    schedule: Schedule | None = None,
    penalty: Penalty = NO_PENALTY,
    average: bool = False,
    weights: Array | None = None,
) -> State:
    """Learn from rows in order, a batch at a time. ``weights`` multiply the losses of the rows.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = as_rows(np.array([[1.0, 2.0], [3.0, -1.0]])), np.array([1.0, -2.0])
    >>> update(init(2, loss="squared", fit_intercept=False), X, y, schedule=constant(0.1)).weights
    array([[-1.12,  0.84]])
    """
    order = online.visits(order, n_rows(rows))
    schedule = schedule or constant()
    loop = _loop_for(state, rows, batch_size, penalty)
    dtype = state.weights.dtype
    functions = Linear(state.weights, state.intercept, np.zeros_like(state.intercept))
    rule = compiled_rule(state, batch_size, penalty.l2)
    mass = np.array([state.mass, state.averaged], np.float64)
    if average and not state.averaged:
        state.total[...], state.total_intercept[...] = 0, 0
    mean = Mean(state.total, state.total_intercept, mass if average else mass[:0])
    pulls, state = np.array([state.pull]), _with_pulls(state, penalty)
    pulled = state.pulled if penalty.l1 else state.total  # of the same layout
    pull = Pull(penalty.l1, pulls if penalty.l1 else pulls[:0], pulled)
    weights = weights_or_empty(weights)
    visited = moves = mistakes = 0
    losses = 0.0
    while visited < len(order):
        count = -(-(len(order) - visited) // batch_size)
        etas = step_sizes(schedule, state.updates + moves + 1, count, penalty).astype(dtype)
        part = order[visited:], ahead[visited:]
        given = functions, etas, rule, mean, pull, weights
        seen, moved, wrong, loss, bad = loop(rows, y, *part, *given)
        if bad >= 0:
            raise DivergedError(f"the score of row {order[visited + bad]} is too large for {dtype}")
        visited, moves, mistakes = visited + seen, moves + moved, mistakes + wrong
        losses += loss
    if penalty.l1:
        catch_up_all(state.weights, pull)
    sums = (state.total, state.total_intercept) if average else ()
    if not all(map(all_finite, (state.weights, state.intercept, *sums))):
        raise DivergedError(f"the weights grew too large for {dtype}")
    return state._replace(
        steps=state.steps + visited,
        updates=state.updates + moves,
        mistakes=state.mistakes + mistakes,
        loss_sum=state.loss_sum + losses,
        mass=float(mass[0]),
        averaged=int(mass[1]),
        pull=float(pulls[0]),
    )


def compiled_rule(state: State, batch_size: int, l2: float) -> Rule:
    """Return what the compiled loops are told of the loss, the batches and the penalty."""
    code, parameter = LOSSES[state.loss].code, float(state.loss_parameter)
    return Rule(code, parameter, batch_size, l2, state.weights.dtype.type(state.fit_intercept))


def _loop_for(state: State, rows: Rows, batch_size: int, penalty: Penalty) -> Any:
    """Choose the loop for these rows, classes and batches."""
    if len(state.weights) == 1:
        return binary_descent
    arrays = (rows.values, state.weights, state.total)
    dense = isinstance(rows, Dense) and all(array.flags.c_contiguous for array in arrays)
    return side_by_side if dense and batch_size >= 4 and not penalty.l1 else multiclass_descent


def side_by_side(
    rows: Rows, y: Array, order: Array, ahead: Array, functions: Linear, etas: Array, rule: Rule,
    mean: Mean, pull: Pull, weights: Array,
) -> tuple[int, int, int, float, int]:  # fmt: skip
    """Share the columns of dense batches between two threads, if that is worth it."""
    (n_classes, n_columns), dtype = functions.weights.shape, functions.weights.dtype
    size = -(-rule.batch // 4) * 4
    sums, steps = np.zeros((2, PARTS, size + 4, n_classes), dtype)
    slopes = np.zeros((size, n_classes), dtype)
    notes = np.zeros(2 * LINE, np.int64), np.zeros((2, LINE))
    shared = Shared(sums, steps, slopes, *notes, weights)
    given = rows, y, order, ahead, functions, etas, rule, mean, shared, _PATIENCE
    work = partial(blocked_descent, *given)
    worth = rule.batch * n_classes * n_columns >= _SMALL
    done = _together(work, shared.counters) if worth and _free() else work(0, 1)
    visited, moves, bad, _ = done
    losses, mistakes, *_ = shared.tally.sum(axis=0)
    return visited, moves, int(mistakes), float(losses), bad


def _together(work: Callable[[int, int], Any], counters: Array) -> Any:
    """Do the work on two threads, this one and another; if one fails, the other does not wait."""

    def guarded(me: int) -> Any:
        try:
            return work(me, 2)
        except BaseException:
            counters[::LINE] = np.iinfo(np.int64).max
            raise

    try:
        other = pool().submit(guarded, 1)
    except RuntimeError:  # the interpreter is about to end, and starts no threads
        return work(0, 1)
    try:
        done = guarded(0)
    finally:
        other.result()
    if done[3]:
        global _busy_until
        _busy_until = perf_counter() + _PAUSE
    return done


def _free() -> bool:
    """Say whether a second core may be free; if it was not, try again after a while."""
    return CAN_WAIT and cores() > 1 and perf_counter() >= _busy_until


def _with_pulls(state: State, penalty: Penalty) -> State:
    """Allocate how far each weight was pulled, if an L1 penalty does so."""
    if not penalty.l1 or state.pulled.size:
        return state
    return state._replace(pulled=np.zeros_like(state.weights, np.float64))


def pull_all(state: State, penalty: Penalty, eta: float) -> State:
    """Let an L1 penalty pull every weight after a move of step size η.

    With an L2 penalty beside it, the pulls so far shrink as the weights did in that move.
    """
    state = _with_pulls(state, penalty)
    if penalty.l2:
        kept = max(0.0, 1 - eta * penalty.l2)
        state = state._replace(pull=kept * state.pull, pulled=kept * state.pulled)
    state = state._replace(pull=state.pull + eta * penalty.l1)
    catch_up_all(state.weights, Pull(penalty.l1, np.array([state.pull]), state.pulled))
    return state


def step_sizes(schedule: Schedule, first: int, count: int, penalty: Penalty) -> Array:
    """Return the next step sizes; none may be so long that the penalty turns weights round."""
    etas = schedule(first, count)
    longest = float(etas.max())
    if longest * penalty.l2 >= 1:
        raise DivergedError(
            f"a step of {longest:.3g} times the penalty of {penalty.l2:.3g} is over 1"
        )
    return etas


def average(state: State) -> tuple[Array, Array]:
    """Return the mean weights and intercepts; the last ones if none were averaged."""
    if not state.averaged:
        return state.weights, state.intercept
    dtype = state.weights.dtype
    with np.errstate(over="ignore", invalid="ignore"):  # the caller looks for what overflowed
        weights = (state.mass * state.weights - state.total) / state.averaged
        intercept = state.intercept - state.total_intercept / state.averaged
        return weights.astype(dtype), intercept.astype(dtype)


def scores(state: State, rows: Rows) -> Array:
    """Return the scores of the mean weights, or of the last ones if none were averaged."""
    return online.linear_scores(*average(state), rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010)."""
    first, dtype = states[0], states[0].weights.dtype
    mixed, mixed_intercept = online.mean_of(map(average, states), weights)
    return first._replace(
        weights=mixed.astype(dtype),
        intercept=mixed_intercept.astype(dtype),
        steps=sum(state.steps for state in states),
        updates=sum(state.updates for state in states),
        mistakes=sum(state.mistakes for state in states),
        loss_sum=sum(state.loss_sum for state in states),
        total=np.zeros_like(first.total),
        total_intercept=np.zeros_like(first.total_intercept),
        mass=0.0,
        averaged=0,
        pull=0.0,
        pulled=np.zeros((len(first.weights), 0)),
    )


def with_weights(state: State, weights: Array, intercept: Array) -> State:
    """Return a state of other weights, which are also their mean, and not pulled so far."""
    made = online.with_weights(state, weights, intercept)
    # The mean is (mass · weights − total) / averaged, and the mass is that of an L2 penalty.
    total = (state.mass - state.averaged) * weights.astype(np.float64)
    nothing = np.zeros((len(weights), 0))
    return made._replace(total=total, pull=0.0, pulled=nothing)


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    grown: dict[str, Any] = {
        name: online.spread(getattr(state, name), places, n_classes)
        for name in ("weights", "intercept", "total", "total_intercept", "pulled")
    }
    if len(places) == 2 and n_classes > 2 and state.loss == "logistic":
        # The softmax of −s/2 and s/2 is the sigmoid of s.
        grown = {name: array / 2 for name, array in grown.items()}
    return state._replace(**grown)
