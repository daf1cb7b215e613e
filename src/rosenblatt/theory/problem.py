"""The input of the theory's functions: rows, and which of two classes each belongs to."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.checks import as_numbers
from rosenblatt.data.labels import as_labels, encode
from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, as_rows, n_rows, rows_to_visit, take
from rosenblatt.geometry import augment
from rosenblatt.learners.products import Matrix


class Problem(NamedTuple):
    """Checked rows, labels as ±1, the two classes, and whether planes may miss the origin."""

    rows: Rows
    y: Array
    n_features: int
    classes: Array
    fit_intercept: bool

    @property
    def n(self) -> int:
        """The number of rows."""
        return n_rows(self.rows)


class Classes(NamedTuple):
    """Checked rows of any number of classes: a matrix, the sorted labels, and each row's number."""

    matrix: Any
    classes: Array
    codes: Array
    fit_intercept: bool


def as_classes(X: Any, y: Any, fit_intercept: bool = True) -> Classes:
    """Check rows and labels of two classes or more."""
    if not isinstance(fit_intercept, bool | np.bool_):
        raise ValueError(f"fit_intercept must be True or False, got {fit_intercept!r}")
    matrix = as_numbers(X)
    labels = np.asarray(as_labels(y))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must be a vector of labels, got shape {labels.shape}")
    if len(labels) != matrix.shape[0]:
        raise ValueError(
            f"X has {matrix.shape[0]} rows but y has {len(labels)} labels; give one for each row"
        )
    classes, codes = encode(labels)
    if len(classes) == 1:
        raise ValueError(
            f"y has one class only ({classes.tolist()[0]!r}), so there is nothing to tell apart: "
            "two classes are needed"
        )
    if sp.issparse(matrix) and not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()  # so that the numbers meant are those that toarray() shows
    return Classes(matrix, classes, codes, bool(fit_intercept))


def problem_of(data: Classes, positive: Array, classes: Array) -> Problem:
    """Return the problem of telling rows that are positive from the others."""
    sign, n_features = positive * 2.0 - 1.0, data.matrix.shape[1]
    return Problem(rows_to_visit(data.matrix), sign, n_features, classes, data.fit_intercept)


def as_problem(X: Any, y: Any, fit_intercept: bool = True) -> Problem:
    """Check rows and labels of two classes; the one that sorts last is the positive one."""
    data = as_classes(X, y, fit_intercept)
    if len(data.classes) > 2:
        raise ValueError(
            f"y has {len(data.classes)} classes, and a hyperplane tells two apart. Ask about one "
            f"class against the rest, for example with y == {data.classes.tolist()[0]!r}"
        )
    return problem_of(data, data.codes, data.classes)


def augmented(problem: Problem) -> Problem:
    """Put a column of ones before the rows, so that a bias is a weight like the others."""
    matrix = augment(as_matrix(problem.rows, problem.n_features))
    if sp.issparse(matrix):
        matrix = sp.csr_matrix(matrix)
    return problem._replace(
        rows=as_rows(matrix), n_features=problem.n_features + 1, fit_intercept=False
    )


def dense_rows(problem: Problem, index: Array) -> tuple[Array, Array]:
    """Return some rows as a float64 array, and which columns it has: those that these rows use."""
    part = take(problem.rows, np.asarray(index, np.intp))
    if isinstance(part, Dense):
        return part.values.astype(np.float64, copy=False), np.arange(problem.n_features)
    used, place = np.unique(part.indices, return_inverse=True)
    values = np.zeros((len(index), len(used)))
    values[np.repeat(np.arange(len(index)), np.diff(part.indptr)), place] = part.values
    return values, used


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
