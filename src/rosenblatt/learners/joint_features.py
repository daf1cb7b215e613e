"""Features of an input and an output together, by name or as a vector, and weights for them."""

from collections.abc import Hashable, Iterator, Mapping
from math import hypot, isfinite
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.geometry.hyperplane import length as vector_length

Features: TypeAlias = Mapping[Any, float] | Array  # what a problem may return
Vector: TypeAlias = dict[Hashable, float] | Array  # what is made of it


class Weights(Mapping[Hashable, float]):
    """Weights by the names of features. A name that has none weighs 0, and none can be set.

    ``weights @ features`` is the score ``w·Φ``, as it is where both are vectors.

    >>> weights = Weights({"long": 2.0, "blue": -1.0})
    >>> weights["long"], weights["red"], weights @ {"long": 3, "red": 1}
    (2.0, 0.0, 6.0)
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Hashable, float]) -> None:
        self._values = values

    def __getitem__(self, name: Hashable) -> float:
        return self._values.get(name, 0.0)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __matmul__(self, features: Mapping[Any, float]) -> float:
        weight = self._values.get
        return sum((value * weight(name, 0.0) for name, value in features.items()), 0.0)

    def __repr__(self) -> str:
        return f"Weights({self._values!r})"


def shown(weights: Any) -> Any:
    """Return weights as a problem sees them: it may read but not change them."""
    if isinstance(weights, Weights):
        return weights
    if isinstance(weights, Mapping):
        return Weights(weights)
    view = np.asarray(weights).view()
    view.flags.writeable = False
    return view


def vector(features: Any, like: Vector | None = None) -> Vector:
    """Copy features into a dict or a vector of finite float64, or raise ``ValueError``.

    They must be of the same kind and, as vectors, of the same length as ``like``.
    """
    made: Vector
    if isinstance(features, Mapping):
        made = {name: _number(name, value) for name, value in features.items()}
    else:
        made = _array(features)
    if like is not None and isinstance(like, dict) != isinstance(made, dict):
        kinds = ("a dict", "a vector") if isinstance(made, dict) else ("a vector", "a dict")
        raise ValueError(f"returned {kinds[0]} after {kinds[1]}; return one or the other")
    if like is not None and len(made) != len(like) and not isinstance(made, dict):
        raise ValueError(
            f"returned {len(made)} numbers after {len(like)}; return vectors of one length"
        )
    return made


def _number(name: Any, value: Any) -> float:
    if not isinstance(value, Real | np.bool_):
        raise ValueError(f"returned {value!r} for {name!r}; features must be numbers")
    number = float(value)
    if not isfinite(number):
        raise ValueError(f"returned {number} for {name!r}; features must be finite numbers")
    return number


def _array(features: Any) -> Array:
    try:
        array = np.asarray(features)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0), object)
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise ValueError(
            f"must return a dict from names to numbers, or a vector of numbers, got "
            f"{type(features).__name__}"
            + (f" of shape {array.shape}" if array.ndim and array.size else "")
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise ValueError(f"returned {array[bad[0]]} at {bad[0]}; features must be finite numbers")
    return array.astype(np.float64)  # a copy: a problem may fill the same array every time


def zeros(like: Vector) -> Vector:
    """Make weights of zero for features of this kind."""
    return {} if isinstance(like, dict) else np.zeros_like(like)


def difference(right: Any, wrong: Any) -> Vector:
    """Return ``right − wrong``; names whose features are equal are left out."""
    if isinstance(right, dict):
        change = dict(right)
        for name, value in wrong.items():
            change[name] = change.get(name, 0.0) - value
        return {name: value for name, value in change.items() if value}
    with np.errstate(over="ignore"):  # `add` looks for what overflowed
        return np.asarray(right - wrong)


def add(weights: Any, change: Any, times: float = 1.0) -> None:
    """Add a multiple of a change to weights, in place; raise ``ValueError`` if they overflow."""
    if isinstance(weights, dict):
        for name, value in change.items():
            weights[name] = weights.get(name, 0.0) + times * value
        finite = all(isfinite(weights[name]) for name in change)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            weights += times * change
        finite = bool(np.isfinite(weights).all())
    if not finite:
        raise ValueError("the weights grew too large for float64: scale the features down")


def size(weights: Any, features: Any) -> float:
    """Return ``Σ |wⱼ Φⱼ|``, how large a score's terms are: its rounding is relative to that."""
    if isinstance(weights, Mapping):
        terms = (value * weights.get(name, 0.0) for name, value in features.items())
        return sum(map(abs, terms), 0.0)
    return float(np.abs(weights) @ np.abs(features))


def mean(weights: Any, total: Any, steps: int) -> Vector:
    """Return ``w − total / steps``, which `rosenblatt.learners.averaged` explains."""
    if isinstance(weights, dict):
        return {name: value - total[name] / steps for name, value in weights.items()}
    return np.asarray(weights - total / steps)


def length(weights: Any) -> float:
    """Return the Euclidean length of features or weights."""
    if isinstance(weights, Mapping):
        return hypot(*weights.values())
    return float(vector_length(np.asarray(weights))[0]) if len(weights) else 0.0
