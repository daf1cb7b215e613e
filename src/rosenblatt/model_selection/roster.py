"""Which learners a comparison runs."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from rosenblatt.model_selection.grid import near, short

ALWAYS = "always the same"
DIFFER = "can differ"
SAME_HERE = "same here"


class Facts(NamedTuple):
    """A learner in the terms of deck E's table.

    ``problem`` is what it solves, ``model`` how it predicts, ``error`` what makes a hyperplane a
    bad one, ``optimisation`` how the error is made small.
    """

    problem: str
    model: str
    error: str
    optimisation: str


KEY = (
    "All classify; of K classes the one with the largest w·x is predicted. The intercept is part "
    "of w. M are the mistakes, m the class means, c the number of rows that each w survived, k the "
    "kernel, a the mistakes about each row; SGD is stochastic gradient descent. In brackets: the "
    "share of the judging rows that came out otherwise in another order of the training rows."
)

_CLASSIFY = "classification"
_SIGN = "sign(w·x)"
_CRITERION = "−Σ_M y w·x"
_HINGE = "Σ max(0, 1 − y w·x)"

FACTS = {
    "NearestCentroid": Facts(_CLASSIFY, _SIGN, "distance to m", "closed form"),
    "NaiveBayes": Facts(_CLASSIFY, _SIGN, "−log P(x, y), features independent", "closed form"),
    "LinearDiscriminant": Facts(
        _CLASSIFY, _SIGN, "distance to m, by the covariance", "closed form"
    ),
    "Perceptron": Facts(_CLASSIFY, _SIGN, _CRITERION, "SGD"),
    "AveragedPerceptron": Facts(_CLASSIFY, _SIGN, _CRITERION, "SGD, mean of all w"),
    "VotedPerceptron": Facts(_CLASSIFY, "Σ c sign(w·x)", _CRITERION, "SGD, all w vote"),
    "KernelPerceptron": Facts(_CLASSIFY, "Σ c sign(Σ a k)", _CRITERION, "SGD, all w vote"),
    "BatchPerceptron": Facts(_CLASSIFY, _SIGN, _CRITERION, "gradient descent"),
    "LogisticRegression": Facts(f"{_CLASSIFY}, probabilities", "σ(w·x)", "cross-entropy", "SGD"),
    "LinearSVM": Facts(_CLASSIFY, _SIGN, f"{_HINGE}, and ‖w‖²", "SGD"),
    "GradientDescent": Facts(_CLASSIFY, _SIGN, _CRITERION, "SGD"),
}

# What gradient descent goes down is the user's choice.
_ERRORS = {
    "perceptron": _CRITERION,
    "hinge": _HINGE,
    "logistic": "cross-entropy",
    "squared": "Σ (y − w·x)²",
}

# Sums over all rows, or steps along them: no order and no chance in it.
_CLOSED = {"NearestCentroid", "LinearDiscriminant", "NaiveBayes", "BatchPerceptron"}


def facts_of(model: Any) -> Facts | None:
    """Return the facts of one of the library's learners; None for others."""
    inner = inner_of(model)
    name = type(inner).__name__
    facts = FACTS.get(name) if _is_ours(inner) else None
    if facts is not None and name == "GradientDescent":
        facts = facts._replace(error=_ERRORS[inner.loss])
    if facts is not None and getattr(inner, "metric", "euclidean") != "euclidean":
        facts = facts._replace(model=f"nearest, {inner.metric}")
    if facts is None or not hasattr(inner, "batch_size"):
        return facts
    size = inner.batch_size
    how = "gradient descent" if size is None else "SGD" if size == 1 else f"SGD, batches of {size}"
    return facts._replace(optimisation=how)


def result_of(model: Any, differ: float | None) -> str | None:
    """Say whether learning again gives the same: a property of the algorithm, where it is known.

    Of other models it is what was seen: ``differ`` is the share of rows that another order of the
    same rows, and another seed, classified differently.
    """
    if differ:
        return DIFFER  # it was seen, if only because of rounding or of what precedes the learner
    inner = inner_of(model)
    if not _is_ours(inner) or type(inner).__name__ not in FACTS:
        return None if differ is None else SAME_HERE
    options = inner.get_params(deep=False)
    if isinstance(options.get("shrink_threshold"), str):
        return DIFFER  # the folds that choose it are dealt by the order of the rows
    if type(inner).__name__ in _CLOSED:
        return ALWAYS
    whole_batch = "batch_size" in options and options["batch_size"] is None
    # Rows held out for early stopping are drawn at random.
    return ALWAYS if whole_batch and not options.get("early_stopping") else DIFFER


def inner_of(model: Any) -> Any:
    """Return the learner at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _is_ours(model: Any) -> bool:
    return type(model).__module__.startswith("rosenblatt.")


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
