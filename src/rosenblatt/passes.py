"""The engine: one loop over passes for every learner, with hold-out, stopping and progress.

A run is a generator that stops after each block of rows. ``fit``, a stream and the command line
drive it to the end in blocks that take a while each; a trace drives it row by row and looks at
every state on the way. After each pass the state is scored on rows that were held out, if there are
any, the best one is kept, and a stopping rule decides whether to continue.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from rosenblatt.data.rows import Array

# Short enough that Ctrl-C, a progress bar and a checkpoint never wait long for their turn.
BLOCK_SECONDS = 0.05
FIRST_BLOCK = 1 << 20
PATIENT_ROWS = 1_000
LEAST_PASSES, USUAL_PASSES, MOST_PASSES = 5, 100, 300
MANY_EXAMPLES = 200_000  # of all passes, unless that takes more than the usual number of them
ENOUGH_EXAMPLES = 20_000  # to make more passes for
CONVERGED, NO_PROGRESS = "converged", "no more progress"
B = TypeVar("B")
T = TypeVar("T")


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
    that the learner's own rule is to stop. ``loss`` is the mean loss of its rows, if it has one.
    """

    state: Any
    mistakes: int
    proof: bool = True
    enough: bool = False
    loss: float | None = None


@dataclass
class History:
    """What all passes came to: mistakes and loss of each, and their scores on held-out rows.

    ``ending`` is why they ended, and empty if they ran out; ``best`` what was kept of the state
    after the pass with the best score.
    """

    mistakes: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    ending: str = ""
    best: Any = None

    @classmethod
    def of_pass(cls, mistakes: int, loss: float | None = None) -> "History":
        """Return that of a single pass over part of a stream."""
        losses = [] if loss is None else [loss]
        return cls([mistakes], losses, ending=NO_PROGRESS if mistakes else CONVERGED)

    @property
    def passes(self) -> int:
        """How many passes were made."""
        return len(self.mistakes)

    @property
    def converged(self) -> bool:
        """Whether there was nothing left to learn."""
        return self.ending == CONVERGED

    @property
    def ran_out(self) -> bool:
        """Whether all passes were made that were allowed."""
        return not self.ending


class Reporter(Protocol):
    """Takes note of what has been done so far."""

    def __call__(self, passes: float, rows: int, mistakes: int, end: str = "") -> None: ...


class Recorder(Protocol):
    """Takes over what a pass wrote to its log."""

    def take(self, mistakes: int) -> None: ...


Cut: TypeAlias = Callable[[int], Iterator[tuple[int, int]]]
Pass: TypeAlias = Generator[BlockEnd, None, PassEnd]
AnyPass: TypeAlias = Generator[Any, None, PassEnd]  # with a record of its own for each block
Run: TypeAlias = Generator[Any, None, tuple[Any, History]]
StoppingRule: TypeAlias = Callable[[History, PassEnd], str]


class Patience:
    """Says when a measure, lower being better, has not fallen by ``tol`` for too many passes."""

    def __init__(self, tol: float | None, passes: int) -> None:
        self.tol, self.passes = tol, passes
        self.best, self.stale = float("inf"), 0

    def better(self, measure: float) -> bool:
        """Take note of a pass's measure, and say whether it is the best so far."""
        fell = measure < self.best and measure <= self.best - (self.tol or 0.0)
        self.stale = 0 if fell else self.stale + 1
        best, self.best = self.best, min(self.best, measure)
        return measure < best

    def is_over(self) -> bool:
        """Say whether to stop waiting."""
        return self.tol is not None and self.stale >= self.passes


class StopByMistakes:
    """Stop after a clean pass, or when the share of mistakes no longer falls by ``tol``."""

    def __init__(self, n: int, tol: float | None = None, passes: int = 1) -> None:
        self._patience = Patience(None if tol is None else tol * n, passes)

    def __call__(self, history: History, end: PassEnd) -> str:
        """Return why to stop, or an empty text."""
        if end.proof and not end.mistakes:
            return CONVERGED
        self._patience.better(end.mistakes)
        return NO_PROGRESS if end.enough or self._patience.is_over() else ""


class StopByValidation:
    """Stop after a clean pass, or when the score on held-out rows does not improve by ``tol``."""

    def __init__(self, tol: float, passes: int, higher_is_better: bool = False) -> None:
        self._patience, self._sign = Patience(tol, passes), -1 if higher_is_better else 1

    def __call__(self, history: History, end: PassEnd) -> str:
        """Return why to stop, or an empty text."""
        if end.proof and not end.mistakes:
            return CONVERGED
        self._patience.better(self._sign * history.validation[-1])
        return NO_PROGRESS if self._patience.is_over() else ""


def passes_to_wait(
    n_iter_no_change: int | str, n: int, rows: int = PATIENT_ROWS, least: int = 5
) -> int:
    """Return how many passes to wait for progress: "auto" counts rows rather than passes."""
    if n_iter_no_change == "auto":
        return min(max(rows // n, least), 500)
    return int(n_iter_no_change)


def passes_to_settle(examples: int) -> int:
    """Return how many passes over so many examples let what is learned settle.

    >>> [passes_to_settle(n) for n in (58, 150, 500, 5_000, 30_000, 1_000_000)]
    [300, 134, 100, 40, 7, 5]
    """
    n = max(examples, 1)
    usual = min(USUAL_PASSES, max(LEAST_PASSES, -(-MANY_EXAMPLES // n)))
    return max(usual, min(MOST_PASSES, -(-ENOUGH_EXAMPLES // n)))


def run_passes(
    one_pass: Callable[[Any, int, bool], AnyPass],
    state: Any,
    max_iter: int,
    stop: StoppingRule,
    *,
    validate: Callable[[Any], float] | None = None,
    keep: Callable[[Any], Any] = lambda state: state,
    higher_is_better: bool = False,
    history: History | None = None,
) -> Run:
    """Make passes until a rule says stop, and return the last state and the history.

    Parameters
    ----------
    one_pass : function of the state, the number of the pass, and whether the last one was clean
        Makes a pass: a generator that stops after each block of rows.
    state : any
        What to start from.
    max_iter : int
        The most passes.
    stop : function of a `History` and a `PassEnd`
        Returns why to stop after a pass, or an empty text.
    validate : function of a state, optional
        Scores the state after each pass on rows that were held out.
    keep : function of a state
        Returns what the history keeps of the best state, such as a copy.
    higher_is_better : bool
        Whether a score is the better the higher it is.
    history : History, optional
        What earlier passes of the same run came to.
    """
    history = History() if history is None else history
    while history.passes < max_iter:
        end = yield from one_pass(state, history.passes + 1, history.mistakes[-1:] == [0])
        state = end.state
        history.mistakes.append(end.mistakes)
        if end.loss is not None:
            history.losses.append(end.loss)
        if validate is not None:
            score, earlier = validate(state), history.validation
            if not earlier or (score > max(earlier) if higher_is_better else score < min(earlier)):
                history.best = keep(state)
            earlier.append(score)
        history.ending = stop(history, end)
        if history.ending:
            break
    return state, history


class Following(Generic[B, T]):
    """Iterates over what a generator yields, and keeps what it returns as ``result``."""

    result: T

    def __init__(self, run: Generator[B, None, T]) -> None:
        self._run = run

    def __iter__(self) -> Iterator[B]:
        self.result = yield from self._run


def drive(
    run: Generator[BlockEnd, None, T], n: int, report: Reporter, recorder: Recorder | None = None
) -> T:
    """Go through to the end, reporting on the way, and return what the generator returns."""
    earlier, blocks = 0, Following(run)
    for here in blocks:
        passes = here.number - 1
        report(passes + here.rows / n, passes * n + here.rows, earlier + here.mistakes)
        if here.last:
            earlier += here.mistakes
            if recorder is not None:
                recorder.take(here.mistakes)
    return blocks.result


def report_end(history: History, n: int, report: Reporter) -> None:
    """Report how it ended; there is nothing to report if the passes ran out."""
    if history.ending:
        passes = history.passes
        report(passes, passes * n, sum(history.mistakes), history.ending)


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


def choose_held_out(groups: Sequence[Array], share: float, rng: np.random.Generator) -> Array:
    """Choose a share of each group of rows to hold out: one at least, but never a whole group.

    A group of one row is not touched, as that row is needed to learn from.

    >>> rows = choose_held_out([np.arange(10), np.arange(10, 15)], 0.2, np.random.default_rng(0))
    >>> len(rows), int((rows < 10).sum())
    (3, 2)
    """
    counts = [min(max(round(share * len(group)), 1), len(group) - 1) for group in groups]
    picks = [rng.permutation(g)[:count] for g, count in zip(groups, counts, strict=True)]
    return np.sort(np.concatenate(picks))
