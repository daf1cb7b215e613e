"""The loops of the exact solver of the linear SVM: coordinate ascent on its dual.

Row i has the dual variable ``0 ≤ a_i ≤ upper_i`` and ``w = Σ a_i y_i x_i``. The dual is
``Σ a_i − ½‖w‖² − ½ Σ ridge_i a_i² − centre·r − ρ/2 r²`` with ``r = Σ a_i y_i``; its last two terms
keep r near 0, where there is an intercept, and the intercept they stand for is ``centre + ρ r``.
"""

from typing import Any, NamedTuple

from rosenblatt.data.rows import Array
from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.rows import add, dot, prefetch

AHEAD = 6  # rows whose memory is asked for before they are due
_TRIALS = 4  # lengths of a step that are tried
_SHORTER = 0.3  # each of them relative to the last
_DEPENDENT = 1e-14
_ROUNDING = 1e-12
_SHORT = 1e-12  # relative to the squared weights, a squared move whose gain is rounding
_NOISE = 1e-24  # one that is rounding itself
_LONGEST = 1e6  # sweeps or last steps that a step may be, as their rounding grows as much


class Task(NamedTuple):
    """What is fixed: labels −1 and 1, upper bounds, ridges, and the curvature along each variable.

    ``rho`` is 0 without an intercept.
    """

    y: Array
    upper: Array
    ridge: Array
    curvature: Array
    rho: float


class Point(NamedTuple):
    """Dual variables, the weights they make, and r and the centre in an array of two."""

    alpha: Array
    weights: Array
    balance: Array


class Direction(NamedTuple):
    """A direction in the dual variables, and what it does to weights and r."""

    alpha: Array
    weights: Array
    balance: Array


@jit
def fill_squares(rows: Any, start: int, stop: int, scratch: Any, out: Any) -> None:
    """Fill in the squared lengths of some rows; ``scratch`` is zeros, one for each column."""
    for i in range(start, stop):
        add(rows, i, 1.0, scratch)
        out[i] = dot(rows, i, scratch)
        add(rows, i, -1.0, scratch)


@jit
def fill_scores(rows: Any, start: int, stop: int, weights: Any, out: Any) -> None:
    """Fill in the scores of some rows without the intercept."""
    for i in range(start, stop):
        if i + AHEAD < stop:
            prefetch(rows, i + AHEAD)
        out[i] = dot(rows, i, weights)


@jit
def add_sides(
    rows: Any, start: int, stop: int, task: Any, alpha: Any, plus: Any, minus: Any
) -> None:
    """Add ``a_i y_i x_i`` over some rows to the sum of their class."""
    for i in range(start, stop):
        if alpha[i] > 0:
            add(rows, i, alpha[i] * task.y[i], plus if task.y[i] > 0 else minus)


@jit
def ascend(
    rows: Any, order: Any, start: int, stop: int, backward: bool, task: Any, point: Any
) -> None:
    """Maximise the dual along one variable after another (Hsieh et al. 2008)."""
    alpha, weights, balance = point
    first, last, step = (stop - 1, start - 1, -1) if backward else (start, stop, 1)
    for t in range(first, last, step):
        ahead = t + step * AHEAD
        if start <= ahead < stop:
            prefetch(rows, order[ahead])
        i = order[t]
        y, before = task.y[i], alpha[i]
        score = dot(rows, i, weights) + balance[1] + task.rho * balance[0]
        rest = 1.0 - y * score - task.ridge[i] * before
        if task.curvature[i] > 0:
            after = min(max(before + rest / task.curvature[i], 0.0), task.upper[i])
        else:  # a row of zeros: its score never changes
            after = task.upper[i] if rest > 0 else before
        if after != before:
            alpha[i] = after
            balance[0] += (after - before) * y
            add(rows, i, (after - before) * y, weights)


@jit
def inner(one: Any, other: Any) -> Any:
    """Return the scalar product of two vectors."""
    total = 0.0
    for j in range(one.shape[0]):
        total += one[j] * other[j]
    return total


@jit
def dual_value(order: Any, task: Any, point: Any, shift: Any, size: float) -> Any:
    """Return the dual at a point moved along a direction, but for what rows not in order add.

    Its weights and r are the point's: only the variables are moved, and clipped to their bounds.
    """
    total = 0.0
    for i in order:
        a = min(max(point.alpha[i] + size * shift[i], 0.0), task.upper[i])
        total += a - 0.5 * task.ridge[i] * a * a
    r = point.balance[0]
    squared = inner(point.weights, point.weights)
    return total - 0.5 * squared - r * point.balance[1] - 0.5 * task.rho * r * r


@jit
def stay_inside(rows: Any, order: Any, task: Any, point: Any, direction: Any) -> None:
    """Take the variables that are at a bound out of a direction.

    What is left of one that has almost nothing but those is rounding, and is cleared.
    """
    whole = inner(direction.weights, direction.weights)
    for i in order:
        a, move = point.alpha[i], direction.alpha[i]
        if move != 0 and (a <= 0 or a >= task.upper[i]):
            direction.alpha[i] = 0.0
            direction.balance[0] -= move * task.y[i]
            add(rows, i, -move * task.y[i], direction.weights)
    if inner(direction.weights, direction.weights) <= _ROUNDING * whole:
        for i in order:
            direction.alpha[i] = 0.0
        direction.weights[:] = 0.0
        direction.balance[0] = 0.0


@jit
def leave_out(rows: Any, kept: Any, task: Any, direction: Any) -> None:
    """Take the rows that are not kept out of a direction."""
    for i in range(kept.shape[0]):
        move = direction.alpha[i]
        if move != 0 and not kept[i]:
            direction.alpha[i] = 0.0
            direction.balance[0] -= move * task.y[i]
            add(rows, i, -move * task.y[i], direction.weights)


@jit
def products(order: Any, task: Any, one: Any, other: Any) -> Any:
    """Return the curvature of the dual between two directions."""
    total = inner(one.weights, other.weights) + task.rho * one.balance[0] * other.balance[0]
    for i in order:
        total += task.ridge[i] * one.alpha[i] * other.alpha[i]
    return total


@jit
def slope(order: Any, task: Any, point: Any, direction: Any) -> Any:
    """Return the derivative of the dual along a direction."""
    r = direction.balance[0]
    total = -inner(point.weights, direction.weights)
    total -= r * (point.balance[1] + task.rho * point.balance[0])
    for i in order:
        total += direction.alpha[i] * (1.0 - task.ridge[i] * point.alpha[i])
    return total


@jit
def exact_slopes(
    rows: Any, order: Any, task: Any, point: Any, one: Any, other: Any
) -> tuple[float, float]:
    """Return two of them from the scores of all rows: those of short directions round less."""
    first = second = 0.0
    for t in range(order.shape[0]):
        if t + AHEAD < order.shape[0]:
            prefetch(rows, order[t + AHEAD])
        i = order[t]
        if one.alpha[i] != 0 or other.alpha[i] != 0:
            score = dot(rows, i, point.weights) + point.balance[1] + task.rho * point.balance[0]
            rest = 1.0 - task.y[i] * score - task.ridge[i] * point.alpha[i]
            first += one.alpha[i] * rest
            second += other.alpha[i] * rest
    return first, second


@jit
def best_plane_step(
    rows: Any, order: Any, task: Any, point: Any, sweep: Any, last: Any, short: bool
) -> tuple[float, float]:
    """Return how far along each of two directions the dual is highest."""
    a, c = products(order, task, sweep, sweep), products(order, task, last, last)
    b = products(order, task, sweep, last)
    if short:
        u, v = exact_slopes(rows, order, task, point, sweep, last)
    else:
        u, v = slope(order, task, point, sweep), slope(order, task, point, last)
    determinant = a * c - b * b
    if determinant > _DEPENDENT * a * c:
        far, on = (c * u - b * v) / determinant, (a * v - b * u) / determinant
        if abs(far) < _LONGEST and abs(on) < _LONGEST:
            return far, on
    if a > 0 and abs(u) < _LONGEST * a:
        return u / a, 0.0
    return 0.0, 0.0


@jit
def leap(
    rows: Any, order: Any, task: Any, point: Any, before: Any, last: Any, sweep: Any, trial: Any
) -> float:
    """Continue from a sweep in its own direction and the last one, to where the dual is highest.

    This is the method of conjugate gradients on the variables between their bounds, with the sweep
    as its preconditioner (Björck and Elfving 1979, who sweep without bounds). Variables that would
    pass a bound stop there; if that lowers the dual, shorter steps are tried. ``before`` is the
    point that the sweep left; then it is the point now, and ``last`` the way between them.
    Return how long the step was, from 0 to 1.
    """
    for i in order:
        sweep.alpha[i] = point.alpha[i] - before.alpha[i]
    sweep.weights[:] = point.weights - before.weights
    sweep.balance[0] = point.balance[0] - before.balance[0]
    stay_inside(rows, order, task, point, sweep)
    stay_inside(rows, order, task, point, last)
    moved, size = inner(sweep.weights, sweep.weights), inner(point.weights, point.weights)
    far = on = 0.0
    short = moved <= _SHORT * size
    if moved > _NOISE * size:
        far, on = best_plane_step(rows, order, task, point, sweep, last, short)
    for i in order:
        sweep.alpha[i] = far * sweep.alpha[i] + on * last.alpha[i]
    sweep.weights[:] = far * sweep.weights + on * last.weights
    sweep.balance[0] = far * sweep.balance[0] + on * last.balance[0]
    reached = dual_value(order, task, point, sweep.alpha, 0.0)
    size, taken = 1.0, 0.0
    for _ in range(_TRIALS if far != 0 or on != 0 else 0):
        trial.weights[:] = point.weights + size * sweep.weights
        trial.balance[0] = point.balance[0] + size * sweep.balance[0]
        trial.balance[1] = point.balance[1]
        clipped = clip(rows, order, task, point, sweep, size, trial)
        if not clipped or (
            not short and dual_value(order, task, trial, sweep.alpha, size) > reached
        ):
            taken = size
            break
        size *= _SHORTER
    if taken > 0:
        for i in order:
            point.alpha[i] = min(max(point.alpha[i] + size * sweep.alpha[i], 0.0), task.upper[i])
        point.weights[:] = trial.weights
        point.balance[0] = trial.balance[0]
    for i in order:
        last.alpha[i] = point.alpha[i] - before.alpha[i]
        before.alpha[i] = point.alpha[i]
    last.weights[:] = point.weights - before.weights
    last.balance[0] = point.balance[0] - before.balance[0]
    before.weights[:] = point.weights
    before.balance[:] = point.balance
    return taken


@jit
def clip(rows: Any, order: Any, task: Any, point: Any, sweep: Any, size: float, trial: Any) -> int:
    """Correct the weights of a trial by what its variables were clipped; return how many were."""
    clipped = 0
    for i in order:
        wanted = point.alpha[i] + size * sweep.alpha[i]
        over = wanted - min(max(wanted, 0.0), task.upper[i])
        if over != 0:
            trial.balance[0] -= over * task.y[i]
            add(rows, i, -over * task.y[i], trial.weights)
            clipped += 1
    return clipped


@jit
def violations(scores: Any, intercept: float, task: Any, squared: bool) -> tuple[float, float]:
    """Return the sum of all losses, and its derivative by the intercept."""
    total = derivative = 0.0
    for i in range(scores.shape[0]):
        y = task.y[i]
        short = 1.0 - y * (scores[i] + intercept)
        if short > 0:
            if squared:
                total += short * short / (2.0 * task.ridge[i]) if task.ridge[i] > 0 else 0.0
                derivative -= y * short / task.ridge[i] if task.ridge[i] > 0 else 0.0
            else:
                total += task.upper[i] * short
                derivative -= task.upper[i] * y
    return total, derivative


@jit
def best_intercept(scores: Any, start: float, task: Any, squared: bool) -> float:
    """Return the intercept with the least sum of losses, by halving an interval around a start."""
    low = high = start
    width = 1.0 + abs(start)
    for _ in range(1100):
        if violations(scores, low, task, squared)[1] <= 0:
            break
        low, width = low - width, 2.0 * width
    width = 1.0 + abs(start)
    for _ in range(1100):
        if violations(scores, high, task, squared)[1] >= 0:
            break
        high, width = high + width, 2.0 * width
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if violations(scores, middle, task, squared)[1] >= 0:
            high = middle
        else:
            low = middle
    if violations(scores, low, task, squared)[0] < violations(scores, high, task, squared)[0]:
        return low
    return high


@jit
def choose_active(
    scores: Any, intercept: float, slack: float, task: Any, alpha: Any, kept: Any
) -> None:
    """Mark the rows whose variables may move.

    Those are left out that lie at a bound and want beyond it, by more than the slack.
    """
    for i in range(scores.shape[0]):
        rest = 1.0 - task.y[i] * (scores[i] + intercept) - task.ridge[i] * alpha[i]
        low, high = alpha[i] <= 0, alpha[i] >= task.upper[i]
        kept[i] = not ((low and high) or (low and rest < -slack) or (high and rest > slack))


@jit
def balancing(task: Any, alpha: Any) -> tuple[float, float]:
    """Return the factors of the variables of both classes that make r zero."""
    plus = minus = 0.0
    for i in range(alpha.shape[0]):
        if task.y[i] > 0:
            plus += alpha[i]
        else:
            minus += alpha[i]
    if plus > minus:
        return minus / plus, 1.0
    return 1.0, (plus / minus if minus > 0 else 1.0)
