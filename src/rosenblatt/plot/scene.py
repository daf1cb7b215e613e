"""What the pictures share: checked points, how classes look, the visible area and lines in it."""

from collections.abc import Iterator
from itertools import cycle, pairwise
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import PathCollection
from matplotlib.lines import AxLine
from matplotlib.patches import Polygon
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.ticker import MaxNLocator

from rosenblatt.data.checks import as_numbers
from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.theory.problem import as_problem

# Distinguishable with every kind of colour vision (Okabe and Ito 2008); wine is in the place of
# their yellow, which is not seen on white.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#882255", "#000000"]
MARKERS = "osD^vP<X"
_FEW = 30
INK = "#333333"
MISTAKEN = "#B00020"
_PLACES: dict[tuple[float, float], Any] = {
    (1, 1): "upper right",
    (0, 1): "upper left",
    (1, 0): "lower right",
    (0, 0): "lower left",
    (1, 0.5): "center right",
    (0, 0.5): "center left",
}
_AIR = 20  # pixels
_UNLIKE = 8.0  # times the range of the other feature
_STEPS_BACK = (1.0, 1.06, 1.12, 1.2, 1.3, 1.4, 1.5, 1.75, 2.0)
LEGEND: dict[str, Any] = {"loc": "best", "frameon": True, "framealpha": 0.9}
STAR: dict[str, Any] = {"marker": "*", "edgecolors": "white", "linewidths": 0.8}
HALO = [withStroke(linewidth=3, foreground="white")]  # letters stay readable on lines and dots


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Return the axes of a new figure, of this size in inches."""
    return plt.subplots(figsize=size, layout=None if size is None else "constrained")[1]


def open_frame(ax: Axes) -> None:
    """Hide the upper and right edges of the axes."""
    ax.spines[["top", "right"]].set_visible(False)


def whole_numbers(axis: Axis) -> None:
    """Put ticks at whole numbers only."""
    axis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))


def look(k: int) -> dict[str, Any]:
    """Return the colour and marker of the k-th line."""
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}


class Points(NamedTuple):
    """Rows of two features, their labels, and all classes there are."""

    rows: Array
    labels: Array
    classes: Array

    def of(self, k: int) -> Array:
        """Return the rows of class number k."""
        return np.asarray(self.rows[self.labels == self.classes[k]])

    @property
    def signs(self) -> Array:
        """+1 for the rows of the last class, −1 for the others."""
        return np.where(self.labels == self.classes[-1], 1, -1)


def as_plane_rows(X: Any) -> Array:
    """Return X as an array of points in the plane."""
    matrix = as_numbers(X)
    if matrix.shape[1] != 2:
        raise ValueError(f"a plane needs two features, got an X of shape {matrix.shape}")
    return np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, float)


def as_points(X: Any, y: Any, classes: Any = None) -> Points:
    """Check rows and labels; the classes are those that a model knows, else two that y has."""
    rows = as_plane_rows(X)
    labels = np.asarray(y)
    if labels.shape != rows.shape[:1]:
        raise ValueError(f"X has {len(rows)} rows but y has the shape {labels.shape}")
    if classes is None:
        classes = as_problem(rows, y).classes
    unknown = labels[~np.isin(labels, classes)]
    if len(unknown):
        raise ValueError(
            f"y has the label {unknown.tolist()[0]!r}, but the model knows {classes.tolist()}"
        )
    return Points(rows, labels, classes)


def as_line(plane: Hyperplane) -> Hyperplane:
    """Return a plane of two features, its normal of length one."""
    if plane.normal.ndim != 1:
        raise ValueError(
            f"there are {len(plane)} planes here; draw one of them, such as plane.between(0, 1)"
        )
    if len(plane.normal) != 2:
        raise ValueError(f"a line needs two features, and the plane has {len(plane.normal)}")
    return plane.normalized()


def colours(n_classes: int) -> list[Any]:
    """Return a colour for each class."""
    if n_classes <= len(COLOURS):
        return COLOURS[:n_classes]
    return list(plt.get_cmap("turbo")(np.linspace(0.05, 0.95, n_classes)))


def draw_points(ax: Axes, points: Points) -> None:
    """Draw the points, each class in its colour and shape."""
    dots: dict[str, Any] = {"s": dot_size(len(points.rows)), "edgecolors": "white"}
    dots |= {"linewidths": 0.5, "zorder": 3}
    looks = zip(points.classes, colours(len(points.classes)), cycle(MARKERS), strict=False)
    for k, (name, colour, marker) in enumerate(looks):
        x1, x2 = points.of(k).T
        ax.scatter(x1, x2, color=colour, marker=marker, label=str(name), **dots)


def draw_rings(ax: Axes, points: Points, chosen: Array, label: str, colour: str = MISTAKEN) -> None:
    """Draw a ring around each of some rows, if there are any."""
    rows = points.rows[chosen]
    if len(rows):
        # Rings of many rows would bury the dots, so they are finer.
        width = 1.2 if len(rows) <= 100 else 0.5
        size = 68 + dot_size(len(points.rows))
        rings: dict[str, Any] = {"s": size, "edgecolors": colour, "linewidths": width, "zorder": 4}
        ax.scatter(*rows.T, facecolors="none", label=label, **rings)


def dot_size(n: int) -> int:
    """Return how large dots are if there are n of them."""
    return 42 if n <= _FEW else 22


def name_axes(ax: Axes, X: Any) -> None:
    """Label the axes with the column names of a data frame."""
    if hasattr(X, "columns"):
        ax.set(xlabel=X.columns[0], ylabel=X.columns[1])


def set_view(ax: Axes, rows: Array, pad: float = 0.12) -> None:
    """Show all of some rows and a little more, in the same scale both ways.

    Features of very different range have scales of their own, and right angles do not look right.
    """
    low, high = rows.min(axis=0), rows.max(axis=0)
    if (high > low).all() and (high - low).max() > _UNLIKE * (high - low).min():
        # In one scale both ways such points would lie on a line.
        low, high = low - pad * (high - low), high + pad * (high - low)
        ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="auto")
        return
    span = float((high - low).max()) or float(np.abs(low).max()) or 1.0
    low, high = low - pad * span, high + pad * span
    shared = (ax.get_shared_x_axes(), ax.get_shared_y_axes())
    alone = all(len(axes.get_siblings(ax)) == 1 for axes in shared)
    if alone:  # wider or higher rather than a smaller picture
        frame = np.array([ax.bbox.width, ax.bbox.height])
        size = frame * ((high - low) / frame).max()
        low, high = (low + high - size) / 2, (low + high + size) / 2
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set_aspect("equal", adjustable="datalim" if alone else "box")


def view(ax: Axes) -> Array:
    """Return the visible area: its lowest and its highest corner."""
    return np.sort([ax.get_xlim(), ax.get_ylim()], axis=1).T


def visible(line: Hyperplane, low: Array, high: Array) -> Array | None:
    """Return the ends of a line in a box; None if it does not go through it."""
    foot = line.project((low + high) / 2)
    along = np.array([-line.normal[1], line.normal[0]])
    first, last = -np.inf, np.inf
    for at, step, bottom, top in zip(foot, along, low, high, strict=True):
        if step == 0:
            if not bottom <= at <= top:
                return None
            continue
        near, far = sorted([(bottom - at) / step, (top - at) / step])
        first, last = max(first, near), min(last, far)
    return foot + np.outer([first, last], along) if first <= last else None


def draw_line(ax: Axes, line: Hyperplane, **style: Any) -> None:
    """Draw a line through all of the visible area, also if that is moved later."""
    low, high = view(ax)
    foot = line.project((low + high) / 2)
    along = np.array([-line.normal[1], line.normal[0]]) * np.linalg.norm(high - low)
    ax.axline(foot - along / 2, foot + along / 2, **{"color": INK, "linewidth": 1.5, **style})


def draw_band(ax: Axes, line: Hyperplane, margin: float, label: str | None = None) -> None:
    """Shade what is nearer to a line than the margin, between two dashed lines."""
    low, high = view(ax)
    reach = 10 * np.linalg.norm(high - low)  # beyond what is seen
    foot = line.project((low + high) / 2)
    along = np.array([-line.normal[1], line.normal[0]]) * reach
    across = line.normal * margin
    corners = np.array([along + across, along - across, -along - across, -along + across])
    ax.add_artist(Polygon(foot + corners, color=INK, alpha=0.08, linewidth=0, zorder=0.5))
    for side, name in ((1, label), (-1, None)):
        edge = Hyperplane(line.normal, line.offset - side * margin)
        draw_line(ax, edge, linestyle=(0, (5, 4)), linewidth=1.0, label=name)


def draw_normal(ax: Axes, line: Hyperplane, middle: Array) -> None:
    """Draw a line's normal as an arrow, from its visible point nearest to the middle.

    Not if the axes have different scales, where it would not look perpendicular.
    """
    if ax.get_aspect() == "auto":
        return
    if visible(line, *view(ax)) is None:
        write_below(ax, "the line is out of sight")
        return
    low, high = view(ax)
    for share in (0.2, 0.1, 0.05):  # shorter only where the tip would be out of sight
        arrow = line.normal * share * (high - low).min()
        pad = 0.08 * (high - low).min()  # for the letter
        ends = visible(
            line, np.maximum(low, low - arrow + pad), np.minimum(high, high - arrow - pad)
        )
        if ends is not None:
            break
    else:
        return
    start, along = ends[0], ends[1] - ends[0]
    where = np.clip((middle - start) @ along / (along @ along or 1.0), 0, 1)
    tail = start + where * along
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.8, "mutation_scale": 14}
    style |= {"shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tail + arrow, tail, arrowprops=style, zorder=5)
    text: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "center"}
    note = ax.annotate("w", tail + arrow, tuple(9 * line.normal), color=INK, zorder=6, **text)
    note.set(path_effects=HALO, fontweight="bold")


def write_below(ax: Axes, text: str) -> None:
    """Write a line of text at the bottom of the picture."""
    place: dict[str, Any] = {"transform": ax.transAxes, "ha": "center", "va": "bottom"}
    ax.text(0.5, 0.02, text, color=INK, path_effects=HALO, zorder=6, **place)


def draw_legend(ax: Axes) -> None:
    """Draw the legend where it hides no dot and little else; move the picture aside if need be."""
    legend = ax.legend(frameon=True, framealpha=0.9)
    ax.apply_aspect()
    frame, size = ax.bbox.get_points(), np.array(legend.get_window_extent().size)
    centre, (dots, lines) = frame.mean(axis=0), _occupied(ax)
    least = np.inf
    best: tuple[float, Array, Any]
    for back in _STEPS_BACK:
        seen, crossed = (centre + (there - centre) / back for there in (dots, lines))
        for move in _moves(frame, seen):
            for share, place in _PLACES.items():
                middle = frame[0] + size / 2 + np.array(share) * (frame[1] - frame[0] - size)
                hidden, crossings = (
                    np.all(np.abs(there + move - middle) < size / 2 + _AIR, axis=1).sum()
                    for there in (seen, crossed)
                )
                # A dot weighs more than any line, a step back less than a line across the legend.
                cost = 1000 * hidden + crossings + 60 * (back - 1) + 4 * bool(np.any(move))
                if cost < least:
                    least, best = cost, (back, move, place)
    back, move, place = best
    legend.set_loc(place)
    low, high = ax.transData.inverted().transform(centre + (frame - move - centre) * back)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    if ax.get_aspect() != "auto":
        # From now on a layout engine may resize the axes, but nothing moves what they show.
        ax.set_adjustable("box")


def _moves(frame: Array, dots: Array) -> Iterator[Array]:
    """Yield how far the picture can move to each side with all dots in it, and no move at all."""
    yield np.zeros(2)
    if len(dots):
        free = np.array(
            [frame[0] - dots.min(axis=0) + 1.5 * _AIR, frame[1] - dots.max(axis=0) - 1.5 * _AIR]
        )
        yield from (np.array([x, 0]) for x in free[:, 0])
        yield from (np.array([0, y]) for y in free[:, 1])


def _occupied(ax: Axes) -> tuple[Array, Array]:
    """Return where dots and arrows' ends are on the screen, and places all along the lines."""
    scattered = (artist for artist in ax.collections if isinstance(artist, PathCollection))
    dots = [np.asarray(artist.get_offsets()) for artist in scattered]
    dots += [np.array([note.xy]) for note in ax.texts if isinstance(note, Annotation)]
    lines = []
    for line in ax.lines:
        path = line.get_transform().transform(line.get_path().vertices)
        # Seen from farther back, a line that goes through the whole view is longer.
        first, last = (-0.5, 1.5) if isinstance(line, AxLine) else (0, 1)
        for start, end in pairwise(path):
            along = np.linspace(first, last, 2 + int(np.linalg.norm(end - start) / 4))
            lines.append(start + along[:, None] * (end - start))
    none = np.empty((0, 2))
    return ax.transData.transform(np.vstack([none, *dots])), np.vstack([none, *lines])
