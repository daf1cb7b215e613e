"""The online perceptrons and their relatives, in rounds over shards."""

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.data.rows import n_rows
from rosenblatt.distributed.arrays import Shape, Shard, usable, usual_square
from rosenblatt.distributed.mixing import Learned, Pass, Start, counted, with_changes
from rosenblatt.estimators._base.start import Task
from rosenblatt.learners import online
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.learners.order import Orders
from rosenblatt.passes import Following


class OnlineWork(NamedTuple):
    """One pass over a shard by an estimator that learns row by row."""

    estimator: Any
    n_classes: int

    @property
    def learner(self) -> str:
        """The module with ``merge``."""
        return str(self.estimator._learner.__name__)

    @property
    def visits_all(self) -> bool:
        """Whether a pass looks at every row."""
        return bool(self.estimator._order_options().get("selection", "cyclic") == "cyclic")

    def begin(self, start: Start, number: int) -> Start:
        """Begin the mean anew: that of a round is the mixture of the shards' means."""
        state = start.state
        zeros = {
            name: np.zeros_like(getattr(state, name))
            for name in ("total", "total_intercept")
            if hasattr(state, name)
        }
        return Start(state._replace(**zeros, steps=0) if zeros else state)

    def learn(
        self, shard: Shard | None, start: Start, seed: list[int], clean: bool
    ) -> tuple[Start, Pass]:
        """Make a pass over a shard, in an order that the seed gives."""
        if shard is None:
            return start, Pass(0, 0, 0)
        rows, state = usable(shard.rows), start.state
        y = online.targets(shard.codes, self.n_classes, state.weights.dtype)
        task = Task(state, rows, y, True, shard.weights)
        rng = np.random.default_rng(seed)
        visits = Orders(rows, y, rng, **self.estimator._order_options()).next(clean)
        steps, updates = state.steps, state.updates
        visit = self.estimator._visitor(task, at_once, None)
        try:
            run = Following(visit(state, visits))
            list(run)
        except NumberTooLargeError as error:
            raise ValueError(f"shard {seed[-1]}: {error}") from None
        end = run.result
        done = Pass(end.state.steps - steps, end.mistakes, end.state.updates - updates)
        return Start(end.state), done

    def advance(self, before: Start, begun: Start, learned: Learned) -> Start:
        """Return the state after a round; of its mean, all rounds so far are part."""
        then, after = before.state, with_changes(begun, learned).state
        if hasattr(then, "total"):
            # A vector that changed after T steps was what it was for these.
            pairs = ("total", "weights"), ("total_intercept", "intercept")
            after = after._replace(
                **{
                    total: getattr(then, total)
                    + getattr(after, total)
                    + then.steps * (getattr(after, name) - getattr(then, name).astype(np.float64))
                    for total, name in pairs
                }
            )
        return Start(counted(then, after))


def at_once(n: int) -> Iterator[tuple[int, int]]:
    """Do not cut a pass."""
    return iter([(0, n)])


def first_state(estimator: Any, shape: Shape) -> Any:
    """Return the state before any row."""
    step: bool | float = bool(estimator.fit_intercept)
    if step and hasattr(estimator, "intercept_scaling"):
        scaling = estimator.intercept_scaling
        square = usual_square(shape) if isinstance(scaling, str) else float(scaling) ** 2
        step = True if square == 1 else float(np.dtype(shape.dtype).type(square))
    return estimator._learner.init(
        shape.columns,
        len(shape.classes),
        dtype=np.dtype(shape.dtype),
        fit_intercept=step,
        sparse=shape.sparse,
        **estimator._init_options(),
    )


def work_for(estimator: Any, shape: Shape) -> OnlineWork:
    """Return how an estimator learns from shards: with its parameters, and nothing it learned."""
    return OnlineWork(copy(estimator), len(shape.classes))


def seed_of(random_state: Any) -> int:
    """Return the seed that those of rounds and shards are made of."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def rows_in(shard: Shard | None) -> int:
    """Count the rows of a shard."""
    return 0 if shard is None else n_rows(shard.rows)
