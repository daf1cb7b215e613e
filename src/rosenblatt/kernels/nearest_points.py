"""Nearest points of two convex hulls, or the point of one hull nearest to the origin.

Find weights λ ≥ 0 that sum to one within each group and make ``‖Σ λ_i z_i‖`` least. With
``z = y·x`` and one group for each class, ``Σ λ_i z_i`` joins the nearest points of the two hulls;
with one group it is the nearest point of one hull to the origin. This is Wolfe's method (1976): a
few points with positive weights, the corral, whose affine hull's nearest point is found by solving
equations; a point beyond it joins, and those whose weight would fall below zero leave.

The triangle R of the corral's points is kept, with a coordinate for each group appended to them,
so that adding and removing a point costs a square and not a cube.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.overflow import finite

OPTIMAL, ORIGIN, STALLED, MORE = 0, 1, 2, 3
DEPENDENT = 1e-11  # the share of a point's length that is new to the corral, to count as new


class Corral(NamedTuple):
    """Points (row numbers) with their weights, the triangle R, and buffers for vectors.

    ``sigma`` is the size of the group coordinates, near the points' own.
    """

    rows: Any
    weights: Any
    triangle: Any
    sum: Any
    target: Any
    column: Any
    correction: Any
    residual: Any
    sigma: float


def corral(n_features: int, n_points: int, sigma: float) -> Corral:
    """Allocate space for so many independent points, and one more."""
    size = n_points + 1
    numbers = [np.zeros(size) for _ in range(4)]
    return Corral(
        np.zeros(size, np.intp),
        numbers[0],
        np.zeros((size, size)),
        np.zeros(n_features),
        numbers[1],
        numbers[2],
        numbers[3],
        np.zeros(n_features),
        sigma,
    )


@jit
def inner(Z: Any, group: Any, i: int, j: int, sigma: float) -> float:
    """Multiply two points, group coordinates included."""
    total = sigma * sigma if group[i] == group[j] else 0.0
    for c in range(Z.shape[1]):
        total += Z[i, c] * Z[j, c]
    return total


@jit
def solve_lower(R: Any, k: int, v: Any) -> None:
    """Do ``v = R⁻ᵀ v``."""
    for i in range(k):
        total = v[i]
        v[i] = total / R[i, i]
        for j in range(i + 1, k):
            v[j] -= R[i, j] * v[i]


@jit
def solve_upper(R: Any, k: int, v: Any) -> None:
    """Do ``v = R⁻¹ v``."""
    for i in range(k - 1, -1, -1):
        total = v[i]
        for j in range(i + 1, k):
            total -= R[i, j] * v[j]
        v[i] = total / R[i, i]


@jit
def multiply_sum(Z: Any, state: Any, k: int) -> float:
    """Fill ``sum = Σ λ_i z_i``; return its squared length."""
    w = state.sum
    w[:] = 0
    for i in range(k):
        z, weight = Z[state.rows[i]], state.weights[i]
        for c in range(w.shape[0]):
            w[c] += weight * z[c]
    total = 0.0
    for c in range(w.shape[0]):
        total += w[c] * w[c]
    return total


@jit
def express(Z: Any, group: Any, state: Any, k: int, new: int) -> float:
    """Write a point as a combination of the corral's: ``column`` holds R times it.

    Return the length of what is left. Solved twice, the second time for what the first left
    over, so that squaring the points in R costs no digits.
    """
    R, u, v, rest = state.triangle, state.target, state.correction, state.residual
    u[:k] = 0
    state.column[:k] = 0
    rest[:] = Z[new]
    own = state.sigma if group[new] == 0 else 0.0
    other = state.sigma if group[new] == 1 else 0.0
    for _ in range(2):
        for i in range(k):
            row = state.rows[i]
            total = state.sigma * (own if group[row] == 0 else other)
            for c in range(rest.shape[0]):
                total += Z[row, c] * rest[c]
            v[i] = total
        solve_lower(R, k, v)
        for i in range(k):
            state.column[i] += v[i]
        solve_upper(R, k, v)
        for i in range(k):
            row, part = state.rows[i], v[i]
            u[i] += part
            for c in range(rest.shape[0]):
                rest[c] -= part * Z[row, c]
            if group[row] == 0:
                own -= part * state.sigma
            else:
                other -= part * state.sigma
    total = own * own + other * other
    for c in range(rest.shape[0]):
        total += rest[c] * rest[c]
    return float(np.sqrt(total))


@jit
def remove(state: Any, k: int, at: int) -> int:
    """Take the point at a place out of the corral, and make R a triangle again by rotations."""
    R = state.triangle
    for i in range(at, k - 1):
        state.rows[i] = state.rows[i + 1]
        state.weights[i] = state.weights[i + 1]
    for j in range(at, k - 1):
        for i in range(j + 2):
            R[i, j] = R[i, j + 1]
        a, b = R[j, j], R[j + 1, j]
        size = np.hypot(a, b)
        if size == 0.0:
            continue
        cosine, sine = a / size, b / size
        R[j, j], R[j + 1, j] = size, 0.0
        for c in range(j + 2, k):
            above, below = R[j, c], R[j + 1, c]
            R[j, c] = cosine * above + sine * below
            R[j + 1, c] = cosine * below - sine * above
    return k - 1


@jit
def affine_weights(state: Any, group: Any, k: int, n_groups: int) -> None:
    """Fill ``target`` with the weights, of any sign, of the affine hull's nearest point.

    They solve ``RᵀR λ = Eᵀμ`` with ``E λ = 1``, E telling the groups apart.
    """
    R, first, second = state.triangle, state.target, state.correction
    for i in range(k):
        first[i] = 1.0 if group[state.rows[i]] == 0 else 0.0
        second[i] = 1.0 - first[i]
    solve_lower(R, k, first)
    if n_groups == 1:
        total = 0.0
        for i in range(k):
            total += first[i] * first[i]
        for i in range(k):
            first[i] /= total
    else:
        solve_lower(R, k, second)
        ff = ss = fs = 0.0
        for i in range(k):
            ff += first[i] * first[i]
            ss += second[i] * second[i]
            fs += first[i] * second[i]
        determinant = ff * ss - fs * fs
        for i in range(k):
            first[i] = ((ss - fs) * first[i] + (ff - fs) * second[i]) / determinant
    solve_upper(R, k, first)


@jit
def step_towards(state: Any, k: int, direction: bool) -> int:
    """Move the weights to ``target``, or along it; stop where one reaches zero and take that out.

    Return the size of the corral after it.
    """
    length, at = np.inf, -1
    for i in range(k):
        change = state.target[i] if direction else state.target[i] - state.weights[i]
        low = change < 0 if direction else state.target[i] <= 0
        if low and -state.weights[i] / change < length:
            length, at = -state.weights[i] / change, i
    if at < 0:
        if not direction:
            for i in range(k):
                state.weights[i] = state.target[i]
        return k
    for i in range(k):
        change = state.target[i] if direction else state.target[i] - state.weights[i]
        state.weights[i] = max(state.weights[i] + length * change, 0.0)
    return remove(state, k, at)


@jit
def enter(Z: Any, group: Any, state: Any, k: int, new: int) -> int:
    """Let a point into the corral; return its size, or −1 if numbers allow no more."""
    size = np.sqrt(inner(Z, group, new, new, state.sigma))
    weight = 0.0
    if k:
        left = express(Z, group, state, k, new)
        if left <= DEPENDENT * size or k == state.rows.shape[0] - 1:
            # It is a combination of the others, z = Σ u_i z_i: shift weight from those onto it
            # until one of them is used up. The sum stays what it is.
            for i in range(k):
                state.target[i] = -state.target[i]
            length = np.inf
            for i in range(k):
                if state.target[i] < 0:
                    length = min(length, -state.weights[i] / state.target[i])
            if not finite(length):
                return -1
            k = step_towards(state, k, True)
            weight = length
            left = express(Z, group, state, k, new)
            if left <= DEPENDENT * size:
                return -1
    else:
        left = size
    for i in range(k):
        state.triangle[i, k] = state.column[i]
    state.triangle[k, k] = left
    state.rows[k], state.weights[k] = new, weight
    return k + 1


@jit
def nearest(
    Z: Any, group: Any, n_groups: int, state: Any, k: int, steps: int, tol: float, zero: float
) -> tuple[int, int]:
    """Go on from a corral of k points until no point lies beyond, for at most so many steps.

    Return its size, and how it ended: OPTIMAL (within tol), ORIGIN (the sum is shorter than
    ``zero``), STALLED (rounding allows no more), or MORE. ``sum`` is up to date then.
    """
    for _ in range(steps):
        squared = multiply_sum(Z, state, k)
        if np.sqrt(squared) <= zero:
            return k, ORIGIN
        worst, new = 0.0, -1
        own = np.zeros(n_groups)
        for i in range(k):
            row, total = state.rows[i], 0.0
            for c in range(Z.shape[1]):
                total += Z[row, c] * state.sum[c]
            own[group[row]] += state.weights[i] * total
        least, at = own.copy(), np.full(n_groups, -1)
        for i in range(Z.shape[0]):
            total = 0.0
            for c in range(Z.shape[1]):
                total += Z[i, c] * state.sum[c]
            if total < least[group[i]]:
                least[group[i]], at[group[i]] = total, i
        gap = 0.0
        for g in range(n_groups):
            gap += own[g] - least[g]
            if own[g] - least[g] > worst:
                worst, new = own[g] - least[g], at[g]
        if gap <= tol * squared:
            return k, OPTIMAL
        for i in range(k):
            if state.rows[i] == new:
                return k, STALLED
        grown = enter(Z, group, state, k, new)
        if grown < 0:
            return k, STALLED
        k = grown
        for _ in range(k):
            affine_weights(state, group, k, n_groups)
            kept = step_towards(state, k, False)
            if kept == k:
                break
            k = kept
    multiply_sum(Z, state, k)
    return k, MORE
