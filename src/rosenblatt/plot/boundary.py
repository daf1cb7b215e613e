"""The regions of a classifier in the plane, and the line between them."""

from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

# Told apart by every kind of colour vision (Okabe and Ito 2008).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000"]
MARKERS = "osD^vP*X"


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
    points, labels = np.asarray(X, float), np.asarray(y)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(f"a plane needs two features, got an X of shape {points.shape}")
    if labels.shape != points.shape[:1]:
        raise ValueError(f"X has {len(points)} rows but y has the shape {labels.shape}")
    classes = model.classes_
    strangers = labels[~np.isin(labels, classes)]
    if len(strangers):
        raise ValueError(
            f"y has the label {strangers.tolist()[0]!r}, but the model knows {classes.tolist()}"
        )
    ax = plt.subplots()[1] if ax is None else ax
    colours = _colours(len(classes))
    _draw_regions(ax, model, X, points, resolution, colours)
    dots: dict[str, Any] = {"s": 22, "edgecolors": "white", "linewidths": 0.5}
    for name, colour, marker in zip(classes, colours, cycle(MARKERS), strict=False):
        x1, x2 = points[labels == name].T
        ax.scatter(x1, x2, color=colour, marker=marker, label=str(name), **dots)
    x1, x2 = points[np.asarray(model.predict(X)) != labels].T
    if mistakes and len(x1):
        # Rings of many mistakes would bury the dots, so they are finer.
        width = 1.2 if len(x1) <= 100 else 0.5
        rings: dict[str, Any] = {"s": 90, "edgecolors": "#B00020", "linewidths": width}
        ax.scatter(x1, x2, facecolors="none", label="mistaken", **rings)
    if hasattr(X, "columns"):
        ax.set(xlabel=X.columns[0], ylabel=X.columns[1])
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax


def _colours(n_classes: int) -> list[Any]:
    if n_classes <= len(COLOURS):
        return COLOURS[:n_classes]
    return list(plt.get_cmap("turbo")(np.linspace(0.05, 0.95, n_classes)))


def _draw_regions(
    ax: Axes, model: Any, X: Any, points: Any, resolution: int, colours: list[Any]
) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
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
    ax.contourf(across, up, region, levels=levels, cmap=ListedColormap(colours), alpha=0.18)
    ax.contour(across, up, region, levels=levels[1:-1], colors="#333333", linewidths=1.5)
