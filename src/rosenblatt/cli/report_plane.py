"""The picture of two features: regions, boundary and examples."""

from collections.abc import Sequence
from math import hypot
from typing import Any

import numpy as np

from rosenblatt.cli.report_content import Points
from rosenblatt.cli.report_svg import Canvas, Frame, shown, ticks

PLANE_WIDTH = 460.0
HEIGHTS = 230.0, 400.0  # as little and as much as the data's shape may make of it
MARGINS = (14.0, 14.0, 44.0, 60.0)
STRETCH = 2.5  # what differs more than so is not drawn to one scale
COLOURS = 8
Pair = tuple[float, float]


def plane_chart(points: Points, classes: Sequence[Any]) -> str:
    """Draw examples of two features, and the regions of the classes."""
    place = {label: code for code, label in enumerate(classes)}
    codes = np.array([place[label] for label in points.y.tolist()])
    predicted = _predicted(points)
    wrong = int(np.count_nonzero(predicted != codes))
    facts = f"{len(points.y):,} examples, {wrong:,} of them on the wrong side."
    height, x, y, even = _ranges(points.X)
    canvas = Canvas(PLANE_WIDTH, height, "Examples and the boundary between the classes", facts)
    frame = Frame(canvas, x, y, MARGINS)
    frame.grid(ticks(*x, 7), ticks(*y, 7))
    box = [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]
    for code, region in enumerate(_regions(points, box, len(classes))):
        if len(region) > 2:
            canvas.path(frame.points(region), f"region c{code % COLOURS}", close=True)
    size = 3.4 if len(codes) <= 300 else 2.4
    for (across, up), code, guess in zip(points.X.tolist(), codes, predicted, strict=True):
        kind = f"point c{int(code) % COLOURS}" + (" wrong" if guess != code else "")
        _draw_point(canvas, frame.x(across), frame.y(up), size, int(code), kind)
    if len(points.coef) == 1:
        _draw_boundary(frame, points, box, even)
    frame.label(shown(points.names[0], 40))
    canvas.upright(12, (frame.top + frame.bottom) / 2, shown(points.names[1], 40), "axis")
    return canvas.svg("plane")


def _draw_point(canvas: Canvas, x: float, y: float, size: float, code: int, kind: str) -> None:
    """Draw a point: a circle or a square, so that colours are not all that tells classes apart."""
    if code % 2 == 0:
        canvas.circle(x, y, size, kind)
    else:
        r = 0.9 * size
        canvas.path([(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)], kind, True)


def _predicted(points: Points) -> Any:
    scores = points.X @ points.coef.T + points.intercept
    if len(points.coef) == 1:
        return (scores[:, 0] >= 0).astype(int)
    return scores.argmax(axis=1)


def _ranges(X: Any) -> tuple[float, Pair, Pair, bool]:
    """Return the picture's height, what the axes show, and whether lengths are the same on both."""
    low, high = X.min(axis=0).astype(float), X.max(axis=0).astype(float)
    middle, reach = (low + high) / 2, (high - low) / 2
    reach = 1.08 * np.where(reach > 0, reach, max(float(reach.max()), 1.0))
    across, frame = PLANE_WIDTH - MARGINS[1] - MARGINS[3], MARGINS[0] + MARGINS[2]
    height = float(np.clip(across * reach[1] / reach[0] + frame, *HEIGHTS))
    if height == HEIGHTS[0] and across * reach[1] / reach[0] < (height - frame) / STRETCH:
        height = HEIGHTS[1]  # too flat to be drawn to scale: so it may as well be large
    size = np.array([across, height - frame])
    scale = reach / size
    even = bool(scale.max() <= STRETCH * scale.min())
    if even:
        reach = scale.max() * size
    low, high = middle - reach, middle + reach
    return height, (float(low[0]), float(high[0])), (float(low[1]), float(high[1])), even


def _regions(points: Points, box: list[Pair], n_classes: int) -> list[list[Pair]]:
    """Return the polygon that each class wins; they are convex."""
    W, b = points.coef.astype(float), points.intercept.astype(float)
    if len(W) == 1:
        W, b = np.vstack([-W, W]), np.array([-b[0], b[0]])
    regions = []
    for k in range(min(n_classes, len(W))):
        region = box
        for j in range(len(W)):
            if j != k:
                region = _clipped(region, W[k] - W[j], float(b[k] - b[j]))
        regions.append(region)
    return regions


def _clipped(polygon: list[Pair], w: Any, b: float) -> list[Pair]:
    """Return the part of a convex polygon where w·x + b ≥ 0."""
    kept: list[Pair] = []
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        here, there = w[0] * x1 + w[1] * y1 + b, w[0] * x2 + w[1] * y2 + b
        if here >= 0:
            kept.append((x1, y1))
        if (here < 0) != (there < 0):
            share = here / (here - there)
            kept.append((x1 + share * (x2 - x1), y1 + share * (y2 - y1)))
    return kept


def _draw_boundary(frame: Frame, points: Points, box: list[Pair], even: bool) -> None:
    """Draw the line of two classes, and its normal vector where lengths are the same both ways."""
    w, b = points.coef[0].astype(float), float(points.intercept[0])
    ends = _crossings(box, w, b)
    if len(ends) < 2:
        return
    (x1, y1), (x2, y2) = frame.points(ends[:2])
    frame.canvas.line(x1, y1, x2, y2, "boundary")
    if not even:
        return
    across, up = float(w[0]), -float(w[1])  # the picture's y grows downwards
    size = hypot(across, up)
    across, up = across / size, up / size
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    tip = x + 34 * across, y + 34 * up
    frame.canvas.line(x, y, *tip, "normal")
    back = tip[0] - 8 * across, tip[1] - 8 * up
    barbs = [(back[0] + s * 4 * up, back[1] - s * 4 * across) for s in (1, -1)]
    frame.canvas.path([barbs[0], tip, barbs[1]], "head", close=True)
    frame.canvas.text(tip[0] + 10 * across, tip[1] + 10 * up + 4, "w", "strong", "middle")


def _crossings(box: list[Pair], w: Any, b: float) -> list[Pair]:
    """Return where a line crosses the border of a box."""
    found: list[Pair] = []
    for (x1, y1), (x2, y2) in zip(box, box[1:] + box[:1], strict=True):
        here, there = w[0] * x1 + w[1] * y1 + b, w[0] * x2 + w[1] * y2 + b
        if (here < 0) != (there < 0):
            share = here / (here - there)
            found.append((x1 + share * (x2 - x1), y1 + share * (y2 - y1)))
    return found
