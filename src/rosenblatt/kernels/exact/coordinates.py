"""Coordinate descent on a quadratic function plus an L1 penalty: what proximal Newton steps need.

A visit to a weight puts it where the function is lowest along it, at zero if it wants to pass. Two
ways to know the slopes: `sweep_products` keeps all of them, by the matrix of the function, at d
numbers for each weight that moves; `sweep_columns` computes each from its column when its turn
comes, which is for many features.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.rows import add, dot


@jit
def lowest(at: float, slope: float, curvature: float, l1: float) -> Any:
    """Return where ``slope · (v − at) + curvature/2 · (v − at)² + l1 · |v|`` is lowest."""
    if curvature <= 0:  # a column of zeros
        return 0.0 if l1 > 0 else at
    free = curvature * at - slope
    if abs(free) <= l1:
        return 0.0
    return (free - np.copysign(l1, free)) / curvature


@jit
def sweep_products(matrix: Any, l1: float, nonzero: bool, slopes: Any, at: Any) -> float:
    """Visit all weights, or those that are not zero; return by how much that lowers the function.

    ``slopes`` are those of the quadratic function, and are kept up to date. The decrease is what
    parabolas promise, at least.
    """
    gain = 0.0
    for j in range(at.shape[0]):
        if nonzero and at[j] == 0:
            continue
        curvature = matrix[j, j]
        change = lowest(at[j], slopes[j], curvature, l1) - at[j]
        if change != 0:
            at[j] += change
            gain += 0.5 * curvature * change * change
            line = matrix[j]
            for k in range(at.shape[0]):
                slopes[k] += change * line[k]
    return gain


@jit
def sweep_columns(
    columns: Any, curvatures: Any, pulls: Any, l1: float, l2: float, nonzero: bool,
    slopes: Any, start: Any, at: Any, moved: Any, shift: Any,
) -> float:  # fmt: skip
    """Do what `sweep_products` does for the matrix ``ZᵀZ + l2``, by the columns of Z.

    ``slopes`` are those at ``start``, and ``moved`` is Z times how far the weights are from there.
    Columns that cannot be centred in place are centred in passing: ``pulls`` are their scalar
    products with the intercept's column, and ``shift`` what the weights moved of their mean.
    """
    gain = 0.0
    length = pulls[at.shape[0]]
    for j in range(at.shape[0]):
        if nonzero and at[j] == 0:
            continue
        slope = slopes[j] + dot(columns, j, moved) + l2 * (at[j] - start[j])
        if length > 0:
            slope -= pulls[j] * shift[0]
        change = lowest(at[j], slope, curvatures[j], l1) - at[j]
        if change != 0:
            at[j] += change
            gain += 0.5 * curvatures[j] * change * change
            add(columns, j, change, moved)
            if length > 0:
                shift[0] += change * pulls[j] / length
    return gain
