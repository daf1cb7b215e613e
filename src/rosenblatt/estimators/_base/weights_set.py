"""Going on from weights that the user has set on a fitted model."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.rows import Array
from rosenblatt.learners import adaptive, descent, online, voted


def current_state(estimator: Any) -> Any:
    """Return the state that learning goes on from, which is that of ``coef_`` and ``intercept_``.

    They are what the last call left, unless the user has set others since.
    """
    state = estimator._state
    if not hasattr(estimator, "_hyperplanes"):
        return state  # sums over rows: weights follow from these alone
    left = estimator._hyperplanes(state)
    given = [_as_array(getattr(estimator, name)) for name in ("coef_", "intercept_")]
    if all(map(_same, given, left)):
        return state
    if isinstance(state, voted.State):
        raise ValueError(
            f"{type(estimator).__name__} cannot go on from coef_ and intercept_ that were set: all "
            "hypotheses vote, and they follow from the mistakes. Use Perceptron or "
            "AveragedPerceptron, or fit again with warm_start=False"
        )
    weights, intercept = (np.empty_like(part) for part in (state.weights, state.intercept))
    fill(weights, given[0], "coef_")
    fill(intercept, given[1], "intercept_")
    if not estimator.fit_intercept and np.any(intercept):
        raise ValueError("intercept_ must be 0 with fit_intercept=False")
    # The ledger replays updates from its start on, and would not come to these.
    vars(estimator).pop("ledger_", None)
    if isinstance(state, adaptive.State):
        return adaptive.with_weights(state, weights, intercept, estimator.eta0_)
    if isinstance(state, descent.State):
        return descent.with_weights(state, weights, intercept)
    return online.with_weights(state, weights, intercept)


def _as_array(given: Any) -> Any:
    """Return weights as an array, which sparse ones are not."""
    return given.toarray() if sp.issparse(given) else given


def _same(given: Any, left: Array) -> bool:
    """Say whether weights are those that the last call left: regressions drop an axis of them."""
    if given is left:
        return True
    shape = np.shape(given)
    return shape in (left.shape, left.shape[1:]) and np.array_equal(
        np.reshape(given, -1), left.ravel()
    )


def fill(target: Array, start: Any, name: str) -> None:
    """Write weights that a user gives into an array of the right shape and type."""
    start = np.asarray(start, np.float64)
    # Two classes share one function, whose leading axis of length one may be left out.
    shapes = [target.shape] + ([target.shape[1:]] if len(target) == 1 else [])
    if start.shape not in shapes:
        raise ValueError(f"{name} has shape {start.shape}, expected {target.shape}")
    if not np.all(np.isfinite(start)):
        raise ValueError(f"{name} must be finite numbers")
    target[...] = start
