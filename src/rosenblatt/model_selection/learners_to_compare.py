"""Which learners a comparison runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline

from rosenblatt import learner_registry
from rosenblatt.estimators._base.exact import asks_for_steps
from rosenblatt.learner_registry import BY_DEFAULT, ERRORS, Facts, Learner
from rosenblatt.model_selection.grid import near, short

ALWAYS = "always the same"
DIFFER = "can differ"
SAME_HERE = "same here"
KEY = (
    "All classify; of K classes the one with the largest w·x is predicted. The intercept is part "
    "of w. M are the mistakes, m the class means, c the number of rows that each w survived, k the "
    "kernel, a the mistakes about each row; SGD is stochastic gradient descent. In brackets: the "
    "share of the judging rows that came out otherwise in another order of the training rows."
)


def facts_of(model: Any) -> Facts | None:
    """Return the facts of one of the library's learners; None for others."""
    inner = inner_of(model)
    row = learner_registry.of_model(inner)
    facts = None if row is None else row.facts
    if facts is not None and "loss" in inner.get_params(deep=False):
        usual, own = ERRORS[type(inner).loss], ERRORS[inner.loss]
        facts = facts._replace(error=facts.error.replace(usual, own))
    if facts is not None and getattr(inner, "metric", "euclidean") != "euclidean":
        facts = facts._replace(model=f"nearest, {inner.metric}")
    if facts is None or not hasattr(inner, "batch_size"):
        return facts
    size = inner.batch_size
    if isinstance(size, str):
        size = 1
    if is_exact(inner):
        return facts._replace(optimisation="exact")
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
    row = learner_registry.of_model(inner)
    if row is None or row.facts is None:
        return None if differ is None else SAME_HERE
    options = inner.get_params(deep=False)
    if isinstance(options.get("shrink_threshold"), str):
        return DIFFER  # the folds that choose it are dealt by the order of the rows
    if row.deterministic:
        return ALWAYS
    whole_batch = is_exact(inner) or ("batch_size" in options and options["batch_size"] is None)
    # Rows held out for early stopping are drawn at random.
    return ALWAYS if whole_batch and not options.get("early_stopping") else DIFFER


def is_exact(inner: Any) -> bool:
    """Say whether a model has, or would have, the lowest loss itself."""
    if not hasattr(inner, "solver"):
        return False
    if hasattr(inner, "coef_"):
        return not hasattr(inner, "eta0_")
    return not asks_for_steps(inner)


def inner_of(model: Any) -> Any:
    """Return the learner at the end of a pipeline, or the model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


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
        named[unused_name(str(name or type(_last(made)).__name__), named)] = made
    if not named:
        raise ValueError("models is empty; leave it out to compare all of the library's")
    return named


def _last(model: Any) -> Any:
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def unused_name(name: str, taken: Mapping[str, Any]) -> str:
    """Return the name, with a number if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def _of_name(name: str) -> Any:
    rows = {row.estimator: row for row in learner_registry.comparable().values()}
    if name not in rows:
        close = near(name, rows)
        meant = f"; did you mean {close!r}?" if close else "."
        raise ValueError(f"no learner is called {name!r}{meant} There are {', '.join(rows)}")
    return rows[name].load()()


def roster(table: Any, features: Any) -> dict[str, Any]:
    """Return the library's classifiers; of naive Bayes the kinds that suit the features.

    ``table`` holds the training rows as given, ``features`` what became of them.
    """
    chosen: dict[str, Any] = {}
    for row in learner_registry.comparable(BY_DEFAULT).values():
        if row.pairwise and _too_wide(features):
            continue
        if "distribution" in row.options:
            chosen |= _with_distributions(row, table, features)
        else:
            chosen[row.estimator] = row.load()()
    return chosen


def _too_wide(features: Any) -> bool:
    """Say whether a covariance, or a product of all pairs of rows, would take minutes."""
    return bool(sp.issparse(features)) and min(features.shape) > _WIDE


def _with_distributions(row: Learner, table: Any, features: Any) -> dict[str, Any]:
    """Return Bernoulli's for binary features, Gauss's for others, the multinomial for counts."""
    kind, name = row.load(), row.estimator
    if _holds(features, lambda values: np.isin(values, (0, 1))):
        return {f"{name} bernoulli": kind("bernoulli")}
    found: dict[str, Any] = {f"{name} gaussian": kind("gaussian")}
    numeric = sp.issparse(table) or (isinstance(table, np.ndarray) and table.dtype.kind in "biuf")
    if numeric and _holds(table, lambda values: (values >= 0) & (values == np.rint(values))):
        # Counts must stay counts, so these rows are not standardised.
        counts = Pipeline([("prepare", "passthrough"), ("model", kind("multinomial"))])
        found[f"{name} multinomial"] = counts
    return found


def _holds(matrix: Any, rule: Any) -> bool:
    return bool(rule(matrix.data if sp.issparse(matrix) else matrix).all())
