"""The charts of a report, each described as a list of shapes; ``chart.svg`` draws them."""

from collections.abc import Sequence
from math import ceil, floor, hypot, isfinite, log10
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.console import percent, shortened
from rosenblatt.report.model_facts import Points, Report

SIZE = 400.0, 250.0
MARGINS = 14.0, 14.0, 40.0, 52.0  # above, right, below, left
FAR = 3.0  # times the mistakes: a bound beyond is written, not drawn
MOST_LINES = 13  # between passes
_BINS = 24
_DOTS = 40  # passes that have a dot each

Pair = tuple[float, float]


def number(value: float, digits: int = 3) -> str:
    """Write a number for people: with separators, a true minus, and no more digits than needed.

    >>> number(1234567), number(-0.00012345), number(2.5), number(1e12)
    ('1,234,567', '−1.23e−4', '2.5', '1e12')
    """
    size = abs(value)
    if not isfinite(value):
        text = "∞" if value > 0 else "–"
    elif value == round(value) and size < 1e9:
        text = f"{value:,.0f}"
    elif 1e-3 <= size < 1e6:
        decimals = max(0, digits - 1 - floor(log10(size)))
        text = f"{value:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        text = f"{mantissa}e{int(power)}"
    return text.replace("-", "−")


def short(value: float) -> str:
    """Write a number next to an axis, in a few letters.

    >>> short(25_000), short(1_500_000), short(0.25), short(-3)
    ('25k', '1.5M', '0.25', '−3')
    """
    for least, unit, letter in ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k")):
        if abs(value) >= least:
            return f"{value / unit:.6g}{letter}".replace("-", "−")
    return f"{value:.6g}".replace("-", "−")


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high, at most ``most`` of them.

    >>> ticks(0, 7), ticks(0, 1234)
    ([0.0, 2.0, 4.0, 6.0], [0.0, 500.0, 1000.0])
    """
    span = high - low
    if not span > 0:
        return [low]
    power = 10.0 ** floor(log10(span / most))
    step = next(s * power for s in (1, 2, 5, 10, 20) if span / (s * power) <= most - 1 + 1e-9)
    first, last = ceil(low / step - 1e-9), floor((high + 1e-9 * span) / step)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


class Chart:
    """A chart with axes, made of shapes; ``kind`` is a shape's class in the style sheet."""

    def __init__(
        self,
        x: Pair,
        y: Pair,
        size: Pair = SIZE,
        margins: tuple[float, float, float, float] = MARGINS,
    ) -> None:
        top, right, bottom, left = margins
        self.x_range, self.y_range, self.size = x, y, size
        self.left, self.right = left, size[0] - right
        self.top, self.bottom = top, size[1] - bottom
        self._shapes: list[dict[str, Any]] = []

    def x(self, value: float) -> float:
        """Return where a value lies across."""
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def y(self, value: float) -> float:
        """Return where a value lies down."""
        low, high = self.y_range
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    def points(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Return where points lie."""
        return [(self.x(x), self.y(y)) for x, y in pairs]

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """Draw a straight line."""
        ends = {"x1": _c(x1), "y1": _c(y1), "x2": _c(x2), "y2": _c(y2)}
        self._shapes.append({"line": {**ends, "kind": kind}})

    def path(self, points: Sequence[Pair], kind: str, close: bool = False) -> None:
        """Draw a line through points, or a shape."""
        steps = "L".join(f"{_c(x)} {_c(y)}" for x, y in points)
        self._shapes.append({"path": {"steps": f"M{steps}{'Z' * close}", "kind": kind}})

    def circle(self, x: float, y: float, r: float, kind: str, title: str = "") -> None:
        """Draw a dot. The title appears when one points at it."""
        circle = {"x": _c(x), "y": _c(y), "r": _c(r), "kind": kind, "title": title}
        self._shapes.append({"circle": circle})

    def text(self, x: float, y: float, text: str, kind: str, anchor: str = "start") -> None:
        """Write a text; the anchor "upright" is for one from below to above, centred."""
        place = {"x": _c(x), "y": _c(y), "anchor": anchor, "text": text, "kind": kind}
        self._shapes.append({"upright" if anchor == "upright" else "text": place})

    def grid(self, across: Sequence[float], up: Sequence[float], share: bool = False) -> None:
        """Draw lines at round numbers, with these next to the axes."""
        for value in up:
            place = self.y(value)
            self.line(self.left, place, self.right, place, "grid")
            text = f"{number(100 * value)}%" if share else short(value)
            self.text(self.left - 7, place + 4, text, "tick", "end")
        for value in across:
            self.text(self.x(value), self.bottom + 17, short(value), "tick", "middle")

    def label(self, text: str) -> None:
        """Write what the horizontal axis shows."""
        self.text((self.left + self.right) / 2, self.size[1] - 4, text, "axis", "middle")

    def described(self, title: str, description: str, kind: str = "chart") -> dict[str, Any]:
        """Return the chart as the template takes it."""
        width, height = map(_c, self.size)
        head = {"title": title, "description": description, "kind": kind}
        return {**head, "width": width, "height": height, "shapes": self._shapes}


def _c(value: float) -> str:
    """Write a coordinate."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def mistakes_chart(report: Report) -> dict[str, Any]:
    """Draw the mistakes made so far, and the bound on them."""
    curve = [(0, 0), *((int(seen), int(made)) for seen, made in report.curve)]
    seen, made = curve[-1]
    line = _bound_line(report, seen, made)
    drawn = line is not None and line.drawn
    top = max(made, line.bound if line is not None and drawn else 0, 1)
    top *= 1.14 if line is None or drawn else 1.3
    chart = Chart((0, max(seen, 1)), (0, top))
    chart.grid(_whole(ticks(0, seen)), _whole(ticks(0, top)))
    passes = len(report.passes)
    for k in range(1, passes if passes <= MOST_LINES else 0):
        place = chart.x(chart.x_range[1] * k / passes)
        chart.line(place, chart.top, place, chart.bottom, "pass")
    corners = chart.points([(0, 0), *_thinned(curve), (seen, 0)])
    chart.path(corners, "under", close=True)
    chart.path(corners[1:-1], "curve")
    chart.circle(chart.x(seen), chart.y(made), 3, "dot")
    if line is not None:
        _draw_bound(chart, line)
    # The number stands above the curve's end, unless the bound is there.
    taken = line is not None and drawn and 0 <= chart.y(made) - chart.y(line.bound) < 26
    word = "mistake" if made == 1 else "mistakes"
    place = chart.y(made) + (19 if taken and line is not None and line.end == seen else -9)
    chart.text(chart.right - 2, place, f"{made:,} {word}", "strong", "end")
    chart.label("examples seen")
    facts = f"{made:,} mistakes on {seen:,} examples seen in {passes or 1} passes."
    return chart.described("Mistakes so far", facts)


class _Line(NamedTuple):
    """A bound, how far it holds, its text, and whether it can be drawn to the same scale."""

    bound: float
    end: float
    text: str
    drawn: bool


def _bound_line(report: Report, seen: int, made: int) -> _Line | None:
    if report.bound is None:
        return None
    bound = report.bound.bound
    shown = number(float(int(bound)) if bound < 1e9 else bound)
    if report.bound.theorem == "novikoff":
        return _Line(bound, seen, f"bound (R/γ)² = {shown}", bound <= FAR * max(made, 1))
    passes = max(len(report.passes), 1)
    where = "first pass: " if passes > 1 else ""
    drawn = bound <= max(made, FAR * max(*report.passes[:1], 1))
    return _Line(bound, seen / passes, f"{where}bound ((R + D)/γ)² = {shown}", drawn)


def _draw_bound(chart: Chart, line: _Line) -> None:
    """Draw the bound as a line as far as it holds, or say that it lies far above."""
    left = chart.left + 6
    if line.drawn:
        place = chart.y(line.bound)
        chart.line(chart.left, place, chart.x(line.end), place, "bound")
        chart.text(left, place - 6, line.text, "bound-text")
    else:
        chart.text(left, chart.top + 9, f"↑ {line.text}, far above", "bound-text")


def _thinned(curve: Sequence[tuple[int, int]], most: int = 400) -> list[tuple[int, int]]:
    """Leave out points that would look the same."""
    if len(curve) <= most:
        return list(curve)
    step = (len(curve) - 1) / (most - 1)
    return [curve[round(k * step)] for k in range(most)]


def _whole(values: Sequence[float]) -> list[float]:
    return [value for value in values if value == int(value)]


def rates_chart(report: Report) -> dict[str, Any]:
    """Draw the error rate of each pass, with that of validation; or of one pass as it went on."""
    return _rates_by_pass(report) if by_pass(report) else _rates_within(report)


def by_pass(report: Report) -> bool:
    """Say whether there is more than one pass to draw."""
    return max(len(report.passes), len(report.validation)) > 1


def _rates_by_pass(report: Report) -> dict[str, Any]:
    learning = [made / max(report.examples, 1) for made in report.passes]
    passes = max(len(learning), len(report.validation))
    # Two lines need names, which stand above them.
    top = (1.4 if report.validation else 1.12) * max(*learning, *report.validation, 1e-9)
    chart = Chart((0.6, passes + 0.4), (0, top))
    across = [value for value in _whole(ticks(1, passes, 8)) if value >= 1]
    chart.grid(sorted({1.0, *across} if passes < 8 else {*across}), ticks(0, top), share=True)
    _draw_passes(chart, learning, [percent(rate) for rate in learning], "")
    if report.validation:
        texts = [percent(rate) for rate in report.validation]
        _draw_passes(chart, report.validation, texts, " other")
        _name_lines(chart)
    chart.label("pass")
    facts = f"From {percent(learning[0])} in the first pass to {percent(learning[-1])}."
    return chart.described("Error rate of each pass", facts)


def losses_chart(report: Report) -> dict[str, Any]:
    """Draw the root of the mean squared error of each pass."""
    roots = [loss**0.5 for loss in report.losses]
    texts = [number(root) for root in roots]
    chart = Chart((0.6, len(roots) + 0.4), (0, 1.12 * max(*roots, 1e-300)))
    across = [value for value in _whole(ticks(1, len(roots), 8)) if value >= 1]
    chart.grid(across, ticks(*chart.y_range))
    _draw_passes(chart, roots, texts, "")
    chart.label("pass")
    return chart.described("Error of each pass", f"From {texts[0]} to {texts[-1]}.")


def _draw_passes(chart: Chart, values: Sequence[float], texts: Sequence[str], kind: str) -> None:
    """Draw a value of each pass, as a line and, where passes are few, as dots."""
    places = chart.points(list(enumerate(values, 1)))
    if len(places) > 1:
        chart.path(places, "curve" + kind)
    if len(places) <= _DOTS:
        for (x, y), text in zip(places, texts, strict=True):
            chart.circle(x, y, 3, "dot" + kind, text)


def _name_lines(chart: Chart) -> None:
    """Write what the lines are, in the upper right corner."""
    x = chart.right - 2
    for row, (name, kind) in enumerate((("while learning", ""), ("validation", " other"))):
        y = chart.top + 10 + 17 * row
        chart.line(x - 18, y - 4, x, y - 4, "curve" + kind)
        chart.text(x - 24, y, name, "strong" + kind, "end")


def _rates_within(report: Report) -> dict[str, Any]:
    """Draw the error rate in parts of the pass."""
    curve = [(0, 0), *report.curve]
    seen, made = curve[-1]
    parts = _binned(curve)
    rates = [wrong / n for _, n, wrong in parts]
    overall = made / max(seen, 1)
    top = 1.12 * max(*rates, overall, 1e-9)
    chart = Chart((0, max(seen, 1)), (0, top))
    chart.grid(_whole(ticks(0, seen)), ticks(0, top), share=True)
    steps: list[Pair] = []
    for (end, n, _), rate in zip(parts, rates, strict=True):
        steps += [(end - n, rate), (end, rate)]
    chart.path(chart.points(steps), "curve")
    place = chart.y(overall)
    chart.line(chart.left, place, chart.right, place, "mean")
    chart.text(chart.right - 2, place - 6, f"{percent(overall)} in all", "note", "end")
    chart.label("examples seen")
    facts = f"{percent(overall)} in all; {percent(rates[-1])} in the last part."
    return chart.described("Error rate while learning", facts)


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


PLANE_WIDTH = 460.0
PLANE_HEIGHTS = 230.0, 400.0  # the least and the most, whatever the data's shape
PLANE_MARGINS = 14.0, 14.0, 44.0, 60.0
STRETCH = 2.5  # axes whose scales differ more are not drawn to one scale
COLOURS = 8


def plane_chart(points: Points, classes: Sequence[Any]) -> dict[str, Any]:
    """Draw examples of two features, and the regions of the classes."""
    place = {label: code for code, label in enumerate(classes)}
    codes = np.array([place[label] for label in points.y.tolist()])
    predicted = _predicted(points)
    height, x, y, even = _ranges(points.X)
    chart = Chart(x, y, (PLANE_WIDTH, height), PLANE_MARGINS)
    chart.grid(ticks(*x, 7), ticks(*y, 7))
    box = [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]
    for code, region in enumerate(_regions(points, box, len(classes))):
        if len(region) > 2:
            chart.path(chart.points(region), f"region c{code % COLOURS}", close=True)
    size = 3.4 if len(codes) <= 300 else 2.4
    for (across, up), code, guess in zip(points.X.tolist(), codes, predicted, strict=True):
        kind = f"point c{int(code) % COLOURS}" + (" wrong" if guess != code else "")
        _draw_point(chart, chart.x(across), chart.y(up), size, int(code), kind)
    if len(points.coef) == 1:
        _draw_boundary(chart, points, box, even)
    chart.label(shortened(points.names[0], 40))
    middle = (chart.top + chart.bottom) / 2
    chart.text(12, middle, shortened(points.names[1], 40), "axis", "upright")
    wrong = int(np.count_nonzero(predicted != codes))
    facts = f"{len(points.y):,} examples, {wrong:,} of them misclassified."
    return chart.described("Examples and the boundary between the classes", facts, "plane")


def _draw_point(chart: Chart, x: float, y: float, size: float, code: int, kind: str) -> None:
    """Draw a point: a circle or a square, so that classes differ in more than colour."""
    if code % 2 == 0:
        chart.circle(x, y, size, kind)
    else:
        r = 0.9 * size
        chart.path([(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)], kind, True)


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
    across, frame = (
        PLANE_WIDTH - PLANE_MARGINS[1] - PLANE_MARGINS[3],
        PLANE_MARGINS[0] + PLANE_MARGINS[2],
    )
    height = float(np.clip(across * reach[1] / reach[0] + frame, *PLANE_HEIGHTS))
    if height == PLANE_HEIGHTS[0] and across * reach[1] / reach[0] < (height - frame) / STRETCH:
        height = PLANE_HEIGHTS[1]  # too flat to be drawn to scale: it may as well be large
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
    for start, end in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if w[0] * start[0] + w[1] * start[1] + b >= 0:
            kept.append(start)
        kept += _crossing(start, end, w, b)
    return kept


def _crossing(start: Pair, end: Pair, w: Any, b: float) -> list[Pair]:
    """Return where the line w·x + b = 0 crosses an edge, if it does."""
    (x1, y1), (x2, y2) = start, end
    here, there = w[0] * x1 + w[1] * y1 + b, w[0] * x2 + w[1] * y2 + b
    if (here < 0) == (there < 0):
        return []
    share = here / (here - there)
    return [(x1 + share * (x2 - x1), y1 + share * (y2 - y1))]


def _draw_boundary(chart: Chart, points: Points, box: list[Pair], even: bool) -> None:
    """Draw the line of two classes, and its normal vector where lengths are the same both ways."""
    w, b = points.coef[0].astype(float), float(points.intercept[0])
    edges = zip(box, box[1:] + box[:1], strict=True)
    ends = [place for start, end in edges for place in _crossing(start, end, w, b)]
    if len(ends) < 2:
        return
    (x1, y1), (x2, y2) = chart.points(ends[:2])
    chart.line(x1, y1, x2, y2, "boundary")
    if not even:
        return
    across, up = float(w[0]), -float(w[1])  # the chart's y grows downwards
    size = hypot(across, up)
    across, up = across / size, up / size
    x, y = (x1 + x2) / 2, (y1 + y2) / 2
    tip = x + 34 * across, y + 34 * up
    chart.line(x, y, *tip, "normal")
    back = tip[0] - 8 * across, tip[1] - 8 * up
    barbs = [(back[0] + s * 4 * up, back[1] - s * 4 * across) for s in (1, -1)]
    chart.path([barbs[0], tip, barbs[1]], "head", close=True)
    chart.text(tip[0] + 10 * across, tip[1] + 10 * up + 4, "w", "strong", "middle")
