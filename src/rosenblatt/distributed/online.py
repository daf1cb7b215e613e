"""The online perceptrons and their relatives, in rounds over shards."""

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from rosenblatt.data.rows import usable
from rosenblatt.distributed.arrays import Shape, Shard, usual_square
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

    def finished(self, mistakes: Sequence[int]) -> bool:
        """Say whether the last round proves that no row is mistaken.

        Rows drawn at random may miss one; after a round without a mistake the next looks at all.
        """
        cyclic = self.estimator._order_options().get("selection", "cyclic") == "cyclic"
        return list(mistakes[-1:]) == [0] and (cyclic or list(mistakes[-2:]) == [0, 0])

    def begin(self, start: Start, number: int) -> Start:
        """Begin the mean anew: that of a round is the mixture of the shards' means."""
        return Start(without_mean(start.state))

    def needed(self, shard: Any, start: Start) -> tuple[Start, None]:
        """Return all of a start."""
        return start, None

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
        return Start(
            counted(before.state, with_mean(before.state, with_changes(begun, learned).state))
        )


def without_mean(state: Any) -> Any:
    """Return a state whose mean, if it has one, is yet to begin."""
    names = [name for name in ("total", "total_intercept") if hasattr(state, name)]
    zeros = {name: np.zeros_like(getattr(state, name)) for name in names}
    return state._replace(**zeros, steps=0) if zeros else state


def with_mean(before: Any, after: Any) -> Any:
    """Make the mean of a round part of that of all steps before; there may be none."""
    if not hasattr(before, "total"):
        return after
    totals = {}
    for name, weights in (("total", "weights"), ("total_intercept", "intercept")):
        # Weights that changed after so many steps were what they had been for these.
        moved = getattr(after, weights) - getattr(before, weights).astype(np.float64)
        totals[name] = getattr(before, name) + getattr(after, name) + before.steps * moved
    return after._replace(**totals)


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
