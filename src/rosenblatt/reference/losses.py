"""The losses of one example, as the lectures write them, and their gradients by the scores."""

from collections.abc import Callable
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


def squared_hinge(score: float, y: float) -> tuple[float, float]:
    """Return ``max(0, 1 − y s)²`` and its slope."""
    short = max(0.0, 1 - y * score)
    return short**2, -2 * y * short


def modified_huber(score: float, y: float) -> tuple[float, float]:
    """Return Zhang's loss: the squared hinge, and a straight line where ``y s < −1``."""
    return squared_hinge(score, y) if y * score >= -1 else (-4 * y * score, -4 * y)


def huber(score: float, y: float, epsilon: float = 0.0) -> tuple[float, float]:
    """Return ``r²/2`` of the residual r = s − y, straight lines beyond ±ε, and its slope."""
    r = score - y
    loss = r**2 / 2 if abs(r) <= epsilon else epsilon * (abs(r) - epsilon / 2)
    return loss, float(np.clip(r, -epsilon, epsilon))


def pinball(score: float, y: float, quantile: float = 0.0) -> tuple[float, float]:
    """Return ``q (y − s)`` of a score below y, ``(1 − q) (s − y)`` of one above, and its slope."""
    slope = (1 - quantile) * (score > y) - quantile * (score < y)
    return slope * (score - y), slope


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


def one_by_one(loss: Callable[..., tuple[float, float]]) -> Callable[..., tuple[float, Array]]:
    """Make a loss of K scores: the sum of each one's, with y = +1 for the right class, else −1."""

    def over_classes(scores: Array, right: int, *parameter: float) -> tuple[float, Array]:
        each = [loss(s, 1 if k == right else -1, *parameter) for k, s in enumerate(scores)]
        return sum(value for value, _ in each), np.array([slope for _, slope in each])

    return over_classes


TWO_CLASSES: dict[str, Callable[..., tuple[float, float]]] = {
    "perceptron": perceptron,
    "hinge": hinge,
    "logistic": logistic,
    "squared": squared,
    "squared_hinge": squared_hinge,
    "modified_huber": modified_huber,
    "huber": huber,
    "quantile": pinball,
}
MANY_CLASSES: dict[str, Callable[..., tuple[float, Array]]] = {
    "perceptron": lambda scores, right: multiclass_margin(scores, right, 0.0),
    "hinge": multiclass_margin,
    "logistic": softmax,
    "squared": squared_classes,
    "squared_hinge": one_by_one(squared_hinge),
    "modified_huber": one_by_one(modified_huber),
    "huber": one_by_one(huber),
    "quantile": one_by_one(pinball),
}
