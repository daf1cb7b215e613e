"""Rows that gradient descent holds out, to stop where their loss is lowest."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier

from rosenblatt.data.rows import Array, n_rows, take
from rosenblatt.estimators._base.start import Task
from rosenblatt.estimators._base.weights import mean_of_one
from rosenblatt.learners import online
from rosenblatt.learners.losses import evaluate
from rosenblatt.passes import choose_held_out

ValidationLoss: TypeAlias = Callable[[Array, Array], float]


def held_out(estimator: Any, task: Task, rng: np.random.Generator) -> tuple[ValidationLoss, Task]:
    """Hold out a share of the rows of each class; return a function that gives their mean loss."""
    aside = _chosen(estimator, task.y, rng)
    others = np.setdiff1d(np.arange(n_rows(task.rows)), aside)
    rows, y = take(task.rows, aside), task.y[aside]
    loss, parameter = task.state.loss, task.state.loss_parameter
    own, theirs = (
        None if task.weights is None else mean_of_one(task.weights[part])
        for part in (aside, others)
    )

    def mean_loss(weights: Array, intercept: Array) -> float:
        scores = online.linear_scores(weights, intercept, rows).reshape(len(y), -1)
        return float(evaluate(loss, scores, y, own, parameter)[0]) / len(y)

    rest = task._replace(rows=take(task.rows, others), y=task.y[others], weights=theirs)
    return mean_loss, rest


def _chosen(estimator: Any, y: Array, rng: np.random.Generator) -> Array:
    share = float(estimator.validation_fraction)
    groups = [np.arange(len(y))]
    if is_classifier(estimator):
        groups = [np.flatnonzero(y == value) for value in np.unique(y)]
    if not any(len(group) > 1 for group in groups):
        raise ValueError(
            "early_stopping has no rows to hold out and learn from, two of a class at least: give "
            "more rows, or set early_stopping=False"
        )
    return choose_held_out(groups, share, rng)
