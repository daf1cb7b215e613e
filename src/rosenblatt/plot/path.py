"""The path of nearest shrunken centroids: errors against the threshold, and the features left."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from rosenblatt.data.rows import Array
from rosenblatt.plot.scene import COLOURS, INK

_APART = 0.095  # of the width: closer than this, figures on top would touch
_MANY = 60


def plot_path(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the cross-validated errors of each threshold, and on top how many features it leaves.

    A star marks the threshold that was chosen: of those with the fewest errors the largest.

    Parameters
    ----------
    model : fitted estimator
        A :class:`~rosenblatt.NearestCentroid` with ``shrink_threshold="cv"``, or anything with
        ``path_`` (``thresholds``, ``errors`` and ``n_features``) and ``threshold_``.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import NearestCentroid
    >>> X = [[0.0, 5], [1, 4], [0, 4], [3, 5], [4, 4], [3, 4]]
    >>> model = NearestCentroid(shrink_threshold="cv", cv=3, thresholds=5)
    >>> ax = plot_path(model.fit(X, [0, 0, 0, 1, 1, 1]))
    >>> ax.lines[0].get_ydata().tolist() == model.path_.errors.tolist()
    True
    """
    if not hasattr(model, "path_"):
        raise ValueError(
            f"path_ is missing: fit a NearestCentroid with shrink_threshold='cv' first, got {model}"
        )
    ax = plt.subplots(figsize=(7, 4), layout="constrained")[1] if ax is None else ax
    order = np.argsort(model.path_.thresholds, kind="stable")
    thresholds, errors, left = (np.asarray(column)[order] for column in model.path_)
    few = len(thresholds) <= _MANY
    look: dict[str, Any] = {"marker": "o" if few else None, "markersize": 4, "linewidth": 1.8}
    ax.plot(thresholds, errors, color=COLOURS[0], label="cross-validation", **look)
    best = int(np.flatnonzero(thresholds == model.threshold_)[-1])
    star: dict[str, Any] = {"marker": "*", "s": 190, "edgecolors": "white", "linewidths": 0.8}
    features = "1 feature" if left[best] == 1 else f"{left[best]:,} features"
    label = f"chosen: {model.threshold_:.3g}, with {features}"
    ax.scatter([model.threshold_], [errors[best]], color=INK, zorder=5, label=label, **star)
    room = 0.03 * (np.ptp(thresholds) or 1.0)
    ax.set(xlim=(thresholds[0] - room, thresholds[-1] + room), xlabel="threshold")
    ax.set(ylabel="share of rows misclassified")
    ax.set_ylim(-0.04 * (errors.max() or 1.0), 1.1 * (errors.max() or 1.0))
    _count_on_top(ax, thresholds, left, best)
    ax.grid(axis="y", alpha=0.3)
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    return ax


def _count_on_top(ax: Axes, thresholds: Array, left: Array, best: int) -> None:
    """Write the features left above some of the thresholds, the chosen one among them."""
    low, high = ax.get_xlim()
    shown = [best]
    for k in (*range(best - 1, -1, -1), *range(best + 1, len(thresholds))):
        if np.abs(thresholds[shown] - thresholds[k]).min() >= _APART * (high - low):
            shown.append(k)
    top = ax.secondary_xaxis("top")
    top.set_ticks(thresholds[shown], [f"{left[k]:,}" for k in shown])
    top.set_xlabel("features left", labelpad=7)
