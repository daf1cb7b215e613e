"""Every setting of a grid, fitted and judged; and what lies beyond its edges."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.parallel import Parallel, delayed

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.params import check_params
from rosenblatt.kernels.jit import working_time
from rosenblatt.learner_registry import of_model
from rosenblatt.model_selection.grid import Frozen, next_value
from rosenblatt.model_selection.learners_to_compare import inner_of
from rosenblatt.model_selection.progress import progress
from rosenblatt.model_selection.scoring import Score, in_a_line, marks_of
from rosenblatt.model_selection.splits import Part, take
from rosenblatt.model_selection.weighted_fit import effective_rows, fit_rows

SAME = 1e-12  # means of the same counts differ by rounding only


@dataclass(frozen=True)
class Setting:
    """One setting of the grid, and how well it did on rows that it was not learned from.

    Attributes
    ----------
    params : mapping
        The parameters.
    score : float
        The mean of ``scores``; NaN if it could not be fitted or judged. Of several scores that were
        asked for it is the first, which ranks.
    error : float or None
        The standard error of ``score``: of folds, from how they differ; of one validation set, from
        its size, for accuracy only. Folds share rows, so take it as a hint.
    seconds : float
        The mean time of a fit, the preparation of features included.
    scores : tuple of float
        One for each fold, or one.
    reason : str
        Why it could not be fitted or judged, else empty.
    means : mapping of str to float or None
        The mean of each score that was asked for, by name; None if there is none.

    Examples
    --------
    >>> from rosenblatt import AveragedPerceptron, select
    >>> from rosenblatt.model_selection import corners
    >>> X, y = corners("and", copies=30, spread=0.2)
    >>> found = select(AveragedPerceptron(), {"max_iter": [1, 10]}, X, y, random_state=0)
    >>> for setting in found.table:
    ...     print(setting.params, setting.score > 0.75, len(setting.scores))
    {'max_iter': 1} True 5
    {'max_iter': 10} True 5
    """

    params: Mapping[str, Any]
    score: float
    error: float | None
    seconds: float = field(compare=False)
    scores: tuple[float, ...] = field(repr=False)
    reason: str = ""
    means: Mapping[str, float | None] = field(default_factory=Frozen, repr=False)


class Judging(NamedTuple):
    """How settings are judged: by which rows in turn, in words, and how many rows of each kind."""

    folds: list[tuple[Array, Array]]
    method: str
    n_train: int
    n_validation: int


class Task(NamedTuple):
    """What is learned and judged: a model, the rows, how, and by what scores."""

    model: Any
    learn: Part
    judging: Judging
    scores: tuple[Score, ...]
    accuracy: bool


class Attempt(NamedTuple):
    """One setting, fitted and judged once; ``reason`` says why it has no score.

    ``values`` are all scores that were asked for, by name.
    """

    score: float
    seconds: float
    reason: str = ""
    could_fit: bool = True
    values: Mapping[str, float | None] = Frozen()


def judged(
    task: Task,
    settings: list[dict[str, Any]],
    names: dict[str, str],
    n_jobs: int | None,
    verbose: int,
) -> tuple[Setting, ...]:
    """Learn every setting and judge it; those that cannot be fitted have NaN for a score."""
    renamed = [{names[name]: value for name, value in s.items()} for s in settings]
    table = []
    for params, attempts in zip(settings, _search(task, renamed, n_jobs, verbose), strict=True):
        scores = tuple(attempt.score for attempt in attempts)
        mean = float(np.mean(scores))
        table.append(
            Setting(
                params=Frozen(params),
                score=mean,
                error=_standard_error(scores, task) if mean == mean else None,
                seconds=float(np.mean([attempt.seconds for attempt in attempts])),
                scores=scores,
                reason=next((attempt.reason for attempt in attempts if attempt.reason), ""),
                means=Frozen({name: _mean(name, attempts) for name, _ in task.scores}),
            )
        )
    return tuple(table)


def _mean(name: str, attempts: list[Attempt]) -> float | None:
    values = [attempt.values.get(name) for attempt in attempts]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None


def first_best(table: tuple[Setting, ...]) -> int:
    """Return the number of the best setting, of equals the first."""
    scores = np.array([setting.score for setting in table])
    if np.isnan(scores).all():
        raise ValueError(f"no setting of the grid has a score: {table[0].reason}")
    return int(np.flatnonzero(scores >= np.nanmax(scores) - SAME)[0])


def further_values(table: tuple[Setting, ...], task: Task, names: dict[str, str]) -> dict[str, Any]:
    """Return the values one step beyond those of the best setting, where it is at an edge.

    It must be better than its neighbour inside, and the estimator must accept what is beyond.
    """
    best = table[first_best(table)]
    found = {}
    for name, value in best.params.items():
        if name.endswith("random_state"):
            continue
        step = next_value([s.params[name] for s in table if name in s.params], value)
        if step is None:
            continue
        inner = {**best.params, name: step[0]}
        worse = [s.score for s in table if s.params == inner and not s.reason]
        if worse and worse[0] < best.score - SAME:
            params = {**best.params, name: step[1]}
            if _accepted(task, {names[one]: given for one, given in params.items()}):
                found[name] = step[1]
    return found


def _accepted(task: Task, setting: dict[str, Any]) -> bool:
    """Say whether a setting is allowed, as far as that is known without fitting it."""
    model = inner_of(clone(task.model).set_params(**setting))
    try:
        if of_model(model) is not None:
            check_params(model)
        elif hasattr(model, "_parameter_constraints"):
            model._validate_params()  # scikit-learn's
    except ValueError:
        return False
    return True


def extended(
    table: tuple[Setting, ...], task: Task, names: dict[str, str], n_jobs: int | None, verbose: int
) -> tuple[Setting, ...]:
    """Add the settings one step beyond the best one, where it is at an edge."""
    best = table[first_best(table)].params
    more: list[dict[str, Any]] = [
        {**best, name: value} for name, value in further_values(table, task, names).items()
    ]
    if not more:
        return table
    try:
        added = judged(task, more, names, n_jobs, verbose)
    except ValueError:  # none could be fitted, so that is where the grid ends
        return table
    return (*table, *(setting for setting in added if not setting.reason))


def _search(
    task: Task, settings: list[dict[str, Any]], n_jobs: int | None, verbose: int
) -> list[list[Attempt]]:
    """Fit and judge every setting with every split."""
    folds = task.judging.folds
    work = [(setting, fold) for setting in settings for fold in folds]
    if n_jobs in (None, 1):
        found = []
        with progress("fitting", len(work), verbose) as tick:
            for setting, fold in work:
                found.append(_attempt(task, setting, fold))
                tick()
    else:
        found = Parallel(n_jobs=n_jobs, verbose=verbose)(
            delayed(_attempt)(task, setting, fold) for setting, fold in work
        )
    if not any(attempt.could_fit for attempt in found):
        raise ValueError(f"no setting of the grid could be fitted: {found[0].reason}")
    return [found[start : start + len(folds)] for start in range(0, len(found), len(folds))]


def _attempt(task: Task, setting: dict[str, Any], fold: tuple[Array, Array]) -> Attempt:
    """Fit a setting to some rows, and judge it by others."""
    part, judge = (take(task.learn, rows) for rows in fold)
    start = working_time()
    with _quiet():
        try:
            model = fit_rows(clone(task.model).set_params(**setting), part)
        except Exception as error:
            return Attempt(np.nan, working_time() - start, in_a_line(error), could_fit=False)
        took = working_time() - start
        values, reasons = marks_of(task.scores, model, judge)
    ranks = task.scores[0].name
    score, reason = values[ranks], reasons.get(ranks)
    if score is None:
        return Attempt(np.nan, took, f"scoring={ranks!r} failed: {reason}", values=values)
    return Attempt(score, took, values=values)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep back what the report says in other words, and nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _standard_error(scores: tuple[float, ...], task: Task) -> float | None:
    if len(scores) > 1:
        return float(np.std(scores, ddof=1) / np.sqrt(len(scores)))
    if not task.accuracy:
        return None
    n = effective_rows(take(task.learn, task.judging.folds[0][1]))
    return float(np.sqrt(scores[0] * (1 - scores[0]) / n))
