"""Errors against the number of passes, for several ways to predict and several models."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import INK

_ACROSS = 2  # panels side by side
_WIDTH, _HEIGHT = 3.15, 1.2  # inches: 80 mm in all, 30 mm for each panel
_SIZE = 7.5  # of letters, in points
_APART = 1.2  # times the size of letters, from one name to the next
_ROUND = (1, 2, 5)


def plot_passes(passes: Sequence[float], errors: Mapping[str, Mapping[str, Any]]) -> Figure:
    """Draw how errors change with the passes over the data, both on logarithmic scales.

    There is a panel for each model, and in it a line for each way to predict; at the upper right
    their names are written at their ends.

    Parameters
    ----------
    passes : sequence of float
        The numbers of passes after which errors were counted, none of them zero.
    errors : mapping of str to mappings of str to sequences of float
        ``errors[model][way]`` are shares of rows misclassified, one for each number of passes.

    Returns
    -------
    matplotlib figure
        80 mm wide, to be saved with some 250 dots an inch.

    Examples
    --------
    >>> errors = {"degree 2": {"vote": [0.08, 0.02], "last": [0.1, 0.03]}}
    >>> figure = plot_passes([0.1, 1], errors)
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['last', 'vote']
    """
    places = np.asarray(passes, float)
    tables = {title: _checked(title, lines, places) for title, lines in errors.items()}
    if not any(tables.values()):
        raise ValueError("there is nothing to draw: errors is empty")
    names = list(dict.fromkeys(name for lines in tables.values() for name in lines))
    looks = {name: _look(k) for k, name in enumerate(names)}
    across = min(_ACROSS, len(tables))
    down = -(-len(tables) // across)
    size = _WIDTH, (_HEIGHT if len(tables) > 1 else 1.6 * _HEIGHT) * down + 0.35
    shape: dict[str, Any] = {"figsize": size, "squeeze": False, "layout": "constrained"}
    with plt.rc_context({"font.size": _SIZE, "axes.titlesize": _SIZE, "axes.linewidth": 0.6}):
        grid: tuple[Figure, Any] = plt.subplots(down, across, sharex=True, sharey=True, **shape)
        figure, axes = grid
        for ax in axes.flat[len(tables) :]:
            ax.remove()
        _scale(axes[0, 0], places, tables)
        for k, (ax, (title, lines)) in enumerate(zip(axes.flat, tables.items(), strict=False)):
            for name, shares in lines.items():
                ax.plot(places, 100 * shares, **looks[name])
            _trim(ax, title, bottom=k + across >= len(tables))
        figure.supxlabel("passes over the data", fontsize=_SIZE)
        figure.supylabel("error in percent", fontsize=_SIZE)
        figure.draw_without_rendering()  # now the panels have their final height
        _name_lines(axes[0, across - 1], list(tables.values())[across - 1], looks)
    return figure


def _checked(title: str, lines: Mapping[str, Any], places: Array) -> dict[str, Array]:
    """Return the lines of a panel as arrays, or raise ``ValueError``."""
    if places.ndim != 1 or not len(places) or not np.all(places > 0):
        raise ValueError(f"passes must be numbers above zero, got {places.tolist()}")
    shares = {name: np.asarray(line, float) for name, line in lines.items()}
    for name, line in shares.items():
        if line.shape != places.shape:
            raise ValueError(
                f"errors of {title!r}, {name!r} must be as many as passes, {len(places)}; "
                f"got an array of shape {line.shape}"
            )
        if not np.all((line >= 0) & (line <= 1)):
            raise ValueError(f"errors of {title!r}, {name!r} must be shares from 0 to 1")
    return shares


def _look(k: int) -> dict[str, Any]:
    return {
        **scene.look(k),
        "markersize": 2.6 - 0.4 * (k % 2),
        "markeredgewidth": 0,
        "linewidth": 1.1,
        # Where two lines are one, both are to be seen.
        "linestyle": "-" if k % 2 == 0 else (0, (2.2, 1.4)),
        "zorder": 3 + k % 2 / 2,
    }


def _trim(ax: Axes, title: str, bottom: bool) -> None:
    """Leave of a panel's frame what is needed."""
    ax.set_title(title, color=INK, pad=3)
    ax.grid(alpha=0.25, linewidth=0.5)
    scene.open_frame(ax)
    ax.tick_params(length=2, pad=2, width=0.6, labelbottom=bottom)


def _scale(ax: Axes, places: Array, tables: Mapping[str, Mapping[str, Array]]) -> None:
    """Make both scales logarithmic, with few ticks, at round numbers."""
    ax.set(xscale="log", yscale="log")
    ax.set_xlim(places.min() / 1.25, places.max() * 1.25)
    percent = np.concatenate([100 * line for lines in tables.values() for line in lines.values()])
    seen = percent[percent > 0]
    low, high = (seen.min(), seen.max()) if len(seen) else (0.1, 1.0)
    ax.set_ylim(low / 1.15, high * 1.15)
    for axis, first, last, steps in (
        (ax.xaxis, places.min(), places.max(), (1,)),
        (ax.yaxis, low / 1.15, high * 1.15, _ROUND),
    ):
        tens = range(int(np.floor(np.log10(first))), int(np.ceil(np.log10(last))) + 1)
        ticks = [step * 10.0**ten for ten in tens for step in steps]
        ticks = [tick for tick in ticks if first <= tick <= last]
        if axis is ax.xaxis and (not ticks or last > 2.5 * ticks[-1]):
            ticks.append(last)
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_locator(NullLocator())
        axis.set_minor_formatter(NullFormatter())


def _name_lines(ax: Axes, lines: Mapping[str, Array], looks: Mapping[str, Any]) -> None:
    """Write each line's name at its end; where ends are close, one below the other."""
    order = sorted(lines, key=lambda name: -lines[name][-1])
    low, high = np.log(ax.get_ylim())
    ends = np.log(np.maximum(100 * np.array([lines[name][-1] for name in order]), np.exp(low)))
    ends = (ends - low) / (high - low)
    apart = _APART * _SIZE / 72 / ax.get_window_extent().height * ax.figure.dpi
    heights = _spread(ends, apart)
    heights += max(apart / 2 - heights[-1], 0)  # not below the picture
    edge = ax.transAxes.inverted().transform(ax.transData.transform((ax.dataLim.x1, 1)))[0]
    for name, end, height in zip(order, ends.tolist(), heights.tolist(), strict=True):
        color = looks[name]["color"]
        where: dict[str, Any] = {"transform": ax.transAxes, "clip_on": False}
        ax.plot([edge, 1.06], [end, height], color=color, linewidth=0.5, alpha=0.7, **where)
        ax.text(1.08, height, name, va="center", color=color, **where)


def _spread(heights: Array, apart: float) -> Array:
    """Move numbers that fall as little as possible, so that they are so far apart.

    >>> _spread(np.array([0.9, 0.5, 0.5]), 0.25).tolist()
    [0.9, 0.625, 0.375]
    """
    # With the gaps taken out, they must only fall: neighbours that rise share their mean.
    level = heights + apart * np.arange(len(heights))
    groups: list[list[float]] = []
    for number in level:
        groups.append([float(number)])
        while len(groups) > 1 and np.mean(groups[-2]) < np.mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    means = [np.mean(group) for group in groups for _ in group]
    return np.asarray(means - apart * np.arange(len(heights)))
