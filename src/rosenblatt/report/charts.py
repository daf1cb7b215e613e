"""The curves of a report: mistakes so far against the bound, and error rates."""

from collections.abc import Sequence
from math import hypot
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.report.content import Points, Report
from rosenblatt.report.svg import Canvas, Frame, number, shown, ticks

WIDTH, HEIGHT = 400.0, 250.0
FAR = 3.0  # times the mistakes: a bound beyond is told, not drawn
MOST_LINES = 13  # between passes
_BINS = 24
_DOTS = 40  # passes that have a dot each


def mistakes_chart(report: Report) -> str:
    """Draw the mistakes made so far, and the bound on them."""
    curve = [(0, 0), *((int(seen), int(made)) for seen, made in report.curve)]
    seen, made = curve[-1]
    line = _bound_line(report, seen, made)
    drawn = line is not None and line.drawn
    top = max(made, line.bound if line is not None and drawn else 0, 1)
    top *= 1.14 if line is None or drawn else 1.3
    facts = f"{made:,} mistakes on {seen:,} examples seen in {len(report.passes) or 1} passes."
    canvas = Canvas(WIDTH, HEIGHT, "Mistakes so far", facts)
    frame = Frame(canvas, (0, max(seen, 1)), (0, top))
    frame.grid(_whole(ticks(0, seen)), _whole(ticks(0, top)))
    _pass_ends(frame, report)
    corners = frame.points([(0, 0), *_thinned(curve), (seen, 0)])
    canvas.path(corners, "under", close=True)
    canvas.path(corners[1:-1], "curve")
    canvas.circle(frame.x(seen), frame.y(made), 3, "dot")
    if line is not None:
        _draw_bound(frame, line)
    # The number stands above the curve's end, unless the bound is there.
    taken = line is not None and drawn and 0 <= frame.y(made) - frame.y(line.bound) < 26
    word = "mistake" if made == 1 else "mistakes"
    place = frame.y(made) + (19 if taken and line is not None and line.end == seen else -9)
    canvas.text(frame.right - 2, place, f"{made:,} {word}", "strong", "end")
    frame.label("examples seen")
    return canvas.svg("chart")


class _Line(NamedTuple):
    """A bound, how far it holds, what it says, and whether it can be drawn to the same scale."""

    bound: float
    end: float
    text: str
    drawn: bool


def _bound_line(report: Report, seen: int, made: int) -> _Line | None:
    if report.bound is None or report.bound.bound is None:
        return None
    bound = report.bound.bound
    shown = number(float(int(bound)) if bound < 1e9 else bound)
    if report.bound.theorem == "novikoff":
        return _Line(bound, seen, f"bound (R/γ)² = {shown}", bound <= FAR * max(made, 1))
    passes = max(len(report.passes), 1)
    where = "first pass: " if passes > 1 else ""
    drawn = bound <= max(made, FAR * max(*report.passes[:1], 1))
    return _Line(bound, seen / passes, f"{where}bound ((R + D)/γ)² = {shown}", drawn)


def _pass_ends(frame: Frame, report: Report) -> None:
    passes = len(report.passes)
    if 1 < passes <= MOST_LINES:
        for k in range(1, passes):
            place = frame.x(frame.x_range[1] * k / passes)
            frame.canvas.line(place, frame.top, place, frame.bottom, "pass")


def _draw_bound(frame: Frame, line: _Line) -> None:
    """Draw the bound as a line as far as it holds, or say that it lies far above."""
    left = frame.left + 6
    if line.drawn:
        place = frame.y(line.bound)
        frame.canvas.line(frame.left, place, frame.x(line.end), place, "bound")
        frame.canvas.text(left, place - 6, line.text, "bound-text")
    else:
        frame.canvas.text(left, frame.top + 9, f"↑ {line.text}, far above", "bound-text")


def _thinned(curve: Sequence[tuple[int, int]], most: int = 400) -> list[tuple[int, int]]:
    """Leave out points that nobody could tell apart."""
    if len(curve) <= most:
        return list(curve)
    step = (len(curve) - 1) / (most - 1)
    return [curve[round(k * step)] for k in range(most)]


def _whole(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == int(value)]


def rates_chart(report: Report) -> str:
    """Draw the error rate of each pass, with that of validation; or of one pass as it went on."""
    return _by_pass(report) if by_pass(report) else _as_it_learned(report)


def by_pass(report: Report) -> bool:
    """Say whether there is more than one pass to draw."""
    return max(len(report.passes), len(report.validation)) > 1


def _by_pass(report: Report) -> str:
    learning = [made / max(report.examples, 1) for made in report.passes]
    judged = list(report.validation)
    passes = max(len(learning), len(judged))
    top = 1.12 * max(*learning, *judged, 1e-9)
    facts = f"From {_percent(learning[0])} in the first pass to {_percent(learning[-1])}."
    canvas = Canvas(WIDTH, HEIGHT, "Error rate of each pass", facts)
    frame = Frame(canvas, (0.6, passes + 0.4), (0, top))
    across = [value for value in _whole(ticks(1, passes, 8)) if value >= 1]
    frame.grid(sorted({1.0, *across} if passes < 8 else {*across}), ticks(0, top), percent=True)
    for rates, kind in ((learning, ""), (judged, " other")):
        places = frame.points(list(enumerate(rates, 1)))
        if len(places) > 1:
            canvas.path(places, "curve" + kind)
        for (x, y), rate in zip(places, rates, strict=True):
            if passes <= _DOTS:
                canvas.circle(x, y, 3, "dot" + kind, _percent(rate))
    if judged:
        _name_lines(frame)
    frame.label("pass")
    return canvas.svg("chart")


def losses_chart(report: Report) -> str:
    """Draw the root of the mean squared error of each pass."""
    roots = [loss**0.5 for loss in report.losses]
    facts = f"From {number(roots[0])} in the first pass to {number(roots[-1])}."
    canvas = Canvas(WIDTH, HEIGHT, "Error of each pass", facts)
    frame = Frame(canvas, (0.6, len(roots) + 0.4), (0, 1.12 * max(*roots, 1e-300)))
    across = [value for value in _whole(ticks(1, len(roots), 8)) if value >= 1]
    frame.grid(across, ticks(*frame.y_range))
    places = frame.points(list(enumerate(roots, 1)))
    canvas.path(places, "curve")
    for (x, y), root in zip(places, roots, strict=True):
        if len(roots) <= _DOTS:
            canvas.circle(x, y, 3, "dot", number(root))
    frame.label("pass")
    return canvas.svg("chart")


def _name_lines(frame: Frame) -> None:
    """Write what the lines are, in the upper right corner, where lines are low."""
    canvas, names = frame.canvas, (("while learning", ""), ("validation", " other"))
    x = frame.right - 2
    for row, (name, kind) in enumerate(names):
        y = frame.top + 10 + 17 * row
        canvas.line(x - 18, y - 4, x, y - 4, "curve" + kind)
        canvas.text(x - 24, y, name, "strong" + kind, "end")


def _as_it_learned(report: Report) -> str:
    """Draw the share of mistakes in parts of the pass."""
    curve = [(0, 0), *report.curve]
    seen, made = curve[-1]
    parts = _binned(curve)
    rates = [wrong / n for _, n, wrong in parts]
    overall = made / max(seen, 1)
    top = 1.12 * max(*rates, overall, 1e-9)
    facts = f"{_percent(overall)} in all; {_percent(rates[-1])} in the last part."
    canvas = Canvas(WIDTH, HEIGHT, "Error rate while learning", facts)
    frame = Frame(canvas, (0, max(seen, 1)), (0, top))
    frame.grid(_whole(ticks(0, seen)), ticks(0, top), percent=True)
    steps: list[tuple[float, float]] = []
    for (end, n, _), rate in zip(parts, rates, strict=True):
        steps += [(end - n, rate), (end, rate)]
    canvas.path(frame.points(steps), "curve")
    canvas.line(frame.left, frame.y(overall), frame.right, frame.y(overall), "mean")
    canvas.text(frame.right - 2, frame.y(overall) - 6, f"{_percent(overall)} in all", "note", "end")
    frame.label("examples seen")
    return canvas.svg("chart")


def _binned(curve: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Cut a curve into parts of about equal size: where each ends, its examples and mistakes."""
    least = max(1, curve[-1][0] // _BINS)
    parts, start, before = [], 0, 0
    for seen, made in curve[1:]:
        if seen - start >= least or seen == curve[-1][0]:
            if seen > start:
                parts.append((seen, seen - start, made - before))
            start, before = seen, made
    if len(parts) > 1 and parts[-1][1] < least / 2:  # a rest says little
        (end, n, wrong), (_, m, more) = parts.pop(), parts.pop()
        parts.append((end, n + m, wrong + more))
    return parts or [(max(1, curve[-1][0]), max(1, curve[-1][0]), curve[-1][1])]


def _percent(rate: float) -> str:
    return f"{100 * rate:.2f}%"


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
