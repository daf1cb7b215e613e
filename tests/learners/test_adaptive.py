"""Steps for each feature: as in the reference, and where they lead."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from rosenblatt import reference
from rosenblatt.data.rows import as_rows
from rosenblatt.learners import adaptive, online
from tests.conftest import LAYOUTS, every_quick, first_quick

LOSSES = ("logistic", "hinge", "squared", "perceptron", "squared_hinge", "modified_huber")


def problem(n_classes, seed=0, n=60, d=7):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    codes = rng.integers(n_classes, size=n)
    orders = [np.arange(n), rng.permutation(n)]
    return X, online.targets(codes, n_classes, np.float64), orders


def learn(X, y, orders, n_classes, *, sparse=False, **options):
    """Return the state after passes over rows."""
    names = ("loss", "loss_parameter", "fit_intercept")
    begin = {name: options.pop(name) for name in names if name in options}
    options.setdefault("average", True)  # so that one loop of each kind is compiled
    state = adaptive.init(X.shape[1], n_classes, sparse=sparse, **begin)
    for number, order in enumerate(orders):
        if number:
            pace = {name: options[name] for name in ("eta0", "l2", "l1") if name in options}
            state = adaptive.next_pass(state, **pace)
        state = adaptive.update(state, as_rows(X), y, order, **options)
    return state


@pytest.mark.parametrize(
    ("loss", "n_classes", "layout"),
    every_quick(product(LOSSES, (2, 4), ("C order", "CSR, 32-bit")), 3),
)
@pytest.mark.parametrize(("bias", "usual"), first_quick([(True, 1.5), (False, np.inf)]))
def test_every_weight_is_the_references(loss, n_classes, layout, bias, usual):
    X, y, orders = problem(n_classes)
    wide = np.column_stack([X, np.ones(len(X))]) if bias else X
    k = 1 if n_classes == 2 else n_classes
    pace = {"l2": 0.7, "usual": usual}
    steps = list(
        reference.adaptive(wide, y, orders, loss, n_functions=k, eta=0.3, intercept=bias, **pace)
    )
    given = {"loss": loss, "fit_intercept": bias, "eta0": 0.3, **pace, "lengths": np.zeros(1)}
    state = learn(
        LAYOUTS[layout](X), y, orders, n_classes, sparse=layout.startswith("CSR"), **given
    )
    for mine, its in (
        ((state.weights, state.intercept), steps[-1]),
        (adaptive.average(state), np.mean(steps[len(X) :], axis=0)),
    ):
        both = np.column_stack(mine) if bias else mine[0]
        np.testing.assert_allclose(both, its, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize(("loss", "parameter"), [("huber", 0.7), ("quantile", 0.3)])
def test_robust_losses_of_numbers_are_the_references(loss, parameter, layout):
    X, _, orders = problem(2)
    y = X @ np.arange(7.0) + np.random.default_rng(1).standard_cauchy(len(X))
    pace = {"l2": 0.7, "usual": 1.5}
    *_, expected = reference.adaptive(
        X, y, orders, loss, eta=0.3, intercept=False, parameter=(parameter,), **pace
    )
    given = {"loss": loss, "loss_parameter": parameter, "fit_intercept": False, "eta0": 0.3, **pace}
    sparse = layout.startswith("CSR")
    state = learn(LAYOUTS[layout](X), y, orders, 2, sparse=sparse, **given, lengths=np.zeros(1))
    np.testing.assert_allclose(state.weights, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("loss", "n_classes", "layout"),
    every_quick(product(LOSSES, (2, 4), ("C order", "CSR, 32-bit")), 3),
)
@pytest.mark.parametrize(("bias", "average"), first_quick([(True, True), (False, False)]))
@pytest.mark.parametrize("dtype", first_quick([np.float64, np.float32]))
def test_with_an_l1_penalty_the_same_weights_are_zero(
    loss, n_classes, layout, bias, average, dtype
):
    """The reference computes all weights after every row; a hidden one may have passed zero."""
    X, y, orders = problem(n_classes, n=120)
    X, y = X.astype(dtype), y.astype(dtype) if n_classes == 2 else y
    wide = np.column_stack([X, np.ones(len(X))]) if bias else X
    weights = np.random.default_rng(5).integers(1, 4, size=len(X)) / 2
    k, pace = 1 if n_classes == 2 else n_classes, {"l2": 0.5, "l1": 3.0, "weights": weights}
    steps = reference.adaptive(
        wide.astype(float), y, orders, loss, n_functions=k, eta=0.3, intercept=bias, **pace
    )
    *_, expected = steps
    sparse = layout.startswith("CSR")
    state = adaptive.init(7, n_classes, sparse=sparse, loss=loss, fit_intercept=bias, dtype=dtype)
    rows, steps = as_rows(LAYOUTS[layout](X)), {"eta0": 0.3, "l2": 0.5, "l1": 3.0}
    for number, order in enumerate(orders):
        if number:
            state = adaptive.next_pass(state, **steps)
        state = adaptive.update(state, rows, y, order, **steps, average=average, weights=weights)
    both = np.column_stack([state.weights, state.intercept]) if bias else state.weights
    tolerance = {np.float64: (1e-9, 1e-12), np.float32: (1e-3, 1e-4)}[dtype]
    np.testing.assert_allclose(both, expected, *tolerance)
    if dtype == np.float64:
        np.testing.assert_array_equal(both == 0, expected == 0)
        assert 0 < (both == 0).sum() < both.size


@given(st.integers(0, 10_000), st.floats(0, 20), st.floats(0, 5))
@settings(max_examples=20, deadline=None)
def test_weights_follow_from_sums_and_roots(seed, l1, l2):
    """At the end of a pass, also for other penalties and another step size."""
    X, y, orders = problem(2, seed, n=30)
    before, after = {"eta0": 0.5, "l2": 0.3, "l1": 1.0}, {"eta0": 0.5, "l2": l2, "l1": l1}
    state = learn(X, y, orders, 2, **before)

    def expected(pace):
        left = np.sign(state.sums) * np.maximum(np.abs(state.sums) - 2 * pace["l1"], 0)
        below = state.roots / pace["eta0"] + 2 * pace["l2"]
        return -left / np.where(state.roots > 0, below, 1)

    np.testing.assert_allclose(state.weights, expected(before), rtol=1e-9, atol=1e-12)
    mean = adaptive.average(state)[0]
    state = adaptive.with_pace(state, before, after)
    np.testing.assert_allclose(state.weights, expected(after), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(adaptive.average(state)[0], mean, rtol=1e-6, atol=1e-9)
    moved = state.weights.copy()
    state = adaptive.with_pace(state, after, {**after, "eta0": 0.01})
    np.testing.assert_array_equal(state.weights, moved)
    np.testing.assert_allclose(
        state.weights, expected({**after, "eta0": 0.01}), rtol=1e-9, atol=1e-12
    )


def test_many_passes_with_an_l1_penalty_lead_to_scikit_learns_weights():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 8))
    codes = (X[:, :2] @ [2.0, -1.0] + rng.logistic(size=300) > 0).astype(int)
    y = online.targets(codes, 2, np.float64)
    orders = [rng.permutation(300) for _ in range(400)]
    state = learn(X, y, orders, 2, l2=0.0, l1=12.0, average=False)
    theirs = LogisticRegression(C=1 / 12, l1_ratio=1, solver="saga", tol=1e-8, max_iter=5000)
    theirs.fit(X, codes)
    np.testing.assert_allclose(state.weights, theirs.coef_, atol=0.05)
    assert ((state.weights == 0) == (theirs.coef_ == 0)).all()
    assert (state.weights == 0).sum() >= 4


def test_without_a_penalty_the_steps_are_those_of_adagrad():
    X, y, orders = problem(2)
    w, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for i in orders[0]:
        gradient = -y[i] / (1 + np.exp(y[i] * (w @ X[i]))) * X[i]
        squares += gradient**2
        w -= 0.5 * gradient / np.sqrt(np.where(squares > 0, squares, 1))
    state = learn(X, y, orders[:1], 2, fit_intercept=False, l2=0.0)
    np.testing.assert_allclose(state.weights[0], w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_passes_lead_to_scikit_learns_logistic_regression(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    codes = (X @ rng.normal(size=(4, n_classes)) + rng.gumbel(size=(300, n_classes))).argmax(axis=1)
    y = online.targets(codes, n_classes, np.float64)
    orders = [rng.permutation(300) for _ in range(300)]
    state = learn(X, y, orders, n_classes, l2=2.0, average=True)
    theirs = LogisticRegression(C=0.5, tol=1e-8, max_iter=1000).fit(X, codes)
    weights, intercept = adaptive.average(state)
    np.testing.assert_allclose(weights, theirs.coef_, atol=0.03)
    np.testing.assert_allclose(
        intercept - intercept.mean() * (n_classes > 2), theirs.intercept_, atol=0.03
    )


@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.integers(1, 4))
@settings(max_examples=20, deadline=None)
def test_a_row_of_weight_k_is_k_rows(seed, n_classes, most):
    X, y, _ = problem(n_classes, seed, n=12)
    weights = np.random.default_rng(seed).integers(1, most + 1, size=12)
    weighted = learn(X, y, [np.arange(12)], n_classes, weights=weights.astype(float))
    repeated = learn(X, y, [np.repeat(np.arange(12), weights)], n_classes)
    np.testing.assert_allclose(weighted.weights, repeated.weights, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(weighted.intercept, repeated.intercept, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n_classes", "loss"), first_quick(product((2, 4), LOSSES)))
def test_weights_are_those_of_the_reference(n_classes, loss):
    """Fractions too, and weights so large that a row is not learned from as often."""
    X, y, orders = problem(n_classes)
    weights = np.random.default_rng(0).gamma(1.0, size=len(X))
    weights[7] = 50
    pace, functions = {"l2": 0.7, "usual": 2.0}, 1 if n_classes == 2 else n_classes
    given = {"n_functions": functions, "intercept": False, "eta": 0.3, **pace}
    *_, expected = reference.adaptive(X, y, orders, loss, weights=weights, **given)
    given = {"loss": loss, "fit_intercept": False, "eta0": 0.3, "lengths": np.zeros(1), **pace}
    state = learn(X, y, orders, n_classes, weights=weights, **given)
    np.testing.assert_allclose(state.weights, expected, rtol=1e-8, atol=1e-10)


def test_a_row_without_weight_teaches_nothing():
    X, y, orders = problem(2)
    weights = np.ones(len(X))
    weights[5:] = 0
    state = learn(X, y, orders[:1], 2, weights=weights)
    np.testing.assert_array_equal(state.weights, learn(X, y, [np.arange(5)], 2).weights)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_how_rows_are_cut_changes_nothing(n_classes):
    X, y, _ = problem(n_classes)
    X = sp.csr_matrix(X)
    whole = learn(X, y, [np.arange(60)], n_classes, sparse=True, average=True)
    state = adaptive.init(7, n_classes, sparse=True)
    for start in range(0, 60, 7):
        order = np.arange(start, min(start + 7, 60))
        state = adaptive.update(state, as_rows(X), y, order, average=True)
    for mine, its in zip(state, whole, strict=True):
        np.testing.assert_array_equal(mine, its)


def test_a_slope_whose_square_is_too_small_for_a_number_moves_nothing():
    X, y = np.array([[40.0, 0.0], [1.0, 1e-23]], np.float32), np.array([1.0, 1.0], np.float32)
    state = adaptive.init(2, dtype=np.float32, fit_intercept=False)
    for _ in range(20):
        state = adaptive.update(state, as_rows(X), y, l2=0.0, average=True)
    assert np.isfinite(state.weights).all()
    assert state.weights[0, 1] == 0


def test_a_slope_that_is_too_steep_ends_it_and_changes_nothing():
    X = np.array([[1.0, 2.0], [1e30, 1.0], [1.0, 1.0]], np.float32)
    y = np.array([1.0, -1.0, 1.0], np.float32)
    state = adaptive.init(2, dtype=np.float32)
    with pytest.raises(online.NumberTooLargeError, match="row 1"):
        adaptive.update(state, as_rows(X), y)
    state = adaptive.init(2, dtype=np.float32)
    state = adaptive.update(state, as_rows(X), y, until_overflow=True)
    first = adaptive.update(adaptive.init(2, dtype=np.float32), as_rows(X[:1]), y[:1])
    assert state.steps == 1
    np.testing.assert_array_equal(state.weights, first.weights)


def test_two_classes_become_three_as_if_they_had_been_all_along():
    X, y, _ = problem(2)
    state = learn(X, y, [np.arange(60)], 2)
    grown = adaptive.grow(state, np.array([0, 2]), 3)
    scores = adaptive.scores(grown, as_rows(X))
    np.testing.assert_allclose(scores[:, 2] - scores[:, 0], adaptive.scores(state, as_rows(X)))
    assert not grown.roots[1].any()
    assert (grown.roots >= 0).all()


def test_states_are_mixed():
    X, y, _ = problem(2)
    halves = [learn(X, y, [part], 2) for part in (np.arange(30), np.arange(30, 60))]
    mixed = adaptive.merge(halves, [1, 3])
    expected = (halves[0].weights + 3 * halves[1].weights) / 4
    np.testing.assert_allclose(mixed.weights, expected)
    assert mixed.steps == 60
