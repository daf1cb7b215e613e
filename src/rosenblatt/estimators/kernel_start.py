"""Where a kernel perceptron starts from: nothing, or what it learned before."""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Rows
from rosenblatt.estimators.kernel_data import Given, kernel_for
from rosenblatt.estimators.start import widened
from rosenblatt.learners import kernel as learner
from rosenblatt.learners.gram import PRECOMPUTED, Kernel
from rosenblatt.learners.online import TIES

_LOOKED_AT = {"poly": ("degree", "gamma", "coef0"), "rbf": ("gamma",), "laplacian": ("gamma",)}


def begin(
    estimator: Any,
    data: Given,
    classes: Array,
    codes: Array,
    warm: bool,
    rng: np.random.Generator | None = None,
    again: bool = False,
) -> learner.Learning:
    """Start from zero or from where it stands; ``again`` if these may be the rows of before."""
    if estimator.kernel == PRECOMPUTED and data.n != data.n_features:
        raise ValueError(
            f"X has shape {(data.n, data.n_features)}; with kernel='precomputed' it must be a "
            "square matrix, the kernel values of all rows with each other"
        )
    joint = estimator.multi_class == "joint"
    if warm:
        state, codes = widened(estimator, classes, codes)
        kernel = as_fitted(estimator, state)
        if state.joint != joint and len(estimator._state.born) > 1:
            raise _fixed("multi_class", "joint" if state.joint else "ovr")
        state = state._replace(ties=TIES[estimator.ties], joint=joint)
        if again and _come_again(data, kernel, state):
            state = learner.rejoin(state)
    else:
        estimator.classes_ = classes
        kernel = kernel_for(estimator, data)
        state = learner.init(
            data.n_features,
            len(classes),
            kernel=kernel,
            dtype=data.dtype,
            joint=joint,
            ties=estimator.ties,
        )
    grams = data.grams(kernel, state)
    blocks = learner.deal(data.n, grams.block_size, rng)
    return learner.Learning(state, grams, codes, blocks, estimator.max_support)


def _come_again(data: Given, kernel: Kernel, state: learner.State) -> bool:
    """Say whether these are the rows that were learned from before: none is stored twice."""
    if data.n != state.seen:
        if kernel.name == PRECOMPUTED:
            raise ValueError(
                f"this model learned from {state.seen} rows, but X has {data.n}: a warm start "
                "with kernel='precomputed' needs the kernel values of the same rows"
            )
        return False
    rows = data.grams(kernel, state).rows_of(len(state.origin) + state.origin)
    return _same_rows(rows, state.kept)


def _same_rows(first: Rows, second: Rows) -> bool:
    return type(first) is type(second) and all(map(np.array_equal, first, second))


def as_fitted(estimator: Any, state: learner.State) -> Kernel:
    """Return the kernel that a model was learned with, or raise if other parameters are set."""
    wanted = kernel_for(estimator, Given(np.zeros((1, 1)), None))
    kernel = learner.kernel_of(state, wanted.function)
    if kernel.name != wanted.name:
        raise _fixed("kernel", kernel.name)
    for name in _LOOKED_AT.get(kernel.name, ()):
        named = isinstance(getattr(estimator, name), str)  # γ is what the first rows made it
        if getattr(kernel, name) != getattr(wanted, name) and not named:
            raise _fixed(name, getattr(kernel, name))
    if kernel.bias != wanted.bias:
        raise _fixed("fit_intercept", bool(kernel.bias))
    return kernel


def _fixed(name: str, value: Any) -> ValueError:
    return ValueError(
        f"this model learned with {name}={value!r}, which cannot be changed afterwards; set it "
        "back, or fit anew with warm_start=False"
    )
