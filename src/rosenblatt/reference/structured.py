"""The structured perceptron (Collins 2002): the best of all outputs, however many there are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Step = tuple[int, Array, bool]


def structured(
    X: Sequence[Any],
    y: Sequence[Any],
    orders: Iterable[Iterable[int]],
    features: Callable[[Any, Any], Array],
    argmax: Callable[[Any, Array], Any],
) -> Iterator[Step]:
    """Yield, after each example: its number, the weights, was it a mistake."""
    w = np.zeros(len(features(X[0], y[0])))
    for order in orders:
        for i in order:
            found = argmax(X[i], w)
            mistake = found != y[i]
            if mistake:
                w = w + features(X[i], y[i]) - features(X[i], found)
            yield i, w, mistake


def structured_mean(steps: Iterable[Step]) -> Array:
    """Average the weights of every step."""
    return np.asarray(np.mean([w for _, w, _ in steps], axis=0))
