"""The losses that gradient descent can minimise, and the curvature of each.

| name | two classes, score s and y = ±1 | K classes | slope |
|---|---|---|---|
| perceptron | ``max(0, −y s)`` | ``max(0, max_j s_j − s_y)`` | −y on a mistake |
| hinge | ``max(0, 1 − y s)`` | ``max(0, 1 + max_{j≠y} s_j − s_y)`` | −y below the margin |
| logistic | ``log(1 + exp(−y s))`` | ``log Σ_j exp(s_j) − s_y`` | σ(s) − t, softmax(s) − t |
| squared | ``(y − s)²`` | ``Σ_j (±1 − s_j)²`` | 2 (s − y) |

The 0/1 loss is not among them: it is flat wherever it is smooth, so no slope leads down.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, weights_or_empty
from rosenblatt.kernels import losses as codes
from rosenblatt.kernels.losses import sum_of_losses


class Loss(NamedTuple):
    """A loss's code in the compiled loops, and the most it curves for a score."""

    code: int
    curvature: float


LOSSES = {
    "perceptron": Loss(codes.PERCEPTRON, 0.0),
    "hinge": Loss(codes.HINGE, 1.0),  # none but at its kink; as much as this suits it
    "logistic": Loss(codes.LOGISTIC, 0.25),
    "squared": Loss(codes.SQUARED, 2.0),
}


def evaluate(
    name: str, scores: Array, y: Array, weights: Array | None = None
) -> tuple[float, int, Array]:
    """Return the sum of rows' losses, the mistakes, and each loss's derivative by its scores.

    Scores have a column for each linear function. ``weights`` multiply losses and derivatives.

    >>> scores, y = np.array([[2.0], [0.5], [-1.0]]), np.array([1.0, 1.0, 1.0])
    >>> loss, mistakes, slopes = evaluate("hinge", scores, y)
    >>> loss, mistakes, slopes.ravel().tolist()
    (2.5, 1, [0.0, -1.0, -1.0])
    """
    slopes = np.empty_like(scores)
    loss, mistakes = sum_of_losses(LOSSES[name].code, scores, y, slopes, weights_or_empty(weights))
    return loss, mistakes, slopes
