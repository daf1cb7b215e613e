"""Where the plane of a threshold unit meets the square or the cube of its inputs."""

from itertools import combinations, product
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.theory.threshold import ThresholdUnit, truth_table

VIEW = (-0.42, 1.42)  # of the square
_ARROW = 0.34


def sides(unit: ThresholdUnit) -> tuple[int, int] | None:
    """Return the largest sum that does not fire and the smallest that does; None without both."""
    sums = truth_table(len(unit.weights)) @ np.array(unit.weights)
    fires = sums >= unit.threshold
    if fires.all() or not fires.any():
        return None
    return int(sums[~fires].max()), int(sums[fires].min())


def shapes(unit: ThresholdUnit) -> dict[str, Any]:
    """Return what is to be drawn: two regions and a line, or a polygon for each cube."""
    weights, between = np.array(unit.weights, float), sides(unit)
    at = None if between is None else sum(between) / 2
    if len(weights) == 2:
        return _regions(weights, at, fires=unit.threshold <= 0)
    if at is None:
        return {"planes": []}
    fixed = list(product((0, 1), repeat=len(weights) - 3))
    planes = [
        _slice(weights[-3:], at - sum(weights[: len(cube)] * cube), number)
        for number, cube in enumerate(fixed)
    ]
    return {"planes": [plane for plane in planes if plane]}


def _regions(weights: Array, at: float | None, fires: bool) -> dict[str, Any]:
    low, high = VIEW
    square = [[low, low], [high, low], [high, high], [low, high]]
    if at is None:
        return {"view": VIEW, "on": square if fires else [], "off": [] if fires else square}
    over = [float(weights @ corner) - at for corner in square]
    on: list[list[float]] = []
    off: list[list[float]] = []
    line: list[list[float]] = []
    for k, (corner, value) in enumerate(zip(square, over, strict=True)):
        (on if value >= 0 else off).append(corner)
        after = (k + 1) % 4
        if (value >= 0) != (over[after] >= 0):
            share = value / (value - over[after])
            point = [a + share * (b - a) for a, b in zip(corner, square[after], strict=True)]
            for points in (on, off, line):
                points.append(point)
    # The arrow stands aside of the middle: straight on, it would often end in a corner.
    foot = 0.72 * np.array(line[0]) + 0.28 * np.array(line[1])
    return {"view": VIEW, "on": on, "off": off, "line": line, "arrow": _arrow(foot, weights)}


def _slice(weights: Array, at: float, cube: int) -> dict[str, Any] | None:
    """Return the polygon in which a plane cuts the unit cube, its corners in order."""
    corners = truth_table(3).astype(float)
    points = []
    for a, b in combinations(corners, 2):
        low, high = float(weights @ a) - at, float(weights @ b) - at
        if abs(a - b).sum() == 1 and (low < 0) != (high < 0):
            points.append(a + low / (low - high) * (b - a))
    if not points:
        return None
    centre = np.mean(points, axis=0)
    first = points[0] - centre
    second = np.cross(weights, first) / np.linalg.norm(weights)
    angles = [np.arctan2((p - centre) @ second, (p - centre) @ first) for p in points]
    polygon = [points[k].tolist() for k in np.argsort(angles)]
    return {"cube": cube, "polygon": polygon, "arrow": _arrow(centre, weights)}


def _arrow(foot: Array, weights: Array) -> list[list[float]]:
    """Return an arrow to the side that fires."""
    tip = foot + _ARROW * weights / float(np.linalg.norm(weights))
    return [foot.tolist(), tip.tolist()]
