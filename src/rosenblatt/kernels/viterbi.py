"""The best sequence of labels, by dynamic programming (Viterbi 1967), and how close others come.

Labels stand in lanes: rows are padded to a multiple of `LANES`, and a padded lane is −∞. The
weights of a feature stand in blocks of `LANES` labels: ``places[f, b]`` is the row of block b.
Feature 0 is none, and row 0 is zeros: that of blocks without weights.

``bigrams[i, j]`` is the weight of label j after label i, the last row is for the start; −∞ forbids
a transition. ``trigrams[h, i, j]`` (None in first-order chains) is that of j after h and i; h and i
may be the start. ``last`` is 0, or −∞ where a label cannot be the last.

Of paths with equal scores the one whose last label comes first in ``rank`` is the best, then the
one whose last but one does, and so on.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.overflow import finite
from rosenblatt.kernels.simd.lanes import best_before, sum_rows

_OFTEN = 4  # tokens after which scores are lowered, so that whole numbers stay exact


@jit
def lower(scores: Any) -> Any:
    """Take the best score off all of them, and return it: sums over long sequences need digits."""
    top = scores[0, 0]
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            top = max(top, scores[i, j])
    if not finite(top):
        return 0.0
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            scores[i, j] -= top
    return np.float64(top)


@jit
def score_tokens(features: Any, first: int, n: int, places: Any, blocks: Any, out: Any) -> None:
    """Write each token's score of each label: the sum of its features' weights."""
    for t in range(n):
        sum_rows(features, first + t, places, blocks, out, t)


@jit
def first_order_path(
    E: Any, n: int, bigrams: Any, last: Any, rank: Any, scores: Any, back: Any, path: Any
) -> Any:
    """Write the best path of a first-order chain; see `best_path`."""
    K, width, above = rank.shape[0], E.shape[1], 0.0
    for j in range(width):
        scores[0, 0, j] = bigrams[K, j] + E[0, j]
    for t in range(1, n):
        odd = t & 1
        best_before(
            scores, (1 - odd) * width, 1, bigrams, 0, width, rank, E, t * width, scores,
            odd * width, back, t * width,
        )  # fmt: skip
        if t % _OFTEN == 0:
            above += lower(scores[odd])
    odd = (n - 1) & 1
    label = rank[0]
    top = scores[odd, 0, label] + last[label]
    for r in range(1, K):
        j = rank[r]
        if scores[odd, 0, j] + last[j] > top:
            label, top = j, scores[odd, 0, j] + last[j]
    path[n - 1] = label
    for t in range(n - 1, 0, -1):
        label = back[t, 0, label]
        path[t - 1] = label
    return top + above


@jit
def second_order_path(
    E: Any, n: int, bigrams: Any, trigrams: Any, last: Any, rank: Any, scores: Any, back: Any,
    path: Any,
) -> Any:  # fmt: skip
    """Write the best path of a second-order chain: scores and arrows are those of pairs (i, j)."""
    K, width, above = rank.shape[0], E.shape[1], 0.0
    if n == 1:
        label = rank[0]
        top = bigrams[K, label] + trigrams[K, K, label] + E[0, label] + last[label]
        for r in range(1, K):
            j = rank[r]
            score = bigrams[K, j] + trigrams[K, K, j] + E[0, j] + last[j]
            if score > top:
                label, top = j, score
        path[0] = label
        return top
    for i in range(K):
        alone = bigrams[K, i] + trigrams[K, K, i] + E[0, i]
        for j in range(width):
            scores[1, i, j] = alone + bigrams[i, j] + trigrams[K, i, j] + E[1, j]
    side = K * width
    for t in range(2, n):
        odd = t & 1
        for i in range(K):
            best_before(
                scores, (1 - odd) * side + i, width, trigrams, i * width, (K + 1) * width, rank,
                bigrams, i * width, scores, odd * side + i * width, back, t * side + i * width,
            )  # fmt: skip
            for j in range(width):
                scores[odd, i, j] += E[t, j]
        if t % _OFTEN == 0:
            above += lower(scores[odd])
    return trace_pairs(scores[(n - 1) & 1], n, last, rank, back, path) + above


@jit
def trace_pairs(pairs: Any, n: int, last: Any, rank: Any, back: Any, path: Any) -> Any:
    """Find the best last pair of labels, and go back from there."""
    label, before = rank[0], rank[0]
    top = pairs[before, label] + last[label]
    for r in range(rank.shape[0]):
        for q in range(rank.shape[0]):
            i, j = rank[q], rank[r]
            if pairs[i, j] + last[j] > top:
                before, label, top = i, j, pairs[i, j] + last[j]
    path[n - 1], path[n - 2] = label, before
    for t in range(n - 1, 1, -1):
        earlier = back[t, before, label]
        label, before = before, earlier
        path[t - 2] = before
    return top


@jit
def best_path(
    E: Any, n: int, bigrams: Any, trigrams: Any, last: Any, rank: Any, scores: Any, back: Any,
    path: Any,
) -> Any:  # fmt: skip
    """Write the best path for the scores E of n tokens; return its score.

    ``scores`` and ``back`` are buffers: of shape (2, 1, width) and
    (n, 1, width), or (2, K, width) and (n, K, width) in second-order chains.
    """
    if trigrams is None:
        return first_order_path(E, n, bigrams, last, rank, scores, back, path)
    return second_order_path(E, n, bigrams, trigrams, last, rank, scores, back, path)


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
