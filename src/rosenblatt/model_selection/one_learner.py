"""One learner of a comparison: fitted in several orders, timed, judged; in folds, on average."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import working_time
from rosenblatt.model_selection.comparison import Result
from rosenblatt.model_selection.grid import Frozen
from rosenblatt.model_selection.learners_to_compare import DIFFER, inner_of, is_exact, result_of
from rosenblatt.model_selection.prepare import preparation
from rosenblatt.model_selection.scoring import ACCURACY, Score, in_a_line, marks_of
from rosenblatt.model_selection.splits import Part, take
from rosenblatt.model_selection.weighted_fit import (
    commonest_class,
    fit_rows,
    share_right,
    takes_weights,
    without_weights,
)

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

    def whole(self, model: Any) -> Any:
        """Return a pipeline that takes rows as they were given."""
        if isinstance(model, Pipeline):
            return model
        return Pipeline([("prepare", self.preparation), ("model", model)])

    def guess(self) -> float:
        """Return the accuracy of always naming the commonest class of the rows learned from."""
        return share_right(self.judge, self.judge.y == commonest_class(self.learn))[0]


class Way(NamedTuple):
    """How each learner is run: in how many orders, from which seed, and by which scores."""

    orders: int
    seed: int
    scores: tuple[Score, ...]


def arena_of(learn: Part, judge: Part, scale: Any, raw: bool) -> Arena:
    """Make features of rows as the training rows say, unless left ``raw``."""
    step: Any = "passthrough"
    if not raw:
        step = clone(scale) if hasattr(scale, "transform") else preparation(learn.X, scale)
    if step == "passthrough":
        return Arena(learn, judge, learn, judge, step)
    features = learn._replace(X=step.fit_transform(learn.X))
    return Arena(learn, judge, features, judge._replace(X=step.transform(judge.X)), step)


def run_learner(name: str, model: Any, arena: Arena, way: Way) -> tuple[Result, Any]:
    """Fit a learner in each order and judge the last; a failure is a result too."""
    learn, judge = arena.parts(model)
    if learn.weights is not None and not takes_weights(model):
        return Result(name, error=without_weights(model)), None
    rng = np.random.default_rng(way.seed)
    asked = np.sort(rng.permutation(judge.n)[:_ASKED])
    probe = take(judge, asked)
    others: list[Array] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the table says whether it converged
        try:
            for number in range(1, way.orders):
                part = take(learn, rng.permutation(learn.n))
                other = fit_rows(_seeded(model, way.seed + number), part)
                others.append(np.asarray(other.predict(probe.X)))
            fresh = _seeded(model, way.seed)
            start = working_time()
            fit_rows(fresh, learn)
            took = working_time() - start
            predicted = np.asarray(fresh.predict(judge.X))
        except Warning:
            raise  # the user's filters made an error of it
        except Exception as error:
            return Result(name, error=in_a_line(error)), None
    accuracy, interval = share_right(judge, predicted == judge.y)
    same = predicted[asked]
    differ = float(np.mean([np.mean(other != same) for other in others])) if others else None
    inner = inner_of(fresh)
    mistakes, converged = (getattr(inner, a, None) for a in ("n_mistakes_", "converged_"))
    values, reasons = marks_of(way.scores, fresh, judge)
    return Result(
        name=name,
        accuracy=accuracy,
        interval=interval,
        seconds=took,
        mistakes=None if mistakes is None or is_exact(inner) else int(mistakes),
        converged=None if converged is None else bool(converged),
        result=result_of(fresh, differ),
        differ=differ,
        scores=Frozen(values or {ACCURACY: accuracy}),
        unscored=Frozen(reasons),
    ), arena.whole(fresh)


def fitted_to_all(name: str, model: Any, arena: Arena, way: Way) -> tuple[Result | None, Any]:
    """Fit a learner that was judged by folds to all rows; return a result if it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            fresh = fit_rows(_seeded(model, way.seed), arena.parts(model)[0])
        except Warning:
            raise
        except Exception as error:
            return Result(name, error=in_a_line(error)), None
    return None, arena.whole(fresh)


def mean_of(parts: Sequence[Result]) -> Result:
    """Return what the results of a learner in all folds come to."""
    name, failed = parts[0].name, next((part for part in parts if part.error), None)
    if failed is not None:
        return failed
    kinds = {part.result for part in parts}
    each = {score: tuple(part.scores[score] for part in parts) for score in parts[0].scores}
    return Result(
        name=name,
        accuracy=_mean([part.accuracy for part in parts]),
        seconds=_mean([part.seconds for part in parts]),
        mistakes=_mean([part.mistakes for part in parts]),
        converged=_all([part.converged for part in parts], all),
        result=kinds.pop() if len(kinds) == 1 else DIFFER if DIFFER in kinds else None,
        differ=_mean([part.differ for part in parts]),
        scores=Frozen({score: _mean(values) for score, values in each.items()}),
        standard_error=_all(next(iter(each.values())), _standard_error),
        fold_scores=Frozen(each),
        unscored=Frozen({k: why for part in parts for k, why in part.unscored.items()}),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    return _all(values, lambda known: float(np.mean(known)))  # type: ignore[no-any-return]


def _standard_error(scores: Sequence[float]) -> float | None:
    if len(scores) < 2:
        return None
    return float(np.std(scores, ddof=1) / len(scores) ** 0.5)


def _all(values: Sequence[Any], function: Callable[[Any], Any]) -> Any:
    """Return what a function makes of values; None if one is missing."""
    return None if None in values else function(values)


def _seeded(model: Any, seed: int) -> Any:
    """Return a fresh copy with this seed, if it takes one."""
    fresh = clone(model)
    seeds = [name for name in fresh.get_params() if name.split("__")[-1] == "random_state"]
    return fresh.set_params(**dict.fromkeys(seeds, seed))
