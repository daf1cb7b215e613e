"""The averaged perceptron: the mean of the weights after every step, computed naively."""

from collections.abc import Iterable
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def averaged(steps: Iterable[tuple[int, Array, Any, bool]]) -> tuple[Array, Any]:
    """Average the weights and intercepts of every step of a reference perceptron.

    >>> from rosenblatt.reference import perceptron
    >>> X, y = np.array([[-1.0, 2], [1, 0], [1, 1]]), np.array([-1, 1, 1])
    >>> w, b = averaged(perceptron(X, y, [range(3)], bias=False))
    >>> w.tolist()  # the mean of (1, −2), (1, −2) and (2, −1)
    [1.333..., -1.666...]
    """
    history = [(w, b) for _, w, b, _ in steps]
    return np.mean([w for w, _ in history], axis=0), np.mean([b for _, b in history], axis=0)
