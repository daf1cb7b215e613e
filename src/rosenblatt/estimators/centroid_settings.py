"""What settings of the nearest centroid go together."""

from numbers import Real
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators.params import at_least, flag


def has_chances(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if the metric has no probabilities."""
    if model.metric == "euclidean":
        return True
    raise AttributeError(
        f"metric={model.metric!r} has distances but no probabilities; use metric='euclidean'"
    )


def can_go_on(model: Any) -> bool:
    """Say yes, or raise ``AttributeError`` if rows cannot be learned from in parts."""
    if not isinstance(model.shrink_threshold, str):
        return True
    raise AttributeError(
        "shrink_threshold='cv' needs all rows at once: call fit, then go on with a model whose "
        "shrink_threshold is the threshold_ that was found"
    )


def check_together(model: Any) -> None:
    """Raise ``ValueError`` if the parameters do not go together."""
    if model.metric not in ("euclidean", "manhattan", "hamming"):
        raise ValueError(
            f"metric must be 'euclidean', 'manhattan' or 'hamming', got {model.metric!r}"
        )
    shrink = model.shrink_threshold
    finite = at_least(0)(shrink) and isinstance(shrink, Real) and float(shrink) < np.inf
    if not (shrink is None or finite or (isinstance(shrink, str) and shrink == "cv")):
        raise ValueError(
            f"shrink_threshold must be None, 'cv' or a number that is not negative, got {shrink!r}"
        )
    plain = isinstance(model.priors, str) and model.priors == "uniform"
    if model.metric != "euclidean" and not (shrink is None and plain):
        what = "shrink_threshold" if shrink is not None else "priors"
        raise ValueError(
            f"{what}={getattr(model, what)!r} needs metric='euclidean'; {model.metric!r} has "
            "distances only"
        )


def as_thresholds(thresholds: Any) -> int | Array:
    """Return how many thresholds to try, or these."""
    if at_least(2)(thresholds) and not flag(thresholds) and int(thresholds) == thresholds:
        return int(thresholds)
    try:
        result = np.asarray(thresholds, np.float64)
    except (TypeError, ValueError):
        result = np.empty(0)
    if result.ndim != 1 or not result.size or not (np.isfinite(result) & (result >= 0)).all():
        raise ValueError(
            "thresholds must be a whole number, 2 or more, or numbers that are not negative, got "
            f"{thresholds!r}"
        )
    return result
