"""What `tune` does: settings for each learner, the search, and the winner as a model file."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.console import is_terminal, percent
from rosenblatt.data.rows import Array
from rosenblatt.model_selection.grids import distribution_of, grid_of
from rosenblatt.model_selection.select import Selection, select
from rosenblatt.model_selection.splits import Part, hold_out
from rosenblatt.model_selection.stream_estimator import Shared, StreamLearner
from rosenblatt.models.saving import save
from rosenblatt.readers.in_memory import Table, read_table
from rosenblatt.readers.options import Reading
from rosenblatt.registry import ONLINE


@dataclass
class Asked:
    """What was asked for."""

    learner: str
    grid: list[str]
    folds: int | None
    validation: float | str | None
    test: float | list[str] | None
    seed: int
    bits: int | None
    dtype: str
    reading: dict[str, Any]
    told: bool


@dataclass
class Tuned:
    """What was found: the selection, from which rows, and how these were read."""

    selection: Selection
    table: Table
    reading: Reading
    asked: Asked
    files: list[str]

    @property
    def winner(self) -> Any:
        """The estimator that won."""
        return self.selection.model.named_steps["model"]

    def test_in_words(self) -> str:
        """Return the test's result in a few words; that of validation if there was no test."""
        found = self.selection
        if found.test_score is None:
            return f"validation  {percent(1 - found.score)} wrong"
        wrong = round((1 - found.test_score) * found.n_test)
        share = percent(1 - found.test_score)
        return f"test        {share} wrong, {wrong:,} of {found.n_test:,} examples"

    def command(self) -> str | None:
        """Return the `train` command that learns with the chosen settings, if there is one."""
        if self.asked.learner not in ONLINE:
            return None
        words = ["rosenblatt", "train", *self.files, "--learner", self.asked.learner]
        words += self._told()
        for name, value in self.selection.params.items():
            if name == "fit_intercept":
                words += [] if value else ["--no-intercept"]
            elif value != "auto":
                words += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
        return shlex.join(words)

    def _told(self) -> list[str]:
        """Return the options that say how files are read, as they were given."""
        given = {**self.asked.reading, "bits": self.asked.bits}
        words = ["--float64"] if self.asked.dtype == "float64" else []
        for name, value in given.items():
            if value is None or value in ("auto", "stop"):
                continue
            for one in value if isinstance(value, tuple) else [value]:
                words += [f"--{name.replace('_', '-')}", str(one)]
        return words

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return all there is to say."""
        found = self.selection
        settings = [
            {
                "params": dict(setting.params),
                "score": setting.score,
                "standard_error": setting.error,
                "seconds": round(setting.seconds, 4),
                "reason": setting.reason or None,
            }
            for setting in found.table
        ]
        test = None
        if found.test_score is not None:
            interval = None if found.interval is None else [1 - end for end in found.interval][::-1]
            test = {"examples": found.n_test, "error": 1 - found.test_score, "interval": interval}
        return {
            "learner": self.asked.learner,
            "chosen": dict(found.params),
            "settings": settings,
            "method": found.method,
            "scoring": found.scoring,
            "validation_error": 1 - found.score,
            "test": test,
            "examples": self.table.n,
            "retrained_on": found.n_retrained,
            "features": len(self.table.names),
            "classes": self.table.classes,
            "unlabelled": self.table.unlabelled,
            "command": self.command(),
            "model": saved,
        }

    def save(self, path: str) -> None:
        """Save the winner as `train` saves models."""
        header = self.reading.header()
        label = getattr(self.table.errors, "label", None)
        extra: dict[str, Any] = {
            "reading": {**header, "label": label or header["label"]},
            "summary": self._facts(),
            "learner": self.asked.learner,
        }
        winner, names = self.winner, self.table.columns
        if self.asked.learner not in ONLINE:
            extra["names"] = {"header": names.header(), "arrays": names.arrays()}
        save(winner.model_ if isinstance(winner, StreamLearner) else winner, path, extra=extra)

    def _facts(self) -> dict[str, Any]:
        mistakes = [int(n) for n in getattr(self.winner, "mistakes_", ())]
        return {
            "files": [list(source) for source in self.table.sources],
            "examples": self.selection.n_retrained,
            "features": self.table.columns.n_features,
            "passes": len(mistakes),
            "mistakes": mistakes,
            "losses": [],
            "validation": [],
            "best_pass": None,
            "retrained": True,
            "unlabelled": self.table.unlabelled,
            "skipped": self.table.errors.count,
        }


def tuned(files: Sequence[str], asked: Asked) -> Tuned:
    """Read the files, and choose."""
    grid = grid_of(asked.learner, asked.grid)
    reading = Reading(dtype=asked.dtype, labelled=True, **asked.reading)
    # Columns keep the numbers that the files give them: a model file relies on it.
    table = read_table(files, reading, bits=asked.bits, first=0, dense=False)
    table.check_classes()
    if table.weights is not None:
        raise ValueError("tune has no use for importance weights; leave them out (--drop)")
    rows, parts = _parts(table, reading, asked)
    selection = select(
        _estimator(asked, table),
        grid,
        *rows,
        **parts,
        scale=False,
        random_state=asked.seed,
        verbose=int(asked.told and is_terminal()),
    )
    split = parts.get("cv")
    if isinstance(split, Held):
        held = rows.n - split.n
        method = f"{held:,} validation rows"
        selection = replace(selection, method=method, n_train=split.n, n_validation=held)
    return Tuned(selection, table, reading, asked, list(files))


def _parts(table: Table, reading: Reading, asked: Asked) -> tuple[Part, dict[str, Any]]:
    """Return the rows to choose with, and how they are judged, as `select` wants it."""
    rows, test = Part(table.X, table.y), asked.test
    parts: dict[str, Any] = {"test": test}
    if isinstance(test, list):
        other = read_table(test, reading, like=table)
        parts["test"] = (other.X, other.y)
    if not isinstance(asked.validation, str):
        return rows, {**parts, "validation": asked.validation, "cv": asked.folds}
    if isinstance(test, float):  # of these rows alone: the others are for validation
        rows, tested, _ = hold_out(rows, test, "test", stratify=True, random_state=asked.seed)
        parts["test"] = (tested.X, tested.y)
    held = read_table([asked.validation], reading, like=table)
    both = Part(_stacked(rows.X, held.X), np.concatenate([rows.y, held.y]))
    return both, {**parts, "cv": Held(rows.n)}


class Held:
    """A split whose validation rows are those after the first n."""

    def __init__(self, n: int) -> None:
        self.n = n

    def split(self, X: Any, y: Any = None) -> Iterator[tuple[Array, Array]]:
        """Yield the one split there is."""
        yield np.arange(self.n), np.arange(self.n, len(X))


def _stacked(upper: Any, lower: Any) -> Any:
    if not hasattr(upper, "indptr"):
        return np.vstack([upper, lower])
    import scipy.sparse as sp

    return sp.vstack([upper, lower], format="csr")


def _estimator(asked: Asked, table: Table) -> Any:
    """Make the estimator whose settings are to be chosen."""
    if asked.learner in ONLINE:
        return StreamLearner(asked.learner, dtype=asked.dtype, names=Shared(table.columns))
    if asked.learner == "centroid":
        from rosenblatt.estimators.centroid import NearestCentroid

        return NearestCentroid()
    if asked.learner == "discriminant":
        from rosenblatt.estimators.discriminant import LinearDiscriminant

        return LinearDiscriminant()
    if asked.learner == "batch":
        from rosenblatt.estimators.batch import BatchPerceptron

        return BatchPerceptron()
    if asked.learner == "kernel":
        from rosenblatt.estimators.kernel import KernelPerceptron

        return KernelPerceptron()
    from rosenblatt.estimators.naive_bayes import NaiveBayes

    return NaiveBayes(distribution_of(table.X))
