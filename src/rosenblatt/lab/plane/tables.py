"""Deck E's table of learners: problem, model, error, optimisation, and what came out here."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.lab.plane.points import Points
from rosenblatt.lab.plane.runs import Run

FACTS = (
    ("problem", "Problem"),
    ("model", "Model"),
    ("error", "Error"),
    ("optimisation", "Optimisation"),
    ("result", "Again, in another order"),
)
LONG = 20_000_000  # kernel values, about a second
RESULTS = (
    ("mistakes", "Mistakes at the end"),
    ("errors", "Wrong at the end"),
    ("passes", "Passes at the end"),
)
KEY = (
    "At the end: of the whole run. Σ_M: a sum over the mistakes. b is part of w. m: class means; "
    "c: points that a w survived; a: mistakes about a point; k: kernel; "
    "SGD: stochastic gradient descent."
)
_NOTHING: dict[str, Any] = {name: None for name, _ in RESULTS}


def table(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the table: a column for each learner, a row for each fact and result."""
    columns = [{**_facts(run), **results(run)} for run in runs]
    return {
        "columns": [run.learner.title for run in runs],
        "key": KEY,
        "rows": [
            {"name": name, "title": title, "cells": [column[name] for column in columns]}
            for name, title in (*FACTS, *RESULTS)
        ],
    }


def _facts(run: Run) -> dict[str, Any]:
    """Return what the lecture says of a learner."""
    from rosenblatt.model_selection.roster import facts_of, result_of

    facts = facts_of(run.model)
    assert facts is not None
    if run.learner.two_classes_only:
        facts = facts._replace(problem="regression on −1 and +1", model="sign(w·x)")
    return {**facts._asdict(), "result": result_of(run.model, None)}


def results(run: Run) -> dict[str, Any]:
    """Return what came out: the same as of the last frame, but at once, unless that takes long."""
    model, points = run.fresh_model(), run.points
    if hasattr(model, "predict_with") and len(points.y) ** 2 * model.max_iter > LONG:
        return _NOTHING
    target = points.y * 2.0 - 1 if run.learner.two_classes_only else points.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of passes that ran out, which the table tells
        try:
            model.fit(points.X, target)
        except ValueError:  # it diverged
            return _NOTHING
    return {
        "mistakes": _mistakes(model),
        "errors": _errors(model, points, run.learner.two_classes_only),
        "passes": getattr(model, "n_iter_", None),
    }


def _mistakes(model: Any) -> int | None:
    if hasattr(model, "n_mistakes_"):
        return int(model.n_mistakes_)
    return int(model._state.mistakes) if hasattr(model, "batch_size") else None


def _errors(model: Any, points: Points, regression: bool) -> int:
    predicted = model.predict(points.X)
    if regression:
        predicted = predicted >= 0
    return int(np.count_nonzero(predicted != points.y))
