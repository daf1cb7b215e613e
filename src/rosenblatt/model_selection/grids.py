"""The settings that `tune` tries: those of each learner to begin with, and those asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.console import UsageError
from rosenblatt.registry import ONLINE

GRIDS: dict[str, dict[str, list[Any]]] = {
    "averaged": {"passes": [1, 2, 3, 5, 10, 20]},
    "perceptron": {"passes": [1, 2, 3, 5, 10, 20]},
    "voted": {"passes": [1, 2, 3, 5]},
    "logistic": {"passes": [3, 10], "eta0": ["auto", 0.01, 0.1, 1.0]},
    "svm": {"passes": [3, 10], "eta0": ["auto", 0.01, 0.1, 1.0]},
    "naive-bayes": {"alpha": [1.0, 0.1, 0.01]},
    "centroid": {"shrink_threshold": [None, 0.5, 1.0, 2.0, 4.0]},
    "discriminant": {"shrinkage": [0.0, 0.01, 0.1, 0.5, 1.0]},
    "kernel": {"gamma": ["scale", 0.01, 0.1, 1.0]},
    "batch": {"learning_rate": ["constant", "inverse"], "normalize": [True, False]},
}
_DESCENT, _PERCEPTRONS = ("logistic", "svm"), ("averaged", "perceptron", "voted")
# The parameters of those that learn from streams, and who has a use for them.
_STREAMED = {
    "passes": ONLINE,
    "fit_intercept": ONLINE,
    "eta0": _DESCENT,
    "ties": _PERCEPTRONS,
}
_WORDS = {"true": True, "false": False, "yes": True, "no": False, "none": None}


def distribution_of(X: Any) -> str:
    """Return the kind of naive Bayes that suits the values.

    >>> distribution_of(np.eye(2)), distribution_of(np.array([[3.0]])), distribution_of(-np.eye(2))
    ('bernoulli', 'multinomial', 'gaussian')
    """
    values = X.data if hasattr(X, "indptr") else X
    if np.all((values == 0) | (values == 1)):
        return "bernoulli"
    counts = np.all((values >= 0) & (values == np.rint(values)))
    return "multinomial" if counts else "gaussian"


def grid_of(learner: str, given: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values to try: those given, or else those that the learner has to begin with.

    >>> grid_of("logistic", ["passes=1,2", "eta0=auto,0.5"])
    {'passes': [1, 2], 'eta0': ['auto', 0.5]}
    """
    if not given:
        return GRIDS[learner]
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        name = {"intercept": "fit_intercept"}.get(name.strip(), name.strip())
        if not equals or not name or not values.strip():
            raise UsageError(f"--grid {text!r} must be a parameter and values, such as passes=1,2")
        if learner in ONLINE:
            _check_streamed(name, learner)
        if name in grid:
            raise UsageError(f"--grid {name} is given twice; list all its values in one")
        grid[name] = [_value(word.strip()) for word in values.split(",")]
    return grid


def _check_streamed(name: str, learner: str) -> None:
    if name not in _STREAMED:
        known = ", ".join(one for one, users in _STREAMED.items() if learner in users)
        raise UsageError(f"--grid {name}: {learner} has no such parameter; it has {known}")
    if learner not in _STREAMED[name]:
        raise UsageError(f"--grid {name} is not for {learner}")


def _value(word: str) -> Any:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
