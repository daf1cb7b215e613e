"""Shared by AROW and passive-aggressive learning: calling the compiled loop, and more classes."""

from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Rows, n_rows, weights_or_empty
from rosenblatt.kernels.online.margin_passes import binary_margin_pass, multiclass_margin_pass
from rosenblatt.kernels.online.perceptrons import Functions, Log
from rosenblatt.learners import online
from rosenblatt.learners.online import Array

S = TypeVar("S", bound=tuple[Any, ...])


def visit(
    state: S, rows: Rows, y: Array, order: Array | None, ahead: Array, rule: Any,
    *, log: Log | None = None, until_overflow: bool = False, weights: Array | None = None,
) -> S:  # fmt: skip
    """Visit rows in order, changing the state's arrays, and return the state with new counts.

    Mistakes are written to a ``log``, if there is one. ``weights`` are those of the rows. A row
    that makes a number overflow is an error, or with ``until_overflow`` the end, and then changes
    nothing.
    """
    now: Any = state
    order = online.visits(order, n_rows(rows))
    loop = binary_margin_pass if len(now.weights) == 1 else multiclass_margin_pass
    dtype = now.weights.dtype
    bias = dtype.type(now.fit_intercept)
    functions = Functions(online.whole(now.weights), now.intercept, bias, now.ties)
    log = online.as_logged(log)
    weights = weights_or_empty(weights)
    visited, moves, mistakes = loop(rows, y, order, ahead, functions, rule, now.steps, log, weights)
    if visited < len(order) and not until_overflow:
        raise online.too_large(f"the score or the length of row {order[visited]} is", dtype)
    counted: S = now._replace(
        steps=now.steps + visited,
        updates=now.updates + moves,
        mistakes=now.mistakes + mistakes,
    )
    return counted


def halved(state: Any, places: Array, n_classes: int) -> dict[str, Any]:
    """Return weights and intercepts for more classes.

    Two classes share one function w. As two functions they are −w/2 and w/2, whose difference, the
    margin, is what it was.
    """
    names = "weights", "intercept"
    grown: dict[str, Any] = {
        name: online.spread(getattr(state, name), places, n_classes) for name in names
    }
    if len(places) == 2 and n_classes > 2:
        grown = {name: array / 2 for name, array in grown.items()}
    return grown


def mixed(states: Any, names: tuple[str, ...], weights: Any) -> Any:
    """Return the first state with the weighted means of some arrays, and the sums of the counts."""
    first = states[0]
    counts = ("steps", "updates", "mistakes")
    return first._replace(
        **{
            name: np.average([getattr(state, name) for state in states], axis=0, weights=weights)
            .astype(getattr(first, name).dtype)
            for name in names
        },
        **{name: sum(getattr(state, name) for state in states) for name in counts},
    )  # fmt: skip
