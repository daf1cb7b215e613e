"""Some rows of a problem, kept beside its certificate so that a notebook can draw them."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, as_matrix, take
from rosenblatt.geometry import Hyperplane
from rosenblatt.geometry.hyperplane import length
from rosenblatt.theory.problem import Problem

MOST = 400  # rows; more would hide each other


class Sketch(NamedTuple):
    """Rows as points of the plane, or of more features by their signed distance from one.

    Attributes
    ----------
    places : array of shape (n_shown, 2) or (n_shown,)
        Where the rows lie; empty if there are more than two features and no plane.
    y : array of shape (n_shown,)
        Their classes as ±1.
    rows : array of shape (n_shown,)
        Their row numbers: first those that the certificate names, in its order.
    named : int
        How many these are.
    n : int
        How many rows there are.
    classes : tuple of str
        The two labels.
    """

    places: Array
    y: Array
    rows: Array
    named: int
    n: int
    classes: tuple[str, ...]


def sketch_of(problem: Problem, named: Array, plane: Hyperplane | None = None) -> Sketch:
    """Choose rows to show: those that are ``named``, and of the others some of each class."""
    named = named[: MOST // 2]
    rows = _chosen(problem, named)
    y = problem.y[rows]
    classes = tuple(map(str, problem.classes.tolist()))
    places: Any = np.empty(0)
    if problem.n_features == 2 or plane is not None:
        part = as_matrix(take(problem.rows, rows), problem.n_features)
        if problem.n_features == 2:
            places = np.asarray(part.toarray() if hasattr(part, "toarray") else part, np.float64)
        elif plane is not None:
            unit = plane.normal / length(plane.normal)
            places = np.asarray(part @ unit + plane.offset / float(length(plane.normal)[0]))
    for array in (places, y, rows):
        array.flags.writeable = False
    return Sketch(places, y, rows, len(named), problem.n, classes)


def _chosen(problem: Problem, named: Array) -> Array:
    rng, room, chosen = np.random.default_rng(0), MOST - len(named), [named]
    others = [np.setdiff1d(np.flatnonzero(problem.y == sign), named) for sign in (-1, 1)]
    for rows, other in zip(others, others[::-1], strict=True):
        share = max(room // 2, room - len(other))
        chosen.append(np.sort(rng.choice(rows, min(share, len(rows)), replace=False)))
    return np.concatenate(chosen).astype(np.intp)
