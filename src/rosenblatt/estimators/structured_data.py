"""What a structured perceptron is given: a problem, examples, and examples to stop early by."""

import warnings
from collections.abc import Mapping, Set
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.estimators.descent import RULES as DESCENT_RULES
from rosenblatt.estimators.descent_passes import Progress
from rosenblatt.estimators.params import Rules, flag
from rosenblatt.learners import structured as learner
from rosenblatt.learners.joint_features import shown

RULES: Rules = {
    "averaged": (flag, "True or False"),
    "cost_augmented": (flag, "True or False"),
    "early_stopping": DESCENT_RULES["early_stopping"],
    "validation_fraction": DESCENT_RULES["validation_fraction"],
}


class Examples(NamedTuple):
    """Inputs, the right output for each, and the numbers of those that are meant."""

    X: list[Any]
    y: list[Any]
    rows: list[int]


def examples(X: Any, y: Any, whose: str = "") -> Examples:
    """Return inputs and outputs as lists of one length that are not empty."""
    if y is None:
        raise ValueError(f"{whose}y is None; give the right output for each input")
    inputs, outputs = listed(X, f"{whose}X"), listed(y, f"{whose}y")
    if len(inputs) != len(outputs):
        raise ValueError(
            f"{whose}X has {len(inputs)} inputs but {whose}y has {len(outputs)} outputs; give one "
            "for each"
        )
    if not inputs:
        raise ValueError(f"{whose}X is empty; give at least one example")
    return Examples(inputs, outputs, list(range(len(inputs))))


def pair(validation: Any) -> tuple[Any, Any]:
    """Return what is a pair (X, y) of examples, or raise ``ValueError``."""
    if not isinstance(validation, tuple | list) or len(validation) != 2:
        raise ValueError(
            "validation must be a pair (X, y) of inputs and outputs, got "
            f"{type(validation).__name__}"
        )
    return validation[0], validation[1]


def listed(values: Any, name: str, hint: str = "") -> list[Any]:
    """Return a sequence as a list, or raise ``ValueError`` if it is none."""
    table = hasattr(values, "columns")
    if not table and not isinstance(values, str | bytes | Mapping | Set):
        try:
            return list(values)
        except TypeError:
            pass
    raise ValueError(
        f"{name} must be a sequence, such as a list or an array, got {type(values).__name__}"
        + ("; to use its rows, give its to_numpy()" if table else hint and f"; {hint}")
    )


def check_problem(problem: Any, cost_augmented: bool = False) -> None:
    """Raise ``ValueError`` if a problem lacks a method that is needed."""
    if isinstance(problem, type):
        raise ValueError(
            f"problem is the class {problem.__name__}; give an object of it, {problem.__name__}()"
        )
    need(problem, "features", "(x, y), the features of an input and an output")
    need(problem, "argmax", "(x, weights), the best output for an input")
    if cost_augmented:
        need(
            problem,
            "argmax_with_cost",
            "(x, weights, y_true), the output of the largest score and cost, for cost_augmented",
        )


def need(problem: Any, name: str, what: str) -> None:
    """Raise ``ValueError`` unless a problem has a method; ``what`` says what it is for."""
    if not callable(getattr(problem, name, None)):
        raise ValueError(
            f"problem has no method {name!r}: give {type(problem).__name__} a method {name}{what}"
        )


def split(task: Examples, share: float, rng: np.random.Generator) -> tuple[Examples, Examples]:
    """Set a share of the examples aside, one at least."""
    n = len(task.rows)
    if n < 2:
        raise ValueError(
            "early_stopping has no example to hold out beside one to learn from: give more "
            "examples, or set early_stopping=False"
        )
    count = min(max(round(share * n), 1), n - 1)
    aside = set(rng.permutation(n)[:count].tolist())
    held_out = [row for row in task.rows if row in aside]
    learned = [row for row in task.rows if row not in aside]
    return task._replace(rows=learned), task._replace(rows=held_out)


def warn_of_miss(miss: learner.Miss, cost_augmented: bool) -> None:
    """Say that the right output beat the one that was said to be the best."""
    call, score = learner.asked(cost_augmented), "score + cost" if cost_augmented else "score"
    name = call.partition("(")[0]
    warnings.warn(
        f"{call} returned an output of {score} {miss.found:.9g} at example {miss.example}, but the "
        f"right output has {miss.right:.9g}: {name} must return the output of the LARGEST {score}; "
        "one that only searches, such as a beam, may ignore this",
        UserWarning,
        stacklevel=4,
    )


def total_cost(problem: Any, task: Examples, weights: Any) -> float:
    """Return the sum of the costs of the outputs that weights predict."""
    weights, total = shown(weights), 0.0
    for i in task.rows:
        found = learner.decode(problem, task.X[i], task.y[i], i, weights)
        total += learner.cost_of(problem, task.y[i], found, i)
    return total


class HeldOut:
    """Judges weights after each pass by examples held out, and keeps the best."""

    def __init__(
        self, problem: Any, task: Examples, averaged: bool, tol: float, patience: int
    ) -> None:
        self.problem, self.task, self.averaged = problem, task, averaged
        self.progress = Progress(tol, patience)
        self.curve: list[float] = []
        self.best: tuple[Any, Any] = ({}, {})

    def judge(self, state: learner.State) -> bool:
        """Take note of the weights after a pass, and say whether it is time to stop."""
        weights = learner.average(state) if self.averaged else state.weights.copy()
        self.curve.append(total_cost(self.problem, self.task, weights) / len(self.task.rows))
        if self.progress.better(self.curve[-1]):
            self.best = weights, state.weights.copy()
        return self.progress.stalls()
