"""The voted perceptron (Freund and Schapire 1999): weights vote for as long as they lived."""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def voted(
    steps: Iterable[tuple[int, Array, Any, bool]], X: Array
) -> tuple[Array, list[tuple[Array, Any, int]]]:
    """Return ``Σ c_n sign(w_n · x + b_n)`` for each row of X, and the list of (w_n, b_n, c_n).

    A new vector's count starts at 1, as published; deck A starts it at 0. With weights for K
    classes the votes are a column for each class, given to the class of the largest score.
    """
    hypotheses: list[tuple[Array, Any, int]] = []
    for _, w, b, mistake in steps:
        if mistake or not hypotheses:
            hypotheses.append((w, b, 1))
        else:
            w, b, count = hypotheses[-1]
            hypotheses[-1] = (w, b, count + 1)
    votes: Any = 0
    for w, b, count in hypotheses:
        scores = X @ w.T + b
        if scores.ndim == 1:
            votes = votes + count * np.where(scores >= 0, 1, -1)
        else:
            votes = votes + count * np.eye(len(w))[scores.argmax(axis=1)]
    return np.asarray(votes), hypotheses
