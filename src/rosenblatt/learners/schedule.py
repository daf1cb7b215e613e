"""Step sizes: functions of the first update's number and a count, returning as many η."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Schedule: TypeAlias = Callable[[int, int], NDArray[Any]]


def constant(eta0: float = 1.0) -> Schedule:
    """η = η₀."""
    table = np.empty(0)

    def etas(first: int, count: int) -> NDArray[Any]:
        nonlocal table
        if len(table) < count:
            table = np.full(count, eta0)
        return table[:count]

    return etas


def inverse(eta0: float = 1.0) -> Schedule:
    """η = η₀ / t, where t = 1, 2, … numbers the updates.

    >>> inverse(1.0)(1, 4).tolist()
    [1.0, 0.5, 0.333..., 0.25]
    """
    return lambda first, count: eta0 / np.arange(first, first + count)


def of_step(function: Callable[[int], float], eta0: float = 1.0) -> Schedule:
    """η = η₀ f(t), where t = 1, 2, … numbers the updates."""

    def etas(first: int, count: int) -> NDArray[Any]:
        # A short table: the function is plain Python, and most of a long one would go unused.
        steps = range(first, first + min(count, 64))
        table = np.array([float(function(t)) for t in steps]) * eta0
        bad = np.flatnonzero(~(np.isfinite(table) & (table > 0)))
        if bad.size:
            raise ValueError(
                f"learning_rate({first + bad[0]}) gave a step of {table[bad[0]]}: "
                "every step size must be a positive, finite number"
            )
        return table

    return etas


def schedule(
    rate: str | Callable[[int], float], eta0: float, also: tuple[str, ...] = ()
) -> Schedule:
    """Choose a schedule by its name, or make one of a function of the step."""
    if callable(rate):
        return of_step(rate, eta0)
    if rate in ("constant", "inverse"):
        return (constant if rate == "constant" else inverse)(eta0)
    names = ", ".join(repr(name) for name in ("constant", "inverse", *also))
    raise ValueError(f"learning_rate must be {names} or a function of the step, got {rate!r}")
