"""Step sizes of gradient descent: the first one, and those after it."""

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix, entries, n_rows, take
from rosenblatt.estimators._base.start import Task
from rosenblatt.learners.losses import FOR_NUMBERS, LOSSES
from rosenblatt.learners.online import too_large
from rosenblatt.learners.schedules import (
    Schedule,
    constant,
    inverse,
    inverse_sqrt,
    of_step,
    optimal,
    step_decay,
)

ADAPTIVE = "adaptive"
RATES = (
    *("auto", "constant", "inverse", "inverse_sqrt", "step", "optimal"),
    *("line_search", "polyak", ADAPTIVE),
)
_DECAYS = {"inverse": inverse, "inverse_sqrt": inverse_sqrt, "step": step_decay}
_SAMPLE = 10_000
_ODD = 100  # times the size of the middle column
_SAMPLE_ENTRIES = 1 << 21
_LEAST_DECAY = 1_000  # moves; few rows, or large batches, need more than one pass of long steps
_POWER_STEPS = 20
KINKED = tuple(name for name, loss in LOSSES.items() if loss.kinked)
PULLING = ("l1", "elasticnet")  # penalties that make weights exactly zero
SETTLING = ("inverse", "step", "optimal")  # steps whose last weights are as good as a mean
ALPHA = 1e-4  # the default penalty of descent


class Steps(NamedTuple):
    """A schedule, or whether every step is searched for or aims at a loss."""

    schedule: Schedule
    searched: bool = False
    eta0: float = 1.0
    aimed: bool = False


def steps_of(estimator: Any, eta0: float, moves: int, whole: bool, partial: bool = False) -> Steps:
    """Choose the steps that an estimator's parameters ask for; ``moves`` are those of a pass."""
    rate = rate_of(estimator, whole, partial)
    if callable(rate):
        return Steps(of_step(rate, eta0))
    if rate == "line_search":
        if not whole:
            raise ValueError(
                "learning_rate='line_search' looks at all rows for every step, so it needs "
                "batch_size=None and fit; choose another learning_rate for smaller batches"
            )
        if estimator.penalty in PULLING:
            raise ValueError(
                "learning_rate='line_search' needs a smooth penalty: choose penalty='l2', or "
                f"learning_rate='constant' with penalty='{estimator.penalty}'"
            )
        return Steps(constant(eta0), searched=True, eta0=eta0)
    if rate == "polyak":
        if not whole or partial:
            raise ValueError(
                "learning_rate='polyak' uses the loss of all rows, so it needs batch_size=None "
                "and fit; choose another learning_rate for smaller batches and partial_fit"
            )
        if estimator.loss == "perceptron":
            raise ValueError(
                "learning_rate='polyak' depends on how low the loss can get, and the perceptron's "
                "is lowest where all weights are zero; choose loss='hinge' or another learning_rate"
            )
        return Steps(constant(eta0), aimed=True)
    if rate == "optimal":
        if estimator.penalty != "l2" or not estimator.alpha_ > 0:
            raise ValueError(
                "learning_rate='optimal' is 1/(alpha·t), so it needs penalty='l2' and alpha > 0; "
                "'inverse_sqrt' needs none"
            )
        return Steps(optimal(estimator.alpha_, min(eta0, 0.5 / estimator.alpha_)))
    if rate == "constant":
        return Steps(constant(eta0))
    over = estimator.decay_steps
    if over == "auto":
        over = max(moves, _LEAST_DECAY) * (5 if rate == "step" else 1)
    return Steps(_DECAYS[rate](eta0, float(over)))


def rate_of(estimator: Any, whole: bool, partial: bool = False) -> Any:
    """Return the name of an estimator's steps, or their function; "auto" is what suits it best."""
    if estimator.learning_rate != "auto":
        return estimator.learning_rate
    if not whole:
        return "inverse_sqrt"
    if estimator.eta0 != "auto":
        return "constant"
    # A line search needs a smooth loss: at a kink no step along the gradient may lower it.
    if estimator.loss not in KINKED and estimator.penalty not in PULLING:
        return "line_search"
    return "polyak" if aims(estimator.loss) and not partial else "constant"


def aims(loss: str) -> bool:
    """Say whether Polyak's steps suit a loss best: where it has kinks, and is lowest at a use."""
    return loss in KINKED and loss != "perceptron"


class Target:
    """The loss that steps aim at, and how long they are: Polyak's.

    ``η = (loss − aim)/‖gradient‖²`` leads to the aim if the loss is a plane. The aim is below the
    best loss so far by a gap, at first by all of it, as no loss is below zero. When the gap was not
    half closed for some moves, it was too much to hope for, and is halved (Goffin and Kiwiel 1999).
    A single step may raise the loss, but where the aim can be reached, each leads nearer to all
    weights that reach it, at kinks as elsewhere.
    """

    def __init__(self, patience: int) -> None:
        self.patience, self.stale = patience, 0
        self.best = self.gap = self.enough = np.inf

    def step(self, loss: float, steepness: float) -> float:
        """Take note of a loss and the length of its gradient; return the step."""
        self.stale = 0 if loss < self.enough else self.stale + 1
        self.best = min(self.best, loss)
        if self.stale >= self.patience:
            self.gap, self.stale = self.gap / 2, 0
        self.gap = min(self.gap, self.best)
        self.enough = self.best - self.gap / 2
        return (loss - self.best + self.gap) / steepness / steepness if steepness > 0 else 0.0


def safe_step(
    loss: str, rows: Rows, shape: tuple[int, int], batch: int, fit_intercept: bool, l2: float = 0.0,
    weights: Array | None = None, unit: float = 1.0,
) -> float:  # fmt: skip
    """Return 1/L, where L is the most that the loss of a batch curves in any direction.

    A row's loss curves at most c·‖x‖², the mean of many at most c·λ, where λ is the largest
    eigenvalue of the mean of x xᵀ; for a batch of b it is (c/b)(‖x‖² + (b−1) λ) in expectation
    (Gower et al. 2019). ‖x‖² is the mean over rows, or the largest for squares, whose slopes know
    no bound. For a large matrix, 10,000 of its rows or fewer are used. A row's weight multiplies
    its curve, and in the mean it counts by its weight. An L2 penalty adds its own curve. A
    perceptron's step is 1, as it only scales the weights. ``unit`` is the size of the scores to
    come, where slopes do not tell.
    """
    curvature = LOSSES[loss].curvature * (2 if loss == "logistic" and shape[0] > 1 else 1)
    if curvature == 0:
        return 1.0 / (1.0 + l2)
    X = as_matrix(_sample(rows), shape[1])
    each = 1.0 if weights is None else weights[_sampled(rows)]
    with np.errstate(over="ignore", invalid="ignore"):
        X = X.astype(np.float64)
        squares = X.multiply(X) if hasattr(X, "multiply") else np.square(X)
        lengths = np.asarray(squares.sum(axis=1), np.float64).ravel() + float(fit_intercept)
        lengths *= each
        size = float(lengths.max() if LOSSES[loss].steep else (each * lengths).mean())
        if batch > 1:
            largest = _largest_eigenvalue(X, fit_intercept, each)
            size = (size + (batch - 1) * largest) / batch
    if not np.isfinite(size):
        raise too_large("the squared length of a row is", np.dtype(np.float64))
    bend = curvature * size / unit + l2
    return 1.0 / bend if bend > 0 else 1.0


class Column(NamedTuple):
    """A column, and how many times as large as a usual one it is."""

    number: int
    times: float


def odd_column(rows: Rows) -> Column | None:
    """Return the largest column of dense rows, if it is far larger than the middle one."""
    if not isinstance(rows, Dense):
        return None
    with np.errstate(over="ignore"):
        sizes = np.sqrt(np.mean(np.square(_sample(rows).values, dtype=np.float64), axis=0))
    seen = sizes[sizes > 0]
    if not seen.size or not np.all(np.isfinite(seen)):
        return None
    largest = int(sizes.argmax())
    times = float(sizes[largest] / np.median(seen))
    return Column(largest, times) if times > _ODD else None


def _sample(rows: Rows) -> Rows:
    chosen = _sampled(rows)
    return rows if len(chosen) == n_rows(rows) else take(rows, chosen)


def _sampled(rows: Rows) -> Array:
    """Return the numbers of the rows that speak for all."""
    n = n_rows(rows)
    size = min(_SAMPLE, max(1, _SAMPLE_ENTRIES * n // max(entries(rows), 1)))
    return np.linspace(0, n - 1, min(n, size)).astype(np.intp)


def _largest_eigenvalue(X: Any, fit_intercept: bool, weights: Any) -> float:
    """Return about the largest eigenvalue of the mean of (x, 1)(x, 1)ᵀ, by powers of it."""
    n, d = X.shape
    v = np.ones(d + fit_intercept, np.float64)
    value = 0.0
    for _ in range(_POWER_STEPS):
        v /= np.linalg.norm(v)
        part, shift = v[:d], v[d] if fit_intercept else 0.0
        u = (np.asarray(X @ part) + shift) * weights
        back = np.asarray(X.T @ u) / n
        v = np.append(back, u.mean()) if fit_intercept else back
        value = float(np.linalg.norm(v))
        if not 0 < value < np.inf:
            break
    # The first few powers come from below.
    return 1.05 * value


def check_number(rate: Any) -> None:
    """Raise ``ValueError`` if a step size was given where a schedule is named."""
    if isinstance(rate, Real):
        raise ValueError(
            f"learning_rate names a schedule; a step size goes into eta0: "
            f"learning_rate='constant', eta0={rate}"
        )


def check_rate(rate: str | Callable[[int], float]) -> bool:
    """Accept a schedule's name or a function of the step."""
    return callable(rate) or (isinstance(rate, str) and rate in RATES)


def step_lengths(estimator: Any, task: Task, batch: int, safe: bool = False) -> float:
    """Return η₀: the given one, or the safe one."""
    if estimator.eta0 != "auto" and not safe:
        return float(estimator.eta0)
    shape, l2 = task.state.weights.shape, estimator._penalty().l2
    given = task.rows, shape, batch, bool(estimator.fit_intercept), l2, task.weights
    return safe_step(estimator.loss, *given, _unit(estimator.loss, task.y))


def _unit(loss: str, y: Array) -> float:
    """Return how far numbers are from their median, or else from 0, if slopes do not say so."""
    if loss not in FOR_NUMBERS or not LOSSES[loss].kinked:
        return 1.0
    for middle in (np.median(y), 0.0):  # numbers that are all the same have no spread
        with np.errstate(over="ignore"):
            spread = float(np.abs(y.astype(np.float64) - middle).mean())
        if 0 < spread < np.inf:
            return spread
    return 1.0
