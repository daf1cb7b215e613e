"""Weights of rows: those given for each, and those of their classes."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.class_weight import compute_class_weight

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.checks import check_sample_weight
from rosenblatt.estimators._base.estimator import estimator_class


@estimator_class
class ClassWeighted:
    """Mixin of the classifiers that can weight classes.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        What the weight of a row is multiplied by: a number for each class, by its label, 1 for
        those that are not named; or "balanced", by which all classes have the same weight in sum.
    """

    class_weight: Any = None


class Kept(NamedTuple):
    """The rows that have a weight, their labels or numbers to predict, and these weights or None.

    ``rows`` are their numbers among the ``n_given`` rows; None if none was left out.
    """

    X: Any
    y: Array
    weights: Array | None
    rows: Array | None = None
    n_given: int = 0


def without_zeros(X: Any, y: Array, sample_weight: Any) -> Kept:
    """Check the weights of some rows, and leave out the rows of weight zero."""
    weights = check_sample_weight(sample_weight, X.shape[0])
    if weights is None or weights.all():
        return Kept(X, y, weights)
    rows = np.flatnonzero(weights)
    X = sp.csr_matrix(X)[rows] if sp.issparse(X) else X[rows]
    return Kept(X, y[rows], weights[rows], rows, len(weights))


def with_class_weight(
    estimator: Any, classes: Array, codes: Array, weights: Array | None, partial: bool = False
) -> Array | None:
    """Multiply the weights of rows by those of their classes; None if all come to 1."""
    chosen = estimator.class_weight
    if chosen is not None:
        if partial and isinstance(chosen, str):
            raise ValueError(
                "class_weight='balanced' needs all rows at once, so partial_fit does not support "
                "it: pass the weights that sklearn.utils.class_weight.compute_class_weight finds "
                "as a dict"
            )
        if not partial or not any(label in chosen for label in classes.tolist()):
            _check_names(chosen, classes)
        each = _of_classes(chosen, classes, codes, weights)[codes]
        with np.errstate(over="ignore"):
            weights = each if weights is None else weights * each
        if not np.isfinite(weights).all():
            raise ValueError("sample_weight times class_weight is too large for float64")
    return None if weights is None or (weights == 1).all() else weights


def _of_classes(chosen: Any, classes: Array, codes: Array, weights: Array | None) -> Array:
    """Return the weight of each class.

    Balanced weights are those of the rows' own weights: a row of weight 2 counts as two.
    """
    numbers = np.arange(len(classes))
    if not isinstance(chosen, str):
        places = {label: number for number, label in enumerate(classes.tolist())}
        named = {places[label]: float(w) for label, w in chosen.items() if label in places}
        return np.asarray(compute_class_weight(named, classes=numbers, y=codes), np.float64)
    present, found = np.unique(codes), np.ones(len(classes))  # an earlier call may have seen others
    if weights is None:
        found[present] = compute_class_weight(chosen, classes=present, y=codes)
    else:  # which compute_class_weight does as well, but not in all versions
        seen = np.bincount(codes, weights, len(classes))[present]
        found[present] = seen.sum() / (len(present) * seen)
    return found


def _check_names(chosen: Any, classes: Array) -> None:
    """Raise ``ValueError`` if a dict names what is not a class, and leaves out one that is."""
    if isinstance(chosen, str):
        return
    known = dict.fromkeys(classes.tolist())
    strange = [label for label in chosen if label not in known]
    unnamed = [label for label in known if label not in chosen]
    if strange and unnamed:
        raise ValueError(
            f"class_weight has {strange[0]!r}, which is not a class of y, and nothing for "
            f"{unnamed[0]!r}, which is one; name the classes as y does"
        )


def mean_of_one(weights: Array | None) -> Array | None:
    """Divide weights by their mean; None if all are equal.

    >>> mean_of_one(np.array([1.0, 3.0])).tolist()
    [0.5, 1.5]
    """
    if weights is None or weights.min() == weights.max():
        return None
    with np.errstate(over="ignore"):
        scaled = weights / weights.max()  # of which no sum is too large
    return np.asarray(scaled / scaled.mean())
