"""The tagger's learner: the reference mistake for mistake, and the perceptron where it is one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, Perceptron, reference
from rosenblatt.reference.tagger import END, START, best
from rosenblatt.reference.tagger import features as names_of
from rosenblatt.tagging import learner
from rosenblatt.tagging.schemes import Allowed, seen
from tests.conftest import first_quick

orders = pytest.mark.parametrize("order", [1, 2])
seeds = st.integers(0, 2**32 - 1)


def random_problem(rng, K, n=12, templates=3, values=5, longest=6, noise=0.3):
    """Return features, classes and offsets; a token's first feature says its class, or nearly."""
    lengths = rng.integers(0, longest + 1, n)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    size = int(offsets[-1])
    within = rng.integers(0, values, (size, templates))
    features = (within + 1 + values * np.arange(templates)).astype(np.int32)
    features[rng.random(features.shape) < 0.1] = 0
    gold = (within[:, 0] + within[:, -1]) % K if templates else np.zeros(size, np.int64)
    flipped = rng.random(size) < noise
    gold[flipped] = rng.integers(0, K, flipped.sum())
    return features, gold, offsets


def random_rules(rng, K, gold, offsets, share):
    """Return what is allowed: all that the right tags need, and some more."""
    return Allowed(
        *(
            part | (rng.random(part.shape) < share)
            for part in seen(K, np.asarray(gold, np.int64), offsets)
        )
    )


def as_reference(features, gold, offsets, K, allowed=None):
    """Write a problem as the reference reads it: features by name, and what is forbidden."""
    cuts = offsets[1:-1]
    X = [[[f"f{f}" for f in token if f] for token in s.tolist()] for s in np.split(features, cuts)]
    y = [tags.tolist() for tags in np.split(gold, cuts)]
    if allowed is None:
        return X, y, set()
    forbidden = {(START, k) for k in range(K) if not allowed.first[k]}
    forbidden |= {(k, END) for k in range(K) if not allowed.last[k]}
    forbidden |= {(i, j) for i in range(K) for j in range(K) if not allowed.pairs[i, j]}
    return X, y, forbidden


def named(state):
    """Return a state's weights that are not zero, by the reference's names."""
    model, kept = learner.compact(state)
    names = np.repeat(np.flatnonzero(kept) + 1, model.counts).tolist()
    found = {
        ("token", f"f{f}", k): w
        for f, k, w in zip(names, model.labels.tolist(), model.values.tolist(), strict=True)
    }
    K = len(model.last)
    before = [*range(K), START]
    for i, row in zip(before, model.bigrams.tolist(), strict=True):
        found.update({("pair", i, j): w for j, w in enumerate(row) if w and np.isfinite(w)})
    if model.trigrams is not None:
        for h, rows in zip(before, model.trigrams.tolist(), strict=True):
            for i, row in zip(before, rows, strict=True):
                found.update({("triple", h, i, j): w for j, w in enumerate(row) if w})
    return found


def learn(state, problem, passes, blocks=1):
    """Visit sequences in the given orders, in blocks; return the state and all wrong tokens."""
    features, gold, offsets = problem
    wrong = 0
    for order in passes:
        for part in np.array_split(order, blocks):
            state, more = learner.update(state, features, gold, offsets, part)
            wrong += more
    return state, wrong


def compare(rng, K, order, *, constrained=False, passes=3, **options):
    """Learn both ways, compare all, and return the state."""
    features, gold, offsets = made = random_problem(rng, K, **options)
    allowed = random_rules(rng, K, gold, offsets, 0.3) if constrained else None
    visits = [rng.permutation(len(offsets) - 1) for _ in range(passes)]
    X, y, forbidden = as_reference(*made, K, allowed)
    steps = list(
        reference.tagger(
            X, y, visits, range(K), second_order=order == 2, forbidden=forbidden
        )
    )  # fmt: skip
    state = learner.init(
        int(features.max(initial=0)), K, order=order, rank=rng.permutation(K), allowed=allowed
    )
    state, wrong = learn(state, made, visits, blocks=int(rng.integers(1, 4)))
    assert state.steps == len(steps)
    assert state.updates == sum(mistake for *_, mistake in steps)
    assert wrong == sum(
        a != b for i, _, found, _ in steps for a, b in zip(found, y[i], strict=True)
    )
    weights = {name: w for name, w in steps[-1][1].items() if w}
    assert named(state) == weights == named(learner.frozen(state))
    mean = {name: w for name, w in reference.tagger_mean(steps).items() if abs(w) > 1e-12}
    ours = {name: w for name, w in named(learner.average(state)).items() if abs(w) > 1e-12}
    assert ours == pytest.approx(mean, rel=1e-6, abs=1e-7)
    return state, made, steps, (X, y, forbidden)


@given(seeds, st.booleans())
def test_the_reference_is_the_structured_perceptron(seed, second_order):
    """With all sequences of labels as outputs, and their features as one long vector."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(1, 4))
    X, y, _ = as_reference(*random_problem(rng, K, n=5, longest=4), K)
    outputs = {n: [*map(list, product(range(K), repeat=n))] for n in range(5)}
    place = {}
    for x in X:
        for tags in outputs[len(x)]:
            for name in names_of(x, tags, second_order):
                place.setdefault(name, len(place))

    def vector(x, tags):
        made = np.zeros(len(place))
        np.add.at(made, [place[name] for name in names_of(x, tags, second_order)], 1)
        return made

    def argmax(x, w):
        scores = [w @ vector(x, tags) for tags in outputs[len(x)]]
        tied = [tags for tags, s in zip(outputs[len(x)], scores, strict=True) if s == max(scores)]
        return min(tied, key=lambda tags: tags[::-1])

    visits = [rng.permutation(len(X)).tolist() for _ in range(3)]
    steps = list(reference.tagger(X, y, visits, range(K), second_order=second_order))
    others = list(reference.structured(X, y, visits, vector, argmax))
    for (i, weights, _, mistake), (j, w, other) in zip(steps, others, strict=True):
        assert (i, mistake) == (j, other)
        np.testing.assert_array_equal([weights[name] for name in place], w)
    mean, whole = reference.tagger_mean(steps), reference.structured_mean(others)
    np.testing.assert_allclose([mean.get(name, 0) for name in place], whole)


@settings(max_examples=150)
@given(seeds, st.integers(1, 4), st.sampled_from([1, 2]), st.booleans())
def test_mistake_for_mistake_as_in_the_reference(seed, K, order, constrained):
    rng = np.random.default_rng(seed)
    options = {"templates": int(rng.integers(0, 4)), "values": int(rng.integers(1, 6))}
    compare(rng, K, order, constrained=constrained, **options)


@orders
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("K", [16, 17, 33])
def test_classes_in_several_blocks(K, constrained, order):
    rng = np.random.default_rng([K, order])
    state, *_ = compare(rng, K, order, constrained=constrained, values=12, n=15, passes=2)
    assert state.places.shape[1] == -(-K // 16)


@orders
def test_room_for_blocks_grows(order, monkeypatch):
    monkeypatch.setattr(learner, "_FIRST_BLOCKS", 2)
    rng = np.random.default_rng(order)
    state, *_ = compare(rng, 20, order, values=40, n=25)
    assert int(state.used[0]) > 64
    assert len(state.blocks) == len(state.totals) >= int(state.used[0])


def test_more_blocks_than_there_is_room_for_at_first():
    n = 12_000
    features = np.arange(1, n + 1, dtype=np.int32)[:, None]
    gold, offsets = np.random.default_rng(0).integers(1, 3, n), np.arange(0, n + 1, 3)
    everyone = np.arange(len(offsets) - 1)
    state, wrong = learner.init(n, 3), 1
    while wrong:
        state, wrong = learner.update(state, features, gold, offsets, everyone)
    assert len(state.blocks) >= int(state.used[0]) > learner._FIRST_BLOCKS
    np.testing.assert_array_equal(learner.tags(state, features, offsets), gold)
    # One sequence can need more than twice the room; all its tokens are wrong at first.
    whole = np.array([0, n])
    alone, wrong = learner.update(learner.init(n, 3), features, gold, whole, np.array([0]))
    assert (wrong, alone.updates, int(alone.used[0])) == (n, 1, n + 1)


@pytest.mark.parametrize("averaged", [False, True])
@orders
@pytest.mark.parametrize("K", first_quick([2, 5, 18, 40], 2))
def test_a_compact_model_tags_the_same(K, order, averaged):
    rng = np.random.default_rng([K, order])
    state, (features, _, offsets), *_ = compare(rng, K, order, constrained=True, n=20, values=9)
    state = learner.average(state) if averaged else learner.frozen(state)
    model, kept = learner.compact(state)
    assert (model.values != 0).all()
    assert (model.counts > 0).all()
    assert model.labels.dtype == np.uint8
    again = learner.expand(model)
    numbers = np.concatenate([[0], np.where(kept, np.cumsum(kept), 0)]).astype(np.int32)
    fewer = numbers[features]
    tags = learner.tags(state, features, offsets)
    np.testing.assert_array_equal(learner.tags(again, fewer, offsets), tags)
    np.testing.assert_array_equal(
        learner.gaps(again, fewer, offsets, tags), learner.gaps(state, features, offsets, tags)
    )
    # And what it is made of comes back as it was.
    for one, other in zip(model, learner.compact(again)[0], strict=True):
        np.testing.assert_array_equal(one, other)
    # New sequences keep to the rules.
    others = random_problem(rng, K, n=20, values=9)[0][:, :3]
    bounds = np.arange(0, len(others) + 1, 2)
    allowed = np.isfinite(model.bigrams[:-1])
    pairs = learner.tags(state, others[: bounds[-1]], bounds).reshape(-1, 2)
    assert allowed[pairs[:, 0], pairs[:, 1]].all()


def test_more_classes_than_a_byte_can_number():
    rng = np.random.default_rng(0)
    features, gold, offsets = made = random_problem(rng, 300, n=60, values=90, longest=20)
    visits = [rng.permutation(60) for _ in range(3)]
    state, _ = learn(learner.init(3 * 90, 300, rank=rng.permutation(300)), made, visits)
    model, kept = learner.compact(learner.average(state))
    assert model.labels.dtype == np.uint16
    assert model.labels.max() > 255
    numbers = np.concatenate([[0], np.where(kept, np.cumsum(kept), 0)]).astype(np.int32)
    found = learner.tags(learner.expand(model), numbers[features], offsets)
    np.testing.assert_array_equal(found, learner.tags(learner.average(state), features, offsets))
    assert (found == gold).mean() > 0.5


@orders
def test_tags_are_the_best_by_the_reference(order):
    rng = np.random.default_rng(order)
    for _ in range(20):
        state, (features, _, offsets), steps, (X, _, forbidden) = compare(
            rng, 3, order, constrained=True, n=8
        )
        found = learner.tags(learner.frozen(state), features, offsets)
        expected = [best(x, steps[-1][1], range(3), order == 2, forbidden) for x in X]
        assert [tags.tolist() for tags in np.split(found, offsets[1:-1])] == expected


def test_averages_do_not_change_when_the_state_learns_on():
    rng = np.random.default_rng(3)
    problem = random_problem(rng, 4)
    visits = [np.arange(len(problem[2]) - 1)]
    state, _ = learn(learner.init(15, 4, order=2), problem, visits)
    taken = [learner.average(state), learner.frozen(state)]
    before = [named(part) for part in taken]
    state, _ = learn(state, problem, 3 * visits)
    assert [named(part) for part in taken] == before
    assert named(state) != before[1]


def test_nothing_learned_averages_to_nothing():
    state = learner.average(learner.init(5, 3))
    assert named(state) == {}
    assert (
        learner.tags(state, np.ones((4, 2), np.int32), np.array([0, 0, 4, 4])).tolist() == [0] * 4
    )


def one_hot(features, n_features):
    X = np.zeros((len(features), n_features))
    rows = np.repeat(np.arange(len(features)), features.shape[1])
    X[rows, features.ravel() - 1] = 1
    return X


@pytest.mark.parametrize("K", [3, 5, 17])
@pytest.mark.parametrize("seed", range(5))
def test_sequences_of_one_token_are_the_perceptron_for_classes(seed, K):
    # The weights v(start, y) stand before each token: they are the intercepts. Two classes are left
    # out, for which the perceptron has one vector and not two, and another rule for ties.
    rng = np.random.default_rng([seed, K])
    n, templates, values, passes = 80, 4, 9, 5
    within = rng.integers(0, values, (n, templates))
    features = (within + 1 + values * np.arange(templates)).astype(np.int32)
    gold = np.where(rng.random(n) < 0.2, rng.integers(0, K, n), within.sum(axis=1) % K)
    gold[:K] = np.arange(K)
    X, options = one_hot(features, templates * values), {"shuffle": False, "tol": None}
    plain = Perceptron(max_iter=passes, ties="positive", **options).fit(X, gold)
    mean = AveragedPerceptron(max_iter=passes, ties="positive", **options).fit(X, gold)
    assert not plain.converged_
    state = learner.init(templates * values, K, rank=rng.permutation(K))
    state, wrong = learn(state, (features, gold, np.arange(n + 1)), passes * [np.arange(n)])
    assert state.updates == wrong == plain.n_mistakes_
    W, b = matrix_of(state, templates * values, K)
    np.testing.assert_array_equal(W, plain.coef_)
    np.testing.assert_array_equal(b, plain.intercept_)
    W, b = matrix_of(learner.average(state), templates * values, K)
    np.testing.assert_allclose(W, mean.coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(b, mean.intercept_, rtol=1e-6, atol=1e-7)


def matrix_of(state, n_features, K):
    found = named(state)
    W = np.array([[found.get(("token", f"f{f + 1}", k), 0.0) for f in range(n_features)]
                  for k in range(K)])  # fmt: skip
    return W, np.array([found.get(("pair", START, k), 0.0) for k in range(K)])
