"""A tagger of sequences: the averaged structured perceptron over chains (Collins 2002).

A path y of labels for tokens x has the score ``Σ_t w·φ(x, t, y_t) + v(y_{t−1}, y_t)``, and in
second-order chains ``+ u(y_{t−2}, y_{t−1}, y_t)``. If the best path is not the right one, the
features of the right one are added to the weights, and those of the best one are subtracted.

Weights are whole numbers while it learns, so no order of sums matters as long as those of a few
tokens stay below 2²⁴, which float32 counts to; `rosenblatt.tagging.mixing` says what holds for
mixtures. A feature has weights for a block of labels once one of them is updated; most features
never are.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.simd.lanes import LANES
from rosenblatt.kernels.tagging import Buffers, Chain, Totals, Weights, tag, tagger_pass
from rosenblatt.kernels.viterbi import token_gaps
from rosenblatt.tagging.schemes import Allowed

_FIRST_BLOCKS = 1 << 12
_TYPE = np.float32
MOST_TAGS = 1 << 13  # arrows are int16
_MOST_ARROWS = 1 << 30  # from a token and label, or pair of them, to the one before


class State(NamedTuple):
    """Weights in blocks of labels, what they are averaged with, and what was done so far.

    Labels are in the order of ``rank`` inverted: ``rank[k]`` is the lane of class k.
    """

    places: Array
    blocks: Array
    used: Array
    bigrams: Array
    trigrams: Array | None
    last: Array
    rank: Array
    totals: Array
    total_bigrams: Array
    total_trigrams: Array | None
    steps: int
    updates: int


def init(
    n_features: int, n_labels: int, *, order: int = 1, rank: Array | None = None,
    allowed: Allowed | None = None,
) -> State:  # fmt: skip
    """Start from zero weights."""
    K, width = n_labels, -(-n_labels // LANES) * LANES
    rank = np.arange(K) if rank is None else rank
    free = Allowed(np.ones(K, bool), np.ones((K, K), bool), np.ones(K, bool))
    first, pairs, last = free if allowed is None else allowed
    bigrams = np.full((K + 1, width), -np.inf, _TYPE)
    bigrams[rank[:, None], rank[None, :]] = np.where(pairs, 0.0, -np.inf)
    bigrams[K, rank] = np.where(first, 0.0, -np.inf)
    end = np.full(width, -np.inf, _TYPE)
    end[rank] = np.where(last, 0.0, -np.inf)
    shape = (K + 1, K + 1, width)
    return State(
        np.zeros((n_features + 1, width // LANES), np.int32),
        np.zeros((_FIRST_BLOCKS, LANES), _TYPE),
        np.ones(1, np.int64),
        bigrams,
        np.zeros(shape, _TYPE) if order == 2 else None,
        end,
        np.asarray(rank, np.int32),
        np.zeros((_FIRST_BLOCKS, LANES)),
        np.zeros(bigrams.shape),
        np.zeros(shape) if order == 2 else None,
        0,
        0,
    )


def update(
    state: State, features: Array, gold: Array, offsets: Array, order: Array
) -> tuple[State, int]:
    """Learn from sequences in order; return how many tokens were wrong, too.

    ``gold`` has the class of each token; the state is taken over.
    """
    buffers = _buffers(state, offsets[order + 1] - offsets[order])
    done = mistakes = tokens = 0
    while True:
        visited, wrong, wrong_tokens = tagger_pass(
            features, gold, offsets, order[done:], _weights(state),
            Totals(state.totals, state.total_bigrams, state.total_trigrams), _chain(state),
            state.steps + done, buffers,
        )  # fmt: skip
        done, mistakes, tokens = done + visited, mistakes + wrong, tokens + wrong_tokens
        if done == len(order):
            break
        state = _enlarge(state)
    state = state._replace(steps=state.steps + done, updates=state.updates + mistakes)
    return state, tokens


def _enlarge(state: State) -> State:
    size, used = len(state.blocks), int(state.used[0])
    blocks, totals = np.zeros((2 * size, LANES), _TYPE), np.zeros((2 * size, LANES))
    blocks[:used], totals[:used] = state.blocks[:used], state.totals[:used]
    return state._replace(blocks=blocks, totals=totals)


def average(state: State) -> State:
    """Return the state with the mean of its weights over all steps, which cannot learn on."""
    steps, used = max(state.steps, 1), int(state.used[0])

    def mean(weights: Any, totals: Any) -> Any:
        return None if weights is None else (weights - totals / steps).astype(_TYPE)

    return state._replace(
        places=state.places.copy(),
        blocks=mean(state.blocks[:used], state.totals[:used]),
        bigrams=mean(state.bigrams, state.total_bigrams),
        trigrams=mean(state.trigrams, state.total_trigrams),
    )


def frozen(state: State) -> State:
    """Return the state with its last weights, which do not change when it learns on."""
    trigrams = None if state.trigrams is None else state.trigrams.copy()
    return state._replace(
        places=state.places.copy(),
        blocks=state.blocks[: int(state.used[0])].copy(),
        bigrams=state.bigrams.copy(),
        trigrams=trigrams,
    )


def tags(state: State, features: Array, offsets: Array) -> Array:
    """Return the class of each token on the best path of its sequence."""
    lanes = np.empty(int(offsets[-1]), np.int32)
    tag(features, offsets, _weights(state), _chain(state), _buffers(state, np.diff(offsets)), lanes)
    return np.argsort(state.rank)[lanes]


def gaps(state: State, features: Array, offsets: Array, classes: Array) -> Array:
    """Return for each token how far its class is ahead of the best path with another one there."""
    found = np.empty(len(classes), _TYPE)
    lanes = state.rank[classes].astype(np.int64)
    tokens = _buffers(state, np.diff(offsets)).tokens
    token_gaps(features, offsets, _weights(state), _chain(state), tokens, lanes, found)
    return found


def _weights(state: State) -> Weights:
    return Weights(state.places, state.blocks, state.used)


def _chain(state: State) -> Chain:
    return Chain(state.bigrams, state.trigrams, state.last, state.rank)


def _buffers(state: State, lengths: Array) -> Buffers:
    """Allocate memory for the longest of some sequences; raise ``ValueError`` if it is too long."""
    longest, width = int(lengths.max(initial=1)), state.bigrams.shape[1]
    pairs = 1 if state.trigrams is None else len(state.rank)
    if longest * pairs * width > _MOST_ARROWS:
        raise ValueError(
            f"a sequence of {longest:,} tokens is too long for {len(state.rank)} tags with "
            f"order={1 if state.trigrams is None else 2}; cut it into shorter ones, or set order=1"
        )
    return Buffers(
        np.empty((longest, width), _TYPE),
        np.empty((2, pairs, width), _TYPE),
        np.empty((longest, pairs, width), np.int16),
        np.empty(longest, np.int32),
        np.empty(longest, np.int32),
    )


class Model(NamedTuple):
    """The weights of features, in the order of features and labels, and those of transitions.

    ``counts`` says how many weights each feature has, ``labels`` whose they are. ``bigrams`` has a
    row for each label before, and one for the start; −∞ is what cannot be. ``last`` says which
    labels may be the last.
    """

    counts: Array
    labels: Array
    values: Array
    bigrams: Array
    trigrams: Array | None
    last: Array


def compact(state: State) -> tuple[Model, Array]:
    """Return the model of a state, and a mask of the features that have weights."""
    K, lane_of = len(state.rank), state.rank
    class_of = np.full(state.bigrams.shape[1], -1)
    class_of[lane_of] = np.arange(K)
    feature, block = np.nonzero(state.places)
    rows = state.places[feature, block]
    at, lane = np.nonzero(state.blocks[rows])
    number, label = feature[at] - 1, class_of[block[at] * LANES + lane]
    order = np.lexsort((label, number))
    counts = np.bincount(number, minlength=len(state.places) - 1)
    kept = counts > 0
    small = np.uint8 if K <= 1 << 8 else np.uint16 if K <= 1 << 16 else np.uint32
    ahead = np.append(lane_of, K)
    trigrams = state.trigrams
    return Model(
        counts[kept].astype(np.uint16 if K < 1 << 16 else np.uint32),
        label[order].astype(small),
        state.blocks[rows[at], lane][order],
        state.bigrams[ahead][:, lane_of],
        None if trigrams is None else trigrams[np.ix_(ahead, ahead, lane_of)],
        np.isfinite(state.last[lane_of]),
    ), kept


def expand(model: Model) -> State:
    """Return a state that tags as a model says; it cannot learn on."""
    K = len(model.last)
    width = -(-K // LANES) * LANES
    # Labels that often have weights stand side by side, so that most features need one block.
    often = np.bincount(model.labels, minlength=K)
    rank = np.empty(K, np.int32)
    rank[np.argsort(-often, kind="stable")] = np.arange(K)
    lane = rank[model.labels.astype(np.int64)]
    feature = np.repeat(np.arange(1, len(model.counts) + 1), model.counts)
    per_feature = width // LANES
    used, row = np.unique(feature * per_feature + lane // LANES, return_inverse=True)
    places = np.zeros((len(model.counts) + 1) * per_feature, np.int32)
    places[used] = np.arange(1, len(used) + 1)
    blocks = np.zeros((len(used) + 1, LANES), np.float32)
    blocks[row + 1, lane % LANES] = model.values
    bigrams = np.full((K + 1, width), -np.inf, np.float32)
    bigrams[np.append(rank, K)[:, None], rank] = model.bigrams
    last = np.full(width, -np.inf, np.float32)
    last[rank] = np.where(model.last, 0.0, -np.inf)
    trigrams = None
    if model.trigrams is not None:
        trigrams = np.zeros((K + 1, K + 1, width), np.float32)
        ahead = np.append(rank, K)
        trigrams[np.ix_(ahead, ahead, rank)] = model.trigrams
    nothing = np.zeros((0, LANES))
    return State(
        places.reshape(-1, per_feature),
        blocks,
        np.array([len(blocks)]),
        bigrams,
        trigrams,
        last,
        rank,
        nothing,
        nothing,
        None,
        0,
        0,
    )
