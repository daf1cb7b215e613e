"""Votes of all hypotheses in ONNX.

A hypothesis is the one before it plus a mistaken row. So the scores of all hypotheses are running
sums of products with the mistaken rows (or kernel values), in the order of the mistakes: the
file holds these rows and their order, and sums in the order in which `predict` does.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.learners import voted
from rosenblatt.learners.kernel_perceptron.learning import known_steps
from rosenblatt.models.onnx.graph import DOUBLE, Graph, Matrix


class Changes(NamedTuple):
    """The changes of a function: which of the kept rows was added to it, times what."""

    row: Array
    factor: Array


class Each(NamedTuple):
    """A function whose hypotheses vote for or against: ``lived`` has the votes of each of them.

    The first of them is the one before any change, which votes for.
    """

    changes: Changes
    lived: Array


class Jointly(NamedTuple):
    """Hypotheses of functions in common, each of which votes for its largest score.

    ``ends`` says how many changes each hypothesis has of each function, ``there`` whether it has
    that function at all. ``sure`` are votes that the functions have in any case.
    """

    changes: list[Changes]
    ends: Array
    there: Array
    lived: Array
    sure: Array


class Hypotheses(NamedTuple):
    """Those of a model, by function or in common; ``bias`` is added to each product."""

    voters: list[Each] | Jointly
    total: int
    bias: float


def hypotheses_of_voted(state: voted.State) -> Hypotheses:
    """Return the hypotheses of a voted perceptron."""
    log, lived = voted.log_of(state), voted.counts(state)
    size = state.size[: len(log.row)] if len(state.size) else np.ones(len(log.row))
    total, bias, count = max(state.steps, 1), float(state.fit_intercept), len(state.weights)
    if count == 1:
        only = Changes(log.row, np.where(log.right, size, -size))
        return Hypotheses([Each(only, lived)], total, bias)
    up, down = (side == np.arange(count)[:, None] for side in (log.right, log.wrong))
    factor = size * (up.astype(float) - down)
    changes = [Changes(log.row[own], f[own]) for own, f in zip(up | down, factor, strict=True)]
    sure = np.zeros(count)
    sure[state.zero] = lived[0]
    ends = np.cumsum(up | down, axis=1)
    voters = Jointly(changes, ends, np.ones(ends.shape, bool), lived[1:], sure)
    return Hypotheses(voters, total, bias)


def hypotheses_of_kernel(state: Any) -> Hypotheses:
    """Return the hypotheses of a kernel perceptron, whose kernel values have their bias."""
    own = state.function == np.arange(len(state.born))[:, None]
    changes = [Changes(state.row[mine], state.change[mine].astype(DOUBLE)) for mine in own]
    total = known_steps(state)
    if not state.joint or len(own) == 1:
        start = np.maximum(state.born, state.first)
        each = [
            Each(own_changes, _lived(state.step[mine], begin, state.steps))
            for own_changes, mine, begin in zip(changes, own, start, strict=True)
        ]
        return Hypotheses(each, total, 0.0)
    # Changes of one step are made at once: there is a hypothesis before them, and one after.
    begun = np.unique(np.maximum(np.append(state.step, state.first), state.first))
    known = np.searchsorted(state.step, begun, side="right")
    ends = np.array([np.append(0, np.cumsum(mine))[known] for mine in own])
    lived = np.diff(np.append(begun, state.steps + 1)).clip(0).astype(DOUBLE)
    there = state.born[:, None] <= begun
    return Hypotheses(Jointly(changes, ends, there, lived, np.zeros(len(own))), total, 0.0)


def _lived(steps: Array, start: int, last: int) -> Array:
    """Return how many steps each hypothesis lived, from the one before any change on."""
    born = np.maximum(np.append(start, steps), start)
    return np.diff(np.append(born, last + 1)).clip(0).astype(DOUBLE)


def shares(graph: Graph, rows: Matrix, products: str, hypotheses: Hypotheses) -> Matrix:
    """Add the shares of votes, a column for each function, of products with the kept rows."""
    voters, total, bias = hypotheses
    products = graph.cast(products, DOUBLE)
    if bias:
        products = graph.add("Add", products, graph.constant("bias", np.array(bias)))
    if isinstance(voters, Jointly):
        votes = _jointly(graph, rows, products, voters)
    else:
        votes = graph.beside([_each(graph, rows, products, one) for one in voters])
    count = len(voters.changes if isinstance(voters, Jointly) else voters)
    divisor = graph.constant("n_votes", np.array(total, DOUBLE))
    return Matrix(graph.add("Div", votes, divisor), count, DOUBLE)


def _running(graph: Graph, products: str, changes: Changes) -> str:
    """Add the scores of the hypotheses after each change."""
    row = graph.constant("mistake", changes.row.astype(np.int64))
    factor = graph.constant("change", changes.factor.astype(DOUBLE))
    added = graph.add("Mul", graph.add("Gather", products, row, axis=1), factor)
    return graph.add("CumSum", added, graph.constant("axis", np.array(1)))


def _each(graph: Graph, rows: Matrix, products: str, voter: Each) -> str:
    """Add the votes for a function less those against it."""
    changes, lived = voter
    if not len(changes.row):
        return graph.constant_columns(rows, lived).name
    above = graph.add(
        "GreaterOrEqual",
        _running(graph, products, changes),
        graph.constant("zero", np.zeros((), DOUBLE)),
    )
    # Whole numbers, of which sums are exact in any order.
    twice = graph.product(graph.cast(above, DOUBLE), 2 * lived[1:, None], "twice_the_votes")
    return graph.add("Add", twice, graph.constant("rest", np.array(lived[0] - lived[1:].sum())))


def _jointly(graph: Graph, rows: Matrix, products: str, voters: Jointly) -> str:
    """Add the votes for each function: the first of those whose score is largest."""
    middle = graph.constant("middle", np.array([1]))
    columns = []
    for changes, ends, there in zip(voters.changes, voters.ends, voters.there, strict=True):
        if len(changes.row):
            running = _running(graph, products, changes)
            before = graph.constant("before", np.array([0, 1, 0, 0]))
            score = graph.add("Pad", running, before)
        else:
            score = graph.constant_columns(rows, np.zeros(1)).name
        score = graph.add("Gather", score, graph.constant("ends", ends.astype(np.int64)), axis=1)
        if not there.all():
            never = graph.constant("not_there", np.where(there, 0.0, -np.inf))
            score = graph.add("Add", score, never)
        columns.append(graph.add("Unsqueeze", score, middle))
    winner = graph.add("ArgMax", graph.beside(columns), axis=1, keepdims=0)
    votes = []
    for k in range(len(columns)):
        won = graph.add("Equal", winner, graph.constant("class", np.array(k)))
        votes.append(graph.product(graph.cast(won, DOUBLE), voters.lived[:, None], "votes"))
    return graph.add("Add", graph.beside(votes), graph.constant("sure", voters.sure))
