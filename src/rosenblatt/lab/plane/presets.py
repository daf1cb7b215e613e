"""Points to begin with: the lectures' examples, the logic gates, and some data."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array

_SQUARE = (-0.9, 1.9, -0.55, 1.55)
_BITS = ("0", "1")


class Preset(NamedTuple):
    """Points with their classes, a learner to watch, and what there is to see."""

    title: str
    note: str
    data: Callable[[], tuple[Any, Any]]
    learner: str = "perceptron"
    settings: Mapping[str, Any] = MappingProxyType({})
    classes: Sequence[str] = ("-1", "+1")
    names: Sequence[str] = ("x₁", "x₂")
    view: Sequence[float] | None = None


def _listed(X: list[list[float]], y: list[int]) -> Callable[[], tuple[Any, Any]]:
    return lambda: (np.array(X).reshape(-1, 2), np.array(y, int))


def _corners(y: list[int]) -> Callable[[], tuple[Any, Any]]:
    return _listed([[0, 0], [0, 1], [1, 0], [1, 1]], y)


def _blobs() -> tuple[Array, Array]:
    """Two clouds, and one point of the second far away on its own side."""
    rng = np.random.default_rng(177)
    left = rng.normal([-1.0, 0.3], 0.5, size=(10, 2))
    right = rng.normal([1.0, 0.6], 0.5, size=(9, 2))
    X = np.concatenate([left, right, [[7.5, -4.0]]]).round(1)
    return X, np.repeat([0, 1], 10)


def _moons() -> tuple[Array, Array]:
    from sklearn.datasets import make_moons

    X, y = make_moons(120, noise=0.14, random_state=3)
    return X.round(3), y


def _iris() -> tuple[Array, Array]:
    from sklearn.datasets import load_iris

    data = load_iris()
    return data.data[:, 2:], data.target


PRESETS: dict[str, Preset] = {
    "deck-b": Preset(
        "Worked example",
        "Deck B, without a bias: mistakes on the 1st, 3rd and 5th point lead to w = (3, 1).",
        _listed([[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [0, 1, 1, 0, 0, 1]),
        settings={"bias": False, "order": "given"},
        view=(-4.0, 4.0, -3.0, 3.0),
    ),
    "deck-a": Preset(
        "Three points",
        "Deck A: a line separates them, but none that goes through the origin.",
        _listed([[1, 1], [0.5, 3], [2, 2]], [1, 1, 0]),
        settings={"bias": True, "order": "given"},
        view=(-1.5, 4.1, -0.5, 3.7),
    ),
    "deck-e": Preset(
        "Nearest centroid",
        "Deck E, task 1: w = (2, 1) and b = −5.5, and the point (1, 4) comes out wrong.",
        _listed([[1, -2], [1, 4], [4, 2], [2, 2]], [0, 0, 1, 1]),
        "centroid",
        view=(-4.0, 8.0, -3.0, 6.0),
    ),
    "and": Preset(
        "AND",
        "True where both are: one line is enough.",
        _corners([0, 0, 0, 1]),
        classes=_BITS,
        view=_SQUARE,
    ),
    "or": Preset(
        "OR",
        "True where one is: one line is enough.",
        _corners([0, 1, 1, 1]),
        classes=_BITS,
        view=_SQUARE,
    ),
    "xor": Preset(
        "XOR",
        "No line separates these, so the perceptron never settles. Move a point, or take a kernel.",
        _corners([0, 1, 1, 0]),
        settings={"passes": 20},
        classes=_BITS,
        view=_SQUARE,
    ),
    "outlier": Preset(
        "Blobs, outlier",
        "One point far out pulls the mean of its class, and the boundary with it, over others. "
        "A perceptron does not mind.",
        _blobs,
        "centroid",
    ),
    "moons": Preset(
        "Two moons",
        "No line separates bent classes. The kernel perceptron does; then try a line.",
        _moons,
        "kernel",
        {"kernel": "rbf", "gamma": 2.0},
    ),
    "iris": Preset(
        "Iris",
        "Three species of iris by their petals: one stands apart, two overlap.",
        _iris,
        settings={"order": "shuffled", "passes": 20},
        classes=("setosa", "versicolor", "virginica"),
        names=("petal length, cm", "petal width, cm"),
    ),
    "empty": Preset("Empty", "Click to add points.", _listed([], []), view=(-4.0, 4.0, -3.0, 3.0)),
}


def preset(name: Any) -> dict[str, Any]:
    """Return a preset as the page wants it."""
    if not isinstance(name, str) or name not in PRESETS:
        raise ValueError(f"there is no preset of that name; there are {', '.join(PRESETS)}")
    chosen = PRESETS[name]
    X, y = chosen.data()
    return {
        "name": name,
        "title": chosen.title,
        "points": [[*row, number] for row, number in zip(X.tolist(), y.tolist(), strict=True)],
        "classes": list(chosen.classes),
        "names": list(chosen.names),
        "view": list(chosen.view) if chosen.view else view_of(X),
        "learner": chosen.learner,
        "settings": dict(chosen.settings),
        "note": chosen.note,
    }


def view_of(X: Array) -> list[float]:
    """Return a view with some space around all points."""
    if not len(X):
        return [-4.0, 4.0, -3.0, 3.0]
    low, high = X.min(axis=0), X.max(axis=0)
    size = np.maximum(high - low, 1e-3 * np.maximum(np.abs(low), 1.0))
    digits = (2 - np.floor(np.log10(size))).astype(int).tolist()
    edges = zip(low - 0.18 * size, high + 0.18 * size, digits, strict=True)
    return [round(float(edge), places) for *ends, places in edges for edge in ends]


def listed() -> list[dict[str, str]]:
    """Return the presets' names, titles and notes."""
    return [
        {"name": name, "title": chosen.title, "note": chosen.note}
        for name, chosen in PRESETS.items()
    ]
