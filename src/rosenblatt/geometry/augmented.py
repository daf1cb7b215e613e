"""The canonical form: ``x → (1, x)``, ``w → (b, w)``, so that ``w·x + b`` is one dot product.

Decks A, B and E use it. Deck E writes the offset as ``β = −b``.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray


def augment(X: Any) -> Any:
    """Put a column of ones before the columns of an array or sparse matrix.

    >>> augment([[3.0, 4.0]]).tolist()
    [[1.0, 3.0, 4.0]]
    """
    if sp.issparse(X):
        return sp.hstack([np.ones((X.shape[0], 1), X.dtype), X], format="csr", dtype=X.dtype)
    X = np.asarray(X)
    return np.concatenate([np.ones((*X.shape[:-1], 1), X.dtype), X], axis=-1)


def join_weights(
    coef: ArrayLike, intercept: ArrayLike = 0.0, *, beta: ArrayLike | None = None
) -> NDArray[Any]:
    """Join weights and intercept (or deck E's ``β = −b``) into canonical weights ``(b, w)``.

    >>> join_weights([2.0, 1.0], -5.5).tolist() == join_weights([2.0, 1.0], beta=5.5).tolist()
    True
    """
    coef = np.asarray(coef)
    offset = np.asarray(intercept) if beta is None else -np.asarray(beta)
    column = np.broadcast_to(offset, coef.shape[:-1])[..., None]
    return np.concatenate([column, coef], axis=-1)


def split_weights(weights: ArrayLike, *, beta: bool = False) -> tuple[NDArray[Any], NDArray[Any]]:
    """Split canonical weights ``(b, w)`` into ``w`` and ``b`` (or ``β = −b``); nothing is lost.

    >>> w, b = split_weights([-5.5, 2.0, 1.0])
    >>> w.tolist(), float(b)
    ([2.0, 1.0], -5.5)
    """
    weights = np.asarray(weights)
    return weights[..., 1:], -weights[..., 0] if beta else weights[..., 0]
