"""Every classifier under the same split."""

import warnings
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.choosing.comparison import Comparison, Result
from rosenblatt.choosing.facts import inner_of, result_of
from rosenblatt.choosing.frozen import Frozen
from rosenblatt.choosing.intervals import wilson
from rosenblatt.choosing.prepare import check_table, preparation
from rosenblatt.choosing.progress import progress
from rosenblatt.choosing.roster import asked_for, roster
from rosenblatt.choosing.splits import Part, as_part, check_classes, check_test_pair, hold_out, take
from rosenblatt.data.rows import Array

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
    models: Any = None,
    test: Any = 0.3,
    scale: bool = True,
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
    models : list or mapping, optional
        Classifiers, or names of Rosenblatt's, to compare instead of all of these. Pipelines get the
        rows as they are; if all are pipelines, anything that has rows will do, such as a list of
        texts. Unless named, the kernel perceptron is left out, whose time grows with rows times
        mistakes, and of sparse features by the thousand the linear discriminant.
    test : float, int, pair (X_test, y_test) or None, default=0.3
        The share of rows to judge by (with its part of each class), or so many, or other rows. None
        judges by the training rows themselves, as the lecture does with OR, AND and XOR.
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
    :class:`~rosenblatt.choosing.Comparison`
        Prints as a table; ``plot()`` draws the boundaries if there are two features.

    Examples
    --------
    >>> from rosenblatt import compare
    >>> from rosenblatt.choosing import corners
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
    rows = as_part(X if raw else check_table(X), y)
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
    classes, counts = np.unique(arena.learn.y, return_counts=True)
    width = _width(arena.features.X)
    two = width == _width(arena.judge.X) == 2
    return Comparison(
        results=tuple(results),
        models=Frozen(fitted),
        n_train=arena.learn.n,
        n_test=arena.judge.n,
        judged_on="training" if test is None else "test",
        n_features=width,
        n_classes=len(classes),
        guess=float(np.mean(arena.judge.y == classes[counts.argmax()])),
        X=arena.judge.X if two else None,
        y=arena.judge.y if two else None,
    )


def _width(X: Any) -> int | None:
    """Count the columns; None if rows have none, as texts."""
    shape = X.shape[1:] if hasattr(X, "shape") else np.shape(X[0])
    return int(shape[0]) if len(shape) == 1 else None


def _arena(rows: Part, test: Any, scale: bool, raw: bool, random_state: int) -> Arena:
    """Split the rows, and make features of them as the training rows say, unless left ``raw``."""
    check_classes(rows.y, 1, "")
    if test is None:
        learn, judge = rows, rows
    elif isinstance(test, tuple | list):
        given = check_test_pair(test, rows, classify=True)
        learn, judge = rows, given if raw else given._replace(X=check_table(given.X))
    else:
        learn, judge, _ = hold_out(rows, test, "test", stratify=True, random_state=random_state)
    step: Any = "passthrough" if raw else preparation(learn.X, scale)
    if step == "passthrough":
        return Arena(learn, judge, learn, judge, step)
    features = learn._replace(X=step.fit_transform(learn.X))
    return Arena(learn, judge, features, judge._replace(X=step.transform(judge.X)), step)


def _run(name: str, model: Any, arena: Arena, orders: int, random_state: int) -> tuple[Result, Any]:
    """Fit a learner in each order and judge the last; a failure is a result too."""
    learn, judge = arena.parts(model)
    rng = np.random.default_rng(random_state)
    asked = np.sort(rng.permutation(judge.n)[:_ASKED])
    probe = take(judge, asked)
    others: list[Array] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says whether it converged
        try:
            for number in range(1, orders):
                part = take(learn, rng.permutation(learn.n))
                other = _seeded(model, random_state + number).fit(part.X, part.y)
                others.append(np.asarray(other.predict(probe.X)))
            fresh = _seeded(model, random_state)
            start = perf_counter()
            fresh.fit(learn.X, learn.y)
            took = perf_counter() - start
            predicted = np.asarray(fresh.predict(judge.X))
        except Warning:
            raise  # the user's filters made an error of it
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            return Result(name, error=reason), None
    right = int(np.count_nonzero(predicted == judge.y))
    same = predicted[asked]
    differ = float(np.mean([np.mean(other != same) for other in others])) if others else None
    inner = inner_of(fresh)
    mistakes, converged = (getattr(inner, a, None) for a in ("n_mistakes_", "converged_"))
    return Result(
        name=name,
        accuracy=right / judge.n,
        interval=wilson(right, judge.n),
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
