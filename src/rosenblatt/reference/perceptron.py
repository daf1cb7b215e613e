"""The online perceptron (Rosenblatt 1958), deck A's and deck B's algorithm."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Step = tuple[int, Array, float, bool]


def is_mistake(y: float, u: float, ties: str) -> bool:
    """Judge a score u: ``y·u ≤ 0`` is a mistake, or only a wrong ``sign(u)`` with sign(0) = +1."""
    if ties == "mistake":
        return y * u <= 0
    return (1 if u >= 0 else -1) != y


def perceptron(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    *,
    ties: str = "mistake",
    bias: bool = True,
    eta: Callable[[int], float] = lambda t: 1.0,
    w: Array | None = None,
    b: float = 0.0,
) -> Iterator[Step]:
    """Yield, after each example: its row, the weights, the intercept, was it a mistake."""
    w = np.zeros(X.shape[1]) if w is None else np.array(w, float)
    updates = 0
    for order in orders:
        for i in order:
            u = w @ X[i] + b
            mistake = is_mistake(y[i], u, ties)
            if mistake:
                updates += 1
                w = w + eta(updates) * y[i] * X[i]
                b = b + eta(updates) * y[i] * bias
            yield i, w, b, mistake
