"""Learning a tagger: the structured perceptron (Collins 2002) over chains; and tagging."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.simd.lanes import LANES
from rosenblatt.kernels.viterbi import best_path, score_tokens


class Chain(NamedTuple):
    """What else a path is scored by than its tokens, and how ties are broken; see `viterbi`."""

    bigrams: Any
    trigrams: Any
    last: Any
    rank: Any


class Weights(NamedTuple):
    """The weights of features, in blocks of labels; ``used[0]`` rows of them are taken."""

    places: Any
    blocks: Any
    used: Any


class Totals(NamedTuple):
    """For averaging: the sums of (step − 1) · update, in float64."""

    blocks: Any
    bigrams: Any
    trigrams: Any


class Buffers(NamedTuple):
    """Buffers for the longest sequence: tokens' scores, scores and arrows of paths, two paths."""

    tokens: Any
    scores: Any
    back: Any
    path: Any
    right: Any


@jit
def _missing(features: Any, start: int, n: int, gold: Any, path: Any, places: Any) -> int:
    """Count the blocks, at most, that an update has to add."""
    missing = 0
    for t in range(n):
        if path[t] != gold[t]:
            right, wrong = gold[t] // LANES, path[t] // LANES
            for q in range(features.shape[1]):
                f = features[start + t, q]
                if f > 0:
                    missing += places[f, right] == 0
                    missing += right != wrong and places[f, wrong] == 0
    return missing


@jit
def _add(weights: Any, totals: Any, f: Any, label: Any, step: float, late: float) -> None:
    """Add to the weight of a feature for a label."""
    b, k = label // LANES, label % LANES
    p = weights.places[f, b]
    if p == 0:
        p = weights.used[0]
        weights.places[f, b] = p
        weights.used[0] = p + 1
    weights.blocks[p, k] += step
    totals.blocks[p, k] += late


@jit
def _add_chain(bigrams: Any, trigrams: Any, h: Any, i: Any, j: Any, step: float) -> None:
    """Add to the weights of label j after i, and after h and i."""
    bigrams[i, j] += step
    if trigrams is not None:
        trigrams[h, i, j] += step


@jit
def _update(
    features: Any,
    start: int,
    n: int,
    gold: Any,
    path: Any,
    weights: Any,
    totals: Any,
    chain: Any,
    steps: int,
) -> int:
    """Add the features of the right path, and subtract those of the path found."""
    none = chain.rank.shape[0]
    late, wrong = np.float64(steps), 0
    for t in range(n):
        y, z = np.int64(gold[t]), np.int64(path[t])
        if y != z:
            wrong += 1
            for q in range(features.shape[1]):
                f = features[start + t, q]
                if f > 0:
                    _add(weights, totals, f, y, 1.0, late)
                    _add(weights, totals, f, z, -1.0, -late)
        before_y = np.int64(gold[t - 1]) if t > 0 else none
        before_z = np.int64(path[t - 1]) if t > 0 else none
        far_y = np.int64(gold[t - 2]) if t > 1 else none
        far_z = np.int64(path[t - 2]) if t > 1 else none
        if y != z or before_y != before_z or far_y != far_z:
            _add_chain(chain.bigrams, chain.trigrams, far_y, before_y, y, 1.0)
            _add_chain(totals.bigrams, totals.trigrams, far_y, before_y, y, late)
            _add_chain(chain.bigrams, chain.trigrams, far_z, before_z, z, -1.0)
            _add_chain(totals.bigrams, totals.trigrams, far_z, before_z, z, -late)
    return wrong


@jit
def _best(chain: Any, buffers: Any, n: int) -> Any:
    """Write the best path of n tokens."""
    return best_path(
        buffers.tokens,
        n,
        chain.bigrams,
        chain.trigrams,
        chain.last,
        chain.rank,
        buffers.scores,
        buffers.back,
        buffers.path,
    )


@jit
def tagger_pass(
    features: Any,
    gold: Any,
    offsets: Any,
    order: Any,
    weights: Any,
    totals: Any,
    chain: Any,
    steps: int,
    buffers: Any,
) -> tuple[int, int, int]:
    """Visit sequences in order: predict each, and learn from it if its tags are not all right.

    ``steps`` were made before. Return the sequences visited, those mistaken, and the tokens. The
    loop ends early where there is no space for the blocks of an update.
    """
    visited, mistakes, tokens = 0, 0, 0
    for s in range(order.shape[0]):
        start = offsets[order[s]]
        n = offsets[order[s] + 1] - start
        if n > 0:
            score_tokens(features, start, n, weights.places, weights.blocks, buffers.tokens)
            _best(chain, buffers, n)
            same = True
            for t in range(n):
                buffers.right[t] = chain.rank[gold[start + t]]
                same &= buffers.path[t] == buffers.right[t]
            if not same:
                missing = _missing(features, start, n, buffers.right, buffers.path, weights.places)
                if weights.used[0] + missing > weights.blocks.shape[0]:
                    break
                step, right, path = steps + visited, buffers.right, buffers.path
                tokens += _update(features, start, n, right, path, weights, totals, chain, step)
                mistakes += 1
        visited += 1
    return visited, mistakes, tokens


@jit
def tag(features: Any, offsets: Any, weights: Any, chain: Any, buffers: Any, tags: Any) -> None:
    """Write the best labels of every sequence."""
    for s in range(offsets.shape[0] - 1):
        start = offsets[s]
        n = offsets[s + 1] - start
        if n > 0:
            score_tokens(features, start, n, weights.places, weights.blocks, buffers.tokens)
            _best(chain, buffers, n)
            for t in range(n):
                tags[start + t] = buffers.path[t]
