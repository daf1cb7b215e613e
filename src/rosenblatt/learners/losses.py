"""The losses that gradient descent can minimise: to tell classes apart, or to predict numbers.

| name | two classes, score s and y = ±1 | K classes | slope |
|---|---|---|---|
| perceptron | ``max(0, −y s)`` | ``max(0, max_j s_j − s_y)`` | −y on a mistake |
| hinge | ``max(0, 1 − y s)`` | ``max(0, 1 + max_{j≠y} s_j − s_y)`` | −y below the margin |
| logistic | ``log(1 + exp(−y s))`` | ``log Σ_j exp(s_j) − s_y`` | σ(s) − t, softmax(s) − t |
| squared | ``(y − s)²`` | ``Σ_j (±1 − s_j)²`` | 2 (s − y) |
| squared hinge | ``max(0, 1 − y s)²`` | the sum over j, y = ±1 | −2 y (1 − y s) below the margin |
| modified Huber | the same, ``−4 y s`` where y s < −1 | the sum over j, y = ±1 | −4 y there |

| name | a number y to predict, r = s − y | slope |
|---|---|---|
| squared | ``r²`` | 2 r |
| Huber | ``r²/2``, ``ε (abs(r) − ε/2)`` where abs(r) > ε | r, no further from 0 than ε |
| quantile | ``−q r`` where r < 0, else ``(1 − q) r`` | −q or 1 − q |

The modified Huber loss is Zhang's (2004), Huber's is of 1964, and the quantile's, the pinball loss,
is Koenker and Bassett's (1978): its lowest score is the q-quantile of y.

The 0/1 loss is not among them: it is flat wherever it is smooth, so no slope leads down.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, weights_or_empty
from rosenblatt.kernels import losses as codes
from rosenblatt.kernels.losses import sum_of_losses


class Loss(NamedTuple):
    """What is to know of a loss.

    Attributes
    ----------
    code : int
        What compiled loops call it.
    curvature : float
        The most it curves for a score; of one that has a kink and is straight elsewhere, what suits
        it.
    kinked : bool
        It is not smooth: a step may raise it, however short.
    steep : bool
        Its slopes know no bound.
    parameter : str
        The name of its parameter, if it has one.
    """

    code: int
    curvature: float
    kinked: bool = False
    steep: bool = False
    parameter: str = ""


LOSSES = {
    "perceptron": Loss(codes.PERCEPTRON, 0.0, kinked=True),
    "hinge": Loss(codes.HINGE, 1.0, kinked=True),
    "squared_hinge": Loss(codes.SQUARED_HINGE, 2.0, steep=True),
    "logistic": Loss(codes.LOGISTIC, 0.25),
    "modified_huber": Loss(codes.MODIFIED_HUBER, 2.0),
    "squared": Loss(codes.SQUARED, 2.0, steep=True),
    "huber": Loss(codes.HUBER, 1.0, parameter="epsilon"),
    "quantile": Loss(codes.QUANTILE, 1.0, kinked=True, parameter="quantile"),
}
FOR_NUMBERS = ("squared", "huber", "quantile")
FOR_CLASSES = tuple(name for name, loss in LOSSES.items() if not loss.parameter)


def evaluate(
    name: str, scores: Array, y: Array, weights: Array | None = None, parameter: float = 0.0
) -> tuple[float, int, Array]:
    """Return the sum of rows' losses, the mistakes, and each loss's derivative by its scores.

    Scores have a column for each linear function. ``weights`` multiply losses and derivatives;
    ``parameter`` is that of the loss.

    >>> scores, y = np.array([[2.0], [0.5], [-1.0]]), np.array([1.0, 1.0, 1.0])
    >>> loss, mistakes, slopes = evaluate("hinge", scores, y)
    >>> loss, mistakes, slopes.ravel().tolist()
    (2.5, 1, [0.0, -1.0, -1.0])
    """
    slopes = np.empty_like(scores)
    given = scores, y, slopes, weights_or_empty(weights)
    loss, mistakes = sum_of_losses(LOSSES[name].code, float(parameter), *given)
    return loss, mistakes, slopes
