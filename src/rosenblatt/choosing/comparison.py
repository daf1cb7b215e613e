"""The report of `compare`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from rosenblatt.choosing.facts import ALWAYS, KEY, Facts, facts_of
from rosenblatt.choosing.intervals import Interval
from rosenblatt.choosing.tables import (
    Column,
    count,
    html_table,
    paragraph,
    percent,
    seconds,
    text_table,
)
from rosenblatt.data.rows import Array

_COLUMNS = [
    Column("\nlearner"),
    Column("accuracy %\n(95% interval)", True),
    Column("time\nto fit", True),
    Column("\nmistakes", True),
    Column("con-\nverged"),
    Column("always\nthe same"),
]


@dataclass(frozen=True)
class Result:
    """How one learner did.

    Attributes
    ----------
    name : str
        The learner's.
    accuracy : float or None
        The share of the judging rows that it classified correctly; None if it could not be fitted.
    interval : (low, high) or None
        Wilson's 95 % interval of the accuracy.
    seconds : float or None
        The time to fit it, everything compiled and the features made.
    mistakes : int or None
        Mistakes made while learning, if it learns from mistakes.
    converged : bool or None
        Whether it ended as its rule wants; None if it has no passes.
    result : str or None
        "always the same" or "can differ", whatever the order of the rows and the seed. Of models
        that are not Rosenblatt's "same here" says that no difference was seen.
    differ : float or None
        The share of the judging rows (2,000 of them at most) that it classified otherwise when it
        learned from the same rows in another order, with another seed.
    error : str
        Why it could not be fitted, else empty.
    """

    name: str
    accuracy: float | None = None
    interval: Interval | None = None
    seconds: float | None = field(default=None, compare=False)
    mistakes: int | None = None
    converged: bool | None = None
    result: str | None = None
    differ: float | None = None
    error: str = ""


@dataclass(frozen=True, repr=False)
class Comparison:
    """How all learners did on the same rows: a table to print, and a picture of two features.

    ``comparison["Perceptron"]`` is a learner's result; iterating gives all.

    Attributes
    ----------
    results : tuple of :class:`Result`
        One for each learner, in the order they were run.
    models : mapping of str to fitted pipeline
        Those that could be fitted. They take rows as they were given, and make the features.
    n_train, n_test : int
        Rows learned from, and rows that judged. The same rows if ``judged_on`` is "training".
    judged_on : {"test", "training"}
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
    """

    results: tuple[Result, ...]
    models: Mapping[str, Any] = field(compare=False)
    n_train: int
    n_test: int
    judged_on: str
    n_features: int | None
    n_classes: int
    guess: float
    X: Any = field(default=None, compare=False)
    y: Array | None = field(default=None, compare=False)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> Result:
        for result in self.results:
            if result.name == name:
                return result
        there = ", ".join(result.name for result in self.results)
        raise KeyError(f"no learner is called {name!r} here; there are {there}")

    @property
    def best(self) -> Result:
        """The most accurate result; of equals the first."""
        fitted = [result for result in self.results if result.accuracy is not None]
        if not fitted:
            raise ValueError("no learner could be fitted; print the comparison to see why")
        return max(fitted, key=lambda result: result.accuracy or 0.0)

    def __str__(self) -> str:
        parts = [paragraph(self._opening()), "", text_table(_COLUMNS, self._cells())]
        return "\n".join([*parts, *(paragraph(line, "  ") for line in self._failures())])

    __repr__ = __str__  # what a prompt shows

    def describe(self) -> str:
        """Return the lecture's table: what each learner makes small, how, and what comes out."""
        titles = ("learner", "model", "error", "optimisation, result")
        columns = [Column(title, whole=title != "error") for title in titles]
        rows = []
        for result in self.results:
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
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._failures())
        return html_table(self._opening(), _COLUMNS, self._cells()) + notes

    def _opening(self) -> str:
        judged = (
            f"{self.n_train:,} rows to learn from, {self.n_test:,} to test"
            if self.judged_on == "test"
            else f"{self.n_train:,} rows, to learn from and to judge by"
        )
        features = "" if self.n_features is None else f"{self.n_features:,} features, "
        return (
            f"{judged}; {features}{self.n_classes} classes. "
            f"Guessing the commonest class: {percent(self.guess)}%."
        )

    def _cells(self) -> list[list[str]]:
        return [_cells(result) for result in self.results if not result.error]

    def _failures(self) -> list[str]:
        return [f"{r.name} was left out: {r.error}" for r in self.results if r.error]


def _outcome(result: Result) -> str:
    if result.differ:
        return f"{result.result} ({percent(result.differ)}%)"
    return result.result or "–"


def _cells(result: Result) -> list[str]:
    low, high = result.interval or (0.0, 1.0)
    return [
        result.name,
        f"{percent(result.accuracy or 0.0)} ({percent(low)}–{percent(high)})",
        seconds(result.seconds or 0.0),
        "–" if result.mistakes is None else count(result.mistakes),
        {None: "–", True: "yes", False: "no"}[result.converged],
        {None: "–", ALWAYS: "yes"}.get(result.result, result.result or "–"),
    ]
