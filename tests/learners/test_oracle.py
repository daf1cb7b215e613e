"""Dense = CSR = reference = pieces, mistake for mistake.

Whole numbers make every sum exact, so equal means equal to the last bit.
"""

from itertools import product

import numpy as np
import pytest

from rosenblatt import reference
from rosenblatt.data.labels import encode
from rosenblatt.data.rows import as_rows, frozen, take
from rosenblatt.learners import averaged, online, perceptron, voted
from tests.conftest import LAYOUTS, in_turn, whole_numbers

PASSES = 4
N_CLASSES = (2, 3, 5)
DTYPES = (np.float32, np.float64)
TWO_LAYOUTS = ("C order", "CSR, 32-bit")


def reference_steps(X, y, n_classes, orders, **options):
    if n_classes == 2:
        return list(reference.perceptron(X, 2 * y - 1, orders, **options))
    return list(reference.multiclass(X, y, orders, n_classes, **options))


def learn(learner, X, y, n_classes, orders, dtype=np.float64, bias=True, ties="mistake"):
    rows = as_rows(X)
    sparse = len(rows) > 1
    options = {"dtype": dtype, "fit_intercept": bias, "ties": ties, "sparse": sparse}
    state = learner.init(X.shape[1], n_classes, **options)
    target = online.targets(encode(y)[1], n_classes, dtype)
    for order in orders:
        state = learner.update(state, rows, target, np.asarray(order, np.int32))
    return state, rows


def random_orders(n, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.permutation(n) for _ in range(PASSES)]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("layout", "n_classes", "dtype"), in_turn(product(LAYOUTS, N_CLASSES), DTYPES)
)
def test_every_layout_makes_the_reference_mistakes(layout, n_classes, dtype):
    X, y = whole_numbers(seed=1, n_classes=n_classes)
    orders = random_orders(len(X))
    steps = reference_steps(X, y, n_classes, orders)
    wrong = [i for i, _, _, mistake in steps if mistake]

    view = LAYOUTS[layout](X.astype(dtype))
    state, _ = learn(voted, view, y, n_classes, orders, dtype)
    log = voted.log_of(state)
    assert log.row.tolist() == wrong
    assert np.flatnonzero([m for *_, m in steps]).tolist() == (log.step - 1).tolist()
    _, w, b, _ = steps[-1]
    np.testing.assert_array_equal(state.weights, np.atleast_2d(w))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(b))
    plain, _ = learn(perceptron, view, y, n_classes, orders, dtype)
    np.testing.assert_array_equal(plain.weights, state.weights)
    assert (plain.updates, plain.steps) == (len(wrong), PASSES * len(X))


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_orders_may_be_of_64_bits(n_classes):
    X, y = whole_numbers(seed=1, n_classes=n_classes)
    rows, target = as_rows(X), online.targets(y, n_classes, np.float64)
    (order,) = random_orders(len(X))[:1]
    states = [
        perceptron.update(perceptron.init(X.shape[1], n_classes), rows, target, order.astype(kind))
        for kind in (np.int32, np.int64)
    ]
    np.testing.assert_array_equal(states[0].weights, states[1].weights)


@pytest.mark.parametrize(
    ("n_classes", "bias", "ties", "layout"),
    in_turn(product(N_CLASSES, [True, False], ["mistake", "positive"]), TWO_LAYOUTS),
)
def test_tie_rules_and_bias_as_in_the_reference(n_classes, bias, ties, layout):
    X, y = whole_numbers(seed=2, n_classes=n_classes)
    orders = [range(len(X))] * PASSES
    steps = reference_steps(X, y, n_classes, orders, bias=bias, ties=ties)
    state, _ = learn(voted, LAYOUTS[layout](X), y, n_classes, orders, bias=bias, ties=ties)
    assert voted.log_of(state).row.tolist() == [i for i, _, _, mistake in steps if mistake]
    np.testing.assert_array_equal(state.weights, np.atleast_2d(steps[-1][1]))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(steps[-1][2]))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("layout", "n_classes", "dtype"), in_turn(product(TWO_LAYOUTS, N_CLASSES), DTYPES)
)
def test_lazy_average_is_the_naive_mean(layout, n_classes, dtype):
    X, y = whole_numbers(seed=3, n_classes=n_classes)
    orders = random_orders(len(X))
    w, b = reference.averaged(reference_steps(X, y, n_classes, orders))
    state, _ = learn(averaged, LAYOUTS[layout](X.astype(dtype)), y, n_classes, orders, dtype)
    mean, mean_intercept = averaged.average(state)
    tolerance = 1e-6 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(mean, np.atleast_2d(w), rtol=0, atol=tolerance * np.abs(w).max())
    np.testing.assert_allclose(mean_intercept, np.atleast_1d(b), rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize(
    ("layout", "n_classes", "dtype"),
    in_turn(product(["C order", "Fortran order", "CSR, 32-bit", "CSR, 64-bit"], N_CLASSES), DTYPES),
)
def test_votes_are_those_of_the_stored_vectors(layout, n_classes, dtype):
    X, y = whole_numbers(seed=4, n_classes=n_classes)
    X_test, _ = whole_numbers(seed=5, n=300, n_classes=n_classes)
    orders = random_orders(len(X))
    steps = reference_steps(X, y, n_classes, orders)
    votes, hypotheses = reference.voted(steps, X_test)

    state, rows = learn(voted, LAYOUTS[layout](X.astype(dtype)), y, n_classes, orders, dtype)
    state = voted.keep(state, rows)
    test_rows = as_rows(LAYOUTS[layout](X_test.astype(dtype)))
    result = voted.scores(state, test_rows) * state.steps
    np.testing.assert_allclose(result, votes, rtol=1e-12, atol=1e-9)
    assert voted.counts(state)[1:].tolist() == [count for *_, count in hypotheses]
    last = X_test @ np.atleast_2d(hypotheses[-1][0]).T + hypotheses[-1][1]
    np.testing.assert_array_equal(
        voted.scores(state, test_rows, "last"), last[:, 0] if n_classes == 2 else last
    )


@pytest.mark.parametrize(
    ("n_classes", "size", "layout"), in_turn(product(N_CLASSES, [1, 7, 120]), TWO_LAYOUTS)
)
def test_pieces_add_up_to_the_whole(n_classes, size, layout):
    X, y = whole_numbers(seed=6, n_classes=n_classes)
    view = LAYOUTS[layout](X)
    whole, rows = learn(voted, view, y, n_classes, [range(len(X))])
    whole = voted.keep(whole, rows)

    target = online.targets(y, n_classes, np.float64)
    state = voted.init(X.shape[1], n_classes, sparse=len(rows) > 1)
    for start in range(0, len(X), size):
        piece = frozen(take(rows, np.arange(start, min(start + size, len(X)))))
        state = voted.keep(voted.update(state, piece, target[start : start + size]), piece)
    for name in ("weights", "intercept", "total", "step", "right", "wrong", "steps", "updates"):
        np.testing.assert_array_equal(getattr(state, name), getattr(whole, name))
    np.testing.assert_array_equal(voted.scores(state, rows), voted.scores(whole, rows))


@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_votes_survive_the_growth_of_classes(ties):
    """The vectors that voted before a class came vote on: as functions of all classes."""
    X, y = whole_numbers(seed=8, n_classes=4)
    X_test, _ = whole_numbers(seed=9, n=200)
    two, four = np.flatnonzero(y % 2 == 1), np.arange(len(y))  # classes 1 and 3, then all
    codes = online.targets((y[two] - 1) // 2, 2, float)
    state = voted.init(X.shape[1], 2, ties=ties)
    state = voted.keep(voted.update(state, as_rows(X[two]), codes), as_rows(X[two]))
    state = voted.grow(state, np.array([1, 3]), 4)
    state = voted.keep(voted.update(state, as_rows(X), y, four), as_rows(X))

    first = list(reference.perceptron(X[two], codes, [range(len(two))], ties=ties))
    place = np.array([[0], [-1], [0], [1]])
    steps = [(i, place * w, place[:, 0] * b, m) for i, w, b, m in first]
    W, b = steps[-1][1].copy(), steps[-1][2].copy()
    for i in four:
        scores = W @ X[i] + b
        rival = int(np.argmax(np.where(np.arange(4) == y[i], -np.inf, scores)))
        mistake = scores[y[i]] <= scores[rival] if ties == "mistake" else scores.argmax() != y[i]
        if mistake:
            W, b = W.copy(), b.copy()
            W[y[i]], W[rival] = W[y[i]] + X[i], W[rival] - X[i]
            b[y[i]], b[rival] = b[y[i]] + 1, b[rival] - 1
        steps.append((i, W, b, bool(mistake)))
    np.testing.assert_array_equal(state.weights, W)
    # Before any mistake, and at ties of the first two classes, sign(0) = +1 is class 3.
    lives = [
        (np.zeros((4, 7)), np.zeros(4), int(voted.counts(state)[0])),
        *reference.voted(steps[next(k for k, s in enumerate(steps) if s[3]) :], X_test)[1],
    ]
    votes = np.zeros((len(X_test), 4))
    for n, (w, b, count) in enumerate(lives):
        winner = np.full(len(X_test), 3) if n == 0 else (X_test @ w.T + b).argmax(axis=1)
        votes[np.arange(len(X_test)), winner] += count
    np.testing.assert_allclose(voted.scores(state, as_rows(X_test)) * state.steps, votes)


@pytest.mark.parametrize("n_classes", [3, 4, 10])
def test_pieces_add_up_on_numbers_that_round(n_classes):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = (rng.integers(-2, 3, size=(200, 30)) * 0.1).astype(np.float32)
        y = rng.integers(n_classes, size=200)
        whole = perceptron.update(perceptron.init(30, n_classes, dtype=np.float32), as_rows(X), y)
        state = perceptron.init(30, n_classes, dtype=np.float32)
        for start in range(0, 200, 7):
            part = slice(start, start + 7)
            state = perceptron.update(state, as_rows(X[part]), y[part])
        np.testing.assert_array_equal(state.weights, whole.weights)
        assert state.updates == whole.updates


@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_scores_are_those_of_the_weights(n_classes):
    X, y = whole_numbers(seed=10, n_classes=n_classes)
    for learner in (perceptron, averaged):
        state, rows = learn(learner, X, y, n_classes, [range(len(X))])
        w, b = averaged.average(state) if learner is averaged else state[:2]
        expected = X @ w.T + b
        result = learner.scores(state, rows)
        np.testing.assert_allclose(result, expected[:, 0] if n_classes == 2 else expected)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_merging_mixes_weights_and_means(n_classes):
    X, y = whole_numbers(seed=11, n_classes=n_classes)
    halves = [
        learn(averaged, X[h], y[h], n_classes, [range(60)])[0] for h in (slice(60), slice(60, 120))
    ]
    mixed = averaged.merge(halves, [1, 3])
    np.testing.assert_allclose(mixed.weights, (halves[0].weights + 3 * halves[1].weights) / 4)
    means = [averaged.average(half) for half in halves]
    for part in (0, 1):
        expected = (means[0][part] + 3 * means[1][part]) / 4
        np.testing.assert_allclose(averaged.average(mixed)[part], expected)
    assert (mixed.steps, mixed.updates) == (120, halves[0].updates + halves[1].updates)
    plain = [perceptron.State(*half[:6]) for half in halves]
    np.testing.assert_allclose(perceptron.merge(plain, [1, 3]).weights, mixed.weights)


def test_random_hypotheses_are_drawn_by_their_counts():
    X, y = whole_numbers(seed=7)
    steps = reference_steps(X, y, 2, [range(len(X))])
    _, hypotheses = reference.voted(steps, X)
    state, rows = learn(voted, X, y, 2, [range(len(X))])
    state = voted.keep(state, rows)
    one = as_rows(np.repeat(X[10:11], 4000, axis=0))
    drawn = voted.scores(state, one, "random", np.random.default_rng(0))
    expected = {}
    for w, b, count in hypotheses:
        score = float(X[10] @ w + b)
        expected[score] = expected.get(score, 0) + count / len(X)
    found, counts = np.unique(drawn, return_counts=True)
    assert set(found) <= set(expected)
    for score, share in expected.items():
        observed = counts[found == score].sum() / 4000
        assert abs(observed - share) < 5 * np.sqrt(share * (1 - share) / 4000) + 1e-9
