"""Iterative parameter mixing (McDonald, Hall and Mann 2010), one shard after the other."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.reference.perceptron import perceptron

Array = np.ndarray[Any, Any]


class Round(NamedTuple):
    """The mixture after a round, each shard's mistakes, and its share in the mixture.

    ``mean_w`` and ``mean_b`` are the mixture of the means of the shards' weights over their steps.
    """

    w: Array
    b: float
    mistakes: list[int]
    shares: list[float]
    mean_w: Array
    mean_b: float


def iterative_mixing(
    shards: Sequence[tuple[Array, Array]],
    rounds: Iterable[Sequence[Sequence[int]]],
    *,
    mixing: str = "mistakes",
    ties: str = "mistake",
    bias: float = True,
) -> Iterator[Round]:
    """Yield each round of perceptrons on shards, that start from the mixture of the round before.

    ``rounds`` has the order in which each shard visits its rows, for each round. Rounds end after
    one without a mistake. Weights are mixed two by two, as in a tournament.

    >>> one, two = ([[1.0, 1, 0], [0, 0, 1]], [-1, 1]), ([[0.0, 1, 1], [1, 0, 0]], [-1, 1])
    >>> shards = [(np.array(X), np.array(y)) for X, y in (one, two)]
    >>> orders = [[range(2), range(2)]] * 10
    >>> found = list(iterative_mixing(shards, orders, ties="positive", bias=False))
    >>> found[0].w.tolist(), [sum(each.mistakes) for each in found]
    ([-0.5, -1.0, -0.5], [2, 2, 0])
    """
    now = np.zeros(shards[0][0].shape[1] + 1)  # the weights, and the intercept at the end
    for orders in rounds:
        ends, means, mistakes = [], [], []
        for (X, y), order in zip(shards, orders, strict=True):
            path, wrong = [], 0
            steps = perceptron(X, y, [order], ties=ties, bias=bias, w=now[:-1], b=float(now[-1]))
            for _, w, b, mistake in steps:
                path.append(np.append(w, b))
                wrong += bool(mistake)
            ends.append(path[-1] if path else now)
            means.append(np.mean(path, axis=0) if path else now)
            mistakes.append(wrong)
        weights = mistakes if mixing == "mistakes" else [int(len(X) > 0) for X, _ in shards]
        shares = [weight / max(sum(weights), 1) for weight in weights]
        mean = tournament(means, weights) if sum(weights) else now
        now = tournament(ends, weights) if sum(weights) else now
        yield Round(now[:-1], float(now[-1]), mistakes, shares, mean[:-1], float(mean[-1]))
        if not sum(mistakes):
            return


def tournament(vectors: Sequence[Array], weights: Sequence[float]) -> Array:
    """Return the weighted mean of vectors, mixed two by two; equal numbers are not rounded.

    >>> tournament([np.array([1.0, 7]), np.array([4.0, 7]), np.array([8.0, 7])], [2, 1, 0]).tolist()
    [2.0, 7.0]
    """
    level = list(zip(vectors, weights, strict=True))
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_mixed(*pair) for pair in pairs] + (level[-1:] if len(level) % 2 else [])
    return level[0][0]


def _mixed(left: tuple[Array, float], right: tuple[Array, float]) -> tuple[Array, float]:
    (u, a), (v, b) = left, right
    if not a or not b:
        return (u if a else v), a + b
    return np.where(u == v, u, (u * a + v * b) / (a + b)), a + b
