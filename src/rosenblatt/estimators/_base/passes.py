"""Passes until none makes a mistake, or until more of them stop paying.

A run is a generator that stops after each block of rows. `fit` drives it to the end in blocks that
take a while each; a trace drives it row by row and looks at every state on the way.
"""

from collections.abc import Callable, Generator, Iterator
from time import perf_counter
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from rosenblatt.data.rows import Array
from rosenblatt.estimators._base.progress import Reporter

# Short enough that Ctrl-C, a progress bar and a checkpoint never wait long for their turn.
BLOCK_SECONDS = 0.05
FIRST_BLOCK = 1 << 20
PATIENT_ROWS = 1_000
T = TypeVar("T")


class Stop(NamedTuple):
    """When to stop: after so many passes, or when the share of mistakes no longer falls by tol."""

    max_iter: int
    tol: float | None = None
    n_iter_no_change: int = 1


def patience(n_iter_no_change: int | str, n: int, rows: int = PATIENT_ROWS, least: int = 5) -> int:
    """Return how many passes to wait for progress: "auto" counts rows rather than passes."""
    if n_iter_no_change == "auto":
        return min(max(rows // n, least), 500)
    return int(n_iter_no_change)


class BlockEnd(NamedTuple):
    """Where a run stands after a block of rows: the state, and which rows these were.

    ``number`` is the pass's, from 1 on. ``rows`` and ``mistakes`` count from its start, and
    ``last`` says that it ends here. The state lives on: copy what you keep of it.
    """

    state: Any
    block: Array
    number: int
    rows: int
    mistakes: int
    last: bool


class PassEnd(NamedTuple):
    """How a pass ended.

    ``proof`` says that it looked at every row, so that no mistake means none is left; ``enough``
    that the learner's own rule is to stop.
    """

    state: Any
    mistakes: int
    proof: bool = True
    enough: bool = False


class Outcome(NamedTuple):
    """What the passes came to: mistakes of each, was the last one clean, did they run out."""

    mistakes: list[int]
    converged: bool
    ran_out: bool


Cut: TypeAlias = Callable[[int], Iterator[tuple[int, int]]]
Pass: TypeAlias = Generator[BlockEnd, None, PassEnd]
Run: TypeAlias = Generator[BlockEnd, None, tuple[Any, Outcome]]


class Blocks:
    """Cuts a pass into blocks of rows that each take about BLOCK_SECONDS."""

    def __init__(self, n: int, cost: int) -> None:
        self.size = max(1, FIRST_BLOCK * n // max(cost, 1))

    def cut(self, n: int) -> Iterator[tuple[int, int]]:
        """Yield start and stop of each block, learning from the time the last one took."""
        start = 0
        while start < n:
            stop = min(start + self.size, n)
            began = perf_counter()
            yield start, stop
            took = perf_counter() - began
            if took > BLOCK_SECONDS or stop - start == self.size:
                wanted = self.size * BLOCK_SECONDS / max(took, 1e-6)
                self.size = max(1, int(min(wanted, 4 * self.size)))
            start = stop


def row_by_row(n: int) -> Iterator[tuple[int, int]]:
    """Cut a pass into blocks of one row."""
    return ((row, row + 1) for row in range(n))


def run_passes(one_pass: Callable[[Any, int, bool], Pass], state: Any, n: int, stop: Stop) -> Run:
    """Repeat ``one_pass(state, number, was the last one clean)`` until it is time to stop."""
    counts: list[int] = []
    best, stale = float("inf"), 0
    while len(counts) < stop.max_iter:
        end = yield from one_pass(state, len(counts) + 1, counts[-1:] == [0])
        state, mistakes, proof, enough = end
        counts.append(mistakes)
        if proof and not mistakes:
            return state, Outcome(counts, converged=True, ran_out=False)
        if stop.tol is not None:
            stale = 0 if mistakes < best and mistakes <= best - stop.tol * n else stale + 1
            best = min(best, mistakes)
            enough = enough or stale >= stop.n_iter_no_change
        if enough:
            return state, Outcome(counts, converged=False, ran_out=False)
    return state, Outcome(counts, converged=False, ran_out=True)


class Taker(Protocol):
    """Takes over what a pass wrote to its log."""

    def take(self, mistakes: int) -> None: ...


def drive(
    run: Generator[BlockEnd, None, T], n: int, report: Reporter, taker: Taker | None = None
) -> T:
    """Go through to the end, reporting on the way, and return what the generator returns."""
    earlier = 0
    while True:
        try:
            here = next(run)
        except StopIteration as end:
            result: T = end.value
            return result
        passes = here.number - 1
        report(passes + here.rows / n, passes * n + here.rows, earlier + here.mistakes)
        if here.last:
            earlier += here.mistakes
            if taker is not None:
                taker.take(here.mistakes)


def report_end(outcome: Outcome, n: int, report: Reporter) -> None:
    """Say how it ended; there is nothing to say if the passes ran out."""
    passes, mistakes = len(outcome.mistakes), sum(outcome.mistakes)
    if not outcome.ran_out:
        end = "converged" if outcome.converged else "no more progress"
        report(passes, passes * n, mistakes, end)
