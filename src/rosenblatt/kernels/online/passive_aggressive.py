"""The steps of passive-aggressive learning (Crammer et al. 2006): ``w += τ y x``.

τ is the loss over the squared length of the row: at most C (PA-I), or damped by it (PA-II). A row
of weight ½ moves half as far. One of weight 2 moves as two in a row would: C counts twice, and no
step goes beyond the margin.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.descent import length
from rosenblatt.kernels.jit import exact_jit, jit
from rosenblatt.kernels.overflow import finite, harmless, stays_finite
from rosenblatt.kernels.rows import add

PA_I, PA_II = 0, 1


class Aggressive(NamedTuple):
    """C times the weight of the row, which of the two variants, and the share of a step."""

    C: float
    variant: int
    share: float = 1.0


@exact_jit
def step_size(size: float, gap: float, functions: Any, rule: Any) -> float:
    """Return τ for a squared length and a loss; infinity if so long a row leaves no step."""
    gap *= rule.share
    tau = gap / (size + 0.5 / rule.C) if rule.variant == PA_II else min(rule.C, gap / size)
    return tau if size < harmless(functions.weights) else np.inf


@jit
def pa_step(rows: Any, i: int, y: float, gap: float, functions: Any, rule: Any) -> int:
    """Move the one function of two classes; return 1, 0 if nothing can move, or −1 on overflow.

    The intercept is the weight of a feature that is always 1.
    """
    size = length(rows, i) + functions.bias
    if size == 0:
        return 0
    w, b = functions.weights[0], functions.intercept[0]
    tau = step_size(size, gap, functions, rule)
    step = w.dtype.type(tau * y)
    large = tau * np.sqrt(size) >= harmless(w)
    if not finite(step) or (large and not stays_finite(rows, i, step, w, b)):
        return -1
    add(rows, i, step, w)
    functions.intercept[0] += step * functions.bias
    return 1


@jit
def pa_step_between(
    rows: Any, i: int, right: int, wrong: int, gap: float, functions: Any, rule: Any
) -> int:
    """Move the functions of the right class and of its best rival; the result is `pa_step`'s."""
    size = length(rows, i) + functions.bias
    if size == 0:
        return 0
    weights, intercept = functions.weights, functions.intercept
    tau = step_size(2 * size, gap, functions, rule)
    step = weights.dtype.type(tau)
    if not finite(step):
        return -1
    if tau * np.sqrt(size) >= harmless(weights):
        fits = stays_finite(rows, i, step, weights[right], intercept[right])
        if not (fits and stays_finite(rows, i, -step, weights[wrong], intercept[wrong])):
            return -1
    add(rows, i, step, weights[right])
    add(rows, i, -step, weights[wrong])
    intercept[right] += step * functions.bias
    intercept[wrong] -= step * functions.bias
    return 1
