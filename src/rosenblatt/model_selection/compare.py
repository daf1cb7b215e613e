"""Every classifier on the same rows: one split, or the same folds."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.model_selection.comparison import Comparison, Result
from rosenblatt.model_selection.folds import Folds, folds_of
from rosenblatt.model_selection.grid import Frozen
from rosenblatt.model_selection.learners_to_compare import asked_for, roster
from rosenblatt.model_selection.one_learner import (
    Arena,
    Way,
    arena_of,
    fitted_to_all,
    mean_of,
    run_learner,
)
from rosenblatt.model_selection.prepare import check_table, described
from rosenblatt.model_selection.progress import progress
from rosenblatt.model_selection.scoring import ACCURACY, asked_scores, scores_of
from rosenblatt.model_selection.splits import (
    Part,
    as_part,
    check_classes,
    check_few_labels,
    check_test_pair,
    hold_out,
    take,
)
from rosenblatt.model_selection.weighted_fit import check_weighted_scoring


def compare(
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    models: Any = None,
    test: Any = 0.3,
    cv: Any = None,
    scoring: Any = None,
    scale: Any = True,
    orders: int = 2,
    random_state: int = 0,
    verbose: int = 0,
) -> Comparison:
    """Run every classifier of the library under the same split, and set the results side by side.

    All learn from the same rows with the same features, made as :func:`rosenblatt.prepare` says,
    and are judged by the same other rows; with ``cv``, by those of each fold in turn. A learner
    that cannot be fitted to the data is left out of the table, with the reason below it.

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
    cv : int, splitter or iterable, optional
        Judge by cross-validation instead: with so many folds, dealt at random with their part of
        each class; or with those of a scikit-learn splitter; or with pairs of the numbers of rows
        to learn from and of rows that judge. In the end each learner is fitted to all rows.
    scoring : str, callable, or list or mapping of such, optional
        Scores of scikit-learn's, such as ["balanced_accuracy", "roc_auc", "f1", "neg_log_loss"],
        more being better. The first one ranks; the default is accuracy. Scores of one class, such
        as "f1", are those of the label 1, or if neither of two labels is 1 of the second one. A
        learner without probabilities has no score that needs them, unless it is calibrated.
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
    >>> rare = [[-2.0], [-1.0], [0.0], [1.0], [2.0], [3.0], [9.0], [8.0]], [0, 0, 0, 0, 0, 0, 1, 1]
    >>> found = compare(*rare, cv=2, scoring=["balanced_accuracy", "roc_auc"])
    >>> found.n_folds, found["Perceptron"].scores["roc_auc"]
    (2, 1.0)
    """
    if isinstance(orders, bool) or not isinstance(orders, int | np.integer) or orders < 1:
        raise ValueError(f"orders must be a whole number, 1 or more, got {orders!r}")
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer):
        raise ValueError(f"random_state must be a whole number, got {random_state!r}")
    if cv is not None and not (isinstance(test, float) and test == 0.3):
        raise ValueError("test and cv are two ways to judge; give one of them")
    given, asked = {} if models is None else asked_for(models), asked_scores(scoring)
    raw = bool(given) and all(isinstance(model, Pipeline) for model in given.values())
    rows = as_part(X if raw else check_table(X), y, sample_weight=sample_weight)
    if rows.weights is not None:
        for one in asked.values():
            check_weighted_scoring(one)
    check_few_labels(rows.y)
    check_classes(rows.y, 1, "")
    way = Way(int(orders), int(random_state), scores_of(asked, np.unique(rows.y)))

    def arena(learn: Part, judge: Part) -> Arena:
        return arena_of(learn, judge, scale, raw)

    setting = _Setting(rows, given, arena, way, verbose)
    if cv is None:
        return _once(setting, *_parts(rows, test, raw, way.seed))
    return _in_turns(setting, folds_of(rows, cv, True, way.seed))


class _Setting(NamedTuple):
    """What is compared on which rows: ``given`` is empty for all of the library's learners."""

    rows: Part
    given: dict[str, Any]
    arena: Callable[[Part, Part], Arena]
    way: Way
    verbose: int

    def learners(self, arena: Arena) -> dict[str, Any]:
        """Return the learners by name."""
        return self.given or roster(arena.learn.X, arena.features.X)


def _once(setting: _Setting, learn: Part, judge: Part) -> Comparison:
    """Judge all learners by the same rows, once."""
    arena = setting.arena(learn, judge)
    learners = setting.learners(arena)
    results, fitted = [], {}
    with progress("compare", len(learners), setting.verbose) as tick:
        for name, model in learners.items():
            result, ready = run_learner(name, model, arena, setting.way)
            results.append(result)
            if ready is not None:
                fitted[name] = ready
            tick(name)
    found = _found(arena, results, fitted, setting.way)
    return replace(found, judged_on="training" if learn is judge else "test")


def _in_turns(setting: _Setting, folds: Folds) -> Comparison:
    """Judge all learners by each fold in turn, and fit them to all rows in the end."""
    rows, way = setting.rows, setting.way
    whole = setting.arena(rows, rows)
    learners = setting.learners(whole)
    parts: dict[str, list[Result]] = {name: [] for name in learners}
    guesses, fitted = [], {}
    with progress("compare", len(learners) * (len(folds) + 1), setting.verbose) as tick:
        for learn, judge in folds:
            arena = setting.arena(take(rows, learn), take(rows, judge))
            guesses.append(arena.guess())
            for name, model in learners.items():
                parts[name].append(run_learner(name, model, arena, way)[0])
                tick(name)
        for name, model in learners.items():
            if not any(part.error for part in parts[name]):
                failed, ready = fitted_to_all(name, model, whole, way)
                if failed is None:
                    fitted[name] = ready
                else:
                    parts[name].append(failed)
            tick(name)
    found = _found(whole, [mean_of(each) for each in parts.values()], fitted, way)
    return replace(found, judged_on="folds", n_folds=len(folds), guess=float(np.mean(guesses)))


def _found(arena: Arena, results: list[Result], fitted: dict[str, Any], way: Way) -> Comparison:
    width = _width(arena.features.X)
    two = width == _width(arena.judge.X) == 2
    return Comparison(
        table=tuple(results),
        models=Frozen(fitted),
        n_train=arena.learn.n,
        n_test=arena.judge.n,
        judged_on="test",
        n_features=width,
        n_classes=len(np.unique(arena.learn.y)),
        guess=arena.guess(),
        X=arena.judge.X if two else None,
        y=arena.judge.y if two else None,
        notes=described(arena.preparation),
        scoring=tuple(score.name for score in way.scores) or (ACCURACY,),
    )


def _width(X: Any) -> int | None:
    """Count the columns; None if rows have none, as texts."""
    shape = X.shape[1:] if hasattr(X, "shape") else np.shape(X[0])
    return int(shape[0]) if len(shape) == 1 else None


def _parts(rows: Part, test: Any, raw: bool, random_state: int) -> tuple[Part, Part]:
    """Return the rows to learn from, and those that judge."""
    if test is None:
        return rows, rows
    if isinstance(test, tuple | list):
        given = check_test_pair(test, rows, classify=True)
        return rows, given if raw else given._replace(X=check_table(given.X))
    learn, judge, _ = hold_out(rows, test, "test", stratify=True, random_state=random_state)
    return learn, judge
