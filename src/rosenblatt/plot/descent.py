"""Paths of gradient descent over the surface of a loss."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from scipy.optimize import minimize

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, INK, MISTAKEN
from rosenblatt.tracing.descent import CUT, DIVERGED, Path, Surface, path_over, surface

_LEVELS = 14
MANY = 60  # moves; their dots would hide the line
_VERY_MANY = 1000
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
        Where to draw; by default a new figure.
    resolution : int, default=120
        Points a side on which the loss is computed.
    max_moves : int, default=10000
        Moves to draw of each path at most.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import LinearRegression
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> batch = LinearRegression(batch_size=None, learning_rate="line_search")
    >>> ax = plot_descent({"batch": batch, "stochastic": LinearRegression()}, X, y)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('w', 'b')
    >>> ax.lines[0].get_xydata()[-1].round(1).tolist()
    [2.0, 1.0]
    """
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    ground = _common_surface(named, X, y)
    paths = [path_over(ground, model, X, y, start, max_moves) for model in named.values()]
    ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")[1] if ax is None else ax
    scene.set_view(ax, shown(paths), room=0.1)
    # The longest are below the others, of two that are as long the first.
    below = sorted(range(len(paths)), key=lambda k: (-paths[k].moves, k))
    looks = zip(named, paths, cycle(COLOURS), cycle(scene.MARKERS), strict=False)
    for k, (name, path, colour, marker) in enumerate(looks):
        label = f"{name}: {_in_words(path)}".removeprefix(": ")
        height = 2 + below.index(k) / len(paths)
        draw_path(ax, path, label=label, color=colour, marker=marker, zorder=height)
    draw_start(ax, paths[0].points[0])
    ax.legend(loc="best", frameon=True, framealpha=0.9)
    ax.set_adjustable("box")  # a layout engine must not show more than was computed
    draw_surface(ax, ground, resolution)
    name_weights(ax, ground)
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


def shown(paths: Sequence[Path]) -> Array:
    """Return the points to show: paths, but of those that diverge their beginnings only."""
    settled = [path.points for path in paths if path.ending != DIVERGED]
    shown = np.vstack(settled or [path.points[:3] for path in paths])
    low, high = shown.min(axis=0), shown.max(axis=0)
    room = 0.35 * (high - low).max()
    near = [path.points[: first_outside(path.points, low - room, high + room)] for path in paths]
    return np.vstack([shown, *near])


def first_outside(points: Array, low: Array, high: Array) -> int:
    """Return the number of the first point that is not in a box; how many there are if all are."""
    outside = np.any((points < low) | (points > high), axis=1)
    return int(outside.argmax()) if outside.any() else len(points)


def draw_path(ax: Axes, path: Path, **style: Any) -> None:
    """Draw a path; one that diverges up to where it leaves the picture, and an arrow there."""
    points = path.points
    few = path.moves <= MANY
    look: dict[str, Any] = {"markersize": 4.5, "markeredgecolor": "white", "markeredgewidth": 0.5}
    look |= {"linewidth": 1.8 if few else 1.1 if path.moves <= _VERY_MANY else 0.8, **style}
    if path.ending == DIVERGED:
        points = points[: first_outside(points, *scene.view(ax)) + 1]
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


def draw_start(ax: Axes, point: Array) -> None:
    """Draw a ring where the paths start."""
    ring: dict[str, Any] = {"facecolors": "white", "edgecolors": INK, "linewidths": 1.6}
    ax.scatter(point[0], point[1], s=52, zorder=4, label="start", **ring)


def draw_surface(ax: Axes, ground: Surface, resolution: int) -> None:
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
        star: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.8, "color": INK}
        ax.scatter(best[0], best[1], s=150, marker="*", zorder=3.5, **star)
    ax.set(**limits)


def name_weights(ax: Axes, ground: Surface) -> None:
    """Label the axes with the names of the two weights."""
    names = ("w", "b") if ground.fit_intercept else ("$w_1$", "$w_2$")
    ax.set(xlabel=names[0], ylabel=names[1])
