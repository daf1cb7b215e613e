"""Stochastic gradient descent on the perceptron criterion, which with η = 1 is the perceptron."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def perceptron_criterion_sgd(
    X: Array, y: Array, order: Iterable[int], eta: float = 1.0
) -> Iterator[Array]:
    """Descend ``J_i(w) = max(0, −y_i w·x_i)`` example by example; yield the weights after each.

    At the kink, where w·x = 0, any of the subgradients between 0 and −y x may be taken; this takes
    −y x, as deck A does.
    """
    w = np.zeros(X.shape[1])
    for i in order:
        gradient = np.where(y[i] * (w @ X[i]) > 0, 0.0, -y[i] * X[i])
        w = w - eta * gradient
        yield w
