"""Making the updates of a ledger again.

The compiled loops make them, visiting the mistaken rows alone: they round as they did in the fit,
which NumPy would not.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.checks import as_numbers
from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.kernels.online.perceptrons import Log
from rosenblatt.learners import batch, online, perceptron
from rosenblatt.learners.schedules import constant


class Start(NamedTuple):
    """The weights before the first update."""

    weights: Array
    intercept: Array
    fit_intercept: float


class Moves(NamedTuple):
    """How the batch perceptron's mistakes add up: times 1/N or 1, tiny sums of them scaled up."""

    scale: float
    upscale: bool


class Call(NamedTuple):
    """What one call of ``fit`` or ``partial_fit`` learned from, how, and its updates."""

    classes: Array
    shape: tuple[int, int]
    dtype: Any
    ties: int
    moves: Moves | None
    log: Log


class Change(NamedTuple):
    """A change of w and b, and which entries of the ledger made it.

    Two classes share one vector w and number b; K classes have K of each. All are read-only.

    Attributes
    ----------
    entries : range
        The numbers of the entries of the ledger: one, or those of a step of the batch perceptron.
    weights_before, intercept_before : array, float or array
        w and b before the change.
    weights, intercept : array, float or array
        w and b after it: ``w + η y x`` and ``b + η y`` for a single mistake of two classes.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X = [[0.0], [1.0], [3.0]]
    >>> model = Perceptron(shuffle=False, record=True).fit(X, [0, 0, 1])
    >>> for change in list(model.ledger_.replay(X))[:3]:
    ...     print(change.weights_before, change.intercept_before, change.weights, change.intercept)
    [0.] 0.0 [0.] -1.0
    [0.] -1.0 [3.] 0.0
    [3.] 0.0 [3.] -1.0
    """

    entries: range
    weights_before: Array
    intercept_before: Any
    weights: Array
    intercept: Any


def check_rows(calls: Sequence[Call], X: Any) -> list[Rows]:
    """Return the rows of each call, or raise ``ValueError`` if they cannot be those it had."""
    given = [X] if len(calls) == 1 else X
    if not isinstance(given, list | tuple) or len(given) != len(calls):
        raise ValueError(
            f"this ledger is of {len(calls)} calls, which learned from rows of their own: "
            f"give a list of the {len(calls)} X, in the order of the calls"
        )
    result = []
    for number, (call, X) in enumerate(zip(calls, given, strict=True), 1):
        matrix = as_numbers(X)
        if matrix.shape != call.shape:
            raise ValueError(
                f"X has shape {matrix.shape}, but call {number} learned from one of {call.shape}"
            )
        result.append(as_rows(matrix.astype(call.dtype, copy=False)))
    return result


def changes(start: Start, calls: Sequence[Call], rows: Sequence[Rows]) -> Iterator[Change]:
    """Yield each change with the weights before and after it."""
    before = snapshot(start.weights, start.intercept)
    for entries, weights, intercept in states(start, calls, rows):
        after = snapshot(weights, intercept)
        if entries:
            yield Change(entries, *shown(*before), *shown(*after))
        before = after


def states(
    start: Start, calls: Sequence[Call], rows: Sequence[Rows]
) -> Iterator[tuple[range, Array, Array]]:
    """Yield the weights and intercepts after each change, and at the start of each call.

    They live on: copy what you keep. The entries that made the change come first; at the start of a
    call there are none.
    """
    weights, intercept, known, first = *start[:2], calls[0].classes, 0
    weights, intercept = weights.copy("K"), intercept.copy()
    for call, view in zip(calls, rows, strict=True):
        if len(call.classes) > len(known):
            places, known = np.searchsorted(call.classes, known), call.classes
            weights = online.spread(weights, places, len(known))
            intercept = online.spread(intercept, places, len(known))
        weights = online.fitting_order(weights.astype(call.dtype, copy=False), view)
        intercept = intercept.astype(call.dtype, copy=False)
        yield range(first, first), weights, intercept
        state = perceptron.State(weights, intercept, 0, 0, start.fit_intercept, call.ties)
        for begin, end, now in (_updates if call.moves is None else _moves)(call, view, state):
            weights, intercept = now
            yield range(first + begin, first + end), weights, intercept
        first += len(call.log.row)


Replayed = Iterator[tuple[int, int, tuple[Array, Array]]]


def _updates(call: Call, rows: Rows, state: perceptron.State) -> Replayed:
    """Make a call's updates one by one."""
    order, y = _order_and_labels(call)
    found, tolerance = online.full_log(1, state.weights), _tolerance(call)
    for k in range(len(order)):
        eta = constant(float(call.log.eta[k]))
        state = perceptron.update(state, rows, y, order[k : k + 1], schedule=eta, log=found)
        _check(call, found, slice(k, k + 1), state.updates - k, tolerance)
        yield k, k + 1, (state.weights, state.intercept)


def _moves(call: Call, rows: Rows, start: perceptron.State) -> Replayed:
    """Make a call's moves, each of the mistakes of a pass."""
    assert call.moves is not None
    state = batch.State(*start, 0, *batch.zeros(*start[:2]), 0)
    order, y = _order_and_labels(call)
    found, tolerance = online.full_log(len(order), state.weights), _tolerance(call)
    ends = np.flatnonzero(np.diff(call.log.step, append=-1)) + 1
    for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=False):
        state = batch.update(state, rows, y, order[begin:end], found)
        _check(call, found, slice(begin, end), state.mistakes, tolerance)
        step, step_intercept, _ = batch.direction(state, call.moves.scale)
        state = batch.move(state, step, step_intercept, float(call.log.eta[begin]))
        if call.moves.upscale:
            state = batch.upscaled(state)
        yield begin, end, (state.weights, state.intercept)


def _order_and_labels(call: Call) -> tuple[Array, Array]:
    """Return the mistaken rows in order, and targets for all rows, of which only theirs count."""
    codes = np.zeros(call.shape[0], np.intp)
    codes[call.log.row] = call.log.right
    order = online.row_numbers(call.shape[0])[call.log.row]
    return order, online.targets(codes, len(call.classes), call.dtype)


def _tolerance(call: Call) -> float:
    """Return by how much a score may differ: far more than by rounding on another machine."""
    largest = np.abs(call.log.score).max(initial=0.0)
    return float(largest * np.sqrt(np.finfo(call.dtype).eps))


def _check(call: Call, found: Log, entries: slice, mistakes: int, tolerance: float) -> None:
    """Raise ``ValueError`` if rows do not score as they did."""
    score = call.log.score[entries]
    same = mistakes == len(score)
    if not same or not np.all(np.abs(found.score[:mistakes] - score) <= tolerance):
        raise ValueError(
            f"row {call.log.row[entries.start]} of X does not score at step "
            f"{call.log.step[entries.start]} as the ledger says: X is not what was learned from"
        )


def snapshot(weights: Array, intercept: Array) -> tuple[Array, Array]:
    """Copy weights and intercepts as they lie in memory, for reading only."""
    copies = weights.copy("K"), intercept.copy()
    for copy in copies:
        copy.flags.writeable = False
    return copies


def shown(weights: Array, intercept: Array) -> tuple[Array, Any]:
    """Return a vector and a number for two classes, else as they are."""
    return (weights[0], float(intercept[0])) if len(weights) == 1 else (weights, intercept)
