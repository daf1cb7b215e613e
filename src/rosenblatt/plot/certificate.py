"""The certificate of separability or of its absence, as geometry."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, INK, MARKERS, MISTAKEN, Points
from rosenblatt.theory.certificates import Inseparable, Separable

_FEW = 4


def plot_certificate(
    certificate: Separable | Inseparable, X: Any, y: Any, *, ax: Axes | None = None
) -> Axes:
    """Draw why two classes are linearly separable, or why they are not.

    If they are: the line farthest from both, the band of its margin, the support points, and the
    shortest way between the two convex hulls, which is twice the margin. If they are not: the
    certificate's points, their two hulls, and the point where these meet.

    Without an intercept the first class is mirrored at the origin (hollow), for ``y·x`` is all that
    counts then: the hull of ``y·x`` keeps its distance from the origin, or holds it.

    Parameters
    ----------
    certificate : Separable or Inseparable
        What ``separate(X, y)`` returned.
    X, y : array or data frame of shape (n_samples, 2), and array of shape (n_samples,)
        The rows and their labels. A data frame's column names label the axes.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> X, xor = [[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> ax = plot_certificate(separate(X, xor), X, xor)
    >>> ax.get_title()
    'not separable: 4 points suffice'
    >>> (star,) = [c for c in ax.collections if c.get_label() == "where the hulls meet"]
    >>> star.get_offsets().tolist()
    [[0.5, 0.5]]
    """
    if not isinstance(certificate, Separable | Inseparable):
        raise ValueError(f"certificate must be what separate(X, y) returned, got {certificate!r}")
    points = scene.as_points(X, y)
    verdict = certificate.verify(X, y)
    if not verdict:
        raise ValueError(f"this is not a certificate of these data: {verdict.reason}")
    ax = ax or scene.new_axes()
    if isinstance(certificate, Separable):
        _draw_separable(ax, certificate, points)
    else:
        _draw_inseparable(ax, certificate, points, X, y)
    scene.name_axes(ax, X)
    scene.draw_legend(ax)
    return ax


def _draw_separable(ax: Axes, certificate: Separable, points: Points) -> None:
    support, weights = certificate.support, certificate.weights[:, None]
    line = scene.as_line(certificate.hyperplane)
    if certificate.fit_intercept:
        scene.set_view(ax, points.rows)
        for k in (0, 1):
            _draw_hull(ax, points.of(k), COLOURS[k])
        sides = points.signs[support, None] == np.array([-1, 1])
        ends = (weights * sides).T @ points.rows[support]
    else:
        folded = points.rows * points.signs[:, None]
        scene.set_view(ax, np.vstack([points.rows, folded, np.zeros((1, 2))]))
        _draw_hull(ax, folded, INK)
        ends = np.vstack([np.zeros((1, 2)), weights.T @ folded[support]])
    scene.draw_band(ax, line, certificate.margin)
    scene.draw_line(ax, line)
    scene.draw_points(ax, points)
    if not certificate.fit_intercept:
        _draw_mirrored(ax, points, points.signs < 0)
        _draw_star(ax, ends[0], "origin")
    scene.draw_rings(ax, points, support, "support", INK)
    _draw_shortest(ax, ends, certificate)
    ax.set_title(f"separable{_through(certificate)}, margin {certificate.margin:.3g}")


def _draw_inseparable(ax: Axes, certificate: Inseparable, points: Points, X: Any, y: Any) -> None:
    chosen = certificate.points
    rows, signs = points.rows[chosen], points.signs[chosen]
    if certificate.fit_intercept:
        scene.set_view(ax, points.rows)
        for k, side in enumerate((-1, 1)):
            _draw_hull(ax, rows[signs == side], COLOURS[k])
    else:
        folded = rows * signs[:, None]
        scene.set_view(ax, np.vstack([points.rows, folded, np.zeros((1, 2))]))
        _draw_hull(ax, folded, INK)
    scene.draw_points(ax, points)
    if not certificate.fit_intercept:
        _draw_mirrored(ax, points, chosen[signs < 0])
    scene.draw_rings(ax, points, chosen, "certificate", INK)
    if certificate.fit_intercept:
        _draw_star(ax, certificate.meeting_point(X, y), "where the hulls meet")
    else:
        _draw_star(ax, np.zeros(2), "origin")
    count = "1 point suffices" if len(chosen) == 1 else f"{len(chosen)} points suffice"
    ax.set_title(f"not separable{_through(certificate)}: {count}")


def _through(certificate: Separable | Inseparable) -> str:
    return "" if certificate.fit_intercept else " through the origin"


def _draw_hull(ax: Axes, rows: Array, colour: str) -> None:
    if len(rows):
        corners = _hull(rows)
        around = np.vstack([corners, corners[:1]])
        ax.fill(*corners.T, color=colour, alpha=0.15, linewidth=0, zorder=1)
        ax.plot(*around.T, color=colour, linewidth=1.2, alpha=0.8, zorder=1.5)


def _draw_mirrored(ax: Axes, points: Points, chosen: Array) -> None:
    """Draw some rows of the first class on the other side of the origin."""
    rows = points.rows[chosen]
    if not len(rows):
        return
    look: dict[str, Any] = {"s": scene.dot_size(len(points.rows)), "facecolors": "white"}
    look |= {"edgecolors": COLOURS[0], "marker": MARKERS[0], "zorder": 2.5}
    ax.scatter(*-rows.T, label=f"{points.classes[0]}, mirrored", **look)
    if len(rows) <= _FEW:
        for row in rows:
            ends = np.array([row, -row])
            ax.plot(*ends.T, color=COLOURS[0], linewidth=0.8, linestyle=":", zorder=1)


def _draw_star(ax: Axes, where: Array, label: str) -> None:
    ax.scatter(where[0], where[1], color=MISTAKEN, label=label, zorder=2.8, s=420, **scene.STAR)


def _draw_shortest(ax: Axes, ends: Array, certificate: Separable) -> None:
    """Draw the segment that no plane's band can be wider than."""
    name = f"margin = {certificate.margin_upper:.4g}"
    if certificate.fit_intercept:
        name = f"2·margin = {2 * certificate.margin_upper:.4g}"
    look: dict[str, Any] = {"color": MISTAKEN, "linewidth": 2, "marker": "o", "markersize": 4}
    ax.plot(*ends.T, label=name, zorder=2.7, **look)


def _hull(rows: Array) -> Array:
    """Return the corners of the convex hull of points in the plane, in order around it.

    >>> _hull(np.array([[0.0, 0], [2, 0], [1, 0], [1, 1], [2, 2], [0, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    """
    ordered = np.unique(rows, axis=0).tolist()
    if len(ordered) < 3:
        return np.array(ordered)
    return np.array(_lower_chain(ordered)[:-1] + _lower_chain(ordered[::-1])[:-1])


def _lower_chain(ordered: Sequence[Sequence[float]]) -> list[Sequence[float]]:
    chain: list[Sequence[float]] = []
    for x, y in ordered:
        while len(chain) > 1:
            (x1, y1), (x2, y2) = chain[-2:]
            if (x2 - x1) * (y - y1) > (y2 - y1) * (x - x1):
                break
            chain.pop()
        chain.append((x, y))
    return chain
