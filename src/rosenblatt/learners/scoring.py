"""Scores of linear functions in float64, on all cores, without a copy of float32 rows."""

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, n_rows
from rosenblatt.kernels import scoring
from rosenblatt.learners.blocks import each_block


def linear_scores(
    weights: Array, intercept: Array, rows: Rows, binarize: float | None = None
) -> Array:
    """Return ``X Wᵀ + b``: a column for each function, or a vector if there is one.

    ``binarize`` scores zeros and ones instead of the rows: which numbers are above it.

    >>> from rosenblatt.data.rows import as_rows
    >>> rows = as_rows(np.array([[1.0, 4.0], [4.0, 2.0]], np.float32))
    >>> linear_scores(np.array([[2.0, 1.0]]), np.array([-5.5]), rows).tolist()
    [0.5, 4.5]
    """
    out = np.empty((n_rows(rows), len(weights)))
    # One function lies the same way in both orders, and only C order has the fastest loop.
    order = "C" if isinstance(rows, Dense) or len(weights) == 1 else "F"
    weights = np.array(weights, np.float64, order=order, copy=None)  # type: ignore[call-overload]
    intercept = np.asarray(intercept, np.float64)

    def work(rows: Rows, where: slice) -> None:
        if binarize is None:
            scoring.linear_scores(rows, weights, intercept, out[where])
        else:
            scoring.all_binary_scores(rows, binarize, weights, intercept, out[where])

    for _ in each_block(rows, work):
        pass
    return out[:, 0] if len(weights) == 1 else out
