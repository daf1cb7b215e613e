"""Gradient descent over the surface of a loss, and what the step size does to it."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.optimize import minimize
from sklearn.base import clone

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, INK, MISTAKEN
from rosenblatt.tracing.descent import CUT, DIVERGED, Path, Surface, path_over, surface

_LEVELS = 14
_MANY = 60  # moves; their dots would hide the line
_VERY_MANY = 1000
_ACROSS = 4  # panels side by side
_GREYS = plt.get_cmap("Greys")(np.linspace(0.0, 0.42, _LEVELS))


def plot_descent(
    models: Any,
    X: Any,
    y: Any,
    *,
    start: Any = None,
    ax: Axes | None = None,
    resolution: int = 120,
    max_moves: int = 10_000,
) -> Axes:
    """Draw the surface of a loss over two weights, and the way that estimators take down.

    Copies of the models are fitted, and each line goes through the weights after every move: all
    are those of the estimator itself. Darker is higher, and a star is the lowest point in view. A
    path that diverges ends in an arrow where it leaves the picture.

    Parameters
    ----------
    models : estimator, or mapping of str to such
        ``GradientDescent``, ``LogisticRegression``, ``LinearSVM`` or ``LinearRegression``; a
        mapping's keys name the paths. All must go down the same loss. Averaging models show the
        mean of the weights so far.
    X : array of shape (n_samples, 2), or (n_samples, 1) if the models fit an intercept
        The rows.
    y : array of shape (n_samples,)
        Labels of two classes, or numbers for ``LinearRegression``.
    start : pair of numbers, optional
        The weights (or weight and intercept) to start from, instead of zeros.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.
    resolution : int, default=120
        Points a side on which the loss is computed.
    max_moves : int, default=10000
        Moves to draw of each path at most.

    Examples
    --------
    >>> from rosenblatt import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> batch = LinearRegression(batch_size=None, learning_rate="line_search")
    >>> ax = plot_descent({"batch": batch, "stochastic": LinearRegression(batch_size=1)}, X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('w', 'b')
    >>> ax.lines[0].get_xydata()[-1].round(1).tolist()
    [2.0, 1.0]
    """
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    ground = _common_surface(named, X, y)
    paths = [path_over(ground, model, X, y, start, max_moves) for model in named.values()]
    ax = ax or scene.new_axes((6.4, 5.2))
    scene.set_view(ax, _shown(paths), pad=0.1)
    # The longest are below the others, of two that are as long the first.
    below = sorted(range(len(paths)), key=lambda k: (-paths[k].moves, k))
    looks = zip(named, paths, cycle(COLOURS), cycle(scene.MARKERS), strict=False)
    for k, (name, path, colour, marker) in enumerate(looks):
        label = f"{name}: {_in_words(path)}".removeprefix(": ")
        height = 2 + below.index(k) / len(paths)
        _draw_path(ax, path, label=label, color=colour, marker=marker, zorder=height)
    _draw_start(ax, paths[0].points[0])
    ax.legend(**scene.LEGEND)
    ax.set_adjustable("box")  # a layout engine must not show more than was computed
    _draw_surface(ax, ground, resolution)
    _name_weights(ax, ground)
    return ax


def _common_surface(named: Mapping[str, Any], X: Any, y: Any) -> Surface:
    if not named:
        raise ValueError("there is nothing to draw: models is empty")
    first, *others = [surface(model, X, y) for model in named.values()]
    for name, other in zip(list(named)[1:], others, strict=True):
        if (other.loss, other.penalty) != (first.loss, first.penalty):
            raise ValueError(
                f"{name!r} does not go down the same surface as {next(iter(named))!r}: the loss "
                "and the penalty must be the same; draw it in axes of its own"
            )
    return first


def _in_words(path: Path) -> str:
    count = f"{path.moves:,} move" + ("" if path.moves == 1 else "s")
    return {DIVERGED: DIVERGED, CUT: f"first {count}"}.get(path.ending, count)


def _shown(paths: Sequence[Path]) -> Array:
    """Return the points to show: paths, but of those that diverge their beginnings only."""
    settled = [path.points for path in paths if path.ending != DIVERGED]
    _shown = np.vstack(settled or [path.points[:3] for path in paths])
    low, high = _shown.min(axis=0), _shown.max(axis=0)
    pad = 0.35 * (high - low).max()
    near = [path.points[: _first_outside(path.points, low - pad, high + pad)] for path in paths]
    return np.vstack([_shown, *near])


def _first_outside(points: Array, low: Array, high: Array) -> int:
    """Return the number of the first point that is not in a box; how many there are if all are."""
    outside = np.any((points < low) | (points > high), axis=1)
    return int(outside.argmax()) if outside.any() else len(points)


def _draw_path(ax: Axes, path: Path, **style: Any) -> None:
    """Draw a path; one that diverges up to where it leaves the picture, and an arrow there."""
    points = path.points
    few = path.moves <= _MANY
    look: dict[str, Any] = {"markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.5}
    look |= {"linewidth": 1.8 if few else 1.1 if path.moves <= _VERY_MANY else 0.8, **style}
    if path.ending == DIVERGED:
        points = points[: _first_outside(points, *scene.view(ax)) + 1]
        look["markevery"] = range(len(points) - 1)
    elif not few:
        look |= {"markevery": [len(points) - 1], "markersize": 7.5}
    ax.plot(*points.T, **look)
    if path.ending == DIVERGED and len(points) > 1:
        _draw_exit(ax, points[-2], points[-1])


def _draw_exit(ax: Axes, inside: Array, outside: Array) -> None:
    """Draw an arrow that ends where a step leaves the picture."""
    low, high = scene.view(ax)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(outside > high, (high - inside) / (outside - inside), 1.0)
        shares = np.where(outside < low, (low - inside) / (outside - inside), shares)
    edge = inside + shares.min() * (outside - inside)
    arrow = {"arrowstyle": "-|>", "color": MISTAKEN, "linewidth": 2, "mutation_scale": 16}
    arrow |= {"shrinkA": 0, "shrinkB": 0}
    ax.annotate("", tuple(edge), tuple(inside + 0.75 * (edge - inside)), arrowprops=arrow, zorder=5)


def _draw_start(ax: Axes, point: Array) -> None:
    """Draw a ring where the paths start."""
    ring: dict[str, Any] = {"facecolors": "white", "edgecolors": INK, "linewidths": 1.6}
    ax.scatter(point[0], point[1], s=52, zorder=4, label="start", **ring)


def _draw_surface(ax: Axes, ground: Surface, resolution: int) -> None:
    """Shade the heights of what is in view, and mark the lowest point if there is just one."""
    low, high = scene.view(ax)
    across, up = (np.linspace(low[k], high[k], resolution) for k in (0, 1))
    heights = ground.over(across, up)
    bottom, top = float(heights.min()), float(heights.max())
    limits = {"xlim": ax.get_xlim(), "ylim": ax.get_ylim()}
    if top > bottom:
        levels = bottom + (top - bottom) * np.linspace(0, 1, _LEVELS + 1) ** 2.5
        ax.contourf(across, up, heights, levels=levels, colors=_GREYS, zorder=0)
        ax.contour(across, up, heights, levels=levels[1:-1], colors="#8A8A8A", linewidths=0.5)
    row, column = np.unravel_index(heights.argmin(), heights.shape)
    inside = 0 < row < resolution - 1 and 0 < column < resolution - 1
    if inside and np.sum(heights <= bottom + 1e-9 * (top - bottom)) == 1:
        best = minimize(ground, [across[column], up[row]], method="Nelder-Mead").x
        ax.scatter(best[0], best[1], s=150, color=INK, zorder=3.5, **scene.STAR)
    ax.set(**limits)


def _name_weights(ax: Axes, ground: Surface) -> None:
    """Label the axes with the names of the two weights."""
    names = ("w", "b") if ground.fit_intercept else ("$w_1$", "$w_2$")
    ax.set(xlabel=names[0], ylabel=names[1])


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
        _name_weights(ax, ground)
        if k % across:
            ax.set(yticklabels=[], ylabel="")
        if k + across < len(etas):
            ax.set(xticklabels=[], xlabel="")
    _draw_curves(curves, ground, paths, titles)
    figure.draw_without_rendering()  # now the panels have their final size
    for k, (ax, path) in enumerate(zip(panels, paths, strict=True)):
        scene.set_view(ax, _shown(paths), pad=0.16)
        ax.set_adjustable("box")  # a layout engine must not show more than is computed
        _draw_path(ax, path, **scene.look(k))
        _draw_start(ax, path.points[0])
        _draw_surface(ax, ground, resolution)
        if path.ending == DIVERGED:
            scene.write_below(ax, DIVERGED)
    return figure


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
            stop = _first_outside(curve[:, None], np.array([-np.inf]), np.array([top]))
        part = curve[: stop + 1]
        dots: dict[str, Any] = {"markersize": 4.5, "markeredgecolor": "white"}
        dots |= {"markeredgewidth": 0.5, "linewidth": 1.8, "markevery": range(min(stop, len(part)))}
        look = scene.look(k) | ({} if len(curve) <= _MANY else {"marker": ""})
        ax.plot(part, label=title, **dots, **look)
        if stop < len(curve):
            _draw_curve_exit(ax, stop, curve, top, log)
    longest = max(len(curve) for curve in kept) - 1
    ax.set(xlim=(-0.012 * longest, 1.012 * longest), xlabel="move", ylabel="mean loss")
    # A curve that leaves the picture must not stretch it the other way.
    ax.set_ylim(None if log else min(0.0, low) - 0.03 * (top - low), top)
    scene.whole_numbers(ax.xaxis)
    scene.open_frame(ax)
    ax.grid(axis="y", alpha=0.3)
    outside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
    where = {"loc": "best"} if len(titles) <= _ACROSS else outside
    ax.legend(frameon=True, framealpha=0.9, edgecolor="none", **where)


def _draw_curve_exit(ax: Axes, stop: int, curve: Any, top: float, log: bool) -> None:
    """Draw an arrow where a curve leaves the picture."""
    before, after, edge = np.array([curve[stop - 1], curve[stop], top])
    if log:
        before, after, edge = np.log([before, after, edge])
    place = stop - 1 + (edge - before) / (after - before)
    ax.plot(place, top, "^", color=MISTAKEN, markersize=9, clip_on=False, zorder=5)
