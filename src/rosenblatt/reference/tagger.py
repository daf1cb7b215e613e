"""The structured perceptron (Collins 2002), the best path through a chain (Viterbi 1967), a tagger.

The tagger is the structured perceptron over chains, with features by name.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


StructuredStep = tuple[int, Array, bool]


def structured(
    X: Sequence[Any],
    y: Sequence[Any],
    orders: Iterable[Iterable[int]],
    features: Callable[[Any, Any], Array],
    argmax: Callable[[Any, Array], Any],
) -> Iterator[StructuredStep]:
    """Yield, after each example: its number, the weights, was it a mistake.

    >>> def features(x, y):
    ...     return np.array([x if y == "up" else 0, x if y == "down" else 0])
    >>> def argmax(x, w):
    ...     return max(("down", "up"), key=lambda y: w @ features(x, y))
    >>> steps = list(structured([1, -1], ["up", "down"], [range(2)] * 2, features, argmax))
    >>> [(w.tolist(), mistake) for _, w, mistake in steps]
    [([1.0, -1.0], True), ([1.0, -1.0], False), ([1.0, -1.0], False), ([1.0, -1.0], False)]
    """
    w = np.zeros(len(features(X[0], y[0])))
    for order in orders:
        for i in order:
            found = argmax(X[i], w)
            mistake = found != y[i]
            if mistake:
                w = w + features(X[i], y[i]) - features(X[i], found)
            yield i, w, mistake


def structured_mean(steps: Iterable[StructuredStep]) -> Array:
    """Average the weights of every step.

    >>> structured_mean([(0, np.array([1.0, 0]), True), (1, np.array([3.0, 2]), True)]).tolist()
    [2.0, 1.0]
    """
    return np.asarray(np.mean([w for _, w, _ in steps], axis=0))


def viterbi(
    E: Array, bigrams: Array, last: Array, trigrams: Array | None = None
) -> tuple[list[int], float]:
    """Return the best labels of n tokens, and their score.

    Row t of ``E`` scores token t's K labels, ``bigrams[i, j]`` label j after label i, where i = K
    is the start, ``trigrams[h, i, j]`` label j after h and i, and ``last[j]`` label j at the end.
    What is −∞ is forbidden. Of paths with equal scores the one with the smallest last label is the
    best, then the one with the smallest last but one, and so on: that is what argmax takes on the
    way back.

    >>> E = np.array([[1.0, 0], [0, 0], [0, 1]])  # three tokens, two labels
    >>> change = np.array([[0.5, 0], [0, 0.5], [0, 0]])  # to stay gives half a point
    >>> viterbi(E, change, np.zeros(2))
    ([0, 0, 1], 2.5)
    """
    if trigrams is not None:
        return _second_order(E, bigrams, trigrams, last)
    n, K = E.shape
    best, back = bigrams[K] + E[0], []
    for t in range(1, n):
        reached = best[:, None] + bigrams[:K]  # over i, then j
        back.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + E[t]
    path = [int(np.argmax(best + last))]
    for arrows in reversed(back):
        path.append(int(arrows[path[-1]]))
    return path[::-1], float(np.max(best + last))


def _second_order(
    E: Array, bigrams: Array, trigrams: Array, last: Array
) -> tuple[list[int], float]:
    """Do the same with the best score of each two labels at the end of a path."""
    n, K = E.shape
    alone, back = bigrams[K] + trigrams[K, K] + E[0], []
    if n == 1:
        return [int(np.argmax(alone + last))], float(np.max(alone + last))
    best = alone[:, None] + bigrams[:K] + trigrams[K, :K] + E[1]
    for t in range(2, n):
        reached = best[:, :, None] + trigrams[:K, :K]  # over h, i, then j
        back.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + bigrams[:K] + E[t]
    ended = (best + last).T  # the last label comes first
    label, before = divmod(int(np.argmax(ended)), K)
    path = [label, before]
    for arrows in reversed(back):
        path.append(int(arrows[path[-1], path[-2]]))
    return path[::-1], float(np.max(ended))


START, END = "<start>", "<end>"
Tokens = Sequence[Collection[str]]
Weights = Counter[tuple[Any, ...]]
Step = tuple[int, Weights, list[Any], bool]


def tagger(
    X: Sequence[Tokens],
    y: Sequence[Sequence[Any]],
    orders: Iterable[Iterable[int]],
    labels: Sequence[Any],
    *,
    second_order: bool = False,
    forbidden: Collection[tuple[Any, Any]] = (),
    start: Weights | None = None,
) -> Iterator[Step]:
    """Yield, after each sequence: its number, the weights, the tags found, was it a mistake.

    A token is its features. Pairs of labels that are forbidden may begin with `START`, or end with
    `END`. Of equal paths that with the first last label wins, and so on from the end.

    >>> x, y = [["the"], ["dog"]], ["D", "N"]
    >>> [found for _, _, found, _ in tagger([x], [y], [[0], [0]], ["D", "N"])]
    [['D', 'D'], ['D', 'N']]
    """
    weights: Weights = Counter() if start is None else start
    for order in orders:
        for i in order:
            found = best(X[i], weights, labels, second_order, forbidden)
            mistake = found != list(y[i])
            if mistake:
                weights = weights.copy()
                weights.update(features(X[i], y[i], second_order))
                weights.subtract(features(X[i], found, second_order))
            yield i, weights, found, mistake


def tagger_mean(steps: Iterable[Step]) -> dict[tuple[Any, ...], float]:
    """Average the weights of every step.

    >>> x, y = [["the"], ["dog"]], ["D", "N"]
    >>> mean = tagger_mean(tagger([x], [y], [[0], [0]], ["D", "N"]))
    >>> mean["token", "dog", "N"], mean["token", "dog", "D"]
    (1.0, -1.0)
    """
    each = [weights for _, weights, _, _ in steps]
    names = {name for weights in each for name in weights}
    return {name: sum(weights[name] for weights in each) / len(each) for name in names}


def features(x: Tokens, tags: Sequence[Any], second_order: bool) -> Iterator[tuple[Any, ...]]:
    """Name all that a sequence with its tags has: tokens with tags, two tags, three tags."""
    far, before = START, START
    for token, tag in zip(x, tags, strict=True):
        yield from (("token", feature, tag) for feature in token)
        yield "pair", before, tag
        if second_order:
            yield "triple", far, before, tag
        far, before = before, tag


def best(
    x: Tokens,
    weights: Weights,
    labels: Sequence[Any],
    second_order: bool = False,
    forbidden: Collection[tuple[Any, Any]] = (),
) -> list[Any]:
    """Find the best tags: write the weights into tables, and look for the best path there."""
    if not x:
        return []
    before = [*labels, START]
    E = [[sum(weights["token", f, j] for f in token) for j in labels] for token in x]
    pairs = [
        [-np.inf if (i, j) in forbidden else weights["pair", i, j] for j in labels] for i in before
    ]
    last = [-np.inf if (j, END) in forbidden else 0 for j in labels]
    tables = [E, pairs, last]
    if second_order:
        tables += [[[[weights["triple", h, i, j] for j in labels] for i in before] for h in before]]
    path, _ = viterbi(*(np.array(table, float) for table in tables))
    return [labels[k] for k in path]
