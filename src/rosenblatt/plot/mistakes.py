"""Mistakes against what a theorem allows, pass by pass."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from rosenblatt.plot.scene import COLOURS, HALO, MISTAKEN

_NAMES = {"novikoff": " (Novikoff)", "freund-schapire": " on the first pass (Freund, Schapire)"}
_FAR = 20.0


def plot_mistakes(model: Any, bound: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the mistakes made so far as steps, one for each pass, and a bound on them as a line.

    A bound that is 20 times the mistakes or more, or as much less, makes the scale logarithmic.

    Parameters
    ----------
    model : fitted estimator
        Anything with ``mistakes_``, one count for each pass.
    bound : result of ``mistake_bound`` or float, optional
        What the mistakes cannot exceed. Freund and Schapire's holds for the first pass alone, whose
        step is darker then.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    Deck B's example, with three mistakes in the first pass of two, and (R/γ)² = 5:

    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> model = Perceptron(fit_intercept=False, shuffle=False).fit(X, [-1, 1, 1, -1, -1, 1])
    >>> ax = plot_mistakes(model, 5)
    >>> [text.get_text() for text in ax.texts]
    ['3 mistakes', 'bound 5']
    >>> ax.patches[0].get_data().values.tolist()
    [3, 3]
    """
    if not hasattr(model, "mistakes_"):
        raise ValueError(f"mistakes_ is missing: fit the model first, got {model!r}")
    limit = None if bound is None else float(getattr(bound, "bound", bound))
    if limit is not None and not 0 <= limit < np.inf:
        raise ValueError(f"bound must be a number, zero or more, got {limit}")
    ax = plt.subplots()[1] if ax is None else ax
    made, edges = np.cumsum(model.mistakes_), np.arange(len(model.mistakes_) + 1) + 0.5
    low = _scale(ax, int(made[-1]), limit)
    ax.stairs(made, edges, baseline=low, fill=True, color=COLOURS[0], alpha=0.25)
    ax.stairs(made, edges, baseline=None, color=COLOURS[0], linewidth=1.8)
    theorem = getattr(bound, "theorem", "")
    if theorem == "freund-schapire":
        ax.stairs(made[:1], edges[:2], baseline=low, fill=True, color=COLOURS[0], alpha=0.5)
    if limit is not None:
        ax.axhline(limit, color=MISTAKEN, linewidth=1.5, linestyle=(0, (5, 3)))
    _write(ax, int(made[-1]), limit, _NAMES.get(theorem, ""))
    ax.set(xlim=(edges[0], edges[-1]), xlabel="pass", ylabel="mistakes so far")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    return ax


def _scale(ax: Axes, total: int, limit: float | None) -> float:
    """Choose a scale on which mistakes and bound can both be read; return its lowest value."""
    top, least = max(total, limit or 0.0), min(total, limit or 0.0)
    if least >= 1 and top >= _FAR * least:
        ax.set(yscale="log", ylim=(0.5, 4 * top))
        return 0.5
    ax.set_ylim(0, 1.15 * top or 1.0)
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
    return 0.0


def _write(ax: Axes, total: int, limit: float | None, theorem: str) -> None:
    """Write the numbers beside the line and the last step, on the sides that are free."""
    near = limit is not None and 0.7 * limit <= total <= limit
    text = f"{total:,} mistake" + ("" if total == 1 else "s")
    _note(ax, text, 1, total, below=near, color=COLOURS[0])
    if limit is not None:
        shown = f"{limit:,.1f}".removesuffix(".0") if limit < 1e6 else f"{limit:.3g}"
        over = total > limit
        _note(ax, f"bound {shown}{theorem}", int(over), limit, below=over, color=MISTAKEN)


def _note(ax: Axes, text: str, x: int, y: float, *, below: bool = False, color: str) -> None:
    away: dict[str, Any] = {"xytext": (-5 if x else 5, -5 if below else 5)}
    away |= {"textcoords": "offset points", "ha": "right" if x else "left"}
    away |= {"va": "top" if below else "bottom", "path_effects": HALO}
    ax.annotate(text, (x, y), xycoords=ax.get_yaxis_transform(), color=color, **away)
