"""Shards of numbers and labels: checked where they are, surveyed, and made ready to learn from."""

from collections.abc import Sequence
from copy import copy
from math import log2, sqrt
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from rosenblatt.data.labels import check_labels, encode, positions, union
from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.estimators._base.checks import check_X, check_y
from rosenblatt.estimators._base.start import _SHORTEST, refuse_one_class
from rosenblatt.estimators._base.weights import with_class_weight


class Part(NamedTuple):
    """Checked rows and labels of a shard, and the names of the columns if they have any.

    ``weights`` are the importance weights of the rows, None if all are 1.
    """

    X: Any
    labels: Array
    names: tuple[str, ...] | None
    weights: Array | None = None


class Survey(NamedTuple):
    """What there is to know of a shard before it is learned from.

    ``counts`` are the rows of each class, or the sums of their weights if they are ``weighted``.
    """

    rows: int
    columns: int
    dtype: str
    sparse: bool
    names: tuple[str, ...] | None
    classes: Array
    counts: Array
    squares: float
    nonzeros: int
    entries: int
    weighted: bool


class Shape(NamedTuple):
    """What all shards have in common. ``weights`` are those of the classes, if they have any."""

    rows: int
    columns: int
    dtype: str
    sparse: bool
    names: tuple[str, ...] | None
    classes: Array
    counts: Array
    squares: float
    nonzeros: int
    entries: int
    weighted: bool
    weights: dict[Any, float] | None = None


class Shard(NamedTuple):
    """Rows with class numbers 0…K−1, and weights; None if those of all shards are 1."""

    rows: Rows
    codes: Array
    weights: Array | None


def check_part(estimator: Any, place: str, X: Any, y: Any) -> Part:
    """Check the rows and labels of a shard; errors name its place."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    try:
        if n == 0:
            return Part(None, np.asarray(y)[:0], None)
        checked = copy(estimator)
        X = check_X(checked, X, reset=True)
        labels = check_y(checked, y, X.shape[0])
        check_labels(labels)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place}: {error}") from None
    names = getattr(checked, "feature_names_in_", None)
    return Part(X, labels, None if names is None else tuple(names.tolist()))


def survey(part: Part) -> Survey | None:
    """Look at a shard; None if it is empty."""
    X = part.X
    if X is None:
        return None
    classes, codes = encode(part.labels)
    values = X.data[: X.nnz] if sp.issparse(X) else X
    flat = values.ravel(order="K").astype(np.float64, copy=False)
    with np.errstate(over="ignore"):
        squares = float(np.dot(flat, flat))
    return Survey(
        X.shape[0],
        X.shape[1],
        X.dtype.str,
        sp.issparse(X),
        part.names,
        classes,
        np.bincount(codes, part.weights, len(classes)),
        squares,
        int(np.count_nonzero(values)),
        int(values.size),
        part.weights is not None,
    )


def united(
    surveys: Sequence[Survey | None], class_weight: Any = None, known: Array | None = None
) -> Shape:
    """Unite what shards have: classes are united, columns must agree.

    ``known`` are classes, of which some may have no rows.
    """
    found = [(number, each) for number, each in enumerate(surveys) if each is not None]
    if not found:
        raise ValueError("all shards are empty, so there is nothing to learn from")
    first_number, first = found[0]
    for number, each in found[1:]:
        _check_columns(first_number, first, number, each)
    classes = first.classes
    for number, each in found[1:]:
        try:
            classes = union(classes, each.classes)
        except ValueError as error:
            raise ValueError(f"shard {number}: {error}") from None
    if known is not None:
        classes = union(known, classes)
    refuse_one_class(classes)
    counts = np.zeros(len(classes))
    for _, each in found:
        counts[np.searchsorted(classes, each.classes)] += each.counts
    dtypes = {each.dtype for _, each in found}
    return Shape(
        sum(each.rows for _, each in found),
        first.columns,
        dtypes.pop() if len(dtypes) == 1 else np.dtype(np.float64).str,
        first.sparse,
        first.names,
        classes,
        counts,
        sum(each.squares for _, each in found),
        sum(each.nonzeros for _, each in found),
        sum(each.entries for _, each in found),
        any(each.weighted for _, each in found),
        _class_weights(class_weight, classes, counts),
    )


def _check_columns(first: int, one: Survey, number: int, other: Survey) -> None:
    if one.columns != other.columns:
        raise ValueError(
            f"shard {number} has {other.columns} columns, but shard {first} has {one.columns}: "
            "all shards must have the same"
        )
    if one.names != other.names:
        pairs = zip(one.names or (None,), other.names or (None,), strict=False)
        was, is_now = next(pair for pair in pairs if pair[0] != pair[1])
        raise ValueError(
            f"shard {number} has the column {is_now!r} where shard {first} has {was!r}: all shards "
            "must have the same columns, in the same order"
        )
    if one.sparse != other.sparse:
        kinds = {True: "sparse", False: "dense"}
        raise ValueError(
            f"shard {number} is {kinds[other.sparse]}, but shard {first} is {kinds[one.sparse]}: "
            "convert one of them"
        )


def _class_weights(chosen: Any, classes: Array, counts: Array) -> dict[Any, float] | None:
    """Return class weights as a dict; balanced ones are those of all shards together."""
    if chosen != "balanced":
        return chosen  # type: ignore[no-any-return]
    each = counts.sum() / (len(classes) * counts)
    return dict(zip(classes.tolist(), each.tolist(), strict=True))


def usual_square(shape: Shape) -> float:
    """Return `rosenblatt.estimators._base.start.usual_square` of all shards together."""
    if not shape.sparse or not shape.nonzeros:
        return 1.0
    if not 0 < shape.squares < sqrt(shape.rows * float(shape.nonzeros)):
        return 1.0
    square = shape.squares / sqrt(shape.rows * float(shape.nonzeros))
    return 2.0 ** min(max(round(log2(square)), _SHORTEST), 0)


def ready(estimator: Any, part: Part, shape: Shape) -> Shard | None:
    """Return rows of the common type, with class numbers; None if the shard is empty."""
    if part.X is None:
        return None
    codes = positions(shape.classes, part.labels)
    assert codes is not None
    weighted = copy(estimator)
    weighted.class_weight = shape.weights
    weights = with_class_weight(weighted, shape.classes, codes, part.weights, partial=True)
    if weights is None and (shape.weighted or shape.weights is not None):
        weights = np.ones(len(codes))  # which may not be the mean weight of all shards
    return Shard(as_rows(part.X.astype(shape.dtype, copy=False)), codes, weights)


def prepared(cluster: Cluster, estimator: Any, parts: Sequence[Any]) -> tuple[Shape, list[Any]]:
    """Survey shards, given as pairs of futures; return their common shape, and new futures."""
    with cluster.tasks("reading the shards") as tasks:
        checked = [
            tasks.submit("check", check_part, estimator, f"shard {number}", *pair)
            for number, pair in enumerate(parts)
        ]
        surveys = tasks.results(*[tasks.submit("survey", survey, part) for part in checked])
        shape = united(surveys, getattr(estimator, "class_weight", None))
        return shape, [cluster.submit("shard", ready, estimator, part, shape) for part in checked]
