"""The structured perceptron (Collins 2002): outputs of any kind, the best of which can be found.

``ŷ = argmax_z w·Φ(x, z)`` over all outputs z; on a mistake ``w ← w + Φ(x, y) − Φ(x, ŷ)``. The
features Φ and the argmax are a problem's own. The mean of the weights after every step is kept as
the averaged perceptron keeps it, by a second vector that changes on mistakes only.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from numbers import Real
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.learners import joint_features as joint
from rosenblatt.learners.joint_features import Features, Vector

ROUNDING = 1e-5  # of a score's terms: an argmax may add them up in any order, and in float32


class Problem(Protocol):
    """What to learn, as two functions of an input x and an output y, which may be anything.

    More are optional: ``cost(y_true, y)``, ``argmax_with_cost(x, weights, y_true)`` and
    ``rival(x, weights, y)``. `StructuredPerceptron` says what they mean.
    """

    def features(self, x: Any, y: Any) -> Features: ...
    def argmax(self, x: Any, weights: Any) -> Any: ...


class State(NamedTuple):
    """Weights by name or as a vector, sums ``Σ (t − 1) update_t`` for their mean, and counts.

    ``radius`` is the length of the longest update, ``cost`` the largest cost learned from.
    """

    weights: Vector
    total: Vector
    steps: int
    updates: int
    radius: float
    cost: float


class Miss(NamedTuple):
    """An example at which the right output scores more than the one that argmax returned.

    ``found`` and ``right`` are their scores, with the cost if it was to be counted in.
    """

    example: int
    found: float
    right: float


def init(problem: Problem, X: Sequence[Any], y: Sequence[Any], first: int = 0) -> State:
    """Start from zero weights, for features of the kind that the first example has."""
    like = features_of(problem, X[first], y[first], first)
    return State(joint.zeros(like), joint.zeros(like), 0, 0, 0.0, 0.0)


def update(
    state: State,
    problem: Problem,
    X: Sequence[Any],
    y: Sequence[Any],
    order: Iterable[int],
    *,
    cost_augmented: bool = False,
    log: list[int] | None = None,
    misses: list[Miss] | None = None,
) -> State:
    """Learn from examples in order, and write those mistaken to a log if one is given.

    The first at which ``argmax`` did not return a best output goes to ``misses`` if that is empty.
    """
    weights, total, steps, updates, radius, largest = state
    seen = joint.shown(weights)
    for i in order:
        found = decode(problem, X[i], y[i], i, seen, cost_augmented)
        if not same(y[i], found):
            _check_found(found, y, i, cost_augmented)
            right = features_of(problem, X[i], y[i], i, weights)
            wrong = features_of(problem, X[i], found, i, right, found=True)
            change = joint.difference(right, wrong)
            cost = cost_of(problem, y[i], found, i) if cost_augmented else 0.0
            if misses is not None and not misses:
                misses.extend(_missed(seen, right, wrong, change, cost, i))
            joint.add(weights, change)
            joint.add(total, change, steps)
            radius, updates = max(radius, joint.length(change)), updates + 1
            largest = max(largest, cost)
            if log is not None:
                log.append(i)
        steps += 1
    return State(weights, total, steps, updates, radius, largest)


def average(state: State) -> Vector:
    """Return the mean weights."""
    return joint.mean(state.weights, state.total, max(state.steps, 1))


def decode(problem: Any, x: Any, y: Any, i: int, weights: Any, cost_augmented: bool = False) -> Any:
    """Return the output of the largest score, or of the largest sum of score and cost."""
    try:
        if cost_augmented:
            return problem.argmax_with_cost(x, weights, y)
        return problem.argmax(x, weights)
    except Exception as error:
        name = "argmax_with_cost" if cost_augmented else "argmax"
        error.add_note(f"It was raised by the problem's {name}, at example {i}")
        raise


def _check_found(found: Any, y: Sequence[Any], i: int, cost_augmented: bool) -> None:
    """Raise ``ValueError`` if an output is None, unless None is the right one somewhere."""
    if found is None and all(right is not None for right in y):
        raise ValueError(
            f"{call_name(cost_augmented)} returned None at example {i}; is a return missing? It "
            "must return the best output"
        )


def _missed(
    weights: Any, right: Vector, wrong: Vector, change: Vector, cost: float, i: int
) -> list[Miss]:
    """Return what was missed, if anything: a right output ahead by more than rounding."""
    with np.errstate(over="ignore", invalid="ignore"):  # `add` looks for what overflowed
        ahead = float(weights @ change) - cost
        if not ahead > 0:
            return []
        terms = joint.size(weights, right) + joint.size(weights, wrong) + cost
        if not ahead > ROUNDING * terms:
            return []
        return [Miss(i, float(weights @ wrong) + cost, float(weights @ right))]


def call_name(cost_augmented: bool) -> str:
    """Return the method that finds outputs to learn from, as it is called."""
    return "argmax_with_cost(x, weights, y_true)" if cost_augmented else "argmax(x, weights)"


def features_of(
    problem: Problem, x: Any, y: Any, i: int, like: Vector | None = None, *, found: bool = False
) -> Vector:
    """Return the features of an example with its own output, or with one that was found for it."""
    where = f"example {i} and " + ("the output found for it" if found else "its own output")
    try:
        features = problem.features(x, y)
    except Exception as error:
        error.add_note(f"It was raised by the problem's features, at {where}")
        raise
    try:
        return joint.vector(features, like)
    except ValueError as error:
        raise ValueError(f"features(x, y) {error} (at {where})") from None


def cost_of(problem: Any, y_true: Any, y: Any, i: int) -> float:
    """Return the problem's cost of an output; without one, 0 if it is right and 1 if not."""
    if not hasattr(problem, "cost"):
        return 0.0 if same(y_true, y) else 1.0
    try:
        cost = problem.cost(y_true, y)
    except Exception as error:
        error.add_note(f"It was raised by the problem's cost, at example {i}")
        raise
    if not isinstance(cost, Real | np.bool_) or not isfinite(cost) or cost < 0:
        raise ValueError(
            f"cost(y_true, y) returned {cost!r} at example {i}; costs are finite numbers, 0 or more"
        )
    return float(cost)


def same(one: Any, other: Any) -> bool:
    """Say whether two outputs are equal. Lists, tuples and arrays of the same things are.

    >>> import numpy as np
    >>> same((1, [2, 3]), [1, np.array([2, 3])]), same([1, 2], [1, 2, 3]), same("a", "b")
    (True, False, False)
    """
    if one is other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    try:
        return bool(one == other)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"cannot tell whether two outputs of type {type(one).__name__} are equal: {error}. Let "
            "outputs be tuples, lists, arrays, or anything that == compares"
        ) from None
