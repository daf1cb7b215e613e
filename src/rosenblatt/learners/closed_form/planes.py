"""Hyperplanes from a linear function for each class and the priors."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, n_rows
from rosenblatt.kernels import scoring
from rosenblatt.learners.blocks import each_block
from rosenblatt.learners.online import too_large


class Planes(NamedTuple):
    """``coef`` and ``intercept`` in scikit-learn's shapes: one function for two classes."""

    coef: Array
    intercept: Array


def planes(coef: Array, intercept: Array, possible: Array) -> Planes:
    """Return the functions of K classes, or for two classes their difference.

    A class that is not possible, as no row of it was seen, has an intercept of −∞: it is never
    chosen, and its chance is zero.

    >>> planes(np.array([[1.0], [3.0]]), np.array([0.0, -4.0]), np.array([True, True]))
    Planes(coef=array([[2.]]), intercept=array([-4.]))
    """
    if not (np.isfinite(coef[possible]).all() and np.isfinite(intercept[possible]).all()):
        raise too_large("the hyperplanes are", np.dtype(np.float64))
    coef = np.where(possible[:, None], coef, 0.0)
    if len(coef) > 2:
        return Planes(coef, np.where(possible, intercept, -np.inf))
    if len(coef) == 1:
        return Planes(np.zeros_like(coef), np.zeros(1))
    if possible.all():
        return Planes(coef[1:] - coef[:1], intercept[1:] - intercept[:1])
    return Planes(np.zeros_like(coef[1:]), np.array([np.inf if possible[1] else -np.inf]))


def log_priors(priors: Array) -> Array:
    """Return the logarithms of priors, the largest as zero, so that equal ones leave no trace."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(priors / priors.max()))


def possible(weight: Array, priors: Array) -> Array:
    """Say which classes have rows and are not ruled out; raise ``ValueError`` if none is left."""
    result = np.asarray((weight > 0) & (priors > 0))
    if not result.any():
        raise ValueError("priors are zero for every class that was seen, so none can be chosen")
    return result


def linear_scores(
    weights: Array, intercept: Array, rows: Rows, binarize: float | None = None
) -> Array:
    """Return ``X Wᵀ + b``: a column for each function, or a vector if there is one.

    ``binarize`` scores zeros and ones instead of the rows: which numbers are above it.

    >>> from rosenblatt.data.rows import as_rows
    >>> rows = as_rows(np.array([[1.0, 4.0], [4.0, 2.0]], np.float32))
    >>> linear_scores(np.array([[2.0, 1.0]]), np.array([-5.5]), rows).tolist()
    [0.5, 4.5]
    """
    out = np.empty((n_rows(rows), len(weights)))
    # One function lies the same way in both orders, and only C order has the fastest loop.
    order: Any = "C" if isinstance(rows, Dense) or len(weights) == 1 else "F"
    weights = np.array(weights, np.float64, order=order, copy=None)
    intercept = np.asarray(intercept, np.float64)

    def work(rows: Rows, where: slice) -> None:
        if isinstance(rows, Dense):
            rows = Dense(np.ascontiguousarray(rows.values))
        if binarize is None:
            scoring.linear_scores(rows, weights, intercept, out[where])
        else:
            scoring.all_binary_scores(rows, binarize, weights, intercept, out[where])

    for _ in each_block(rows, work):
        pass
    return out[:, 0] if len(weights) == 1 else out
