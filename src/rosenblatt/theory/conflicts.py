"""The plainest reason why classes are inseparable: two equal rows with different labels."""

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.conflicts import first_conflict
from rosenblatt.kernels.margins import score_rows
from rosenblatt.theory.planes import blocks
from rosenblatt.theory.problem import Problem, dense_rows


def conflict(problem: Problem) -> Array | None:
    """Find two equal rows with opposite labels; None if there are none.

    Without an intercept, rows that point the same way would do, and a row of zeros; those are left
    to the search.
    """
    # Equal rows have equal scores, whatever the weights; others hardly ever do.
    weights = np.random.default_rng(0).standard_normal(problem.n_features)
    scores = np.empty(problem.n)
    for start, stop in blocks(problem):
        score_rows(problem.rows, start, stop, weights, scores)
    keys = (scores + 0.0).view(np.uint64)  # −0 and 0 are one number
    table = np.full(2 << problem.n.bit_length(), -1, np.int64)
    pair = np.array(first_conflict(keys, problem.y, table))
    if pair[0] < 0:
        return None
    first, second = dense_rows(problem, pair)[0]
    return pair if np.array_equal(first, second) else None
