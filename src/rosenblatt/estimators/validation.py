"""Rows held out while learning, to see when more passes stop paying."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier

from rosenblatt.data.rows import Array, n_rows, take
from rosenblatt.estimators.start import Task
from rosenblatt.learners import online
from rosenblatt.learners.losses import judge

Judge: TypeAlias = Callable[[Array, Array], float]


def held_out(estimator: Any, task: Task, rng: np.random.Generator) -> tuple[Judge, Task]:
    """Set a share of the rows aside, the same of each class; return what gives their mean loss."""
    aside = _chosen(estimator, task.y, rng)
    others = np.setdiff1d(np.arange(n_rows(task.rows)), aside)
    rows, y = take(task.rows, aside), task.y[aside]
    loss = task.state.loss

    def mean_loss(weights: Array, intercept: Array) -> float:
        scores = online.linear_scores(weights, intercept, rows).reshape(len(y), -1)
        return float(judge(loss, scores, y)[0]) / len(y)

    return mean_loss, task._replace(rows=take(task.rows, others), y=task.y[others])


def _chosen(estimator: Any, y: Array, rng: np.random.Generator) -> Array:
    share = float(estimator.validation_fraction)
    groups = [np.arange(len(y))]
    if is_classifier(estimator):
        groups = [np.flatnonzero(y == value) for value in np.unique(y)]
    # A class of two rows or more gives one at least; the only row of a class is needed to learn it.
    counts = [max(round(share * len(g)), 1) if len(g) > 1 else 0 for g in groups]
    counts = [min(count, len(g) - 1) for g, count in zip(groups, counts, strict=True)]
    if not any(counts):
        raise ValueError(
            "early_stopping has no rows to hold out and learn from, two of a class at least: give "
            "more rows, or set early_stopping=False"
        )
    picks = [rng.permutation(g)[:count] for g, count in zip(groups, counts, strict=True)]
    return np.sort(np.concatenate(picks))
