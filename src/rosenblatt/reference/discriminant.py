"""The linear discriminant, as the textbook has it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def discriminant(X: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights ``Σ⁻¹ m_k`` and intercepts ``−½ m_kᵀ Σ⁻¹ m_k + log π_k`` of classes 0…K−1.

    Σ is the covariance of the rows about their class means, and must have an inverse.

    >>> X = np.array([[1.0, 2], [3, 2], [2, 1], [2, 3], [5, 2], [7, 2], [6, 1], [6, 3]])
    >>> weights, intercept = discriminant(X, np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    >>> (weights[1] - weights[0]).tolist(), round(float(intercept[1] - intercept[0]), 12)
    ([8.0, 0.0], -32.0)
    """
    means = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])
    priors = np.bincount(y) / len(y)
    centred = X - means[y]
    covariance = centred.T @ centred / len(y)
    weights = means @ np.linalg.inv(covariance)
    intercept = -0.5 * np.sum(means * weights, axis=1) + np.log(priors)
    return weights, intercept
