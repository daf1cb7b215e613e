"""The interior point method of the SVM: the same minimum as others find, whatever the columns."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.svm import LinearSVC

from rosenblatt import LinearSVM
from rosenblatt.data.rows import as_rows
from rosenblatt.estimators._base import exact
from rosenblatt.learners.exact import dual, dual_classes
from rosenblatt.learners.exact.interior import is_small, solve
from rosenblatt.learners.exact.objective import Problem
from rosenblatt.reference.dual_classes import objectives_classes
from tests.learners.test_dual_classes import CASES, sample

REAL = {
    "breast cancer": load_breast_cancer,
    "iris": load_iris,
    "wine": load_wine,
    "digits": load_digits,
}


def steps_of(X, y, n_classes, alpha, tol=1e-7, weights=None, fit_intercept=True):
    given = as_rows(X), y, X.shape[1], "hinge", 0.0, alpha, weights, fit_intercept
    return list(solve(Problem(*given), n_classes, tol))


def solved(X, y, n_classes, alpha, tol=1e-7, weights=None, fit_intercept=True):
    """Return the solution, once its objective is that of its weights, and the bound is as near."""
    found = steps_of(X, y, n_classes, alpha, tol, weights, fit_intercept)[-1]
    costs = np.ones(len(y)) if weights is None else weights
    dense = X.toarray() if sp.issparse(X) else X
    none = np.zeros((len(y), n_classes))
    given = found.weights, found.intercept, none
    assert objectives_classes(dense, y, costs, alpha, *given)[0] == pytest.approx(
        found.primal, rel=1e-9, abs=1e-14
    )
    assert -1e-12 <= found.primal - found.dual <= tol * found.primal
    if not fit_intercept:
        assert not found.intercept.any()
    return found


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d", "n_classes"), [(60, 4, 3), (90, 20, 5), (80, 100, 10)])
def test_it_finds_what_ascent_on_the_dual_finds(n, d, n_classes, C, intercept):
    X, y = sample(n, n, d, n_classes)
    alpha = 1 / (C * n)
    found = solved(X, y, n_classes, alpha, 1e-8, fit_intercept=intercept)
    options = {"alpha": alpha, "fit_intercept": intercept, "tol": 1e-5, "max_passes": 20_000}
    other = dual.finish(dual_classes.solve(as_rows(X), y, d, n_classes, **options))
    assert other.converged
    assert found.dual <= other.primal
    assert other.dual <= found.primal
    assert found.primal == pytest.approx(other.primal, rel=2e-5)


@pytest.mark.parametrize("n_classes", [3, 6])
def test_it_finds_the_minimum_that_liblinear_finds(n_classes):
    X, y = sample(2, 80, 8, n_classes)
    found = solved(X, y, n_classes, 1 / 80, fit_intercept=False)
    options = {"tol": 1e-9, "max_iter": 100_000, "fit_intercept": False, "random_state": 0}
    W = LinearSVC(multi_class="crammer_singer", **options).fit(X, y).coef_
    none = np.zeros(n_classes), np.zeros((80, n_classes))
    theirs, _ = objectives_classes(X, y, np.ones(80), 1 / 80, W, *none)
    assert found.primal == pytest.approx(theirs, rel=1e-6)
    np.testing.assert_allclose(found.weights, W - W.mean(axis=0), atol=2e-3)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_two_classes_share_the_weights(seed, intercept):
    X, y = sample(seed, 50, 5, 2)
    found = solved(X, y, 2, 0.04, 1e-9, fit_intercept=intercept)
    options = {"alpha": 0.02, "tol": 1e-9, "fit_intercept": intercept}
    one = dual.finish(dual.solve(as_rows(X), 2.0 * y - 1, 5, **options))
    assert found.primal == pytest.approx(one.primal, rel=1e-8)
    np.testing.assert_allclose(found.weights[1] - found.weights[0], one.weights, atol=1e-3)
    np.testing.assert_array_equal(found.weights[0], -found.weights[1])


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_the_penalty_makes_up_for_the_size_of_all_columns(n_classes):
    X, y = sample(8, 120, 6, n_classes)
    found = solved(X, y, n_classes, 0.01, 1e-9)
    for size in (1e3, 1e-3):
        scaled = solved(size * X, y, n_classes, 0.01 * size**2, 1e-9)
        assert scaled.primal == pytest.approx(found.primal, rel=1e-8)
        np.testing.assert_allclose(size * scaled.weights, found.weights, atol=1e-3)


@pytest.mark.parametrize("n_classes", range(2, 11))
def test_columns_of_any_size(n_classes):
    X, y = sample(9, 150, 6, n_classes)
    sizes = np.array([1e3, 1, 1e-3, 1, 1e3, 1e-3])
    steps = steps_of(X * sizes, y, n_classes, 1 / 150)
    assert steps[-1].primal - steps[-1].dual <= 1e-7 * steps[-1].primal
    assert len(steps) < 40


def test_intercepts_make_up_for_the_place_of_columns():
    X, y = sample(4, 100, 5)
    here, there = (solved(Z, y, 3, 0.01, 1e-9) for Z in (X, X + 1e4))
    np.testing.assert_allclose(there.weights, here.weights, atol=1e-4)
    moved = there.intercept + 1e4 * there.weights.sum(axis=1)
    np.testing.assert_allclose(moved, here.intercept, atol=1e-4)


def test_sparse_rows():
    X, y = sample(5, 200, 20)
    X[np.random.default_rng(0).random(X.shape) < 0.7] = 0
    dense, sparse = (solved(Z, y, 3, 0.01) for Z in (X, sp.csr_matrix(X)))
    np.testing.assert_allclose(sparse.weights, dense.weights, atol=1e-6)
    np.testing.assert_allclose(sparse.intercept, dense.intercept, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_a_weight_is_a_number_of_repetitions(n_classes):
    X, y = sample(3, 60, 5, n_classes)
    weights = np.random.default_rng(0).integers(0, 4, 60)
    again = np.repeat(np.arange(60), weights)
    once = solved(X, y, n_classes, 0.05, 1e-9, weights.astype(float))
    often = solved(X[again], y[again], n_classes, 0.05 * 60 / len(again), 1e-9)
    np.testing.assert_allclose(once.weights, often.weights, atol=1e-3)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    n_classes=st.integers(2, 6),
    C=st.sampled_from([1e-3, 0.1, 1.0, 100.0]),
    intercept=st.booleans(),
)
def test_the_gap_is_closed(seed, n, n_classes, C, intercept):
    """Whole numbers make rows that are the same and of several classes; some classes are absent."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, 3)).astype(float)
    y, weights = rng.integers(0, n_classes, n), rng.integers(0, 4, n).astype(float)
    weights[0] = 1
    found = solved(X, y, n_classes, 1 / (C * n), 1e-6, weights, intercept)
    other = dual_classes.solve(
        *(as_rows(X), y, 3, n_classes),
        **{"alpha": 1 / (C * n), "weights": weights, "fit_intercept": intercept, "max_passes": 20},
    )
    assert found.dual <= dual.finish(other).primal + 1e-12


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [10.0, 1.0, 1e-2, 1e-6])
@pytest.mark.parametrize("case", CASES)
def test_degenerate_rows(case, alpha, intercept):
    X, y = CASES[case]
    solved(X, np.array(y), 3, alpha, 1e-6, fit_intercept=intercept)


def test_a_class_without_a_row_is_never_best():
    X, y = sample(6, 40, 3)
    found = solved(X, 2 * y, 5, 0.01)
    scores = X @ found.weights.T + found.intercept
    assert not found.weights[[1, 3]].any()
    assert (scores[:, [1, 3]].max(axis=1) < scores.max(axis=1)).all()


def test_the_bound_never_is_above_the_objective_at_any_step():
    X, y = sample(7, 150, 6, 4)
    steps = steps_of(X, y, 4, 1 / 150, 1e-10)
    assert all(here.dual <= steps[-1].primal * (1 + 1e-12) for here in steps)
    primal, bound = ([getattr(here, name) for here in steps] for name in ("primal", "dual"))
    assert (np.diff(primal) <= 0).all()
    assert (np.diff(bound) >= 0).all()


@pytest.mark.parametrize("size", [1.0, 1e3, 1e-3])
@pytest.mark.parametrize("name", REAL)
def test_real_data_as_they_are(name, size):
    X, y = REAL[name](return_X_y=True)
    X = X * np.where(np.arange(X.shape[1]) % 2 == 1, size, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearSVM().fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 80


def test_larger_problems_are_left_to_the_dual():
    assert is_small(1, 1_500)
    assert is_small(10, 150)
    assert not is_small(10, 784)
    assert not is_small(500, 2)


def test_what_would_take_the_dual_many_minutes_is_left_to_descent(monkeypatch):
    X, y = sample(1, 40, 600, 3)
    alone = LinearSVM().fit(X, y)
    assert alone.loss_curve_[-1] == LinearSVM(solver="exact").fit(X, y).loss_curve_[-1]
    monkeypatch.setattr(exact, "MOST_NUMBERS", 40 * 600 * 3 - 1)
    steps, descent = LinearSVM(random_state=0), LinearSVM(solver="descent", random_state=0)
    np.testing.assert_array_equal(steps.fit(X, y).coef_, descent.fit(X, y).coef_)
    asked = LinearSVM(solver="exact").fit(X, y)
    np.testing.assert_array_equal(asked.coef_, alone.coef_)
    monkeypatch.setattr(exact, "MOST_NUMBERS", 1)
    few = LinearSVM(random_state=0).fit(X[:, :500], y)  # interior points take any number of rows
    np.testing.assert_array_equal(few.coef_, LinearSVM(solver="exact").fit(X[:, :500], y).coef_)
