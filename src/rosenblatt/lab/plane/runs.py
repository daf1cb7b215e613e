"""A run: a learner on some points, as numbered frames for the page; and deck E's table of runs."""

import warnings
from collections.abc import Iterator, Sequence
from itertools import count as numbers
from time import perf_counter
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.lab.plane.learners import LabLearner, as_learner
from rosenblatt.lab.plane.points import Grid, Points, as_whole, pack_classes, pack_scores
from rosenblatt.lab.plane.recorders import Look, Planes, watch

ROWS = 50  # of a batch that the page is sent
MOST_FRAMES = 5_000  # of one question
FARTHEST_STEP = 10_000_000
PART_FRAMES = 16
PART_SECONDS = 0.02


class Run:
    """A learner on some points. Frames are made on demand."""

    def __init__(self, points: Points, learner: Any, settings: Any, grid: Grid | None) -> None:
        self.learner: LabLearner = as_learner(learner)
        self.points, self.grid = points, grid
        self.model = self.learner.estimator(settings)
        if self.learner.two_classes_only and not points.binary:
            raise ValueError(
                f"{self.learner.title.lower()} is for two classes, and there are "
                f"{len(points.present)}; remove one, or choose another learner"
            )
        self._begin()

    def fresh_model(self) -> Any:
        """Return an estimator with the same settings that has not learned."""
        return type(self.model)(**self.model.get_params())

    @property
    def applies(self) -> bool:
        """Whether the bound on mistakes is a promise for this learner with these settings.

        It is for updates by one row with one η, from zero, in any order.
        """
        constant = getattr(self.model, "learning_rate", "constant") == "constant"
        return self.points.binary and self.learner.row.bounded and constant

    def _begin(self) -> None:
        """Start from the beginning."""
        self.watch = watch(self.learner.row, self.points, self.model, self.grid)
        self.look, self.step = self.watch.start(), 0
        self.looks = self.watch.looks()
        self.region: str | None = None
        self.ending: str | None = None
        self.ahead = self._look_ahead()

    def opened(self) -> dict[str, Any]:
        """Return what the page shows of a run."""
        shown = set(self.watch.shown) | ({"region"} if not self.points.binary else set())
        return {
            "learner": self.learner.name,
            "title": self.learner.title,
            "kind": "steps" if self.learner.steps else "once",
            "binary": self.points.binary,
            "classes": self.points.classes,
            "present": self.points.present,
            "n": len(self.points.y),
            "shown": sorted(shown),
            "applies": self.applies,
            "done": self.ending is not None,
            "ending": self.ending,
            "frame": self.frame(),
        }

    def frames(self, start: int, count: int) -> Iterator[dict[str, Any]]:
        """Yield frames by their numbers, fewer if it ends before."""
        for number in range(start, start + count):
            frame = self.at(number)
            if frame is None:
                return
            yield frame

    def at(self, number: int) -> dict[str, Any] | None:
        """Return the frame of a number, or None if it ends before."""
        if number <= self.step:
            self._begin()
        while self.step < number:
            if not self._forward():
                return None
        return self.frame()

    def _look_ahead(self) -> Look | None:
        """Get the next step, so that the last one is known to be the last."""
        try:
            return next(self.looks)
        except StopIteration as end:
            self.ending = end.value
            return None

    def _forward(self) -> bool:
        """Make one step; return False if there is none."""
        if self.ahead is None:
            return False
        self.look, self.step = self.ahead, self.step + 1
        self.watch.take(self.look)
        self.ahead = self._look_ahead()
        return True

    def frame(self) -> dict[str, Any]:
        """Return the frame of this step."""
        look, scores = self.look, self.watch.on_points(self.look, self.step)
        errors = int(np.count_nonzero(_classes(scores) != self.points.y))
        return {
            "k": self.step,
            "pass": look.pass_number,
            "rows": look.rows[:ROWS],
            "looked": len(look.rows),
            "score": look.score,
            "label": self._class(look.label),
            "prediction": self._class(look.prediction),
            "mistake": look.mistake,
            "updated": look.updated,
            **(_shown(look.planes) or {"w": None, "b": None}),
            "mean": _shown(look.mean),
            "factor": look.factor if look.updated else None,
            "errors": errors,
            **_margin(None if errors else look.used, scores),
            "mistakes": look.mistakes,
            "loss": self.watch.loss(look, scores),
            "region": self._region(look),
            **self.watch.more(),
        }

    def _class(self, number: int | None) -> int | None:
        return None if number is None else self.points.class_of(number)

    def _region(self, look: Look) -> str | None:
        """Return the packed region, if there is one and it is not that of the frame before."""
        scores = self.watch.on_grid(look, self.step)
        if scores is None:
            return None
        if len(scores) == 1:
            packed = pack_scores(scores[0])
        else:
            packed = pack_classes(self.points.present, scores)
        before, self.region = self.region, packed
        return None if packed == before else packed


def _classes(scores: Array) -> Array:
    """Return the class that scores speak for: the sign with sign(0) = +1, or the largest."""
    chosen = (scores[0] >= 0).astype(np.intp) if len(scores) == 1 else scores.argmax(axis=0)
    return np.asarray(chosen)


def _margin(planes: Planes | None, scores: Array) -> dict[str, Any]:
    """Return how far from the one plane the nearest point is, and which it is."""
    size = 0.0 if planes is None or len(scores) > 1 else float(np.linalg.norm(planes.weights))
    if not 0 < size < np.inf:
        return {"margin": None, "nearest": None}
    nearest = int(np.abs(scores[0]).argmin())
    return {"margin": abs(float(scores[0, nearest])) / size, "nearest": nearest}


def _shown(planes: Planes | None) -> dict[str, Any] | None:
    if planes is None:
        return None
    w, b = planes
    return {"w": w[0], "b": float(b[0])} if len(w) == 1 else {"w": w, "b": b}


class Runs:
    """The one run that a screen has open, by its number."""

    def __init__(self) -> None:
        self.count, self.number, self.run = numbers(1), 0, None

    def open(self, run: Any) -> int:
        """Take a run in, in place of the one before; return its number."""
        self.number, self.run = next(self.count), run
        return self.number

    def of(self, number: Any) -> Any:
        """Return the run of a number."""
        if type(number) is not int or number != self.number or self.run is None:
            raise ValueError("this run is over, as another one was opened; start it again")
        return self.run


def check_range(start: Any, count: Any) -> tuple[int, int]:
    """Check which frames are wanted."""
    return (
        as_whole(start, "start", 1, FARTHEST_STEP),
        as_whole(count, "count", 1, MOST_FRAMES),
    )


def in_parts(frames: Iterator[Any]) -> Iterator[list[Any]]:
    """Gather frames into lists that each take a moment to make."""
    part: list[Any] = []
    began = perf_counter()
    for frame in frames:
        part.append(frame)
        if len(part) == PART_FRAMES or perf_counter() - began > PART_SECONDS:
            yield part
            part, began = [], perf_counter()
    if part:
        yield part


FACTS = (
    ("problem", "Problem"),
    ("model", "Model"),
    ("error", "Error"),
    ("optimisation", "Optimisation"),
    ("result", "Again, in another order"),
)
LONG = 20_000_000  # kernel values, about a second
RESULTS = (
    ("mistakes", "Mistakes at the end"),
    ("errors", "Wrong at the end"),
    ("passes", "Passes at the end"),
)
KEY = (
    "At the end: of the whole run. Σ_M: a sum over the mistakes. b is part of w. m: class means; "
    "c: points that a w survived; a: mistakes about a point; k: kernel; "
    "SGD: stochastic gradient descent."
)
_NOTHING: dict[str, Any] = {name: None for name, _ in RESULTS}


def table(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the table: a column for each learner, a row for each fact and result."""
    columns = [{**_facts(run), **results(run)} for run in runs]
    return {
        "columns": [run.learner.title for run in runs],
        "key": KEY,
        "rows": [
            {"name": name, "title": title, "cells": [column[name] for column in columns]}
            for name, title in (*FACTS, *RESULTS)
        ],
    }


def _facts(run: Run) -> dict[str, Any]:
    """Return what the lecture says of a learner."""
    from rosenblatt.model_selection.learners_to_compare import facts_of, result_of

    facts = facts_of(run.model)
    assert facts is not None
    if run.learner.two_classes_only:
        facts = facts._replace(problem="regression on −1 and +1", model="sign(w·x)")
    return {**facts._asdict(), "result": result_of(run.model, None)}


def results(run: Run) -> dict[str, Any]:
    """Return the results: the same as of the last frame, but at once, unless that takes long."""
    model, points = run.fresh_model(), run.points
    if hasattr(model, "predict_with") and len(points.y) ** 2 * model.max_iter > LONG:
        return _NOTHING
    target = points.y * 2.0 - 1 if run.learner.two_classes_only else points.y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of passes that ran out, which the table tells
        try:
            model.fit(points.X, target)
        except ValueError:  # it diverged
            return _NOTHING
    return {
        "mistakes": _mistakes(model),
        "errors": _errors(model, points, run.learner.two_classes_only),
        "passes": getattr(model, "n_iter_", None),
    }


def _mistakes(model: Any) -> int | None:
    if hasattr(model, "n_mistakes_"):
        return int(model.n_mistakes_)
    return int(model._state.mistakes) if hasattr(model, "batch_size") else None


def _errors(model: Any, points: Points, regression: bool) -> int:
    predicted = model.predict(points.X)
    if regression:
        predicted = predicted >= 0
    return int(np.count_nonzero(predicted != points.y))
