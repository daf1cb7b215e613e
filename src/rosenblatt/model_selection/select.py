"""Model selection in the lecture's four steps."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline

from rosenblatt.evaluation.metrics import Interval
from rosenblatt.model_selection.data_frames import as_frame
from rosenblatt.model_selection.folds import folds_of, lists_rows
from rosenblatt.model_selection.grid import Frozen, brief, full_names, settings_of
from rosenblatt.model_selection.grid_search import (
    SAME,
    Judging,
    Setting,
    Task,
    extended,
    first_best,
    further_values,
    judged,
)
from rosenblatt.model_selection.prepare import check_estimator, check_table, prepare
from rosenblatt.model_selection.scoring import ACCURACY, Score, asked_scores, marks_of, scores_of
from rosenblatt.model_selection.splits import (
    Part,
    as_part,
    check_few_labels,
    check_test_pair,
    hold_out,
    take,
)
from rosenblatt.model_selection.table_layout import (
    Column,
    html_table,
    paragraph,
    percent,
    seconds,
    text_table,
)
from rosenblatt.model_selection.weighted_fit import (
    check_weighted_scoring,
    fit_rows,
    score_rows,
    share_right,
    takes_weights,
    without_weights,
)

_SHOWN = 12
_ASIDE = " (test rows set aside)"


@dataclass(frozen=True, repr=False)
class Selection:
    """What `select` found: the chosen setting, its model, and how well it does on unseen rows.

    Attributes
    ----------
    model : fitted estimator
        Learned with the chosen setting from all rows but the test rows. A pipeline, which makes the
        features first.
    params : mapping
        The chosen setting, by the names that the grid used.
    table : tuple of :class:`Setting`
        All settings in the order of the grid.
    score : float
        The chosen setting's validation score. It is too rosy: that setting was chosen for it.
    test_score : float or None
        The score on the test rows, which nothing else has seen.
    interval : (low, high) or None
        Wilson's 95 % interval of the test accuracy; None for other scores.
    scoring : str
        What the scores are.
    method : str
        How the settings were judged.
    n_train, n_validation, n_test : int
        Rows learned from while choosing, rows that judged the settings (in cross-validation the
        same rows, in turns), and rows that judged the model in the end.
    n_retrained : int
        Rows that the model was learned from in the end.
    guess : float or None
        The validation score of always naming the commonest class of the rows learned from. None
        for scores other than accuracy and balanced accuracy.
    beyond : int
        How many settings of the table are not in the grid: ``extend`` added them.
    test_scores : mapping of str to float or None
        All scores that were asked for, on the test rows; None where the model has none.
    to_try : mapping
        Values that may be better still: for each parameter of which the chosen value is the largest
        or smallest that was tried, and better than its neighbour, one step further.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, select
    >>> from rosenblatt.model_selection import corners
    >>> X, y = corners("and", copies=30, spread=0.2)
    >>> found = select(AveragedPerceptron(), {"max_iter": [1, 10]}, X, y, random_state=0)
    >>> found.n_train, found.n_validation, found.n_test, found.test_score > 0.75
    (96, 96, 24, True)
    """

    model: Any = field(compare=False)
    params: Mapping[str, Any]
    table: tuple[Setting, ...]
    score: float
    test_score: float | None
    interval: Interval | None
    scoring: str
    method: str
    n_train: int
    n_validation: int
    n_test: int
    n_retrained: int
    guess: float | None = None
    beyond: int = 0
    to_try: Mapping[str, Any] = field(default_factory=Frozen)
    test_scores: Mapping[str, float | None] = field(default_factory=Frozen)

    @property
    def beats_guessing(self) -> bool | None:
        """Whether the chosen setting's score is above ``guess``; None if that is not known."""
        return None if self.guess is None else self.score > self.guess + SAME

    @property
    def results(self) -> Any:
        """All settings as a pandas data frame, the best first.

        Its columns are the parameters, as ``param_…``, the scores by their names, the standard
        error of the first one, the seconds of a fit, and why a setting has no score.
        """
        names = dict.fromkeys(name for setting in self.table for name in setting.params)
        return as_frame(
            {
                **{f"param_{name}": setting.params.get(name) for name in names},
                **setting.means,
                "standard_error": setting.error,
                "seconds": setting.seconds,
                "reason": setting.reason,
            }
            for setting in self._ranked()
        )

    def __str__(self) -> str:
        ranked = self._ranked()
        columns, rows = self._cells(ranked[:_SHOWN])
        parts = [paragraph(self._opening(), "  "), "", text_table(columns, rows)]
        if len(ranked) > _SHOWN:
            parts.append(f"… and {len(ranked) - _SHOWN} more settings in .table")
        parts += [
            paragraph(f"{brief(setting.params)} could not be fitted: {setting.reason}", "  ")
            for setting in self.table
            if setting.reason
        ][:3]
        parts += [paragraph(note, "  ") for note in self._notes()]
        return "\n".join([*parts, "", paragraph(self._verdict(), "  ")])

    __repr__ = __str__  # what a prompt shows

    def _repr_html_(self) -> str:
        columns, rows = self._cells(self._ranked(), times=True)
        table = html_table(self._opening(), columns, rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f"{table}{notes}<p>{escape(self._verdict())}</p>"

    def _notes(self) -> list[str]:
        notes = []
        if self.beyond:
            more = "one setting was" if self.beyond == 1 else f"{self.beyond} settings were"
            notes.append(f"The best was at the edge of the grid, so {more} tried beyond it.")
        for name, further in self.to_try.items():
            most = "largest" if further > self.params[name] else "smallest"
            notes.append(
                f"{brief({name: self.params[name]})} is the {most} value that was tried: "
                f"{brief({name: further})} may be better still."
            )
        return [*notes, no_better(self)] if self.beats_guessing is False else notes

    def _ranked(self) -> list[Setting]:
        """Return the settings from best to worst; the chosen one is the first of the best."""
        return sorted(self.table, key=lambda s: (s.reason != "", s.params != self.params, -s.score))

    def _opening(self) -> str:
        return (
            f"Chosen: {brief(self.params)}. Best of {len(self.table)} by {self.method}, judged by "
            f"{self.scoring}."
        )

    def _cells(
        self, settings: list[Setting], times: bool = False
    ) -> tuple[list[Column], list[list[str]]]:
        others = list(self.table[0].means)[1:]
        first = self.scoring if others else "score"
        columns = [Column("setting"), Column(first, True), Column("± error", True)]
        columns += [Column(name, True) for name in others]
        rows = [
            [brief(s.params), *map(_number, (s.score, s.error, *map(s.means.get, others)))]
            for s in settings
        ]
        if times:  # they differ from run to run, and the text does not
            columns.append(Column("fit time", True))
            rows = [[*r, seconds(s.seconds)] for r, s in zip(rows, settings, strict=True)]
        return columns, rows

    def _verdict(self) -> str:
        retrained = f"Retrained on {self.n_retrained:,} rows."
        if self.test_score is None:
            return (
                f"{retrained} No test rows were set aside, so nothing is known yet of new ones: "
                f"the {self.score:.4g} above is too rosy."
            )
        if self.interval is None:
            found = f"{self.scoring} {self.test_score:.4g}"
        else:
            low, high = self.interval
            found = (
                f"{percent(self.test_score)}% right, {100 * (1 - self.test_score):.1f}% wrong; 95% "
                f"interval of the accuracy {percent(low)}–{percent(high)}%"
            )
        others = [f"; {name} {value:.4g}" for name, value in self._other_tests()]
        rows = f"On {self.n_test:,} test rows, looked at once"
        return f"{retrained} {rows}: {found}{''.join(others)}."

    def _other_tests(self) -> list[tuple[str, float]]:
        """Return the scores on test rows but the first, where there are any."""
        pairs = list(self.test_scores.items())[1:]
        return [(name, value) for name, value in pairs if value is not None]


def no_better(found: Selection) -> str:
    """Say that a selection has found nothing."""
    return (
        f"No setting beats the majority class: always predicting it has {found.scoring} "
        f"{found.guess:.4g}, and the best setting {found.score:.4g}. Try other features, another "
        "learner, or a wider grid."
    )


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.4f}"


def select(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    validation: float | None = None,
    cv: Any = None,
    test: Any = 0.2,
    scoring: Any = None,
    scale: bool = True,
    extend: int = 0,
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Selection:
    """Choose an estimator's parameters, and find out once how good the choice is.

    1. Set test rows aside.
    2. Learn every setting from training rows, and judge it by validation rows; or cross-validate.
    3. Choose the best, and learn it anew from training and validation rows together.
    4. Judge that model by the test rows, once.

    Of equally good settings the first of the grid is chosen, so list the simplest first. The rows
    keep their share of each class in every part. A warning says so if no setting is better than
    always predicting the majority class.

    Parameters
    ----------
    estimator : estimator
        Any of scikit-learn's manners. Unless it is a pipeline, :func:`rosenblatt.prepare` puts one
        around it, so that categories become features and numbers are standardised without a look
        at rows held out.
    grid : mapping, or list of mappings
        The values to try for each parameter. All combinations are tried.
    X : data frame, array or sparse matrix of shape (n_samples, n_features)
        The rows. A pipeline may take anything that has rows, such as a list of texts.
    y : array of shape (n_samples,)
        Their labels; numbers if the estimator is a regressor.
    sample_weight : array of shape (n_samples,), optional
        How much each row counts, in learning and in judging. Means and deviations, with which
        numbers are standardised, are those of all rows alike.
    validation : float or int, optional
        Judge by this share of the rows of X (or so many), held out once.
    cv : int, splitter or iterable, optional
        Judge by cross-validation with so many folds, or with those of a scikit-learn splitter, or
        with pairs of the numbers of rows to learn from and of rows that judge. These are rows of X,
        so that none can be set aside at random. The default is 5 folds.
    test : float, int, pair (X_test, y_test) or None, default=0.2
        The share of the rows of X to set aside, or so many, or other rows. None: no test. They are
        drawn at random; if rows follow each other in time, give the last ones as a pair. A third
        item of the pair is the weights of those rows.
    scoring : str, callable, or list or mapping of such, optional
        A score of scikit-learn's, such as "balanced_accuracy", more being better. Of several the
        first one chooses, and the report has all. The default is accuracy (R² of regressors).
        Scores of one class, such as "f1", are those of the label 1, or if neither of two labels is
        1 of the second one.
    scale : bool, default=True
        Standardise numbers; plays no part if the estimator is a pipeline.
    extend : int, default=0
        If the best value of a parameter is the largest or smallest of the grid, try values beyond
        it, up to so many steps. With 0 the report says which value to try.
    random_state : int, default=0
        Seed of the parts. The same seed gives the same report.
    n_jobs : int, optional
        How many processes to use; -1 is one for each core.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    :class:`~rosenblatt.model_selection.Selection`
        The model, the chosen parameters, all settings with their scores, and the test score.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rosenblatt import BatchPerceptron, select
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"learning_rate": ["constant", "inverse"]}
    >>> report = select(BatchPerceptron(max_iter=300, tol=None), grid, X, y, validation=0.2)
    >>> report.n_train, report.n_validation, report.n_test
    (341, 114, 114)
    >>> len(report.table), report.test_score > 0.9
    (2, True)
    """
    if isinstance(extend, bool) or not isinstance(extend, int | np.integer) or extend < 0:
        raise ValueError(f"extend must be a whole number, 0 or more, got {extend!r}")
    if validation is not None and cv is not None:
        raise ValueError("validation and cv are two ways to judge; give one of them")
    check_estimator(estimator)
    classify = is_classifier(estimator)
    built = not isinstance(estimator, Pipeline)
    settings = settings_of(grid)
    asked = asked_scores(scoring)
    if sample_weight is not None and not takes_weights(estimator):
        raise ValueError(f"{without_weights(estimator)}; leave it out, or choose another model")
    rows = as_part(check_table(X) if built else X, y, "", classify, sample_weight)
    if classify:
        check_few_labels(rows.y)
    _check_listed_rows(cv, test)
    learn, tested = _set_aside(rows, test, built, classify, random_state)
    if any(part is not None and part.weights is not None for part in (rows, tested)):
        for one in asked.values():
            check_weighted_scoring(one)
    model = prepare(estimator, learn.X, scale=scale) if built else estimator
    names = full_names(settings, model, built)
    judging = _judging(learn, rows.n, validation, cv, classify, random_state)
    scores = scores_of(asked, np.unique(rows.y) if classify else None)
    if not scores:
        scores = (Score(ACCURACY if classify else "R²", check_scoring(model)),)
    accuracy = classify and (not asked or next(iter(asked.values())) == ACCURACY)
    task = Task(model, learn, judging, scores, accuracy)
    table = judged(task, settings, names, n_jobs, verbose)
    more = True
    for _ in range(extend):
        before = len(table)
        table = extended(table, task, names, n_jobs, verbose)
        more = len(table) > before
        if not more:
            break  # nothing lies beyond, or it was refused
    best = table[first_best(table)]
    chosen = clone(model).set_params(**{names[name]: best.params[name] for name in best.params})
    fit_rows(chosen, learn)
    marks, interval = _test(chosen, tested, task)
    found = Selection(
        model=chosen,
        params=best.params,
        table=table,
        score=best.score,
        test_score=marks.get(scores[0].name),
        interval=interval,
        scoring=scores[0].name,
        method=judging.method,
        n_train=judging.n_train,
        n_validation=judging.n_validation,
        n_test=0 if tested is None else tested.n,
        n_retrained=learn.n,
        guess=_guess(task) if classify else None,
        beyond=len(table) - len(settings),
        to_try=Frozen(further_values(table, task, names) if more else {}),
        test_scores=Frozen(marks),
    )
    if found.beats_guessing is False:
        warnings.warn(no_better(found), UserWarning, stacklevel=2)
    return found


def _guess(task: Task) -> float | None:
    """Judge always naming the commonest class, as the settings were judged."""
    ranks, scores = task.scores[0], []
    if not task.accuracy and ranks.name != "balanced_accuracy":
        return None  # always naming one class may be perfect, as by recall
    for rows, others in task.judging.folds:
        part, judge = take(task.learn, rows), take(task.learn, others)
        guesser = fit_rows(DummyClassifier(), part._replace(X=np.zeros((part.n, 1))))
        scores.append(score_rows(ranks.function, guesser, judge))
    return float(np.mean(scores))


def _set_aside(
    rows: Part, test: Any, built: bool, classify: bool, random_state: Any
) -> tuple[Part, Part | None]:
    """Step 1: part the rows that judge the model in the end from all others."""
    if test is None:
        return rows, None
    if isinstance(test, tuple | list):
        part = check_test_pair(test, rows, classify)
        return rows, part._replace(X=check_table(part.X)) if built else part
    learn, tested, _ = hold_out(rows, test, "test", stratify=classify, random_state=random_state)
    return learn, tested


def _judging(
    learn: Part, n: int, validation: Any, cv: Any, classify: bool, random_state: Any
) -> Judging:
    """Step 2: say which rows judge, and which are learned from meanwhile."""
    if validation is not None:
        rest, held, aside = hold_out(
            learn, validation, "validation", of=n, stratify=classify, random_state=random_state
        )
        others = np.setdiff1d(np.arange(learn.n), aside)
        method = f"{held.n:,} validation rows"
        return Judging([(others, aside)], method, rest.n, held.n)
    folds = folds_of(learn, 5 if cv is None else cv, classify, random_state, _ASIDE)
    return Judging(folds, f"{len(folds)}-fold cross-validation", learn.n, learn.n)


def _check_listed_rows(cv: Any, test: Any) -> None:
    """Raise ``ValueError`` if rows of X are listed of which some would be set aside."""
    if lists_rows(cv) and test is not None and not isinstance(test, tuple | list):
        raise ValueError(
            f"cv lists rows of X, and test={test} would set some of these aside; use test=None, or "
            "give the test rows as a pair (X_test, y_test)"
        )


def _test(
    model: Any, tested: Part | None, task: Task
) -> tuple[dict[str, float | None], Interval | None]:
    """Step 4: judge the model by the test rows."""
    if tested is None:
        return {}, None
    if not task.accuracy:
        values, reasons = marks_of(task.scores, model, tested)
        if (reason := reasons.get(task.scores[0].name)) is not None:
            raise ValueError(f"the test rows cannot be scored: {reason}")
        return values, None
    share, interval = share_right(tested, np.asarray(model.predict(tested.X)) == tested.y)
    others = marks_of(task.scores[1:], model, tested).values
    return {task.scores[0].name: share, **others}, interval
