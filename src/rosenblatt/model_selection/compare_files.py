"""What `compare` does: parts of the rows, the comparison, and what comes of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rosenblatt.console import UsageError, is_terminal, percent
from rosenblatt.data.rows import Array
from rosenblatt.model_selection.compare import Comparison, Result, compare
from rosenblatt.model_selection.grids import distribution_of
from rosenblatt.model_selection.roster import ALWAYS
from rosenblatt.model_selection.splits import Part, check_classes, hold_out, take
from rosenblatt.readers.in_memory import Table, read_table
from rosenblatt.readers.options import Reading
from rosenblatt.registry import LEARNERS, of_estimator

LARGE = 100.0  # a number such as a year or a price, by the side of which others do not count


@dataclass
class Asked:
    """What was asked for."""

    learners: list[str] | None
    test: float | list[str] | None
    folds: int | None
    orders: int
    scale: bool
    bits: int | None
    seed: int
    reading: dict[str, Any]
    told: bool
    drawn: bool = False


@dataclass
class Compared:
    """What was found: a comparison, or one for each fold."""

    comparisons: list[Comparison]
    table: Table
    asked: Asked
    notes: list[str] = field(default_factory=list)

    def opening(self) -> str:
        """Say what was compared."""
        first, asked = self.comparisons[0], self.asked
        if asked.folds:
            rows = f"{self.table.n:,} rows in {asked.folds} folds"
        elif first.judged_on == "training":
            rows = f"{first.n_train:,} rows, to learn from and to judge by"
        else:
            rows = f"{first.n_train:,} rows to learn from, {first.n_test:,} to test"
        facts = f"{len(self.table.names):,} features, {first.n_classes} classes"
        return f"{rows}; {facts}; guessing errs on {percent(self._guess())}"

    def _guess(self) -> float:
        return 1 - _mean([one.guess for one in self.comparisons])

    def ranked(self) -> list[dict[str, Any]]:
        """Return the results of all learners, the best first."""
        results = [self._result(k) for k in range(len(self.comparisons[0].results))]
        return sorted(results, key=lambda result: (result["error"] is None, result["error"] or 0))

    def _result(self, k: int) -> dict[str, Any]:
        parts = [one.results[k] for one in self.comparisons]
        reason = next((part.error for part in parts if part.error), None)
        name = _short(parts[0].name)
        if reason is not None:
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
        """Return all there is to say."""
        first = self.comparisons[0]
        return {
            "examples": self.table.n,
            "train": first.n_train,
            "test": first.n_test,
            "judged_on": "folds" if self.asked.folds else first.judged_on,
            "folds": self.asked.folds,
            "features": len(self.table.names),
            "classes": self.table.classes,
            "guess_error": self._guess(),
            "learners": self.ranked(),
            "unlabelled": self.table.unlabelled,
            "notes": self.notes,
        }

    def plot(self, path: str) -> None:
        """Draw the boundaries to a file; of several folds, the last's."""
        self.comparisons[-1].plot().savefig(path, dpi=150)


def compared(files: Sequence[str], asked: Asked) -> Compared:
    """Read the files, and let all learn."""
    reading = Reading(dtype="float64", labelled=True, **asked.reading)
    table = read_table(files, reading, bits=asked.bits)
    table.check_classes()
    if table.weights is not None:
        raise ValueError("compare has no use for importance weights; leave them out (--drop)")
    if asked.drawn and len(table.names) != 2:
        raise UsageError(
            f"--plot draws boundaries between two features, and the rows have "
            f"{len(table.names):,}; --drop leaves columns out"
        )
    notes: list[str] = []
    with table.named():
        found = [
            _compared(learn, judge, asked, notes if number == 0 else [])
            for number, (learn, judge) in enumerate(_parts(table, reading, asked))
        ]
    return Compared(found, table, asked, notes)


def _compared(learn: Part, judge: Part | None, asked: Asked, notes: list[str]) -> Comparison:
    learn, judge = _scaled(learn, judge, notes) if asked.scale else (learn, judge)
    models = (
        None if asked.learners is None else {name: _made(name, learn.X) for name in asked.learners}
    )
    return compare(
        learn.X,
        learn.y,
        models=models,
        test=None if judge is None else (judge.X, judge.y),
        scale=asked.scale,
        orders=asked.orders,
        random_state=asked.seed,
        verbose=int(asked.told and is_terminal()),
    )


def _made(name: str, X: Any) -> Any:
    """Make a classifier; of naive Bayes the kind that suits the values."""
    row = LEARNERS[name]
    if "distribution" not in row.options:
        return row.load()()
    kind = distribution_of(X)
    # Numbers are standardised before they are learned from, and no counts any more.
    return row.load()("gaussian" if kind == "multinomial" else kind)


def _parts(table: Table, reading: Reading, asked: Asked) -> Iterator[tuple[Part, Part | None]]:
    """Yield rows to learn from, and rows to judge by; None are the same."""
    rows = Part(table.X, table.y)
    if asked.folds is not None:
        check_classes(table.y, asked.folds, f"--folds {asked.folds} wants one for each fold")
        of = dealt(table.y, asked.folds, asked.seed)
        for fold in range(asked.folds):
            yield take(rows, np.flatnonzero(of != fold)), take(rows, np.flatnonzero(of == fold))
    elif isinstance(asked.test, list):
        other = read_table(asked.test, reading, like=table)
        yield rows, Part(other.X, other.y)
    elif asked.test is None:
        yield rows, None
    else:
        learn, judge, _ = hold_out(rows, asked.test, "test", stratify=True, random_state=asked.seed)
        yield learn, judge


def dealt(y: Array, folds: int, seed: int) -> Array:
    """Return the fold of each row; every fold has its part of each class.

    >>> np.bincount(dealt(np.array([0, 0, 0, 0, 1, 1]), 2, 0)).tolist()
    [3, 3]
    """
    rng, of, next_fold = np.random.default_rng(seed), np.empty(len(y), np.intp), 0
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        of[rows] = (next_fold + np.arange(len(rows))) % folds
        next_fold += len(rows)
    return of


def _scaled(learn: Part, judge: Part | None, notes: list[str]) -> tuple[Part, Part | None]:
    """Divide the columns of sparse rows by their largest value to learn from, if that is large.

    Arrays are standardised where the features are made. Sparse rows must keep their zeros, and most
    are fine as they are: words, and what was scaled before.
    """
    if not hasattr(learn.X, "indptr") or np.abs(learn.X.data).max(initial=0.0) <= LARGE:
        return learn, judge
    import scipy.sparse as sp

    largest = np.asarray(abs(learn.X).max(axis=0).todense()).ravel()
    by = sp.diags_array(1 / np.where(largest > 0, largest, 1.0), dtype=learn.X.dtype)
    notes.append("columns were divided by their largest value (--no-scale leaves them)")
    scaled = learn._replace(X=sp.csr_matrix(learn.X @ by))
    if judge is None:
        return scaled, None
    return scaled, judge._replace(X=sp.csr_matrix(judge.X @ by))


def _short(name: str) -> str:
    """Return the command line's name of a learner, with what follows it.

    >>> _short("NaiveBayes gaussian"), _short("averaged")
    ('naive-bayes gaussian', 'averaged')
    """
    first, _, rest = name.partition(" ")
    row = of_estimator(first)
    return f"{first if row is None else row.name} {rest}".strip()


def _same(parts: Sequence[Result]) -> bool | None:
    found = [part.result for part in parts]
    return None if None in found else all(one == ALWAYS for one in found)


def _flipped(interval: Any) -> list[float]:
    low, high = interval
    return [1 - high, 1 - low]


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _all(values: Sequence[Any], function: Any) -> Any:
    return None if None in values else function(values)
