"""Nearest centroids (deck E) and nearest shrunken centroids (Tibshirani et al. 2002)."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def centroids(X: Array, y: Array) -> Array:
    """Return the mean of each class 0…K−1."""
    return np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])


def medians(X: Array, y: Array) -> Array:
    """Return the median of each class, feature by feature: the centroids of Manhattan distance."""
    return np.array([np.median(X[y == k], axis=0) for k in range(y.max() + 1)])


def modes(X: Array, y: Array) -> Array:
    """Return the most frequent value of each class, the smallest of several (Hamming distance)."""

    def mode(column: Array) -> float:
        values, counts = np.unique(column, return_counts=True)
        return float(values[counts.argmax()])

    return np.array([[mode(column) for column in X[y == k].T] for k in range(y.max() + 1)])


def distances(X: Array, points: Array, metric: str = "euclidean") -> Array:
    """Return how far rows are from points: squared, absolute, or how much differs."""
    difference = X[:, None] - points
    if metric == "manhattan":
        return np.asarray(np.abs(difference).sum(axis=2))
    if metric == "hamming":
        return np.asarray((difference != 0).mean(axis=2))
    return np.asarray((difference**2).sum(axis=2))


def shrunken(X: Array, y: Array, threshold: float) -> tuple[Array, Array]:
    """Return the shrunken centroids and s + s_0."""
    n, n_k, means, mean = len(X), np.bincount(y), centroids(X, y), X.mean(axis=0)
    s = np.sqrt(((X - means[y]) ** 2).sum(axis=0) / (n - len(n_k)))
    scale = s + np.median(s)
    unit = np.sqrt(1 / n_k - 1 / n)[:, None] * scale
    d = (means - mean) / unit
    d = np.sign(d) * np.maximum(np.abs(d) - threshold, 0)
    return mean + unit * d, scale


def shrunken_distances(X: Array, points: Array, scale: Array, priors: Array) -> Array:
    """Return ``Σ (x − m'_k)²/(s + s_0)² − 2 log π_k``; the smallest wins."""
    return np.asarray(distances(X / scale, points / scale) - 2 * np.log(priors))
