"""A tagger: the structured perceptron over chains (Collins 2002), with features by name."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.reference.viterbi import viterbi

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
) -> Iterator[Step]:
    """Yield, after each sequence: its number, the weights, the tags found, was it a mistake.

    A token is its features. Pairs of labels that are forbidden may begin with `START`, or end with
    `END`. Of equal paths that with the first last label wins, and so on from the end.
    """
    weights: Weights = Counter()
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
    """Average the weights of every step."""
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
