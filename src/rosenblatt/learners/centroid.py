"""Nearest centroids (deck E), and nearest shrunken centroids (Tibshirani et al. 2002).

The nearest centroid has the largest ``−½‖x − m_k‖² + ½‖x − m‖²``, which is linear in x; m is the
mean of all rows. Numbers stay small wherever the data lie. The state is that of `moments`.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners.moments import State, deviation, grow, init, merge, overall, update
from rosenblatt.learners.planes import Planes, log_priors, planes, possible

__all__ = ["Standard", "State", "grow", "init", "merge", "plain", "shrunken", "standard", "update"]


class Standard(NamedTuple):
    """What shrinking works on: ``centroid = mean + factor · scale · deviations``."""

    mean: Array
    factor: Array
    scale: Array
    within: Array
    deviations: Array

    def shrink(self, threshold: float) -> "Standard":
        """Move all deviations towards zero; those that would cross it are zero."""
        size = np.maximum(np.abs(self.deviations) - threshold, 0.0)
        return self._replace(deviations=np.copysign(size, self.deviations))

    def centroids(self) -> Array:
        """Return the centroids that the deviations stand for."""
        return np.asarray(self.mean + self.factor[:, None] * self.scale * self.deviations)


def variance(state: State) -> float:
    """Return the mean square of a number's distance from its class's mean; 1 if there is none."""
    total = state.weight.sum()
    within = deviation(state, total)
    return float(np.mean(within**2)) or 1.0


def plain(state: State, priors: Array) -> Planes:
    """Return the hyperplanes of plain distances, ``½‖x − m_k‖² − σ² log π_k``.

    >>> from rosenblatt.data.rows import as_rows
    >>> X, y = np.array([[1.0, -2], [1, 4], [4, 2], [2, 2]]), np.array([0, 0, 1, 1])
    >>> plain(update(init(2), as_rows(X), y), np.array([0.5, 0.5]))
    Planes(coef=array([[2., 1.]]), intercept=array([-5.5]))
    """
    mean, logs = overall(state), log_priors(priors)
    with np.errstate(over="ignore", invalid="ignore"):
        coef = state.mean - mean
        intercept = -0.5 * (coef * (state.mean + mean)).sum(axis=1) + variance(state) * logs
    return planes(coef, intercept, possible(state.weight, priors))


def standard(state: State) -> Standard:
    """Standardise the distances of the centroids from the mean of all.

    ``d_k = (m_k − m) / (√(1/n_k − 1/n) (s + s_0))``, where s² is the spread within the classes over
    n − K, and s_0 the median of s. Where that is zero, it is the median of those that are not; and
    where no feature has any spread, s + s_0 is 1.
    """
    n, seen = state.weight.sum(), state.weight > 0
    rest = n - seen.sum()
    if rest <= 0 and state.spread.any():
        raise ValueError(
            f"sample_weight adds up to {n:.6g}, but shrinking {seen.sum()} classes needs more than "
            f"{seen.sum()}: a weight counts rows. Multiply the weights, so that they average 1"
        )
    within = deviation(state, rest)
    offset = np.median(within) or np.median(within[within > 0] if within.any() else [1.0])
    scale = within + offset
    inverse = np.divide(1.0, state.weight, out=np.zeros_like(state.weight), where=seen)
    factor = np.sqrt(np.maximum(inverse - 1.0 / n, 0.0))
    mean = overall(state)
    apart = np.where(seen[:, None], state.mean - mean, 0.0)
    unit = factor[:, None] * scale
    deviations = np.divide(apart, unit, out=np.zeros_like(apart), where=unit > 0)
    return Standard(mean, factor, scale, within, deviations)


def shrunken(shrunk: Standard, priors: Array, seen: Array) -> Planes:
    """Return the hyperplanes of ``½ Σ (x − m'_k)²/(s + s_0)² − log π_k``."""
    steps = shrunk.factor[:, None] * shrunk.deviations
    with np.errstate(over="ignore", invalid="ignore"):
        coef = steps / shrunk.scale
        intercept = log_priors(priors) - coef @ shrunk.mean - 0.5 * (steps**2).sum(axis=1)
    return planes(coef, intercept, seen)
