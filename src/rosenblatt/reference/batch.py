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


def batch_classes(
    X: Array, y: Array, n_classes: int, *, max_iter: int = 100
) -> tuple[Array, Array, list[int]]:
    """Do the same for K classes, fixed increment, with intercepts; return them with the weights."""
    W, b = np.zeros((n_classes, X.shape[1])), np.zeros(n_classes)
    mistakes: list[int] = []
    while len(mistakes) < max_iter and mistakes[-1:] != [0]:
        up, up_intercept = np.zeros_like(W), np.zeros_like(b)
        mistakes.append(0)
        for x, right in zip(X, y, strict=True):
            scores = W @ x + b
            rival = int(np.argmax(np.where(np.arange(n_classes) == right, -np.inf, scores)))
            if scores[right] <= scores[rival]:
                mistakes[-1] += 1
                up[right] += x
                up[rival] -= x
                up_intercept[right] += 1
                up_intercept[rival] -= 1
        W, b = W + up, b + up_intercept
    return W, b, mistakes
