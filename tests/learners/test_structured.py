"""The structured perceptron: the reference mistake for mistake, and the mistake bound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import reference
from rosenblatt.learners import joint_features as joint
from rosenblatt.learners import structured
from rosenblatt.theory.bounds import structured_bound, structured_margin
from tests.learners.structured_problems import Labels, Table, brute_force, sentences, tables

PASSES = 4
seeds = st.integers(0, 2**32 - 1)


def learn(problem, X, y, orders, **options):
    """Return the state and the log of mistakes."""
    log, state = [], structured.init(problem, X, y)
    for order in orders:
        state = structured.update(state, problem, X, y, order, log=log, **options)
    return state, log


def until_clean(problem, X, y, **options):
    """Learn until a pass makes no mistake."""
    state, before = structured.init(problem, X, y), -1
    while state.updates > before:
        before = state.updates
        state = structured.update(state, problem, X, y, range(len(X)), **options)
    return state


@given(seeds, st.booleans(), st.booleans())
def test_mistake_for_mistake_as_in_the_reference(seed, named, separable):
    made, X, y, _ = tables(seed, separable)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(X)).tolist() for _ in range(PASSES)]
    problem, plain = Table(made, named), Table(made)
    steps = list(reference.structured(X, y, orders, plain.features, plain.argmax))
    state, log = learn(problem, X, y, orders)
    assert log == [i for i, _, mistake in steps if mistake]
    assert (state.updates, state.steps) == (len(log), len(steps))
    mean = structured.average(state)
    if named:
        last, mean = spread(state.weights, made), spread(mean, made)
    else:
        last = state.weights
    np.testing.assert_array_equal(last, steps[-1][1])
    np.testing.assert_allclose(mean, reference.structured_mean(steps), rtol=1e-12, atol=1e-12)


def spread(weights, made):
    vector = np.zeros(made[0].shape[1])
    for (_, column), value in weights.items():
        vector[column] = value
    return vector


@given(seeds)
def test_no_more_mistakes_than_the_bound(seed):
    made, X, y, u = tables(seed)
    squared_radius, margin = brute_force(made, y, u)
    state = until_clean(Table(made), X, y)
    # k δ² ≤ R² with δ = margin/‖u‖, in whole numbers.
    if np.isfinite(margin):
        assert state.updates * margin**2 <= squared_radius * (u @ u)
    assert state.radius**2 <= squared_radius * (1 + 1e-12)
    # Its own weights separate, too, and its own longest update is enough.
    if state.updates:
        ours = structured_margin(Table(made), X, y, state.weights)
        length = np.linalg.norm(state.weights)
        assert ours == pytest.approx(brute_force(made, y, state.weights)[1] / length)
        assert ours >= 0  # and zero if it got there by a tie
        if ours > 0:
            assert state.updates <= structured_bound(state.radius, 0.0, ours) * (1 + 1e-9)


@given(seeds, st.booleans())
def test_no_more_mistakes_than_the_bound_with_costs(seed, named):
    made, X, y, u = tables(seed)
    squared_radius, margin = brute_force(made, y, u)
    problem = Table(made, named)
    state = until_clean(problem, X, y, cost_augmented=True)
    costs = [
        abs(right - wrong) for t, right in zip(made, y, strict=True) for wrong in range(len(t))
    ]
    if np.isfinite(margin):
        assert state.updates * margin**2 <= (squared_radius + 2 * max(costs)) * (u @ u)
    assert state.cost <= max(costs)
    # After a clean pass the right output is ahead of every other by its cost.
    for x, right in zip(X, y, strict=True):
        scores = problem.scores(x, joint.shown(state.weights))
        assert np.all(scores[right] >= scores + np.abs(np.arange(len(scores)) - right))


def test_the_bound_does_not_grow_with_the_set_of_outputs():
    X, y = sentences(seed=3)
    u = {(word, word % 2): 1.0 for word in range(12)}
    # Each word's own label can be replaced by one other at most, n times if it occurs n times.
    squared_radius = max(2 * sum(x.count(word) ** 2 for word in set(x)) for x in X)
    mistakes = []
    for n_labels in (3, 30, 3_000):  # up to 3,000⁶ outputs
        problem = Labels(n_labels)
        margin = structured_margin(problem, X, y, u)
        assert margin == pytest.approx(1 / np.sqrt(12))
        state = until_clean(problem, X, y)
        assert state.radius**2 <= squared_radius
        assert 0 < state.updates <= squared_radius / margin**2
        mistakes.append(state.updates)
    assert mistakes[1] == mistakes[2]  # and what is never right is soon never found


def test_a_margin_that_is_none():
    X, y = sentences(seed=3)
    assert structured_margin(Labels(), X, y, {}) == 0.0
    assert structured_margin(Labels(), X, y, {(word, 2): 1.0 for word in range(12)}) < 0
    alone = Table([np.array([[1.0, 2.0]])])  # the only output has no rival
    assert structured_margin(alone, [0], [0], [1.0, 0.0]) == np.inf


def test_two_features_that_cancel_are_no_update():
    assert joint.difference({"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 1.0}) == {"b": 2.0, "c": -1.0}


SAME = [
    (1, 1.0),
    ("a", "a"),
    ((1, 2), [1, 2]),
    ([1, 2], np.array([1, 2])),
    (np.eye(2), np.eye(2)),
    ((np.eye(2), "x"), (np.eye(2), "x")),
    ({"a": np.ones(2)}, {"a": [1, 1]}),
    ({1, 2}, {2, 1}),
    (None, None),
    ((), []),
    (np.int64(3), 3),
]
DIFFERENT = [
    (1, 2),
    ("ab", ["a", "b"]),
    ((1, 2), (1, 2, 3)),
    (np.ones(2), np.ones(3)),
    (np.ones(2), "text"),
    ({"a": 1}, {"b": 1}),
    ((np.ones(2), 1), (np.zeros(2), 1)),
    (None, 0),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_equal_outputs(one, other):
    assert structured.same(one, other)
    assert structured.same(other, one)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_outputs(one, other):
    assert not structured.same(one, other)
    assert not structured.same(other, one)


def test_weights_can_be_read_and_not_changed():
    values = {"a": 1.0}
    weights = joint.shown(values)
    assert (weights["a"], weights["b"], len(weights), list(weights)) == (1.0, 0.0, 1, ["a"])
    assert "a" in weights
    assert "b" not in weights
    assert weights @ {"a": 2, "b": 5} == 2.0
    assert weights == {"a": 1.0}
    assert repr(weights) == "Weights({'a': 1.0})"
    with pytest.raises(TypeError, match="item assignment"):
        weights["a"] = 2.0
    values["b"] = 3.0
    assert weights["b"] == 3.0  # what learns is seen at once
    vector = np.ones(2)
    view = joint.shown(vector)
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 2.0
    vector[0] = 5.0
    assert view[0] == 5.0


def test_a_problem_may_fill_the_same_array_every_time():
    class Reuses(Table):
        room = np.empty(2)

        def features(self, x, y):
            self.room[:] = super().features(x, y)
            return self.room

    made = [np.array([[0.0, 1.0], [1.0, 0.0]])]
    state, log = learn(Reuses(made), [0], [1], [[0], [0]])
    assert state.weights.tolist() == [1.0, -1.0]
    assert log == [0]
