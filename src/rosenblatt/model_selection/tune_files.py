"""The command `tune`: reads files, searches a grid, and saves the best model."""

import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rosenblatt.console import as_words, is_terminal, percent
from rosenblatt.data.rows import Array
from rosenblatt.learner_registry import LEARNERS
from rosenblatt.model_selection.compare_files import part_of
from rosenblatt.model_selection.grid_option import distribution_of, grid_of, that_matters
from rosenblatt.model_selection.scoring import ACCURACY, check_option
from rosenblatt.model_selection.select import Selection, select
from rosenblatt.model_selection.splits import Part, hold_out
from rosenblatt.model_selection.stream_estimator import Shared, StreamLearner
from rosenblatt.model_selection.weighted_fit import takes_weights
from rosenblatt.models.saving import save
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.named_columns import Table, read_table
from rosenblatt.readers.names import has_words
from rosenblatt.training.command_options import TuneOptions, scaling_of

# Options of `tune` that `train` does not have, or that mean something else there.
TUNING = ("output", "grid", "folds", "scoring", "validation", "test", "seed", "quiet", "json")
_STEPS = 2  # beyond the learner's own grid, if the best setting is at its edge


@dataclass
class FileSelection:
    """The result: the selection, the rows, and how they were read."""

    selection: Selection
    table: Table
    reading: Reading
    options: TuneOptions
    weighted: bool = False  # whether examples count by their importance weights

    @property
    def model(self) -> Any:
        """The best estimator."""
        return self.selection.model.named_steps["model"]

    def test_in_words(self) -> str:
        """Return the test error in a few words; the validation error if there was no test.

        Of scores other than the accuracy it is the score.
        """
        best = self.selection
        if best.scoring != ACCURACY:
            where, score = "test", best.test_score
            if score is None:
                where, score = "validation", best.score
            return f"{where:<12}{best.scoring} {score:.4f}"
        if best.test_score is None:
            return f"validation  {percent(1 - best.score)} wrong"
        share = percent(1 - best.test_score)
        if self.weighted:
            return f"test        {share} wrong by weight, of {best.n_test:,} examples"
        wrong = round((1 - best.test_score) * best.n_test)
        return f"test        {share} wrong, {wrong:,} of {best.n_test:,} examples"

    def command(self) -> str | None:
        """Return the `train` command with the chosen settings, if there is one."""
        if LEARNERS[self.options.learner].stream is None:
            return None
        words = ["rosenblatt", "train", *self.options.files, "--learner", self.options.learner]
        words += as_words(self.options, leave_out={"learner", *TUNING})
        for name, value in self.selection.params.items():
            if name == "fit_intercept":
                words += [] if value else ["--no-intercept"]
            elif value != "auto":
                words += [f"--{name.replace('_', '-')}", _word(value)]
        return shlex.join(words)

    def wider_grid(self) -> str | None:
        """Return the options with which to try values beyond the best, if that is worthwhile.

        Parameters with nothing beyond keep the value that was chosen.
        """
        further = self.selection.to_try
        if not further:
            return None
        values = {
            name: [value, further[name]] if name in further else [value]
            for name, value in self.selection.params.items()
        }
        words = [f"--grid {name}={','.join(map(_word, values[name]))}" for name in values]
        return " ".join(words)

    def as_json(self, saved: str | None) -> dict[str, Any]:
        """Return the whole result."""
        best = self.selection
        settings = [
            {
                "params": dict(setting.params),
                "score": setting.score,
                "scores": dict(setting.means),
                "standard_error": setting.error,
                "seconds": round(setting.seconds, 4),
                "reason": setting.reason or None,
            }
            for setting in best.table
        ]
        test: dict[str, Any] | None = None
        by_error = best.scoring == ACCURACY
        if best.test_score is not None:
            interval = None if best.interval is None else [1 - end for end in best.interval][::-1]
            test = {"examples": best.n_test, "error": None, "interval": interval}
            test |= {"scores": dict(best.test_scores)}
            if by_error:
                test["error"] = 1 - best.test_score
        return {
            "learner": self.options.learner,
            "chosen": dict(best.params),
            "settings": settings,
            "method": best.method,
            "scoring": best.scoring,
            "beyond_grid": best.beyond,
            "to_try": dict(best.to_try),
            "validation_score": best.score,
            "validation_error": 1 - best.score if by_error else None,
            "majority_error": None if best.guess is None or not by_error else 1 - best.guess,
            "beats_majority": best.beats_guessing,
            "test": test,
            "examples": self.table.n,
            "weighted": self.weighted,
            "retrained_on": best.n_retrained,
            "features": len(self.table.names),
            "classes": self.table.classes,
            "unlabelled": self.table.unlabelled,
            "command": self.command(),
            "model": saved,
        }

    def save(self, path: str) -> None:
        """Save the best model as `train` saves models."""
        found = self.table.errors
        header = replace(self.reading, columns=found.columns, others=found.others).header()
        label = getattr(self.table.errors, "label", None)
        extra: dict[str, Any] = {
            "reading": {**header, "label": label or header["label"]},
            "summary": self._facts(),
            "learner": self.options.learner,
        }
        model, names = self.model, self.table.columns
        if LEARNERS[self.options.learner].stream is None:
            extra["names"] = {"header": names.header(), "arrays": names.arrays()}
        save(model.model_ if isinstance(model, StreamLearner) else model, path, extra=extra)

    def _facts(self) -> dict[str, Any]:
        mistakes = [int(n) for n in getattr(self.model, "mistakes_", ())]
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


def tune_files(options: TuneOptions) -> FileSelection:
    """Read the files, and search."""
    check_option(options.scores)
    grid = grid_of(options.learner, options.grid or [])
    reading = options.reading()
    row = LEARNERS[options.learner]
    counts = row.counts_words and (row.stream is None or scaling_of(options.scale) == "standard")
    # Columns keep the numbers that the files give them: a model file relies on it.
    table = read_table(
        options.files,
        reading,
        bits=options.bits,
        first=0,
        dense=False,
        count_words=counts,
    )
    table.check_classes()
    estimator = _estimator(options, table)
    grid = that_matters(grid, estimator, bool(options.grid))
    rows, split = _splits(table, reading, options)
    if rows.weights is not None and not takes_weights(estimator):
        title = LEARNERS[options.learner].title
        raise ValueError(
            f"the {title} does not support importance weights; --ignore-weights ignores them"
        )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No setting beats")  # the selection says so itself
        selection = select(
            estimator,
            grid,
            rows.X,
            rows.y,
            sample_weight=rows.weights,
            **split,
            scoring=options.scores,
            scale=False,
            extend=0 if options.grid else _STEPS,
            random_state=options.seed,
            verbose=int(is_terminal() and not (options.quiet or options.json)),
        )
    cv = split.get("cv")
    if isinstance(cv, HeldOut):
        held_out = rows.n - cv.n
        method = f"{held_out:,} validation rows"
        selection = replace(selection, method=method, n_train=cv.n, n_validation=held_out)
    test = split["test"]
    weighted = rows.weights is not None or (isinstance(test, Part) and test.weights is not None)
    return FileSelection(selection, table, reading, options, weighted)


def _splits(table: Table, reading: Reading, options: TuneOptions) -> tuple[Part, dict[str, Any]]:
    """Return the rows to search with, and how they are split, as `select` takes it."""
    rows, test, validation = part_of(table, options), options.tested, options.validated
    split: dict[str, Any] = {"test": test}
    if isinstance(test, list):
        other = read_table(test, reading, like=table)
        split["test"] = part_of(other, options)
    if not isinstance(validation, str):
        return rows, {**split, "validation": validation, "cv": options.folds}
    if isinstance(test, float):  # of these rows alone: the others are for validation
        rows, tested, _ = hold_out(rows, test, "test", stratify=True, random_state=options.seed)
        split["test"] = tested
    held_out = part_of(read_table([validation], reading, like=table), options)
    both = Part(
        _stacked(rows.X, held_out.X),
        np.concatenate([rows.y, held_out.y]),
        _joined_weights(rows, held_out),
    )
    return both, {**split, "cv": HeldOut(rows.n)}


def _word(value: Any) -> str:
    """Write a value so that an option gives it back."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return repr(value) if isinstance(value, float) and float(short) != value else short


class HeldOut:
    """A split whose validation rows are those after the first n."""

    def __init__(self, n: int) -> None:
        self.n = n

    def split(self, X: Any, y: Any = None) -> Iterator[tuple[Array, Array]]:
        """Yield the only split."""
        yield np.arange(self.n), np.arange(self.n, len(X))


def _joined_weights(*parts: Part) -> Array | None:
    if all(part.weights is None for part in parts):
        return None
    return np.concatenate([np.ones(p.n) if p.weights is None else p.weights for p in parts])


def _stacked(upper: Any, lower: Any) -> Any:
    if not hasattr(upper, "indptr"):
        return np.vstack([upper, lower])
    import scipy.sparse as sp

    return sp.vstack([upper, lower], format="csr")


def _estimator(options: TuneOptions, table: Table) -> Any:
    """Make the estimator whose settings are to be chosen."""
    row = LEARNERS[options.learner]
    if row.stream is not None:
        return StreamLearner(
            row.name,
            scale=scaling_of(options.scale),
            dtype=options.dtype,
            names=Shared(table.columns),
        )
    if "distribution" in row.options:
        return row.load()(distribution_of(table.X, has_words(table.columns)))
    return row.load()()
