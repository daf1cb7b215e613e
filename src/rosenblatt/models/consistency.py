"""What the parts of a fitted model must say of each other: its parameters, counts and state.

Each may be valid by itself and still contradict the others, such as more mistakes than steps.
``coef_`` and ``intercept_`` may be what they are: people move thresholds by hand.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, all_finite
from rosenblatt.estimators._base.params import check_params, same_scaling
from rosenblatt.learners import adaptive, arow, descent, passive_aggressive, voted
from rosenblatt.learners.closed_form import moments, value_tables
from rosenblatt.learners.closed_form.planes import possible
from rosenblatt.learners.kernel_perceptron import learning as kernel
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE
from rosenblatt.models.checks import check_weights, need
from rosenblatt.persist.errors import ModelFileError
from rosenblatt.tagging import learner

_SHOWN = 300  # characters
_DESCENTS = (descent.State, adaptive.State)
_MISTAKES_APART = (*_DESCENTS, passive_aggressive.State, arow.State)
_ROUNDING = 1e-6
_NEAR = 1e-4  # of float32
# What classes are expected to be worth; of a model that has it, an intercept may be infinite.
_PRIORS = ("priors_", "class_prior_")


def check_agreement(model: Any) -> None:
    """Raise ``ModelFileError`` unless a fitted model's parts agree."""
    try:
        check_params(model)
        for base in type(model).__mro__:
            _OWN.get(base.__name__, _nothing)(model)
        _check_what_all_have(model)
    except ModelFileError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        # What a fit would say, too: a parameter may be anything, and of any size.
        raise ModelFileError(" ".join(str(error).split())[:_SHOWN]) from None


def _check_what_all_have(model: Any) -> None:
    state = model._state
    if hasattr(state, "steps"):
        _check_counts(model, state)
    if "n_iter_" in vars(model):
        _check_passes(model)
    if hasattr(state, "fit_intercept"):
        _check_intercepts(model, state)
    priors = [name for name in _PRIORS if name in vars(model)]
    if priors:
        _check_priors(model, state, priors[0])
    elif "intercept_" in vars(model):
        need(all_finite(np.asarray(model.intercept_)), "intercept_ has a number that is not finite")


def _check_intercepts(model: Any, state: Any) -> None:
    learned = bool(state.fit_intercept)
    need(
        learned == model.fit_intercept,
        f"fit_intercept={model.fit_intercept}, and it learned with {learned}",
    )
    need(same_scaling(model, state), "intercept_scaling is not the one it learned with")
    none = not np.any(state.intercept)
    need(model.fit_intercept or none, "there are intercepts, and fit_intercept=False")


def _check_priors(model: Any, state: Any, name: str) -> None:
    """Check the priors, and that intercepts are infinite just where a class is ruled out.

    The weight of each class's rows is in the state, and once more in an attribute.
    """
    weight, priors = state.weight, check_weights(getattr(model, name), name, state.weight.shape)
    need(abs(priors.sum() - 1) <= _ROUNDING, f"{name} must add up to 1")
    need(weight.any(), "no class has rows")
    if "intercept_" not in vars(model):
        return
    chosen, intercept = possible(weight, priors), model.intercept_
    if len(chosen) > 2:
        expected: Any = np.where(chosen, 0.0, -np.inf)
    else:
        expected = np.array([0.0 if chosen.all() else np.inf if chosen[-1] else -np.inf])
    beyond = np.where(np.isfinite(intercept), 0.0, intercept)
    need(
        np.array_equal(beyond, expected),
        "intercept_ must be infinite where a class is ruled out, and finite elsewhere",
    )


def _check_passes(model: Any) -> None:
    """Check that there is a number for each pass, and that they are possible together."""
    n_iter, named = model.n_iter_, vars(model)
    need(n_iter >= 1, "n_iter_ must not be 0")
    for name in ("mistakes_", "wrong_tokens_", "loss_curve_", "validation_curve_"):
        if name in named:
            numbers = named[name]
            need(len(numbers) == n_iter, f"{name} must have a number for each of {n_iter} passes")
            need(all_finite(numbers), f"{name} has a number that is not finite")
            counts = numbers.dtype.kind == "i"
            need(not counts or numbers.min() >= 0, f"{name} has a negative number")
    if "mistakes_" not in named:
        return
    total = sum(model.mistakes_.tolist())
    # Of passes before, and without those after the best one, as the state is, if it was held out.
    fits = total <= model.n_mistakes_ or "validation_curve_" in named
    need(fits, "n_mistakes_ is less than the mistakes of the passes")
    if not isinstance(model._state, _DESCENTS):
        clean = model.mistakes_[-1] == 0
        need(clean or not model.converged_, "converged_ is true, and the last pass made mistakes")


def _check_counts(model: Any, state: Any) -> None:
    """Check that counts agree with the state, and are possible in so many steps."""
    need(model.t_ == state.steps, "t_ is not the number of steps")
    most = state.steps * (len(state.born) if isinstance(state, kernel.State) else 1)
    for name in ("updates", "mistakes", "averaged", "moves"):
        if hasattr(state, name):
            settled = name == "updates" and isinstance(state, descent.State)
            limit = most + descent.SETTLED if settled else most
            need(getattr(state, name) <= limit, f"{name} is more than there were steps for")
    # Of these an update need not be a mistake; the batch perceptron counts those of a pass.
    apart = isinstance(state, _MISTAKES_APART)
    made = state.mistakes if apart else state.updates
    named = vars(model)
    need(named.get("n_mistakes_", made) == made, "n_mistakes_ is not the number of mistakes")
    if "mistakes_" in named:
        need(
            model.mistakes_.max(initial=0) <= most, "a pass made more mistakes than there are steps"
        )


def _nothing(model: Any) -> None:
    """Check nothing: there is nothing that only this model has."""


def _check_voted(model: Any) -> None:
    expected = voted.counts(model._state)
    need(np.array_equal(model.counts_, expected), "counts_ is not how long hypotheses lived")


def _check_kernel(model: Any) -> None:
    from rosenblatt.estimators._base.kernel import as_fitted  # and with it scikit-learn

    state = model._state
    if state.kernel != CALLABLE:  # a function is not in the file, and is set after it is loaded
        as_fitted(model, state)
    joint = model.multi_class == "joint"
    need(len(state.born) == 1 or state.joint == joint, "multi_class is not what it learned with")
    need(model.gamma_ == state.gamma, "gamma_ is not the γ of the kernel")
    need(np.array_equal(model.support_, state.origin), "support_ is not the rows that are kept")
    for name, averaged in (("dual_coef_", False), ("mean_dual_coef_", True)):
        expected = kernel.coefficients(state, averaged)
        same = np.allclose(getattr(model, name), expected, _ROUNDING, _ROUNDING)
        need(same, f"{name} is not what the changes add up to")


def _check_descent(model: Any) -> None:
    state = model._state
    # Where it is a parameter, it may be changed halfway.
    fixed = "loss" not in model.get_params(deep=False)
    sound = state.loss == model.loss if fixed else model._rules["loss"][0](state.loss)
    need(sound, f"it learned with loss={state.loss}")
    adapts = "with" if isinstance(state, adaptive.State) else "without"
    need(
        isinstance(state, model._learner.State),
        f"it learned {adapts} learning_rate='adaptive'",
    )
    if "eta0_" in vars(model):
        need(0 < model.eta0_ < np.inf, "eta0_ must be positive and finite")


def _check_bayes(model: Any) -> None:
    state = model._state
    model._check_unchanged()
    _same(model, "class_count_", state.weight)
    if isinstance(state, moments.State):
        _has(model, "theta_", "var_")
        _same(model, "theta_", state.mean)
        need(_positive(model.var_), "var_ must be positive and finite")
    else:
        _has(model, "feature_log_prob_")
        sums, most = state.sums, np.inf if state.binarize is None else state.weight[:, None]
        need(np.all((sums >= 0) & (sums <= most * (1 + _ROUNDING))), "sums are not of these rows")
        # Of a complement they are the weights, with the opposite sign. With alpha=0 some logarithms
        # are of zero.
        logs = model.feature_log_prob_ * (-1 if model.distribution == "complement" else 1)
        need(
            not np.isnan(logs).any() and logs.max() <= _ROUNDING and _zeros_fit(model, logs),
            "feature_log_prob_ are not log-probabilities",
        )


def _zeros_fit(model: Any, logs: Array) -> bool:
    """Say whether logarithms are finite, or α is zero for the features whose are not."""
    endless = np.isinf(logs)
    return not endless.any() or bool((np.broadcast_to(model.alpha, logs.shape)[endless] == 0).all())


def _check_centroid(model: Any) -> None:
    from rosenblatt.estimators.centroid import check_together  # and with it scikit-learn

    state, named = model._state, vars(model)
    check_together(model)
    of_values = isinstance(state, value_tables.State)
    need(of_values == (model.metric != "euclidean"), "metric is not what it learned with")
    seen = model.centroids_[state.weight > 0]
    need(all_finite(seen), "centroids_ has a number that is not finite")
    if of_values:
        return
    _has(model, "variance_")
    need(0 < model.variance_ < np.inf, "variance_ must be positive and finite")
    if model.shrink_threshold is None and "threshold_" not in named:
        _same(model, "centroids_", state.mean)
    if "threshold_" in named:
        need(0 <= model.threshold_ < np.inf, "threshold_ must be finite and not negative")
    if "n_features_left_" in named:
        need(model.n_features_left_ <= model.n_features_in_, "n_features_left_ is too large")
    if "deviations_" in named:
        need(all_finite(model.deviations_), "deviations_ has a number that is not finite")
    if "within_class_std_dev_" in named:
        shape = model.within_class_std_dev_.shape
        check_weights(model.within_class_std_dev_, "within_class_std_dev_", shape)
    if "path_" in named:
        _check_path(model.path_, model.n_features_in_)


def _check_path(path: Any, n_features: int) -> None:
    check_weights(path.thresholds, "path_.thresholds", path.thresholds.shape)
    check_weights(path.errors, "path_.errors", path.errors.shape)
    need(path.errors.size and path.errors.max() <= 1 + _ROUNDING, "path_ has errors above 1")
    left = path.n_features
    need(left.min() >= 0 and left.max() <= n_features, "path_ has features that there are not")


def _check_discriminant(model: Any) -> None:
    state, shrinkage = model._state, model.shrinkage_
    auto = model.shrinkage == "auto"
    need(state.each or not auto, "shrinkage='auto', and it did not keep the sums for that")
    need(isinstance(shrinkage, np.ndarray) == auto, "shrinkage_ is not what shrinkage asks for")
    inside = np.all((np.asarray(shrinkage) >= 0) & (np.asarray(shrinkage) <= 1))
    need(inside, "shrinkage_ must lie in 0…1")
    _same(model, "means_", state.mean)


def _check_tagger(model: Any) -> None:
    state: learner.Model = model._state
    need((state.trigrams is not None) == (model.order == 2), "order is not what it learned with")
    total = sum(model.mistakes_.tolist())
    need(model.n_mistakes_ == total, "n_mistakes_ is not the number of mistakes")
    enough = np.all(model.wrong_tokens_ >= model.mistakes_)
    need(enough, "wrong_tokens_ has fewer tokens than sequences with mistakes")


def _has(model: Any, *names: str) -> None:
    for name in names:
        need(name in vars(model), f"{name} is missing")


def _same(model: Any, name: str, expected: Array) -> None:
    need(np.array_equal(getattr(model, name), expected), f"{name} is not what the state says")


def _positive(array: Array) -> bool:
    return all_finite(array) and bool((array > 0).all())


# By the names of classes; those made from them have the same checks.
_OWN: dict[str, Callable[[Any], None]] = {
    "VotedPerceptron": _check_voted,
    "KernelPerceptron": _check_kernel,
    "Descent": _check_descent,
    "NaiveBayes": _check_bayes,
    "NearestCentroid": _check_centroid,
    "LinearDiscriminant": _check_discriminant,
    "SequenceTagger": _check_tagger,
}
