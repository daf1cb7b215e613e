"""The state that learning starts from: zeros, given weights, or an earlier model."""

from math import log2, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from rosenblatt.data.labels import as_labels, check_labels, encode, positions, union
from rosenblatt.data.rows import Array, Rows, rows_to_visit
from rosenblatt.estimators._base.calibrated import refuse_warm_start
from rosenblatt.estimators._base.checks import check_X, check_y
from rosenblatt.estimators._base.params import check_params, same_scaling
from rosenblatt.estimators._base.weights import with_class_weight, without_zeros
from rosenblatt.estimators._base.weights_set import current_state, fill
from rosenblatt.learners import online

_SHORTEST = -60  # the exponent of the shortest step of an intercept, in float32 far from zero


class Task(NamedTuple):
    """A state, the rows and targets to learn from, and whether it continues an earlier call.

    ``weights`` are those of the rows, None if all are 1; ``kept`` the numbers that the rows had
    among ``n_given``, if some of weight zero were left out.
    """

    state: Any
    rows: Rows
    y: Array
    goes_on: bool
    weights: Array | None = None
    kept: Array | None = None
    n_given: int = 0


def begin(
    estimator: Any,
    X: Any,
    y: Any,
    coef_init: Any = None,
    intercept_init: Any = None,
    sample_weight: Any = None,
) -> Task:
    """Check what `fit` is given, set ``classes_``, and start or warm-start a state."""
    check_params(estimator)
    given = coef_init is not None or intercept_init is not None
    warm = estimator.warm_start and hasattr(estimator, "_state") and not given
    if warm:
        refuse_warm_start(estimator)
    X = as_precise(estimator, check_X(estimator, X, reset=not warm), warm)
    labels = check_y(estimator, y, X.shape[0])
    X, labels, weights, kept, n_given = without_zeros(X, labels, sample_weight)
    classes, codes = encode(labels)
    refuse_one_class(classes)
    rows = rows_to_visit(X)
    if warm:
        state, codes = with_new_classes(estimator, classes, codes)
        state = adapted(estimator, state, rows)
    else:
        estimator.classes_ = classes
        state = new_state(estimator, X, coef_init, intercept_init)
    targets = online.targets(codes, len(estimator.classes_), state.weights.dtype)
    weights = with_class_weight(estimator, estimator.classes_, codes, weights)
    return Task(state, rows, targets, warm, weights, kept, n_given)


def resume(estimator: Any, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Task:
    """Check what `partial_fit` is given, set ``classes_``, and add those that are new."""
    check_params(estimator)
    first = not hasattr(estimator, "_state")
    X = as_precise(estimator, check_X(estimator, X, reset=first), not first)
    labels = check_y(estimator, y, X.shape[0])
    X, labels, weights, kept, n_given = without_zeros(X, labels, sample_weight)
    seen, codes = encode(labels) if classes is None else listed_classes(classes, labels)
    rows = rows_to_visit(X)
    if first:
        estimator.classes_ = seen
        state = new_state(estimator, X)
    else:
        state, codes = with_new_classes(estimator, seen, codes)
        state = adapted(estimator, state, rows)
    targets = online.targets(codes, len(estimator.classes_), state.weights.dtype)
    weights = with_class_weight(estimator, estimator.classes_, codes, weights, partial=True)
    return Task(state, rows, targets, not first, weights, kept, n_given)


def refuse_one_class(classes: Array) -> None:
    """Raise ``ValueError`` unless there are two classes or more."""
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only ({classes.tolist()[0]!r}), so there is nothing to tell "
            "apart: a classifier needs two classes or more"
        )


def as_precise(estimator: Any, X: Any, warm: bool) -> Any:
    """Convert float32 rows to float64 for a float64 model, which would lose precision otherwise."""
    if warm and estimator._state.weights.dtype == np.float64 and X.dtype == np.float32:
        return X.astype(np.float64)
    return X


def listed_classes(classes: Any, labels: Array) -> tuple[Array, Array]:
    """Return the classes that the caller lists, and the codes of the labels among them."""
    classes = np.asarray(as_labels(classes))
    if classes.ndim != 1 or not classes.size:
        raise ValueError(f"classes must list the labels to come, got {classes.tolist()}")
    check_labels(labels)
    check_labels(classes)
    classes = np.unique(classes)
    codes = positions(classes, labels)
    if codes is None:
        unknown = labels[~np.isin(labels, classes)].tolist()[0]
        raise ValueError(f"y has the label {unknown!r}, which is not in classes={classes.tolist()}")
    return classes, codes


def new_state(
    estimator: Any,
    X: Any,
    coef_init: Any = None,
    intercept_init: Any = None,
    n_classes: int | None = None,
) -> Any:
    """Start a state for data of this shape and type."""
    state = estimator._learner.init(
        X.shape[1],
        len(estimator.classes_) if n_classes is None else n_classes,
        dtype=X.dtype,
        fit_intercept=intercept_step(estimator, X),
        sparse=sp.issparse(X),
        **estimator._init_options(),
    )
    for name, init, start in (
        ("weights", "coef_init", coef_init),
        ("intercept", "intercept_init", intercept_init),
    ):
        if start is not None:
            fill(getattr(state, name), start, init)
    if not estimator.fit_intercept and np.any(state.intercept):
        raise ValueError("intercept_init must be 0 with fit_intercept=False")
    return state


def intercept_step(estimator: Any, X: Any) -> bool | float:
    """Return how far a step of size 1 moves the intercept: c² if it is a feature of value c."""
    scaling = getattr(estimator, "intercept_scaling", 1.0)
    if not estimator.fit_intercept:
        return False
    square = usual_square(X) if isinstance(scaling, str) else float(scaling) ** 2
    return True if square == 1 else float(X.dtype.type(square))


def usual_square(X: Any) -> float:
    """Return the square of the feature that an intercept is, unless it is told.

    It is 1, and less for short sparse rows: then the geometric mean of the squares of a whole row
    and of one of its values, as measured in ADR 0033. A power of two keeps sums of it exact, and
    the same in float32 and on any machine.

    >>> usual_square(np.eye(3)), usual_square(sp.csr_matrix(np.eye(3)))
    (1.0, 1.0)
    >>> usual_square(sp.csr_matrix(np.full((2, 16), 0.25)))  # of length 1
    0.25
    """
    if not sp.issparse(X) or not X.nnz:
        return 1.0
    values = X.data[: X.nnz]
    with np.errstate(over="ignore"):
        total = float(np.dot(values, values))
    # Stored zeros do not count; but for most rows there is no need to look for them.
    if not 0 < total < sqrt(X.shape[0] * len(values)):
        return 1.0
    square = total / sqrt(X.shape[0] * np.count_nonzero(values))
    return 2.0 ** min(max(round(log2(square)), _SHORTEST), 0)


def with_new_classes(estimator: Any, classes: Array, codes: Array) -> tuple[Any, Array]:
    """Copy the state, add the classes that are new, and number the labels accordingly."""
    known, state = estimator.classes_, current_state(estimator)
    if positions(known, classes) is None:
        everyone = union(known, classes)
        places = np.searchsorted(everyone, known)
        state = estimator._learner.grow(state, places, len(everyone))
        estimator.classes_ = everyone
    else:
        state = online.copy(state)
    return state, np.searchsorted(estimator.classes_, classes)[codes]


def adapted(estimator: Any, state: Any, rows: Rows) -> Any:
    """Adapt a state's options, types and memory layout to the rows it will learn from."""
    if bool(state.fit_intercept) != bool(estimator.fit_intercept):
        raise _cannot_change(f"fit_intercept={bool(state.fit_intercept)}")
    dtype = rows.values.dtype
    if not same_scaling(estimator, state):
        raise _cannot_change(f"intercept_scaling={sqrt(state.fit_intercept):g}")
    types: dict[str, Any] = dict.fromkeys(("weights", "evidence", "sums", "roots"), dtype)
    types |= {"total": None, "pulled": None}
    large = {
        name: online.fitting_order(getattr(state, name).astype(kind, copy=False), rows)
        for name, kind in types.items()
        if hasattr(state, name)
    }
    small = {
        name: getattr(state, name).astype(dtype, copy=False)
        for name in ("intercept", "evidence_intercept", "sums_intercept", "roots_intercept")
        if hasattr(state, name)
    }
    return state._replace(**large, **small, **estimator._live_options())


def _cannot_change(learned_with: str) -> ValueError:
    return ValueError(
        f"this model learned with {learned_with}, which cannot be changed halfway; fit it again "
        "with warm_start=False"
    )


def generator(random_state: Any, steps: int = 0) -> np.random.Generator:
    """Return a generator of orders; a continued fit starts from its steps and gets other orders."""
    source = check_random_state(random_state)
    return np.random.default_rng([source.randint(np.iinfo(np.int32).max), steps])
