"""Naive Bayes as the hyperplanes it is: ``log π_k + Σ_j log p(x_j | k)``, linear in x.

Bernoulli and multinomial come from `counts`, and the Gaussian one, whose variances all classes
share, from `moments`.
"""

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners import counts, moments
from rosenblatt.learners.planes import Planes, log_priors, planes, possible


def bernoulli(state: counts.State, alpha: float) -> tuple[Array, Array]:
    """Return log p and log (1 − p): the chances that a feature is there, and that it is not.

    ``p = (count + α) / (n_k + 2α)``.
    """
    total = np.log(state.weight + 2 * alpha)[:, None]
    absent = state.weight[:, None] - state.sums
    # Of weights with fractions, rounding may leave a little less than nothing.
    absent = np.log(np.maximum(absent, 0.0) + alpha) - total
    return np.log(state.sums + alpha) - total, absent


def bernoulli_planes(state: counts.State, alpha: float, priors: Array) -> Planes:
    """Return the hyperplanes ``w = log p − log (1 − p)``, ``b = Σ log (1 − p) + log π``."""
    there, absent = bernoulli(state, alpha)
    intercept = absent.sum(axis=1) + log_priors(priors)
    return planes(there - absent, intercept, possible(state.weight, priors))


def multinomial(state: counts.State, alpha: float) -> Array:
    """Return log θ, ``θ = (count + α) / Σ (count + α)``: which feature a class draws how often."""
    smooth = state.sums + alpha
    return np.asarray(np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True)))


def multinomial_planes(state: counts.State, alpha: float, priors: Array) -> Planes:
    """Return the hyperplanes ``w = log θ``, ``b = log π``."""
    return planes(multinomial(state, alpha), log_priors(priors), possible(state.weight, priors))


def variances(state: moments.State, smoothing: float) -> Array:
    """Return each feature's variance within the classes, and a share of the largest there is.

    That share is of the variance of all rows. If no feature varies at all, the variances are 1.
    """
    n, mean = state.weight.sum(), moments.overall(state)
    within = moments.deviation(state, n) ** 2
    between = (state.weight / n) @ (state.mean - mean) ** 2
    between[between <= (8 * moments.EPSILON * mean) ** 2] = 0.0
    result = within + smoothing * (within + between).max()
    return result if result.any() else np.ones_like(result)


def gaussian_planes(state: moments.State, variance: Array, priors: Array) -> Planes:
    """Return the hyperplanes of ``−½ Σ (x − m_k)²/v + ½ Σ (x − m)²/v + log π_k``."""
    mean = moments.overall(state)
    with np.errstate(over="ignore", invalid="ignore"):
        coef = (state.mean - mean) / variance
        intercept = -0.5 * (coef * (state.mean + mean)).sum(axis=1) + log_priors(priors)
    return planes(coef, intercept, possible(state.weight, priors))
