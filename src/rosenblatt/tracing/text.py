"""The steps of a perceptron on a table, in words and as JSON."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.learner_registry import LEARNERS
from rosenblatt.readers.named_columns import Table
from rosenblatt.theory.bounds import bound_facts
from rosenblatt.tracing.perceptrons import Step, in_order
from rosenblatt.tracing.perceptrons import trace as trace_steps

_MINUS = str.maketrans("-", "−")


class Tracing:
    """A perceptron, and the table it learns from."""

    def __init__(
        self, table: Table, learner: str, passes: int, fit_intercept: bool, ties: str
    ) -> None:
        self.table, self.learner, self.fit_intercept = table, learner, fit_intercept
        told: dict[str, Any] = {
            "fit_intercept": fit_intercept,
            "ties": ties,
            "max_iter": passes,
            "tol": None,
        }
        self.model = in_order(learner, **told)
        self.binary = len(table.classes) == 2
        self.fitted = self.model.__class__(**self.model.get_params()).fit(table.X, table.y)
        self.shown = 0
        self.mistakes_only = False

    def steps(self, limit: int, mistakes_only: bool) -> Iterator[Step]:
        """Yield the steps, or those with mistakes; as many as there may be at most, unless 0."""
        self.mistakes_only = mistakes_only
        steps = trace_steps(self.table.X, self.table.y, self.model)
        wanted = (step for step in steps if step.mistake or not mistakes_only)
        for step in islice(wanted, limit or None):
            self.shown += 1
            yield step

    @property
    def total(self) -> int:
        """How many steps there are, or mistakes if only those are asked for."""
        mistakes = int(np.sum(self.fitted.mistakes_))
        return mistakes if self.mistakes_only else len(self.fitted.mistakes_) * self.table.n

    @property
    def left_out(self) -> int:
        """How many of them were not shown."""
        return self.total - self.shown

    def cells(self, steps: Iterator[Step], most: int) -> tuple[list[str], list[list[str]]]:
        """Return a table for people: its columns, and a row for each step."""
        small = len(self.table.names) <= most and self.binary
        columns = ["step", "pass", "line"]
        columns += ["x"] if small else []
        columns += ["class", "score", ""]
        columns += ["w afterwards"] if small else ["‖w‖ afterwards"]
        columns += ["b"] if small and self.fit_intercept else []
        rows = []
        for step in steps:
            row = [f"{step.step:,}", f"{step.pass_number:,}", self.table.where(step.index)]
            row += [_vector(self._row(step.index))] if small else []
            row += [str(step.label), self._score(step), "mistake" if step.mistake else ""]
            size = float(np.linalg.norm(step.weights))
            row += [_vector(step.weights) if small else _number(size)]
            row += [_number(step.intercept)] if small and self.fit_intercept else []
            rows.append(row)
        return columns, rows

    def _row(self, index: int) -> Any:
        row = self.table.X[[index]]
        return (row.toarray() if hasattr(row, "toarray") else row)[0]

    def _score(self, step: Step) -> str:
        if self.binary:
            return _number(step.score)
        # What counts is by how much the right class is ahead of the best other.
        classes = self.table.classes
        right = classes.index(step.label)
        others = np.delete(step.score, right)
        return _number(float(step.score[right] - others.max()))

    def as_json(self, step: Step, most: int) -> dict[str, Any]:
        """Return a step for JSON; weights only if there are not too many."""
        file, line = self.table.place(step.index)
        few = len(self.table.names) <= most
        classes = self.table.classes
        weights: Any = None
        if few and self.binary:
            weights = dict(zip(self.table.names, step.weights.tolist(), strict=True))
        elif few:
            weights = {
                str(label): dict(zip(self.table.names, w, strict=True))
                for label, w in zip(classes, step.weights.tolist(), strict=True)
            }
        score, intercept = step.score, step.intercept
        if not self.binary:
            score = dict(zip(map(str, classes), score.tolist(), strict=True))
            intercept = dict(zip(map(str, classes), intercept.tolist(), strict=True))
        return {
            "step": step.step,
            "pass": step.pass_number,
            "file": file,
            "line": line,
            "class": step.label,
            "score": score,
            "mistake": step.mistake,
            "predicted": step.prediction,
            "weights": weights,
            "intercept": intercept,
            "norm": float(np.linalg.norm(step.weights)),
        }

    def summary(self, most_cells: int) -> dict[str, Any]:
        """Return what came of all steps, and the bound where there is one."""
        mistakes = self.fitted.mistakes_.tolist()
        return {
            "learner": self.learner,
            "examples": self.table.n,
            "features": len(self.table.names),
            "classes": self.table.classes,
            "passes": len(mistakes),
            "mistakes": sum(mistakes),
            "mistakes_by_pass": mistakes,
            "converged": bool(self.fitted.converged_),
            "shown": self.shown,
            "bound": self._bound(most_cells),
        }

    def _bound(self, most_cells: int) -> dict[str, Any] | None:
        """Return the bound on the mistakes, if there is a theorem and it takes little time."""
        cells = self.table.n * len(self.table.names)
        if not self.binary or not LEARNERS[self.learner].bounded or cells > most_cells:
            return None
        try:
            return bound_facts(self.table.X, self.table.y, self.fit_intercept)
        except RuntimeError:  # rounding leaves it open whether a plane parts the classes
            return None


def _number(value: float) -> str:
    return f"{value:.4g}".translate(_MINUS)


def _vector(values: Any) -> str:
    return "(" + ", ".join(_number(value) for value in values) + ")"
