"""Numbers standardised and words weighted as they come, in plain NumPy."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def standardized(X: Array, most: float = 10.0) -> Array:
    """Standardise each number by those of its column so far; NaN is a missing number.

    A column whose numbers so far are all 0 or 1 is taken as it is.

    >>> standardized(np.array([[2.0, 1], [4, 0], [3, 1]])).round(3)
    array([[0., 1.],
           [1., 0.],
           [0., 1.]])
    """
    out = X.copy()
    for i in range(len(X)):
        for j in range(X.shape[1]):
            past = X[: i + 1, j]
            past = past[~np.isnan(past)]
            if np.isnan(X[i, j]) or np.isin(past, (0, 1)).all():
                continue
            deviation = past.std()
            out[i, j] = (X[i, j] - past.mean()) / deviation if deviation > 0 else 0
    return np.clip(out, -most, most)


def weighted_words(X: Array, length: float) -> Array:
    """Weight the words of texts, one text a row, by how rare each is in the texts so far.

    A word that is c times in a text counts ``1 + log c``, times ``1 + log (1 + n)/(1 + n_w)`` if
    n_w of the n texts so far have it, this one included. Then each row is given the same length.

    >>> weighted_words(np.array([[1.0, 1], [1, 0], [1, 1]]), 1.0).round(3)
    array([[0.707, 0.707],
           [1.   , 0.   ],
           [0.613, 0.79 ]])
    """
    out = np.zeros_like(X)
    for i in range(len(X)):
        having = (X[: i + 1] > 0).sum(axis=0)
        often = np.where(X[i] > 0, 1 + np.log(np.maximum(X[i], 1)), 0)
        row = often * (1 + np.log((2 + i) / (1 + having)))
        norm = np.sqrt(row @ row)
        out[i] = row * (length / norm) if norm > 0 else row
    return out


def standardized_targets(y: Array, weights: Array | None = None, centred: bool = True) -> Array:
    """Standardise each number to predict by those so far, this one included.

    Without an intercept numbers are not centred, and divided by their root mean square.

    >>> standardized_targets(np.array([100.0, 300.0, 200.0])).round(3)
    array([0., 1., 0.])
    """
    w = np.ones(len(y)) if weights is None else weights
    out = np.zeros(len(y))
    for i in range(len(y)):
        past, each = y[: i + 1], w[: i + 1]
        mean = np.average(past, weights=each) if centred else 0.0
        deviation = np.sqrt(np.average((past - mean) ** 2, weights=each))
        out[i] = (y[i] - mean) / deviation if deviation > 0 else 0
    return out
