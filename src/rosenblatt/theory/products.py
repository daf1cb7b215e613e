"""The rows of a problem as a matrix of numbers near one."""

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import as_matrix
from rosenblatt.learners.products import Matrix
from rosenblatt.theory.problem import Problem


def scaled_matrix(problem: Problem) -> tuple[Matrix, float]:
    """Return the rows in float64, the longest of about length one, and the factor it took."""
    X = as_matrix(problem.rows, problem.n_features).astype(np.float64, copy=False)
    largest = float(np.abs(X.data if sp.issparse(X) else X).max(initial=0.0)) or 1.0
    if not 1e-290 < largest < 1e290:
        raise ValueError(
            f"the largest number in X is {largest:.3g}; multiply X so that it comes near 1"
        )
    X = X * (1 / largest)
    factor = 1 / float(np.sqrt(Matrix(X).squared_rows().max()) or 1.0)
    return Matrix(X * factor), factor / largest
