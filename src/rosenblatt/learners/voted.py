"""The voted perceptron (Freund and Schapire 1999).

Every weight vector that a perceptron ever had votes, as many times as it survived a step:
``sign(Σ c_n sign(w_n · x))``. A new vector's count starts at 1. No weight vector is stored: the
n-th is the sum of the first n mistakes, so the mistaken rows and their order say it all.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Dense, Rows, all_finite, as_matrix, n_rows, stack, take
from rosenblatt.kernels.online.perceptrons import Log, Sums
from rosenblatt.kernels.online.vote import score_one_hypothesis, vote_binary, vote_multiclass
from rosenblatt.learners import averaged, online
from rosenblatt.learners.online import NO_ROWS, Array

_BLOCK_BYTES = 1 << 25
NO_SIZES = np.empty(0)
NO_SIZES.flags.writeable = False


class State(NamedTuple):
    """The averaged perceptron's state, the log of mistakes, and the rows it refers to.

    The log may be longer than the mistakes made; `log_of` gives what is written. A row
    number below the number of kept rows is one of those; a larger one is a row of the data now
    being learned from, until `keep` copies it. ``zero`` is the class that the hypothesis before any
    mistake votes for. ``size`` has the step of each mistake, where rows had weights; it is empty if
    all steps were 1.
    """

    weights: Array
    intercept: Array
    steps: int
    updates: int
    fit_intercept: float
    ties: int
    total: Array
    total_intercept: Array
    row: Array
    step: Array
    right: Array
    wrong: Array
    zero: int
    kept: Rows
    size: Array = NO_SIZES


def init(n_features: int, n_classes: int = 2, **options: Any) -> State:
    """Start with no mistake. The options are the perceptron's."""
    start = averaged.init(n_features, n_classes, **options)
    nothing = Dense(np.empty((0, n_features), start.weights.dtype))
    return State(*start, *online.empty_log(0)[:4], _class_of_zero(n_classes), nothing)


def _class_of_zero(n_classes: int) -> int:
    """Return the class of equal scores: sign(0) = +1, and of K classes the first."""
    return 1 if n_classes <= 2 else 0


def log_of(state: State) -> Log:
    """Return the mistakes logged so far."""
    return Log(*(part[: state.updates] for part in _columns(state)))


def _columns(state: State) -> tuple[Array, ...]:
    return state.row, state.step, state.right, state.wrong


def update(
    state: State, rows: Rows, y: Array, order: Array | None = None, ahead: Array = NO_ROWS,
    log: Log | None = None, **options: Any,
) -> State:  # fmt: skip
    """Learn from rows in order, and log the mistakes. Call `keep` before rows go away.

    Another log, if one is given, gets them too. The other options are those of `online.visit`.
    """
    order = online.visits(order, n_rows(rows))
    used = state.updates
    if len(state.row) < used + len(order):
        row, step, right, wrong, *_ = online.empty_log(max(2 * used, used + len(order)))
        for old, new in zip(_columns(state), (row, step, right, wrong), strict=True):
            new[:used] = old[:used]
        state = state._replace(row=row, step=step, right=right, wrong=wrong)
    own = Log(*(part[used:] for part in _columns(state)))
    sums = Sums(state.total, state.total_intercept)
    visited, mistakes = online.visit(
        state, rows, y, order, ahead, sums=sums, log=log or own, **options
    )
    if log is not None:
        for theirs, ours in zip(log[:4], own[:4], strict=True):
            ours[:mistakes] = theirs[:mistakes]
    state = _with_sizes(state, own.row[:mistakes], options.get("weights"))
    own.row[:mistakes] += n_rows(state.kept)
    return state._replace(steps=state.steps + visited, updates=used + mistakes)


def _with_sizes(state: State, rows: Array, weights: Array | None) -> State:
    """Take note of the steps of the mistakes about some rows, unless all steps so far are 1."""
    if not len(state.size) and (weights is None or not len(rows)):
        return state
    size = np.ones(state.updates + len(rows))
    size[: len(state.size)] = state.size
    if weights is not None:
        size[state.updates :] = weights[rows].astype(state.weights.dtype)
    return state._replace(size=size)


def keep(state: State, rows: Rows) -> State:
    """Copy the mistaken rows, each once, so that the state no longer needs the data."""
    log = log_of(state)
    known = n_rows(state.kept)
    fresh = log.row >= known
    used, place = np.unique(log.row[fresh] - known, return_inverse=True)
    log.row[fresh] = known + place
    kept = stack(state.kept, take(rows, used), state.weights.shape[1]) if used.size else state.kept
    row, step, right, wrong = (part.copy() for part in log[:4])
    return state._replace(kept=kept, row=row, step=step, right=right, wrong=wrong)


def counts(state: State) -> Array:
    """Return how many steps each hypothesis survived, from the one before any mistake on."""
    born = np.concatenate([[1], log_of(state).step, [state.steps + 1]])
    return np.diff(born).astype(np.float64)


def average(state: State) -> tuple[Array, Array]:
    """Return the mean weights and intercepts, which the counts weigh too."""
    return averaged.average(averaged.State(*state[:8]))


def scores(
    state: State, rows: Rows, how: str = "vote", rng: np.random.Generator | None = None
) -> Array:
    """Score rows by "vote" (shares of all votes), "average", "last", or "random" hypothesis."""
    if how == "average":
        return online.linear_scores(*average(state), rows)
    if how == "last":
        return online.linear_scores(state.weights, state.intercept, rows)
    n, classes = n_rows(rows), len(state.weights)
    X = as_matrix(rows, state.weights.shape[1])
    result = np.zeros((max(classes, 2) if how == "random" else classes, n))
    weight = counts(state)
    bias = float(state.fit_intercept)
    pick = _draw(weight, n, rng) if how == "random" else None
    # Of a model that was loaded these cannot be written to, which would be another type.
    row, right, wrong, sizes = (
        np.require(part, requirements="W")
        for part in (state.row, state.right, state.wrong, state.size)
    )
    log = row, right, wrong
    for start, stop in _blocks(n, n_rows(state.kept)):
        products, out = _products(state, X[start:stop]), result[:, start:stop]
        if pick is not None:
            score_one_hypothesis(products, *log, state.zero, pick[start:stop], bias, out, sizes)
        elif classes == 1:
            room = np.empty_like(out)
            vote_binary(products, *log[:2], weight, bias, room, out, sizes)
        else:
            room = np.empty_like(out)
            vote_multiclass(products, *log, state.zero, weight, bias, room, out, sizes)
    if how == "vote":
        result /= max(state.steps, 1)
    return np.asarray(result[-1] if classes == 1 else result.T)


def _draw(weight: Array, n: int, rng: np.random.Generator | None) -> Array:
    ends = np.cumsum(weight)
    rng = rng or np.random.default_rng()
    return np.asarray(np.searchsorted(ends, rng.random(n) * ends[-1], side="right"))


def _blocks(n: int, kept: int) -> list[tuple[int, int]]:
    size = max(32, _BLOCK_BYTES // (8 * max(kept, 1)))
    return [(start, min(start + size, n)) for start in range(0, n, size)]


def _products(state: State, X: Any) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        product = as_matrix(state.kept, state.weights.shape[1]) @ X.T
    product = np.ascontiguousarray(product.toarray() if hasattr(product, "toarray") else product)
    if not all_finite(product):
        raise online.too_large("products of rows are", product.dtype)
    return product


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    wider = averaged.grow(averaged.State(*state[:8]), places, n_classes)
    known = len(places) > 1
    return State(
        *wider,
        state.row,
        state.step,
        places[state.right],
        places[state.wrong],
        int(places[state.zero]) if known else _class_of_zero(n_classes),
        state.kept,
        state.size,
    )
