"""Sharing out rows to folds for cross-validation."""

from numbers import Integral
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators.params import flag
from rosenblatt.learners.path import Folds


def as_folds(cv: Any, y: Array, kept: Array | None = None) -> Folds:
    """Return the fold that each row is tested in.

    A number of folds deals the rows of each class out in turn. Else ``cv`` splits as scikit-learn's
    splitters do, or is a list of such splits, and must test each row once. ``kept`` numbers the
    rows among those that the splits speak of.

    >>> as_folds(2, np.array([0, 0, 0, 1, 1])).of.tolist()
    [0, 1, 0, 1, 0]
    """
    if isinstance(cv, Integral) and not flag(cv):
        return _dealt(int(cv), y)
    if hasattr(cv, "split") and not isinstance(cv, str):
        return _listed([test for _, test in cv.split(np.zeros((len(y), 1)), y)], len(y))
    try:
        tests = [np.asarray(test, np.intp) for _, test in cv]
    except (TypeError, ValueError):
        raise ValueError(
            f"cv must be a number of folds, 2 or more, a splitter or a list of splits, got {cv!r}"
        ) from None
    if kept is None:
        return _listed(tests, len(y))
    folds = _listed(tests, int(max([kept[-1], *(test.max(initial=0) for test in tests)])) + 1, kept)
    return folds._replace(of=folds.of[kept])


def _dealt(count: int, y: Array) -> Folds:
    if count < 2:
        raise ValueError(f"cv must be a number of folds, 2 or more, got {count}")
    if count > len(y):
        count = len(y)
    # Sorted by class, rows go to the folds in turn: classes and folds differ by one row at most.
    order = np.argsort(y, kind="stable")
    of = np.empty(len(y), np.intp)
    of[order] = np.arange(len(y)) % count
    return Folds(of, count)


def _listed(tests: list[Array], n: int, needed: Array | None = None) -> Folds:
    of, times = np.full(n, -1), np.zeros(n, int)
    for f, test in enumerate(tests):
        if test.size and not (test.min() >= 0 and test.max() < n):
            raise ValueError(f"cv tests a row outside of 0…{n - 1} in split {f}")
        of[test] = f
        np.add.at(times, test, 1)
    bad = np.flatnonzero(times != 1) if needed is None else needed[times[needed] != 1]
    if len(tests) < 2 or bad.size:
        what = f"row {bad[0]} {times[bad[0]]} times" if bad.size else "rows in one split only"
        raise ValueError(f"cv tests {what}; use two splits or more that test each row once")
    return Folds(of, len(tests))
