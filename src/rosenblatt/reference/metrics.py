"""Log loss and the area under the ROC curve, by their definitions."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def log_loss(probabilities: Array, codes: Array, weights: Array) -> float:
    """Return the weighted mean of −log p, p being the probability of each row's own class."""
    losses = [-np.log(max(p[code], 2.0**-52)) for p, code in zip(probabilities, codes, strict=True)]
    return float(np.average(losses, weights=weights))


def auc(scores: Array, positive: Array, weights: Array) -> float:
    """Return the share of pairs, a positive row and another, in which the positive has more."""
    right = pairs = 0.0
    for i in np.flatnonzero(positive):
        for j in np.flatnonzero(~positive):
            pair = weights[i] * weights[j]
            pairs += pair
            right += pair * ((scores[i] > scores[j]) + (scores[i] == scores[j]) / 2)
    return float(right / pairs)
