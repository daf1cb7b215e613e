"""Gradient descent in batches (deck D): batch size N, b or 1 are three settings of one thing."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.reference.losses import MANY_CLASSES, TWO_CLASSES

Array = np.ndarray[Any, Any]


def descent(
    X: Array,
    y: Array,
    batches: Iterable[Sequence[int]],
    loss: str,
    eta: Callable[[int], float],
    *,
    n_functions: int = 1,
    l2: float = 0.0,
    l1: float = 0.0,
    start: Array | None = None,
) -> Iterator[Array]:
    """Move against the mean gradient of each batch; yield the weights after each move.

    X holds a column of ones if there is to be an intercept; it is penalised here like the others.
    ``eta(t)`` is the step size of the t-th move.
    """
    W = np.zeros((n_functions, X.shape[1])) if start is None else start.copy()
    pull, pulled = 0.0, np.zeros_like(W)
    for t, batch in enumerate(batches, start=1):
        gradient = l2 * W
        for i in batch:
            gradient = gradient + np.outer(slope(loss, W @ X[i], y[i]), X[i]) / len(batch)
        W = W - eta(t) * gradient
        # Pull each weight towards zero by what it was spared of the penalty so far.
        pull += eta(t) * l1
        up, down = np.maximum(W - (pull + pulled), 0), np.minimum(W + (pull - pulled), 0)
        shorter = np.where(W > 0, up, np.where(W < 0, down, 0))
        pulled += shorter - W
        W = shorter
        yield W


def slope(loss: str, scores: Array, y: Any) -> Array:
    """Return the derivative of a loss by each score."""
    if len(scores) == 1:
        return np.array([TWO_CLASSES[loss](scores[0], y)[1]])
    return np.asarray(MANY_CLASSES[loss](scores, int(y))[1])
