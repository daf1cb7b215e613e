"""Every classifier under the same split."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.data.rows import Array
from rosenblatt.evaluation.metrics import Interval
from rosenblatt.learner_registry import Facts
from rosenblatt.model_selection.grid import Frozen
from rosenblatt.model_selection.learners_to_compare import (
    ALWAYS,
    KEY,
    asked_for,
    facts_of,
    inner_of,
    result_of,
    roster,
)
from rosenblatt.model_selection.prepare import check_table, described, preparation
from rosenblatt.model_selection.progress import progress
from rosenblatt.model_selection.splits import (
    Part,
    as_part,
    check_classes,
    check_test_pair,
    hold_out,
    take,
)
from rosenblatt.model_selection.table_layout import (
    Column,
    count,
    html_table,
    paragraph,
    percent,
    seconds,
    text_table,
)
from rosenblatt.model_selection.weighted_fit import (
    commonest_class,
    fit_rows,
    share_right,
    takes_weights,
    without_weights,
)

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
    notes : tuple of str
        Which columns of a data frame were cut into words, and which are dates.

    >>> from rosenblatt import compare
    >>> from rosenblatt.model_selection import corners
    >>> gate = compare(*corners("and"), test=None)
    >>> gate.n_train, gate.guess, gate["BatchPerceptron"].accuracy
    (4, 0.75, 1.0)
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
    notes: tuple[str, ...] = ()

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
        return "\n".join([*parts, *(paragraph(line, "  ") for line in self._below())])

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
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._below())
        return html_table(self._opening(), _COLUMNS, self._cells()) + notes

    def _opening(self) -> str:
        judged = (
            f"{self.n_train:,} training rows, {self.n_test:,} test rows"
            if self.judged_on == "test"
            else f"{self.n_train:,} rows for training and evaluation"
        )
        features = "" if self.n_features is None else f"{self.n_features:,} features, "
        return (
            f"{judged}; {features}{self.n_classes} classes. "
            f"Majority-class accuracy: {percent(self.guess)}%."
        )

    def _cells(self) -> list[list[str]]:
        return [_cells(result) for result in self.results if not result.error]

    def _below(self) -> list[str]:
        failures = [f"{r.name} was left out: {r.error}" for r in self.results if r.error]
        return [*self.notes, *failures]


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


# Rows enough to see a difference; of a voted perceptron, predicting costs more than learning.
_ASKED = 2000


class Arena(NamedTuple):
    """What every learner gets: rows as given and as features, to learn from and to judge by."""

    learn: Part
    judge: Part
    features: Part
    judged_features: Part
    preparation: Any

    def parts(self, model: Any) -> tuple[Part, Part]:
        """Return what a model takes: features, or the rows themselves if it makes its own."""
        if isinstance(model, Pipeline):
            return self.learn, self.judge
        return self.features, self.judged_features


def compare(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    models: Any = None,
    test: Any = 0.3,
    scale: Any = True,
    orders: int = 2,
    random_state: int = 0,
    verbose: int = 0,
) -> Comparison:
    """Run every classifier of the library under the same split, and set the results side by side.

    All learn from the same rows with the same features, made as :func:`rosenblatt.prepare` says,
    and are judged by the same other rows. A learner that cannot be fitted to the data is left out
    of the table, with the reason below it.

    Parameters
    ----------
    X : data frame, array or sparse matrix of shape (n_samples, n_features)
        The rows.
    y : array of shape (n_samples,)
        Their labels.
    sample_weight : array of shape (n_samples,), optional
        How much each row counts, in learning and in judging; a learner that does not support
        weights is left out. Means and deviations, with which numbers are standardised, are those
        of all rows alike.
    models : list or mapping, optional
        Classifiers, or names of Rosenblatt's, to compare instead of all of these. Pipelines get the
        rows as they are; if all are pipelines, anything that has rows will do, such as a list of
        texts. Unless named, the kernel perceptron is left out, whose time grows with rows times
        mistakes, and of sparse features by the thousand the linear discriminant.
    test : float, int, pair (X_test, y_test) or None, default=0.3
        The share of rows to judge by (with its part of each class), or so many, or other rows. None
        judges by the training rows themselves, as the lecture does with OR, AND and XOR. A third
        item of the pair is the weights of those rows.
    scale : bool, default=True
        Standardise dense numbers, unless all are 0 or 1. Perceptrons and gradient descent need it.
        Multinomial naive Bayes gets counts as they are.
    orders : int, default=2
        In how many orders of the training rows to fit each learner, each with a seed of its own.
        The last fit is in the given order: that one is timed and judged, and by then everything is
        compiled. The others tell how much the result depends on the order. 1 fits once.
    random_state : int, default=0
        Seed of the split, of the orders and of the learners.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    :class:`~rosenblatt.model_selection.Comparison`
        Prints as a table; ``plot()`` draws the boundaries if there are two features.

    Examples
    --------
    >>> from rosenblatt import compare
    >>> from rosenblatt.model_selection import corners
    >>> xor = compare(*corners("xor"), test=None)
    >>> xor["Perceptron"].converged, xor["Perceptron"].accuracy < 1
    (False, True)
    >>> xor["BatchPerceptron"].result, xor["Perceptron"].result
    ('always the same', 'can differ')
    """
    if isinstance(orders, bool) or not isinstance(orders, int | np.integer) or orders < 1:
        raise ValueError(f"orders must be a whole number, 1 or more, got {orders!r}")
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ValueError(f"random_state must be a whole number, got {random_state!r}")
    given = {} if models is None else asked_for(models)
    raw = bool(given) and all(isinstance(model, Pipeline) for model in given.values())
    rows = as_part(X if raw else check_table(X), y, sample_weight=sample_weight)
    arena = _arena(rows, test, scale, raw, int(random_state))
    learners = given or roster(arena.learn.X, arena.features.X)
    results, fitted = [], {}
    with progress("compare", len(learners), verbose) as tick:
        for name, model in learners.items():
            result, ready = _run(name, model, arena, int(orders), int(random_state))
            results.append(result)
            if ready is not None:
                fitted[name] = ready
            tick(name)
    guessed = arena.judge.y == commonest_class(arena.learn)
    width = _width(arena.features.X)
    two = width == _width(arena.judge.X) == 2
    return Comparison(
        results=tuple(results),
        models=Frozen(fitted),
        n_train=arena.learn.n,
        n_test=arena.judge.n,
        judged_on="training" if test is None else "test",
        n_features=width,
        n_classes=len(np.unique(arena.learn.y)),
        guess=share_right(arena.judge, guessed)[0],
        X=arena.judge.X if two else None,
        y=arena.judge.y if two else None,
        notes=described(arena.preparation),
    )


def _width(X: Any) -> int | None:
    """Count the columns; None if rows have none, as texts."""
    shape = X.shape[1:] if hasattr(X, "shape") else np.shape(X[0])
    return int(shape[0]) if len(shape) == 1 else None


def _arena(rows: Part, test: Any, scale: Any, raw: bool, random_state: int) -> Arena:
    """Split the rows, and make features of them as the training rows say, unless left ``raw``."""
    check_classes(rows.y, 1, "")
    if test is None:
        learn, judge = rows, rows
    elif isinstance(test, tuple | list):
        given = check_test_pair(test, rows, classify=True)
        learn, judge = rows, given if raw else given._replace(X=check_table(given.X))
    else:
        learn, judge, _ = hold_out(rows, test, "test", stratify=True, random_state=random_state)
    step: Any = "passthrough"
    if not raw:
        step = clone(scale) if hasattr(scale, "transform") else preparation(learn.X, scale)
    if step == "passthrough":
        return Arena(learn, judge, learn, judge, step)
    features = learn._replace(X=step.fit_transform(learn.X))
    return Arena(learn, judge, features, judge._replace(X=step.transform(judge.X)), step)


def _run(name: str, model: Any, arena: Arena, orders: int, random_state: int) -> tuple[Result, Any]:
    """Fit a learner in each order and judge the last; a failure is a result too."""
    learn, judge = arena.parts(model)
    if learn.weights is not None and not takes_weights(model):
        return Result(name, error=without_weights(model)), None
    rng = np.random.default_rng(random_state)
    asked = np.sort(rng.permutation(judge.n)[:_ASKED])
    probe = take(judge, asked)
    others: list[Array] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says whether it converged
        try:
            for number in range(1, orders):
                part = take(learn, rng.permutation(learn.n))
                other = fit_rows(_seeded(model, random_state + number), part)
                others.append(np.asarray(other.predict(probe.X)))
            fresh = _seeded(model, random_state)
            start = perf_counter()
            fit_rows(fresh, learn)
            took = perf_counter() - start
            predicted = np.asarray(fresh.predict(judge.X))
        except Warning:
            raise  # the user's filters made an error of it
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            return Result(name, error=reason), None
    accuracy, interval = share_right(judge, predicted == judge.y)
    same = predicted[asked]
    differ = float(np.mean([np.mean(other != same) for other in others])) if others else None
    inner = inner_of(fresh)
    mistakes, converged = (getattr(inner, a, None) for a in ("n_mistakes_", "converged_"))
    return Result(
        name=name,
        accuracy=accuracy,
        interval=interval,
        seconds=took,
        mistakes=None if mistakes is None else int(mistakes),
        converged=None if converged is None else bool(converged),
        result=result_of(fresh, differ),
        differ=differ,
    ), _whole(fresh, arena)


def _seeded(model: Any, seed: int) -> Any:
    """Return a fresh copy with this seed, if it takes one."""
    fresh = clone(model)
    seeds = [name for name in fresh.get_params() if name.split("__")[-1] == "random_state"]
    return fresh.set_params(**dict.fromkeys(seeds, seed))


def _whole(model: Any, arena: Arena) -> Any:
    """Return a pipeline that takes rows as they were given."""
    if isinstance(model, Pipeline):
        return model
    return Pipeline([("prepare", arena.preparation), ("model", model)])
