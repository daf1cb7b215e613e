"""The loss of each pass."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from rosenblatt.plot.scene import COLOURS, INK, MARKERS

_FEW = 5  # entries of a key that find room beside the curves
_MANY = 40
_DASHED: dict[str, Any] = {"linewidth": 1.8, "linestyle": (0, (4, 2))}
_GREY = "#777777"


def plot_loss_curve(models: Any, *, ax: Axes | None = None, log: bool = False) -> Axes:
    """Draw the mean loss of each pass, and that of the rows held out, where there are some.

    The latter are dashed, and a star marks the pass with the least loss, whose weights were kept.

    Parameters
    ----------
    models : fitted estimator, or mapping of str to such
        Anything with ``loss_curve_`` and maybe ``validation_curve_``. A mapping's keys name them.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    log : bool, default=False
        Make the scale of the loss logarithmic.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
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
    ax = plt.subplots(figsize=(7, 3.8), layout="constrained")[1] if ax is None else ax
    looks = zip(named.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
    kept = [_draw(ax, name, model, colour, marker) for (name, model), colour, marker in looks]
    ax.set(xlabel="pass", ylabel="mean loss")
    if log:
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", alpha=0.3)
    handles = [*ax.get_legend_handles_labels()[0], *_key([best for best in kept if best])]
    if handles:
        beside: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1, 0.5)}
        where = beside if alone and len(handles) > _FEW else {"loc": "best"}
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
    star: dict[str, Any] = {"marker": "*", "s": 170, "edgecolors": "white", "linewidths": 0.8}
    ax.scatter([best + 1], [held_out[best]], color=INK, zorder=5, **star)
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
