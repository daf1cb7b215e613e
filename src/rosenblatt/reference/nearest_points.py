"""Nearest points of convex hulls (Wolfe 1976), in plain NumPy."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def nearest_points(Z: Array, groups: NDArray[np.intp]) -> tuple[list[int], Array]:
    """Return rows and weights, of sum one in each group, that make ``‖Σ λ_i z_i‖`` least.

    With z = y·x and a group for each class, that is the distance of the two hulls.

    >>> Z = np.array([[2.0, 1.0], [2.0, -1.0], [1.0, 0.0]])  # y·x of (2, 1)+, (2, −1)+, (−1, 0)−
    >>> rows, weights = nearest_points(Z, np.array([1, 1, 0]))
    >>> sorted(rows), np.round(weights @ Z[rows], 9).tolist()
    ([0, 1, 2], [3.0, 0.0])
    """
    corral = [int(np.flatnonzero(groups == g)[0]) for g in np.unique(groups)]
    weights = np.ones(len(corral))
    while True:
        w = weights @ Z[corral]
        scores = Z @ w
        beyond = [
            (weights[groups[corral] == g] @ scores[corral][groups[corral] == g] - scores[i], i)
            for g in np.unique(groups)
            for i in [int(np.flatnonzero(groups == g)[np.argmin(scores[groups == g])])]
        ]
        gap, new = max(beyond)
        if gap <= 1e-9 * (w @ w) or w @ w <= 1e-24 or new in corral:
            return corral, weights
        corral, weights = [*corral, new], np.append(weights, 0.0)
        while True:
            target = affine_weights(Z[corral], groups[corral])
            if target.min() > 0:
                weights = target
                break
            falling = target < weights
            step = np.min(weights[falling] / (weights - target)[falling])
            weights = weights + step * (target - weights)
            keep = weights > 1e-14
            corral, weights = [i for i, k in zip(corral, keep, strict=True) if k], weights[keep]


def affine_weights(Z: Array, groups: NDArray[np.intp]) -> Array:
    """Return the weights, of any sign, that make ``‖Σ λ_i z_i‖`` least: a linear system."""
    E = (groups == np.unique(groups)[:, None]).astype(float)
    k, m = len(Z), len(E)
    system = np.block([[Z @ Z.T, E.T], [E, np.zeros((m, m))]])
    solution = np.linalg.lstsq(system, np.append(np.zeros(k), np.ones(m)), rcond=None)[0]
    return np.asarray(solution[:k])
