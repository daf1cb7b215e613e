"""Naive Bayes: the logarithm of ``π_k Π_j p(x_j | k)``, class by class."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def bernoulli(X: Array, y: Array, T: Array, alpha: float = 1.0, binarize: float = 0.0) -> Array:
    """Return the joint log-likelihood of rows T: each feature is there or it is not."""
    X, T = binarize < X, binarize < T
    columns = []
    for k in range(y.max() + 1):
        p = (X[y == k].sum(axis=0) + alpha) / ((y == k).sum() + 2 * alpha)
        columns.append(np.log((y == k).mean()) + np.where(T, np.log(p), np.log(1 - p)).sum(axis=1))
    return np.column_stack(columns)


def multinomial(X: Array, y: Array, T: Array, alpha: float = 1.0) -> Array:
    """Return the joint log-likelihood of rows T: a row counts draws from the class's features."""
    columns = []
    for k in range(y.max() + 1):
        counts = X[y == k].sum(axis=0) + alpha
        columns.append(np.log((y == k).mean()) + T @ np.log(counts / counts.sum()))
    return np.column_stack(columns)


def gaussian(X: Array, y: Array, T: Array, var_smoothing: float = 1e-9) -> Array:
    """Return the joint log-likelihood of rows T: normal features, with variances all classes share.

    This is linear discriminant analysis with a diagonal pooled covariance.
    """
    means = np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])
    variance = ((X - means[y]) ** 2).mean(axis=0) + var_smoothing * X.var(axis=0).max()
    columns = []
    for k, mean in enumerate(means):
        log_p = -0.5 * ((T - mean) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1)
        columns.append(np.log((y == k).mean()) + log_p)
    return np.column_stack(columns)
