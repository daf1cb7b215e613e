"""How far the best sequence of labels is ahead: of the best one with another label at a token.

The best score of a path through label j at token t is that of the best beginning that ends there,
plus that of the best continuation. What a sequence's best path is ahead of the second best is the
smallest gap of its tokens: the second best differs at one of them at least. What matters is how the
labels of one token differ, so both scores are lowered as they go.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.viterbi import lower, score_tokens

_LOW = np.float32(-np.inf)


@jit
def first_order_gaps(E: Any, n: int, bigrams: Any, last: Any, path: Any, gaps: Any) -> None:
    """Write the gap of each token, given the best path, of a first-order chain."""
    K = bigrams.shape[0] - 1
    begin = np.full((n, K), _LOW, E.dtype)
    for j in range(K):
        begin[0, j] = bigrams[K, j] + E[0, j]
    for t in range(1, n):
        for j in range(K):
            best = _LOW
            for i in range(K):
                best = max(best, begin[t - 1, i] + bigrams[i, j])
            begin[t, j] = best + E[t, j]
        lower(begin[t : t + 1])
    rest, before = np.empty((1, K), E.dtype), np.empty((1, K), E.dtype)
    for j in range(K):
        rest[0, j] = last[j]
    for t in range(n - 1, -1, -1):
        other = _LOW
        for j in range(K):
            if j != path[t]:
                other = max(other, begin[t, j] + rest[0, j])
        gaps[t] = max(np.float32(0.0), begin[t, path[t]] + rest[0, path[t]] - other)
        for i in range(K):
            best = _LOW
            for j in range(K):
                best = max(best, bigrams[i, j] + E[t, j] + rest[0, j])
            before[0, i] = best
        lower(before)
        rest, before = before, rest


@jit
def second_order_gaps(
    E: Any, n: int, bigrams: Any, trigrams: Any, last: Any, path: Any, gaps: Any
) -> None:
    """Write the gap of each token, given the best path, of a second-order chain.

    A state is a pair of labels; before the first token stands the start, label K.
    """
    K = bigrams.shape[0] - 1
    begin = np.full((n, K + 1, K), _LOW, E.dtype)
    for j in range(K):
        begin[0, K, j] = bigrams[K, j] + trigrams[K, K, j] + E[0, j]
    for t in range(1, n):
        for i in range(K):
            for j in range(K):
                best = _LOW
                for h in range(K + 1):
                    best = max(best, begin[t - 1, h, i] + trigrams[h, i, j])
                begin[t, i, j] = best + bigrams[i, j] + E[t, j]
        lower(begin[t])
    rest, before = np.empty((K + 1, K), E.dtype), np.empty((K + 1, K), E.dtype)
    for i in range(K + 1):
        for j in range(K):
            rest[i, j] = last[j]
    for t in range(n - 1, -1, -1):
        top, other = _LOW, _LOW
        for i in range(K + 1):
            for j in range(K):
                score = begin[t, i, j] + rest[i, j]
                if j == path[t]:
                    top = max(top, score)
                else:
                    other = max(other, score)
        gaps[t] = max(np.float32(0.0), top - other)
        for h in range(K + 1):
            for i in range(K):
                best = _LOW
                for j in range(K):
                    best = max(best, trigrams[h, i, j] + bigrams[i, j] + E[t, j] + rest[i, j])
                before[h, i] = best
        lower(before)
        rest, before = before, rest


@jit
def path_gaps(E: Any, n: int, bigrams: Any, trigrams: Any, last: Any, path: Any, gaps: Any) -> None:
    """Write the gap of each token, given the best path; the tables are those of `viterbi`."""
    if trigrams is None:
        first_order_gaps(E, n, bigrams, last, path, gaps)
    else:
        second_order_gaps(E, n, bigrams, trigrams, last, path, gaps)


@jit
def token_gaps(
    features: Any, offsets: Any, weights: Any, chain: Any, tokens: Any, tags: Any, gaps: Any
) -> None:
    """Write the gap of each token of all sequences, given their best labels."""
    for s in range(offsets.shape[0] - 1):
        start = offsets[s]
        n = offsets[s + 1] - start
        if n > 0:
            score_tokens(features, start, n, weights.places, weights.blocks, tokens)
            path_gaps(
                tokens,
                n,
                chain.bigrams,
                chain.trigrams,
                chain.last,
                tags[start : start + n],
                gaps[start : start + n],
            )
