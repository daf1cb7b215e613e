"""The settings that `tune` tries: those of each learner to begin with, and those asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.console import UsageError
from rosenblatt.estimators._base.other_names import name_here
from rosenblatt.learner_registry import LEARNERS, Learner

# What `tune` calls an option of `train`, for learners that learn from streams.
_STREAMED = {
    "passes": "passes",
    "fit_intercept": "no_intercept",
    "eta0": "eta0",
    "ties": "ties",
    "l2": "l2",
    "l1": "l1",
    "learning_rate": "learning_rate",
}
_WORDS = {"true": True, "false": False, "yes": True, "no": False, "none": None}


def distribution_of(X: Any, words: bool = False) -> str:
    """Return the kind of naive Bayes that suits the values, of which some may be words.

    >>> distribution_of(np.eye(2)), distribution_of(np.array([[3.0]])), distribution_of(-np.eye(2))
    ('bernoulli', 'multinomial', 'gaussian')
    """
    values = X.data if hasattr(X, "indptr") else X
    if np.all((values == 0) | (values == 1)):
        return "multinomial" if words else "bernoulli"
    counts = np.all((values >= 0) & (values == np.rint(values)))
    return "multinomial" if counts else "gaussian"


def grid_of(learner: str, given: Sequence[str]) -> dict[str, list[Any]]:
    """Return the values to try: those given, or else those that the learner has to begin with.

    >>> grid_of("logistic", ["passes=1,2", "eta0=auto,0.5"])
    {'passes': [1, 2], 'eta0': ['auto', 0.5]}
    """
    row = LEARNERS[learner]
    if not given:
        return dict(row.grid or {})
    grid: dict[str, list[Any]] = {}
    for text in given:
        name, equals, values = text.partition("=")
        name = {"intercept": "fit_intercept"}.get(name.strip(), name.strip())
        if not equals or not name or not values.strip():
            raise UsageError(f"--grid {text!r} must be a parameter and values, such as passes=1,2")
        if row.stream is not None:
            _check_streamed(name, row)
        if name in grid:
            raise UsageError(f"--grid {name} is given twice; list all its values in one")
        grid[name] = [_value(word.strip()) for word in values.split(",")]
    return grid


def that_matters(grid: dict[str, list[Any]], model: Any, given: bool) -> dict[str, list[Any]]:
    """Leave out the parameters that do nothing for a model's distribution.

    Those that were ``given`` raise `UsageError` instead.
    """
    only_for = getattr(model, "_only_for", {})
    if not only_for or "distribution" in grid:
        return grid
    kind = model.distribution
    idle = [name for name in grid if name in only_for and kind not in only_for[name]]
    if idle and given:
        matter = ", ".join(name for name, kinds in only_for.items() if kind in kinds)
        raise UsageError(
            f"--grid {idle[0]} does nothing here: by the values naive Bayes is {kind}, which has "
            f"{matter}; --grid distribution={only_for[idle[0]][0]} tries another"
        )
    return {name: values for name, values in grid.items() if name not in idle}


def _check_streamed(name: str, row: Learner) -> None:
    known = [one for one, option in _STREAMED.items() if option in row.options]
    if name not in _STREAMED:
        has = ", ".join(known)
        here = name_here(name, known)
        hint = f"; use {here}" if here is not None else f"; it has {has}"
        raise UsageError(f"--grid {name}: {row.name} has no such parameter{hint}")
    if name not in known:
        raise UsageError(f"--grid {name} is not for {row.name}")


def _value(word: str) -> Any:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            continue
    return word
