"""Watching gradient descent: one record for every move."""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from rosenblatt.data.rows import Array
from rosenblatt.estimators.descent import Descent, Passes
from rosenblatt.estimators.descent_passes import (
    OnePass,
    Outcome,
    PassMaker,
    Plan,
    all_at_once,
    in_batches,
)
from rosenblatt.estimators.passes import BlockEnd
from rosenblatt.estimators.start import Task, generator
from rosenblatt.estimators.validation import held_out
from rosenblatt.learners import descent, online
from rosenblatt.learners.descent import State
from rosenblatt.learners.order import Orders, Visits
from rosenblatt.theory.replay import shown


class Move(NamedTuple):
    """What one batch of rows did.

    Weights are a vector and an intercept a number for two classes and for a regression; K classes
    have K of each. They are those that the model would predict with: the mean, if it averages.

    Attributes
    ----------
    rows : array of int
        The rows of the batch, in the order they were looked at. With early stopping they are
        numbered among those that are not held out.
    weights, intercept : array, float or array
        w and b after the move.
    weights_before, intercept_before : array, float or array
        w and b before it.
    mistakes : int
        The rows of all batches so far that were on the wrong side when they were looked at.
    pass_number, step : int
        The number of the pass and of the move, both from 1 on.
    """

    rows: Array
    weights: Array
    intercept: Any
    weights_before: Array
    intercept_before: Any
    mistakes: int
    pass_number: int
    step: int


def moves(
    model: Any, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None
) -> Generator[Move, None, Outcome]:
    """Learn as ``fit`` does, and yield a record of every move.

    Moves are made when they are asked for. What the generator returns at the end says whether the
    loss settled. The weights at the end of each pass are to the last bit those of ``fit``; a move
    within a pass begins at the pass's start, as the rounding of a pass depends on where it ends, so
    a pass takes time in proportion to the square of its moves.

    Parameters
    ----------
    model : GradientDescent, LogisticRegression, LinearSVM or LinearRegression
        It is copied, and stays as it is.
    X, y : array or sparse matrix, array
        Rows and labels, or numbers, as for ``fit``.
    coef_init, intercept_init : arrays, optional
        Weights to start from, as for ``fit``.

    Raises
    ------
    DivergedError
        Where the weights or the loss leave what numbers can hold.

    Examples
    --------
    >>> from rosenblatt import GradientDescent
    >>> from rosenblatt.estimators.moves import moves
    >>> X, y = [[-1, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]], [-1, 1, 1, -1, -1, 1]
    >>> model = GradientDescent(learning_rate="constant", fit_intercept=False, shuffle=False)
    >>> made = moves(model, X, y)
    >>> [next(made).weights.tolist() for _ in range(5)]
    [[1.0, -2.0], [1.0, -2.0], [2.0, -1.0], [2.0, -1.0], [3.0, 1.0]]
    """
    if not isinstance(model, Descent):
        raise ValueError(f"{type(model).__name__} does not go down a loss, so it makes no moves")
    walker: Any = clone(model)
    task: Task = walker._begin(X, y, coef_init, intercept_init)
    rng = generator(walker.random_state, task.state.steps)
    judge, task = held_out(walker, task, rng) if walker.early_stopping else (None, task)
    one_pass = _one_pass(walker, task, rng)
    walker._pass_maker = lambda *_: one_pass
    return _moves(task.state, walker._passes(task, rng, judge))


def _moves(start: State, run: Passes) -> Generator[Move, None, Outcome]:
    before, step = shown(*descent.average(online.copy(start))), 0
    while True:
        try:
            here = next(run)
        except StopIteration as end:
            outcome: Outcome = end.value[1]
            return outcome
        step += 1
        after = shown(*descent.average(here.state))
        yield Move(here.block, *after, *before, here.state.mistakes, here.number, step)
        before = after


def _one_pass(walker: Any, task: Task, rng: np.random.Generator) -> PassMaker:
    """Make the passes of an estimator, stopping after every move."""
    plan: Plan = walker._plan(task)
    n = len(task.y)
    if plan.batch >= n:
        whole, everything = all_at_once(task, plan), online.row_numbers(n)

        def at_once(state: State, number: int) -> OnePass:
            move = whole(online.copy(state), number)
            yield next(move)._replace(block=everything)
            return _result(move)

        return at_once
    orders, part = Orders(task.rows, task.y, rng, shuffle=walker.shuffle), [online.NO_ROWS]
    rows_so_far = in_batches(task, plan, lambda: Visits(part[0]))

    def in_parts(start: State, number: int) -> OnePass:
        order, state = orders.next().order.copy(), start
        for first in range(0, n, plan.batch):
            stop = min(first + plan.batch, n)
            part[0] = order[:stop]
            state, _ = _result(rows_so_far(online.copy(start), number))
            made = state.mistakes - start.mistakes
            yield BlockEnd(state, order[first:stop], number, stop, made, stop == n)
        return state, np.inf

    return in_parts


def _result(run: OnePass) -> tuple[State, float]:
    """Go through a pass to its end, and return what it came to."""
    while True:
        try:
            next(run)
        except StopIteration as end:
            result: tuple[State, float] = end.value
            return result
