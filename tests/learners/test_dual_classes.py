"""The exact solver of the SVM of K classes: its certificate, and other solvers of the problem."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from rosenblatt.data.rows import Sparse, as_rows
from rosenblatt.kernels.exact import dual_classes as loops
from rosenblatt.learners.exact import dual
from rosenblatt.learners.exact.dual_classes import balancing, solve
from rosenblatt.reference.dual_classes import ascent_classes, best_of_row, objectives_classes
from tests.conftest import LAYOUTS


def solved(X, y, n_classes, alpha, **options):
    return dual.finish(solve(as_rows(X), y, X.shape[1], n_classes, alpha=alpha, **options))


def sample(seed, n=60, d=4, n_classes=3):
    rng = np.random.default_rng(seed)
    X, W = rng.standard_normal((n, d)), rng.standard_normal((d, n_classes))
    return X, (X @ W + 0.7 * rng.standard_normal((n, n_classes))).argmax(axis=1)


def check_certificate(X, y, alpha, found, tol=1e-6, intercept=True, weights=None):
    """Compute both objectives anew, from what was returned, and check that all is feasible."""
    costs = np.ones(len(y)) if weights is None else weights
    a, given = found.variables, (found.weights, found.intercept, found.variables)
    primal, lower = objectives_classes(X, y, costs, alpha, *given)
    assert primal == pytest.approx(found.primal, rel=1e-9)
    assert lower == pytest.approx(found.dual, rel=1e-9, abs=1e-12)
    upper = (costs / (alpha * len(y)))[:, None] * (np.arange(a.shape[1]) == y[:, None])
    size = max(np.abs(a).max(), 1e-300)
    assert (a <= upper + 1e-12 * size).all()
    assert np.abs(a.sum(axis=1)).max() <= 1e-9 * size
    if intercept:
        assert np.abs(a.sum(axis=0)).max() <= 1e-12 * upper.sum()  # up to rounding
    else:
        assert not found.intercept.any()
    assert lower <= primal * (1 + 1e-12)
    least = max(found.primal, 1e-6 * costs.mean())
    assert found.converged == (found.primal - found.dual <= tol * least)


@given(
    pull=st.lists(st.integers(-8, 8), min_size=2, max_size=7),
    upper=st.sampled_from([0.0, 0.25, 1.0, 50.0]),
    curvature=st.sampled_from([0.5, 1.0, 16.0]),
    data=st.data(),
)
def test_a_row_is_solved_as_by_sorting(pull, upper, curvature, data):
    pull = np.array(pull, float)
    y = data.draw(st.integers(0, len(pull) - 1))
    one = np.array([y]), np.array([upper]), np.array([curvature])
    out = np.empty(len(pull))
    loops.best_of_row(loops.Task(*one, 0.0), 0, pull, out)
    expected = best_of_row(pull, upper * (np.arange(len(pull)) == y), curvature)
    np.testing.assert_allclose(out, expected, atol=1e-12)
    assert abs(out.sum()) <= 1e-14 * (1 + np.abs(out).max())


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sweeps_are_those_of_the_reference(layout, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (30, 6)).astype(dtype)
    X[:, 0] = 1
    y, upper = rng.integers(0, 3, 30), rng.uniform(0, 1, 30)
    for rho in (0.0, 1.5):
        rows, centre = as_rows(LAYOUTS[layout](X)), np.array([0.5, -0.25, -0.25])
        order = "F" if isinstance(rows, Sparse) else "C"
        weights = np.zeros((3, 6), order=order)
        point = loops.Point(np.zeros((30, 3)), weights, np.zeros(3), centre)
        task = loops.Task(y, upper, (X.astype(float) ** 2).sum(axis=1) + rho, rho)
        orders = [rng.permutation(30).astype(np.int32) for _ in range(3)]
        for each in orders:
            loops.ascend(rows, each, 0, 30, task, point, np.empty((3, 3)))
        a = ascent_classes(X.astype(float), y, orders, upper, 3, rho=rho, centre=centre)
        np.testing.assert_allclose(point.alpha, a, atol=1e-11)
        np.testing.assert_allclose(point.weights, a.T @ X, atol=1e-10)
        np.testing.assert_allclose(point.balance, a.sum(axis=0), atol=1e-11)


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
@pytest.mark.parametrize(("n", "d", "n_classes"), [(60, 4, 3), (80, 20, 4), (40, 60, 5)])
def test_it_finds_the_minimum_that_liblinear_finds(n, d, n_classes, C):
    X, y = sample(n, n, d, n_classes)
    alpha = 1 / (C * n)
    found = solved(X, y, n_classes, alpha, fit_intercept=False, tol=1e-7)
    check_certificate(X, y, alpha, found, 1e-7, intercept=False)
    assert found.converged
    options = {"tol": 1e-9, "max_iter": 100_000, "fit_intercept": False, "random_state": 0}
    W = LinearSVC(multi_class="crammer_singer", C=C, **options).fit(X, y).coef_
    given = W, np.zeros(n_classes), found.variables
    theirs, _ = objectives_classes(X, y, np.ones(n), alpha, *given)
    assert found.primal == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_two_classes_are_the_two_class_solver_with_half_the_weights(seed):
    X, y = sample(seed, 50, 5, 2)
    alpha = 0.04
    found = solved(X, y, 2, alpha, tol=1e-9)
    check_certificate(X, y, alpha, found, 1e-9)
    run = dual.solve(as_rows(X), 2.0 * y - 1, 5, alpha=alpha / 2, tol=1e-9)
    one = dual.finish(run)
    assert found.primal == pytest.approx(one.primal, rel=1e-8)
    np.testing.assert_allclose(found.weights[1] - found.weights[0], one.weights, atol=1e-3)


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 30),
    n_classes=st.integers(2, 4),
    C=st.sampled_from([1e-3, 0.1, 1.0]),
    intercept=st.booleans(),
)
def test_the_certificate_holds(seed, n, n_classes, C, intercept):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 3)).astype(float)
    y, weights = rng.integers(0, n_classes, n), rng.integers(0, 4, n).astype(float)
    options = {"fit_intercept": intercept, "weights": weights, "max_passes": 200}
    found = solved(X, y, n_classes, 1 / (C * n), **options)
    check_certificate(X, y, 1 / (C * n), found, 1e-6, intercept, weights)


def test_a_weight_is_a_number_of_repetitions():
    X, y = sample(3, 40, 5)
    weights = np.random.default_rng(0).integers(0, 4, 40)
    again = np.repeat(np.arange(40), weights)
    once = solved(X, y, 3, 0.05, weights=weights.astype(float), tol=1e-9)
    often = solved(X[again], y[again], 3, 0.05 * 40 / len(again), tol=1e-9)
    assert once.converged
    assert often.converged
    np.testing.assert_allclose(once.weights, often.weights, atol=1e-3)


def test_sparse_rows_and_seeds():
    X, y = sample(5, 200, 20)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0
    one = solved(X, y, 3, 0.01)
    same, other, sparse = (
        solved(Z, y, 3, 0.01, seed=seed) for Z, seed in ((X, 0), (X, 1), (sp.csr_matrix(X), 0))
    )
    np.testing.assert_array_equal(one.weights, same.weights)
    assert other.primal == pytest.approx(one.primal, rel=2e-6)
    assert sparse.primal == pytest.approx(one.primal, rel=2e-6)


def test_a_bound_on_the_passes_is_kept():
    X, y = sample(5, 100, 5)
    found = solved(X, y, 3, 1e-7, tol=1e-12, max_passes=10)
    assert not found.converged
    assert found.passes < 40
    check_certificate(X, y, 1e-7, found, 1e-12)


CASES = {
    "a row of each class": (np.array([[1.0], [2.0], [4.0]]), [0, 1, 2]),
    "rows of one class": (np.array([[1.0], [2.0]]), [1, 1]),
    "the same rows": (np.ones((9, 2)), [0, 1, 1, 2, 0, 1, 1, 1, 1]),
    "rows of zeros": (np.zeros((5, 2)), [0, 1, 1, 2, 1]),
    "a feature that is zero": (np.array([[1.0, 0], [2, 0], [3, 0], [0, 0]]), [0, 0, 1, 2]),
}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [10.0, 1.0, 1e-2])
@pytest.mark.parametrize("case", CASES)
def test_degenerate_rows(case, alpha, intercept):
    X, y = CASES[case]
    y = np.array(y)
    found = solved(X, y, 3, alpha, fit_intercept=intercept, max_passes=5000)
    check_certificate(X, y, alpha, found, 1e-6, intercept)
    assert found.converged


def test_balancing_makes_sums_zero():
    rng = np.random.default_rng(0)
    sums = -rng.random((5, 5))
    sums -= np.diag(sums.sum(axis=1))
    share = balancing(sums)
    np.testing.assert_allclose(share @ sums, 0, atol=1e-13)
    assert share.max() == 1
    assert share.min() > 0
    np.testing.assert_array_equal(balancing(np.zeros((3, 3))), 1)
