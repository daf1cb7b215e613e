"""What a comparison of classifiers found: a table, a data frame, a picture."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from rosenblatt.data.rows import Array
from rosenblatt.evaluation.metrics import Interval
from rosenblatt.learner_registry import Facts
from rosenblatt.model_selection.data_frames import as_frame
from rosenblatt.model_selection.grid import Frozen
from rosenblatt.model_selection.learners_to_compare import ALWAYS, KEY, facts_of
from rosenblatt.model_selection.scoring import ACCURACY
from rosenblatt.model_selection.table_layout import (
    Column,
    count,
    fitting_table,
    html_table,
    paragraph,
    percent,
    seconds,
    text_table,
)


@dataclass(frozen=True)
class Result:
    """How one learner did.

    Attributes
    ----------
    name : str
        The learner's.
    accuracy : float or None
        The share of the judging rows that it classified correctly, of folds their mean; None if it
        could not be fitted.
    interval : (low, high) or None
        Wilson's 95 % interval of the accuracy; None of folds.
    seconds : float or None
        The time to fit it, everything compiled and the features made; of folds the mean.
    mistakes : int, float or None
        Mistakes made while learning, if it learns from mistakes; of folds the mean.
    converged : bool or None
        Whether it ended as its rule wants, in all folds; None if it has no passes.
    result : str or None
        "always the same" or "can differ", whatever the order of the rows and the seed. Of models
        that are not Rosenblatt's "same here" says that no difference was seen.
    differ : float or None
        The share of the judging rows (2,000 of them at most) that it classified otherwise when it
        learned from the same rows in another order, with another seed.
    error : str
        Why it could not be fitted, else empty.
    scores : mapping of str to float or None
        What was asked for as ``scoring``, by name, of folds the means; None where ``unscored`` says
        why there is none.
    standard_error : float or None
        That of the first score, from how the folds differ. They share rows, so take it as a hint.
    fold_scores : mapping of str to tuple
        The scores in each fold; empty without folds.
    unscored : mapping of str to str
        Why it has no score of some name.

    Examples
    --------
    >>> from rosenblatt import compare
    >>> from rosenblatt.model_selection import corners
    >>> result = compare(*corners("and", copies=30, spread=0.2))["VotedPerceptron"]
    >>> result.accuracy > 0.75, result.result
    (True, 'can differ')
    """

    name: str
    accuracy: float | None = None
    interval: Interval | None = None
    seconds: float | None = field(default=None, compare=False)
    mistakes: float | None = None
    converged: bool | None = None
    result: str | None = None
    differ: float | None = None
    error: str = ""
    scores: Mapping[str, float | None] = field(default_factory=Frozen)
    standard_error: float | None = None
    fold_scores: Mapping[str, tuple[float | None, ...]] = field(default_factory=Frozen)
    unscored: Mapping[str, str] = field(default_factory=Frozen)

    @property
    def score(self) -> float | None:
        """The first score, by which a comparison ranks; None if there is none."""
        return next(iter(self.scores.values()), None)


@dataclass(frozen=True, repr=False)
class Comparison:
    """How all learners did on the same rows: a table to print, and a picture of two features.

    ``comparison["Perceptron"]`` is a learner's result; iterating gives all, in the order they were
    run. Printed, the best comes first.

    Attributes
    ----------
    table : tuple of :class:`Result`
        One for each learner, in the order they were run.
    models : mapping of str to fitted pipeline
        Those that could be fitted. They take rows as they were given, and make the features. Of
        folds, they learned from all rows in the end.
    n_train, n_test : int
        Rows learned from, and rows that judged. The same rows if ``judged_on`` is "training"; of
        folds too, in turns.
    judged_on : {"test", "training", "folds"}
        Which rows judged.
    n_features : int or None
        Features, after categories became binary ones; of pipelines, which make their own, columns,
        and None if there are none, as of texts.
    n_classes : int
        Classes.
    guess : float
        The accuracy of always naming the commonest class of the training rows.
    X, y : rows and labels that judged, or None
        Kept for the picture where there are two features.
    notes : tuple of str
        Which columns of a data frame were cut into words, and which are dates.
    scoring : tuple of str
        The names of the scores; the first one ranks.
    n_folds : int or None
        How many folds there were, if any.

    >>> from rosenblatt import compare
    >>> from rosenblatt.model_selection import corners
    >>> gate = compare(*corners("and"), test=None)
    >>> gate.n_train, gate.guess, gate["BatchPerceptron"].accuracy
    (4, 0.75, 1.0)
    """

    table: tuple[Result, ...]
    models: Mapping[str, Any] = field(compare=False)
    n_train: int
    n_test: int
    judged_on: str
    n_features: int | None
    n_classes: int
    guess: float
    X: Any = field(default=None, compare=False)
    y: Array | None = field(default=None, compare=False)
    notes: tuple[str, ...] = ()
    scoring: tuple[str, ...] = (ACCURACY,)
    n_folds: int | None = None

    @property
    def results(self) -> Any:
        """All results as a pandas data frame, the best first, a row for each learner.

        Its columns are the scores by their names, the accuracy, and the other attributes of
        :class:`Result`.
        """
        return as_frame((_as_row(result) for result in self.ranked()), "learner")

    def ranked(self) -> list[Result]:
        """Return the results from best to worst; of equals, in the order they were run."""
        return sorted(self.table, key=lambda r: (r.error != "", r.score is None, -(r.score or 0.0)))

    def __iter__(self) -> Iterator[Result]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, name: str) -> Result:
        for result in self.table:
            if result.name == name:
                return result
        there = ", ".join(result.name for result in self.table)
        raise KeyError(f"no learner is called {name!r} here; there are {there}")

    @property
    def best(self) -> Result:
        """The result with the best score, by default the accuracy; of equals the first."""
        best = self.ranked()[0]
        if best.score is None:
            why = best.error or best.unscored.get(self.scoring[0], "")
            fitted = "scored" if not best.error else "fitted"
            raise ValueError(
                f"no learner could be {fitted}; print the comparison to see why. The first: {why}"
            )
        return best

    def __str__(self) -> str:
        table = fitting_table(*self._columns(), len(self.scoring) + 1)
        parts = [paragraph(self._opening()), "", table]
        return "\n".join([*parts, *(paragraph(line, "  ") for line in self._below())])

    __repr__ = __str__  # what a prompt shows

    def describe(self) -> str:
        """Return the lecture's table: what each learner makes small, how, and what comes out."""
        titles = ("learner", "model", "error", "optimisation, result")
        columns = [Column(title, whole=title != "error") for title in titles]
        rows = []
        for result in self.table:
            facts = facts_of(self.models.get(result.name)) or Facts(*"––––")
            how = f"{facts.optimisation}:\n{_outcome(result)}"
            rows.append([result.name, facts.model, facts.error, how])
        return "\n".join([text_table(columns, rows), "", paragraph(KEY)])

    def plot(self, **options: Any) -> Any:
        """Draw all boundaries side by side, if there are two features.

        Takes the options of :func:`rosenblatt.plot.plot_comparison` and returns its figure.
        """
        from rosenblatt.plot import plot_comparison

        return plot_comparison(self, **options)

    def _repr_html_(self) -> str:
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._below())
        return html_table(self._opening(), *self._columns()) + notes

    def _opening(self) -> str:
        judged = (
            f"{self.n_train:,} training rows, {self.n_test:,} test rows"
            if self.judged_on == "test"
            else f"{self.n_test:,} rows in {self.n_folds} folds"
            if self.n_folds
            else f"{self.n_train:,} rows for training and evaluation"
        )
        features = "" if self.n_features is None else f"{self.n_features:,} features, "
        return (
            f"{judged}; {features}{self.n_classes} classes. "
            f"Majority-class accuracy: {percent(self.guess)}%."
        )

    def _columns(self) -> tuple[list[Column], list[list[str]]]:
        """Return the columns of the table, those of least interest last, and their cells."""
        results = [result for result in self.ranked() if not result.error]
        if self.scoring == (ACCURACY,):
            spread = "(± standard error)" if self.n_folds else "(95% interval)"
            scores = [Column(f"accuracy %\n{spread}", True)]
            cells = [[_accuracy(result)] for result in results]
        else:
            scores, cells = self.scores()
        columns = [Column("\nlearner", whole=True), *scores, *_LAST_COLUMNS]
        return columns, [
            [result.name, *row, *_last_cells(result)]
            for result, row in zip(results, cells, strict=True)
        ]

    def scores(self) -> tuple[list[Column], list[list[str]]]:
        """Return columns of scores, and their cells for each learner that could be fitted."""
        results = [result for result in self.ranked() if not result.error]
        columns = [Column(f"\n{name}", True) for name in self.scoring]
        return columns, [[_score(result, name) for name in self.scoring] for result in results]

    def unscored(self, called: Callable[[str], str] = str) -> list[str]:
        """Say which learners have no score of some name, and why; ``called`` names them."""
        without: dict[tuple[str, str], list[str]] = {}
        for result in self.ranked():
            for name, reason in result.unscored.items():
                without.setdefault((name, reason), []).append(called(result.name))
        return [f"no {name} of {', '.join(who)}: {why}" for (name, why), who in without.items()]

    def _below(self) -> list[str]:
        failures = [f"{r.name} was left out: {r.error}" for r in self.table if r.error]
        return [*self.notes, *self.unscored(), *failures]


_LAST_COLUMNS = (
    Column("time\nto fit", True),
    Column("\nmistakes", True),
    Column("con-\nverged"),
    Column("always\nthe same"),
)


def _as_row(result: Result) -> dict[str, Any]:
    low, high = result.interval or (None, None)
    return {
        "learner": result.name,
        **result.scores,
        "accuracy": result.accuracy,
        "standard_error": result.standard_error,
        "low": low,
        "high": high,
        "seconds": result.seconds,
        "mistakes": result.mistakes,
        "converged": result.converged,
        "result": result.result,
        "differ": result.differ,
        "error": result.error,
    }


def _outcome(result: Result) -> str:
    if result.differ:
        return f"{result.result} ({percent(result.differ)}%)"
    return result.result or "–"


def _accuracy(result: Result) -> str:
    accuracy = percent(result.accuracy or 0.0)
    if result.interval is None:
        return f"{accuracy} (± {100 * (result.standard_error or 0.0):.1f})"
    low, high = result.interval
    return f"{accuracy} ({percent(low)}–{percent(high)})"


def _score(result: Result, name: str) -> str:
    value = result.scores.get(name)
    if value is None:
        return "–"
    first = next(iter(result.scores))
    error = result.standard_error if name == first else None
    return f"{value:.4f}" if error is None else f"{value:.4f} ± {error:.4f}"


def _last_cells(result: Result) -> list[str]:
    return [
        seconds(result.seconds or 0.0),
        "–" if result.mistakes is None else count(round(result.mistakes)),
        {None: "–", True: "yes", False: "no"}[result.converged],
        {None: "–", ALWAYS: "yes"}.get(result.result, result.result or "–"),
    ]
