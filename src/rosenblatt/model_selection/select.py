"""Model selection in the lecture's four steps."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier
from sklearn.metrics import check_scoring, get_scorer_names
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from rosenblatt.evaluation.metrics import Interval
from rosenblatt.model_selection.grid import (
    Frozen,
    brief,
    full_names,
    near,
    settings_of,
)
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
        All settings in the order of the grid. ``pandas.DataFrame(report.table)`` is a data frame.
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

    @property
    def beats_guessing(self) -> bool | None:
        """Whether the chosen setting's score is above ``guess``; None if that is not known."""
        return None if self.guess is None else self.score > self.guess + SAME

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
        columns = [Column("setting"), Column("score", True), Column("± error", True)]
        rows = [[brief(s.params), _number(s.score), _number(s.error)] for s in settings]
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
        return f"{retrained} On {self.n_test:,} test rows, looked at once: {found}."


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
    cv : int or splitter, optional
        Judge by cross-validation with so many folds, or with those of a scikit-learn splitter. The
        default is 5 folds.
    test : float, int, pair (X_test, y_test) or None, default=0.2
        The share of the rows of X to set aside, or so many, or other rows. None: no test. They are
        drawn at random; if rows follow each other in time, give the last ones as a pair. A third
        item of the pair is the weights of those rows.
    scoring : str or callable, optional
        A score of scikit-learn's, more being better. The default is accuracy (R² of regressors).
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
    _check_scoring_name(scoring)
    if sample_weight is not None and not takes_weights(estimator):
        raise ValueError(f"{without_weights(estimator)}; leave it out, or choose another model")
    rows = as_part(check_table(X) if built else X, y, "", classify, sample_weight)
    learn, tested = _set_aside(rows, test, built, classify, random_state)
    if any(part is not None and part.weights is not None for part in (rows, tested)):
        check_weighted_scoring(scoring)
    model = prepare(estimator, learn.X, scale=scale) if built else estimator
    names = full_names(settings, model, built)
    judging = _judging(learn, rows.n, validation, cv, classify, random_state)
    accuracy = classify and scoring in (None, "accuracy")
    task = Task(model, learn, judging, scoring, accuracy)
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
    score, interval = _test(chosen, tested, scoring, accuracy)
    found = Selection(
        model=chosen,
        params=best.params,
        table=table,
        score=best.score,
        test_score=score,
        interval=interval,
        scoring="accuracy" if accuracy else _name(scoring),
        method=judging.method,
        n_train=judging.n_train,
        n_validation=judging.n_validation,
        n_test=0 if tested is None else tested.n,
        n_retrained=learn.n,
        guess=_guess(task) if classify else None,
        beyond=len(table) - len(settings),
        to_try=Frozen(further_values(table, task, names) if more else {}),
    )
    if found.beats_guessing is False:
        warnings.warn(no_better(found), UserWarning, stacklevel=2)
    return found


def _guess(task: Task) -> float | None:
    """Judge always naming the commonest class, as the settings were judged."""
    if not task.accuracy and task.scoring != "balanced_accuracy":
        return None  # always naming one class may be perfect, as by recall
    score, scores = check_scoring(task.model, scoring=task.scoring), []
    for rows, others in task.judging.folds:
        part, judge = take(task.learn, rows), take(task.learn, others)
        guesser = fit_rows(DummyClassifier(), part._replace(X=np.zeros((part.n, 1))))
        scores.append(score_rows(score, guesser, judge))
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
    cv = 5 if cv is None else cv
    if hasattr(cv, "split") and not isinstance(cv, str):
        splitter = cv
    elif isinstance(cv, bool) or not isinstance(cv, int | np.integer) or cv < 2:
        raise ValueError(f"cv must be a number of folds, 2 or more, or a splitter, got {cv!r}")
    elif classify:
        check_classes(learn.y, int(cv), f"cv={cv} wants one for each fold (test rows set aside)")
        splitter = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    elif cv > learn.n:
        raise ValueError(f"cv={cv} wants a row for each fold, and {learn.n} rows are left")
    else:
        splitter = KFold(int(cv), shuffle=True, random_state=random_state)
    folds = list(splitter.split(np.zeros((learn.n, 1)), learn.y))
    return Judging(folds, f"{len(folds)}-fold cross-validation", learn.n, learn.n)


def _test(
    model: Any, tested: Part | None, scoring: Any, accuracy: bool
) -> tuple[float | None, Interval | None]:
    """Step 4: judge the model by the test rows."""
    if tested is None:
        return None, None
    if accuracy:
        return share_right(tested, np.asarray(model.predict(tested.X)) == tested.y)
    return score_rows(check_scoring(model, scoring=scoring), model, tested), None


def _check_scoring_name(scoring: Any) -> None:
    if scoring is None or callable(scoring):
        return
    if not isinstance(scoring, str):
        raise ValueError(f"scoring must be the name of one score or a callable, got {scoring!r}")
    if scoring not in get_scorer_names():
        close = near(scoring, get_scorer_names())
        meant = f"; did you mean {close!r}?" if close else "."
        raise ValueError(
            f"scoring={scoring!r} is no score of scikit-learn's{meant} "
            "See sklearn.metrics.get_scorer_names()"
        )


def _name(scoring: Any) -> str:
    if scoring is None:
        return "R²"
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "your score")
