"""Small sets of points whose loss is a surface over two weights, each with a lesson."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array


class Problem(NamedTuple):
    """Points, and the settings that show what they are there for.

    One feature has a weight w and an intercept b, two features have w₁ and w₂. ``start`` is where
    the paths begin, and ``values`` has the settings that are not the usual ones.
    """

    name: str
    title: str
    note: str
    X: Array
    y: Array
    losses: tuple[str, ...]
    start: tuple[float, float]
    values: dict[str, Any]

    @property
    def fit_intercept(self) -> bool:
        """Whether the second weight is an intercept."""
        return bool(self.X.shape[1] == 1)

    @property
    def n(self) -> int:
        """How many points there are."""
        return len(self.y)


_X = np.array([-0.9, -0.6, -0.3, -0.1, 0.2, 0.5, 0.8, 1.1, 1.4, 1.6, 1.9, 2.4])
_Y = np.array([-0.8, -1.2, -0.3, 0.3, -0.1, 0.4, 1.3, 0.8, 1.8, 2.4, 1.8, 2.9])
_FAILED = [-2.0, -1.7, -1.4, -1.2, -0.9, -0.6, -0.3, 0.1, 0.5]
_PASSED = [-0.8, -0.4, -0.1, 0.3, 0.6, 0.9, 1.2, 1.5, 1.9]
# fmt: off
_OVERLAP = [
    [2.1, 1.6], [-1.9, 0.3], [2.0, 1.3], [1.6, 1.4], [1.2, 0.7], [1.1, -0.4], [0.0, 0.6],
    [0.3, 1.2], [2.3, 1.6], [0.9, 1.3], [-0.1, -0.2], [1.0, 0.5], [-0.9, -0.9], [1.3, -0.3],
    [0.4, -0.1], [-0.6, -0.2], [0.1, -0.5], [0.3, -0.7], [-1.1, -0.8], [-0.2, -0.3],
    [-1.8, 1.1], [-1.3, -0.4], [-0.5, 0.9], [-1.1, 0.1], [-0.8, -1.4], [0.0, 0.4],
    [-1.2, -0.4], [-2.6, -1.4],
]
_APART = [
    [2.0, 1.1], [0.8, 0.1], [-0.1, 0.9], [0.6, 0.4], [1.0, 0.9], [-0.4, 1.5], [-0.2, 2.0],
    [1.6, 0.6], [2.1, 0.9], [-0.7, -0.8], [-0.4, -0.3], [-1.8, -1.3], [-1.0, -1.0], [-2.8, 0.3],
    [-2.7, -2.1], [-2.1, -0.6], [0.1, -1.0], [-1.5, -0.8],
]
_DECK_B = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
# fmt: on
_CLASSES = ("logistic", "hinge", "perceptron", "squared")


def _halves(n: int) -> Array:
    return np.repeat([1, -1], n // 2)


_ALL = (
    Problem(
        "line",
        "A line through points",
        "Twelve points and the line y = w x + b. The mean squared error is a bowl over (w, b).",
        _X[:, None],
        _Y,
        ("squared",),
        (-0.7, 1.5),
        {"by": "move", "moves": 40},
    ),
    Problem(
        "valley",
        "A line, far from zero",
        "The same points moved 1.3 to the right. Now w and b pull together: the bowl becomes a "
        "long valley, steep across and flat along. Centring x mends it.",
        _X[:, None] + 1.3,
        _Y,
        ("squared",),
        (0.1, 0.2),
        {"eta": 0.06, "passes": 40},
    ),
    Problem(
        "threshold",
        "One feature, two classes",
        "Hours of work, from the mean, and whether the exam was passed. The score is w x + b, and "
        "the two classes overlap.",
        np.array([_PASSED + _FAILED]).T,
        _halves(18),
        _CLASSES,
        (-1.2, 1.6),
        {"eta": 1.0, "batch": 6, "by": "move"},
    ),
    Problem(
        "blobs",
        "Two overlapping clouds",
        "Two features and no intercept: every line goes through the origin. The classes overlap, "
        "so logistic regression has one best answer.",
        np.array(_OVERLAP),
        _halves(28),
        _CLASSES,
        (-1.2, 2.4),
        {"eta": 1.0, "batch": 7, "by": "move"},
    ),
    Problem(
        "margin",
        "A wide margin",
        "Two clouds that a line separates. The hinge with an L2 penalty, a support vector machine, "
        "has a best answer all the same: short weights mean a wide margin.",
        np.array(_APART),
        _halves(18),
        ("hinge", "logistic", "perceptron", "squared"),
        (-1.3, 0.1),
        {"eta": 0.2, "alpha": 0.1, "batch": 6, "rate": "inverse_sqrt"},
    ),
    Problem(
        "deck-b",
        "Deck B's six points",
        "The perceptron's worked example. In the given order, with η = 1 and from zero, the "
        "stochastic path is the perceptron, step for step.",
        np.array(_DECK_B, np.float64),
        np.array([-1, 1, 1, -1, -1, 1]),
        ("perceptron", "hinge", "logistic", "squared"),
        (-3.0, 2.0),
        {"eta": 1.0, "batch": 2, "order": "given", "passes": 6},
    ),
)
PROBLEMS = {problem.name: problem for problem in _ALL}
