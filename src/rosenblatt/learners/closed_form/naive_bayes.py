"""Naive Bayes as hyperplanes: ``log π_k + Σ_j log p(x_j | k)``, linear in x.

Bernoulli, multinomial and complement (Rennie et al. 2003) come from counts, and the Gaussian one,
whose variances all classes share, from `moments`.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, Rows, weights_or_empty
from rosenblatt.kernels.moments import add_sums
from rosenblatt.kernels.scoring import add_binary_sums
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.closed_form import moments
from rosenblatt.learners.closed_form.moments import merged_columns
from rosenblatt.learners.closed_form.planes import (
    Planes,
    linear_scores,
    log_priors,
    planes,
    possible,
)

Alpha: TypeAlias = float | Array  # the same for all features, or one for each
IMPOSSIBLE = -(2.0**24)  # beyond all finite sums of logarithms, and digits enough left for these


class State(NamedTuple):
    """The weight of each class and the sum of its rows.

    With ``binarize`` the rows are zeros and ones: which of their numbers are above it.
    """

    weight: Array
    sums: Array
    binarize: float | None


def init(n_features: int, n_classes: int = 2, *, binarize: float | None = None) -> State:
    """Start without any row."""
    return State(np.zeros(n_classes), np.zeros((n_classes, n_features)), binarize)


def update(state: State, rows: Rows, y: Array, weights: Array | None = None) -> State:
    """Add rows of classes 0…K−1, each as often as its weight.

    >>> from rosenblatt.data.rows import as_rows
    >>> state = update(init(1), as_rows(np.array([[1.0], [3.0], [7.0]])), np.array([0, 0, 1]))
    >>> state.weight.tolist(), state.sums.tolist()
    ([2.0, 1.0], [[4.0], [7.0]])
    """
    if state.binarize is not None:
        rows = merged_columns(rows, state.sums.shape[1])

    def work(rows: Rows, where: slice) -> Array:
        total, limit = np.zeros_like(state.sums), state.binarize
        if limit is None:
            add_sums(rows, y[where], weights_or_empty(part(weights, where)), total)
        else:
            add_binary_sums(rows, y[where], limit, weights_or_empty(part(weights, where)), total)
        return total

    weight = state.weight + np.bincount(y, weights, len(state.weight))
    # A block's sums should be small compared to what is added up.
    totals = each_block(rows, work, 8 * state.sums.size)
    return state._replace(weight=weight, sums=sum(totals, state.sums))


def merge(states: Sequence[State], weights: Sequence[float] | None = None) -> State:
    """Merge states; a weight is how often a state's rows count."""
    times = [1.0] * len(states) if weights is None else weights
    both = list(zip(states, times, strict=True))
    return states[0]._replace(
        weight=np.sum([c * state.weight for state, c in both], axis=0),
        sums=np.sum([c * state.sums for state, c in both], axis=0),
    )


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""
    larger = init(state.sums.shape[1], n_classes, binarize=state.binarize)
    larger.weight[places], larger.sums[places] = state.weight, state.sums
    return larger


def log_parts(parts: Array, whole: Array, equal: float) -> Array:
    """Return ``log(parts / whole)``, −∞ where a part is zero, and ``log equal`` of an empty whole.

    >>> log_parts(np.array([[0.0, 4.0], [0.0, 0.0]]), np.array([[4.0], [0.0]]), 0.5).round(3)
    array([[  -inf,  0.   ],
           [-0.693, -0.693]])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts) - np.log(whole)
    return np.where(whole > 0, logs, np.log(equal))


def bernoulli(state: State, alpha: Alpha) -> tuple[Array, Array]:
    """Return log p and log (1 − p): the probabilities that a feature is there, and that it is not.

    ``p = (count + α) / (n_k + 2α)``.
    """
    total = state.weight[:, None] + 2 * alpha
    # Of weights with fractions, rounding may leave a little less than nothing.
    absent = np.maximum(state.weight[:, None] - state.sums, 0.0)
    return log_parts(state.sums + alpha, total, 0.5), log_parts(absent + alpha, total, 0.5)


def bernoulli_planes(state: State, alpha: Alpha, priors: Array) -> Planes:
    """Return the hyperplanes ``w = log p − log (1 − p)``, ``b = Σ log (1 − p) + log π``."""
    there, absent = (finite(logs) for logs in bernoulli(state, alpha))
    intercept = absent.sum(axis=1) + log_priors(priors)
    return planes(there - absent, intercept, possible(state.weight, priors))


def multinomial(state: State, alpha: Alpha) -> Array:
    """Return log θ, ``θ = (count + α) / Σ (count + α)``: which feature a class draws how often."""
    smooth = state.sums + alpha
    return log_parts(smooth, smooth.sum(axis=1, keepdims=True), 1 / smooth.shape[1])


def multinomial_planes(state: State, alpha: Alpha, priors: Array) -> Planes:
    """Return the hyperplanes ``w = log θ``, ``b = log π``."""
    logs = finite(multinomial(state, alpha))
    return planes(logs, log_priors(priors), possible(state.weight, priors))


def complement(state: State, alpha: Alpha, norm: bool) -> Array:
    """Return ``−log θ̄``, where ``θ̄ = (count + α) / Σ (count + α)`` counts in all other classes.

    With ``norm`` each class's weights are divided by the sum of their sizes.
    """
    rest = np.maximum(state.sums.sum(axis=0) - state.sums, 0.0) + alpha
    logs = log_parts(rest, rest.sum(axis=1, keepdims=True), 1 / rest.shape[1])
    if not norm:
        return -logs
    sizes = finite(logs)
    total = sizes.sum(axis=1, keepdims=True)
    return np.where(total < 0, sizes / np.where(total < 0, total, 1.0), 0.0)


def complement_planes(state: State, alpha: Alpha, norm: bool, priors: Array) -> Planes:
    """Return the hyperplanes ``w = −log θ̄``, ``b = 0``."""
    weights = -finite(-complement(state, alpha, norm))
    return planes(weights, np.zeros(len(weights)), possible(state.weight, priors))


def finite(logs: Array) -> Array:
    """Put a finite number for log 0, so that there is a hyperplane still.

    It stands for ``log α`` as α goes to zero: of two classes the one is chosen whose features are
    impossible less often, and only then do the other ones decide.
    """
    return np.where(np.isneginf(logs), IMPOSSIBLE, logs)


def joint_counts(log_prob: Array, constant: Array, rows: Rows) -> Array:
    """Return ``constant + X · log_probᵀ``, where zero times an infinite logarithm is zero."""
    shape = (-1, len(log_prob))
    endless = np.isinf(log_prob)
    usual = np.where(endless, 0.0, log_prob)
    scores = linear_scores(usual, np.zeros(len(usual)), rows).reshape(shape)
    if endless.any():
        hits = linear_scores(endless.astype(np.float64), np.zeros(len(usual)), rows)
        scores[hits.reshape(shape) > 0] = log_prob[endless][0]
    with np.errstate(invalid="ignore"):  # a class that is ruled out stays so
        return np.where(np.isneginf(constant), -np.inf, scores + constant)


def joint_bernoulli(log_prob: Array, constant: Array, rows: Rows, limit: float) -> Array:
    """Return ``constant + Σ log p + Σ log (1 − p)``, over what is there and what is not."""
    with np.errstate(divide="ignore"):
        absent = np.log1p(-np.exp(log_prob))
    shape, never, always = (-1, len(log_prob)), np.isneginf(log_prob), np.isneginf(absent)
    there, gone = np.where(never, 0.0, log_prob), np.where(always, 0.0, absent)
    scores = linear_scores(there - gone, gone.sum(axis=1), rows, limit).reshape(shape)
    if never.any() or always.any():
        weights = never.astype(np.float64) - always
        hits = linear_scores(weights, always.sum(axis=1).astype(np.float64), rows, limit)
        scores[hits.reshape(shape) > 0] = -np.inf
    return scores + constant


def joint_gaussian(means: Array, variance: Array, constant: Array, X: Any) -> Array:
    """Return ``constant − ½ Σ (x − m)²/v − ½ Σ log 2πv`` for rows, or a sparse matrix of them."""
    middle = means.mean(axis=0)
    coef = (means - middle) / variance
    intercept = -0.5 * (coef * (means + middle)).sum(axis=1)
    if sp.issparse(X):
        far = X.multiply(X) @ (1 / variance) - 2 * (X @ (middle / variance))
        far = np.asarray(far).ravel() + (middle**2 / variance).sum()
    else:
        far = ((X - middle) ** 2 / variance).sum(axis=1)
    constant = constant - 0.5 * np.log(2 * np.pi * variance).sum()
    return np.asarray(X @ coef.T + (intercept + constant) - 0.5 * far[:, None])


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
