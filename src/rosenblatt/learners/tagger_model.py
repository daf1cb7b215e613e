"""What a tagger has learned, as small as it is: weights that are not zero, label by label."""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.lanes import LANES
from rosenblatt.learners.tagger import State


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
