"""The losses as functions of the margin."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.plot.scene import COLOURS, HALO, INK
from rosenblatt.reference.losses import zero_one

_LOOKS: dict[str, tuple[str, str, Any]] = {
    "zero_one": ("0/1", INK, "-"),
    "perceptron": ("perceptron", COLOURS[0], "-"),
    "hinge": ("hinge", COLOURS[1], (0, (6, 2))),
    "logistic": ("logistic", COLOURS[2], "-"),
    "squared": ("squared", COLOURS[3], (0, (2, 1.5))),
}


def plot_losses(
    losses: Sequence[str] = tuple(_LOOKS),
    *,
    ax: Axes | None = None,
    margins: tuple[float, float] = (-2.2, 3.2),
) -> Axes:
    """Draw what an example costs, as a function of its margin ``y·s``.

    Left of zero it is on the wrong side. The heights are those that the library computes.

    Parameters
    ----------
    losses : sequence of str, default=all
        Of "zero_one", "perceptron", "hinge", "logistic" and "squared".
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.
    margins : pair of numbers, default=(-2.2, 3.2)
        From where to where.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> ax = plot_losses(["hinge", "squared"])
    >>> [line.get_label() for line in ax.lines]
    ['hinge', 'squared']
    """
    unknown = [name for name in losses if name not in _LOOKS]
    if unknown or not losses:
        raise ValueError(f"losses must be of {', '.join(_LOOKS)}, got {list(losses)}")
    first, last = margins
    if not first < 0 < last:
        raise ValueError(f"margins must go from below zero to above, got {margins}")
    ax = plt.subplots(figsize=(7, 4), layout="constrained")[1] if ax is None else ax
    ax.axvspan(first, 0, color=INK, alpha=0.06, linewidth=0)
    for name in losses:
        label, colour, dashes = _LOOKS[name]
        m = np.union1d(np.linspace(first, last, 541), [0.0, 1.0])
        if name == "zero_one":
            m = np.insert(m, np.searchsorted(m, 0.0, side="right"), np.nextafter(0, 1))
        look: dict[str, Any] = {"color": colour, "linestyle": dashes, "linewidth": 2}
        ax.plot(m, _cost(name, m), label=label, **look)
    top = 3.4
    ax.set(xlim=(first, last), ylim=(-0.12, top), xlabel="margin y·s", ylabel="loss")
    for x, side, words in ((-0.08, "right", "wrong side"), (0.08, "left", "right side")):
        note: dict[str, Any] = {"ha": side, "va": "top", "color": INK, "path_effects": HALO}
        ax.text(x, top - 0.08, words, **note)
    ax.spines[["top", "right"]].set_visible(False)
    # Where no curve comes by, whatever the margins are.
    place: dict[str, Any] = {"bbox_to_anchor": (1.0, 3.1), "bbox_transform": ax.transData}
    ax.legend(frameon=False, loc="upper center", **place)
    return ax


def _cost(name: str, margins: np.ndarray[Any, Any]) -> list[float]:
    """Return the loss of an example of class +1 with each score."""
    if name not in LOSSES:
        return [zero_one(m, 1.0) for m in margins]
    return [float(evaluate(name, np.array([[m]]), np.ones(1))[0]) for m in margins]
