"""Checking parameters, and leaving an estimator as it was if anything goes wrong."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isclose
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put an estimator back as it was if anything, Ctrl-C included, ends the block early."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        estimator.__dict__ = before
        raise


def at_least(low: float, kind: Any = Real) -> Callable[[Any], bool]:
    """Accept numbers from ``low`` on."""
    return lambda value: isinstance(value, kind) and not flag(value) and bool(value >= low)


def one_of(*choices: Any) -> Callable[[Any], bool]:
    """Accept one of the choices."""
    return lambda value: isinstance(value, str) and value in choices


def positive(value: Any) -> bool:
    """Accept finite numbers above zero."""
    return isinstance(value, Real) and not flag(value) and 0 < float(value) < float("inf")


def flag(value: Any) -> bool:
    """Accept True and False."""
    return isinstance(value, bool | np.bool_)


def class_weights(value: Any) -> bool:
    """Accept None, "balanced", or positive numbers by class."""
    if isinstance(value, dict):
        return all(map(positive, value.values()))
    return value is None or one_of("balanced")(value)


Rules: TypeAlias = dict[str, tuple[Callable[[Any], bool], str]]

RULES: Rules = {
    "fit_intercept": (flag, "True or False"),
    "intercept_scaling": (
        lambda v: one_of("auto")(v) or (positive(v) and 1e-6 <= v <= 1e6),
        "'auto', or a number from 1e-6 to 1e6",
    ),
    "max_iter": (at_least(1, Integral), "a whole number, 1 or more"),
    "tol": (lambda v: v is None or at_least(0)(v), "None, or a number that is not negative"),
    "n_iter_no_change": (
        lambda v: one_of("auto")(v) or at_least(1, Integral)(v),
        "'auto', or a whole number, 1 or more",
    ),
    "shuffle": (flag, "True or False"),
    "selection": (one_of("cyclic", "random_mistake"), "'cyclic' or 'random_mistake'"),
    "eta0": (positive, "a positive number"),
    "ties": (one_of("mistake", "positive"), "'mistake' or 'positive'"),
    "normalize": (flag, "True or False"),
    "predict_with": (
        one_of("vote", "average", "last", "random"),
        "'vote', 'average', 'last' or 'random'",
    ),
    "class_weight": (
        class_weights,
        "None, 'balanced', or a dict with a positive number for each class",
    ),
    "calibration": (
        lambda v: v is None or one_of("sigmoid", "isotonic")(v),
        "None, 'sigmoid' or 'isotonic'",
    ),
    "warm_start": (flag, "True or False"),
    "record": (flag, "True or False"),
    "verbose": (lambda v: flag(v) or at_least(0, Integral)(v), "0 (silent) or 1 (a progress bar)"),
}


def check_params(estimator: Any) -> None:
    """Raise ``ValueError`` naming the first parameter that makes no sense.

    An estimator's own ``_rules`` come before those that all share.
    """
    rules = {**RULES, **getattr(estimator, "_rules", {})}
    for name, value in vars(estimator).items():
        if name in rules and not rules[name][0](value):
            raise ValueError(f"{name} must be {rules[name][1]}, got {value!r}")


def same_scaling(estimator: Any, state: Any) -> bool:
    """Say whether an estimator asks for the intercept's scale that a state has learned with."""
    scaling = getattr(estimator, "intercept_scaling", "auto")
    if isinstance(scaling, str) or not state.fit_intercept:
        return True
    return isclose(float(scaling) ** 2, state.fit_intercept, rel_tol=1e-6)
