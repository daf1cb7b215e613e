"""Mistakes and their bound: pass by pass, and the proof of the bound as it happened."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from rosenblatt.data.rows import Array
from rosenblatt.plot import scene
from rosenblatt.plot.scene import COLOURS, HALO, INK, MISTAKEN
from rosenblatt.theory.ledger import Ledger

_NAMES = {"novikoff": " (Novikoff)", "freund-schapire": " on the first pass (Freund, Schapire)"}
_FAR = 20.0  # between mistakes and bound: the scale becomes logarithmic
_MARKED = 40


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
        Where to draw, and what is returned; by default axes of a new figure.

    Examples
    --------
    Deck B's example, with three mistakes in the first pass of two, and (R/γ)² = 5:

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
    ax = ax or scene.new_axes()
    made, edges = np.cumsum(model.mistakes_), np.arange(len(model.mistakes_) + 1) + 0.5
    low = _scale_mistakes(ax, int(made[-1]), limit)
    ax.stairs(made, edges, baseline=low, fill=True, color=COLOURS[0], alpha=0.25)
    ax.stairs(made, edges, baseline=None, color=COLOURS[0], linewidth=1.8)
    theorem = getattr(bound, "theorem", "")
    if theorem == "freund-schapire":
        ax.stairs(made[:1], edges[:2], baseline=low, fill=True, color=COLOURS[0], alpha=0.5)
    if limit is not None:
        ax.axhline(limit, color=MISTAKEN, linewidth=1.5, linestyle=(0, (5, 3)))
    _write(ax, int(made[-1]), limit, _NAMES.get(theorem, ""))
    ax.set(xlim=(edges[0], edges[-1]), xlabel="pass", ylabel="mistakes so far")
    scene.whole_numbers(ax.xaxis)
    return ax


def _scale_mistakes(ax: Axes, total: int, limit: float | None) -> float:
    """Choose a scale on which mistakes and bound can both be read; return its lowest value."""
    top, least = max(total, limit or 0.0), min(total, limit or 0.0)
    if least >= 1 and top >= _FAR * least:
        ax.set(yscale="log", ylim=(0.5, 4 * top))
        return 0.5
    ax.set_ylim(0, 1.15 * top or 1.0)
    scene.whole_numbers(ax.yaxis)
    return 0.0


def _write(ax: Axes, total: int, limit: float | None, theorem: str) -> None:
    """Write the numbers next to the line and the last step, on the sides that are free."""
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


def plot_proof(ledger: Any, X: Any, bound: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how w is squeezed between kγ and R√k as the mistakes k grow, until the two cross.

    Every mistake adds γ or more to w·u, and to ‖w‖² at most R². So ``kγ ≤ w·u ≤ ‖w‖ ≤ R√k``, which
    must end at ``k = (R/γ)²``. On data that no plane separates, rows that miss the margin
    by d₁, d₂, … leave ``kγ − D√k ≤ w·u`` with ``D = √Σd²``, as long as no row is mistaken twice;
    later mistakes are left out.

    Parameters
    ----------
    ledger : Ledger or fitted estimator
        The ``ledger_`` of an online perceptron of two classes that learned from zero weights with
        a constant step size (which is divided out) and ``record=True``; or the perceptron.
    X : array or sparse matrix of shape (n_samples, n_features), or a list of them
        The rows that were learned from, as in :meth:`Ledger.replay`.
    bound : result of ``mistake_bound(X, y)``
        It has ``radius``, ``margin``, ``deviation``, ``hyperplane`` and ``fit_intercept``. With an
        intercept, all are those of the rows (x, 1).
    ax : matplotlib axes, optional
        Where to draw, and what is returned; by default axes of a new figure.

    Examples
    --------
    Deck B's example, with u = (1, 0), γ = 1 and R = √5:

    >>> from rosenblatt import Perceptron, mistake_bound
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = Perceptron(fit_intercept=False, shuffle=False, record=True).fit(X, y)
    >>> ax = plot_proof(model.ledger_, X, mistake_bound(X, y, fit_intercept=False))
    >>> progress = next(line for line in ax.lines if line.get_label() == "w·u")
    >>> progress.get_xydata().round(9).tolist()
    [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    """
    ledger = getattr(ledger, "ledger_", ledger)
    if not isinstance(ledger, Ledger):
        raise ValueError(
            f"a ledger is needed: that of an estimator fitted with record=True; got {ledger!r}"
        )
    _check(ledger, bound)
    R, gamma, D = float(bound.radius), float(bound.margin), float(bound.deviation)
    plane, eta = bound.hyperplane, float(ledger.eta[0]) if len(ledger) else 1.0
    norms = ledger.norms(X) / eta
    progress = ledger.progress(X, plane.normal, plane.offset) / eta
    if D > 0:
        first = _before_repeat(ledger.index)
        norms, progress = norms[:first], progress[:first]
    last = ((R + D) / gamma) ** 2
    ax = ax or scene.new_axes()
    grid = _scale_proof(ax, len(norms), last)
    low, high = grid * gamma - D * np.sqrt(grid), R * np.sqrt(grid)
    ax.plot(grid, high, color=INK, linewidth=1.5, label="R√k")
    names = ("‖(w, b)‖", "(w, b)·(u, c)") if bound.fit_intercept else ("‖w‖", "w·u")
    dots: dict[str, Any] = {"marker": "o", "markersize": 4} if len(norms) <= _MARKED else {}
    for values, name, colour in zip((norms, progress), names, COLOURS[2:], strict=False):
        ax.plot(np.arange(1, len(values) + 1), values, color=colour, label=name, **dots)
    name = "kγ − D√k" if D > 0 else "kγ"
    ax.plot(grid, low, color=INK, linewidth=1.5, linestyle=(0, (5, 3)), label=name)
    ax.fill_between(grid, low, high, where=low <= high, color=INK, alpha=0.08, linewidth=0)
    _draw_crossing(ax, last, R * np.sqrt(last), "((R + D)/γ)²" if D > 0 else "(R/γ)²")
    ax.set(xlabel="mistakes k", ylabel="length")
    ax.legend(**scene.LEGEND | {"loc": "upper left"})
    return ax


def _check(ledger: Ledger, bound: Any) -> None:
    """Raise ``ValueError`` if the proof does not speak of these updates."""
    if len(ledger.calls[-1].classes) != 2:
        raise ValueError("the proof is of two classes, and this ledger has more")
    if any(call.moves is not None for call in ledger.calls):
        raise ValueError(
            "the proof counts single mistakes, and the batch perceptron moves for many at once"
        )
    if np.any(ledger.start.weights) or np.any(ledger.start.intercept):
        raise ValueError("the proof starts from zero weights, and this ledger from others")
    if len(ledger) and np.any(ledger.eta != ledger.eta[0]):
        raise ValueError("the proof needs one step size for all mistakes, and these differ")
    if bool(ledger.start.fit_intercept) != bool(bound.fit_intercept):
        with_or_not = "with" if ledger.start.fit_intercept else "without"
        raise ValueError(
            f"the ledger is of learning {with_or_not} an intercept, and the bound is not: "
            f"give mistake_bound fit_intercept={bool(ledger.start.fit_intercept)}"
        )
    if ledger.start.fit_intercept not in (0, 1):
        raise ValueError(
            "the proof is of an intercept that counts as a feature of value 1, and here it is of "
            "another: fit with intercept_scaling=1"
        )


def _before_repeat(rows: Array) -> int:
    """Return how many rows come before one that came already."""
    repeats = np.setdiff1d(np.arange(len(rows)), np.unique(rows, return_index=True)[1])
    return int(repeats[0]) if len(repeats) else len(rows)


def _scale_proof(ax: Axes, n: int, last: float) -> Array:
    """Choose scales on which mistakes and crossing can both be seen; return values of k."""
    if last >= _FAR * max(n, 1):
        ax.set(xscale="log", yscale="log", xlim=(0.9, 4 * last))
        return np.geomspace(1, 4 * last, 400)
    end = 1.15 * max(n, last)
    ax.set(xlim=(0, end))
    scene.whole_numbers(ax.xaxis)
    return np.linspace(0, end, 400)


def _draw_crossing(ax: Axes, k: float, height: float, formula: str) -> None:
    """Mark where the curves cross, which is where learning must have ended."""
    shown = f"{k:,.1f}".removesuffix(".0") if k < 1e6 else f"{k:.3g}"
    ax.axvline(k, color=MISTAKEN, linewidth=1, linestyle=":")
    ax.scatter(
        [k], [height], color=MISTAKEN, zorder=5, label=f"{formula} = {shown}", s=170, **scene.STAR
    )
