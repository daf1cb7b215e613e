"""The regions of a classifier in the plane, and a line with its normal vector and margin."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from rosenblatt.data.rows import Array
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot import scene
from rosenblatt.plot.scene import INK
from rosenblatt.theory.margin import as_hyperplane

_FARTHEST = 2.0  # times the size of the rows: a line beyond is not brought into view


def plot_boundary(
    model: Any,
    X: Any,
    y: Any,
    *,
    ax: Axes | None = None,
    resolution: int = 400,
    mistakes: bool = True,
) -> Axes:
    """Draw rows of two features, and the regions that a fitted classifier divides the plane into.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict`` and ``classes_``.
    X : array or data frame of shape (n_samples, 2)
        The rows. A data frame's column names label the axes.
    y : array of shape (n_samples,)
        Their labels.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.
    resolution : int, default=400
        Points a side on which the regions are computed.
    mistakes : bool, default=True
        Ring the rows on the wrong side.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    >>> ax = plot_boundary(Perceptron().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    points = scene.as_points(X, y, model.classes_)
    ax = ax or scene.new_axes()
    draw_regions(ax, model, X, points.rows, resolution)
    scene.draw_points(ax, points)
    if mistakes:
        wrong = np.asarray(model.predict(X)) != points.labels
        scene.draw_rings(ax, points, wrong, "mistaken")
    scene.name_axes(ax, X)
    ax.legend(**scene.LEGEND)
    return ax


def draw_regions(
    ax: Axes, model: Any, X: Any, rows: Array, resolution: int, linewidth: float = 1.5
) -> None:
    """Shade the region of each class around some rows, and draw the lines between them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    pad = 0.08 * np.where(high > low, high - low, 1.0)
    across, up = (
        np.linspace(start, stop, resolution)
        for start, stop in zip(low - pad, high + pad, strict=True)
    )
    grid: Any = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    if hasattr(X, "columns"):  # the model learned names, and expects them again
        grid = type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
    region = np.searchsorted(model.classes_, model.predict(grid)).reshape(resolution, resolution)
    levels = np.arange(len(model.classes_) + 1) - 0.5
    cmap = ListedColormap(scene.colours(len(model.classes_)))
    ax.contourf(across, up, region, levels=levels, cmap=cmap, alpha=0.18)
    ax.contour(across, up, region, levels=levels[1:-1], colors=INK, linewidths=linewidth)


def plot_hyperplane(
    plane: Any,
    X: Any = None,
    y: Any = None,
    *,
    ax: Axes | None = None,
    margin: float | None = None,
    mistakes: bool = True,
) -> Axes:
    """Draw the line ``w·x + b = 0``, its normal vector w, and the points on its two sides.

    Both axes have the same scale, so that w is seen to be perpendicular. Its length means nothing.

    Parameters
    ----------
    plane : Hyperplane, weights w, pair (w, b) or fitted estimator
        A plane of two features, or an estimator of two classes with a ``hyperplane_``.
    X : array or data frame of shape (n_samples, 2), optional
        The rows. A data frame's column names label the axes. Without any, the axes show
        what they showed.
    y : array of shape (n_samples,), optional
        Their labels, of two classes. The one that sorts last belongs on the side w points to.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.
    margin : float, optional
        Shade what is nearer to the line than this, between two dashed lines.
    mistakes : bool, default=True
        Ring the rows on the wrong side.

    Examples
    --------
    Deck E's nearest centroid classifier, which cuts the axes at 2.75 and 5.5:

    >>> from rosenblatt import Hyperplane
    >>> X, y = [[1.0, -2], [1, 4], [4, 2], [2, 2]], ["no", "yes", "yes", "no"]
    >>> ax = plot_hyperplane(Hyperplane([2.0, 1.0], -5.5), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['no', 'yes', 'mistaken', 'w·x + b = 0']
    >>> (x1, y1), (x2, y2) = ax.lines[0].get_xy1(), ax.lines[0].get_xy2()
    >>> round(float((y2 - y1) / (x2 - x1)), 9)
    -2.0
    """
    line = scene.as_line(_plane_of(plane))
    if margin is not None and not 0 <= margin < np.inf:
        raise ValueError(f"margin must be a distance, zero or more, got {margin!r}")
    if X is None and y is not None:
        raise ValueError("labels need their rows: give X too")
    rows = None if X is None else scene.as_plane_rows(X)
    points = None if y is None else scene.as_points(X, y, getattr(plane, "classes_", None))
    ax = ax or scene.new_axes()
    middle = _show(ax, line, rows, margin)
    if points is not None:
        scene.draw_points(ax, points)
        if mistakes:
            wrong = line.side(points.rows) != points.signs
            scene.draw_rings(ax, points, wrong, "mistaken")
    elif rows is not None:
        x1, x2 = rows.T
        dots: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.5, "zorder": 3}
        ax.scatter(x1, x2, s=scene.dot_size(len(rows)), color=INK, **dots)
    scene.draw_line(ax, line, label="w·x + b = 0")
    if margin is not None:
        scene.draw_band(ax, line, margin, label=f"margin {margin:.3g}")
    scene.draw_normal(ax, line, middle)
    scene.name_axes(ax, X)
    if X is None:
        ax.legend(**scene.LEGEND)
    else:
        scene.draw_legend(ax)
    return ax


def _plane_of(plane: Any) -> Hyperplane:
    given = getattr(plane, "hyperplane_", plane)
    return given if isinstance(given, Hyperplane) else as_hyperplane(given, 2)


def _show(ax: Axes, line: Hyperplane, rows: Array | None, margin: float | None) -> Array:
    """Choose what is seen: the rows, and the line if it is not too far off. Return its middle."""
    if rows is None and ax.has_data():
        scene.set_view(ax, scene.view(ax), pad=0)
        return np.asarray(scene.view(ax).mean(axis=0))
    if rows is None:
        foot = line.project(np.zeros(2))
        size = max(float(np.linalg.norm(foot)), 3 * (margin or 0)) or 1.0
        scene.set_view(ax, np.array([foot - size, foot + size]))
        return foot
    low, high = rows.min(axis=0), rows.max(axis=0)
    middle = (low + high) / 2
    foot = line.project(middle)
    size = float((high - low).max())
    near = np.linalg.norm(foot - middle) <= _FARTHEST * size
    tip = foot + 0.25 * size * line.normal
    scene.set_view(ax, np.vstack([rows, foot, tip]) if near else rows)
    return np.asarray(middle)
