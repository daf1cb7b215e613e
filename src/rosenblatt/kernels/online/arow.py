"""The steps of AROW (Crammer, Kulesza and Dredze 2009), with a variance for each weight.

``w += α y V x`` with ``α = loss / (Σ V x² + r)``, then ``1/V += x²/r``. What is stored is the
evidence ``1/V − 1``: zero for a weight that never moved, so that new features and classes start
with variance 1.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, exact_jit, jit
from rosenblatt.kernels.numba_api import overload
from rosenblatt.kernels.overflow import finite, harmless

_OPTIONS = {"fastmath": FASTMATH}
LEAST = float(np.finfo(np.float64).tiny)  # a number whose inverse is finite


class Confidence(NamedTuple):
    """The evidence for weights and intercepts, which grows in place, and r."""

    evidence: Any
    evidence_intercept: Any
    r: float


def uncertainty(rows: Any, i: int, evidence: Any) -> float:
    """Return the variance of a row's score, ``Σ V x²``."""
    raise TypeError("for compiled code only")


@overload(uncertainty, jit_options=_OPTIONS)
def _uncertainty(rows, i, evidence):
    if rows.instance_class is Dense:

        def dense(rows, i, evidence):
            x = rows.values[np.uintp(i)]
            total = evidence.dtype.type(0)
            one = evidence.dtype.type(1)
            for j in range(evidence.shape[0]):
                total += x[j] * (x[j] / (one + evidence[j]))
            return total

        return dense

    return lambda rows, i, evidence: sparse_uncertainty(rows, i, evidence)


@exact_jit
def sparse_uncertainty(rows: Any, i: int, evidence: Any) -> float:
    """Do so for CSR rows. It rounds as IEEE 754 says, to the same bits in every loop."""
    row = np.uintp(i)
    total = evidence.dtype.type(0)
    one = evidence.dtype.type(1)
    for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
        x = rows.values[k]
        total += x * (x / (one + evidence[np.uintp(rows.indices[k])]))
    return float(total)


def move(rows: Any, i: int, step: float, precision: float, w: Any, evidence: Any) -> None:
    """Do ``w += step · V x_i``, then ``evidence += precision · x_i²``."""
    raise TypeError("for compiled code only")


@overload(move, jit_options=_OPTIONS)
def _move(rows, i, step, precision, w, evidence):
    if rows.instance_class is Dense:

        def dense(rows, i, step, precision, w, evidence):
            x, most = rows.values[np.uintp(i)], harmless(evidence)
            for j in range(w.shape[0]):
                w[j] += step * (x[j] / (1.0 + evidence[j]))
                evidence[j] = min(evidence[j] + precision * x[j] * x[j], most)

        return dense

    def sparse(rows, i, step, precision, w, evidence):
        sparse_move(rows, i, step, precision, w, evidence)

    return sparse


@exact_jit
def sparse_move(rows: Any, i: int, step: float, precision: float, w: Any, evidence: Any) -> None:
    """Do so for CSR rows, to the same bits in every loop."""
    row, most = np.uintp(i), harmless(evidence)
    for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
        x, j = rows.values[k], np.uintp(rows.indices[k])
        w[j] += step * (x / (1.0 + evidence[j]))
        evidence[j] = min(evidence[j] + precision * x * x, most)


@exact_jit
def variance_of(rows: Any, i: int, k: int, functions: Any, rule: Any) -> float:
    """Return the variance of a row's score for one function, that of the intercept included."""
    variance: float = functions.bias / (1.0 + rule.evidence_intercept[k])
    return variance + np.float64(uncertainty(rows, i, rule.evidence[k]))


@exact_jit
def move_function(rows: Any, i: int, k: int, step: float, functions: Any, rule: Any) -> None:
    """Move one function, and be surer of it."""
    precision, known = 1.0 / rule.r, rule.evidence_intercept[k]
    move(rows, i, step, precision, functions.weights[k], rule.evidence[k])
    if functions.bias > 0:
        functions.intercept[k] += step / (1.0 + known)
        rule.evidence_intercept[k] = min(known + precision, harmless(rule.evidence))


@exact_jit
def step_size(variance: float, gap: float, functions: Any, rule: Any) -> float:
    """Return α; infinity if a number could overflow.

    A weight moves by ``loss · V x / (V x² + … + r)``, which is at most ``loss / 2√r`` where V ≤ 1.
    """
    alpha = gap / (variance + rule.r)
    fits = finite(variance) and gap * 0.5 / np.sqrt(rule.r) < harmless(functions.weights)
    return alpha if fits else np.inf


@jit
def arow_step(rows: Any, i: int, y: float, gap: float, functions: Any, rule: Any) -> int:
    """Move the one function of two classes; return 1, 0 if nothing can move, or −1 on overflow.

    The intercept is the weight of a feature that is always 1.
    """
    variance = variance_of(rows, i, 0, functions, rule)
    if variance == 0:
        return 0
    alpha = step_size(variance, gap, functions, rule)
    if not finite(alpha):
        return -1
    move_function(rows, i, 0, alpha * y, functions, rule)
    return 1


@jit
def arow_step_between(
    rows: Any, i: int, right: int, wrong: int, gap: float, functions: Any, rule: Any
) -> int:
    """Move the functions of the right class and of its best rival; the result is `arow_step`'s."""
    variance = variance_of(rows, i, right, functions, rule)
    variance += variance_of(rows, i, wrong, functions, rule)
    if variance == 0:
        return 0
    alpha = step_size(variance, gap, functions, rule)
    if not finite(alpha):
        return -1
    move_function(rows, i, right, alpha, functions, rule)
    move_function(rows, i, wrong, -alpha, functions, rule)
    return 1
