"""The folds of cross-validation, the same for `compare`, `select` and their commands."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.metadata_routing import get_routing_for_object

from rosenblatt.data.rows import Array
from rosenblatt.model_selection.splits import Part, check_classes

Folds = list[tuple[Array, Array]]


def lists_rows(cv: Any) -> bool:
    """Tell an iterable of row numbers from a number of folds and a splitter."""
    return isinstance(cv, Iterable) and not isinstance(cv, str) and not hasattr(cv, "split")


def folds_of(rows: Part, cv: Any, classify: bool, random_state: Any, note: str = "") -> Folds:
    """Return for each fold the numbers of the rows to learn from, and of those that judge.

    ``cv`` is a number of folds, which are dealt at random with their part of each class; or a
    splitter of scikit-learn's; or an iterable of pairs of row numbers. ``note`` is added to what
    is said of a class with too few rows.
    """
    if lists_rows(cv):
        return [_checked(pair, rows.n) for pair in _pairs(cv)]
    if hasattr(cv, "split") and not isinstance(cv, str):
        splitter = cv
    elif isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(
            "cv must be a number of folds, 2 or more, a splitter, or pairs of row numbers, got "
            f"{cv!r}"
        )
    elif classify:
        check_classes(rows.y, int(cv), f"cv={cv} wants one for each fold{note}")
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    elif cv > rows.n:
        raise ValueError(f"cv={cv} wants a row for each fold, and {rows.n} rows are left")
    else:
        splitter = KFold(int(cv), shuffle=True, random_state=random_state)
    if get_routing_for_object(splitter).consumes("split", ["groups"]):
        name = type(splitter).__name__
        raise ValueError(
            f"cv={name}() needs groups, which are not passed on; give the pairs of row numbers: "
            f"cv=list({name}(…).split(X, y, groups))"
        )
    return list(splitter.split(np.zeros((rows.n, 1)), rows.y))


def _pairs(cv: Iterable[Any]) -> list[Any]:
    pairs = list(cv)
    if not pairs:
        raise ValueError("cv has no folds; give pairs of row numbers, or a number of folds")
    return pairs


def _checked(pair: Any, n: int) -> tuple[Array, Array]:
    """Return one fold, whose row numbers or masks must fit."""
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise ValueError(
            "cv must hold pairs, of the rows to learn from and the rows that judge, got "
            f"{str(pair)[:60]}"
        )
    learn, judge = (_numbers(part, n) for part in pair)
    return learn, judge


def _numbers(part: Any, n: int) -> Array:
    rows = np.asarray(part)
    if rows.dtype.kind == "b" and rows.shape == (n,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise ValueError(
            f"cv must hold pairs of row numbers, got the type {rows.dtype} of shape {rows.shape}"
        )
    outside = rows[(rows < 0) | (rows >= n)]
    if len(outside):
        raise ValueError(f"cv names row {outside[0]}, and X has the rows 0 to {n - 1}")
    return rows
