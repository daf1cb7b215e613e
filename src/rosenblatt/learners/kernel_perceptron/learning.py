"""The kernel perceptron (Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999).

A function is a sum over the mistakes it made, ``f(x) = Σ_i a_i k(x_i, x)``, and a mistake about x_i
changes a_i by ±1. Two classes share one function. K classes have one each, which either learn one
against all, each by itself, or jointly: a_i of the right class goes up, that of its rival down.

All of it is exact, but done by matrix products: see `Learning`. With a budget, the row that was
not learned from for longest is forgotten: the rule of the Forgetron (Dekel, Shalev-Shwartz and
Singer 2008), without its shrinking.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, all_finite, n_rows, take
from rosenblatt.kernels.kernel_perceptron import (
    DONE,
    NOT_HERE,
    Block,
    Changes,
    Queue,
    margins,
    visit,
)
from rosenblatt.learners.kernel_perceptron.kernel_values import (
    PRECOMPUTED,
    Grams,
    Kernel,
    TableGrams,
)
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams
from rosenblatt.learners.kernel_perceptron.recent_rows import Recent
from rosenblatt.learners.online import TIES, n_functions, too_large


class State(NamedTuple):
    """Every change of a coefficient, in order, and the rows that have coefficients.

    A change says which of the kept rows, in which step, of which function, by how much. ``origin``
    numbers the kept rows as they came, ``seen`` counts the rows that came, and ``latest`` those of
    the latest call. ``born`` is the step from which each function was there: 1 but for classes that
    came late. ``first`` is the step from which hypotheses are known: 1, or the last one in which a
    row was forgotten. A precomputed kernel keeps rows without columns.
    """

    row: Array
    step: Array
    function: Array
    change: Array
    kept: Rows
    origin: Array
    born: Array
    first: int
    steps: int
    updates: int
    seen: int
    latest: int
    joint: bool
    ties: int
    kernel: str
    degree: int
    gamma: float
    coef0: float
    bias: float


def init(
    n_features: int,
    n_classes: int = 2,
    *,
    kernel: Kernel,
    dtype: Any = np.float64,
    joint: bool = False,
    ties: str = "mistake",
) -> State:
    """Start with no coefficient."""
    nothing = np.empty(0, np.int64)
    width = 0 if kernel.name == PRECOMPUTED else n_features
    return State(
        row=nothing,
        step=nothing,
        function=nothing,
        change=nothing,
        kept=Dense(np.empty((0, width), dtype)),
        origin=nothing,
        born=np.ones(n_functions(n_classes), np.int64),
        first=1,
        steps=0,
        updates=0,
        seen=0,
        latest=0,
        joint=joint,
        ties=TIES[ties],
        kernel=kernel.name,
        degree=kernel.degree,
        gamma=kernel.gamma,
        coef0=kernel.coef0,
        bias=kernel.bias,
    )


def kernel_of(state: State, function: Any = None) -> Kernel:
    """Return the kernel that a state was learned with; a function of the caller's is not in it."""
    return Kernel(state.kernel, state.degree, state.gamma, state.coef0, state.bias, function)


def changes_of(state: State) -> Changes:
    """Return every change of a coefficient."""
    return Changes(state.row, state.step, state.function, state.change)


def coefficients(state: State, averaged: bool = False) -> Array:
    """Return the coefficients, a line for each function: the last ones, or their mean."""
    table = np.zeros((len(state.born), n_rows(state.kept)))
    lived = (state.steps + 1 - state.step) / known_steps(state) if averaged else 1
    np.add.at(table, (state.function, state.row), state.change * lived)
    return table


def known_steps(state: State, step: int | None = None) -> int:
    """Count the steps up to one, or to the last, whose hypotheses are known; at least 1."""
    return max((state.steps if step is None else step) + 1 - state.first, 1)


def on_host(kernel: Kernel, state: State, rows: Rows, n_features: int) -> Grams:
    """Choose how kernel values of these rows with the kept ones, and each other, are computed."""
    if kernel.name == PRECOMPUTED:
        return TableGrams(kernel, rows, state.origin, n_features)
    return HostGrams(kernel, rows, state.kept, n_features)


class Learning:
    """Learns from the same rows, pass by pass and block by block.

    A block's scores are brought up to date by one product with the rows that changed since its last
    visit. Then its examples are visited one by one. Those that are mistaken change the scores of
    the others in the block; the kernel values for that come from a product as well, of all that
    are wrong as things stand. An example's scores are kept from pass to pass, so that nothing is
    computed twice but what two passes both change.
    """

    def __init__(
        self,
        state: State,
        grams: Grams,
        labels: Array,
        blocks: list[Array],
        max_support: int | None = None,
    ) -> None:
        self.state, self.grams, self.labels, self.blocks = state, grams, labels, blocks
        self.known, n = n_rows(state.kept), len(labels)
        self.joint = state.joint and len(state.born) > 1
        self.steps, self.mistakes = state.steps, 0
        self.scores = np.zeros((len(state.born), n))
        self.included = np.zeros(len(blocks), np.int64)  # how much a block's scores include
        self.recent = Recent(grams)
        self.where = np.full(self.known + n, NOT_HERE, np.int64)
        self.log = [changes_of(state)]
        widest = max(map(len, blocks), default=0)
        # Of each example, all functions may change, and all of the one that is forgotten for it.
        buffer = widest * max(2, len(state.born)) * (1 if max_support is None else 2)
        self.buffer = Changes(*(np.empty(buffer, np.int64) for _ in range(4)))
        self.margins = np.empty(widest)
        self.values = np.empty(0, state.kept.values.dtype)
        coef = self._standing()
        self.queue = None
        if max_support is not None:
            self.queue, forgotten = line_up(state.row, coef, max_support, self.steps)
            self.log.append(forgotten)
        if len(state.row):
            row, function = np.nonzero(coef)
            self.recent.add(row, function, coef[row, function])

    def _standing(self) -> Array:
        """Return the coefficients to start from, a line for each example."""
        coef = np.zeros((len(self.where), len(self.state.born)), np.int64)
        np.add.at(coef, (self.state.row, self.state.function), self.state.change)
        return coef

    def visit(self, number: int, order: Array | None = None) -> int:
        """Learn from a block, in the order given or in another one; return the mistakes."""
        index = self.blocks[number] if order is None else self.blocks[number][order]
        lanes = self.grams.lanes(self.known + index)
        scores = np.take(self.scores, index, axis=1)  # and not [:, index], which is in F order
        self.grams.add(self.recent.since(int(self.included[number])), lanes, scores)
        changes, mistakes = self._learn(index, lanes, scores)
        self._check(scores)
        self.log.append(changes)
        if len(changes.row):
            self.recent.add(changes.row, changes.function, changes.change)
        self.scores[:, index] = scores
        self.included[number] = self.recent.total
        self.recent.forget(int(self.included.min()))
        self.steps += len(index)
        self.mistakes += mistakes
        return mistakes

    def _learn(self, index: Array, lanes: Any, scores: Array) -> tuple[Changes, int]:
        """Visit a block's examples one by one; the scores change with what is learned."""
        ids, rules = self.known + index, (self.joint, self.state.ties)
        block = Block(ids, self.labels[index], scores, self._buffer_for(0, 0, len(ids)), self.where)
        fetched: list[Array] = []
        lane = used = mistakes = count = 0
        while True:
            lane, used, more, need = visit(
                block, lane, *rules, self.steps, self.queue, self.buffer, used
            )
            mistakes += more
            if need == DONE:
                break
            far = self.margins[: len(ids)]
            wrong = margins(block, lane, *rules, far)
            wanted = self._with_oldest(ids[_nearest(far, wrong, self.grams.ahead)], need)
            values = self.grams.values(self.grams.take(wanted), lanes)
            block = block._replace(
                values=self._buffer_for(count, count + len(wanted), len(ids), values)
            )
            block.values[count : count + len(wanted)] = values
            self.where[wanted] = count + np.arange(len(wanted))
            count += len(wanted)
            fetched.append(wanted)
        for rows in fetched:
            self.where[rows] = NOT_HERE
        return Changes(*(part[:used].copy() for part in self.buffer)), mistakes

    def _buffer_for(self, filled: int, count: int, width: int, like: Array | None = None) -> Array:
        """Return lines for kernel values; memory used before is used again, as fresh is slow."""
        dtype = self.values.dtype if like is None else np.result_type(self.values, like)
        if self.values.dtype != dtype or len(self.values) < count * width:
            larger = np.empty(2 * count * width, dtype)
            larger[: filled * width] = self.values[: filled * width]
            self.values = larger
        lines = len(self.values) // width
        return self.values[: lines * width].reshape(lines, width)

    def _with_oldest(self, ids: Array, need: int) -> Array:
        """Add those whose kernel values are needed to forget them, now or soon."""
        if self.queue is None:
            return ids
        oldest: list[int] = []
        row = int(self.queue.newer[-1])
        while row < len(self.where) and len(oldest) < len(ids) + self.grams.ahead:
            if self.where[row] == NOT_HERE:
                oldest.append(row)
            row = int(self.queue.newer[row])
        return np.unique(np.concatenate([ids, oldest, [need]]).astype(np.int64))

    def _check(self, scores: Array) -> None:
        """Raise ``ValueError`` if a kernel value overflowed: no score is finite after that."""
        if not all_finite(scores):
            raise too_large(f"values of {kernel_of(self.state)} are", self.state.kept.values.dtype)

    def finish(self) -> State:
        """Return the state that was reached; the rows it needs are copied."""
        row, step, function, change = (
            np.concatenate(parts) for parts in zip(*self.log, strict=True)
        )
        log, first = since_forgetting(Changes(row, step, function, change), self.state.first)
        used, place = np.unique(log.row, return_inverse=True)
        old, new = used[used < self.known], used[used >= self.known] - self.known
        state = self.state
        origin = np.concatenate([state.origin[old], state.seen + new])
        origin.flags.writeable = False  # a model shows it
        return state._replace(
            **log._replace(row=place)._asdict(),
            kept=self.grams.rows_of(used),
            origin=origin,
            first=first,
            steps=self.steps,
            updates=state.updates + self.mistakes,
            seen=state.seen + len(self.labels),
            latest=len(self.labels),
        )


def _nearest(far: Array, wrong: int, ahead: int) -> Array:
    """List the lanes that are wrong, and some of those that will be wrong soonest."""
    count = min(wrong + wrong // 2 + ahead, len(far))
    lanes = np.argpartition(far, count - 1)[:count]
    return np.sort(lanes[far[lanes] < np.inf])


def rejoin(state: State) -> State:
    """Give changes the numbers of the rows as they came, to learn from the same rows again."""
    nothing = take(state.kept, state.origin[:0])
    return state._replace(
        row=state.origin[state.row], kept=nothing, origin=state.origin[:0], seen=0
    )


def update(
    state: State, rows: Rows, y: Array, function: Any = None, max_support: int | None = None
) -> State:
    """Learn from rows of classes 0…K−1, in order, once."""
    n, n_features = n_rows(rows), max(_width(state.kept), _width(rows), 1)
    grams = on_host(kernel_of(state, function), state, rows, n_features)
    learning = Learning(state, grams, y, deal(n, grams.block_size), max_support)
    for number in range(len(learning.blocks)):
        learning.visit(number)
    return learning.finish()


def _width(rows: Rows) -> int:
    """Count the features, of sparse rows up to the last one that is there."""
    if isinstance(rows, Dense):
        return int(rows.values.shape[1])
    return int(rows.indices.max(initial=-1)) + 1


def deal(n: int, size: int, rng: np.random.Generator | None = None) -> list[Array]:
    """Cut the numbers 0…n−1 into blocks, after shuffling them if there is a generator."""
    index = np.arange(n) if rng is None else rng.permutation(n)
    return [index[start : start + size] for start in range(0, n, size)]


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones.

    Two classes share one function f; as two functions they are −f and f.
    """
    born = np.full(n_functions(n_classes), state.steps + 1)
    if len(places) < 2 or n_classes < 3:
        return state._replace(born=np.ones_like(born) if not state.steps else born)
    born[places] = state.born
    if len(state.born) > 1:
        return state._replace(born=born, function=places[state.function])
    row, step, change = (np.repeat(part, 2) for part in (state.row, state.step, state.change))
    change[::2] *= -1
    function = np.tile(places, len(state.row))
    return state._replace(born=born, row=row, step=step, function=function, change=change)


def line_up(row: Array, coef: Array, limit: int, step: int) -> tuple[Queue, Changes]:
    """Line rows up to be forgotten, and forget those that are too many already.

    ``row`` lists the changes so far: the row that changed last comes last. ``coef`` has a line for
    each example, and that of a forgotten one becomes zero.
    """
    size = len(coef)
    last = np.full(size, -1)
    np.maximum.at(last, row, np.arange(len(row)))
    line = np.argsort(last, kind="stable")[np.count_nonzero(last < 0) :]
    limit = min(limit, size)
    gone, line = np.split(line, [max(len(line) - limit, 0)])  # the limit may have been lowered
    ring = np.concatenate([[size], line])
    newer, older = np.arange(size + 1), np.arange(size + 1)
    newer[ring], older[ring] = np.roll(ring, -1), np.roll(ring, 1)
    forgotten = _without(gone, coef, step)
    return Queue(newer, older, coef, np.array([len(line)]), limit), forgotten


def _without(gone: Array, coef: Array, step: int) -> Changes:
    """Take coefficients away, as of a step."""
    listed = coef[gone] != 0
    listed[:, :1] = True  # one at least, even if new labels made all of them zero
    place, function = np.nonzero(listed)
    row = gone[place]
    change = -coef[row, function]
    coef[gone] = 0
    return Changes(row, np.full(len(row), -step), function, change)


def since_forgetting(log: Changes, first: int) -> tuple[Changes, int]:
    """Sum up the changes to where a row was last forgotten: hypotheses before that are lost."""
    gone = np.flatnonzero(log.step < 0)
    if not len(gone):
        return log, first
    end, first = int(gone[-1]) + 1, -int(log.step[gone[-1]])
    rows, place = np.unique(log.row[:end], return_inverse=True)
    coef = np.zeros((len(rows), log.function.max() + 1), np.int64)
    np.add.at(coef, (place, log.function[:end]), log.change[:end])
    last = np.zeros(len(rows), np.int64)
    last[place] = np.arange(end)
    stays = np.argsort(last)[log.step[np.sort(last)] > 0]
    coef = coef[stays]
    # A row whose coefficients cancel out is still there, and it counts.
    listed = coef != 0
    listed[~listed.any(axis=1), 0] = True
    at, function = np.nonzero(listed)
    summed = Changes(rows[stays[at]], np.full(len(at), first), function, coef[at, function])
    parts = (np.concatenate([a, b[end:]]) for a, b in zip(summed, log, strict=True))
    return Changes(*parts), first
