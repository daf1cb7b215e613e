"""The losses of one example, as the lectures write them, and their gradients by the scores."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def zero_one(score: float, y: float) -> float:
    """Count a mistake: 1 on the wrong side or on the boundary. It has no useful slope."""
    return float(y * score <= 0)


def perceptron(score: float, y: float) -> tuple[float, float]:
    """Return ``max(0, −y s)`` and its slope; at the kink that of a mistake."""
    return (-y * score, -y) if y * score <= 0 else (0.0, 0.0)


def hinge(score: float, y: float) -> tuple[float, float]:
    """Return ``max(0, 1 − y s)`` and its slope."""
    return (1 - y * score, -y) if y * score < 1 else (0.0, 0.0)


def logistic(score: float, y: float) -> tuple[float, float]:
    """Return ``−log σ(y s)`` and its slope, σ(s) − t with t = 1 for y = +1 and 0 for y = −1."""
    return float(np.logaddexp(0, -y * score)), 1 / (1 + np.exp(-score)) - (y > 0)


def squared(score: float, y: float) -> tuple[float, float]:
    """Return ``(y − s)²`` and its slope."""
    return (y - score) ** 2, 2 * (score - y)


def softmax(scores: Array, right: int) -> tuple[float, Array]:
    """Return ``−log softmax(s)_y`` and its gradient, softmax(s) − t."""
    p = np.exp(scores - scores.max())
    p /= p.sum()
    return float(-np.log(p[right])), p - np.eye(len(scores))[right]


def squared_classes(scores: Array, right: int) -> tuple[float, Array]:
    """Return ``Σ_k (t_k − s_k)²``, where t is +1 for the right class and −1 for the others."""
    t = 2 * np.eye(len(scores))[right] - 1
    return float(np.sum((t - scores) ** 2)), 2 * (scores - t)


def multiclass_margin(scores: Array, right: int, margin: float = 1.0) -> tuple[float, Array]:
    """Return ``max(0, margin + max_{j≠y} s_j − s_y)``: the hinge, or with 0 the perceptron's."""
    others = np.where(np.arange(len(scores)) == right, -np.inf, scores)
    wrong = int(others.argmax())
    loss = margin + scores[wrong] - scores[right]
    if loss < 0 or (margin and loss == 0):
        return 0.0, np.zeros(len(scores))
    return float(loss), np.eye(len(scores))[wrong] - np.eye(len(scores))[right]


TWO_CLASSES = {
    "perceptron": perceptron,
    "hinge": hinge,
    "logistic": logistic,
    "squared": squared,
}
MANY_CLASSES = {
    "perceptron": lambda scores, right: multiclass_margin(scores, right, 0.0),
    "hinge": multiclass_margin,
    "logistic": softmax,
    "squared": squared_classes,
}
