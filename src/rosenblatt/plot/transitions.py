"""Which tag follows which: the weights of a tagger's transitions as a table of colours."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from rosenblatt.plot.scene import COLOURS, INK

_START = "(start)"
_FORBIDDEN = "#DDDDDD"
_MOST = 40


def plot_transitions(
    tagger: Any, tags: Sequence[Any] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw the weight of each tag after each other tag, and at the start.

    Blue speaks for a transition, orange against it; what the scheme of the tags forbids is grey.

    Parameters
    ----------
    tagger : SequenceTagger
        Fitted.
    tags : sequence of labels, optional
        Those to show, in this order; by default all.
    ax : matplotlib axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from rosenblatt import SequenceTagger
    >>> X, y = [["a", "cat", "sat"], ["cats", "sit"]], [["D", "N", "V"], ["N", "V"]]
    >>> ax = plot_transitions(SequenceTagger("word").fit(X, y))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['(start)', 'D', 'N', 'V']
    """
    known = tagger.classes_.tolist()
    shown = known if tags is None else list(tags)
    for tag in shown:
        if tag not in known:
            raise ValueError(f"there is no tag {tag!r}; the tags are {', '.join(map(str, known))}")
    if not shown or len(shown) > _MOST:
        raise ValueError(
            f"{len(shown)} tags cannot be shown; name 1 to {_MOST} of them: tags=[...]"
        )
    places = [known.index(tag) for tag in shown]
    table = np.vstack([tagger.start_[places], tagger.transitions_[np.ix_(places, places)]])
    side = 0.27 * len(shown) + 1.6
    if ax is None:
        _, ax = plt.subplots(figsize=(side + 0.6, side), layout="constrained")
    shades = [COLOURS[1], "white", COLOURS[0]]
    colours = LinearSegmentedColormap.from_list("", shades).with_extremes(bad=_FORBIDDEN)
    finite = np.ma.masked_invalid(table)
    most = float(np.abs(finite).max()) if finite.count() else 1.0
    image = ax.imshow(finite, cmap=colours, vmin=-most or -1.0, vmax=most or 1.0)
    names = list(map(str, shown))
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names) + 1), [_START, *names])
    ax.set(xlabel="tag", ylabel="tag before")
    ax.tick_params(length=0, labelsize=8, colors=INK)
    ax.set_xticks(np.arange(-0.5, len(names)), minor=True)
    ax.set_yticks(np.arange(-0.5, len(names) + 1), minor=True)
    ax.grid(which="minor", color="white", linewidth=1)
    ax.tick_params(which="minor", length=0)
    for edge in ax.spines.values():
        edge.set_visible(False)
    ax.figure.colorbar(image, ax=ax, shrink=0.6, aspect=25, label="weight").outline.set_visible(
        False
    )
    return ax
