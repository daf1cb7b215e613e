"""Do a few points of two classes have a point in common in their hulls? Proofs, not tolerances.

With an intercept the question is for weights λ > 0 with ``Σ λ_i y_i x_i = 0`` and
``Σ λ_i y_i = 0``: a null vector of a small matrix. Where the points are as many as can be
independent and one more, there is only one, up to its length.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array, as_matrix, take
from rosenblatt.theory import exact
from rosenblatt.theory.exact import Whole
from rosenblatt.theory.problem import Problem, dense_rows

SECONDS = 60.0
PRECISE = 1e-10


class Weights(NamedTuple):
    """Weights to double precision, and how far they can be from the true ones.

    That true ones exist, and are positive, is proved.
    """

    weights: Array
    error: float


def common_point(problem: Problem, points: Array, patient: bool = False) -> Weights | None:
    """Find the positive weights that put one point into both hulls; None if there are none.

    Without an intercept the hull is that of all y·x, and the point is the origin. None also if it
    would take very long to find out, unless one is patient.
    """
    signs = problem.y[points]
    if problem.fit_intercept and len(set(signs.tolist())) < 2:
        return None
    A = _system(problem, points)
    proved = _enclosed(A) if len(A) == len(points) - 1 else None
    if proved is not None:
        if np.any(proved[0] < -2 * proved[1]):
            return None  # the only solution has a negative weight
        if not np.all(proved[0] > 2 * proved[1]):
            proved = None
        elif proved[1] <= PRECISE:
            return _normalized(problem, signs, *proved)
    whole = _whole_system(A)
    if patient or affordable(whole):
        weights = _solved(whole)
        if weights is None:
            return None
        floats = np.array([exact.decimals(w) for w in weights])
        return _normalized(problem, signs, floats, 0.0)
    return None if proved is None else _normalized(problem, signs, *proved)


def exact_weights(problem: Problem, points: Array) -> list[Fraction] | None:
    """Return the weights as fractions; None if they are not positive, or not the only ones."""
    weights = _solved(_whole_system(_system(problem, points)))
    if weights is None:
        return None
    signs = problem.y[points]
    share = sum(
        w for w, s in zip(weights, signs, strict=True) if s > 0 or not problem.fit_intercept
    )
    return [w / share for w in weights]


def _system(problem: Problem, points: Array) -> Array:
    """Write down the equations, a column for each point; features that say nothing are left out.

    A feature that all points share is the intercept's equation again; one that is zero is none.
    """
    values = dense_rows(problem, points)[0]
    if problem.fit_intercept:
        values = values[:, (values != values[0]).any(axis=0)]
        values = np.column_stack([values, np.ones(len(points))])
    else:
        values = values[:, (values != 0).any(axis=0)]
    return values.T * problem.y[points]


def _whole_system(A: Array) -> Whole:
    """Write each equation in whole numbers, as small as they go."""
    rows = [exact.shortest(exact.whole(row)[0]) for row in A]
    return np.array(rows, object).reshape(A.shape)


def affordable(matrix: Whole) -> bool:
    """Guess whether solving exactly takes less than a minute."""
    bits = max((int(v).bit_length() for v in matrix.ravel()), default=1)
    return seconds(matrix.shape[1], bits) < SECONDS


def seconds(k: int, bits: int) -> float:
    """Guess how long it takes to solve for k unknowns exactly, of numbers with this many bits.

    Measured: 2.5 s for 300 unknowns and floats of a like size (53 bits).
    """
    return float(2.5 * (k / 300) ** 3.3 * (bits / 53) ** 2)


def _solved(matrix: Whole) -> list[Fraction] | None:
    """Solve exactly: the null vector if there is just one and it is positive, else None."""
    k = matrix.shape[1]
    # The rank modulo a prime is never too large, and almost never too small.
    found = (exact.pivots(matrix, prime) for prime in exact.PRIMES)
    rows = next((rows for rows, _ in found if len(rows) >= k - 1), [])
    if len(rows) != k - 1:
        return None
    numbers = exact.null_vector(matrix[rows])
    if numbers is None:
        return None
    numbers = numbers if numbers[0] > 0 else -numbers
    if (numbers <= 0).any() or matrix.dot(numbers).any():
        return None
    total = int(numbers.sum())
    return [Fraction(int(v), total) for v in numbers]


def _enclosed(A: Array) -> tuple[Array, float] | None:
    """Solve one equation fewer than unknowns in floating point, with a bound on the error.

    Fix the largest unknown at one and call the others' matrix B. If R is near its inverse,
    ``‖I − RB‖ = α < 1``, then B is regular and a solution x is off by at most
    ``‖R·(b − Bx)‖/(1 − α)`` (Rump 1983), every rounding error counted.
    """
    n = A.shape[1] - 1
    if n == 0:
        return None
    scale = np.frexp(np.abs(A).max(axis=1))[1]
    with np.errstate(all="ignore"):
        scaled = np.ldexp(A, -scale[:, None])
        if not np.array_equal(np.ldexp(scaled, scale[:, None]), A):
            return None  # numbers of very different size lost digits
        last = int(np.abs(np.linalg.qr(scaled.T, mode="complete")[0][:, -1]).argmax())
        B, b = np.delete(scaled, last, axis=1), -scaled[:, last]
        try:
            R = np.linalg.inv(B)
        except np.linalg.LinAlgError:
            return None
        # More digits, where the machine has them, for what is left when x is put in.
        long_B, long_b, x = B.astype(np.longdouble), b.astype(np.longdouble), R @ b
        for _ in range(3):
            x = x + R @ (long_b - long_B @ x).astype(np.float64)
        unit = 2.0**-52 * (n + 8)  # twice what a sum of as many products can be off by
        long_unit = float(np.finfo(np.longdouble).eps) * (n + 8)
        alpha = np.abs(np.eye(n) - R @ B) + unit * (np.abs(R) @ np.abs(B) + np.eye(n))
        alpha = alpha.sum(axis=1).max() * (1 + unit)
        residual = np.abs(long_b - long_B @ x).astype(np.float64) * (1 + unit)
        residual += long_unit * (np.abs(B) @ np.abs(x).astype(np.float64) + np.abs(b)) + 1e-300
        error = (np.abs(R) @ residual).max() * (1 + unit) / (1 - alpha) if alpha < 0.5 else np.inf
        if not (np.isfinite(error) and alpha < 0.5):
            return None
    largest = max(float(np.abs(x).max()), 1.0)
    x = np.insert(x.astype(np.float64), last, 1.0) / largest
    return x, float(error) / largest + 2.0**-51


def _normalized(problem: Problem, signs: Array, weights: Array, error: float) -> Weights:
    """Make the weights of each class sum to one; without an intercept, all of them."""
    positive = weights[signs > 0].sum() if problem.fit_intercept else weights.sum()
    weights = weights / positive
    if problem.fit_intercept:
        weights[signs < 0] /= weights[signs < 0].sum()
    return Weights(weights, 4 * error / positive + 1e-15 * len(weights))


def residual(problem: Problem, points: Array, weights: Array) -> float:
    """Return how far apart the two points are that the weights single out.

    It is a share of the largest range that a feature has among these points; without an intercept,
    of the largest number.
    """
    part = take(problem.rows, points)
    X = as_matrix(part, problem.n_features).astype(np.float64, copy=False)
    signed = weights * problem.y[points]
    apart = np.append(X.T @ signed, signed.sum() if problem.fit_intercept else 0.0)
    if problem.fit_intercept:
        span = X.max(axis=0) - X.min(axis=0)
        size = float((span.toarray() if sp.issparse(span) else span).max())
    else:
        size = float(np.abs(part.values).max(initial=0.0))
    return max(float(np.linalg.norm(apart)) / (size or 1.0), np.finfo(np.float64).eps)
