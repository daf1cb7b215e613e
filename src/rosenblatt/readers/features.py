"""The features of one example given as a dict: the rule that all formats share."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.data.frames import NOTHING

DEEPEST = 50  # dicts in dicts
_NUMBERS = frozenset((int, float, bool))
_TEXT = frozenset((str,))
_REAL = (int, float, np.bool_, np.integer, np.floating)


def features_of(x: Mapping[Any, Any]) -> tuple[list[str], list[float]]:
    """Return the names and values of an example's features.

    A number keeps its key as name. A string v under the key k is the category ``k=v`` with the
    value one, and a list is several strings, or numbers called ``k[0]``, ``k[1]``, …; a dict in the
    dict has names such as ``k.inner``. None and an empty string add nothing. A key that is a tuple,
    as River's n-grams are, is joined by blanks.

    >>> features_of({"age": 41, "city": "Oslo", "tags": ["new", "vip"], "home": {"rooms": 2.5}})
    (['age', 'city=Oslo', 'tags=new', 'tags=vip', 'home.rooms'], [41.0, 1.0, 1.0, 1.0, 2.5])
    """
    if type(x) is not dict and not isinstance(x, Mapping):
        raise not_features(x)
    if _NUMBERS.issuperset(map(type, x.values())) and _TEXT.issuperset(map(type, x)):
        try:
            values = list(map(float, x.values()))
        except OverflowError:
            values = [math.inf]
        if math.isfinite(sum(values)):  # so each of them is
            return list(x), values
    names: list[str] = []
    values = []
    _flatten(x, "", 1, names, values)
    return names, values


def not_features(x: Any) -> TypeError:
    """Return the error for what is not an example, with what to do about it."""
    return TypeError(
        f"an example must be a dict with the names and values of its features, such as "
        f'{{"length": 3.5, "colour": "red"}}, and this is '
        f"{'None' if x is None else 'of type ' + type(x).__name__}{_instead(x)}"
    )


def _instead(x: Any) -> str:
    if hasattr(x, "columns") and hasattr(x, "dtypes"):
        return "; for all rows of a data frame call learn_many(X, y) or predict_many(X)"
    if hasattr(x, "to_dict"):
        return "; for a row of a data frame give row.to_dict()"
    if isinstance(x, str):
        return "; for a text give its words, {word: 1 for word in text.split()}"
    if isinstance(x, list | tuple | np.ndarray):
        return (
            "; for a row of numbers give dict(enumerate(row)), and for whole arrays take an "
            "estimator, such as LogisticRegression"
        )
    return ""


def swapped() -> TypeError:
    """Return the error for a dict in place of a label."""
    return TypeError("the label is a dict: the features come first, learn_one(x, y)")


def _flatten(
    x: Mapping[Any, Any], prefix: str, depth: int, names: list[str], values: list[float]
) -> None:
    """Append the features of a dict to names and values."""
    if depth > DEEPEST:
        raise ValueError(
            f"feature {prefix[:60]!r} is nested deeper than {DEEPEST} dicts; flatten it"
        )
    for key, value in x.items():
        name = prefix + (key if type(key) is str else _key(key))
        kind = type(value)
        if kind is str and value:
            names.append(f"{name}={value}")
            values.append(1.0)
        elif kind is float and value - value == 0.0:  # finite
            names.append(name)
            values.append(value)
        elif kind is int or kind is str or value is None:
            _append(value, name, name, names, values)
        elif isinstance(value, Mapping):
            _flatten(value, name + ".", depth + 1, names, values)
        elif isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1):
            for j, item in enumerate(value):
                _append(item, name, f"{name}[{j}]", names, values)
        else:
            _append(value, name, name, names, values)


def _append(value: Any, key: str, name: str, names: list[str], values: list[float]) -> None:
    """Append the feature of a string or number, if it is one; ``name`` is that of a number."""
    if isinstance(value, str):
        if value:
            names.append(f"{key}={value}")
            values.append(1.0)
    elif isinstance(value, _REAL):
        values.append(as_number(value, name))
        names.append(name)
    elif value is not None and type(value).__name__ not in NOTHING:
        raise TypeError(
            f"feature {name!r} is a {type(value).__name__}; it must be a number, a string, a list "
            "of these, or a dict: convert it, or leave it out"
        )


def as_number(value: Any, name: str) -> float:
    """Return a finite float, or raise ``ValueError`` with the feature's name."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        advice = "leave it out, or use None" if math.isnan(number) else "it must be finite"
        raise ValueError(f"feature {name!r} is {number}; {advice}")
    return number


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, int | np.integer) and not isinstance(key, bool):
        return str(int(key))
    if isinstance(key, tuple) and key and not any(isinstance(part, tuple) for part in key):
        return " ".join(map(_key, key))
    raise TypeError(
        f"the key {key!r} is a {type(key).__name__}; use a string, a whole number or a tuple of "
        "these"
    )
