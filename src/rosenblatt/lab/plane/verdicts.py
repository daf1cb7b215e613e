"""The verdict on points: does a line separate the classes? With a proof, and a mistake bound."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.lab.plane.points import Points, too_few
from rosenblatt.theory.bounds import MistakeBound, mistake_bound
from rosenblatt.theory.certificates import Inseparable, Separable
from rosenblatt.theory.problem import as_problem
from rosenblatt.theory.separate import decide


def verdict(points: Points, bias: bool) -> dict[str, Any]:
    """Say whether a line separates the classes; one through the origin, without a bias."""
    if len(points.present) < 2:
        return {"kind": "none", "text": f"{too_few(points.classes, points.present).capitalize()}."}
    try:
        return _of_two(points, bias) if points.binary else _of_many(points, bias)
    except RuntimeError as error:  # rounding leaves no answer that can be proved
        raise ValueError(str(error)) from None


def _of_two(points: Points, bias: bool) -> dict[str, Any]:
    return {**_proof(points, bias), "bias": bias, "bound": _bound(points, bias)}


def _proof(points: Points, bias: bool) -> dict[str, Any]:
    """Say whether a line separates class 1 from class 0, and what proves it."""
    answer = decide(as_problem(points.X, points.y, bias))
    return _separable(answer) if isinstance(answer, Separable) else _inseparable(points, answer)


def _separable(answer: Separable) -> dict[str, Any]:
    through = "" if answer.fit_intercept else " through the origin"
    count = len(answer.support)
    return {
        "kind": "separable",
        "margin": answer.margin,
        "w": answer.hyperplane.normal,
        "b": float(answer.hyperplane.offset),
        "support": answer.support,
        "weights": answer.weights,
        "text": f"Separable: the widest street{through} between the classes has margin "
        f"{answer.margin:.3g}, held by {_count(count, 'point')}.",
    }


def _inseparable(points: Points, answer: Inseparable) -> dict[str, Any]:
    meeting = answer.meeting_point(points.X, points.y)
    return {
        "kind": "inseparable",
        "points": answer.points,
        "weights": answer.weights,
        "meeting": meeting,
        "exact": answer.exact,
        "text": _why_not(points, answer, meeting),
    }


def _why_not(points: Points, answer: Inseparable, meeting: Array) -> str:
    count = len(answer.points)
    these = "this point proves it" if count == 1 else f"these {count} points prove it"
    if not answer.exact:
        return "Not separable, as far as rounding can tell: the hulls of the classes meet."
    if answer.fit_intercept:
        if len(np.unique(points.X[answer.points], axis=0)) == 1:
            return "Not separable: two points of different classes lie in the same place."
        return f"Not separable: {these}: their hulls meet in {_place(meeting)}."
    if count == 1:
        return "Not separable without a bias: a point lies in the origin, where every score is 0."
    return (
        f"Not separable by a line through the origin: {these}. "
        "Mirrored to one side by their classes, they surround it."
    )


def _bound(points: Points, bias: bool) -> dict[str, Any] | None:
    """Return the bound on the perceptron's mistakes, and what of it can be drawn in the plane.

    With a bias it is meant in the space of (x, 1): a point as far as R from its origin is as far as
    √(R² − 1) from the plane's, and γ there is γ/‖u‖ in the plane.
    """
    bound: MistakeBound = mistake_bound(points.X, points.y, fit_intercept=bias)
    if not bound.bound < np.inf:  # a margin so small that the bound is not a finite number
        return None
    u = np.asarray(bound.hyperplane.normal, np.float64)
    size = float(np.linalg.norm(u))
    lengths = np.linalg.norm(points.X, axis=1)
    away = np.abs(points.X @ u + float(bound.hyperplane.offset))
    return {
        "radius": bound.radius,
        "margin": bound.margin,
        "bound": bound.bound,
        "theorem": bound.theorem,
        "u": u,
        "offset": float(bound.hyperplane.offset),
        "farthest": int(lengths.argmax()),
        "nearest": np.flatnonzero(away <= away.min() * (1 + 1e-9) + 1e-12 * size),
        "drawn": {
            "radius": float(lengths.max()),
            "margin": bound.margin / size if size > 0 else None,
        },
        "text": str(bound).split("\n")[0],
    }


def _of_many(points: Points, bias: bool) -> dict[str, Any]:
    """Say of each class whether a line separates it from all others."""
    each = []
    for number, place in enumerate(points.present.tolist()):
        against = points._replace(y=(points.y == number).astype(points.y.dtype))
        proof = {**_proof(against, bias), "class": place}
        text = f"{points.classes[place]} against the rest: {proof['text']}"
        each.append({**proof, "separable": proof["kind"] == "separable", "text": text})
    first = next((k for k, proof in enumerate(each) if not proof["separable"]), 0)
    alone = [points.classes[proof["class"]] for proof in each if proof["separable"]]
    rest = [points.classes[proof["class"]] for proof in each if not proof["separable"]]
    text = f"A line separates {_listed(alone)} from the others" if alone else "No class has a line"
    if alone and rest:
        text += f", and none separates {_listed(rest, 'or')}."
    else:
        text += ", each by itself." if alone else " that separates it from the others."
    return {"kind": "many", "each": each, "first": first, "bias": bias, "text": text}


def _count(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _place(point: Array) -> str:
    return f"({', '.join(f'{value + 0:.3g}' for value in point.round(12))})".replace("-", "−")


def _listed(names: Sequence[str], word: str = "and") -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
