"""Dense = CSR = reference = pieces, mistake for mistake.

Whole numbers make every sum exact, so equal means equal to the last bit.
"""

import numpy as np
import pytest

from rosenblatt import reference
from rosenblatt.data.labels import encode
from rosenblatt.data.rows import as_rows, take
from rosenblatt.learners import averaged, online, perceptron, voted
from tests.conftest import LAYOUTS, whole_numbers

PASSES = 4
N_CLASSES = (2, 3, 5)


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
        state = learner.update(state, rows, target, np.asarray(order))
    return state, rows


def random_orders(n, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.permutation(n) for _ in range(PASSES)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_every_layout_makes_the_reference_mistakes(layout, dtype, n_classes):
    X, y = whole_numbers(seed=1, n_classes=n_classes)
    orders = random_orders(len(X))
    steps = reference_steps(X, y, n_classes, orders)
    wrong = [i for i, _, _, mistake in steps if mistake]

    view = LAYOUTS[layout](X.astype(dtype))
    state, _ = learn(voted, view, y, n_classes, orders, dtype)
    assert state.row.tolist() == wrong
    assert np.flatnonzero([m for *_, m in steps]).tolist() == (state.step - 1).tolist()
    _, w, b, _ = steps[-1]
    np.testing.assert_array_equal(state.weights, np.atleast_2d(w))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(b))
    plain, _ = learn(perceptron, view, y, n_classes, orders, dtype)
    np.testing.assert_array_equal(plain.weights, state.weights)
    assert (plain.updates, plain.steps) == (len(wrong), PASSES * len(X))


@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", N_CLASSES)
@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
def test_tie_rules_and_bias_as_in_the_reference(layout, n_classes, bias, ties):
    X, y = whole_numbers(seed=2, n_classes=n_classes)
    orders = [range(len(X))] * PASSES
    steps = reference_steps(X, y, n_classes, orders, bias=bias, ties=ties)
    state, _ = learn(voted, LAYOUTS[layout](X), y, n_classes, orders, bias=bias, ties=ties)
    assert state.row.tolist() == [i for i, _, _, mistake in steps if mistake]
    np.testing.assert_array_equal(state.weights, np.atleast_2d(steps[-1][1]))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(steps[-1][2]))


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_lazy_average_is_the_naive_mean(layout, dtype, n_classes):
    X, y = whole_numbers(seed=3, n_classes=n_classes)
    orders = random_orders(len(X))
    w, b = reference.averaged(reference_steps(X, y, n_classes, orders))
    state, _ = learn(averaged, LAYOUTS[layout](X.astype(dtype)), y, n_classes, orders, dtype)
    mean, mean_intercept = averaged.average(state)
    tolerance = 1e-6 if dtype == np.float32 else 1e-13
    np.testing.assert_allclose(mean, np.atleast_2d(w), rtol=0, atol=tolerance * np.abs(w).max())
    np.testing.assert_allclose(mean_intercept, np.atleast_1d(b), rtol=0, atol=10 * tolerance)


@pytest.mark.parametrize("layout", ["C order", "Fortran order", "CSR, 32-bit", "CSR, 64-bit"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_classes", N_CLASSES)
def test_votes_are_those_of_the_stored_vectors(layout, dtype, n_classes):
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


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("n_classes", N_CLASSES)
@pytest.mark.parametrize("size", [1, 7, 120])
def test_pieces_add_up_to_the_whole(layout, n_classes, size):
    X, y = whole_numbers(seed=6, n_classes=n_classes)
    view = LAYOUTS[layout](X)
    whole, rows = learn(voted, view, y, n_classes, [range(len(X))])
    whole = voted.keep(whole, rows)

    target = online.targets(y, n_classes, np.float64)
    state = voted.init(X.shape[1], n_classes, sparse=len(rows) > 1)
    for start in range(0, len(X), size):
        piece = take(rows, np.arange(start, min(start + size, len(X))))
        state = voted.keep(voted.update(state, piece, target[start : start + size]), piece)
    for name in ("weights", "intercept", "total", "step", "right", "wrong", "steps", "updates"):
        np.testing.assert_array_equal(getattr(state, name), getattr(whole, name))
    np.testing.assert_array_equal(voted.scores(state, rows), voted.scores(whole, rows))


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
