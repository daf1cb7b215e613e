"""Naive Bayes as hyperplanes: ``log π_k + Σ_j log p(x_j | k)``, linear in x.

Bernoulli and multinomial come from `counts`, and the Gaussian one, whose variances all classes
share, from `moments`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, weights_or_empty
from rosenblatt.kernels.moments import add_sums
from rosenblatt.kernels.scoring import add_binary_sums
from rosenblatt.learners.blocks import each_block, part
from rosenblatt.learners.closed_form import moments
from rosenblatt.learners.closed_form.moments import merged_columns
from rosenblatt.learners.closed_form.planes import Planes, log_priors, planes, possible


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


def bernoulli(state: State, alpha: float) -> tuple[Array, Array]:
    """Return log p and log (1 − p): the probabilities that a feature is there, and that it is not.

    ``p = (count + α) / (n_k + 2α)``.
    """
    total = np.log(state.weight + 2 * alpha)[:, None]
    absent = state.weight[:, None] - state.sums
    # Of weights with fractions, rounding may leave a little less than nothing.
    absent = np.log(np.maximum(absent, 0.0) + alpha) - total
    return np.log(state.sums + alpha) - total, absent


def bernoulli_planes(state: State, alpha: float, priors: Array) -> Planes:
    """Return the hyperplanes ``w = log p − log (1 − p)``, ``b = Σ log (1 − p) + log π``."""
    there, absent = bernoulli(state, alpha)
    intercept = absent.sum(axis=1) + log_priors(priors)
    return planes(there - absent, intercept, possible(state.weight, priors))


def multinomial(state: State, alpha: float) -> Array:
    """Return log θ, ``θ = (count + α) / Σ (count + α)``: which feature a class draws how often."""
    smooth = state.sums + alpha
    return np.asarray(np.log(smooth) - np.log(smooth.sum(axis=1, keepdims=True)))


def multinomial_planes(state: State, alpha: float, priors: Array) -> Planes:
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
