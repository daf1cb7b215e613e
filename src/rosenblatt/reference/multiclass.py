"""The perceptron for K classes (decks C and D): K linear functions, predict the largest."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Step = tuple[int, Array, Array, bool]


def multiclass(
    X: Array,
    y: Array,
    orders: Iterable[Iterable[int]],
    n_classes: int,
    *,
    ties: str = "mistake",
    bias: bool = True,
) -> Iterator[Step]:
    """Yield, after each example: its row, the K weights, the intercepts, was it a mistake."""
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    for order in orders:
        for i in order:
            scores = W @ X[i] + b
            others = scores.copy()
            others[y[i]] = -np.inf
            rival = int(np.argmax(others))
            if ties == "mistake":
                mistake = bool(scores[y[i]] <= scores[rival])
            else:
                mistake = int(np.argmax(scores)) != y[i]
            if mistake:
                W, b = W.copy(), b.copy()
                W[y[i]] += X[i]
                W[rival] -= X[i]
                b[y[i]] += bias
                b[rival] -= bias
            yield i, W, b, mistake
