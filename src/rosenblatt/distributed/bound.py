"""The bound on mistakes when training is distributed (McDonald, Hall and Mann 2010)."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, entries, usable
from rosenblatt.distributed.arrays import Shard, prepared
from rosenblatt.distributed.cluster import Cluster
from rosenblatt.distributed.fitting import rounds_of
from rosenblatt.distributed.sources import pairs_of
from rosenblatt.learner_registry import of_model
from rosenblatt.learners import online


class MixingBound(NamedTuple):
    """The mistakes of all rounds and shards as Theorem 3 counts them, and the bound on them.

    Attributes
    ----------
    weighted_mistakes : float
        ``Σ μ_{k,r} m_{k,r}``: the mistakes of shard k in round r times its share in the mixture.
    radius : float
        R, the length of the longest row (for K classes, of the longest difference of two classes'
        features); an intercept counts as a feature.
    margin : float
        The margin by which the last weights separate the rows; negative if they do not.
    bound : float
        ``(R / margin)²``, infinite without a margin. A larger margin may be possible, and a
        smaller bound with it.

    Examples
    --------
    >>> print(MixingBound(weighted_mistakes=7.5, radius=2.0, margin=0.25, bound=64.0))
    7.5 weighted mistakes, of at most 64 (McDonald, Hall and Mann 2010, Theorem 3):
      (R/γ)² with R = 2, γ = 0.25
    """

    weighted_mistakes: float
    radius: float
    margin: float
    bound: float

    def __str__(self) -> str:
        if not np.isfinite(self.bound):
            return (
                f"{self.weighted_mistakes:.6g} weighted mistakes; the weights do not separate the "
                "rows, so there is no bound"
            )
        return (
            f"{self.weighted_mistakes:.6g} weighted mistakes, of at most {self.bound:.6g} "
            f"(McDonald, Hall and Mann 2010, Theorem 3):\n  (R/γ)² with R = {self.radius:.6g}, "
            f"γ = {self.margin:.6g}"
        )


def mixing_bound(model: Any, source: Any, y: Any = None, *, client: Any = None) -> MixingBound:
    """Compare the mistakes that `fit` made with the bound that was proved for them.

    Whatever the shares of the shards in the mixtures, the mistakes weighted by them number at most
    (R/γ)², if a unit vector separates all rows by γ (Theorem 3 of [1]_). With
    ``mixing="mistakes"`` each round that makes a mistake adds 1 at least, so that there are at
    most so many rounds.

    Parameters
    ----------
    model : Perceptron or AveragedPerceptron
        As `fit` returned it.
    source, y, client
        What it was fitted to; as in `fit`.

    Returns
    -------
    MixingBound

    References
    ----------
    .. [1] R. McDonald, K. Hall and G. Mann (2010), "Distributed training strategies for the
       structured perceptron", NAACL.

    Examples
    --------
    >>> from distributed import Client
    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.distributed import fit
    >>> X, y = [[[0.0], [1.0]], [[3.0], [5.0]]], [[0, 0], [1, 1]]
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = fit(Perceptron(shuffle=False), X, y, rounds=100)
    ...     found = mixing_bound(model, X, y)
    >>> found.weighted_mistakes <= found.bound
    True
    """
    row = of_model(model)
    fixed = getattr(model, "learning_rate", "constant") == "constant" and model.class_weight is None
    if row is None or not row.bounded or not hasattr(row.load()._learner, "merge") or not fixed:
        raise ValueError(
            f"the bound is that of Perceptron and AveragedPerceptron with a constant learning rate "
            f"and no weights, not of this {type(model).__name__}"
        )
    rounds, cluster = rounds_of(model), Cluster.of(client)
    state = model._state
    _, shards = prepared(cluster, model, pairs_of(cluster, source, y))
    with cluster.tasks("measuring the margin") as tasks:
        found = tasks.results(
            *[
                tasks.submit(
                    "margin", reach, shard, state.weights, state.intercept, state.fit_intercept
                )
                for shard in shards
            ]
        )
    radius, lead = max(each[0] for each in found), min(each[1] for each in found)
    square = float(state.fit_intercept) or 1.0  # of the feature that an intercept is
    length = np.sqrt(
        np.sum(np.square(state.weights, dtype=np.float64)) + _squared(state.intercept) / square
    )
    margin = float(lead / length) if length else 0.0
    bound = float((radius / margin) ** 2) if margin > 0 else float("inf")
    return MixingBound(rounds.weighted_mistakes, float(radius), margin, bound)


def _squared(array: Array) -> float:
    return float(np.sum(np.square(array, dtype=np.float64)))


def reach(
    shard: Shard | None, weights: Array, intercept: Array, square: float
) -> tuple[float, float]:
    """Return the length of a shard's longest row, and the least lead of a right class."""
    if shard is None:
        return 0.0, np.inf
    rows = usable(shard.rows)
    lengths = np.sqrt(squared_lengths(rows) + float(square))
    scores = online.linear_scores(weights.astype(np.float64), intercept.astype(np.float64), rows)
    if scores.ndim == 1:
        return float(lengths.max()), float((np.where(shard.codes > 0, scores, -scores)).min())
    at = np.arange(len(scores)), shard.codes
    own = scores[at]
    scores[at] = -np.inf
    return float(lengths.max() * np.sqrt(2.0)), float((own - scores.max(axis=1)).min())


def squared_lengths(rows: Rows) -> Array:
    """Return the squared length of each row."""
    if isinstance(rows, Dense):
        return np.asarray(np.square(rows.values, dtype=np.float64).sum(axis=1))
    squares = np.square(rows.values[: entries(rows)], dtype=np.float64)
    ends = np.concatenate([[0.0], np.cumsum(squares)])
    return np.asarray(ends[rows.indptr[1:]] - ends[rows.indptr[:-1]])
