"""The learners that learn from one example at a time, all to be used in the same way.

Nothing here depends on how a stream is cut into blocks: what one learns from a block is to the last
bit what it learns from the same examples one at a time.
"""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, frozen, n_rows
from rosenblatt.kernels.descent import Linear, Mean, Rule, binary_descent, multiclass_descent
from rosenblatt.kernels.lengths import add_lengths
from rosenblatt.learners import averaged, descent, online, perceptron, voted
from rosenblatt.learners.losses import LOSSES

DECAY = 10_000  # examples after which the steps of gradient descent are 1/√2 of what they were
_WIDE = ("weights", "total")  # what has a column for each feature


class Online(NamedTuple):
    """A learner, by the module that has its functions; the loss it descends, if it does that."""

    module: ModuleType
    loss: str | None = None
    weights_examples: bool = False


ONLINE = {
    "perceptron": Online(perceptron, weights_examples=True),
    "averaged": Online(averaged, weights_examples=True),
    "voted": Online(voted),
    "logistic": Online(descent, "logistic"),
    "svm": Online(descent, "hinge"),
}


class Options(NamedTuple):
    """What a learner is told; ``eta0`` and ``average`` are for gradient descent."""

    learner: str = "averaged"
    fit_intercept: bool = True
    ties: str = "mistake"
    eta0: float | str = "auto"
    average: bool = True
    dtype: str = "float32"


def init(options: Options, n_features: int, n_classes: int) -> Any:
    """Return the state before any example."""
    rule = ONLINE[options.learner]
    given = {"loss": rule.loss} if rule.loss else {"ties": options.ties}
    return rule.module.init(
        n_features,
        n_classes,
        dtype=np.dtype(options.dtype),
        fit_intercept=options.fit_intercept,
        sparse=True,
        **given,
    )


def update(options: Options, state: Any, rows: Rows, y: Array, pace: Array) -> tuple[Any, int]:
    """Learn from rows in order; return the state and the mistakes.

    ``pace`` holds the sum of the squared lengths of all rows so far, and changes.
    """
    rule, rows = ONLINE[options.learner], no_narrower(rows, state.weights.shape[1])
    if rule.loss is None:
        before = state.updates
        state = rule.module.update(state, rows, y)
        if rule.module is voted:
            state = voted.keep(state, rows)
        return state, state.updates - before
    before = state.mistakes
    etas = steps(options, rule.loss, state, rows, pace)
    state = descend(state, rows, y, etas, options.average)
    return state, state.mistakes - before


def steps(options: Options, loss: str, state: Any, rows: Rows, pace: Array) -> Array:
    """Return the length of each row's step, ``η₀ / √(1 + t/10,000)``.

    η₀ is told, or it is 1/L: one over the most that the loss of a row of mean length curves. The
    mean is that of all rows so far, this one included.
    """
    n, dtype = n_rows(rows), state.weights.dtype
    t = np.arange(state.steps, state.steps + n, dtype=np.float64)
    decay = np.sqrt(1 + t / DECAY)
    if options.eta0 != "auto":
        return (float(options.eta0) / decay).astype(dtype)
    sums = np.empty(n)
    add_lengths(rows, pace[0], float(options.fit_intercept), sums)
    if n:
        pace[0] = sums[-1]
    curvature = LOSSES[loss].curvature * (2 if len(state.weights) > 1 else 1)
    with np.errstate(divide="ignore"):
        etas = (t + 1) / (curvature * sums) / decay
    return np.minimum(etas, 1.0 / curvature * 1e6).astype(dtype)  # rows of zeros alone


def descend(state: Any, rows: Rows, y: Array, etas: Array, average: bool) -> Any:
    """Take a step for each row."""
    dtype, loop = state.weights.dtype, multiclass_descent
    if len(state.weights) == 1:
        loop = binary_descent
    functions = Linear(state.weights, state.intercept, np.zeros_like(state.intercept))
    rule = Rule(LOSSES[state.loss].code, 1, 0.0, dtype.type(state.fit_intercept))
    mass = np.array([state.mass, state.averaged], np.float64)
    mean = Mean(state.total, state.total_intercept, mass) if average else None
    order = online.row_numbers(n_rows(rows))
    done = loop(rows, y, order, online.NO_ROWS, functions, etas, rule, mean, None)
    seen, moved, wrong, _, bad = done
    if bad >= 0:
        raise descent.DivergedError(
            f"the score of example {state.steps + bad + 1:,} is too large for {dtype}: scale the "
            "features, or make eta0 smaller"
        )
    return state._replace(
        steps=state.steps + seen,
        updates=state.updates + moved,
        mistakes=state.mistakes + wrong,
        mass=float(mass[0]),
        averaged=int(mass[1]),
    )


def no_narrower(rows: Rows, width: int) -> Rows:
    """Return rows that may be used with so many weights.

    For a row of an array the loops go over all weights, of which there may be more than columns.
    """
    if not isinstance(rows, Dense) or rows.values.shape[1] == width:
        return rows
    n, d = rows.values.shape
    parts = np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), rows.values.ravel()
    return frozen(Sparse(parts[0].astype(np.int32), parts[1], parts[2]))


def planes(options: Options, state: Any) -> tuple[Array, Array]:
    """Return the weights and intercepts to predict with: the averaged ones where there are such."""
    module = ONLINE[options.learner].module
    if module is perceptron:
        return state.weights, state.intercept
    weights, intercept = module.average(state)
    return weights, intercept


def planes_at(options: Options, state: Any, columns: Array) -> tuple[Array, Array]:
    """Return some columns of `planes`, without making the others."""
    part = {name: getattr(state, name)[:, columns] for name in _WIDE if hasattr(state, name)}
    return planes(options, state._replace(**part))


def widen(state: Any, n_features: int) -> Any:
    """Make room for more features; those that are new have zeros."""
    grown = {}
    for name in _WIDE:
        array = getattr(state, name, None)
        if array is not None and array.shape[1] < n_features:
            wider = np.zeros((len(array), n_features), array.dtype, order="F")
            wider[:, : array.shape[1]] = array
            grown[name] = wider
    return state._replace(**grown)


def grow(options: Options, state: Any, places: Array, n_classes: int) -> Any:
    """Make room for more classes; ``places`` says where the known ones go."""
    state = ONLINE[options.learner].module.grow(state, places, n_classes)
    layout = {
        name: np.asarray(getattr(state, name), order="F") for name in _WIDE if hasattr(state, name)
    }
    return state._replace(**layout)


def checked(options: Options) -> Options:
    """Raise ``ValueError`` for what makes no sense."""
    if options.learner not in ONLINE:
        raise ValueError(f"learner={options.learner!r} must be one of {', '.join(ONLINE)}")
    if options.ties not in online.TIES:
        raise ValueError(f"ties={options.ties!r} must be one of {', '.join(online.TIES)}")
    if options.dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={options.dtype!r} must be float32 or float64")
    eta0 = options.eta0
    if eta0 != "auto" and not (isinstance(eta0, int | float) and 0 < eta0 < np.inf):
        raise ValueError(f"eta0={eta0!r} must be 'auto' or a positive number")
    return options
