"""Shared by the perceptron, the averaged and the voted perceptron: calling the compiled loop."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.rows import Dense, Rows, all_finite, n_rows, weights_or_empty
from rosenblatt.kernels.online.perceptrons import (
    TIE_IS_MISTAKE,
    TIE_IS_POSITIVE,
    Functions,
    Log,
    Sums,
    binary_pass,
    multiclass_pass,
    score_row,
)
from rosenblatt.kernels.scoring import add_sparse_scores
from rosenblatt.learners.schedules import Schedule, constant

Array = NDArray[Any]
TIES = {"mistake": TIE_IS_MISTAKE, "positive": TIE_IS_POSITIVE}
NO_ROWS = np.empty(0, np.int32)
S = TypeVar("S", bound=tuple[Any, ...])


class Linear(Protocol):
    """What every online state has."""

    @property
    def weights(self) -> Array: ...
    @property
    def intercept(self) -> Array: ...
    @property
    def steps(self) -> int: ...
    @property
    def updates(self) -> int: ...
    @property
    def fit_intercept(self) -> float: ...
    @property
    def ties(self) -> int: ...


def empty_log(size: int) -> Log:
    """Allocate a log of as many mistakes."""
    return Log(*(np.empty(size, np.int64) for _ in range(4)))


def full_log(size: int, weights: Array) -> Log:
    """Allocate a log of as many mistakes with their scores and step sizes, for a ledger."""
    scores = np.empty((size, min(len(weights), 2)), weights.dtype)
    return empty_log(size)._replace(score=scores, eta=np.empty(size))


_NONE = np.empty(0, np.int64)
_NOTHING = Log(_NONE, _NONE, _NONE, _NONE, np.empty((0, 0)), np.empty(0))


def after(log: Log | None, used: int) -> Log | None:
    """Return the part of a log that is not used yet."""
    return log and Log(*(None if column is None else column[used:] for column in log))


def as_logged(log: Log | None) -> Log:
    """Return a log as the loops take it: what is not wanted is empty."""
    if log is None:
        return _NOTHING
    wanted = zip(log, _NOTHING, strict=True)
    return Log(*(none if column is None else column for column, none in wanted))


def no_sums(weights: Array) -> Sums:
    """Return sums that say: no averaging. They have the layout of the weights."""
    # Without numbers it would be in both orders, and taken for C's.
    order: Any = "C" if weights.flags.c_contiguous else "F"
    return Sums(np.zeros((2, 2), order=order), np.empty(0))


def row_numbers(n: int) -> Array:
    """Return 0…n−1, in 32 bits if they fit: what is read along with a row should be small."""
    return np.arange(n, dtype=np.int32 if n < 1 << 31 else np.int64)


def visits(order: Array | None, n: int) -> Array:
    """Return the numbers of the rows to visit, of n, in the type that `row_numbers` has."""
    if order is None:
        return row_numbers(n)
    return order.astype(np.int32, copy=False) if n < 1 << 31 else order


def n_functions(n_classes: int) -> int:
    """Count the linear functions: two classes share one, K > 2 have one each."""
    return 1 if n_classes <= 2 else n_classes


def zeros(n_features: int, n_classes: int, dtype: Any, sparse: bool = False) -> Array:
    """Make weights for the classes; for sparse rows a feature's weights are contiguous.

    The operating system provides this memory only once it is used.
    """
    return np.zeros((n_functions(n_classes), n_features), dtype, order="F" if sparse else "C")


def targets(codes: Array, n_classes: int, dtype: Any) -> Array:
    """Convert class numbers to what the loops expect: ±1 for two classes, else the numbers."""
    if n_classes > 2:
        return codes
    return (codes * 2 - 1).astype(dtype)


def copy(state: S) -> S:
    """Copy a state, so that updating the one leaves the other as it is."""
    parts = (part.copy("K") if isinstance(part, np.ndarray) else part for part in state)
    return type(state)(*parts)


def visit(
    state: Linear,
    rows: Rows,
    y: Array,
    order: Array | None,
    ahead: Array = NO_ROWS,
    schedule: Schedule | None = None,
    *,
    sums: Sums | None = None,
    log: Log | None = None,
    first_only: bool = False,
    until_overflow: bool = False,
    weights: Array | None = None,
) -> tuple[int, int]:
    """Visit rows in order, changing the state's arrays; return the rows visited and the mistakes.

    ``schedule`` gives the step sizes, 1 by default. Mistakes are written to a ``log``, if there is
    one. ``first_only`` stops after the first mistake. ``weights``, one for each row, multiply the
    step sizes. A row that makes a number overflow is an
    error, or with ``until_overflow`` the end, and then changes nothing.
    """
    order = visits(order, n_rows(rows))
    schedule = schedule or constant()
    loop = binary_pass if len(state.weights) == 1 else multiclass_pass
    dtype = state.weights.dtype
    bias = dtype.type(state.fit_intercept)
    functions = Functions(whole(state.weights), state.intercept, bias, state.ties)
    if sums is None:
        sums = no_sums(functions.weights)
    else:
        sums = sums._replace(weights=whole(sums.weights))
    factors = weights_or_empty(weights, dtype)
    visited = mistakes = 0
    while visited < len(order) and not (first_only and mistakes):
        count = 1 if first_only else len(order) - visited
        etas = schedule(state.updates + mistakes + 1, count).astype(dtype, copy=False)
        rest = as_logged(after(log, mistakes))
        part = order[visited:], ahead[visited:]
        steps = state.steps + visited
        given: Any = etas, steps, sums, rest, until_overflow, factors
        seen, wrong, overflow = loop(rows, y, *part, functions, *given)
        if overflow >= 0 and not until_overflow:
            raise too_large(f"the score of row {order[visited + overflow]} is", dtype)
        if len(rest.eta):
            made = etas[:wrong] if weights is None else etas[:wrong] * factors[rest.row[:wrong]]
            rest.eta[:wrong] = made
        visited, mistakes = visited + seen, mistakes + wrong
        if overflow >= 0:
            return visited - 1, mistakes
    return visited, mistakes


def whole(weights: Array) -> Array:
    """Return the array that weights are the first rows of, if it is larger.

    The loops take as many classes as there are intercepts, and need one feature's weights to be
    contiguous.
    """
    buffer = weights.base
    if weights.flags.f_contiguous or not isinstance(buffer, np.ndarray) or buffer.ndim != 2:
        return weights
    same = buffer.flags.f_contiguous and buffer.shape[1] == weights.shape[1]
    return buffer if same and buffer.ctypes.data == weights.ctypes.data else weights


class NumberTooLargeError(ValueError):
    """Numbers grew past what their type holds; ``row`` is the row that did it, if that is known."""

    row: int | None = None


def too_large(what: str, dtype: Any) -> NumberTooLargeError:
    """Say that numbers grew past what the type holds, and what to do about it."""
    return NumberTooLargeError(
        f"{what} too large for {dtype}. Scale the features down, for example with "
        "sklearn.preprocessing.StandardScaler" + (", or use float64" if dtype == "f4" else "")
    )


def check_weights(*arrays: Array) -> None:
    """Raise ``ValueError`` if a weight overflowed."""
    for array in arrays:
        if not all_finite(array):
            raise too_large("the weights grew", array.dtype)


def score_of(weights: Array, intercept: Array, rows: Rows, i: int) -> Array:
    """Return the scores of one row, to the last bit those that the loops compute."""
    out = np.empty_like(intercept)
    score_row(rows, np.array([i], np.int32), Functions(weights, intercept, 0.0, 0), out)
    return out


def linear_scores(weights: Array, intercept: Array, rows: Rows) -> Array:
    """Return ``X Wᵀ + b``: a column for each function, or a vector for two classes."""
    with np.errstate(over="ignore", invalid="ignore"):
        if isinstance(rows, Dense):
            result = rows.values @ weights.T + intercept
        else:
            dtype = np.result_type(rows.values, weights)
            result = np.zeros((n_rows(rows), len(weights)), dtype)
            add_sparse_scores(rows, np.ascontiguousarray(whole(weights).T), result)
            result = result + intercept
    return result[:, 0] if len(weights) == 1 else result


def mean_of(
    parameters: Iterable[tuple[Array, Array]], weights: Sequence[float]
) -> tuple[Array, Array]:
    """Return the weighted mean of some weights, and that of their intercepts."""
    coefs, intercepts = zip(*parameters, strict=True)
    return (
        np.average(coefs, axis=0, weights=weights),
        np.average(intercepts, axis=0, weights=weights),
    )


def with_weights(state: S, weights: Array, intercept: Array) -> S:
    """Return a state of other weights; if it keeps a mean of all weights, that is these, too."""
    made: dict[str, Any] = {"weights": weights, "intercept": intercept}
    for name in ("total", "total_intercept"):
        if hasattr(state, name):
            made[name] = np.zeros_like(getattr(state, name))
    return state._replace(**made)  # type: ignore[attr-defined, no-any-return]


def with_classes(state: S, names: Sequence[str], places: Array, n_classes: int) -> S:
    """Return a state whose arrays of these names have a row for each of more classes."""
    grown = {name: spread(getattr(state, name), places, n_classes) for name in names}
    return state._replace(**grown)  # type: ignore[attr-defined, no-any-return]


def spread(array: Array, places: Array, n_classes: int) -> Array:
    """Move one-per-class arrays to new places among more classes; new classes get zeros.

    Two classes share one function w; as two functions they are −w and w, which is what the rule for
    K classes would have made of the same mistakes.
    """
    if len(array) == 1 and len(places) == 2:
        array = np.concatenate([0 - array, array])  # and no zero below zero
    result = np.zeros((n_functions(n_classes), *array.shape[1:]), array.dtype)
    if len(places) > 1:
        result[places] = array
    return result


def fitting_order(weights: Array, rows: Rows) -> Array:
    """Return weights in the memory order that the loop over these rows needs."""
    return np.asarray(weights, order="C" if isinstance(rows, Dense) else "F")
