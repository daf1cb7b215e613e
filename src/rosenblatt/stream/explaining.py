"""What each feature of a row contributes to its scores."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.stream import rules
from rosenblatt.stream.rules import Options, rule_of
from rosenblatt.stream.scaling import Scaling

INTERCEPT = "(intercept)"


class Contributions(NamedTuple):
    """The parts of a row's scores, which add up to these.

    Attributes
    ----------
    columns : array of shape (n,)
        The features of the row, each once.
    values : array of shape (n,)
        Their values as the row has them.
    weights : array of shape (functions, n)
        What one unit of each adds; of words, in this row.
    parts : array of shape (functions, n)
        What each adds: the weight times the value, less its mean where it was standardised.
    intercepts : array of shape (functions,)
        The scores of a row with none of the features, and the mean of each number.
    """

    columns: Array
    values: Array
    weights: Array
    parts: Array
    intercepts: Array

    def of_class(self, k: int, two: bool) -> "Contributions":
        """Return those to the score of one class; two classes share a function, with two signs."""
        at, sign = (0, 1 if k else -1) if two else (k, 1)
        every = self.weights, self.parts, self.intercepts
        rest = (sign * array[at : at + 1] + 0.0 for array in every)  # + 0.0: no zero is negative
        return Contributions(self.columns, self.values, *rest)


def of_row(columns: Array, values: Array, weights: Array, intercepts: Array) -> Contributions:
    """Return the contributions to linear functions, of which the weights of the columns are given.

    >>> found = of_row(np.array([3]), np.array([2.0]), np.array([[0.5]]), np.array([-1.0]))
    >>> found.parts.tolist()
    [[1.0]]
    """
    return Contributions(columns, values, weights, weights * values, intercepts)


def of_stream(options: Options, state: Any, scaling: Scaling | None, row: Sparse) -> Contributions:
    """Return the contributions to the scores of a stream's model, for one row."""
    if rule_of(options).keeps_rows:
        raise ValueError(
            "a voted perceptron decides by the votes of many weights, so features have no "
            "contributions of their own; train with the averaged one"
        )
    start, stop = row.indptr[0], row.indptr[-1]
    row = Sparse(row.indptr - start, row.indices[start:stop], row.values[start:stop])
    columns, place = np.unique(row.indices, return_inverse=True)
    weights, intercepts = rules.planes_at(options, state, columns)
    weights = weights.astype(np.float64)
    seen = row if scaling is None else scaling.transform(row)
    assert isinstance(seen, Sparse)
    # A feature may come twice in a row.
    values, scaled = (
        np.bincount(place, part.values.astype(np.float64), len(columns)) for part in (row, seen)
    )
    each = np.divide(scaled, values, out=np.ones(len(columns)), where=values != 0)
    if scaling is not None:
        scale = scaling.scales_of(columns)
        each = np.where(np.isnan(scale), each, 1 / np.where(scale > 0, scale, np.inf))
    parts, units = weights * scaled, weights * each
    return Contributions(columns, values, units, parts, intercepts.astype(np.float64))


def ordered(names: list[str], found: Contributions) -> dict[str, float]:
    """Return features and what they contribute, the largest first, and the intercept last."""
    parts = found.parts[0]
    order = np.argsort(-np.abs(parts), kind="stable")
    made: dict[str, float] = {}
    for j in order.tolist():
        made[names[j]] = made.get(names[j], 0.0) + float(parts[j])
    made[INTERCEPT] = made.pop(INTERCEPT, 0.0) + float(
        found.intercepts[0]
    )  # if a feature has its name
    return made
