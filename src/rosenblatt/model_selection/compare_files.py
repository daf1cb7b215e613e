"""The command `compare`: reads files, splits their rows, and compares the learners on them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.console import UsageError, count, is_terminal, percent, shortened, visible
from rosenblatt.data.rows import Array
from rosenblatt.learner_registry import LEARNERS, of_estimator
from rosenblatt.model_selection.compare import compare
from rosenblatt.model_selection.comparison import Comparison, Result
from rosenblatt.model_selection.folds import Folds, folds_of
from rosenblatt.model_selection.grid_option import distribution_of
from rosenblatt.model_selection.learners_to_compare import ALWAYS
from rosenblatt.model_selection.scaled_rows import ScaledRows
from rosenblatt.model_selection.scoring import check_option
from rosenblatt.model_selection.splits import Part, hold_out, take
from rosenblatt.model_selection.stream_estimator import Shared
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.named_columns import Table, read_table
from rosenblatt.readers.names import Hashed, Names, has_words
from rosenblatt.training.command_options import CompareOptions, LearningOptions


@dataclass
class FileComparison:
    """The result: a comparison, and how the rows were read."""

    comparison: Comparison
    table: Table
    options: CompareOptions
    notes: list[str] = field(default_factory=list)

    def opening(self) -> str:
        """Describe the data."""
        found = self.comparison
        if found.n_folds:
            rows = f"{self.table.n:,} rows in {found.n_folds} folds"
        elif found.judged_on == "training":
            rows = f"{found.n_train:,} rows for training and evaluation"
        else:
            rows = f"{found.n_train:,} training rows, {found.n_test:,} test rows"
        facts = f"{len(self.table.names):,} features, {found.n_classes} classes"
        label = self.table.errors.label
        named = "" if label is None else f"; label {visible(label)}"
        if self.weight is not None:
            rows += f" with importance weights (total {self.weight:,.6g})"
        return f"{rows}; {facts}; majority-class error {percent(1 - found.guess)}{named}"

    @property
    def weight(self) -> float | None:
        """The sum of the importance weights; None if there are none, or they are ignored."""
        weights = part_of(self.table, self.options).weights
        return None if weights is None else float(weights.sum())

    def note_guess(self) -> None:
        """Note that no learner is better than the majority class, if so."""
        errors = [one["error"] for one in self.ranked() if one["error"] is not None]
        majority = 1 - self.comparison.guess
        if errors and min(errors) > majority - 1e-9:
            self.notes.append(
                f"no learner beats the majority class, whose error is {percent(majority)}"
            )

    def ranked(self) -> list[dict[str, Any]]:
        """Return the results of all learners, the best first."""
        return [_as_json(result) for result in self.comparison.ranked()]

    def unscored(self) -> list[str]:
        """Say which learners have no score of some name, and why."""
        return [
            note.replace("sample_weight", "importance weights")
            for note in self.comparison.unscored(_short)
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the whole result."""
        found = self.comparison
        return {
            "examples": self.table.n,
            "train": found.n_train,
            "test": found.n_test,
            "judged_on": found.judged_on,
            "folds": found.n_folds,
            "scoring": list(found.scoring),
            "features": len(self.table.names),
            "classes": self.table.classes,
            "guess_error": 1 - found.guess,
            "learners": self.ranked(),
            "unlabelled": self.table.unlabelled,
            "notes": [*self.notes, *self.unscored()],
            "weight": self.weight,
        }

    def plot(self, path: str) -> None:
        """Plot the decision boundaries to a file; of folds, those of models of all rows."""
        self.comparison.plot().savefig(path, dpi=150)


def _as_json(result: Result) -> dict[str, Any]:
    name = _short(result.name)
    if result.error:
        reason = result.error.replace("sample_weight", "importance weights")
        return {"learner": name, "error": None, "reason": reason}
    assert result.accuracy is not None
    return {
        "learner": name,
        "error": 1 - result.accuracy,
        "interval": None if result.interval is None else _flipped(result.interval),
        "standard_error": result.standard_error,
        "scores": dict(result.scores),
        "fold_scores": {name: list(scores) for name, scores in result.fold_scores.items()},
        "seconds": result.seconds,
        "mistakes": result.mistakes,
        "converged": result.converged,
        "always_the_same": None if result.result is None else result.result == ALWAYS,
        "differ": result.differ,
        "reason": None,
    }


def compare_files(options: CompareOptions) -> FileComparison:
    """Read the files, and compare the learners."""
    check_option(options.scores)
    reading = options.reading()
    table = read_table(options.files, reading, bits=options.bits, count_words=not options.no_scale)
    table.check_classes()
    if options.plot is not None and len(table.names) != 2:
        raise UsageError(
            f"--plot needs exactly two features, and the rows have {len(table.names):,}; --drop "
            "ignores columns"
        )
    notes: list[str] = []
    with table.named():
        comparison = _compare(*_split(table, reading, options, notes), options, table.columns)
    found = FileComparison(comparison, table, options, notes)
    found.note_guess()
    return found


def _compare(
    rows: Part, how: dict[str, Any], options: CompareOptions, columns: Names
) -> Comparison:
    scale: Any = not options.no_scale
    names = options.names
    if scale and hasattr(rows.X, "indptr") and not isinstance(columns, Hashed):
        scale = ScaledRows(Shared(columns))
    return compare(
        rows.X,
        rows.y,
        models=None if names is None else {name: _made(name, rows.X, columns) for name in names},
        sample_weight=rows.weights,
        **how,
        scoring=options.scores,
        scale=scale,
        orders=options.orders,
        random_state=options.seed,
        verbose=int(is_terminal() and not (options.quiet or options.json)),
    )


def _made(name: str, X: Any, columns: Names) -> Any:
    """Make a classifier; naive Bayes with the distribution that suits the values."""
    row = LEARNERS[name]
    if "distribution" not in row.options:
        return row.load()()
    model = row.load()(distribution_of(X, has_words(columns)))
    # Counts must stay counts, so these rows are not scaled.
    counts = model.distribution == "multinomial"
    return Pipeline([("prepare", "passthrough"), ("model", model)]) if counts else model


def _split(
    table: Table, reading: Reading, options: CompareOptions, notes: list[str]
) -> tuple[Part, dict[str, Any]]:
    """Return the rows, and how they are split, as `compare` takes it.

    A class that has a single row cannot be in both parts: it stays among the training rows.
    """
    rows, folds, test, seed = part_of(table, options), options.folds, options.tested, options.seed
    if folds is not None:
        return rows, {"cv": _folds(rows, folds, seed, _not_single(table.y, notes))}
    if isinstance(test, list):
        return rows, {"test": part_of(read_table(test, reading, like=table), options)}
    if test is None:
        return rows, {"test": None}
    often = _not_single(table.y, notes)
    part, n_classes = take(rows, often), len(np.unique(table.y[often]))
    if options.test is None and round(test * part.n) < n_classes:
        test = n_classes  # few rows: one of each class
    _, tested, aside = hold_out(part, test, "test", stratify=True, random_state=seed)
    return take(rows, np.setdiff1d(np.arange(rows.n), often[aside])), {"test": tested}


def _folds(rows: Part, folds: int, seed: int, often: Array) -> Folds:
    """Return the folds of `compare`, to whose training rows those that are not ``often`` join."""
    single = np.setdiff1d(np.arange(rows.n), often)
    found = folds_of(take(rows, often), folds, True, seed)
    return [(np.sort(np.r_[often[learn], single]), often[judge]) for learn, judge in found]


def part_of(table: Table, options: LearningOptions) -> Part:
    """Return the rows of files, with their importance weights unless these are ignored."""
    weights = None if options.ignore_weights else table.weights
    if weights is not None and not weights.any():
        files = ", ".join(name for name, _ in table.sources)
        raise ValueError(
            f"{files}: all rows have importance weight 0, so there is nothing to learn from; "
            "ignore the weights (--ignore-weights)"
        )
    return Part(table.X, table.y, weights)


def _not_single(y: Array, notes: list[str]) -> Array:
    """Return the places of the labels that occur more than once, and note which do not."""
    classes, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    single = classes[counts == 1].tolist()
    if single:
        shown = ", ".join(shortened(label) for label in single[:4])
        more = f" and {len(single) - 4} more" if len(single) > 4 else ""
        what = f"classes {shown}{more} have one row each" if len(single) > 1 else ""
        notes.append(f"{what or f'class {shown} has one row'}, used for training only")
    if len(classes) - len(single) < 2:
        listed = ", ".join(
            f"{count(n, 'row')} of class {shortened(label)}"
            for label, n in list(zip(classes.tolist(), counts.tolist(), strict=True))[:4]
        )
        more = ", …" if len(classes) > 4 else ""
        raise ValueError(
            f"there are {count(len(y), 'row')} with a label ({listed}{more}), and two classes need "
            "2 rows or more each, to train on some and to test on others; --test 0 evaluates on "
            "the training rows themselves"
        )
    return np.flatnonzero(counts[codes] > 1)


def _short(name: str) -> str:
    """Return the command line's name of a learner, with what follows it.

    >>> _short("NaiveBayes gaussian"), _short("averaged")
    ('naive-bayes gaussian', 'averaged')
    """
    first, _, rest = name.partition(" ")
    row = of_estimator(first)
    return f"{first if row is None else row.name} {rest}".strip()


def _flipped(interval: Any) -> list[float]:
    low, high = interval
    return [1 - high, 1 - low]
