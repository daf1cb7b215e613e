"""Losses as functions of the margin, and the loss of each pass."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, HALO, INK, MARKERS
from rosenblatt.reference.losses import zero_one

_FEW = 5  # entries of a key that fit next to the curves
_MANY = 40
_DASHED: dict[str, Any] = {"linewidth": 1.8, "linestyle": (0, (4, 2))}
_GREY = "#777777"
_LOSSES: dict[str, tuple[str, str, Any]] = {
    "zero_one": ("0/1", INK, "-"),
    "perceptron": ("perceptron", COLOURS[0], "-"),
    "hinge": ("hinge", COLOURS[1], (0, (6, 2))),
    "logistic": ("logistic", COLOURS[2], "-"),
    "squared": ("squared", COLOURS[3], (0, (2, 1.5))),
    "squared_hinge": ("squared hinge", COLOURS[4], "-"),
    "modified_huber": ("modified Huber", COLOURS[5], (0, (4, 1.5))),
}
_USUAL = ("zero_one", "perceptron", "hinge", "logistic", "squared")
_TOP = 3.4


def plot_losses(
    losses: Sequence[str] = _USUAL,
    *,
    ax: Axes | None = None,
    margins: tuple[float, float] = (-2.2, 3.2),
) -> Axes:
    """Draw what an example costs, as a function of its margin ``y·s``.

    Left of zero it is on the wrong side. The heights are those that the library computes.

    Parameters
    ----------
    losses : sequence of str
        Of "zero_one", "perceptron", "hinge", "logistic", "squared", "squared_hinge" and
        "modified_huber"; the first five by default. With the last the picture is higher, as it
        differs from the squared hinge below a margin of −1.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.
    margins : pair of numbers, default=(-2.2, 3.2)
        From where to where.

    Examples
    --------
    >>> ax = plot_losses(["hinge", "squared"])
    >>> [line.get_label() for line in ax.lines]
    ['hinge', 'squared']
    """
    unknown = [name for name in losses if name not in _LOSSES]
    if unknown or not losses:
        raise ValueError(f"losses must be of {', '.join(_LOSSES)}, got {list(losses)}")
    first, last = margins
    if not first < 0 < last:
        raise ValueError(f"margins must go from below zero to above, got {margins}")
    ax = ax or scene.new_axes((7, 4))
    ax.axvspan(first, 0, color=INK, alpha=0.06, linewidth=0)
    for name in losses:
        label, colour, dashes = _LOSSES[name]
        m = np.union1d(np.linspace(first, last, 541), [0.0, 1.0])
        if name == "zero_one":
            m = np.insert(m, np.searchsorted(m, 0.0, side="right"), np.nextafter(0, 1))
        look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 2}
        ax.plot(m, _cost(name, m), label=label, **look)
    higher = max(1.0, -4.2 * first / _TOP) if "modified_huber" in losses else 1.0
    top = higher * _TOP
    ax.set(xlim=(first, last), ylim=(-0.12 * higher, top), xlabel="margin y·s", ylabel="loss")
    for x, side, words in ((-0.08, "right", "wrong side"), (0.08, "left", "right side")):
        note: dict[str, Any] = {"ha": side, "va": "top", "color": INK, "path_effects": HALO}
        ax.text(x, top - 0.08 * higher, words, **note)
    scene.open_frame(ax)
    # Where no curve comes by, whatever the margins are.
    place: dict[str, Any] = {"bbox_to_anchor": (1.0, 3.1 * higher), "bbox_transform": ax.transData}
    ax.legend(frameon=False, loc="upper center", **place)
    return ax


def _cost(name: str, margins: np.ndarray[Any, Any]) -> list[float]:
    """Return the loss of an example of class +1 with each score."""
    if name not in LOSSES:
        return [zero_one(m, 1.0) for m in margins]
    return [float(evaluate(name, np.array([[m]]), np.ones(1))[0]) for m in margins]


def plot_loss_curve(models: Any, *, ax: Axes | None = None, log: bool = False) -> Axes:
    """Draw the mean loss of each pass, and that of the rows held out, where there are some.

    The latter are dashed, and a star marks the pass with the least loss, whose weights were kept.

    Parameters
    ----------
    models : fitted estimator, or mapping of str to such
        Anything with ``loss_curve_`` and maybe ``validation_curve_``. A mapping's keys name them.
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.
    log : bool, default=False
        Make the scale of the loss logarithmic.

    Examples
    --------
    >>> from rosenblatt import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> ax = plot_loss_curve(model)
    >>> ax.lines[0].get_ydata().tolist() == model.loss_curve_.tolist()
    True
    """
    named = dict(models) if isinstance(models, Mapping) else {"": models}
    if not named:
        raise ValueError("there is nothing to draw: models is empty")
    for model in named.values():
        if not hasattr(model, "loss_curve_"):
            raise ValueError(
                f"{type(model).__name__} has no loss_curve_: it must be fitted, and go down a loss"
            )
    alone = ax is None
    ax = ax or scene.new_axes((7, 3.8))
    looks = zip(named.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
    kept = [_draw(ax, name, model, colour, marker) for (name, model), colour, marker in looks]
    ax.set(xlabel="pass", ylabel="mean loss")
    if log:
        ax.set_yscale("log")
    scene.whole_numbers(ax.xaxis)
    scene.open_frame(ax)
    ax.grid(axis="y", alpha=0.3)
    handles = [*ax.get_legend_handles_labels()[0], *_key([best for best in kept if best])]
    if handles:
        outside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
        where = outside if alone and len(handles) > _FEW else {"loc": "best"}
        ax.legend(handles=handles, frameon=False, **where)
    return ax


def _draw(ax: Axes, name: str, model: Any, colour: str, marker: str) -> int | None:
    """Draw a model's curves; return the pass that was kept, if rows were held out."""
    curve, held_out = model.loss_curve_, getattr(model, "validation_curve_", None)
    if held_out is not None and len(held_out) != len(curve):
        held_out = None  # it is of an earlier fit
    passes = np.arange(len(curve)) + 1
    dots: dict[str, Any] = {"marker": marker if len(curve) <= _MANY else None, "markersize": 4}
    label = name or (None if held_out is None else "rows learned from")
    ax.plot(passes, curve, color=colour, label=label, linewidth=1.8, **dots)
    if held_out is None:
        return None
    ax.plot(passes, held_out, color=colour, **_DASHED)
    best = int(np.argmin(held_out))
    ax.scatter([best + 1], [held_out[best]], color=INK, zorder=5, s=170, **scene.STAR)
    return best + 1


def _key(kept: list[int]) -> list[Line2D]:
    """Say once for all models what dashes and stars are."""
    if not kept:
        return []
    which = f"pass {kept[0]:,}, which was kept" if len(kept) == 1 else "the pass that was kept"
    star: dict[str, Any] = {"marker": "*", "markersize": 13, "markeredgecolor": "white"}
    return [
        Line2D([], [], color=_GREY, label="rows held out", **_DASHED),
        Line2D([], [], color=INK, linestyle="none", label=which, **star),
    ]
