"""What the step size does to gradient descent."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from sklearn.base import clone

from rosenblatt.plot import scene
from rosenblatt.plot.descent import (
    MANY,
    draw_path,
    draw_start,
    draw_surface,
    first_outside,
    name_weights,
    shown,
)
from rosenblatt.plot.scene import COLOURS, INK, MISTAKEN
from rosenblatt.tracing.descent import DIVERGED, Path, Surface, path_over, surface

_ACROSS = 4  # panels side by side


def plot_learning_rates(
    model: Any,
    X: Any,
    y: Any,
    rates: Mapping[str, float] | Sequence[float],
    *,
    passes: int = 20,
    start: Any = None,
    resolution: int = 100,
) -> Figure:
    """Draw what the step size does: the same descent with several, on the surface and as curves.

    The step sizes stay constant. Below the paths is the loss of all rows after every move; one that
    diverges leaves both pictures with an arrow.

    Parameters
    ----------
    model : estimator
        As for :func:`plot_descent`. Its ``eta0``, ``max_iter`` and ``tol`` play no part.
    X : array of shape (n_samples, 2), or (n_samples, 1) if the model fits an intercept
        The rows.
    y : array of shape (n_samples,)
        Labels of two classes, or numbers for ``LinearRegression``.
    rates : mapping of str to float, or sequence of float
        The step sizes η. A mapping's keys name them.
    passes : int, default=20
        Passes over the rows, for each.
    start : pair of numbers, optional
        The weights (or weight and intercept) to start from, instead of zeros.
    resolution : int, default=100
        Points a side on which the loss is computed.

    Returns
    -------
    matplotlib figure

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = LinearRegression(batch_size=None)
    >>> figure = plot_learning_rates(model, X, y, {"good": 0.2, "too large": 0.5})
    >>> [ax.get_title() for ax in figure.axes]
    ['good: η = 0.2', 'too large: η = 0.5', '']
    >>> figure.axes[1].texts[-1].get_text()
    'diverges'
    """
    rates = rates if isinstance(rates, Mapping) else np.atleast_1d(rates).tolist()
    names = [f"{name}: " for name in rates] if isinstance(rates, Mapping) else [""] * len(rates)
    etas = list(rates.values() if isinstance(rates, Mapping) else rates)
    if not etas:
        raise ValueError("there is nothing to draw: rates is empty")
    titles = [f"{name}η = {eta:g}" for name, eta in zip(names, etas, strict=True)]
    ground = surface(model, X, y)
    fixed = {"learning_rate": "constant", "max_iter": passes, "tol": None, "early_stopping": False}
    models = [clone(model).set_params(eta0=eta, **fixed) for eta in etas]
    paths = [path_over(ground, one, X, y, start) for one in models]
    down = -(-len(etas) // _ACROSS)
    across = -(-len(etas) // down)
    figure = plt.figure(figsize=(3.2 * max(across, 2), 2.4 + 3.2 * down), layout="constrained")
    grid = figure.add_gridspec(down + 1, across, height_ratios=(*[1.35] * down, 1))
    panels = [figure.add_subplot(grid[divmod(k, across)]) for k in range(len(etas))]
    curves = figure.add_subplot(grid[down, :])
    for k, (ax, title) in enumerate(zip(panels, titles, strict=True)):
        ax.set_title(title, color=INK)
        name_weights(ax, ground)
        if k % across:
            ax.set(yticklabels=[], ylabel="")
        if k + across < len(etas):
            ax.set(xticklabels=[], xlabel="")
    _draw_curves(curves, ground, paths, titles)
    figure.draw_without_rendering()  # now the panels have their final size
    for k, (ax, path) in enumerate(zip(panels, paths, strict=True)):
        scene.set_view(ax, shown(paths), room=0.16)
        ax.set_adjustable("box")  # a layout engine must not show more than is computed
        draw_path(ax, path, **_look(k))
        draw_start(ax, path.points[0])
        draw_surface(ax, ground, resolution)
        if path.ending == DIVERGED:
            scene.write_below(ax, DIVERGED)
    return figure


def _look(k: int) -> dict[str, Any]:
    return {"color": COLOURS[k % len(COLOURS)], "marker": scene.MARKERS[k % len(scene.MARKERS)]}


def _draw_curves(ax: Axes, ground: Surface, paths: Sequence[Path], titles: Sequence[str]) -> None:
    """Draw the loss after every move; what diverges is cut, and has an arrow there."""
    curves = [ground.at(path.points) for path in paths]
    settled = [path.ending != DIVERGED for path in paths]
    kept = [curve for curve, ends in zip(curves, settled, strict=True) if ends]
    kept = kept or [curve[:4] for curve in curves]
    start, low = curves[0][0], min(float(curve.min()) for curve in kept)
    high = max(float(curve.max()) for curve in kept)
    log = high > 30 * low > 0
    top = max(4 * start if log else start + 0.35 * (start - low), 1.05 * high)
    ax.set(yscale="log" if log else "linear")
    for k, (curve, title, ends) in enumerate(zip(curves, titles, settled, strict=True)):
        stop = len(curve)
        if not ends:
            stop = first_outside(curve[:, None], np.array([-np.inf]), np.array([top]))
        part = curve[: stop + 1]
        dots: dict[str, Any] = {"markersize": 4.5, "markeredgecolor": "white"}
        dots |= {"markeredgewidth": 0.5, "linewidth": 1.8, "markevery": range(min(stop, len(part)))}
        look = _look(k) | ({} if len(curve) <= MANY else {"marker": ""})
        ax.plot(part, label=title, **dots, **look)
        if stop < len(curve):
            _draw_exit(ax, stop, curve, top, log)
    longest = max(len(curve) for curve in kept) - 1
    ax.set(xlim=(-0.012 * longest, 1.012 * longest), xlabel="move", ylabel="mean loss")
    # A curve that leaves the picture must not stretch it the other way.
    ax.set_ylim(None if log else min(0.0, low) - 0.03 * (top - low), top)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.3)
    beside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
    where = {"loc": "best"} if len(titles) <= _ACROSS else beside
    ax.legend(frameon=True, framealpha=0.9, edgecolor="none", **where)


def _draw_exit(ax: Axes, stop: int, curve: Any, top: float, log: bool) -> None:
    """Draw an arrow where a curve leaves the picture."""
    before, after, edge = np.array([curve[stop - 1], curve[stop], top])
    if log:
        before, after, edge = np.log([before, after, edge])
    ax.plot(
        stop - 1 + (edge - before) / (after - before),
        top,
        "^",
        color=MISTAKEN,
        markersize=9,
        clip_on=False,
        zorder=5,
    )
