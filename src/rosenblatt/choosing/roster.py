"""Which learners a comparison runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from rosenblatt.choosing.facts import FACTS
from rosenblatt.choosing.grid import short
from rosenblatt.choosing.names import near

# In the lectures' order: the closed forms, then what learns from mistakes, then the other losses.
# All are hyperplanes, found in time that grows with the rows. The kernel perceptron is neither.
ROSTER = (
    "NearestCentroid",
    "NaiveBayes",
    "LinearDiscriminant",
    "Perceptron",
    "AveragedPerceptron",
    "VotedPerceptron",
    "BatchPerceptron",
    "LogisticRegression",
    "LinearSVM",
)


_WIDE = 1_500


def asked_for(models: Any) -> dict[str, Any]:
    """Return what the user named or made, by name."""
    if isinstance(models, str) or not isinstance(models, Iterable):
        models = [models]
    pairs = models.items() if isinstance(models, Mapping) else ((None, model) for model in models)
    named: dict[str, Any] = {}
    for name, model in pairs:
        made = _of_name(model) if isinstance(model, str) else model
        if isinstance(made, type) or not hasattr(made, "fit") or not is_classifier(made):
            advice = "; write the parentheses" if isinstance(made, type) else ""
            raise ValueError(
                "models must hold classifiers, such as Perceptron(), or their names, got "
                f"{short(model)}{advice}"
            )
        named[_free(str(name or type(_last(made)).__name__), named)] = made
    if not named:
        raise ValueError("models is empty; leave it out to compare all of the library's")
    return named


def _last(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """Return the name, with a number if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _of_name(name: str) -> Any:
    if name not in FACTS:
        close = near(name, FACTS)
        meant = f"; did you mean {close!r}?" if close else "."
        raise ValueError(f"no learner is called {name!r}{meant} There are {', '.join(FACTS)}")
    return _class(name)()


def _class(name: str) -> Any:
    import rosenblatt

    return getattr(rosenblatt, name)


def roster(table: Any, features: Any) -> dict[str, Any]:
    """Return the library's classifiers; of naive Bayes the kinds that suit the features.

    ``table`` holds the training rows as given, ``features`` what became of them.
    """
    chosen: dict[str, Any] = {}
    for name in ROSTER:
        kind = _class(name)
        if name == "LinearDiscriminant" and _too_wide(features):
            continue
        if name == "NaiveBayes":
            chosen |= _naive_bayes(kind, table, features)
        else:
            chosen[name] = kind()
    return chosen


def _too_wide(features: Any) -> bool:
    """Say whether a covariance, or a product of all pairs of rows, would take minutes."""
    return bool(sp.issparse(features)) and min(features.shape) > _WIDE


def _naive_bayes(kind: Any, table: Any, features: Any) -> dict[str, Any]:
    """Return Bernoulli's for binary features, Gauss's for others, the multinomial for counts."""
    if _holds(features, lambda values: np.isin(values, (0, 1))):
        return {"NaiveBayes bernoulli": kind("bernoulli")}
    found: dict[str, Any] = {"NaiveBayes gaussian": kind("gaussian")}
    numeric = sp.issparse(table) or (isinstance(table, np.ndarray) and table.dtype.kind in "biuf")
    if numeric and _holds(table, lambda values: (values >= 0) & (values == np.rint(values))):
        # Counts must stay counts, so these rows are not standardised.
        counts = Pipeline([("prepare", "passthrough"), ("model", kind("multinomial"))])
        found["NaiveBayes multinomial"] = counts
    return found


def _holds(matrix: Any, rule: Any) -> bool:
    return bool(rule(matrix.data if sp.issparse(matrix) else matrix).all())
