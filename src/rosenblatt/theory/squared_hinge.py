"""Minimising ``½‖w‖² + ρ/2 Σ max(0, t_i − y_i w·x_i)²`` by Newton's method.

The Hessian is that of the rows within reach, ``I + ρ XᵀX``, and is never formed: conjugate
gradients ask for products with it only (Keerthi and DeCoste 2005). So memory is that of the data.
An offset is the weight of a last feature that is always one, and is left out of ``‖w‖²``.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.products import Matrix

_NEWTON_STEPS = 40
_CG_STEPS = 300
_CG_TOL = 0.1
_HALVINGS = 24


class Weights(NamedTuple):
    """Weights, the offset last if there is one, and the scores of all rows."""

    w: Array
    scores: Array


class Task(NamedTuple):
    """The rows, their labels, and 1 for each weight that counts in ``‖w‖²``, else 0."""

    X: Matrix
    y: Array
    counts: Array


def minimize(task: Task, targets: Array, rho: float, start: Weights, tol: float) -> Weights:
    """Go on from a start until the gradient is at most ``tol·‖w‖``, or for a number of steps."""
    X, y, counts = task
    w, scores = start
    for _ in range(_NEWTON_STEPS):
        slack = np.maximum(targets - y * scores, 0.0)
        gradient = counts * w - X.transposed_times(rho * slack * y)
        if np.linalg.norm(gradient) <= tol * np.linalg.norm(counts * w):
            break
        step = _newton_step(X.part(slack > 0), gradient, rho, counts)
        along = X.times(step)
        eta = _line_search(counts * w, step, y * scores, y * along, targets, rho, counts)
        if not eta > 0:
            break
        w, scores = w + eta * step, scores + eta * along
    return Weights(w, scores)


def _newton_step(A: Matrix, gradient: Array, rho: float, counts: Array) -> Array:
    """Solve ``H·step = −gradient`` by conjugate gradients, scaled by the diagonal of H."""
    inverse = 1 / np.maximum(counts + rho * A.squared_columns(), np.finfo(np.float64).tiny)
    step, rest = np.zeros_like(gradient), -gradient
    towards = rest * inverse
    size = float(rest @ towards)
    enough = _CG_TOL**2 * size
    for _ in range(_CG_STEPS if size > 0 else 0):
        scores = A.times(towards)
        scores *= rho
        product = A.transposed_times(scores)
        product += counts * towards
        eta = size / float(towards @ product)
        # Not by BLAS's axpy: its threads and those of the products would fight over the cores.
        step += eta * towards
        rest -= eta * product
        scaled = rest * inverse
        size, last = float(rest @ scaled), size
        if not size > enough:
            break
        towards *= size / last
        towards += scaled
    return step


def _line_search(
    w: Array, step: Array, margins: Array, slopes: Array, targets: Array, rho: float, counts: Array
) -> float:
    """Find where the derivative along a line turns positive, by halving."""
    along, square = float(w @ step), float((counts * step) @ step)

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
