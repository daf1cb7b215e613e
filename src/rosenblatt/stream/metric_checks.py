"""What metrics and drift detectors are given, checked."""

from math import isfinite, nan
from numbers import Integral
from typing import Any


def is_count(value: Any, least: int) -> bool:
    """Say whether a parameter is a whole number, and at least so much."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def check_positive(y_true: Any, positive: Any) -> None:
    """Refuse a text as label if the positive class is not one: there would be no positives."""
    if isinstance(y_true, str) and not isinstance(positive, str):
        raise ValueError(
            f"positive={positive!r} is not a label like {y_true!r}: say which class is the "
            f"positive one, such as positive={y_true!r}"
        )


def probability(value: Any) -> float:
    """Return a probability as a number."""
    p = _as_float(value)
    if not 0 <= p <= 1:
        raise ValueError(
            f"{value!r} is not a probability: it must be between 0 and 1, or what "
            "predict_proba_one returned"
        )
    return p


def number(value: Any, what: str) -> float:
    """Return a finite number; ``what`` is its name."""
    found = _as_float(value)
    if not isfinite(found):
        raise ValueError(f"{what}={value!r} must be a finite number")
    return found


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return nan
