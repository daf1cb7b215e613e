"""Gradient descent with a step for each weight: FTRL-proximal (McMahan et al. 2013), AdaGrad.

A weight that saw the slopes g_1, …, g_t is ``−sum / (√(Σ g²)/η + λ)``, where the sum is that of the
slopes less what the changing steps owe: without the penalty λ these are the steps of AdaGrad
(Duchi, Hazan and Singer 2011), ``w ← w − η g / √(Σ g²)``. The penalty is ``½ λ ‖w‖²`` against the
losses of all rows: with λ = 1 in the first pass, 2 in the second and so on, its part stays the
same, as that of scikit-learn's with C = 1/λ. An L1 penalty ``λ₁ Σ |w|`` takes λ₁ from the size of
the sum before that: weights whose sum is no larger are zero. The mean is that of the weights after
every example of a pass.

With ``forget``, a half-life, all sums and roots are multiplied by ``½^(1/forget)`` before each row:
what an example taught counts half after so many more, and steps stop shrinking. Weights of features
that do not come stay as they are.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, n_rows, weights_or_empty
from rosenblatt.kernels.online.adaptive import (
    Adaptive,
    Pace,
    binary_adaptive,
    emphasis,
    multiclass_adaptive,
    settle,
)
from rosenblatt.kernels.online.regression import adaptive_regression
from rosenblatt.learners import online
from rosenblatt.learners.losses import LOSSES
from rosenblatt.learners.online import NO_ROWS, Array

ETA0, L2 = 0.5, 0.3  # chosen over 49 data sets and a log of clicks
NUMBERS_ETA0 = 0.15  # for numbers to predict, chosen over 16 data sets
USUAL = 20.0  # the mean squared length of standardised rows up to which steps are that long


class State(NamedTuple):
    """Weights, what they follow from, and what was done so far.

    ``passes`` is the number of the pass, and ``averaged`` how many examples of it are in the mean,
    ``weights − total / averaged``.
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
    averaged: int
    passes: int
    sums: Array
    sums_intercept: Array
    roots: Array
    roots_intercept: Array
    loss_parameter: float = 0.0


def init(
    n_features: int,
    n_classes: int = 2,
    *,
    loss: str = "logistic",
    loss_parameter: float = 0.0,
    fit_intercept: bool = True,
    dtype: Any = np.float64,
    sparse: bool = False,
) -> State:
    """Start from zero weights."""

    def zeros(dtype: Any) -> tuple[Array, Array]:
        weights = online.zeros(n_features, n_classes, dtype, sparse)
        return weights, np.zeros(len(weights), dtype)

    weights, total, sums, roots = zeros(dtype), zeros(np.float64), zeros(dtype), zeros(dtype)
    state = State(*weights, 0, 0, fit_intercept, loss, 0, 0.0, *total, 0, 1, *sums, *roots)
    return state._replace(loss_parameter=loss_parameter)


def update(
    state: State,
    rows: Rows,
    y: Array,
    order: Array | None = None,
    ahead: Array = NO_ROWS,
    *,
    eta0: float = ETA0,
    l2: float = L2,
    l1: float = 0.0,
    forget: int | None = None,
    usual: float = np.inf,
    lengths: Array | None = None,
    average: bool = False,
    weights: Array | None = None,
    until_overflow: bool = False,
) -> State:
    """Learn from rows in order.

    A row of weight 2 counts as two. One that makes a number overflow is an error, or with
    ``until_overflow`` the end. Steps are shorter the more the mean squared length of the rows so
    far is above ``usual``; ``lengths`` is an array with the sum of these, and is changed.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = as_rows(np.array([[1.0, 2.0], [3.0, -1.0]])), np.array([1.0, -1.0])
    >>> update(init(2, fit_intercept=False), X, y, l2=0.0).weights.round(4)
    array([[0.0125, 0.7951]])
    """
    order = online.visits(order, n_rows(rows))
    dtype = state.weights.dtype
    loop = binary_adaptive if len(state.weights) == 1 else multiclass_adaptive
    parts, pace = parts_of(state), pace_of(state, eta0, l2, usual, l1, forget)
    lengths = np.zeros(1) if lengths is None else lengths
    done = loop(
        rows, y, order, ahead, *parts, pace,
        state.averaged if average else -1, weights_or_empty(weights), lengths, state.steps,
        state.loss_sum,
    )  # fmt: skip
    visited, moves, mistakes, loss = done
    if visited < len(order) and not until_overflow:
        raise online.too_large(f"the score of row {order[visited]} is", dtype)
    return state._replace(
        steps=state.steps + visited,
        updates=state.updates + moves,
        mistakes=state.mistakes + mistakes,
        loss_sum=loss,
        averaged=state.averaged + visited if average else 0,
    )


def update_numbers(
    state: State,
    rows: Rows,
    y: Array,
    target: Array,
    *,
    eta0: float = NUMBERS_ETA0,
    l2: float = L2,
    l1: float = 0.0,
    forget: int | None = None,
    usual: float = np.inf,
    lengths: Array | None = None,
    average: bool = False,
    weights: Array | None = None,
) -> State:
    """Learn to predict numbers, which are standardised as they come, from rows in order.

    ``target`` has what is known of the numbers: the sum of their weights, their mean, and the sum
    of their squared distances from it; it is changed. What is predicted is the score times the
    deviation, plus the mean. ``loss_sum`` is of squared errors in the numbers' own units. It ends
    before a row that makes a number overflow; see `update` for the rest.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = as_rows(np.array([[-1.0], [1.0]])), np.array([100.0, 300.0])
    >>> target = np.zeros(3)
    >>> state = update_numbers(init(1, loss="squared"), X, y, target, l2=0.0)
    >>> state.weights, target
    (array([[0.15]]), array([2.e+00, 2.e+02, 2.e+04]))
    """
    parts, pace = parts_of(state), pace_of(state, eta0, l2, usual, l1, forget)
    lengths = np.zeros(1) if lengths is None else lengths
    visited, moves, loss = adaptive_regression(
        rows, y, target, *parts, pace, state.averaged if average else -1,
        weights_or_empty(weights), lengths, state.steps, state.loss_sum,
    )  # fmt: skip
    return state._replace(
        steps=state.steps + visited,
        updates=state.updates + moves,
        loss_sum=loss,
        averaged=state.averaged + visited if average else 0,
    )


def pace_of(
    state: State,
    eta0: float,
    l2: float,
    usual: float = np.inf,
    l1: float = 0.0,
    forget: int | None = None,
) -> Pace:
    """Return how long the steps of a pass are."""
    dtype, code = state.weights.dtype, LOSSES[state.loss].code
    eta, *penalties = (dtype.type(x) for x in (eta0, l2 * state.passes, l1 * state.passes))
    given = state.fit_intercept, usual, penalties[1], forget or 0, float(state.loss_parameter)
    return Pace(code, eta, penalties[0], *given)


def parts_of(state: State) -> tuple[Adaptive, Adaptive]:
    """Return the arrays of the weights, and those of the intercept as a feature of its own."""
    wide = state.weights, state.sums, state.roots, state.total
    flat = state.intercept, state.sums_intercept, state.roots_intercept, state.total_intercept
    one = Adaptive(*(part.reshape(-1, 1) for part in flat))
    return Adaptive(*map(online.whole, wide)), one


def next_pass(
    state: State,
    *,
    eta0: float = ETA0,
    l2: float = L2,
    l1: float = 0.0,
    forget: int | None = None,
) -> State:
    """Begin another pass over the same rows: a new mean, and a penalty for all passes so far.

    Where rows are forgotten, there are no more of them after another pass.
    """
    if forget:
        return state._replace(averaged=0)
    passes, dtype = state.passes + 1, state.weights.dtype
    parts, one = parts_of(state)
    settle(parts, dtype.type(eta0), dtype.type(l2 * passes), dtype.type(l1 * passes))
    settle(one, dtype.type(eta0), dtype.type(0), dtype.type(0))
    return state._replace(passes=passes, averaged=0)


def with_pace(state: State, before: dict[str, Any], after: dict[str, Any]) -> State:
    """Go on with another ``l2``, ``l1`` or ``eta0``, as `update` takes them.

    With another penalty the weights are those of all slopes so far and that penalty. With another
    step size they stay as they are: the sums that they follow from change. The mean takes note.
    """
    dtype, forget, more = state.weights.dtype, before.get("forget"), 1.0
    if forget and state.steps:
        more = emphasis(forget, state.steps - 1)
    rate, new_rate = (1 / dtype.type(pace["eta0"]) for pace in (before, after))
    for part, share in zip(parts_of(state), (state.passes * more, 0), strict=True):
        then, (l2, l1) = (
            tuple(dtype.type(pace[name] * share) for name in ("l2", "l1"))
            for pace in (before, after)
        )
        used = np.flatnonzero((part.roots > 0).any(axis=0))
        old, roots, sums = (array[:, used] for array in (part.weights, part.roots, part.sums))
        seen, weights = roots > 0, old
        if (l2, l1) != then:
            shrunk = np.copysign(np.maximum(np.abs(sums) - l1, dtype.type(0)), sums)
            weights = np.where(seen, -shrunk / np.where(seen, roots * rate + l2, 1), old)
        if new_rate != rate:
            needed = -weights * (roots * new_rate + l2) - np.copysign(l1, weights)
            sums = np.where(weights == 0, sums, needed)
        part.weights[:, used], part.sums[:, used] = weights, sums
        part.total[:, used] += state.averaged * (weights.astype(np.float64) - old)
    return state


def with_weights(state: State, weights: Array, intercept: Array, eta0: float) -> State:
    """Return a state of other weights, which are also their mean; steps stay as short as they are.

    The sums are those that they would follow from without a penalty.
    """
    made, rate = online.with_weights(state, weights, intercept), 1 / float(eta0)
    return made._replace(
        sums=(-rate * weights * state.roots).astype(weights.dtype),
        sums_intercept=(-rate * intercept * state.roots_intercept).astype(weights.dtype),
    )


def average(state: State) -> tuple[Array, Array]:
    """Return the mean weights and intercepts of the pass; the last ones if none were averaged."""
    if not state.averaged:
        return state.weights, state.intercept
    dtype = state.weights.dtype
    weights = state.weights - state.total / state.averaged
    intercept = state.intercept - state.total_intercept / state.averaged
    return weights.astype(dtype), intercept.astype(dtype)


def scores(state: State, rows: Rows) -> Array:
    """Return the scores of the mean weights, or of the last ones if none were averaged."""
    return online.linear_scores(*average(state), rows)


def merge(states: Sequence[State], weights: Sequence[float]) -> State:
    """Mix the parameters of states trained apart (McDonald, Hall and Mann 2010).

    The result's mean is the weighted mean of theirs.
    """
    first, averaged = states[0], sum(state.averaged for state in states)
    last, last_intercept = online.mean_of((state[:2] for state in states), weights)
    mean, mean_intercept = online.mean_of(map(average, states), weights)

    def mixed(*names: str) -> dict[str, Any]:
        parts = {name: [getattr(state, name) for state in states] for name in names}
        means = {name: np.average(part, axis=0, weights=weights) for name, part in parts.items()}
        return {name: mean.astype(getattr(first, name).dtype) for name, mean in means.items()}

    counts = ("steps", "updates", "mistakes", "loss_sum")
    return first._replace(
        **mixed("weights", "intercept", "sums", "sums_intercept", "roots", "roots_intercept"),
        **{name: sum(getattr(state, name) for state in states) for name in counts},
        total=(last - mean) * averaged,
        total_intercept=(last_intercept - mean_intercept) * averaged,
        averaged=averaged,
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    signed = ("weights", "intercept", "total", "total_intercept", "sums", "sums_intercept")
    grown: dict[str, Any] = {
        name: online.spread(getattr(state, name), places, n_classes) for name in signed
    }
    if len(places) == 2 and n_classes > 2 and state.loss == "logistic":
        # The softmax of −s/2 and s/2 is the sigmoid of s.
        grown = {name: array / 2 for name, array in grown.items()}
    for name in ("roots", "roots_intercept"):
        grown[name] = np.abs(online.spread(getattr(state, name), places, n_classes))
    return state._replace(**grown)
