"""Mixtures of taggers: iterative parameter mixing (McDonald, Hall and Mann 2010).

A state has the weights of features in blocks, in the order in which it needed them. `SparseState`
lists them by feature and label instead, so that the same weight has the same key everywhere.

What holds after mixing: a state that was never mixed, as with a single shard, has whole numbers,
and all of `learner` holds to the bit. A mixture has fractions, in float32. Each time two are mixed,
a weight is rounded once, by 2⁻²⁴ of its size at most; where all agree it is not rounded. Scores are
then sums of fractions, rounded as well: paths that would be equal may differ in the last digits,
and adding 1 and subtracting it again may leave such a difference. It is the same one whenever the
same compiled code visits the same sequences in the same order. Sums for the mean are in float64.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.data.sorted_keys import union, values_at
from rosenblatt.kernels.simd.lanes import LANES
from rosenblatt.tagging import learner

LISTED = ("weights", "totals")  # by ``keys``
_LEAST_BLOCKS = 1 << 12
_CHAINS = (("bigrams", "total_bigrams"), ("trigrams", "total_trigrams"))


class SparseState(NamedTuple):
    """A tagger's state with its weights of features as a list, of those that are not zero.

    ``keys`` rise: that of feature f (from 1 on) and the lane j of a label is f · width + j, where
    ``bigrams`` are as wide. The other parts are those of `learner.State`.
    """

    keys: Array
    weights: Array
    totals: Array
    bigrams: Array
    total_bigrams: Array
    trigrams: Array | None
    total_trigrams: Array | None
    last: Array
    rank: Array
    n_features: int
    steps: int
    updates: int


def to_sparse(state: learner.State) -> SparseState:
    """List the weights of a state, and its sums for the mean."""
    n, per_feature = state.places.shape
    where = np.flatnonzero(state.places)
    rows = state.places.reshape(-1)[where]
    weights, totals = (part[rows].reshape(-1) for part in (state.blocks, state.totals))
    at = np.flatnonzero((weights != 0) | (totals != 0))
    block = at // LANES
    keys = where[block] * LANES + (at - block * LANES)
    return SparseState(
        keys.astype(np.int32 if n * per_feature * LANES < 1 << 31 else np.int64),
        weights[at],
        totals[at],
        state.bigrams,
        state.total_bigrams,
        state.trigrams,
        state.total_trigrams,
        state.last,
        state.rank,
        n - 1,
        state.steps,
        state.updates,
    )


def from_sparse(state: SparseState) -> learner.State:
    """Undo `to_sparse`: return a state that can learn on. Arrays of transitions are shared."""
    per_feature = state.bigrams.shape[1] // LANES
    block = state.keys // LANES
    lane = state.keys - block * LANES
    first = np.ones(len(block), bool)
    np.not_equal(block[1:], block[:-1], out=first[1:])
    used, row = block[first], np.cumsum(first)
    places = np.zeros((state.n_features + 1) * per_feature, np.int32)
    places[used] = np.arange(1, len(used) + 1)
    size = max(2 * len(used), _LEAST_BLOCKS)  # with space for others
    blocks = np.zeros((size, LANES), np.float32)
    totals = np.zeros(blocks.shape)
    at = row * LANES + lane
    blocks.reshape(-1)[at] = state.weights
    if state.totals.any():
        totals.reshape(-1)[at] = state.totals
    return learner.State(
        places.reshape(-1, per_feature),
        blocks,
        np.array([len(used) + 1]),
        state.bigrams,
        state.trigrams,
        state.last,
        state.rank,
        totals,
        state.total_bigrams,
        state.total_trigrams,
        state.steps,
        state.updates,
    )


def of_features(state: SparseState, own: Array) -> tuple[SparseState, Array]:
    """Return the state of some features alone, and the places of its weights among all.

    ``own`` are their numbers, which rise from 0 (none) on: feature ``own[k]`` becomes k.
    """
    width = state.bigrams.shape[1]
    wanted = np.zeros(state.n_features + 1, bool)
    wanted[own[1:]] = True
    number = np.empty(state.n_features + 1, state.keys.dtype)
    number[own] = np.arange(len(own))
    feature = state.keys // width
    there = np.flatnonzero(wanted[feature]).astype(state.keys.dtype)
    keys = state.keys[there] + (number[feature[there]] - feature[there]) * width
    weights, totals = state.weights[there], state.totals[there]
    part = state._replace(keys=keys, weights=weights, totals=totals, n_features=len(own) - 1)
    return part, there


def at_keys(state: SparseState, keys: Array) -> SparseState:
    """Return the state with other keys listed, among which are all of its own."""
    weights, totals = values_at(state.keys, [state.weights, state.totals], keys)
    return state._replace(keys=keys, weights=weights, totals=totals)


def aligned(states: Sequence[SparseState]) -> list[SparseState]:
    """List what any of some states lists in all of them."""
    keys = union(*(state.keys for state in states))
    return [at_keys(state, keys) for state in states]


def merge(states: Sequence[SparseState], weights: Sequence[float]) -> SparseState:
    """Mix states: the weighted mean of the weights, and of their means over steps.

    Without ``keys`` what they list must be the same.
    """
    if states[0].keys is not None:
        states = aligned(states)
    steps = sum(state.steps for state in states)
    pairs = [pair for pair in zip(states, weights, strict=True) if pair[1]]
    changed: dict[str, Any] = {}
    for name, total in (LISTED, *_CHAINS):
        if getattr(states[0], name) is not None:
            parts = [(getattr(state, name), weight) for state, weight in pairs]
            changed[name] = _mean(parts).astype(parts[0][0].dtype)
            # The mean over steps is w − total / steps, which makes that of the mixture the mixture.
            off = [(getattr(one, total) / max(one.steps, 1), weight) for one, weight in pairs]
            changed[total] = _mean(off) * steps
    updates = sum(state.updates for state in states)
    return states[0]._replace(**changed, steps=steps, updates=updates)


def _mean(parts: Sequence[tuple[Array, float]]) -> Array:
    """Return the weighted mean in float64; what is equal in all parts is as it is."""
    first = parts[0][0]
    same = np.logical_and.reduce([array == first for array, _ in parts])
    arrays, weights = zip(*parts, strict=True)
    mean = np.average([np.where(same, 0, array) for array in arrays], axis=0, weights=weights)
    return np.where(same, first, mean)


def begun_anew(state: SparseState) -> SparseState:
    """Return a state with the same weights, whose mean is yet to begin."""
    kept = state.weights != 0
    empty = None if state.total_trigrams is None else np.zeros_like(state.total_trigrams)
    return state._replace(
        keys=state.keys[kept],
        weights=state.weights[kept],
        totals=np.zeros(int(kept.sum())),
        total_bigrams=np.zeros_like(state.total_bigrams),
        total_trigrams=empty,
        steps=0,
    )


def continued(before: SparseState, after: SparseState) -> SparseState:
    """Make the mean of a round, which ``after`` has alone, part of that of all steps before."""
    before, after = aligned([before, after])
    changed: dict[str, Any] = {}
    for name, total in (LISTED, *_CHAINS):
        old, new = getattr(before, name), getattr(after, name)
        if old is not None:
            # Weights that changed after so many steps were what they had been for these. What is
            # not allowed stays so.
            moved = np.subtract(new, old, where=new != old, out=np.zeros(new.shape), dtype=float)
            changed[total] = getattr(before, total) + getattr(after, total) + before.steps * moved
    kept = (after.weights != 0) | (changed["totals"] != 0)
    return after._replace(
        **{
            **changed,
            "keys": after.keys[kept],
            "weights": after.weights[kept],
            "totals": changed["totals"][kept],
        },
        steps=before.steps + after.steps,
        updates=before.updates + after.updates,
    )


def check(state: SparseState) -> None:
    """Raise ``ValueError`` unless compiled code can trust a state that was stored."""
    keys, most = state.keys, (state.n_features + 1) * state.bigrams.shape[1]
    if len(keys) and not (keys[0] >= 0 and keys[-1] < most and (np.diff(keys) > 0).all()):
        raise ValueError("its weights are not in order")
