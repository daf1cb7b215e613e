"""Minimising ``½‖w‖² + ρ/2 Σ max(0, t_i − y_i (w·x_i + b))²`` by Newton's method.

The Hessian is that of the rows within reach, ``I + ρ XᵀX``, and is never formed: conjugate
gradients ask for products with it only (Keerthi and DeCoste 2005). So memory is that of the data.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array

_NEWTON_STEPS = 40
_CG_STEPS = 300
_CG_TOL = 0.1
_HALVINGS = 24


class Weights(NamedTuple):
    """Weights, the offset, and the scores of all rows."""

    w: Array
    b: float
    scores: Array


def minimize(
    X: Any, y: Array, targets: Array, rho: float, start: Weights, tol: float, fit_offset: bool
) -> Weights:
    """Go on from a start until the gradient is at most ``tol·‖w‖``, or for a number of steps."""
    w, b, scores = start.w.copy(), start.b, start.scores.copy()
    for _ in range(_NEWTON_STEPS):
        slack = np.maximum(targets - y * scores, 0.0)
        pull = rho * slack * y
        gradient = np.append(w - X.T @ pull, -pull.sum() if fit_offset else 0.0)
        if np.linalg.norm(gradient) <= tol * np.linalg.norm(w):
            break
        step = _newton_step(X[slack > 0], gradient, rho, fit_offset)
        along = X @ step[:-1] + step[-1]
        eta = _line_search(w, step[:-1], y * scores, y * along, targets, rho)
        if not eta > 0:
            break
        w, b, scores = w + eta * step[:-1], b + eta * float(step[-1]), scores + eta * along
    return Weights(w, b, scores)


def _newton_step(A: Any, gradient: Array, rho: float, fit_offset: bool) -> Array:
    """Solve ``H·step = −gradient`` by conjugate gradients, scaled by the diagonal of H."""
    n = A.shape[0]
    squares = A.multiply(A).sum(axis=0) if sp.issparse(A) else np.einsum("ij,ij->j", A, A)
    diagonal = np.append(1 + rho * np.asarray(squares).ravel(), max(rho * n, 1.0))
    AT = A.T.tocsr() if sp.issparse(A) else A.T
    step, rest = np.zeros_like(gradient), -gradient
    scaled = rest / diagonal
    towards, size = scaled, float(rest @ scaled)
    enough = _CG_TOL**2 * size
    for _ in range(_CG_STEPS):
        scores = rho * (A @ towards[:-1] + towards[-1])
        product = np.append(towards[:-1] + AT @ scores, scores.sum() if fit_offset else 0.0)
        eta = size / float(towards @ product)
        step, rest = step + eta * towards, rest - eta * product
        scaled = rest / diagonal
        size, last = float(rest @ scaled), size
        if not size > enough:
            break
        towards = scaled + (size / last) * towards
    return step


def _line_search(
    w: Array, step: Array, margins: Array, slopes: Array, targets: Array, rho: float
) -> float:
    """Find where the derivative along a line turns positive, by halving."""
    along, square = float(w @ step), float(step @ step)

    def slope(eta: float) -> float:
        slack = np.maximum(targets - margins - eta * slopes, 0.0)
        return along + eta * square - rho * float(slack @ slopes)

    first, low, high = slope(0.0), 0.0, 1.0
    if not first < 0:
        return 0.0
    if abs(slope(1.0)) <= 1e-3 * -first:
        return 1.0
    while slope(high) < 0 and high < 2.0**40:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return high
