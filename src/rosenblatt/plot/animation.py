"""Learning on two features, step by step, as an animated GIF."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from rosenblatt.data.rows import Array
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.geometry import Hyperplane
from rosenblatt.plot import scene
from rosenblatt.plot.scene import INK, MISTAKEN, Points
from rosenblatt.tracing.perceptrons import Step, trace

_PALE = "#9A9A9A"
_DONE, _CUT = "done", "learning continues"


class Moment(NamedTuple):
    """What a frame shows: a step, the rows it is about, all mistakes so far, and how it ended."""

    step: Step
    rows: tuple[int, ...]
    mistakes: int
    ending: str = ""


def animate(
    X: Any,
    y: Any,
    learner: Any = None,
    path: Any = None,
    *,
    every: str = "mistake",
    max_frames: int = 100,
    fps: int = 1,
    hold: int = 4,
) -> Path:
    """Draw a perceptron learning, a frame for each mistake, and save it as an animated GIF.

    A frame shows the example that is looked at in a ring, the line before the step (grey, dashed)
    and after it, with w. The last one shows the result: for the averaged and the voted perceptron
    that is the mean.

    Parameters
    ----------
    X : array or data frame of shape (n_samples, 2)
        The rows. A data frame's column names label the axes.
    y : array of shape (n_samples,)
        Their labels, of two classes.
    learner : estimator or str, default=None
        What learns, as for :func:`rosenblatt.trace`.
    path : str or path, default=None
        The file to write, which may exist; ``learning.gif`` by default.
    every : {"mistake", "step"}, default="mistake"
        Whether every example that is looked at has a frame, or the mistakes alone.
    max_frames : int, default=100
        Frames at most. If learning continues after them, the last frame and a warning say so.
    fps : int, default=1
        Frames a second.
    hold : int, default=4
        Seconds that the last frame stays.

    Returns
    -------
    pathlib.Path
        The file.

    Examples
    --------
    Deck B's example errs three times, so there are four frames:

    >>> from tempfile import TemporaryDirectory
    >>> from PIL import Image
    >>> from rosenblatt import Perceptron
    >>> X = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]
    >>> y = [-1, 1, 1, -1, -1, 1]
    >>> learner = Perceptron(fit_intercept=False, shuffle=False)
    >>> with TemporaryDirectory() as folder:
    ...     with Image.open(animate(X, y, learner, f"{folder}/deck-b.gif")) as image:
    ...         image.n_frames
    4
    """
    target = _target(path)
    _check(every, max_frames, fps, hold)
    points = scene.as_points(X, y)
    batch = learner == "batch" or isinstance(learner, BatchPerceptron)
    moments = _moments(trace(X, y, learner), every, max_frames, batch)
    if moments[-1].ending != _DONE:
        warnings.warn(
            f"learning continues after the {max_frames} frames of the animation: "
            "increase max_frames to see more of it",
            stacklevel=2,
        )
    shown = _shown(points, moments)
    # A figure without pyplot: no window opens, and there is nothing to close.
    figure, writer = Figure(figsize=(6.4, 4.8)), PillowWriter(fps=fps)
    with TemporaryDirectory(dir=target.parent) as folder, mpl.rc_context({"savefig.bbox": None}):
        writer.setup(figure, f"{folder}/frames.gif", dpi=100)
        for moment in moments:
            _draw(figure, X, points, moment, shown)
            # Equal frames become one that stays longer.
            for _ in range(hold * fps if moment.ending else 1):
                writer.grab_frame()
        writer.finish()
        Path(folder, "frames.gif").replace(target)
    return target


def _target(path: Any) -> Path:
    target = Path("learning.gif" if path is None else path)
    if target.suffix.lower() != ".gif":
        raise ValueError(f"the animation is a GIF: path must end in .gif, got {str(target)!r}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {str(target.parent)!r}: make it first")
    return target


def _check(every: str, max_frames: int, fps: int, hold: int) -> None:
    if every not in ("mistake", "step"):
        raise ValueError(f"every must be 'mistake' or 'step', got {every!r}")
    for name, value, least in (("max_frames", max_frames, 2), ("fps", fps, 1), ("hold", hold, 1)):
        if not isinstance(value, int | np.integer) or value < least:
            raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}")


def _moments(steps: Iterator[Step], every: str, most: int, batch: bool) -> list[Moment]:
    """Choose the steps that are shown, and how the last one ends."""
    moments: list[Moment] = []
    mistaken: list[int] = []
    mistakes = 0
    for step in steps:
        mistakes += step.mistake
        if step.mistake:
            mistaken.append(step.index)
        # The batch perceptron moves at the end of a pass, for all of its mistakes together.
        if every == "step" or (_moved(step) if batch else step.mistake):
            if len(moments) == most - 1:
                return [*moments, moments[-1]._replace(ending=_CUT)]
            rows = (step.index,) if every == "step" else tuple(mistaken)
            moments.append(Moment(step, rows, mistakes))
            mistaken = []
    return [*moments, Moment(step, (), mistakes, _DONE)]


def _moved(step: Step) -> bool:
    same = np.array_equal(step.weights, step.weights_before)
    return not same or step.intercept != step.intercept_before


def _line(weights: Array, intercept: Any) -> Hyperplane | None:
    """Return the line of a state; of zero weights there is none."""
    return Hyperplane(weights, intercept).normalized() if np.any(weights) else None


def _shown(points: Points, moments: list[Moment]) -> Array:
    """Return what all frames must show: the points, and the lines that are not too far off."""
    low, high = points.rows.min(axis=0), points.rows.max(axis=0)
    lines = [_line(moment.step.weights, moment.step.intercept) for moment in moments]
    feet = np.array([line.project((low + high) / 2) for line in lines if line] or [low])
    near = np.linalg.norm(feet - (low + high) / 2, axis=1) <= (high - low).max()
    return np.vstack([points.rows, feet[near]])


def _draw(figure: Figure, X: Any, points: Points, moment: Moment, shown: Array) -> None:
    figure.clear()
    figure.subplots_adjust(left=0.12, right=0.96, bottom=0.2, top=0.87)
    ax = figure.add_subplot()
    scene.set_view(ax, shown)
    scene.draw_points(ax, points)
    words = _draw_end(ax, points, moment) if moment.ending else _draw_step(ax, points, moment)
    ax.set_title(words, loc="left", fontsize=11)
    scene.name_axes(ax, X)
    figure.legend(loc="lower center", ncols=5, frameon=False)


def _draw_step(ax: Axes, points: Points, moment: Moment) -> str:
    step, rows = moment.step, moment.rows
    before = _line(step.weights_before, step.intercept_before)
    style: dict[str, Any] = {"color": _PALE, "linestyle": (0, (5, 3)), "label": "before"}
    if before is None:
        ax.plot([], [], **style)  # so that the legend stays as it is
    else:
        scene.draw_line(ax, before, **style)
    _draw_state(ax, points, step.weights, step.intercept, "after")
    colour = MISTAKEN if step.mistake or len(rows) > 1 else INK
    scene.draw_rings(ax, points, np.array(rows), "looked at", colour)
    words = f"row {step.index} is {step.label}, taken for {step.prediction}"
    if rows != (step.index,):
        words = f"{len(rows)} rows were mistaken"
    words = f"step {step.step:,}, pass {step.pass_number}: {words}\n"
    return words + _numbers(moment.mistakes, step.weights, step.intercept)


def _draw_end(ax: Axes, points: Points, moment: Moment) -> str:
    step, mean = moment.step, moment.step.mean_weights is not None
    state: tuple[Any, Any] = (step.weights, step.intercept)
    if mean:
        state = (step.mean_weights, step.mean_intercept)
    _draw_state(ax, points, *state, "mean of all" if mean else "result")
    wrong = Hyperplane(*state).side(points.rows) != points.signs
    scene.draw_rings(ax, points, wrong, "mistaken")
    words = f"{moment.ending} after {step.step:,} steps, {step.pass_number} passes\n"
    return words + _numbers(moment.mistakes, *state)


def _draw_state(ax: Axes, points: Points, weights: Array, intercept: Any, label: str) -> None:
    line = _line(weights, intercept)
    if line is None:
        ax.plot([], [], color=INK, label=label)
        scene.write_below(ax, "w = 0: there is no line")
        return
    scene.draw_line(ax, line, label=label)
    scene.draw_normal(ax, line, (points.rows.min(axis=0) + points.rows.max(axis=0)) / 2)


def _numbers(mistakes: int, weights: Array, intercept: Any) -> str:
    count = f"{mistakes:,} mistake" + ("" if mistakes == 1 else "s")
    w = ", ".join(map(_number, weights))
    return f"{count} so far · w = ({w}) · b = {_number(intercept)}"


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
