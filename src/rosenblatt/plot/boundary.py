"""The regions of a classifier in the plane, and the line between them."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import INK


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
        Where to draw; by default a new figure.
    resolution : int, default=400
        Points a side on which the regions are computed.
    mistakes : bool, default=True
        Ring the rows on the wrong side.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import Perceptron
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    >>> ax = plot_boundary(Perceptron().fit(X, y), X, y)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    points = scene.as_points(X, y, model.classes_)
    ax = plt.subplots()[1] if ax is None else ax
    draw_regions(ax, model, X, points.rows, resolution)
    scene.draw_points(ax, points)
    if mistakes:
        wrong = np.asarray(model.predict(X)) != points.labels
        scene.draw_rings(ax, points, wrong, "mistaken")
    scene.name_axes(ax, X)
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax


def draw_regions(
    ax: Axes, model: Any, X: Any, rows: Array, resolution: int, linewidth: float = 1.5
) -> None:
    """Shade the region of each class around some rows, and draw the lines between them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    room = 0.08 * np.where(high > low, high - low, 1.0)
    across, up = (
        np.linspace(start, stop, resolution)
        for start, stop in zip(low - room, high + room, strict=True)
    )
    grid: Any = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    if hasattr(X, "columns"):  # the model was told names, and should be told them again
        grid = type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
    region = np.searchsorted(model.classes_, model.predict(grid)).reshape(resolution, resolution)
    levels = np.arange(len(model.classes_) + 1) - 0.5
    cmap = ListedColormap(scene.colours(len(model.classes_)))
    ax.contourf(across, up, region, levels=levels, cmap=cmap, alpha=0.18)
    ax.contour(across, up, region, levels=levels[1:-1], colors=INK, linewidths=linewidth)
