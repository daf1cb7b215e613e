"""The batch perceptron (deck A): add up the mistakes of a whole pass, then move once."""

from typing import Any

import numpy as np

from rosenblatt.reference.perceptron import is_mistake

Array = np.ndarray[Any, Any]


def batch(
    X: Array,
    y: Array,
    *,
    eta: float = 1.0,
    epsilon: float = 0.0,
    normalize: bool = True,
    max_iter: int = 100,
    ties: str = "mistake",
) -> tuple[Array, list[int]]:
    """Return the weights (no bias) and the mistakes of each pass.

    ``normalize=False`` with ``eta=1`` is the fixed-increment perceptron.
    """
    w = np.zeros(X.shape[1])
    mistakes = []
    for _ in range(max_iter):
        wrong = [i for i in range(len(X)) if is_mistake(y[i], w @ X[i], ties)]
        delta = -sum((y[i] * X[i] for i in wrong), start=np.zeros_like(w))
        if normalize:
            delta = delta / len(X)
        w = w - eta * delta
        mistakes.append(len(wrong))
        if not wrong or np.linalg.norm(delta) < epsilon:
            break
    return w, mistakes
