"""Learners in closed form.

Naive Bayes (the logarithm of ``π_k Π_j p(x_j | k)``), nearest centroids (deck E), nearest shrunken
centroids (Tibshirani et al. 2002) and the linear discriminant.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def bernoulli(X: Array, y: Array, T: Array, alpha: float = 1.0, binarize: float = 0.0) -> Array:
    """Return the joint log-likelihood of rows T: each feature is there or it is not.

    >>> X, y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]]), np.array([0, 0, 1, 1])
    >>> np.exp(bernoulli(X, y, np.array([[1, 0]]))).tolist()  # ½ · ¾ · ½ and ½ · ¼ · ¼
    [[0.1875, 0.03125]]
    """
    X, T = binarize < X, binarize < T
    columns = []
    for k in range(y.max() + 1):
        p = (X[y == k].sum(axis=0) + alpha) / ((y == k).sum() + 2 * alpha)
        columns.append(np.log((y == k).mean()) + np.where(T, np.log(p), np.log(1 - p)).sum(axis=1))
    return np.column_stack(columns)


def multinomial(X: Array, y: Array, T: Array, alpha: float = 1.0) -> Array:
    """Return the joint log-likelihood of rows T: a row counts draws from the class's features.

    >>> X, y = np.array([[2, 0], [1, 1], [0, 2]]), np.array([0, 0, 1])
    >>> np.exp(multinomial(X, y, np.array([[1, 0]]))).round(3).tolist()  # ⅔ · ⅔ and ⅓ · ¼
    [[0.444, 0.083]]
    """
    columns = []
    for k in range(y.max() + 1):
        counts = X[y == k].sum(axis=0) + alpha
        columns.append(np.log((y == k).mean()) + T @ np.log(counts / counts.sum()))
    return np.column_stack(columns)


def complement(X: Array, y: Array, T: Array, alpha: float = 1.0, norm: bool = False) -> Array:
    """Return scores of rows T: how badly all other classes together explain them (Rennie 2003).

    >>> X, y = np.array([[2, 0], [1, 1], [0, 2]]), np.array([0, 0, 1])
    >>> np.exp(complement(X, y, np.array([[1, 0]]))).round(3).tolist()  # 4/1 and 6/4
    [[4.0, 1.5]]
    """
    columns = []
    for k in range(y.max() + 1):
        counts = X[y != k].sum(axis=0) + alpha
        weights = -np.log(counts / counts.sum())
        columns.append(T @ (weights / np.abs(weights).sum() if norm else weights))
    return np.column_stack(columns)


def gaussian(X: Array, y: Array, T: Array, var_smoothing: float = 1e-9) -> Array:
    """Return the joint log-likelihood of rows T: normal features, with variances all classes share.

    This is linear discriminant analysis with a diagonal pooled covariance.

    >>> X, y = np.array([[0.0], [2], [4], [6]]), np.array([0, 0, 1, 1])
    >>> found = gaussian(X, y, np.array([[3.0], [4.0]]))
    >>> (found[:, 1] - found[:, 0]).round(6).tolist()  # x = 3 is halfway between the means
    [0.0, 4.0]
    """
    means = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])
    variance = ((X - means[y]) ** 2).mean(axis=0) + var_smoothing * X.var(axis=0).max()
    columns = []
    for k, mean in enumerate(means):
        log_p = -0.5 * ((T - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1)
        columns.append(np.log((y == k).mean()) + log_p)
    return np.column_stack(columns)


def centroids(X: Array, y: Array) -> Array:
    """Return the mean of each class 0…K−1.

    >>> centroids(np.array([[0.0, 0], [2, 0], [5, 5]]), np.array([0, 0, 1])).tolist()
    [[1.0, 0.0], [5.0, 5.0]]
    """
    return np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])


def medians(X: Array, y: Array) -> Array:
    """Return the median of each class, feature by feature: the centroids of Manhattan distance.

    >>> medians(np.array([[0.0, 0], [1, 0], [9, 3]]), np.array([0, 0, 0])).tolist()
    [[1.0, 0.0]]
    """
    return np.array([np.median(X[y == k], axis=0) for k in range(y.max() + 1)])


def modes(X: Array, y: Array) -> Array:
    """Return the most frequent value of each class, the smallest of several (Hamming distance).

    >>> modes(np.array([[0.0, 1], [1, 1], [0, 2]]), np.array([0, 0, 0])).tolist()
    [[0.0, 1.0]]
    """

    def mode(column: Array) -> float:
        values, counts = np.unique(column, return_counts=True)
        return float(values[counts.argmax()])

    return np.array([[mode(column) for column in X[y == k].T] for k in range(y.max() + 1)])


def distances(X: Array, points: Array, metric: str = "euclidean") -> Array:
    """Return how far rows are from points: squared, absolute, or how much differs.

    >>> points = np.array([[0.0, 0], [3, 4]])
    >>> distances(np.array([[0.0, 0]]), points).tolist()
    [[0.0, 25.0]]
    >>> distances(np.array([[0.0, 0]]), points, "manhattan").tolist()
    [[0.0, 7.0]]
    """
    difference = X[:, None] - points
    if metric == "manhattan":
        return np.asarray(np.abs(difference).sum(axis=2))
    if metric == "hamming":
        return np.asarray((difference != 0).mean(axis=2))
    return np.asarray((difference**2).sum(axis=2))


def shrunken(X: Array, y: Array, threshold: float) -> tuple[Array, Array]:
    """Return the shrunken centroids and s + s_0.

    >>> X, y = np.array([[0.0, 1], [2, 0], [6, 0], [8, 1]]), np.array([0, 0, 1, 1])
    >>> points, scale = shrunken(X, y, threshold=1.0)
    >>> points.round(3).tolist()  # the second feature no longer tells the classes apart
    [[2.237, 0.5], [5.763, 0.5]]
    """
    n, n_k, means, mean = len(X), np.bincount(y), centroids(X, y), X.mean(axis=0)
    s = np.sqrt(((X - means[y]) ** 2).sum(axis=0) / (n - len(n_k)))
    scale = s + np.median(s)
    unit = np.sqrt(1 / n_k - 1 / n)[:, None] * scale
    d = (means - mean) / unit
    d = np.sign(d) * np.maximum(np.abs(d) - threshold, 0)
    return mean + unit * d, scale


def shrunken_distances(X: Array, points: Array, scale: Array, priors: Array) -> Array:
    """Return ``Σ (x − m'_k)²/(s + s_0)² − 2 log π_k``; the smallest wins.

    >>> points, scale = np.array([[0.0], [4]]), np.array([2.0])
    >>> shrunken_distances(np.array([[1.0]]), points, scale, np.array([1.0, 1.0])).tolist()
    [[0.25, 2.25]]
    """
    return np.asarray(distances(X / scale, points / scale) - 2 * np.log(priors))


def discriminant(X: Array, y: Array) -> tuple[Array, Array]:
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
