"""What can be said about the surface of a loss: where it is lowest, and how much it curves."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from rosenblatt.data.rows import Array
from rosenblatt.lab.descent.problems import PROBLEMS
from rosenblatt.lab.descent.settings import read
from rosenblatt.theory.separate import separate
from rosenblatt.tracing.descent import Surface, surface

POINT, FLAT, NOWHERE = "point", "flat", "nowhere"
_SPACE = 1.3  # of the distance between the start and the lowest point, to each side
_WIDE = 1.3  # a picture is wider than high


class Bends(NamedTuple):
    """How much a surface curves: the most and the least at its lowest point, the most anywhere.

    For the squared loss it is the same everywhere.
    """

    most: float
    least: float
    anywhere: float


class Ground(NamedTuple):
    """A surface, where it is lowest, and how much it curves, if that is known.

    ``kind`` says whether the lowest is a point, a flat of loss zero, or nowhere, as the loss falls
    for ever. ``farthest`` is the largest ‖x‖², with the 1 of an intercept.
    """

    surface: Surface
    kind: str
    lowest: Array | None
    bends: Bends | None
    farthest: float

    @property
    def bottom(self) -> float:
        """Return the least loss."""
        return 0.0 if self.lowest is None else self.surface(self.lowest)

    def view(self, start: tuple[float, float]) -> list[float]:
        """Return what to show: left, right, bottom, top, of one scale."""
        centre = np.zeros(2) if self.lowest is None else self.lowest
        across, up = np.abs(np.array(start) - centre)
        half = _SPACE * max(across / _WIDE, up)
        (x, y), wide = centre, half * _WIDE
        return [float(v) for v in (x - wide, x + wide, y - half, y + half)]


@lru_cache(maxsize=64)
def ground_of(problem: str, loss: str, alpha: float) -> Ground:
    """Find out about the surface of a loss."""
    settings = read({"problem": problem, "loss": loss, "alpha": alpha, "rate": "constant"})
    X, y = PROBLEMS[problem].X, PROBLEMS[problem].y
    over = surface(settings.model("batch"), X, y)
    rows = np.column_stack([over.rows, np.ones(len(y))]) if over.fit_intercept else over.rows
    farthest = float(np.square(rows).sum(axis=1).max())
    kind = _kind(over, X, y)
    if kind != POINT:
        return Ground(over, kind, None, None, farthest)
    lowest = _squares(over, rows) if loss == "squared" else _search(over)
    return Ground(over, kind, lowest, _bends(over, rows, lowest), farthest)


def _kind(over: Surface, X: Array, y: Array) -> str:
    """Say what kind of lowest place there is."""
    if over.loss == "squared" or over.penalty.l2:
        return POINT
    if not separate(X, y, fit_intercept=over.fit_intercept).separable:
        return POINT
    return NOWHERE if over.loss == "logistic" else FLAT


def _pull(over: Surface) -> Array:
    """Return how much the penalty curves, in each direction."""
    return np.array([over.penalty.l2, 0.0 if over.fit_intercept else over.penalty.l2])


def _squares(over: Surface, rows: Array) -> Array:
    """Solve the equations of least squares."""
    n = len(over.y)
    bend = 2 * rows.T @ rows / n + np.diag(_pull(over))
    return np.asarray(np.linalg.solve(bend, 2 * rows.T @ over.y / n))


def _search(over: Surface) -> Array:
    """Go down a convex surface until it is level; a kink needs a fresh start or two."""
    options: dict[str, Any] = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 2000}
    point = np.zeros(2)
    for size in (1.0, 0.3, 0.03):
        corners = point + size * np.array([[0.0, 0.0], [1.0, 0.1], [-0.1, 1.0]])
        options["initial_simplex"] = corners
        point = minimize(over, point, method="Nelder-Mead", options=options).x
    # The perceptron's criterion is zero at the origin, which a search comes close to only.
    return np.zeros(2) if over(np.zeros(2)) <= over(point) else np.asarray(point)


def _bends(over: Surface, rows: Array, lowest: Array) -> Bends | None:
    """Return how much the losses that are smooth curve."""
    if over.loss == "squared":
        each, most = np.full(len(rows), 2.0), 2.0
    elif over.loss == "logistic":
        shares = 1 / (1 + np.exp(-(rows @ lowest)))
        each, most = shares * (1 - shares), 0.25
    else:
        return None
    pull = np.diag(_pull(over))
    here = np.linalg.eigvalsh((rows.T * each) @ rows / len(rows) + pull)
    anywhere = np.linalg.eigvalsh(most * rows.T @ rows / len(rows) + pull)
    return Bends(float(here[1]), float(here[0]), float(anywhere[1]))
