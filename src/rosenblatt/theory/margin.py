"""The margin: how far from a plane an example lies, a set's nearest one, and the best there is."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.checks import as_numbers
from rosenblatt.data.labels import as_labels
from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory.certificates import Inseparable
from rosenblatt.theory.problem import as_problem
from rosenblatt.theory.separate import decide


def margin(X: Any, y: Any, plane: Any = None, *, fit_intercept: bool = True) -> float:
    """Return the margin of an example, of a set with respect to a plane, or of a set.

    The margin of an example is its distance to the plane, negative on the wrong side:
    ``y·(w·x + b)/‖w‖`` with y = ±1. That of a set is the smallest one. Without a plane it is the
    largest margin that any plane has.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features), or one example (n_features,)
        The rows.
    y : array of shape (n_samples,), or one label
        Labels of two classes, of which the one that sorts last belongs on the positive side. With a
        plane they may also be +1 and −1, one of which may be missing.
    plane : Hyperplane, weights w, pair (w, b) or fitted two-class estimator, optional
        With respect to which plane; by default the best.
    fit_intercept : bool, default=True
        Without a plane: whether planes need not go through the origin.

    Returns
    -------
    float

    Examples
    --------
    >>> margin([3.0, 4.0], 1, [0.6, 0.8])
    5.0
    >>> X, y = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> round(margin(X, y, ([1.0, 1.0], -1.5)), 6)
    0.353553
    >>> round(margin(X, y), 6)
    0.353553
    """
    if plane is None:
        answer = decide(as_problem(X, y, fit_intercept))
        if isinstance(answer, Inseparable):
            raise ValueError(
                "the set has no margin, as no hyperplane separates it; separate(X, y) shows why"
            )
        return answer.margin
    one = not sp.issparse(X) and np.ndim(X) == 1
    rows = as_numbers(np.atleast_2d(np.asarray(X)) if one else X)
    labels = np.atleast_1d(np.asarray(as_labels(y)))
    if labels.shape != rows.shape[:1]:
        raise ValueError(f"X has {rows.shape[0]} rows but y has the shape {labels.shape}")
    hyperplane = as_hyperplane(plane, rows.shape[1])
    return float(np.min(_signs(labels, plane) * hyperplane.signed_distance(rows)))


def as_hyperplane(plane: Any, n_features: int) -> Hyperplane:
    """Take a plane in any of its forms; raise ``ValueError`` if it does not fit the rows."""
    given = getattr(plane, "hyperplane_", getattr(plane, "hyperplane", plane))
    pair = isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 1
    if isinstance(given, Hyperplane):
        plane = given
    elif pair or (isinstance(given, list | tuple | np.ndarray) and np.ndim(given) == 1):
        plane = Hyperplane(*given) if pair else Hyperplane(given, 0.0)
    elif hasattr(given, "predict"):
        raise ValueError(
            f"this {type(given).__name__} has no hyperplane_: it is not fitted, or no linear model"
        )
    else:
        raise ValueError(
            "plane must be a Hyperplane, weights w, a pair (w, b) or a fitted estimator, "
            f"got {given!r}"
        )
    if plane.normal.shape != (n_features,):
        raise ValueError(
            f"X has {n_features} features, but the plane's normal has the shape "
            f"{plane.normal.shape}; for K classes take one plane, such as planes.between(k, j)"
        )
    return Hyperplane(plane.normal, plane.offset)


def _signs(labels: Array, plane: Any) -> Array:
    """Return +1 for the class on the positive side, −1 for the other."""
    values = set(labels.tolist())
    if hasattr(plane, "classes_"):
        known = plane.classes_.tolist()
    else:
        known = [-1, 1] if values <= {-1, 1} else sorted(values)
    if len(known) != 2 or not values <= set(known):
        which = f" {known}" if hasattr(plane, "classes_") else ", or +1 and −1"
        raise ValueError(f"labels must be of two classes{which}; got {sorted(values)}")
    return np.where(labels == known[1], 1, -1)
