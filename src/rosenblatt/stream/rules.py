"""The learners that learn from one example at a time, all to be used in the same way.

Nothing here depends on how a stream is cut into blocks: what one learns from a block is to the last
bit what it learns from the same examples one at a time.
"""

from functools import cache
from importlib import import_module
from math import ceil, isfinite, sqrt
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.arrays import read_only
from rosenblatt.data.rows import (
    Array,
    Dense,
    Rows,
    Sparse,
    all_finite,
    frozen,
    n_rows,
    weights_or_empty,
)
from rosenblatt.kernels.descent import (
    Linear,
    Mean,
    Pull,
    add_lengths,
    binary_descent,
    multiclass_descent,
)
from rosenblatt.kernels.online.adaptive import MOST_TIMES
from rosenblatt.kernels.online.regression import add_numbers, centre, spread
from rosenblatt.kernels.online.standardize import LARGEST
from rosenblatt.learner_registry import LEARNERS
from rosenblatt.learners import adaptive, arow, online, passive_aggressive, voted
from rosenblatt.learners.blocks import block
from rosenblatt.learners.descent import compiled_rule
from rosenblatt.learners.losses import LOSSES
from rosenblatt.passes import StopByMistakes, StoppingRule, passes_to_settle
from rosenblatt.stream.growing import WIDE, by_columns, insert

SCALES = (None, "numbers", "standard")
LEARNING_RATES = ("adaptive", "inverse_sqrt")
DECAY = 10_000  # examples after which the steps of gradient descent are 1/√2 of what they were
# Steps below this are as good as none: they have lost digits, or are zero.
_TINY = {name: float(np.finfo(name).tiny) for name in ("float32", "float64")}
# What a step may add to a weight without a thought of overflow: see `rosenblatt.kernels.overflow`.
# The sums for the mean add that times the number of examples, in float64.
_FOR_EVER = 1 << 48  # examples: more than any stream has
_MANY = 64  # rows that are worth a copy of all weights
_HARMLESS = {"float32": 2.0**100, "float64": 2.0**900}


class StreamRule(NamedTuple):
    """How a learner learns from a stream: its row of the registry, with the module loaded."""

    module: ModuleType
    loss: str | None
    one_by_one: bool

    @property
    def keeps_rows(self) -> bool:
        """Whether it keeps the rows that it was mistaken about."""
        return self.module is voted

    @property
    def predicts_numbers(self) -> bool:
        """Whether labels are numbers to predict, and not classes."""
        return self.loss == "squared"

    @property
    def adapts(self) -> bool:
        """Whether each feature has steps of its own."""
        return self.module is adaptive

    def passes(self, usual: int, examples: int) -> int:
        """Return how many passes over so many examples `train` makes, unless it is told.

        Steps that adapt need them until what is learned settles. Others have a number that is usual
        for the learner.
        """
        return passes_to_settle(examples) if self.adapts else usual

    def stopping_rule(self) -> StoppingRule:
        """Return what ends passes early: for perceptrons, one without a mistake."""
        return StopByMistakes(1) if not self.adapts else lambda history, end: ""

    def next_pass(self, options: "Options", state: Any) -> Any:
        """Return the state with which another pass over the same rows begins."""
        return adaptive.next_pass(state, **pace(options)) if self.adapts else state


class Options(NamedTuple):
    """The options of a learner.

    For gradient descent are ``eta0``, ``average``, ``learning_rate``, ``l2``, ``l1`` and
    ``forget``. For passive-aggressive ``eta0`` is C, and for AROW 1/r.
    """

    learner: str = "averaged"
    fit_intercept: bool = True
    ties: str = "mistake"
    eta0: float | str = "auto"
    average: bool = True
    dtype: str = "float32"
    learning_rate: str = "inverse_sqrt"
    l2: float = adaptive.L2
    scale: str | None = None
    loss: str = "hinge"
    l1: float = 0.0
    forget: int | None = None

    def stored(self) -> dict[str, Any]:
        """Return them for a file: without those that earlier versions did not have, if unused."""
        kept = self._asdict()
        return {name: kept[name] for name in kept if kept[name] or name not in ("l1", "forget")}


def rule_of(options: Options) -> StreamRule:
    """Return the rule of a learner."""
    return _rule(options.learner, options.learning_rate)


@cache
def _rule(learner: str, learning_rate: str) -> StreamRule:
    stream = LEARNERS[learner].stream
    assert stream is not None
    rule = StreamRule(import_module(stream.module), *stream[1:])
    adapts = rule.loss is not None and learning_rate == "adaptive"
    if adapts:
        rule = rule._replace(module=adaptive, one_by_one=True)
    return rule


def init(options: Options, n_features: int, n_classes: int) -> Any:
    """Return the state before any example."""
    rule = rule_of(options)
    given = {"loss": rule.loss} if rule.loss else {"ties": options.ties}
    return rule.module.init(
        n_features,
        n_classes,
        dtype=np.dtype(options.dtype),
        fit_intercept=options.fit_intercept,
        sparse=True,
        **given,
    )


def update(
    options: Options,
    state: Any,
    rows: Rows,
    y: Array,
    sum_squares: Array,
    weights: Array | None = None,
    scaling: Any = None,
) -> tuple[Any, int]:
    """Learn from rows in order; return the state and the mistakes.

    ``weights`` are those of the rows. They multiply the steps of a perceptron; for AROW and
    passive-aggressive ``eta0``. Where there is a loss, a row of weight 3 is learned from three
    times in a row. ``scaling`` is what the rows were scaled with, if they were.

    It ends before a row that would make a number overflow, which changes nothing: then the state
    counts fewer steps than there are rows. ``sum_squares`` is the sum of the squared lengths of
    all rows so far, and is changed.
    """
    rule, rows = rule_of(options), no_narrower(rows, state.weights.shape[1])
    if rule.loss is None:
        before, given = mistakes_of(state), _margin(options, rule)
        if weights is not None:
            given["weights"] = weights
        state = rule.module.update(state, rows, y, **given, until_overflow=True)
        if rule.keeps_rows:
            state = voted.keep(state, rows)
        return state, mistakes_of(state) - before
    if rule.adapts:
        after = adaptive.update(
            state,
            rows,
            y,
            **pace(options),
            usual=usual(options, scaling),
            lengths=sum_squares,
            average=options.average,
            weights=weights,
            until_overflow=True,
        )
        return after, after.mistakes - state.mistakes
    auto = options.eta0 == "auto"
    began = float(sum_squares[0]) if auto else 0.0
    sums = np.empty(n_rows(rows))
    add_lengths(rows, began, float(options.fit_intercept), sums)
    if len(sums) and not isfinite(sums[-1]):  # they only grow
        n = int(np.argmin(np.isfinite(sums)))
        rows, y, sums = block(rows, 0, n), y[:n], sums[:n]
    etas = steps(options, rule.loss, state, sums)
    if auto and len(etas) and (etas[0] if len(etas) == 1 else etas.min()) < _TINY[options.dtype]:
        n = int(np.argmax(etas < _TINY[options.dtype]))  # a row so long that no step is left
        rows, y, sums, etas = block(rows, 0, n), y[:n], sums[:n], etas[:n]
    if rule.predicts_numbers:
        after = _descend_to_numbers(state, rows, y, etas, options.average, weights)
    elif weights is None and _harmless(etas, began, sums):
        after = descend(state, rows, y, etas, options.average)
    else:
        after = _descend_carefully(state, rows, y, etas, options.average, weights)
    learned = after.steps - state.steps
    if auto and learned:
        sum_squares[0] = sums[learned - 1]
    return after, after.mistakes - state.mistakes


def update_numbers(
    options: Options,
    state: Any,
    rows: Rows,
    y: Array,
    sum_squares: Array,
    target: Array,
    weights: Array | None = None,
    scaling: Any = None,
) -> tuple[Any, float]:
    """Learn to predict numbers from rows in order; return the state and the squared errors.

    Steps that adapt to each feature learn to predict standardised numbers; others take them as they
    are. ``target`` has what is known of the numbers, and is changed; see `update` for the rest.
    """
    rule, rows = rule_of(options), no_narrower(rows, state.weights.shape[1])
    if rule.adapts:
        after = adaptive.update_numbers(
            state,
            rows,
            y,
            target,
            **pace(options),
            usual=usual(options, scaling),
            lengths=sum_squares,
            average=options.average,
            weights=weights,
        )
        return after, after.loss_sum - state.loss_sum
    fitting = np.abs(y) < min(LARGEST, float(np.finfo(options.dtype).max))
    n = len(y) if fitting.all() else int(np.argmin(fitting))
    own = None if weights is None else weights[:n]
    given = y[:n].astype(options.dtype)
    after, _ = update(options, state, block(rows, 0, n), given, sum_squares, own, scaling)
    learned = slice(after.steps - state.steps)
    of_these = weights_or_empty(None if own is None else own[learned])
    add_numbers(target, read_only(y[learned]), of_these)
    # Sums over blocks depend on where these end, and a model must not.
    return after._replace(loss_sum=state.loss_sum), after.loss_sum - state.loss_sum


def of_numbers(options: Options, target: Array) -> tuple[float, float]:
    """Return what a score is multiplied by, and what is added, to predict a number."""
    if not rule_of(options).adapts:
        return 1.0, 0.0
    centred = options.fit_intercept
    return float(spread(target, centred)), float(centre(target, centred))


def mistakes_of(state: Any) -> int:
    """Return the mistakes made so far: of those that learn from nothing else, the updates."""
    return int(getattr(state, "mistakes", state.updates))


def _margin(options: Options, rule: StreamRule) -> dict[str, Any]:
    """Return the options of the learners that want a margin."""
    eta0 = 1.0 if isinstance(options.eta0, str) else float(options.eta0)
    if rule.module is arow:
        return {"r": 1 / eta0}
    return {"C": eta0, "loss": options.loss} if rule.module is passive_aggressive else {}


def usual(options: Options, scaling: Any) -> float:
    """Return the mean squared length of rows up to which steps that adapt are whole.

    For rows that were not scaled it says nothing, as that depends on their units.
    """
    auto = isinstance(options.eta0, str)
    return adaptive.USUAL if auto and scaling is not None else float("inf")


def pace(options: Options) -> dict[str, Any]:
    """Return the options of the steps that adapt to each feature."""
    eta0 = options.eta0
    if isinstance(eta0, str):
        numbers = rule_of(options).predicts_numbers
        eta0 = adaptive.NUMBERS_ETA0 if numbers else adaptive.ETA0
    return {"eta0": eta0, "l2": options.l2, "l1": options.l1, "forget": options.forget}


def _harmless(etas: Array, began: float, sums: Array) -> bool:
    """Say whether no step can make a weight overflow; ``sums`` are of squared lengths."""
    if not len(sums):
        return True
    limit, longest = _HARMLESS[etas.dtype.name], float(etas.max())
    if longest * max(sqrt(sums[-1]), 1.0) < limit:
        return True
    # What rounding the sums can have taken from the largest length is added to it.
    square = float(np.diff(sums, prepend=began).max()) + 2.0**-50 * float(sums[-1])
    return longest * max(sqrt(square), 1.0) < limit


def steps(options: Options, loss: str, state: Any, sums: Array) -> Array:
    """Return the length of each row's step, ``η₀ / √(1 + t/10,000)``.

    η₀ is given, or it is 1/L: one over the most that the loss of a row of mean length curves. The
    mean is that of all rows so far, this one included: ``sums`` are of their squared lengths.
    """
    n, dtype = len(sums), state.weights.dtype
    t = np.arange(state.steps, state.steps + n, dtype=np.float64)
    decay = np.sqrt(1 + t / DECAY)
    if options.eta0 != "auto":
        return (float(options.eta0) / decay).astype(dtype)
    curvature = LOSSES[loss].curvature * (2 if len(state.weights) > 1 else 1)
    with np.errstate(divide="ignore"):
        etas = (t + 1) / (curvature * sums) / decay
    return np.minimum(etas, 1.0 / curvature * 1e6).astype(dtype)  # rows of zeros alone


def descend(state: Any, rows: Rows, y: Array, etas: Array, average: bool) -> Any:
    """Take a step for each row, up to one whose score overflows."""
    loop = binary_descent if len(state.weights) == 1 else multiclass_descent
    functions = Linear(online.whole(state.weights), state.intercept, np.zeros_like(state.intercept))
    rule = compiled_rule(state, 1, 0.0)
    mass = np.array([state.mass, state.averaged], np.float64)
    total = online.whole(state.total)
    mean = Mean(total, state.total_intercept, mass if average else mass[:0])
    visits, no_weights = (online.row_numbers(n_rows(rows)), online.NO_ROWS), np.empty(0)
    no_pull = Pull(0.0, no_weights, total)
    done = loop(rows, y, *visits, functions, etas, rule, mean, no_pull, no_weights)
    seen, moved, wrong, loss, _ = done
    if state.loss == "squared":  # else mistakes are counted
        state = state._replace(loss_sum=state.loss_sum + loss)
    return state._replace(
        steps=state.steps + seen,
        updates=state.updates + moved,
        mistakes=state.mistakes + wrong,
        mass=float(mass[0]),
        averaged=int(mass[1]),
    )


def _descend_carefully(
    state: Any, rows: Rows, y: Array, etas: Array, average: bool, weights: Array | None
) -> Any:
    """Take steps so long that a weight may overflow: look at each, and take the bad one back.

    A row of weight 3 takes three steps, so that they fall short of what it asks for less and less
    (Karampatziakis and Langford 2011); it counts as one all the same.
    """
    flat = "intercept", "total_intercept"
    for t in range(n_rows(rows)):
        row = block(rows, t, t + 1)
        columns: Any = slice(None)
        if isinstance(row, Sparse):
            columns = row.indices[row.indptr[0] : row.indptr[1]]
        wide = [getattr(state, name) for name in WIDE if hasattr(state, name)]
        parts: list[Any] = [(array, (slice(None), columns)) for array in wide]
        parts += [(getattr(state, name), slice(None)) for name in flat]
        before = [np.array(array[place]) for array, place in parts]
        weight = 1.0 if weights is None else float(weights[t])
        turns = 1 if weight <= 1 else min(MOST_TIMES, ceil(weight))
        with np.errstate(over="ignore"):  # a step that is infinite is taken back
            eta = (etas[t : t + 1] * (weight / turns)).astype(etas.dtype)
        # The arrays of a state change, its counts do not: each turn is counted as the first.
        made = [descend(state, row, y[t : t + 1], eta, average) for _ in range(turns)]
        after, last = made[0], made[-1]
        good = all(all_finite(array[place]) for array, place in parts)
        if min(after.steps, last.steps) == state.steps or not good:
            for (array, place), old in zip(parts, before, strict=True):
                array[place] = old
            return state
        state = after._replace(loss_sum=state.loss_sum + weight * (after.loss_sum - state.loss_sum))
    return state


def _descend_to_numbers(
    state: Any, rows: Rows, y: Array, etas: Array, average: bool, weights: Array | None
) -> Any:
    """Take steps for the squared error, which are as long as the error: any may overflow.

    Many at once, on a copy, as long as all goes well.
    """
    if weights is None and n_rows(rows) >= _MANY:
        after = descend(online.copy(state), rows, y, etas, average)
        if all(all_finite(part) for part in after if isinstance(part, np.ndarray)):
            return after
    return _descend_carefully(state, rows, y, etas, average, weights)


def no_narrower(rows: Rows, width: int) -> Rows:
    """Return rows that may be used with this many weights.

    For a row of an array the loops go over all weights, of which there may be more than columns.
    """
    if not isinstance(rows, Dense) or rows.values.shape[1] == width:
        return rows
    return as_sparse(rows)


def as_sparse(rows: Dense) -> Sparse:
    """Return the rows of an array with every number of them stored, zeros as well."""
    n, d = rows.values.shape
    parts = np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), rows.values.ravel()
    return frozen(Sparse(parts[0].astype(np.int32), parts[1], parts[2]))


def planes(options: Options, state: Any) -> tuple[Array, Array]:
    """Return the weights and intercepts to predict with: the averaged ones where there are such."""
    module = rule_of(options).module
    if not hasattr(module, "average"):
        return state.weights, state.intercept
    weights, intercept = module.average(state)
    return weights, intercept


def planes_at(options: Options, state: Any, columns: Array) -> tuple[Array, Array]:
    """Return some columns of `planes`, without making the others."""
    part = {name: getattr(state, name)[:, columns] for name in WIDE if hasattr(state, name)}
    return planes(options, state._replace(**part))


def grow(options: Options, state: Any, place: int, n_classes: int) -> Any:
    """Add a class, at a place among the others."""
    if n_classes > 3:
        return insert(state, place)
    places, module = np.delete(np.arange(n_classes), place), rule_of(options).module
    return by_columns(state, lambda state: module.grow(state, places, n_classes))


def checked(options: Options, numbers: bool = False) -> Options:
    """Raise ``ValueError`` for what makes no sense; learners predict ``numbers``, or classes."""
    known = [
        name
        for name, row in LEARNERS.items()
        if row.stream is not None and (row.stream.loss == "squared") == numbers
    ]
    if options.learner not in known:
        raise ValueError(f"learner={options.learner!r} must be one of {', '.join(known)}")
    if options.ties not in online.TIES:
        raise ValueError(f"ties={options.ties!r} must be one of {', '.join(online.TIES)}")
    if options.learning_rate not in LEARNING_RATES:
        known = list(LEARNING_RATES)
        raise ValueError(
            f"learning_rate={options.learning_rate!r} must be one of {', '.join(known)}"
        )
    if not (isinstance(options.l2, int | float) and 0 <= options.l2 < np.inf):
        raise ValueError(f"l2={options.l2!r} must be a number, not negative")
    if not (isinstance(options.l1, int | float) and 0 <= options.l1 < np.inf):
        raise ValueError(f"l1={options.l1!r} must be a number, not negative")
    if options.l1 and not rule_of(options).adapts:
        what = options.learner
        if rule_of(options).loss is not None:
            what = f"learning_rate={options.learning_rate!r}"
        raise ValueError(
            f"l1={options.l1!r} is for gradient descent with adaptive steps, which makes weights "
            f"exactly zero; {what} does not"
        )
    check_forget(options)
    if options.scale not in SCALES:
        raise ValueError(f"scale={options.scale!r} must be 'standard', 'numbers' or None")
    if options.loss not in passive_aggressive.VARIANTS:
        known = list(passive_aggressive.VARIANTS)
        raise ValueError(f"loss={options.loss!r} must be one of {', '.join(known)}")
    if options.dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={options.dtype!r} must be float32 or float64")
    eta0 = options.eta0
    if eta0 != "auto" and not (isinstance(eta0, int | float) and 0 < eta0 < np.inf):
        raise ValueError(f"eta0={eta0!r} must be 'auto' or a positive number")
    return options


def check_forget(options: Options) -> None:
    """Raise ``ValueError`` for a half-life that makes no sense, or none for this learner."""
    forget = options.forget
    if forget is None:
        return
    if isinstance(forget, bool) or not isinstance(forget, int) or not 1 <= forget < _FOR_EVER:
        raise ValueError(
            f"forget={forget!r} must be a number of examples, after which one counts half: a whole "
            "number, 1 or more"
        )
    if not rule_of(options).adapts:
        what = options.learner
        if rule_of(options).loss is not None:
            what = f"learning_rate={options.learning_rate!r}"
        raise ValueError(
            f"forget={forget} is for gradient descent with adaptive steps: logistic, svm and "
            f"regression; the steps of {what} do not shrink with what it remembers"
        )
    if options.average:
        raise ValueError(
            f"forget={forget} and average=True contradict each other: a mean of all weights "
            "forgets nothing; leave out one of them"
        )
