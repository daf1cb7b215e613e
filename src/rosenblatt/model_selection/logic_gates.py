"""OR, AND and XOR as data: the lecture's three tests of a linear classifier."""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array

_TABLES = {"or": [0, 1, 1, 1], "and": [0, 0, 0, 1], "xor": [0, 1, 1, 0]}


def corners(
    name: str, *, copies: int = 1, spread: float = 0.0, random_state: Any = 0
) -> tuple[Array, Array]:
    """Return the corners of the unit square, labelled by a Boolean function of the two inputs.

    Parameters
    ----------
    name : {"or", "and", "xor"}
        The function. The first two are linearly separable, the third is not.
    copies : int, default=1
        Rows at each corner.
    spread : float, default=0.0
        The standard deviation of the rows around their corner. With some, each is a cloud.
    random_state : int, default=0
        Seed of the clouds; the same one makes the same clouds for every function.

    Returns
    -------
    X : array of shape (4 · copies, 2)
    y : array of shape (4 · copies,)
        0 or 1.

    Examples
    --------
    >>> X, y = corners("and")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1])
    """
    if not isinstance(name, str) or name.lower() not in _TABLES:
        raise ValueError(f"name must be 'or', 'and' or 'xor', got {name!r}")
    if not isinstance(copies, int | np.integer) or copies < 1:
        raise ValueError(f"copies must be a whole number, 1 or more, got {copies!r}")
    if not 0 <= spread < np.inf:
        raise ValueError(f"spread must be a number, zero or more, got {spread!r}")
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    X = np.repeat(square, copies, axis=0)
    X += spread * np.random.default_rng(random_state).normal(size=X.shape)
    return X, np.repeat(_TABLES[name.lower()], copies)
