"""From the discriminant's sums to its hyperplanes: shrink the covariance, and divide by it.

``Σ' = (1 − s) Σ + s (tr Σ / d) I`` for a given s. Ledoit and Wolf (2004) estimate s from the data;
as scikit-learn does, for each class by itself with its features scaled to unit variance:
``Σ'_k = (1 − s_k) Σ_k + s_k (v_k / d) D_k²``, where D_k holds the standard deviations, 1 for the
d − v_k features that are constant, and Σ' is the mean of the Σ'_k, weighted as the classes are.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.learners.discriminant import State, keeps_rows, moments_of, summed
from rosenblatt.learners.planes import Planes, planes, possible
from rosenblatt.learners.scatter import Moments
from rosenblatt.learners.whiten import (
    TOLERANCE,
    Centred,
    centred,
    inverse_roots,
    solve,
    solve_wide,
)


def hyperplanes(state: State, priors: Array, amount: Any = 0.0) -> Planes:
    """Return the weights and intercepts of the classes, or for two classes their difference.

    The mean of the class means, weighted by the priors, is the origin of this calculation. That
    changes all scores of a row by the same number, and keeps digits where data lie far off. A class
    that has no rows yet, or no prior, scores −∞.
    """
    seen = possible(state.weight, priors)
    priors = np.where(seen, priors, 0.0) / priors[seen].sum()
    middle = priors @ state.mean
    apart = np.where(seen[:, None], state.mean - middle, 0.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        coef = _divided(state, apart, amount)
        intercept = np.log(priors) - ((0.5 * apart + middle) * coef).sum(axis=1)
    return planes(coef, intercept, seen)


def _divided(state: State, B: Array, amount: Any) -> Array:
    """Return ``Σ'⁻¹ b`` for each row b."""
    if not keeps_rows(state):
        shrunk = np.any(amount)
        least = len(state.mean[0]) * np.finfo(float).eps if shrunk else TOLERANCE
        return solve(covariance(state, amount), B, least)
    C = _centred(state)
    left = (1 - np.broadcast_to(amount, len(state.weight))) / state.weight.sum()
    e = _added(state, amount, C)
    return solve_wide(C, left, e if e.any() else None, B)


def _centred(state: State) -> Centred:
    X = as_matrix(state.kept, state.mean.shape[1])
    return centred(X, state.mean, state.codes, state.kept_weight)


def covariance(state: State, amount: Any = 0.0) -> Array:
    """Return the shrunk covariance within classes, as a d × d matrix."""
    if keeps_rows(state):
        state = summed(state)
    left = (1 - np.broadcast_to(amount, len(state.scatter))) / state.weight.sum()
    result = np.tensordot(left, state.scatter, 1)
    result[np.diag_indices_from(result)] += _added(state, amount)
    return np.asarray(result)


def amounts(state: State) -> Array:
    """Return Ledoit and Wolf's shrinkage of each class; zero for classes without rows."""
    result = np.zeros(len(state.weight))
    C = _centred(state) if keeps_rows(state) else None
    for k in np.flatnonzero(state.weight).tolist():
        if C is not None:
            result[k] = intensity_of_rows(state.weight[k], C.of_class(k))
        else:
            moments = Moments(*(part[k] for part in moments_of(state)))
            result[k] = intensity_of_moments(state.weight[k], moments)
    return result


def _added(state: State, amount: Any, C: Centred | None = None) -> Array:
    """Return what shrinkage adds to the variance of each feature."""
    d = state.mean.shape[1]
    result = np.zeros(d)
    total = state.weight.sum()
    if not np.ndim(amount):
        if amount:
            squares = C.squares() if C else state.scatter.diagonal(axis1=1, axis2=2)
            result += amount * squares.sum() / (total * d)
        return result
    for k in np.flatnonzero(amount).tolist():
        squares = C.of_class(k).squares() if C else state.scatter[k].diagonal()
        variances = deviations(state.weight[k], squares) ** 2
        result += state.weight[k] / total * amount[k] * (squares > 0).mean() * variances
    return result


def deviations(n: float, squares: Array) -> Array:
    """Return the standard deviation of each feature, and 1 for those that are constant."""
    return 1 / inverse_roots(squares / max(n, np.finfo(float).tiny))


def intensity(n: float, d: int, varying: int, squared: float, fourth: float) -> float:
    """Return Ledoit and Wolf's shrinkage of the covariance of n standardised rows z.

    ``squared`` is the sum of the squared entries of ``ZᵀZ/n``, ``fourth`` is Σ‖z‖⁴; ``varying``
    features have variance one, the others zero.
    """
    if d == 1:
        return 0.0
    beta = (fourth / n - squared) / (d * n)
    delta = (squared - varying**2 / d) / d
    beta = min(beta, delta)
    # Of two different rows it is zero, but for rounding, which must not pass for shrinkage.
    return float(beta / delta) if beta > 1e-12 * squared / (d * n) else 0.0


def intensity_of_moments(n: float, m: Moments) -> float:
    """Return Ledoit and Wolf's shrinkage of a class from its moments."""
    squares = m.second.diagonal()
    scale = 1 / deviations(n, squares)
    R = m.second * scale[:, None] * scale / n
    fourth = scale**2 @ m.fourth @ scale**2
    return intensity(n, len(R), int((squares > 0).sum()), float((R * R).sum()), float(fourth))


def intensity_of_rows(n: float, C: Centred) -> float:
    """Return Ledoit and Wolf's shrinkage of a class from its centred and weighted rows."""
    squares = C.squares()
    Z = C.scaled(np.where(squares > 0, 1 / deviations(n, squares), 0.0))
    G = Z.gram() / n
    fourth = float((Z.row_squares() ** 2 / np.where(C.factor > 0, C.factor, 1) ** 2).sum())
    return intensity(n, len(squares), int((squares > 0).sum()), float((G * G).sum()), fourth)
