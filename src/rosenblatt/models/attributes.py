"""What each estimator has after a fit, and what each of these things must be."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt import learner_registry
from rosenblatt.learner_registry import Saved
from rosenblatt.learners.closed_form import moments
from rosenblatt.learners.closed_form.centroid import Path
from rosenblatt.learners.kernel_perceptron import learning as kernel
from rosenblatt.learners.online import n_functions
from rosenblatt.models.checks import (
    DOUBLE,
    FLOATS,
    WHOLE,
    Sizes,
    check_array,
    check_classes,
    check_count,
    check_finite,
    check_flag,
    check_number,
    check_vector,
    need,
)
from rosenblatt.models.states import check_ledger, check_state, check_tagger
from rosenblatt.tagging import learner


def names_of(kind: str) -> tuple[set[str], set[str]]:
    """Return the attributes that a fitted estimator always has, and all that it may have."""
    row = _saved(kind)
    always = {"n_features_in_", "_state", *row.always.split()}
    return always, always | {"feature_names_in_", *row.sometimes.split()}


def _saved(kind: str) -> Saved:
    row = learner_registry.savable()[kind].saved
    assert row is not None
    return row


def check_fitted(kind: str, fitted: dict[str, Any]) -> None:
    """Raise ``ModelFileError`` unless these are the attributes of a fitted estimator."""
    always, possible = names_of(kind)
    for name in sorted(always - fitted.keys()):
        need(False, f"{name} is missing")
    for name in sorted(fitted.keys() - possible):
        need(False, f"a {kind} has no {name[:50]}")
    n_features = check_count(fitted["n_features_in_"], "n_features_in_")
    need(n_features, "n_features_in_ must not be 0")
    n_classes = check_classes(fitted["classes_"]) if "classes_" in fitted else 1
    sizes = Sizes(n_classes, n_functions(n_classes), n_features)
    check_state(fitted["_state"], {state.name for state in _saved(kind).states}, sizes)
    rules = _RULES if "classes_" in fitted else {**_RULES, **_REGRESSION}
    for name, value in fitted.items():
        if name in rules:
            rules[name](value, name, sizes)
    if isinstance(fitted["_state"], moments.State):
        need({"coef_", "intercept_"} <= fitted.keys(), "coef_ and intercept_ are missing")
    if "counts_" in fitted:
        check_array(fitted["counts_"], "counts_", (fitted["_state"].updates + 1,), WHOLE)
    if isinstance(fitted["_state"], learner.Model):
        check_tagger(fitted, fitted["_state"])
    if isinstance(fitted["_state"], kernel.State):
        _check_dual(fitted, fitted["_state"], sizes.functions)


def _check_dual(fitted: dict[str, Any], state: kernel.State, functions: int) -> None:
    """Check what a kernel perceptron has for each row that is kept, and its stages."""
    n_support = len(state.origin)
    check_array(fitted["support_"], "support_", (n_support,), WHOLE)
    for name in ("dual_coef_", "mean_dual_coef_"):
        check_finite(fitted[name], name, (functions, n_support))
    need(fitted["t_"] == state.steps, "t_ is not the number of steps")
    n_iter = int(fitted["n_iter_"])
    need(n_iter == len(fitted["mistakes_"]), "mistakes_ must have a number for each pass")
    # Passes end at these steps, each after the one before.
    before = (n_iter - 1) * int(state.latest)
    need(n_iter == 1 or 0 < before <= state.steps, "there are more passes than steps")


Rule = Callable[[Any, str, Sizes], Any]


def _function(value: Any, name: str, sizes: Sizes) -> None:
    check_finite(value, name, (sizes.functions, sizes.features), FLOATS)


def _intercepts(value: Any, name: str, sizes: Sizes) -> None:
    # That of a class which is ruled out is infinite.
    array = check_array(value, name, (sizes.functions,), FLOATS)
    need(not np.isnan(array).any(), f"{name} has NaN")


def _for_classes(value: Any, name: str, sizes: Sizes) -> None:
    check_array(value, name, (sizes.classes,))


def _for_features(value: Any, name: str, sizes: Sizes) -> None:
    check_array(value, name, (sizes.features,))


def _for_both(value: Any, name: str, sizes: Sizes) -> None:
    check_array(value, name, (sizes.classes, sizes.features))


def _names(value: Any, name: str, sizes: Sizes) -> None:
    check_array(value, name, (sizes.features,), (np.dtype(object),))
    need(all(isinstance(item, str) for item in value), f"{name} must be texts")


def _shrinkage(value: Any, name: str, sizes: Sizes) -> None:
    (_for_classes if isinstance(value, np.ndarray) else _number)(value, name, sizes)


def _path(value: Any, name: str, sizes: Sizes) -> None:
    need(isinstance(value, Path), f"{name} must be a path")
    size = check_vector(value.thresholds, name).shape
    check_array(value.errors, name, size)
    check_array(value.n_features, name, size, WHOLE)


def _curve(value: Any, name: str, sizes: Sizes) -> None:
    from rosenblatt.stream.calibration import Calibration, Isotonic, checked  # few files have one

    if isinstance(value, Calibration):
        try:
            checked(list(value), sizes.classes)
        except ValueError as error:
            need(False, str(error))
        return
    need(isinstance(value, Isotonic), f"{name} must be a sigmoid or increasing curves")
    check_array(value.sizes, f"{name}.sizes", (sizes.functions,), WHOLE)
    corners = check_vector(value.scores, f"{name}.scores")
    total = (len(corners),)
    chances = check_finite(value.probabilities, f"{name}.probabilities", total)
    check_finite(corners, f"{name}.scores", total)
    need(
        (value.sizes > 0).all() and value.sizes.sum() == len(corners),
        f"{name}.sizes do not add up to the corners",
    )
    need(((chances >= 0) & (chances <= 1)).all(), f"{name} has what is no probability")
    ends = np.cumsum(value.sizes)[:-1]
    for curve in (*np.split(corners, ends), *np.split(chances, ends)):
        need((np.diff(curve) >= 0).all(), f"{name} has a curve that falls")


def _text(value: Any, name: str, sizes: Sizes) -> None:
    need(type(value) is str, f"{name} must be a text")


def _type(value: Any, name: str, sizes: Sizes) -> None:
    need(isinstance(value, np.dtype) and value in FLOATS, f"{name} must be a type of floats")


def _number(value: Any, name: str, sizes: Sizes) -> None:
    check_number(value, name)


def _count(value: Any, name: str, sizes: Sizes) -> None:
    check_count(value, name)


def _flag(value: Any, name: str, sizes: Sizes) -> None:
    check_flag(value, name)


_RULES: dict[str, Rule] = {
    "feature_names_in_": _names,
    "coef_": _function,
    "intercept_": _intercepts,
    "mistakes_": lambda value, name, sizes: check_vector(value, name, WHOLE),
    "wrong_tokens_": lambda value, name, sizes: check_vector(value, name, WHOLE),
    "n_mistakes_": _count,
    "n_iter_": _count,
    "converged_": _flag,
    "t_": _count,
    "calibration_": _curve,
    "_calibrated_with": _text,
    "ledger_": lambda value, name, sizes: check_ledger(value, sizes),
    "loss_curve_": lambda value, name, sizes: check_vector(value, name, DOUBLE),
    "validation_curve_": lambda value, name, sizes: check_vector(value, name, DOUBLE),
    "alpha_": _number,
    "eta0_": _number,
    "gamma_": _number,
    "means_": _for_both,
    "priors_": _for_classes,
    "shrinkage_": _shrinkage,
    "class_prior_": _for_classes,
    "class_count_": _for_classes,
    "theta_": _for_both,
    "var_": _for_features,
    "feature_log_prob_": _for_both,
    "centroids_": _for_both,
    "variance_": _number,
    "threshold_": _number,
    "deviations_": _for_both,
    "within_class_std_dev_": _for_features,
    "n_features_left_": _count,
    "path_": _path,
    "_dtype": _type,
}
_REGRESSION: dict[str, Rule] = {
    "coef_": lambda value, name, sizes: check_finite(value, name, (sizes.features,), FLOATS),
    "intercept_": _number,
}
