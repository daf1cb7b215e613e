"""Passes until none makes a mistake, or until more of them stop paying."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import NamedTuple

from rosenblatt.estimators.progress import Reporter

# Short enough that Ctrl-C, a progress bar and a checkpoint never wait long for their turn.
BLOCK_SECONDS = 0.05
FIRST_BLOCK = 1 << 20


class Stop(NamedTuple):
    """When to stop: after so many passes, or when the share of mistakes no longer falls by tol."""

    max_iter: int
    tol: float | None = None
    n_iter_no_change: int = 1


class PassEnd(NamedTuple):
    """How a pass ended.

    ``proof`` says that it looked at every row, so that no mistake means none is left; ``enough``
    that the learner's own rule is to stop.
    """

    mistakes: int
    proof: bool = True
    enough: bool = False


class Outcome(NamedTuple):
    """What the passes came to: mistakes of each, was the last one clean, did they run out."""

    mistakes: list[int]
    converged: bool
    ran_out: bool


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


def run_passes(
    one_pass: Callable[[bool, Callable[[int, int], None]], PassEnd],
    n: int,
    stop: Stop,
    report: Reporter,
) -> Outcome:
    """Repeat ``one_pass(was the last one clean, tell)`` until it is time to stop.

    ``tell(rows, mistakes)`` passes on how far the pass is.
    """
    counts: list[int] = []
    total = 0

    def tell(rows: int, mistakes: int) -> None:
        report(len(counts) + rows / n, len(counts) * n + rows, total + mistakes)

    best, stale = float("inf"), 0
    while len(counts) < stop.max_iter:
        mistakes, proof, enough = one_pass(counts[-1:] == [0], tell)
        counts.append(mistakes)
        total += mistakes
        if proof and not mistakes:
            report(len(counts), len(counts) * n, total, "converged")
            return Outcome(counts, converged=True, ran_out=False)
        if stop.tol is not None:
            stale = 0 if mistakes < best and mistakes <= best - stop.tol * n else stale + 1
            best = min(best, mistakes)
            enough = enough or stale >= stop.n_iter_no_change
        if enough:
            report(len(counts), len(counts) * n, total, "no more progress")
            return Outcome(counts, converged=False, ran_out=False)
        tell(0, 0)
    return Outcome(counts, converged=False, ran_out=True)
