"""Changed entries: exact to the last bit, and no more bytes than they need."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.distributed.deltas import applied, arrays_of, changes, merged, n_bytes, packed
from rosenblatt.learners import (
    adaptive,
    arow,
    averaged,
    descent,
    online,
    passive_aggressive,
    perceptron,
)

MIXED = [perceptron, averaged, passive_aggressive, arow, adaptive]


def equal(a, b):
    pairs = zip(a, b, strict=True)
    return all(
        np.array_equal(x.view(f"u{x.itemsize}"), y.view(f"u{y.itemsize}"))
        and x.flags.f_contiguous == y.flags.f_contiguous
        if isinstance(x, np.ndarray)
        else x == y
        for x, y in pairs
    )


def learned(learner, n_classes, seed, sparse=False, dtype=np.float64, n_features=12):
    """Return a state after a few rows, some columns of which are never used."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(6, n_features)).astype(dtype)
    X[:, rng.random(n_features) < 0.7] = 0
    y = rng.integers(n_classes, size=6)
    state = learner.init(n_features, n_classes, dtype=dtype, sparse=sparse)
    return learner.update(state, as_rows(X), online.targets(y, n_classes, dtype))


@pytest.mark.parametrize("learner", [*MIXED, descent], ids=lambda module: module.__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
@given(seed=st.integers(0, 10_000), sparse=st.booleans())
def test_changes_applied_are_the_state(learner, n_classes, seed, sparse):
    before = learner.init(12, n_classes, sparse=sparse)
    after = learned(learner, n_classes, seed, sparse)
    counts = after._replace(**arrays_of(before))
    assert equal(applied(counts, changes(before, after)), after)
    blank, delta = packed(after)
    assert equal(blank.fill(delta), after)


@pytest.mark.parametrize("learner", MIXED, ids=lambda module: module.__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
@given(
    seeds=st.lists(st.integers(0, 10_000), min_size=2, max_size=4),
    weights=st.lists(st.integers(1, 50), min_size=4, max_size=4),
    sparse=st.booleans(),
)
def test_merging_changes_is_merging_states(learner, n_classes, seeds, weights, sparse):
    start = learner.init(12, n_classes, sparse=sparse)
    states = [learned(learner, n_classes, seed, sparse) for seed in seeds]
    weights = weights[: len(states)]
    parts = [
        (state._replace(**dict.fromkeys(arrays_of(state))), changes(start, state))
        for state in states
    ]
    delta = merged(learner, start, parts, weights)
    whole = learner.merge(states, weights)
    for name, array in arrays_of(applied(start, delta)).items():
        np.testing.assert_allclose(array, getattr(whole, name), rtol=1e-13, atol=1e-13)


def test_entries_that_all_agree_on_are_not_rounded():
    start = perceptron.init(3)
    start.weights[:] = 0.1, 0.7, 1 / 3
    parts = []
    for step in (1.0, 2.0):
        state = online.copy(start)
        state.weights[0, 0] += step
        parts.append((state._replace(weights=None, intercept=None), changes(start, state)))
    mixed = applied(start, merged(perceptron, start, parts, [3.0, 7.0]))
    assert mixed.weights[0, 1:].tolist() == [0.7, 1 / 3]
    assert mixed.weights[0, 0] == (1.1 * 3 + 2.1 * 7) / 10


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_few_changes_take_few_bytes(dtype):
    start = averaged.init(1 << 16, dtype=dtype)
    after = online.copy(start)
    after.weights[0, ::100] = 2
    after.total[0, ::100] = 3
    n = len(after.weights[0, ::100])
    assert n_bytes(changes(start, after)) == n * (4 + np.dtype(dtype).itemsize + 8)


def test_many_changes_are_sent_without_an_index():
    start = perceptron.init(1000)
    after = online.copy(start)
    after.weights[0, :900] = 1
    assert n_bytes(changes(start, after)) == 8 * 1000


def test_a_zero_that_changes_its_sign_is_a_change():
    start = perceptron.init(2)
    after = online.copy(start)
    after.weights[0, 1] = -0.0
    assert np.signbit(applied(start, changes(start, after)).weights[0]).tolist() == [False, True]
