"""The linear discriminant (Fisher 1936; Rao 1948).

Rows of class k are normal about m_k with a covariance Σ that all classes share, so that
``log P(k | x) = xᵀ Σ⁻¹ m_k − ½ m_kᵀ Σ⁻¹ m_k + log π_k``, but for a number that all classes share.

The state is sums: each class's weight and mean, and the scatter within classes. While there are
fewer rows than features it is the rows themselves, which is less. Ledoit and Wolf's shrinkage needs
Σ‖z‖⁴ of rows standardised by means and variances that are not known before the end. It follows from
the sums of c cᵀ, c² cᵀ and c² (c²)ᵀ of each class, so with ``each`` these are kept: 3 K matrices of
d × d instead of one. They can be moved to another mean without error, so merging is exact too.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.linalg import eigh

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, all_finite, as_matrix, n_rows, stack
from rosenblatt.learners import online
from rosenblatt.learners.closed_form.class_scatter import (
    TOLERANCE,
    Centred,
    Moments,
    add_each,
    add_pooled,
    centred,
    class_sums,
    combine_each,
    combine_pooled,
    inverse_roots,
    shifted,
    solve,
    solve_wide,
)
from rosenblatt.learners.closed_form.moments import merged_columns
from rosenblatt.learners.closed_form.planes import Planes, planes, possible

_ROOM = 1 << 29  # numbers in a state's matrices: 4 GiB


class State(NamedTuple):
    """Each class's weight and mean, and the scatter within classes, or the rows while they are few.

    ``scatter`` is (1, d, d) for all classes together, or with ``each`` (K, d, d), and ``third`` and
    ``fourth`` like it; they are empty while rows are kept.
    """

    weight: Array
    mean: Array
    scatter: Array
    third: Array
    fourth: Array
    kept: Rows
    codes: Array
    kept_weight: Array
    each: bool


def init(n_features: int, n_classes: int = 2, *, each: bool = False) -> State:
    """Start with no rows."""
    none = np.zeros((0, n_features, n_features))
    nothing = Dense(np.empty((0, n_features)))
    codes, weights = np.empty(0, np.intp), np.empty(0)
    mean = np.zeros((n_classes, n_features))
    return State(np.zeros(n_classes), mean, none, none, none, nothing, codes, weights, each)


def keeps_rows(state: State) -> bool:
    """Say whether the state is still the rows, because there are fewer of them than features."""
    return not len(state.scatter)


def update(state: State, rows: Rows, y: Array, weights: Array | None = None) -> State:
    """Add rows of classes 0…K−1 to the sums.

    >>> from rosenblatt.data.rows import as_rows
    >>> state = update(init(1), as_rows(np.array([[0.0], [2.0], [5.0]])), np.array([0, 0, 1]))
    >>> state.weight.tolist(), state.mean.tolist(), state.scatter.round(9).tolist()
    ([2.0, 1.0], [[1.0], [5.0]], [[[2.0]]])
    """
    if keeps_rows(state):
        if n_rows(state.kept) + n_rows(rows) < state.mean.shape[1]:
            return _kept(state, rows, y, weights)
        state = summed(state)
    _add(state, rows, y, weights)
    return state


def _add(state: State, rows: Rows, y: Array, weights: Array | None) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if state.each:
            add_each(state.weight, state.mean, moments_of(state), rows, y, weights)
        else:
            add_pooled(state.weight, state.mean, state.scatter[0], rows, y, weights)
    _check(state.mean, state.scatter, state.third, state.fourth)


def _check(*sums: Array) -> None:
    if not all(all_finite(array) for array in sums):
        raise online.too_large("the sums of squares are", np.dtype(np.float64))


def moments_of(state: State) -> Moments:
    """Return the sums of products of the centred rows."""
    return Moments(state.scatter, state.third, state.fourth)


def _kept(state: State, rows: Rows, y: Array, weights: Array | None) -> State:
    """Keep rows as they are, and compute the class means again."""
    K, d = state.mean.shape
    n = n_rows(state.kept) + n_rows(rows)
    _check_room(n * n, f"{n} × {n} matrix for {d} features and {n} rows")
    kept = stack(state.kept, _doubles(merged_columns(rows, d)), d)
    codes = np.concatenate([state.codes, y])
    added = np.ones(len(y)) if weights is None else weights
    kept_weight = np.concatenate([state.kept_weight, added])
    weight = np.bincount(codes, kept_weight, K).astype(np.float64)
    mean = _means(as_matrix(kept, d), codes, kept_weight, weight)
    _check(mean)
    return state._replace(weight=weight, mean=mean, kept=kept, codes=codes, kept_weight=kept_weight)


def _doubles(rows: Rows) -> Rows:
    """Copy rows, in float64."""
    values = np.array(rows.values, np.float64)
    if isinstance(rows, Dense):
        return Dense(values)
    return Sparse(rows.indptr.copy(), rows.indices.copy(), values)


def _means(X: Array, codes: Array, weights: Array, weight: Array) -> Array:
    """Return class means; those of a constant feature are that constant."""
    count = np.where(weight > 0, weight, 1)[:, None]
    if not isinstance(X, np.ndarray):
        X, start = shifted(X, codes, len(weight))
        return np.asarray(start + class_sums(X, codes, weights, len(weight)) / count)
    start = np.zeros((len(weight), X.shape[1]))
    present, first = np.unique(codes, return_index=True)
    start[present] = X[first]
    B = start[codes]
    np.subtract(X, B, out=B)
    return start + class_sums(B, codes, weights, len(weight)) / count


def summed(state: State) -> State:
    """Turn kept rows into sums."""
    K, d = state.mean.shape
    groups = K if state.each else 1
    _check_room((3 * K if state.each else 1) * d * d, _matrices(state))
    new = init(d, K, each=state.each)._replace(scatter=np.zeros((groups, d, d)))
    if state.each:
        new = new._replace(third=np.zeros((K, d, d)), fourth=np.zeros((K, d, d)))
    if n_rows(state.kept):
        _add(new, state.kept, state.codes, state.kept_weight)
    return new


def _matrices(state: State) -> str:
    K, d = state.mean.shape
    one = f"{d} × {d} matrix"
    return f"{one}, three for each of {K} classes," if state.each else one


def _check_room(numbers: int, what: str) -> None:
    if numbers > _ROOM:
        raise ValueError(
            f"a linear discriminant needs a {what}: {numbers * 8 / 2**30:.0f} GiB, and the limit "
            f"is {_ROOM * 8 >> 30}. Keep fewer features, for example with sklearn.decomposition."
            "TruncatedSVD, or use a classifier that needs no such matrix"
        )


def merge(states: Sequence[State], weights: Sequence[float] | None = None) -> State:
    """Merge states; a weight is how often a state's rows count."""
    factors = [1.0] * len(states) if weights is None else list(weights)
    parts = [_times(state, float(f)) for state, f in zip(states, factors, strict=True)]
    d = parts[0].mean.shape[1]
    few = sum(n_rows(part.kept) for part in parts) < d
    if all(keeps_rows(part) for part in parts) and few:
        first = parts[0]
        for part in parts[1:]:
            first = _kept(first, part.kept, part.codes, part.kept_weight)
        return first
    total, *rest = (summed(part) if keeps_rows(part) else part for part in parts)
    for part in rest:
        _combine(total, part)
    return total


def _times(state: State, factor: float) -> State:
    """Copy a state, its rows' weights multiplied by a number."""
    return online.copy(state)._replace(
        weight=state.weight * factor,
        scatter=state.scatter * factor,
        third=state.third * factor,
        fourth=state.fourth * factor,
        kept_weight=state.kept_weight * factor,
    )


def _combine(state: State, other: State) -> None:
    """Add other sums to a state's, about the means of both together."""
    weight, mean, moments = state.weight, state.mean, moments_of(state)
    if not state.each:
        sums = other.weight, other.mean, other.scatter[0]
        combine_pooled(weight, mean, state.scatter[0], *sums)
        return
    for k in np.flatnonzero(other.weight).tolist():
        new = Moments(*(part[k] for part in moments_of(other)))
        combine_each(weight, mean, moments, k, other.weight[k], other.mean[k], new)


def grow(state: State, places: Array, n_classes: int) -> State:
    """Add classes not seen before; ``places`` are the new positions of the known ones."""

    def spread(array: Array) -> Array:
        result = np.zeros((n_classes, *array.shape[1:]))
        result[places] = array
        return result

    state = online.copy(state)
    state = state._replace(weight=spread(state.weight), mean=spread(state.mean))
    if keeps_rows(state):
        return state._replace(codes=places[state.codes])
    if state.each:
        second, third, fourth = (spread(part) for part in moments_of(state))
        return state._replace(scatter=second, third=third, fourth=fourth)
    return state


def hyperplanes(state: State, priors: Array, amount: Any = 0.0) -> Planes:
    """Return the weights and intercepts of the classes, or for two classes their difference.

    The mean of the class means, weighted by the priors, is the origin of this calculation. That
    changes all scores of a row by the same number, and keeps digits where data lie far off. A class
    that has no rows yet, or no prior, scores −∞.
    """
    seen = possible(state.weight, priors)
    priors = np.where(seen, priors, 0.0) / priors[seen].sum()
    middle = priors @ state.mean
    apart = np.where(seen[:, None], state.mean - middle, 0.0)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        coef = _divided(state, apart, amount)
        intercept = np.log(priors) - ((0.5 * apart + middle) * coef).sum(axis=1)
    return planes(coef, intercept, seen)


def _divided(state: State, B: Array, amount: Any) -> Array:
    """Return ``Σ'⁻¹ b`` for each row b."""
    if not keeps_rows(state):
        shrunk = np.any(amount)
        least = len(state.mean[0]) * np.finfo(float).eps if shrunk else TOLERANCE
        return solve(covariance(state, amount), B, least)
    C = _centred(state)
    left = (1 - np.broadcast_to(amount, len(state.weight))) / state.weight.sum()
    e = _added(state, amount, C)
    return solve_wide(C, left, e if e.any() else None, B)


def _centred(state: State) -> Centred:
    X = as_matrix(state.kept, state.mean.shape[1])
    return centred(X, state.mean, state.codes, state.kept_weight)


SEPARATE = 1e-4  # of the largest distance between means: what is less is no direction


def directions(coef: Array, mean: Array, priors: Array) -> tuple[Array, Array]:
    """Return the directions in which the class means lie apart, and each one's share of that.

    With Σ⁻¹ = A Aᵀ they are A times the singular vectors of the weighted means, seen from their
    middle, times A (Rao 1948). All of these follow from ``coef``, which has Σ⁻¹ times the means or,
    for two classes, times their difference. The largest weight of each direction is positive.
    """
    if len(coef) == 1:  # as each class minus the middle is a part of the difference
        coef = np.outer([-priors[-1], priors[0]], coef[0])[-len(mean) :]
    roots = np.sqrt(priors)[:, None]
    apart = roots * (mean - priors @ mean)
    coef = roots * coef
    gram = apart @ coef.T
    values, vectors = eigh((gram + gram.T) / 2)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    kept = values > SEPARATE**2 * values[0]
    kept[min(len(mean) - 1, mean.shape[1]) :] = False
    values, vectors = values[kept], vectors[:, kept]
    found = coef.T @ (vectors / np.sqrt(values))
    largest = np.abs(found).argmax(axis=0)
    return found * np.sign(found[largest, np.arange(found.shape[1])]), values / values.sum()


def with_covariances(
    state: State, rows: Rows, y: Array, covariance_of: Callable[[Array], Array]
) -> State:
    """Return sums as if each class's rows had the covariance that a function estimates."""
    K, d = state.mean.shape
    _check_room(d * d, f"{d} × {d} matrix")
    X = np.asarray(as_matrix(rows, d), np.float64)
    scatter = np.zeros((1, d, d))
    mean, weight = state.mean.copy(), np.bincount(y, minlength=K).astype(np.float64)
    for k in np.flatnonzero(weight).tolist():
        mine = X[y == k]
        mean[k] = mine.mean(axis=0)
        found = covariance_of(mine)
        if found.shape != (d, d) or not np.isfinite(found).all():
            raise ValueError(
                f"covariance_estimator returned a covariance_ of shape {found.shape} for {d} "
                "features, or one with numbers that are not finite"
            )
        scatter[0] += weight[k] * found
    _check(mean, scatter)
    return state._replace(weight=weight, mean=mean, scatter=scatter, each=False)


def covariance(state: State, amount: Any = 0.0) -> Array:
    """Return the shrunk covariance within classes, as a d × d matrix."""
    if keeps_rows(state):
        state = summed(state)
    left = (1 - np.broadcast_to(amount, len(state.scatter))) / state.weight.sum()
    result = np.tensordot(left, state.scatter, 1)
    result[np.diag_indices_from(result)] += _added(state, amount)
    return np.asarray(result)


def amounts(state: State) -> Array:
    """Return Ledoit and Wolf's shrinkage of each class; zero for classes without rows."""
    result = np.zeros(len(state.weight))
    C = _centred(state) if keeps_rows(state) else None
    for k in np.flatnonzero(state.weight).tolist():
        if C is not None:
            result[k] = intensity_of_rows(state.weight[k], C.of_class(k))
        else:
            moments = Moments(*(part[k] for part in moments_of(state)))
            result[k] = intensity_of_moments(state.weight[k], moments)
    return result


def _added(state: State, amount: Any, C: Centred | None = None) -> Array:
    """Return what shrinkage adds to the variance of each feature."""
    d = state.mean.shape[1]
    result = np.zeros(d)
    total = state.weight.sum()
    if not np.ndim(amount):
        if amount:
            squares = C.squares() if C else state.scatter.diagonal(axis1=1, axis2=2)
            result += amount * squares.sum() / (total * d)
        return result
    for k in np.flatnonzero(amount).tolist():
        squares = C.of_class(k).squares() if C else state.scatter[k].diagonal()
        variances = deviations(state.weight[k], squares) ** 2
        result += state.weight[k] / total * amount[k] * (squares > 0).mean() * variances
    return result


def deviations(n: float, squares: Array) -> Array:
    """Return the standard deviation of each feature, and 1 for those that are constant."""
    return 1 / inverse_roots(squares / max(n, np.finfo(float).tiny))


def intensity(n: float, d: int, varying: int, squared: float, fourth: float) -> float:
    """Return Ledoit and Wolf's shrinkage of the covariance of n standardised rows z.

    ``squared`` is the sum of the squared entries of ``ZᵀZ/n``, ``fourth`` is Σ‖z‖⁴; ``varying``
    features have variance one, the others zero.
    """
    if d == 1:
        return 0.0
    beta = (fourth / n - squared) / (d * n)
    delta = (squared - varying**2 / d) / d
    beta = min(beta, delta)
    # Of two different rows it is zero, but for rounding, which must not pass for shrinkage.
    return float(beta / delta) if beta > 1e-12 * squared / (d * n) else 0.0


def intensity_of_moments(n: float, m: Moments) -> float:
    """Return Ledoit and Wolf's shrinkage of a class from its moments."""
    squares = m.second.diagonal()
    scale = 1 / deviations(n, squares)
    R = m.second * scale[:, None] * scale / n
    fourth = scale**2 @ m.fourth @ scale**2
    return intensity(n, len(R), int((squares > 0).sum()), float((R * R).sum()), float(fourth))


def intensity_of_rows(n: float, C: Centred) -> float:
    """Return Ledoit and Wolf's shrinkage of a class from its centred and weighted rows."""
    squares = C.squares()
    Z = C.scaled(np.where(squares > 0, 1 / deviations(n, squares), 0.0))
    G = Z.gram() / n
    fourth = float((Z.row_squares() ** 2 / np.where(C.factor > 0, C.factor, 1) ** 2).sum())
    return intensity(n, len(squares), int((squares > 0).sum()), float((G * G).sum()), fourth)
