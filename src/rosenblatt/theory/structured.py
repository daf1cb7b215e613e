"""How many mistakes can a structured perceptron make? Whatever the number of outputs.

Collins 2002, theorem 1: if a unit vector u has ``u·Φ(x, y) − u·Φ(x, z) ≥ δ`` for every example and
every other output z, and no update is longer than R, there are at most ``(R/δ)²`` mistakes. For
every mistake adds at least δ to ``w·u``, and at most R² to ``‖w‖²``, as the output found scored no
less than the right one. With costs of up to c it scored up to c less, which makes it R² + 2c. How
many outputs there are plays no part.
"""

from collections.abc import Sequence
from typing import Any

from rosenblatt.learners import joint_features as joint
from rosenblatt.learners.structured import features_of


def margin(problem: Any, X: Sequence[Any], y: Sequence[Any], weights: Any) -> float:
    """Return the least difference of the scores of a right output and its rival, at length one."""
    try:
        like = joint.vector(weights)
    except ValueError:
        raise ValueError(
            f"weights must be finite numbers, by name or as a vector, got {type(weights).__name__}"
        ) from None
    seen, length, least = joint.shown(like), joint.length(like), float("inf")
    if length == 0:
        return 0.0
    for i, (x, right) in enumerate(zip(X, y, strict=True)):
        ours = features_of(problem, x, right, i, like if i else None)
        if not i:
            _check_weights(like, ours)
        try:
            rival = problem.rival(x, seen, right)
        except Exception as error:
            error.add_note(f"It was raised by the problem's rival, at example {i}")
            raise
        if rival is not None:
            change = joint.difference(ours, features_of(problem, x, rival, i, like, found=True))
            least = min(least, float(seen @ change) / length)
    return least


def _check_weights(weights: joint.Vector, features: joint.Vector) -> None:
    """Raise ``ValueError`` if weights are not for features of this kind."""
    if isinstance(features, dict):
        if not isinstance(weights, dict):
            raise ValueError(
                "weights are a vector but features(x, y) returns a dict; give weights by name, as "
                "a dict"
            )
    elif isinstance(weights, dict) or len(weights) != len(features):
        kind = "a dict" if isinstance(weights, dict) else f"a vector of {len(weights)}"
        raise ValueError(
            f"weights are {kind} but features(x, y) returns a vector of {len(features)}; give as "
            "many weights as features, as a vector"
        )


def bound(radius: float, cost: float, margin: float) -> float:
    """Return what the mistakes cannot exceed, given a margin above zero."""
    return (radius / margin) ** 2 + 2 * (cost / margin) / margin
