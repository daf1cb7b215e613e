"""The losses of one example and their slopes, for compiled loops.

Two classes are y = ±1 with one score; K classes are 0…K−1 with K scores; a regression's y is the
number to predict. What a loss is and how it slopes is a row of the table in
`rosenblatt.learners.losses`; the code of the row says which, and ``parameter`` is the number that
some of them have. They round as IEEE 754 says, so that a step is the same to the last bit whatever
loop it is taken in.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import exact_jit, jit
from rosenblatt.kernels.online.perceptrons import TIE_IS_MISTAKE, is_beaten, rival, weight_of

PERCEPTRON = 0
HINGE = 1
LOGISTIC = 2
SQUARED = 3
SQUARED_HINGE = 4
MODIFIED_HUBER = 5
HUBER = 6
QUANTILE = 7


@exact_jit
def loss_and_slope(code: int, parameter: float, score: float, y: float) -> tuple[float, float]:
    """Return the loss of a score and its derivative by the score.

    At a kink the slope is that of the perceptron's rule: a tie is a mistake.
    """
    if code == SQUARED:
        return (score - y) * (score - y), 2 * (score - y)
    if code in (HUBER, QUANTILE):
        return residual_loss(code, parameter, score - y)
    margin = y * score
    if code == LOGISTIC:
        small = np.exp(-abs(margin))
        wrong = small / (1 + small) if margin > 0 else 1 / (1 + small)
        return max(-margin, 0.0) + np.log1p(small), -y * wrong
    if code == HINGE:
        return (1 - margin, -y) if margin < 1 else (0.0, 0.0)
    if code == PERCEPTRON:
        return (-margin, -y) if margin <= 0 else (0.0, 0.0)
    if code == MODIFIED_HUBER and margin < -1:
        return -4 * margin, -4 * y
    return (0.0, 0.0) if margin >= 1 else ((1 - margin) * (1 - margin), -2 * y * (1 - margin))


@exact_jit
def residual_loss(code: int, parameter: float, off: float) -> tuple[float, float]:
    """Return Huber's loss or a quantile's of a score that is too large by ``off``, and its slope.

    The parameter is ε or the quantile.
    """
    if code == HUBER:
        if abs(off) <= parameter:
            return 0.5 * off * off, off
        return parameter * (abs(off) - 0.5 * parameter), np.copysign(parameter, off)
    if off == 0:  # where the slope may be any between the two
        return 0.0, 0.0
    return (-parameter * off, -parameter) if off < 0 else ((1 - parameter) * off, 1 - parameter)


@exact_jit
def losses_and_slopes(code: int, parameter: float, scores: Any, right: Any, slopes: Any) -> Any:
    """Fill in the derivatives by K scores, and return the loss.

    Cross-entropy is of the softmax. The hinge and the perceptron's criterion compare the right
    class with the best of the others. All others are sums over the classes, of the loss of each
    score with y = +1 for the right class and −1 for the others.
    """
    n_classes = scores.shape[0]
    if code == LOGISTIC:
        top = scores[0]
        for k in range(1, n_classes):
            top = max(top, scores[k])
        total = scores.dtype.type(0)
        for k in range(n_classes):
            slopes[k] = np.exp(scores[k] - top)
            total += slopes[k]
        loss = np.log(np.float64(total)) + (top - scores[right])
        share = 1 / total
        for k in range(n_classes):
            slopes[k] *= share
        slopes[right] -= 1
        return loss
    if code == SQUARED:
        loss = 0.0
        for k in range(n_classes):
            off = scores[k] - (1 if k == right else -1)
            slopes[k] = 2 * off
            loss += off * off
        return loss
    if code != PERCEPTRON and code != HINGE:
        loss = 0.0
        for k in range(n_classes):
            y = 1.0 if k == right else -1.0
            one, slopes[k] = loss_and_slope(code, parameter, np.float64(scores[k]), y)
            loss += one
        return loss
    for k in range(n_classes):
        slopes[k] = 0
    wrong = rival(scores, right)
    short = (1 if code == HINGE else 0) - (scores[right] - scores[wrong])
    # A NaN must not pass for a right answer, so this asks for what is right.
    if short < 0 or (code == HINGE and short == 0):
        return 0.0
    slopes[right], slopes[wrong] = -1, 1
    return np.float64(short)


@jit
def weigh(slopes: Any, weights: Any, i: int) -> None:
    """Multiply the slopes of an example by its weight, if there are weights."""
    if weights.shape[0]:
        for k in range(slopes.shape[0]):
            slopes[k] *= weights[i]


@jit
def sum_of_losses(
    code: int, parameter: float, scores: Any, y: Any, slopes: Any, weights: Any
) -> tuple[float, int]:
    """Fill in the slopes of many rows' scores; return the sum of the losses, and the mistakes.

    ``weights`` multiply the losses of the rows; without them, they are empty.
    """
    total, mistakes = 0.0, 0
    for i in range(scores.shape[0]):
        if scores.shape[1] == 1:
            given = np.float64(scores[i, 0]), np.float64(y[i])
            loss, slope = loss_and_slope(code, parameter, *given)
            slopes[i, 0] = slope
            mistakes += y[i] * scores[i, 0] <= 0
        else:
            right = np.intp(y[i])
            loss = losses_and_slopes(code, parameter, scores[i], right, slopes[i])
            mistakes += is_beaten(scores[i], right, rival(scores[i], right), TIE_IS_MISTAKE)
        total += weight_of(weights, i) * loss
        weigh(slopes[i], weights, i)
    return total, mistakes


@jit
def loss_along(
    code: int, parameter: float, scores: Any, steps: Any, eta: float, y: Any, weights: Any
) -> tuple[float, float]:
    """Return the sum of the losses of ``scores + η · steps`` and its derivative by η."""
    total, rise = 0.0, 0.0
    n_classes = scores.shape[1]
    here, slopes = np.empty(n_classes), np.empty(n_classes)
    for i in range(scores.shape[0]):
        for k in range(n_classes):
            here[k] = scores[i, k] + eta * steps[i, k]
        if n_classes == 1:
            loss, slopes[0] = loss_and_slope(code, parameter, here[0], np.float64(y[i]))
        else:
            loss = losses_and_slopes(code, parameter, here, np.intp(y[i]), slopes)
        total += weight_of(weights, i) * loss
        weigh(slopes, weights, i)
        for k in range(n_classes):
            rise += slopes[k] * steps[i, k]
    return total, rise
