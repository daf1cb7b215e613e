"""Gradient descent in batches (deck D): batch size N, b or 1 are three settings of one thing.

And with a step for each weight (McMahan et al. 2013, after Duchi, Hazan and Singer 2011).
"""

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
    weights: Array | None = None,
    parameter: tuple[float, ...] = (),
) -> Iterator[Array]:
    """Move against the mean gradient of each batch; yield the weights after each move.

    X holds a column of ones if there is to be an intercept; it is penalised here like the others.
    ``eta(t)`` is the step size of the t-th move. ``weights`` multiply the losses of the rows;
    ``parameter`` is the loss's, if it has one.

    >>> X, y = np.array([[1.0], [2.0]]), np.array([1, -1])
    >>> [W.tolist() for W in descent(X, y, [[0], [1]], "hinge", lambda t: 0.5)]
    [[[0.5]], [[-0.5]]]
    """
    W = np.zeros((n_functions, X.shape[1])) if start is None else start.copy()
    pull, pulled = 0.0, np.zeros_like(W)
    for t, batch in enumerate(batches, start=1):
        gradient = l2 * W
        for i in batch:
            count = 1.0 if weights is None else weights[i]
            slopes = slope(loss, W @ X[i], y[i], *parameter)
            gradient = gradient + count * np.outer(slopes, X[i]) / len(batch)
        W = W - eta(t) * gradient
        # Pull each weight towards zero by what it was spared of the penalty so far, which shrinks
        # as the weights do.
        kept = 1 - eta(t) * l2
        pull, pulled = kept * pull + eta(t) * l1, kept * pulled
        up, down = np.maximum(W - (pull + pulled), 0), np.minimum(W + (pull - pulled), 0)
        shorter = np.where(W > 0, up, np.where(W < 0, down, 0))
        pulled += shorter - W
        W = shorter
        yield W


def adaptive(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    loss: str,
    *,
    n_functions: int = 1,
    eta: float = 0.5,
    l2: float = 1.0,
    l1: float = 0.0,
    intercept: bool = True,
    usual: float = np.inf,
    weights: Array | None = None,
    forget: int | None = None,
    parameter: tuple[float, ...] = (),
) -> Iterator[Array]:
    """Take steps that shrink with the slopes a weight has seen; yield the weights after each row.

    Where the mean squared length of the rows so far, without the intercept's ones, is above
    ``usual``, slopes count as much more, which makes the steps that much shorter.

    With an intercept the last column of X is ones, and has no penalty. The penalties grow from pass
    to pass, as the sum of the losses does. L1 takes its part from the size of each sum, as far as
    there is something left. Without it the steps are AdaGrad's. A row of weight 2.5
    is learned from three times in a row, each time with a third of that (after Karampatziakis and
    Langford 2011); of any weight, 32 times at most.

    With ``forget`` sums, and roots of squares, are halved by every so many rows, a little before
    each. A weight stays as it is until a row has its feature.

    >>> X, y = np.array([[1.0, 1.0], [2.0, 1.0]]), np.array([1, -1])
    >>> [W.round(4).tolist() for W in adaptive(X, y, [[0, 1]], "hinge")]
    [[[0.3333, 0.5]], [[-0.0322, 0.1464]]]
    """
    sums, squares = np.zeros((2, n_functions, X.shape[1]))
    W = np.zeros_like(sums)
    lengths: list[float] = []
    for number, order in enumerate(orders, start=1):
        penalty = np.outer([l2, l1], np.full(X.shape[1], number if forget is None else 1))
        penalty[:, X.shape[1] - intercept :] = 0
        for i in order:
            weight = 1.0 if weights is None else float(weights[i])
            turns = min(max(int(np.ceil(weight)), 1), 32)
            lengths.append(float(X[i] @ X[i]) - intercept)
            calm = max(1.0, float(np.mean(lengths)) / usual)
            kept = 1.0 if forget is None else 0.5 ** (1 / forget)
            sums, squares = sums * kept, squares * kept**2
            for _ in range(turns):
                if forget is None:
                    W = _weights(sums, squares, eta, penalty)
                slopes = slope(loss, W @ X[i], y[i], *parameter)
                gradient = weight / turns * np.outer(slopes, X[i])
                more = squares + (calm * gradient) ** 2
                sums = sums + gradient - (np.sqrt(more) - np.sqrt(squares)) / eta * W
                squares = more
                W = np.where(gradient != 0, _weights(sums, squares, eta, penalty), W)
            yield W


def _weights(sums: Array, squares: Array, eta: float, penalty: Array) -> Array:
    l2, l1 = penalty
    below = np.sqrt(squares) / eta + l2
    left = np.sign(sums) * np.maximum(np.abs(sums) - l1, 0)
    return np.asarray(-left / np.where(below > 0, below, 1))


def slope(loss: str, scores: Array, y: Any, *parameter: float) -> Array:
    """Return the derivative of a loss by each score."""
    if len(scores) == 1:
        return np.array([TWO_CLASSES[loss](scores[0], y, *parameter)[1]])
    return np.asarray(MANY_CLASSES[loss](scores, int(y), *parameter)[1])
