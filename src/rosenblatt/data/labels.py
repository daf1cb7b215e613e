"""Labels in, class numbers out: any sortable labels become 0…K−1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.checks import what_is_not_finite

Labels = NDArray[Any]
_TEXTS = "OUS"
_PROBE = 1024


def encode(y: Labels) -> tuple[Labels, NDArray[np.intp]]:
    """Return the sorted distinct labels and, for each label, its position among them.

    >>> classes, codes = encode(np.array(["ham", "spam", "ham"]))
    >>> classes.tolist(), codes.tolist()
    (['ham', 'spam'], [0, 1, 0])
    """
    check_labels(y)
    # Sorting every label costs more than learning from it; a sample usually has all classes.
    classes = np.unique(y[:_PROBE])
    codes = positions(classes, y)
    if codes is None:
        classes, inverse = np.unique(y, return_inverse=True)
        codes = inverse.astype(np.intp, copy=False)
    return classes, codes


def as_labels(y: Any) -> Any:
    """Turn a list or tuple into an array that keeps its labels' types.

    NumPy would make text of them all if one is text, and of None and NaN with it.
    """
    if not isinstance(y, list | tuple):
        return y
    array = np.asarray(y)
    if array.dtype.kind in "US" and not all(isinstance(label, str | bytes) for label in y):
        array = np.empty(len(y), object)
        array[:] = y
    return array


def union(known: Labels, classes: Labels) -> Labels:
    """Return all classes, sorted; raise ``ValueError`` if they cannot stand side by side."""
    kinds = {_kind(labels.tolist()[0]) for labels in (known, classes)}
    if len(kinds) > 1:
        raise ValueError(
            f"y has labels such as {classes.tolist()[0]!r}, but the classes known so far are "
            f"{known.tolist()}: mixed types. Convert them to one type first"
        )
    everyone = np.unique(np.concatenate([known, classes]))
    if len(everyone) < len({*known.tolist(), *classes.tolist()}):
        raise ValueError(
            f"labels of type {known.dtype} and {classes.dtype} cannot be distinguished as "
            f"{everyone.dtype}. Convert them to one type first"
        )
    return everyone


def positions(classes: Labels, y: Labels) -> NDArray[np.intp] | None:
    """Find each label among the sorted classes; None if some label is not there."""
    if len(classes) == 2 and y.dtype.kind in "iufb":
        codes = (y == classes[1]).astype(np.intp)
        return (
            codes if len(y) == np.count_nonzero(codes) + np.count_nonzero(y == classes[0]) else None
        )
    codes = np.searchsorted(classes, y)
    np.minimum(codes, len(classes) - 1, out=codes)
    return codes if bool(np.all(classes[codes] == y)) else None


def places(classes: Labels, labels: Labels) -> Labels:
    """Return the place of each label among sorted classes, −1 for those that are not there.

    >>> places(np.array([1, 3]), np.array([3, 2, 1])).tolist()
    [1, -1, 0]
    """
    if not len(classes) or (classes.dtype.kind in _TEXTS) != (labels.dtype.kind in _TEXTS):
        return np.full(len(labels), -1)
    if len(classes) == 2 and labels.dtype.kind in "iufb":
        second = labels == classes[1]
        codes = second.view(np.int8).astype(np.intp)
        here = second | (labels == classes[0])
        return codes if here.all() else np.where(here, codes, -1)
    found = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[found] == labels, found, -1)


def check_labels(y: Labels) -> None:
    """Raise ``ValueError`` if labels are missing, of mixed types, or no classes."""
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if bad.size:
            kind = what_is_not_finite(y[bad[0]])
            raise ValueError(f"Input y contains {kind} at row {bad[0]}: every row needs a label")
        bad = np.flatnonzero(y != np.rint(y))
        if bad.size:
            raise ValueError(
                f"Unknown label type: continuous. y has {y[bad[0]]} at row {bad[0]}; "
                "classes must be whole numbers or names. To predict numbers take LinearRegression"
            )
    elif y.dtype.kind == "c":
        raise ValueError(
            "Unknown label type: complex numbers. Classes must be whole numbers or names"
        )
    elif y.dtype.kind in "mM" and np.isnat(y).any():
        raise ValueError(
            f"Input y contains NaT at row {np.flatnonzero(np.isnat(y))[0]}: every row needs a label"
        )
    elif y.dtype.kind == "O":
        _check_objects(y)


def _check_objects(y: Labels) -> None:
    if not len(y):
        return
    kinds = [_kind(label) for label in y]
    for row, kind in enumerate(kinds):
        if kind == "missing":
            raise ValueError(f"Input y contains NaN or None at row {row}: every row needs a label")
        if kind != kinds[0]:
            raise ValueError(
                f"y has labels of mixed types: {y[0]!r} ({kinds[0]}) at row 0, "
                f"{y[row]!r} ({kind}) at row {row}. Convert them to one type first"
            )
    if kinds[0] == "number":
        check_labels(y.astype(np.float64))
    try:
        min(y)
    except TypeError:
        raise ValueError(
            f"y has labels of type {kinds[0]}, which have no order. Use their names or numbers"
        ) from None


def _kind(label: object) -> str:
    if label is None or (isinstance(label, float | np.floating) and np.isnan(label)):
        return "missing"
    if type(label).__name__ in ("NAType", "NaTType"):  # of pandas, which need not be installed
        return "missing"
    if isinstance(label, bool | np.bool_ | int | np.integer | float | np.floating):
        return "number"
    return type(label).__name__
