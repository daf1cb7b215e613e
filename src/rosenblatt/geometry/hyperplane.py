"""Hyperplanes: the points where ``w·x + b = 0``, and the half-spaces on their two sides.

Also the canonical form of decks A, B and E: ``x → (1, x)``, ``w → (b, w)``, so that ``w·x + b`` is
one dot product. Deck E writes the offset as ``β = −b``.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]


def length(vectors: Array) -> Array:
    """Return the Euclidean length along the last axis, which stays with length one.

    The largest number is divided out first, so that no square overflows or vanishes.
    """
    largest = np.abs(vectors).max(axis=-1, keepdims=True).astype(np.float64)
    scaled = vectors / np.where(largest > 0, largest, 1.0)
    return np.asarray(largest * np.linalg.norm(scaled, axis=-1, keepdims=True))


def projection(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the projection of a onto b, ``(a·b/‖b‖²) b``.

    Parameters
    ----------
    a : array of shape (n_features,) or (n, n_features)
        What is projected: a vector, or one in each row.
    b : array of shape (n_features,)
        Onto what; its length does not matter.

    Returns
    -------
    array
        Of the shape of a.

    Examples
    --------
    >>> projection([0.37, 0.73], [0.8, 0.6]).round(4).tolist()  # 0.734 times the unit vector
    [0.5872, 0.4404]
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    if not np.any(b):
        raise ValueError("a vector of zeros has no direction to project onto")
    unit = b / length(b)
    return np.asarray((a @ unit)[..., None] * unit)


@dataclass(frozen=True, eq=False, repr=False)
class Hyperplane:
    """One hyperplane ``w·x + b = 0``, or K of them.

    Parameters
    ----------
    normal : array of shape (n_features,) or (K, n_features)
        w, which the plane is perpendicular to and points into its positive half-space.
    offset : float or array of shape (K,)
        b. A positive one moves the plane against w. Deck E writes β = −b.

    Examples
    --------
    Deck E's nearest centroid classifier, which cuts the axes at 2.75 and 5.5:

    >>> plane = Hyperplane([2.0, 1.0], -5.5)
    >>> plane.score([[2.75, 0.0], [0.0, 5.5]]).tolist()
    [0.0, 0.0]
    >>> plane.side([[1.0, -2.0], [1.0, 4.0], [4.0, 2.0], [2.0, 2.0]]).tolist()
    [-1, 1, 1, 1]
    >>> plane
    Hyperplane([2.0, 1.0], -5.5)
    >>> print(plane)
    2·x1 + 1·x2 − 5.5 = 0
    """

    normal: Array
    offset: Any

    def __post_init__(self) -> None:
        normal, offset = np.asarray(self.normal), np.asarray(self.offset)
        if normal.ndim not in (1, 2) or normal.dtype.kind not in "fiu" or not normal.size:
            raise ValueError(f"normal must be one vector or K of them, got shape {normal.shape}")
        if offset.shape != normal.shape[:-1]:
            raise ValueError(
                f"offset has shape {offset.shape}, but a normal of shape {normal.shape} "
                f"needs {normal.shape[:-1]}"
            )
        if not (np.all(np.isfinite(normal)) and np.all(np.isfinite(offset))):
            raise ValueError("normal and offset must be finite numbers")
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "offset", offset)

    @classmethod
    def from_augmented(cls, weights: ArrayLike) -> Self:
        """Make a plane of canonical weights ``(b, w)``."""
        return cls(*split_weights(weights))

    def augmented(self) -> Array:
        """Return the canonical weights ``(b, w)``."""
        return join_weights(self.normal, self.offset)

    def score(self, X: Any) -> Array:
        """Return ``w·x + b`` for each row, and for each of K planes in a column of its own."""
        X = X if sp.issparse(X) else np.asarray(X)
        return np.asarray(X @ self.normal.T + self.offset)

    def side(self, X: Any) -> Array:
        """Return +1 or −1 for each row, with ``sign(0) = +1``."""
        return np.where(self.score(X) >= 0, 1, -1)

    def signed_distance(self, X: Any) -> Array:
        """Return ``(w·x + b)/‖w‖``: positive on the side that w points to."""
        return self.normalized().score(X)

    def distance_to_origin(self) -> Array:
        """Return ``|b|/‖w‖``."""
        return np.asarray(np.abs(self.normalized().offset))

    def project(self, X: Any) -> Array:
        """Return the point of the plane nearest to each row; for K planes one each."""
        plane = self.normalized()
        points = np.asarray(X.toarray() if sp.issparse(X) else X, float)
        distance = plane.score(points)[..., None]
        if self.normal.ndim == 2:
            points = points[..., None, :]
        return np.asarray(points - distance * plane.normal)

    def normalized(self) -> "Hyperplane":
        """Return the same plane with a normal of length one."""
        size = length(self.normal)
        if not np.all(size):
            raise ValueError("a normal of zeros has no direction: this is not a plane")
        return Hyperplane(self.normal / size, self.offset / size[..., 0])

    def between(self, k: int, j: int) -> "Hyperplane":
        """Return the boundary between classes k and j of K: ``w_k − w_j``, ``b_k − b_j``.

        Its positive side is class k's.
        """
        if self.normal.ndim != 2:
            raise ValueError("there is one plane here, which is itself the boundary of two classes")
        return Hyperplane(self.normal[k] - self.normal[j], self.offset[k] - self.offset[j])

    def __len__(self) -> int:
        return len(self.normal) if self.normal.ndim == 2 else 1

    def __repr__(self) -> str:
        # NumPy would leave digits out, and with many features numbers.
        return f"Hyperplane({self.normal.tolist()}, {self.offset.tolist()})"

    def __str__(self) -> str:
        planes = zip(np.atleast_2d(self.normal), np.atleast_1d(self.offset), strict=True)
        return "\n".join(_formula(w, b) for w, b in planes)


def _formula(w: Array, b: float, most: int = 4) -> str:
    """Write a plane as an equation; of many features, the first few."""
    terms = [f"{_signed(value)}·x{j + 1}" for j, value in enumerate(w[:most])]
    if len(w) > most:
        terms.append(f"+ … ({len(w):,} features)")
    text = " ".join([*terms, _signed(b)]) + " = 0"
    return text[2:] if text.startswith("+") else f"−{text[2:]}"


def _signed(value: float) -> str:
    return f"{'−' if value < 0 else '+'} {abs(value):.4g}"


def augment(X: Any) -> Any:
    """Put a column of ones before the columns of an array or sparse matrix: ``x ↦ (1, x)``.

    With it a hyperplane ``b + w·x = 0`` is one through the origin, of weights ``(b, w)``.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The rows; or a single one.

    Returns
    -------
    array or CSR matrix
        With one more column.

    Examples
    --------
    >>> augment([[3.0, 4.0]]).tolist()
    [[1.0, 3.0, 4.0]]
    """
    if sp.issparse(X):
        return sp.hstack([np.ones((X.shape[0], 1), X.dtype), X], format="csr", dtype=X.dtype)
    X = np.asarray(X)
    return np.concatenate([np.ones((*X.shape[:-1], 1), X.dtype), X], axis=-1)


def join_weights(
    coef: ArrayLike, intercept: ArrayLike = 0.0, *, beta: ArrayLike | None = None
) -> Array:
    """Join weights and intercept (or deck E's ``β = −b``) into canonical weights ``(b, w)``.

    Parameters
    ----------
    coef : array of shape (n_features,) or (K, n_features)
        w, or one in each row.
    intercept : float or array of shape (K,), default=0.0
        b, of each.
    beta : float or array of shape (K,), optional
        −b instead, as deck E writes it.

    Returns
    -------
    array of shape (1 + n_features,) or (K, 1 + n_features)

    Examples
    --------
    >>> join_weights([2.0, 1.0], -5.5).tolist() == join_weights([2.0, 1.0], beta=5.5).tolist()
    True
    """
    coef = np.asarray(coef)
    offset = np.asarray(intercept) if beta is None else -np.asarray(beta)
    column = np.broadcast_to(offset, coef.shape[:-1])[..., None]
    return np.concatenate([column, coef], axis=-1)


def split_weights(weights: ArrayLike, *, beta: bool = False) -> tuple[Array, Array]:
    """Split canonical weights ``(b, w)`` into ``w`` and ``b`` (or ``β = −b``); nothing is lost.

    Parameters
    ----------
    weights : array of shape (1 + n_features,) or (K, 1 + n_features)
        Canonical weights, as `join_weights` returns them.
    beta : bool, default=False
        Return −b instead of b.

    Returns
    -------
    w : array of shape (n_features,) or (K, n_features)
    b : array of shape () or (K,)

    Examples
    --------
    >>> w, b = split_weights([-5.5, 2.0, 1.0])
    >>> w.tolist(), float(b)
    ([2.0, 1.0], -5.5)
    """
    weights = np.asarray(weights)
    return weights[..., 1:], -weights[..., 0] if beta else weights[..., 0]
