"""What models of one kind have learned: a centroid's thresholds, a tagger's transitions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, INK

_APART = 0.095  # of the width: closer than this, figures on top would touch
_MANY = 60
_START = "(start)"
_FORBIDDEN = "#DDDDDD"
_MOST = 40  # tags


def plot_path(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the cross-validated errors of each threshold, and on top how many features it leaves.

    A star marks the threshold that was chosen: of those with the fewest errors the largest.

    Parameters
    ----------
    model : fitted estimator
        A :class:`~rosenblatt.NearestCentroid` with ``shrink_threshold="cv"``, or anything with
        ``path_`` (``thresholds``, ``errors`` and ``n_features``) and ``threshold_``.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.

    Examples
    --------
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
    ax = ax or scene.new_axes((7, 4))
    order = np.argsort(model.path_.thresholds, kind="stable")
    thresholds, errors, left = (np.asarray(column)[order] for column in model.path_)
    few = len(thresholds) <= _MANY
    look: dict[str, Any] = {"marker": "o" if few else None, "markersize": 4, "linewidth": 1.8}
    ax.plot(thresholds, errors, color=COLOURS[0], label="cross-validation", **look)
    best = int(np.flatnonzero(thresholds == model.threshold_)[-1])
    features = "1 feature" if left[best] == 1 else f"{left[best]:,} features"
    label = f"chosen: {model.threshold_:.3g}, with {features}"
    ax.scatter(
        [model.threshold_], [errors[best]], color=INK, zorder=5, label=label, s=190, **scene.STAR
    )
    pad = 0.03 * (np.ptp(thresholds) or 1.0)
    ax.set(xlim=(thresholds[0] - pad, thresholds[-1] + pad), xlabel="threshold")
    ax.set(ylabel="share of rows misclassified")
    ax.set_ylim(-0.04 * (errors.max() or 1.0), 1.1 * (errors.max() or 1.0))
    _count_on_top(ax, thresholds, left, best)
    ax.grid(axis="y", alpha=0.3)
    ax.legend(**scene.LEGEND)
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


def plot_transitions(
    tagger: Any, tags: Sequence[Any] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the weight of each tag after each other tag, and at the start.

    Blue speaks for a transition, orange against it; what the scheme of the tags forbids is grey.

    Parameters
    ----------
    tagger : SequenceTagger
        Fitted.
    tags : sequence of labels, optional
        Those to show, in this order; by default all.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.

    Examples
    --------
    >>> from rosenblatt import SequenceTagger
    >>> X, y = [["a", "cat", "sat"], ["cats", "sit"]], [["D", "N", "V"], ["N", "V"]]
    >>> ax = plot_transitions(SequenceTagger("word").fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['(start)', 'D', 'N', 'V']
    """
    known = tagger.classes_.tolist()
    shown = known if tags is None else list(tags)
    for tag in shown:
        if tag not in known:
            raise ValueError(f"there is no tag {tag!r}; the tags are {', '.join(map(str, known))}")
    if not shown or len(shown) > _MOST:
        raise ValueError(
            f"{len(shown)} tags cannot be shown; name 1 to {_MOST} of them: tags=[...]"
        )
    places = [known.index(tag) for tag in shown]
    table = np.vstack([tagger.start_[places], tagger.transitions_[np.ix_(places, places)]])
    side = 0.27 * len(shown) + 1.6
    ax = ax or scene.new_axes((side + 0.6, side))
    shades = [COLOURS[1], "white", COLOURS[0]]
    colours = LinearSegmentedColormap.from_list("", shades).with_extremes(bad=_FORBIDDEN)
    finite = np.ma.masked_invalid(table)
    most = float(np.abs(finite).max()) if finite.count() else 1.0
    image = ax.imshow(finite, cmap=colours, vmin=-most or -1.0, vmax=most or 1.0)
    names = list(map(str, shown))
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names) + 1), [_START, *names])
    ax.set(xlabel="tag", ylabel="tag before")
    ax.tick_params(length=0, labelsize=8, colors=INK)
    ax.set_xticks(np.arange(-0.5, len(names)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(names) + 1), minor=True)
    ax.grid(which="minor", color="white", linewidth=1)
    ax.tick_params(which="minor", length=0)
    for edge in ax.spines.values():
        edge.set_visible(False)
    ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=25, label="weight").outline.set_visible(
        False
    )
    return ax
