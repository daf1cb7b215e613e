"""The command `compare`: reads files, splits their rows, and compares the learners on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.console import UsageError, count, is_terminal, percent, shortened, visible
from rosenblatt.data.rows import Array
from rosenblatt.learner_registry import LEARNERS, of_estimator
from rosenblatt.model_selection.compare import Comparison, Result, compare
from rosenblatt.model_selection.grid_option import distribution_of
from rosenblatt.model_selection.learners_to_compare import ALWAYS
from rosenblatt.model_selection.scaled_rows import ScaledRows
from rosenblatt.model_selection.splits import Part, check_classes, hold_out, take
from rosenblatt.model_selection.stream_estimator import Shared
from rosenblatt.readers.command_options import Reading
from rosenblatt.readers.named_columns import Table, read_table
from rosenblatt.readers.names import Hashed, Names, has_words
from rosenblatt.training.command_options import CompareOptions, LearningOptions


@dataclass
class FileComparison:
    """The result: a comparison, or one for each fold."""

    comparisons: list[Comparison]
    table: Table
    options: CompareOptions
    notes: list[str] = field(default_factory=list)

    def opening(self) -> str:
        """Describe the data."""
        first, folds = self.comparisons[0], self.options.folds
        if folds:
            rows = f"{self.table.n:,} rows in {folds} folds"
        elif first.judged_on == "training":
            rows = f"{first.n_train:,} rows for training and evaluation"
        else:
            rows = f"{first.n_train:,} training rows, {first.n_test:,} test rows"
        facts = f"{len(self.table.names):,} features, {first.n_classes} classes"
        label = self.table.errors.label
        named = "" if label is None else f"; label {visible(label)}"
        if self.weight is not None:
            rows += f" with importance weights (total {self.weight:,.6g})"
        return f"{rows}; {facts}; majority-class error {percent(self._guess())}{named}"

    @property
    def weight(self) -> float | None:
        """The sum of the importance weights; None if there are none, or they are ignored."""
        weights = part_of(self.table, self.options).weights
        return None if weights is None else float(weights.sum())

    def _guess(self) -> float:
        return 1 - _mean([one.guess for one in self.comparisons])

    def note_guess(self) -> None:
        """Note that no learner is better than the majority class, if so."""
        errors = [one["error"] for one in self.ranked() if one["error"] is not None]
        if errors and min(errors) > self._guess() - 1e-9:
            self.notes.append(
                f"no learner beats the majority class, whose error is {percent(self._guess())}"
            )

    def ranked(self) -> list[dict[str, Any]]:
        """Return the results of all learners, the best first."""
        results = [self._result(k) for k in range(len(self.comparisons[0].results))]
        return sorted(results, key=lambda result: (result["error"] is None, result["error"] or 0))

    def _result(self, k: int) -> dict[str, Any]:
        parts = [one.results[k] for one in self.comparisons]
        reason = next((part.error for part in parts if part.error), None)
        name = _short(parts[0].name)
        if reason is not None:
            reason = reason.replace("sample_weight", "importance weights")
            return {"learner": name, "error": None, "reason": reason}
        errors = [1 - (part.accuracy or 0.0) for part in parts]
        folds = len(parts) > 1
        interval = None if folds or parts[0].interval is None else _flipped(parts[0].interval)
        return {
            "learner": name,
            "error": _mean(errors),
            "interval": interval,
            "standard_error": float(np.std(errors, ddof=1) / len(errors) ** 0.5) if folds else None,
            "seconds": _mean([part.seconds or 0.0 for part in parts]),
            "mistakes": _all([part.mistakes for part in parts], _mean),
            "converged": _all([part.converged for part in parts], all),
            "always_the_same": _same(parts),
            "differ": _all([part.differ for part in parts], _mean),
            "reason": None,
        }

    def as_json(self) -> dict[str, Any]:
        """Return the whole result."""
        first = self.comparisons[0]
        return {
            "examples": self.table.n,
            "train": first.n_train,
            "test": first.n_test,
            "judged_on": "folds" if self.options.folds else first.judged_on,
            "folds": self.options.folds,
            "features": len(self.table.names),
            "classes": self.table.classes,
            "guess_error": self._guess(),
            "learners": self.ranked(),
            "unlabelled": self.table.unlabelled,
            "notes": self.notes,
            "weight": self.weight,
        }

    def plot(self, path: str) -> None:
        """Plot the decision boundaries to a file; of several folds, those of the last."""
        self.comparisons[-1].plot().savefig(path, dpi=150)


def compare_files(options: CompareOptions) -> FileComparison:
    """Read the files, and compare the learners."""
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
        comparisons = [
            _compare_part(train, test, options, table.columns)
            for train, test in _splits(table, reading, options, notes)
        ]
    found = FileComparison(comparisons, table, options, notes)
    found.note_guess()
    return found


def _compare_part(
    train: Part, test: Part | None, options: CompareOptions, columns: Names
) -> Comparison:
    scale: Any = not options.no_scale
    names = options.names
    if scale and hasattr(train.X, "indptr") and not isinstance(columns, Hashed):
        scale = ScaledRows(Shared(columns))
    return compare(
        train.X,
        train.y,
        models=None if names is None else {name: _made(name, train.X, columns) for name in names},
        sample_weight=train.weights,
        test=test,
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


def _splits(
    table: Table, reading: Reading, options: CompareOptions, notes: list[str]
) -> Iterator[tuple[Part, Part | None]]:
    """Yield training rows and test rows; None stands for the training rows themselves.

    A class that has a single row cannot be in both: it stays among the training rows.
    """
    rows, folds, test, seed = part_of(table, options), options.folds, options.tested, options.seed
    if folds is not None:
        often = _not_single(table.y, notes)
        check_classes(table.y[often], folds, f"--folds {folds} needs one for each fold")
        of = np.full(rows.n, -1)
        of[often] = fold_of_rows(table.y[often], folds, seed)
        for fold in range(folds):
            yield take(rows, np.flatnonzero(of != fold)), take(rows, np.flatnonzero(of == fold))
    elif isinstance(test, list):
        other = read_table(test, reading, like=table)
        yield rows, part_of(other, options)
    elif test is None:
        yield rows, None
    else:
        often = _not_single(table.y, notes)
        part, n_classes = take(rows, often), len(np.unique(table.y[often]))
        if options.test is None and round(test * part.n) < n_classes:
            test = n_classes  # few rows: one of each class
        _, tested, aside = hold_out(part, test, "test", stratify=True, random_state=seed)
        yield take(rows, np.setdiff1d(np.arange(rows.n), often[aside])), tested


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


def fold_of_rows(y: Array, folds: int, seed: int) -> Array:
    """Return the fold of each row; every fold has its part of each class.

    >>> np.bincount(fold_of_rows(np.array([0, 0, 0, 0, 1, 1]), 2, 0)).tolist()
    [3, 3]
    """
    rng, of, next_fold = np.random.default_rng(seed), np.empty(len(y), np.intp), 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        of[rows] = (next_fold + np.arange(len(rows))) % folds
        next_fold += len(rows)
    return of


def _short(name: str) -> str:
    """Return the command line's name of a learner, with what follows it.

    >>> _short("NaiveBayes gaussian"), _short("averaged")
    ('naive-bayes gaussian', 'averaged')
    """
    first, _, rest = name.partition(" ")
    row = of_estimator(first)
    return f"{first if row is None else row.name} {rest}".strip()


def _same(parts: Sequence[Result]) -> bool | None:
    results = [part.result for part in parts]
    return None if None in results else all(result == ALWAYS for result in results)


def _flipped(interval: Any) -> list[float]:
    low, high = interval
    return [1 - high, 1 - low]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _all(values: Sequence[Any], function: Any) -> Any:
    return None if None in values else function(values)
