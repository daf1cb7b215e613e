"""Whether a loss that has settled is anywhere near its lowest.

A loss that falls by less than ``tol`` a pass has ended its way, or crawls: steps are too short, or
too short for some features. A few moves with all rows tell: they lead along the gradient for
features that were centred and scaled to the same size, as far as the loss falls, and crawl nowhere.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, as_matrix
from rosenblatt.estimators._base.start import Task
from rosenblatt.learners import full_batch_descent
from rosenblatt.learners.descent import DivergedError, Penalty
from rosenblatt.learners.full_batch_descent import Slope
from rosenblatt.learners.products import Matrix

NOTABLE = 0.5  # of the loss
CRAWLING = 10  # times ``tol``, which a pass may bring
MOVES = 3


def loss_ahead(task: Task, state: Any, penalty: Penalty, enough: float) -> tuple[float, float]:
    """Return the mean loss with the penalty, and the lowest of a few moves.

    They end where it fell by ``enough``, and by a notable part.

    >>> from rosenblatt.data.rows import as_rows
    >>> from rosenblatt.learners import descent
    >>> X, y = as_rows(np.array([[1.0], [0.0]])), np.array([1.0, -1.0])
    >>> start = descent.init(1, loss="squared")
    >>> [round(loss, 3) for loss in loss_ahead(Task(start, X, y, False), start, Penalty(), 0.1)]
    [1.0, 0.0]
    """
    matrix = Matrix(as_matrix(task.rows, state.weights.shape[1]))
    first = least = np.inf
    with np.errstate(over="ignore", invalid="ignore"):
        for moves in range(MOVES + 1):
            try:
                slope = full_batch_descent.look(state, matrix, task.y, penalty, None, task.weights)
            except DivergedError:
                break
            first, least = first if moves else slope.loss, min(least, slope.loss)
            if moves == MOVES or first - least > max(enough, NOTABLE * first):
                break
            towards = _evened(slope, matrix, bool(state.fit_intercept))
            given = state, matrix, task.y, towards, penalty
            eta = full_batch_descent.line_search(*given, 0.0, task.weights)[0]
            state = state._replace(
                weights=state.weights - eta * towards.gradient,
                intercept=state.intercept - eta * towards.gradient_intercept,
            )
    return first, least


def _evened(slope: Slope, matrix: Matrix, centred: bool) -> Slope:
    """Return the direction in which features of the same size and mean would have it fall fastest.

    The gradient for such features, as the same change of the weights for those that there are.
    """
    ones = np.ones((matrix.shape[0], 1), matrix.X.dtype)
    mean = matrix.weighted_sums(ones)[0].astype(np.float64) / len(ones)
    squares = matrix.squared_columns().astype(np.float64) / len(ones)
    mean *= centred
    size = squares - mean**2
    inverse = np.zeros_like(size)
    np.divide(1.0, size, out=inverse, where=size > 1e-9 * squares)
    weights = (slope.gradient - slope.gradient_intercept[:, None] * mean) * inverse
    intercept = slope.gradient_intercept - weights @ mean
    dtype: Any = slope.gradient.dtype
    return slope._replace(
        gradient=_in(dtype, weights), gradient_intercept=_in(dtype, intercept * centred)
    )


def _in(dtype: Any, values: Array) -> Array:
    return np.asarray(values, dtype)
