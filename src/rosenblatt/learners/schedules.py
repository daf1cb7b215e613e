"""Step sizes: a schedule gives the next ``count`` of them, from the ``first``-th update on.

It may return fewer, but at least one; the caller then asks again.
"""

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


def inverse(eta0: float = 1.0, over: float = 1.0) -> Schedule:
    """η = η₀ / (1 + (t − 1)/T), where t = 1, 2, … numbers the updates and T is ``over``.

    >>> inverse(1.0)(1, 4).tolist()
    [1.0, 0.5, 0.333..., 0.25]
    """
    if over == 1:
        return lambda first, count: eta0 / np.arange(first, first + count)
    return lambda first, count: eta0 / (1 + _before(first, count) / over)


def inverse_sqrt(eta0: float = 1.0, over: float = 1.0) -> Schedule:
    """η = η₀ / √(1 + (t − 1)/T).

    >>> inverse_sqrt(1.0)(1, 4).tolist()
    [1.0, 0.707..., 0.577..., 0.5]
    """
    return lambda first, count: eta0 / np.sqrt(1 + _before(first, count) / over)


def step_decay(eta0: float = 1.0, over: float = 1.0) -> Schedule:
    """η = η₀ · ½^⌊(t − 1)/T⌋: half as long after every T updates.

    >>> step_decay(1.0, over=2)(1, 6).tolist()
    [1.0, 1.0, 0.5, 0.5, 0.25, 0.25]
    """
    return lambda first, count: eta0 * 0.5 ** np.minimum(_before(first, count) // over, 1000)


def optimal(alpha: float, eta_first: float) -> Schedule:
    """η = 1 / (α (t₀ + t)), Bottou's for an L2 penalty α; t₀ makes the first step ``eta_first``.

    >>> optimal(0.1, eta_first=1.0)(1, 3).round(3).tolist()
    [1.0, 0.909, 0.833]
    """
    start = 1 / (alpha * eta_first) - 1
    return lambda first, count: 1 / (alpha * (start + np.arange(first, first + count)))


def _before(first: int, count: int) -> NDArray[Any]:
    return np.arange(first - 1, first - 1 + count, dtype=np.float64)


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
