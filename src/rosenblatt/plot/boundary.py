"""The regions of a classifier in the plane, and the line between them."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

# Told apart by every kind of colour vision (Okabe and Ito 2008).
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442", "#000000"]
MARKERS = "osD^vP*X"


def plot_boundary(
    model: Any, X: Any, y: Any, *, ax: Axes | None = None, resolution: int = 400
) -> Axes:
    """Draw rows of two features, and the regions that a fitted classifier divides the plane into.

    Rows on the wrong side are circled.

    Parameters
    ----------
    model : fitted classifier
        Anything with ``predict`` and ``classes_``.
    X : array of shape (n_samples, 2)
        The rows.
    y : array of shape (n_samples,)
        Their labels.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    resolution : int, default=400
        Points a side on which the regions are computed.

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
    X, y = np.asarray(X, float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"a plane needs two features, got an X of shape {X.shape}")
    if len(model.classes_) > len(COLOURS):
        raise ValueError(f"at most {len(COLOURS)} classes can be told apart by colour")
    ax = plt.subplots()[1] if ax is None else ax
    low, high = X.min(axis=0), X.max(axis=0)
    room = 0.08 * np.where(high > low, high - low, 1.0)
    across, up = (
        np.linspace(start, stop, resolution)
        for start, stop in zip(low - room, high + room, strict=True)
    )
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    region = np.searchsorted(model.classes_, model.predict(grid)).reshape(resolution, resolution)
    levels = np.arange(len(model.classes_) + 1) - 0.5
    colours = COLOURS[: len(model.classes_)]
    ax.contourf(across, up, region, levels=levels, cmap=ListedColormap(colours), alpha=0.18)
    ax.contour(across, up, region, levels=levels[1:-1], colors="#333333", linewidths=1.5)
    dots: dict[str, Any] = {"s": 22, "edgecolors": "white", "linewidths": 0.5}
    for name, colour, marker in zip(model.classes_, colours, MARKERS, strict=False):
        x1, x2 = X[y == name].T
        ax.scatter(x1, x2, c=colour, marker=marker, label=str(name), **dots)
    x1, x2 = X[np.asarray(model.predict(X)) != y].T
    if len(x1):
        rings: dict[str, Any] = {"s": 90, "edgecolors": "#B00020", "linewidths": 1.2}
        ax.scatter(x1, x2, facecolors="none", label="mistaken", **rings)
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax
