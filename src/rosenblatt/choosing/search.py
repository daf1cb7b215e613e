"""The search: every setting learned from some rows and judged by others."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV

from rosenblatt.choosing.frozen import Frozen
from rosenblatt.choosing.progress import progress
from rosenblatt.choosing.selection import Setting
from rosenblatt.choosing.splits import Part, take
from rosenblatt.data.rows import Array

_SAME = 1e-12  # means of the same counts differ by rounding only


class Judging(NamedTuple):
    """How settings are judged: by which rows in turn, in words, and how many rows of each kind."""

    folds: list[tuple[Array, Array]]
    method: str
    n_train: int
    n_validation: int


class Task(NamedTuple):
    """What is learned and judged: a model, the rows, how, and by what score."""

    model: Any
    learn: Part
    judging: Judging
    scoring: Any
    accuracy: bool


def judged(
    task: Task,
    settings: list[dict[str, Any]],
    names: dict[str, str],
    n_jobs: int | None,
    verbose: int,
) -> tuple[Setting, ...]:
    """Learn every setting and judge it; those that cannot be fitted have NaN for a score."""
    renamed = [{names[name]: value for name, value in s.items()} for s in settings]
    results = _search(task, renamed, n_jobs, verbose)
    folds = [results[f"split{k}_test_score"] for k in range(len(task.judging.folds))]
    table = []
    for number, params in enumerate(settings):
        scores = tuple(float(fold[number]) for fold in folds)
        mean = float(np.mean(scores))
        fitted = mean == mean
        table.append(
            Setting(
                params=Frozen(params),
                score=mean,
                error=_standard_error(scores, task) if fitted else None,
                seconds=float(results["mean_fit_time"][number]),
                scores=scores,
                reason="" if fitted else _why(task, renamed[number]),
            )
        )
    return tuple(table)


def first_best(table: tuple[Setting, ...]) -> int:
    """Return the number of the best setting, of equals the first."""
    scores = np.array([setting.score for setting in table])
    if np.isnan(scores).all():
        raise ValueError(f"no setting of the grid has a score: {table[0].reason}")
    return int(np.flatnonzero(scores >= np.nanmax(scores) - _SAME)[0])


def _search(
    task: Task, settings: list[dict[str, Any]], n_jobs: int | None, verbose: int
) -> dict[str, Any]:
    alone = n_jobs in (None, 1)
    score = check_scoring(task.model, scoring=task.scoring)
    with progress("select", len(settings) * len(task.judging.folds), verbose and alone) as tick:

        def ticking(fitted: Any, X: Any, y: Any) -> Any:
            tick()
            return score(fitted, X, y)

        search = GridSearchCV(
            task.model,
            [{name: [value] for name, value in setting.items()} for setting in settings],
            scoring=ticking if verbose and alone else task.scoring,
            cv=task.judging.folds,
            refit=False,
            n_jobs=n_jobs,
            verbose=0 if alone else verbose,
        )
        with _quiet():
            try:
                search.fit(task.learn.X, task.learn.y)
            except ValueError as error:
                if "fits failed" not in str(error):
                    raise
                why = _why(task, settings[0])
                raise ValueError(f"no setting of the grid could be fitted: {why}") from None
    return dict(search.cv_results_)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep back what the report says in other words, and nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FitFailedWarning)
        warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
        warnings.filterwarnings("ignore", "Scoring failed")
        yield


def _standard_error(scores: tuple[float, ...], task: Task) -> float | None:
    if len(scores) > 1:
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
    if not task.accuracy:
        return None
    return float(np.sqrt(scores[0] * (1 - scores[0]) / task.judging.n_validation))


def _why(task: Task, setting: dict[str, Any]) -> str:
    """Fit and judge a setting that failed once more, to hear why."""
    score = check_scoring(task.model, scoring=task.scoring)
    with _quiet():
        for rows, others in task.judging.folds:
            part, judge = take(task.learn, rows), take(task.learn, others)
            try:
                fitted = clone(task.model).set_params(**setting).fit(part.X, part.y)
            except Exception as error:
                return _in_a_line(error)
            try:
                score(fitted, judge.X, judge.y)
            except Exception as error:
                name = f"={task.scoring!r}" if isinstance(task.scoring, str) else ""
                return f"scoring{name} failed: {_in_a_line(error)}"
    return "its score is not a number"


def _in_a_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
