"""The pictures of certificates and bounds, from the rows that a certificate's sketch keeps."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.console import shortened
from rosenblatt.data.rows import Array
from rosenblatt.theory.sketch import Sketch
from rosenblatt.theory.svg import ALERT, COLOURS, INK, Canvas

if TYPE_CHECKING:
    from rosenblatt.theory.bounds import MistakeBound
    from rosenblatt.theory.certificates import Inseparable, Separable

_SIZE = 340.0, 280.0
_UNLIKE = 8.0  # times the range of the other feature
_BARS = 12
_RINGS = 30  # more would bury the points
_LABEL = 24  # letters of a class's name
_GOLDEN = (5**0.5 - 1) / 2
_DASHED = "5 4"


def separation(answer: "Separable") -> str:
    """Draw points, line and margin; of more features how far the rows are from the plane."""
    sketch = answer.sketch
    if sketch is None or not _can_be_drawn(sketch.places):
        return ""
    return (
        _in_the_plane(answer, sketch) if sketch.places.ndim == 2 else _by_distance(answer, sketch)
    )


def _in_the_plane(answer: "Separable", sketch: Sketch) -> str:
    canvas, low, high = _plane_of(sketch.places)
    normal, offset = answer.hyperplane.normal, float(answer.hyperplane.offset)
    size = float(np.hypot(*normal))
    unit, offset = normal / size, offset / size
    middle, reach = (low + high) / 2, 3 * float((high - low).max())
    foot = middle - (unit @ middle + offset) * unit
    along, across = np.array([-unit[1], unit[0]]) * reach, unit * answer.margin
    band = [foot + across + along, foot + across - along, foot - across - along]
    band.append(foot - across + along)
    canvas.path(_pairs(band), close=True, fill=INK, fill_opacity=0.1, stroke="none")
    for side in (-1, 1):
        ends = [foot + side * across - along, foot + side * across + along]
        canvas.path(_pairs(ends), stroke_dasharray=_DASHED, stroke_opacity=0.7)
    canvas.path(_pairs([foot - along, foot + along]), stroke_width=2)
    _draw_rows(canvas, sketch, sketch.places)
    for place in sketch.places[: sketch.named]:
        canvas.ring(*map(float, place))
    canvas.frame()
    _name_classes(canvas, sketch)
    canvas.text(canvas.right, canvas.size[1] - 6, f"margin {answer.margin:.4g}", "end")
    return canvas.svg(
        f"{_rows_in_words(sketch)} of two features. A line separates {_both(sketch)}, with "
        f"a margin of {answer.margin:.4g} on both sides; rings mark the {len(answer.support)} "
        "support points."
    )


def _by_distance(answer: "Separable", sketch: Sketch) -> str:
    """Draw the rows by their distance from the plane, each class in a strip of its own."""
    places = sketch.places
    reach = 1.08 * max(float(np.abs(places).max()), answer.margin)
    canvas = Canvas((-reach, reach), (0.0, 2.0), (_SIZE[0], 230.0), (34, 14, 50, 14))
    margin = answer.margin
    band = [(-margin, 0.0), (-margin, 2.0), (margin, 2.0), (margin, 0.0)]
    canvas.path(band, close=True, fill=INK, fill_opacity=0.1, stroke="none")
    for side in (-margin, margin):
        canvas.path([(side, 0.0), (side, 2.0)], stroke_dasharray=_DASHED, stroke_opacity=0.7)
    canvas.path([(0.0, 0.0), (0.0, 2.0)], stroke_width=2)
    # Spread evenly over the strip, so that rows of equal distance are seen side by side.
    heights = 0.12 + 0.76 * (np.arange(1, len(places) + 1) * _GOLDEN % 1) + (sketch.y > 0)
    _draw_rows(canvas, sketch, np.column_stack([places, heights]))
    for k in range(sketch.named if sketch.named <= _RINGS else 0):
        canvas.ring(float(places[k]), float(heights[k]))
    canvas.frame()
    _name_classes(canvas, sketch)
    canvas.text(canvas.left, canvas.bottom + 16, f"−{reach:.3g}")
    canvas.text(canvas.x(0), canvas.bottom + 16, "0", "middle")
    canvas.text(canvas.right, canvas.bottom + 16, f"{reach:.3g}", "end")
    below = f"distance from the plane; margin {margin:.4g}"
    canvas.text((canvas.left + canvas.right) / 2, canvas.size[1] - 8, below, "middle")
    return canvas.svg(
        f"{_rows_in_words(sketch)} by their signed distance from the plane, which separates "
        f"{_both(sketch)}: none is nearer than the margin of {margin:.4g}. "
        f"{len(answer.support):,} support points are that near."
    )


def meeting(answer: "Inseparable") -> str:
    """Draw the points whose hulls meet, among the others, if there are two features."""
    sketch = answer.sketch
    if sketch is None or sketch.places.ndim != 2 or sketch.named < len(answer.points):
        return ""
    if not _can_be_drawn(sketch.places):
        return ""
    named = slice(0, len(answer.points))
    signs, chosen = sketch.y[named], sketch.places[named]
    mirrored = not answer.fit_intercept
    towards = chosen * signs[:, None] if mirrored else chosen
    seen = np.concatenate([sketch.places, towards, np.zeros((int(mirrored), 2))])
    canvas, _, _ = _plane_of(seen)
    if mirrored:  # the hull of y·x holds the origin
        _draw_hull(canvas, towards, INK)
        where = np.zeros(2)
    else:
        for kind, sign in enumerate((-1, 1)):
            _draw_hull(canvas, chosen[signs == sign], COLOURS[kind])
        part = signs > 0
        where = answer.weights[part] @ chosen[part]
    _draw_rows(canvas, sketch, sketch.places)
    for place in towards:
        canvas.ring(*map(float, place))
    canvas.cross(*map(float, where))
    canvas.frame()
    _name_classes(canvas, sketch)
    what = "the origin lies in the hull of y·x" if mirrored else "both hulls meet at ×"
    canvas.text(canvas.right, canvas.size[1] - 6, what, "end", ALERT)
    ringed = f"{len(chosen)} ringed points"
    why = f"the convex hulls of {ringed} share a point, marked by a cross"
    if mirrored:
        why = f"the hull of y·x of {ringed} holds the origin"
    return canvas.svg(
        f"{_rows_in_words(sketch)} of two features. No line separates {_both(sketch)}: {why}."
    )


def _can_be_drawn(places: Array) -> bool:
    """Say whether there are places, none so far out that a difference of them would overflow."""
    return bool(places.size) and float(np.abs(places).max()) < 1e300


def _draw_hull(canvas: Canvas, points: Array, colour: str) -> None:
    """Draw the hull of a few points, of which none lies within that of the others."""
    centre = points.mean(axis=0)
    order = np.argsort(np.arctan2(*(points - centre).T[::-1]), kind="stable")
    look: dict[str, Any] = {
        "stroke": colour,
        "stroke_width": 2,
        "fill": colour,
        "fill_opacity": 0.15,
    }
    canvas.path(_pairs(points[order]), close=True, **look)


def support_bars(rows: Array, weights: Array, sketch: Sketch | None) -> str:
    """Draw the weights of the rows that a certificate names, the largest first."""
    order = np.argsort(-weights, kind="stable")[:_BARS]
    left = 14 + 7.2 * max(len(f"row {rows[k]:,}") for k in order)
    height = 44.0 + 18 * len(order)
    largest = float(weights[order[0]]) or 1.0
    canvas = Canvas((0.0, largest), (float(len(order)), 0.0), (_SIZE[0], height), (30, 56, 8, left))
    kinds = {} if sketch is None else dict(zip(sketch.rows.tolist(), sketch.y > 0, strict=True))
    for place, k in enumerate(order):
        kind = kinds.get(int(rows[k]))
        colour = INK if kind is None else COLOURS[int(kind)]
        value, top, bottom = float(weights[k]), place + 0.2, place + 0.8
        bar = [(0.0, top), (value, top), (value, bottom), (0.0, bottom)]
        canvas.path(bar, close=True, fill=colour, fill_opacity=0.85, stroke="none")
        line = canvas.y(place + 0.5) + 4
        canvas.text(left - 6, line, f"row {rows[k]:,}", "end")
        canvas.text(canvas.x(value) + 5, line, f"{value:.3g}")
    if sketch is None:
        canvas.text(left, 18, "weights of the points")
    else:
        _name_classes(canvas, sketch)
    words = []
    for k in order:
        kind = kinds.get(int(rows[k]))
        of = "" if sketch is None or kind is None else f" of {_label(sketch, int(kind))}"
        words.append(f"row {rows[k]}{of}: {weights[k]:.3g}")
    more = f", the {_BARS} largest of {len(rows):,}" if len(rows) > len(order) else ""
    return canvas.svg(f"Weights of the points that prove it{more}. {', '.join(words)}.")


def proof(bound: "MistakeBound") -> str:
    """Draw how the length of w is squeezed as mistakes are made, until the bound is reached."""
    R, gamma, D, last = bound.radius, bound.margin, bound.deviation, bound.bound
    k = np.linspace(0.0, 1.15 * last, 120)
    high, low = R * np.sqrt(k), np.maximum(k * gamma - D * np.sqrt(k), 0.0)
    top = 1.3 * float(high[-1])
    canvas = Canvas((0.0, float(k[-1])), (0.0, top), _SIZE, (34, 16, 52, 30))
    inside = k <= last
    between = [*zip(k[inside], high[inside], strict=True)]
    between += [*zip(k[inside], low[inside], strict=True)][::-1]
    canvas.path(between, close=True, fill=COLOURS[0], fill_opacity=0.15, stroke="none")
    canvas.path(list(zip(k, high, strict=True)), stroke=COLOURS[0], stroke_width=2)
    look: dict[str, Any] = {"stroke": COLOURS[1], "stroke_width": 2, "stroke_dasharray": "8 3"}
    canvas.path(list(zip(k, low, strict=True)), **look)
    canvas.path([(last, 0.0), (last, top)], stroke=ALERT, stroke_dasharray=_DASHED)
    canvas.frame()
    lower = "kγ − D√k" if D else "kγ"
    canvas.text(canvas.left, 18, "at most R√k", fill=COLOURS[0])
    canvas.text(canvas.left + 100, 18, f"at least {lower}", fill=COLOURS[1])
    count = f"{int(last):,}" if last < 1e15 else f"{last:.3g}"
    canvas.text(canvas.left, canvas.bottom + 16, "0")
    canvas.text(canvas.x(last), canvas.bottom + 16, f"{last:,.4g}", "middle", ALERT)
    canvas.text((canvas.left + canvas.right) / 2, canvas.size[1] - 8, "mistakes k", "middle")
    canvas.text(canvas.right, 18, "length of w", "end")
    return canvas.svg(
        f"The length of the weights after k mistakes is at most R√k and at least {lower}. The two "
        f"curves cross at {last:,.4g}, so there are at most {count} mistakes."
    )


def _plane_of(points: Array) -> tuple[Canvas, Array, Array]:
    """Return a canvas for points: the same scale both ways, unless their ranges are unlike."""
    low, high = points.min(axis=0), points.max(axis=0)
    span, margins = high - low, (34, 14, 34, 14)
    frame = np.array([_SIZE[0] - margins[1] - margins[3], _SIZE[1] - margins[0] - margins[2]])
    largest = float(span.max()) or float(np.abs(low).max()) or 1.0
    if span.min() > 0 and span.max() > _UNLIKE * span.min():
        size = 1.24 * span
    else:
        size = frame * float(((span + 0.24 * largest) / frame).max())
    middle = (low + high) / 2
    low, high = middle - size / 2, middle + size / 2
    x, y = ((float(low[j]), float(high[j])) for j in (0, 1))
    return Canvas(x, y, _SIZE, margins), low, high


def _draw_rows(canvas: Canvas, sketch: Sketch, places: Array) -> None:
    size = 3.8 if len(places) <= 60 else 2.6
    for row, sign, (x, y) in zip(sketch.rows, sketch.y, places, strict=True):
        canvas.mark(float(x), float(y), int(sign > 0), f"row {row:,}", size)


def _name_classes(canvas: Canvas, sketch: Sketch) -> None:
    """Write the legend above the picture."""
    middle = (canvas.left + canvas.right) / 2
    for kind, (name, x) in enumerate(zip(sketch.classes, (canvas.left, middle), strict=True)):
        canvas.key(x + 6, 14, kind)
        canvas.text(x + 16, 18, shortened(name, _LABEL))


def _both(sketch: Sketch) -> str:
    return " from ".join(_label(sketch, kind) for kind in (0, 1))


def _label(sketch: Sketch, kind: int) -> str:
    return repr(shortened(sketch.classes[kind], _LABEL))


def _rows_in_words(sketch: Sketch) -> str:
    shown = len(sketch.rows)
    return f"{shown:,} of {sketch.n:,} rows" if shown < sketch.n else f"{sketch.n:,} rows"


def _pairs(points: Sequence[Array] | Array) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in points]
