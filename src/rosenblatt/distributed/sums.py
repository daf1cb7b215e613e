"""Learners that need sums over all rows alone: on a cluster what they are on one machine.

Closed forms take one round: each shard's sums, merged in a tree. The batch perceptron and gradient
descent with all rows in a batch take a round for each move: the shards' gradients are added up, and
the step is made here. The results are those of one machine, to rounding.
"""

from collections.abc import Callable, Generator, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import (
    Array,
    Rows,
    as_matrix,
    n_rows,
    stack,
    take,
    usable,
    weights_or_empty,
)
from rosenblatt.distributed.arrays import Shape, Shard
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.mixing import in_tree
from rosenblatt.distributed.online import first_state
from rosenblatt.estimators._base.checks import warn_of_running_out
from rosenblatt.estimators._base.closed_form import Given
from rosenblatt.estimators._base.default_steps import _SAMPLE, _SAMPLE_ENTRIES, Target, rate_of
from rosenblatt.estimators._base.descent_passes import (
    Plan,
    StopByLoss,
    check_loss,
    passes_for_loss,
)
from rosenblatt.estimators._base.start import Task
from rosenblatt.kernels.losses import loss_along
from rosenblatt.learners import batch, descent, full_batch_descent, online
from rosenblatt.learners.full_batch_descent import Slope
from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.learners.products import Matrix
from rosenblatt.passes import (
    Following,
    History,
    PassEnd,
    StopByMistakes,
    passes_to_wait,
    run_passes,
)

Sums = tuple[Any, ...]


def add(left: Sums, right: Sums) -> Sums:
    """Add two tuples of sums, number by number."""
    return tuple(a + b for a, b in zip(left, right, strict=True))


def total(cluster: Cluster, what: str, function: Any, shards: Sequence[Any], *args: Any) -> Sums:
    """Return the sum of a function over shards; ``args`` are published once."""
    with cluster.tasks(what) as tasks:
        given = tasks.later("publish", tuple, args)
        parts = [tasks.later("sum", function, shard, given) for shard in shards]
        root = in_tree(parts, partial(tasks.later, "add", add))
        (found,) = tasks.results(*tasks.start(root))
        return found  # type: ignore[no-any-return]


def fit_closed_form(cluster: Cluster, estimator: Any, shape: Shape, shards: Sequence[Any]) -> None:
    """Merge the sums of all shards, and make the model of them."""
    if isinstance(getattr(estimator, "shrink_threshold", None), str):
        raise ValueError(
            "shrink_threshold='cv' goes through the rows once for each fold; give a number on a "
            "cluster"
        )
    if getattr(estimator, "covariance_estimator", None) is not None:
        raise ValueError(
            "covariance_estimator needs all rows of a class in one place; set shrinkage instead on "
            "a cluster"
        )
    learner = copy(estimator)
    learner.classes_, learner.n_features_in_ = shape.classes, shape.columns
    with cluster.tasks("adding up") as tasks:
        parts = [tasks.submit("learn", sums_of, learner, shard) for shard in shards]
        (state,) = tasks.results(
            in_tree(parts, partial(tasks.submit, "merge", merge_sums, learner))
        )
    if hasattr(estimator, "metric") and estimator.metric != "euclidean":
        estimator._dtype = np.dtype(shape.dtype)
    estimator._finish(state)
    estimator._state = state


def sums_of(learner: Any, shard: Shard | None) -> Any:
    """Return a shard's sums; None if it is empty."""
    if shard is None:
        return None
    alone = copy(learner)
    alone._finish = lambda state: None  # a shard may lack a class, so there is no model of it
    rows = usable(shard.rows)
    alone._learn(
        alone._fresh(as_matrix(rows, learner.n_features_in_)),
        Given(rows, shard.codes, shard.weights),
    )
    return alone._state


def merge_sums(learner: Any, left: Any, right: Any) -> Any:
    """Merge the sums of two groups of shards."""
    if left is None or right is None:
        return right if left is None else left
    return learner._learner.merge([left, right])


def total_weight(shape: Shape) -> float:
    """Return the weight of all rows."""
    if shape.weights is None:
        return float(shape.counts.sum())
    each = [shape.weights.get(label, 1.0) for label in shape.classes.tolist()]
    return float(np.dot(shape.counts, each))


def fit_batch(cluster: Cluster, estimator: Any, shape: Shape, shards: Sequence[Any]) -> None:
    """Add up the mistakes of all shards, then move once; until none are left."""
    if estimator.learning_rate == "line_search":
        raise ValueError(
            "learning_rate='line_search' needs the scores of all rows in one place; choose "
            "'constant' or 'inverse' on a cluster"
        )
    scale = 1 / total_weight(shape) if estimator.normalize else 1.0
    task = Task(None, None, range(shape.rows), False)  # type: ignore[arg-type]
    step_size = estimator._step_sizes(task)

    def one_pass(state: batch.State, number: int, clean: bool) -> Generator[None, None, PassEnd]:
        nothing: Any = None  # the sums start from zero
        light = state._replace(total=nothing, total_intercept=nothing)
        sums = total(cluster, f"pass {number}", mistakes_in, shards, light, len(shape.classes))
        state = state._replace(
            total=sums[0], total_intercept=sums[1], mistakes=sums[2], steps=state.steps + sums[3]
        )
        step, step_intercept, length = batch.direction(state, scale)
        eta = step_size(state, (step, step_intercept)) if sums[2] else 0.0
        state = batch.move(state, step, step_intercept, eta)
        yield
        return PassEnd(state, sums[2], enough=estimator.tol is not None and length < estimator.tol)

    wait = passes_to_wait(estimator.n_iter_no_change, shape.rows, 1_000_000, 50)
    stop = StopByMistakes(shape.rows, None if estimator.tol is None else 0.0, wait)
    state, history = _followed(
        run_passes(one_pass, first_state(estimator, shape), estimator.max_iter, stop)
    )
    estimator._finish(state, None)
    estimator._record(history, None)
    if history.ran_out and estimator.tol is not None:
        warn_of_running_out(estimator, "the data may not be linearly separable", stacklevel=4)


def _followed(run: Any) -> tuple[Any, History]:
    following: Following[Any, tuple[Any, History]] = Following(run)
    list(following)
    return following.result


def mistakes_in(shard: Shard | None, given: tuple[batch.State, int]) -> Sums:
    """Return the sum of a shard's mistakes, their number, and that of its rows."""
    state, n_classes = given
    total, total_intercept = batch.zeros(state.weights, state.intercept)
    state = state._replace(total=total, total_intercept=total_intercept, steps=0, mistakes=0)
    if shard is not None:
        y = online.targets(shard.codes, n_classes, state.weights.dtype)
        state = batch.update(state, usable(shard.rows), y, weights=shard.weights)
    return state.total, state.total_intercept, state.mistakes, state.steps


class Line(NamedTuple):
    """A shard's scores, and how they change along the gradient."""

    scores: Array
    steps: Array


class Gradients:
    """The gradient of all rows, which are in shards."""

    def __init__(
        self, cluster: Cluster, estimator: Any, shape: Shape, shards: Sequence[Any]
    ) -> None:
        self.cluster, self.shards, self.rows = cluster, shards, shape.rows
        self.penalty, self.loss = estimator._penalty(), estimator.loss
        self.classes = len(shape.classes)
        self.mean = total_weight(shape) / shape.rows

    def look(self, state: descent.State) -> Slope:
        """Add up the gradients of all shards."""
        sums = total(
            self.cluster, "adding up gradients", gradient_of, self.shards, *self._given(state)
        )
        loss, mistakes, gradient, gradient_intercept = sums
        penalty, n, dtype = self.penalty, self.rows, state.weights.dtype
        with np.errstate(over="ignore", invalid="ignore"):
            gradient = gradient / n + penalty.l2 * state.weights
            gradient_intercept = gradient_intercept / n * state.fit_intercept
        if not np.isfinite(gradient).all():
            raise descent.DivergedError(f"the gradient is too large for {gradient.dtype}")
        cost = loss / n + penalty.of(state.weights)
        every: Any = range(n)  # in place of the scores, of which only the number is asked
        return Slope(
            every, cost, mistakes, gradient.astype(dtype), gradient_intercept.astype(dtype)
        )

    def _given(self, state: Any) -> tuple[Any, ...]:
        return state.weights, state.intercept, self.loss, self.classes, self.mean

    def line_search(self, state: descent.State, slope: Slope, eta0: float) -> float:
        """Return the step that lowers the loss most along the gradient.

        The shards keep their scores and how these change, so that a step tried is a number sent.
        """
        flat, n = slope.gradient.ravel(), self.rows
        bend = self.penalty.l2 * float(flat @ flat)
        lean = -self.penalty.l2 * float(state.weights.ravel() @ flat)
        cluster = self.cluster
        with cluster.tasks("searching for a step") as tasks:
            given = tasks.submit("publish", tuple, (*self._given(state), *slope[3:]))
            lines = [tasks.submit("line", line_of, shard, given) for shard in self.shards]
            pairs = list(zip(self.shards, lines, strict=True))

            def rises(eta: float) -> bool:
                parts = [
                    tasks.submit("try", rise_at, *pair, self.loss, self.classes, self.mean, eta)
                    for pair in pairs
                ]
                (rise,) = tasks.results(in_tree(parts, partial(tasks.submit, "add", sum_of_two)))
                return bool(rise / n + lean + eta * bend >= 0)

            dtype = state.weights.dtype
            return full_batch_descent.step_where_it_turns(rises, slope.length, dtype, eta0)


def _targets(shard: Shard, classes: int, mean: float, dtype: Any) -> tuple[Array, Array | None]:
    weights = None if shard.weights is None else shard.weights / mean
    return online.targets(shard.codes, classes, dtype), weights


def gradient_of(shard: Shard | None, given: tuple[Any, ...]) -> Sums:
    """Return a shard's sum of losses, mistakes, and gradients."""
    weights, intercept, loss, classes, mean = given
    zeros = np.zeros_like(weights, np.float64), np.zeros_like(intercept, np.float64)
    if shard is None:
        return 0.0, 0, *zeros
    y, row_weights = _targets(shard, classes, mean, weights.dtype)
    matrix = Matrix(as_matrix(usable(shard.rows), weights.shape[1]))
    with np.errstate(over="ignore", invalid="ignore"):
        scores = matrix.scores(weights, intercept)
        value, mistakes, slopes = evaluate(loss, scores, y, row_weights)
        gradient = matrix.weighted_sums(slopes).astype(np.float64)
        return value, mistakes, gradient, slopes.sum(axis=0, dtype=np.float64)


def line_of(shard: Shard | None, given: tuple[Any, ...]) -> Line | None:
    """Return a shard's scores, and how they change along the gradient."""
    if shard is None:
        return None
    weights, intercept, *_, gradient, gradient_intercept = given
    matrix = Matrix(as_matrix(usable(shard.rows), weights.shape[1]))
    steps = -matrix.scores(gradient, gradient_intercept)
    return Line(matrix.scores(weights, intercept), steps)


def rise_at(
    shard: Shard | None, line: Line | None, loss: str, classes: int, mean: float, eta: float
) -> float:
    """Return how fast a shard's loss rises after a step along the gradient."""
    if shard is None or line is None:
        return 0.0
    y, weights = _targets(shard, classes, mean, line.scores.dtype)
    given = *line, eta, y, weights_or_empty(weights)
    return float(loss_along(LOSSES[loss].code, 0.0, *given)[1])


def sum_of_two(left: float, right: float) -> float:
    """Add two numbers."""
    return left + right


def fit_descent(cluster: Cluster, estimator: Any, shape: Shape, shards: Sequence[Any]) -> None:
    """Descend with all rows in a batch, until the loss no longer falls."""
    state, n = first_state(estimator, shape), shape.rows
    estimator.alpha_ = estimator._alpha(total_weight(shape))
    gradients = Gradients(cluster, estimator, shape, shards)
    sample = _sample(cluster, shape, shards)
    weights = None if sample.weights is None else sample.weights / gradients.mean
    task = Task(state, sample.rows, range(n), False, weights)  # type: ignore[arg-type]
    plan = estimator._plan(task)
    descend = _moves(gradients, estimator, plan, state)
    penalty, start = plan.penalty, float("nan")

    def one_pass(state: Any, number: int, clean: bool) -> Generator[None, None, PassEnd]:
        before, cost = state, penalty.of(state.weights)
        state, steepness = descend(state)
        loss = (state.loss_sum - before.loss_sum) / n + cost
        if number == 1:
            stop.start = loss
        check_loss(estimator.loss, stop.start, loss)
        flat = estimator.tol is not None and steepness < estimator.tol
        yield
        return PassEnd(state, state.mistakes - before.mistakes, enough=flat, loss=loss)

    wait = passes_for_loss(estimator.loss, estimator.n_iter_no_change, 1)
    aimed = rate_of(estimator, True) == "polyak"
    stop = StopByLoss(estimator.loss, start, estimator.tol, wait, True, aimed)
    try:
        state, history = _followed(run_passes(one_pass, state, estimator.max_iter, stop))
    except descent.DivergedError as error:
        raise ValueError(
            f"gradient descent diverged: {error}. The steps of {estimator.eta0_:.3g} are too long "
            "for these data. Try a smaller eta0, or scale the features"
        ) from None
    estimator._finish(state, history)
    if not history.converged and estimator.tol is not None:
        warn_of_running_out(estimator, "the loss has not settled", stacklevel=4)


def _moves(
    gradients: Gradients, estimator: Any, plan: Plan, first: Any
) -> Callable[[Any], tuple[Any, float]]:
    """Return a function that makes a move, as `descent_passes.all_at_once` does."""
    target, best = Target(plan.patience) if plan.steps.aimed else None, first
    penalty = plan.penalty

    def move(state: Any) -> tuple[Any, float]:
        nonlocal best
        slope = gradients.look(state)
        steepness = slope.length
        if target is not None:
            eta = target.step(slope.loss, full_batch_descent.steepness(state, slope, penalty))
            steepness = target.gap
            if slope.loss == target.best:
                best = state
        elif plan.steps.searched and slope.length > 0:
            eta = gradients.line_search(state, slope, plan.steps.eta0)
        else:
            steps = descent.step_sizes(plan.steps.schedule, state.updates + 1, 1, penalty)
            eta = float(steps[0])
        average = 0 < plan.average <= state.steps + 1
        last = target is not None and target.gap < plan.tol
        state = full_batch_descent.move(state, slope, 0.0 if last else eta, penalty, average)
        if last and not average:
            state = state._replace(weights=best.weights, intercept=best.intercept)
        return state, steepness

    return move


def _sample(cluster: Cluster, shape: Shape, shards: Sequence[Any]) -> Shard:
    """Return the rows that one machine would take to find a step size."""
    size = min(_SAMPLE, max(1, _SAMPLE_ENTRIES * shape.rows // max(shape.entries, 1)))
    chosen = np.linspace(0, shape.rows - 1, min(shape.rows, size)).astype(np.intp)
    with cluster.tasks("looking at a sample") as tasks:
        sizes = tasks.results(*[tasks.submit("count", rows_in, shard) for shard in shards])
        ends = np.cumsum(sizes)
        parts = tasks.results(
            *[
                tasks.submit("sample", some_of, shard, own - (end - n))
                for shard, n, end in zip(shards, sizes, ends, strict=True)
                if len(own := chosen[(chosen >= end - n) & (chosen < end)])
            ]
        )
    rows: Rows = parts[0].rows
    for part in parts[1:]:
        rows = stack(rows, part.rows, shape.columns)
    weights = None
    if parts[0].weights is not None:
        weights = np.concatenate([part.weights for part in parts])
    return Shard(usable(rows), np.concatenate([part.codes for part in parts]), weights)


def rows_in(shard: Shard | None) -> int:
    """Count the rows of a shard."""
    return 0 if shard is None else n_rows(shard.rows)


def some_of(shard: Shard, chosen: Array) -> Shard:
    """Return some rows of a shard."""
    weights = None if shard.weights is None else shard.weights[chosen]
    return Shard(take(shard.rows, chosen), shard.codes[chosen], weights)
