"""The regions of several classifiers side by side: a column for each, a row for each problem."""

import math
import re
from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.boundary import draw_regions
from rosenblatt.plot.scene import INK, MISTAKEN

_ACROSS = 5  # panels side by side, of one problem
_FEW = 20
_NARROWEST = 3.2  # inches that titles and the key need, however few the panels
_LETTER, _SYMBOL = 0.065, 5  # inches that a letter of the key takes, and letters that a symbol does
_GREY = "#777777"
_KEY: dict[str, Any] = {"frameon": False, "fontsize": 8, "handletextpad": 0.2, "columnspacing": 1.5}


def plot_comparison(
    comparisons: Any,
    *,
    resolution: int = 200,
    panel: float | None = None,
    columns: int | None = None,
) -> Figure:
    r"""Draw what several classifiers make of the same rows of two features, in small pictures.

    Each shows a classifier's regions, the rows it was evaluated on, and its accuracy; rows on the
    wrong side have a dark ring. All pictures of a problem have the same axes.

    Parameters
    ----------
    comparisons : result of ``compare``, or mapping of str to such
        What to draw. A mapping's comparisons are rows of the figure, and its keys name them; all
        must have the same classifiers. Anything with ``models`` (a mapping of names to fitted
        classifiers), ``X`` and ``y`` will do.
    resolution : int, default=200
        Points a side on which the regions are computed.
    panel : float, optional
        The width of a small picture, in inches; by default less where there are many.
    columns : int, optional
        How many pictures there are side by side, for one comparison; by default 5 at most.

    Returns
    -------
    matplotlib figure

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> from types import SimpleNamespace
    >>> X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 0, 1]
    >>> models = {"Perceptron": Perceptron().fit(X, y)}
    >>> figure = plot_comparison(SimpleNamespace(models=models, X=X, y=y))
    >>> figure.axes[0].get_title()
    'Perceptron\n100%'
    """
    several = isinstance(comparisons, Mapping)
    problems = dict(comparisons) if several else {"": comparisons}
    if not problems:
        raise ValueError("there is nothing to draw: comparisons is empty")
    points = {name: _points(name, comparison) for name, comparison in problems.items()}
    names = list(dict.fromkeys(name for one in problems.values() for name in one.models))
    across = len(names) if several else _balanced(len(names), columns or _ACROSS)
    down = len(problems) if several else -(-len(names) // across)
    heads = 1 if several else down  # rows of panels with names above them
    panel = panel or (1.55 if across <= 6 else 1.2)
    size = (max(panel * across + 0.45, _NARROWEST), (panel + 0.18) * down + 0.32 * heads + 0.6)
    figure, axes = plt.subplots(down, across, figsize=size, squeeze=False)
    figure.set_layout_engine("constrained", w_pad=0.03, h_pad=0.04, wspace=0.0, hspace=0.0)
    panels = axes if several else axes.reshape(1, -1)
    for number, (title, comparison) in enumerate(problems.items()):
        for ax, name in zip(panels[number], names, strict=False):
            model = comparison.models.get(name)
            right = _draw_panel(ax, model, comparison.X, points[title], resolution)
            heading = _in_two_lines(name) if number == 0 else ""
            ax.set_title(f"{heading}\n{right}".strip(), fontsize=8.5, color=INK, linespacing=1.15)
        for ax in panels[number][len(names) :]:
            ax.set_axis_off()
    _label_edges(axes, comparisons, problems if several else {})
    _draw_key(figure, points)
    figure.draw_without_rendering()  # square panels are laid out well at the second drawing
    return figure


def _points(name: str, comparison: Any) -> scene.Points:
    """Return the rows to draw, or raise ``ValueError`` saying why there are none."""
    where = f" of {name!r}" if name else ""
    if comparison.X is None:
        raise ValueError(
            f"the comparison{where} is not of two features, so there are no boundaries to draw; "
            "compare two columns of X"
        )
    if not comparison.models:
        raise ValueError(f"no learner{where} could be fitted, so there is nothing to draw")
    known = next(iter(comparison.models.values())).classes_
    return scene.as_points(comparison.X, comparison.y, known)


def _draw_panel(ax: Axes, model: Any, X: Any, points: scene.Points, resolution: int) -> str:
    """Draw one classifier's regions and the rows; return its accuracy in words."""
    ax.set_box_aspect(1)
    ax.tick_params(labelsize=7, length=2, color=_GREY, labelcolor=_GREY)
    for side in ax.spines.values():
        side.set(color=_GREY, linewidth=0.6)
    if model is None:
        ax.set(xticks=[], yticks=[])
        ax.text(0.5, 0.5, "not fitted", ha="center", va="center", fontsize=8, color=_GREY)
        return "–"
    draw_regions(ax, model, X, points.rows, resolution, linewidth=1.2)
    wrong = np.asarray(model.predict(X)) != points.labels
    _draw_dots(ax, points, wrong)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10], min_n_ticks=2))
    share = 1 - wrong.mean()
    return "100%" if share == 1 else f"{min(100 * share, 99.9):.1f}%"


def _draw_dots(ax: Axes, points: scene.Points, wrong: Array) -> None:
    """Draw the rows small, those on the wrong side with a ring and on top."""
    few = len(points.rows) <= _FEW
    size = 34 if few else 11 if len(points.rows) <= 400 else 5
    looks = zip(scene.colours(len(points.classes)), cycle(scene.MARKERS), strict=False)
    for k, (colour, marker) in enumerate(looks):
        mine = points.labels == points.classes[k]
        dots: dict[str, Any] = {"color": colour, "marker": marker, "s": size}
        ax.scatter(*points.rows[mine & ~wrong].T, edgecolors="white", linewidths=0.3, **dots)
        ring: dict[str, Any] = {
            "edgecolors": MISTAKEN,
            "linewidths": 1.4 if few else 0.9,
            "zorder": 4,
        }
        ax.scatter(*points.rows[mine & wrong].T, **(dots | ring))


def _label_edges(axes: Array, comparison: Any, problems: Mapping[str, Any]) -> None:
    """Write figures at the left and the bottom only, and a problem's name next to its row."""
    shown = np.array([[ax.axison for ax in line] for line in axes])
    for (row, column), ax in np.ndenumerate(axes):
        lowest = not shown[row + 1 :, column].any()
        ax.tick_params(labelleft=column == 0, labelbottom=lowest)
    for line, name in zip(axes, problems, strict=False):
        line[0].set_ylabel(name, fontsize=11, fontweight="bold", color=INK)
    columns = getattr(getattr(comparison, "X", None), "columns", None)
    if columns is not None:
        axes[-1, 0].set_xlabel(str(columns[0]), fontsize=8)
        axes[-1, 0].set_ylabel(str(columns[1]), fontsize=8)


def _draw_key(figure: Figure, points: Mapping[str, scene.Points]) -> None:
    """Say below what the dots are."""
    classes = np.unique(np.concatenate([one.classes for one in points.values()]))
    looks = zip(classes, scene.colours(len(classes)), cycle(scene.MARKERS), strict=False)
    keys = [
        Line2D([], [], color=colour, marker=marker, linestyle="none", markersize=5, label=str(name))
        for name, colour, marker in looks
    ]
    hollow: dict[str, Any] = {"markeredgecolor": MISTAKEN, "markerfacecolor": "none"}
    keys.append(Line2D([], [], marker="o", linestyle="none", label="mistaken", **hollow))
    letters = sum(len(str(key.get_label())) + _SYMBOL for key in keys)
    lines = math.ceil(letters * _LETTER / figure.get_size_inches()[0])
    ncols = math.ceil(len(keys) / lines)
    figure.legend(handles=keys, loc="outside lower center", ncols=ncols, **_KEY)


def _balanced(n: int, most: int) -> int:
    """Return how many of n panels go side by side, so that no row is much shorter than others."""
    return -(-n // -(-n // max(1, most)))


def _in_two_lines(name: str) -> str:
    """Break a name of two words into two lines."""
    words = name.split(" ", 1) if " " in name else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).split()
    return "\n".join(words)
