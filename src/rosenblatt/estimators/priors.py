"""What each class is worth before a row is looked at."""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array

_ROUNDING = 1e-6


def as_priors(priors: Any, weight: Array) -> Array:
    """Return the chance of each class: equal, the share of the weight it has, or as given.

    >>> as_priors("empirical", np.array([30.0, 10.0])).tolist()
    [0.75, 0.25]
    """
    if isinstance(priors, str):
        if priors not in ("uniform", "empirical"):
            raise _not(priors)
        return (
            weight / weight.sum() if priors == "empirical" else np.ones(len(weight)) / len(weight)
        )
    try:
        chances = np.asarray(priors, np.float64)
    except (TypeError, ValueError):
        raise _not(priors) from None
    if chances.ndim != 1:
        raise _not(priors)
    if len(chances) != len(weight):
        raise ValueError(
            f"priors has {len(chances)} numbers, but there are {len(weight)} classes; give one for "
            "each, in the order of classes_"
        )
    if not np.all(chances >= 0) or abs(chances.sum() - 1) > _ROUNDING:
        raise ValueError(
            f"priors are {chances.tolist()}, which are no chances: none may be negative, and they "
            "must add up to 1"
        )
    return chances


def _not(priors: Any) -> ValueError:
    return ValueError(
        f"priors must be 'uniform', 'empirical' or a number for each class, got {priors!r}"
    )
