"""Fitting and scoring with the weights of rows, where there are any."""

import inspect
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from rosenblatt.evaluation.metrics import Interval, wilson
from rosenblatt.model_selection.learners_to_compare import inner_of
from rosenblatt.model_selection.splits import Part

_WEIGHT = "sample_weight"


def takes_weights(model: Any) -> bool:
    """Say whether a model, or the one at the end of a pipeline, can be fitted with weights."""
    return bool(has_fit_parameter(inner_of(model), _WEIGHT))


def without_weights(model: Any) -> str:
    """Say that a model takes no weights."""
    return f"{type(inner_of(model)).__name__} does not support {_WEIGHT}"


def fit_rows(model: Any, rows: Part) -> Any:
    """Fit a model to rows, with their weights if they have such, and return it."""
    if rows.weights is None:
        return model.fit(rows.X, rows.y)
    name = f"{model.steps[-1][0]}__{_WEIGHT}" if isinstance(model, Pipeline) else _WEIGHT
    return model.fit(rows.X, rows.y, **{name: rows.weights})


def score_rows(score: Any, model: Any, rows: Part) -> float:
    """Return a fitted model's score, in which rows count by their weights if they have such."""
    if rows.weights is None:
        return float(score(model, rows.X, rows.y))
    return float(score(model, rows.X, rows.y, **{_WEIGHT: rows.weights}))


def check_weighted_scoring(scoring: Any) -> None:
    """Raise ``ValueError`` if a callable score takes no weights."""
    if callable(scoring) and not isinstance(scoring, type):
        parameters = inspect.signature(scoring).parameters.values()
        if not any(one.name == _WEIGHT or one.kind is one.VAR_KEYWORD for one in parameters):
            raise ValueError(
                f"scoring must take the keyword {_WEIGHT}, as rows have weights; make it with "
                "sklearn.metrics.make_scorer, or leave them out"
            )


def share_right(rows: Part, right: Any) -> tuple[float, Interval]:
    """Return the share of rows that are right, by weight, and its 95 % interval.

    Weighted rows count as many as Kish's effective number, (Σw)²/Σw² (L. Kish 1965, "Survey
    sampling"): all of them if the weights are equal.

    >>> rows = Part(None, np.array([0, 1, 1]), np.array([1.0, 1.0, 2.0]))
    >>> share_right(rows, np.array([True, True, False]))[0]
    0.5
    """
    if rows.weights is None:
        number = int(np.count_nonzero(right))
        return number / rows.n, wilson(number, rows.n)
    if not rows.weights.any():
        raise ValueError(
            f"the {rows.n:,} rows to judge by all have weight 0; choose others, or leave the "
            "weights out"
        )
    share = float(rows.weights[right].sum() / rows.weights.sum())
    return share, wilson(share * effective_rows(rows), effective_rows(rows))


def effective_rows(rows: Part) -> float:
    """Return how many rows of equal weight tell as much."""
    if rows.weights is None:
        return rows.n
    return float(rows.weights.sum() ** 2 / (rows.weights**2).sum())


def commonest_class(rows: Part) -> Any:
    """Return the class with the most rows, or the largest weight; of equals the first."""
    classes, codes = np.unique(rows.y, return_inverse=True)
    return classes[np.bincount(codes, rows.weights).argmax()]
