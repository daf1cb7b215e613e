"""Iterative parameter mixing (McDonald, Hall and Mann 2010), one shard after the other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.reference.perceptron import perceptron
from rosenblatt.reference.tagger import Tokens, Weights, tagger, tagger_mean

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


class TaggerRound(NamedTuple):
    """A tagger's mixture after a round, each shard's mistakes, and the mixture of their means."""

    weights: dict[Any, float]
    mistakes: list[int]
    mean: dict[Any, float]


def tagger_mixing(
    shards: Sequence[tuple[Sequence[Tokens], Sequence[Sequence[Any]]]],
    rounds: Iterable[Sequence[Sequence[int]]],
    labels: Sequence[Any],
    *,
    mixing: str = "mistakes",
    **options: Any,
) -> Iterator[TaggerRound]:
    """Yield each round of taggers on shards, that start from the mixture of the round before.

    ``rounds`` has the order in which each shard visits its sequences, for each round; the options
    are those of `tagger`. Rounds end after one without a mistake.

    >>> shards = [([["a"], ["b"]], [[0], [1]]), ([["b"], ["a"]], [[1], [0]])]
    >>> sentences = [([[[word] for word in x] for x in X], y) for X, y in shards]
    >>> [each.mistakes for each in tagger_mixing(sentences, [[range(2)] * 2] * 4, [0, 1])]
    [[1, 2], [0, 0]]
    """
    now: Weights = Counter()
    for orders in rounds:
        ends, means, mistakes = [], [], []
        for (X, y), order in zip(shards, orders, strict=True):
            steps = list(tagger(X, y, [order], labels, start=now, **options))
            ends.append(steps[-1][1] if steps else now)
            means.append(tagger_mean(steps) if steps else now)
            mistakes.append(sum(mistake for *_, mistake in steps))
        shares = mistakes if mixing == "mistakes" else [int(len(X) > 0) for X, _ in shards]
        if not sum(shares):
            yield TaggerRound(dict(now), mistakes, dict(now))
            return
        now = Counter(_mixed_by_name(ends, shares))
        yield TaggerRound(dict(now), mistakes, _mixed_by_name(means, shares))
        if not sum(mistakes):
            return


def _mixed_by_name(
    parts: Sequence[Mapping[Any, float]], weights: Sequence[float]
) -> dict[Any, float]:
    """Return the weighted mean of weights by name."""
    names = list(dict.fromkeys(name for part in parts for name in part))
    vectors = [np.array([part.get(name, 0) for name in names], float) for part in parts]
    return dict(zip(names, tournament(vectors, weights).tolist(), strict=True))
