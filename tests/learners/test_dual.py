"""The exact solver of the linear SVM: its certificate, and other solvers of the same problem."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC

from rosenblatt.data.rows import as_rows
from rosenblatt.kernels.exact.dual import (
    Direction,
    Point,
    Task,
    ascend,
    balancing,
    best_intercept,
    fill_squares,
    leap,
    violations,
)
from rosenblatt.learners.exact.dual import finish, solve
from rosenblatt.reference.dual import ascent, objectives
from tests.conftest import LAYOUTS


def solved(X, y, alpha, **options):
    return finish(solve(as_rows(X), y, X.shape[1], alpha=alpha, **options))


def sample(seed, n=60, d=4, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.where(X[:, 0] + noise * rng.standard_normal(n) > -0.5, 1.0, -1.0)


def check_certificate(X, y, alpha, found, tol=1e-6, squared=False, intercept=True, weights=None):
    """Compute both objectives anew, from what was returned, and check that all is feasible."""
    costs = np.ones(len(y)) if weights is None else weights
    a = found.variables
    given = found.weights, found.intercept, a
    primal, dual = objectives(X, y, costs, alpha, *given, squared=squared)
    assert primal == pytest.approx(found.primal, rel=1e-9)
    assert dual == pytest.approx(found.dual, rel=1e-9, abs=1e-12)
    assert (a >= 0).all()
    assert squared or (a <= costs / (alpha * len(y)) * (1 + 1e-12)).all()
    if intercept:
        assert abs(a @ y) <= 1e-9 * max(a.sum(), 1e-300)
    else:
        assert found.intercept == 0
    assert dual <= primal * (1 + 1e-12)
    assert found.converged == (found.primal - found.dual <= tol * found.primal)


def state(X, upper, ridge, rho, d):
    n, rows = len(upper), as_rows(X)
    squares = np.empty(n)
    fill_squares(rows, 0, n, np.zeros(d), squares)
    return rows, squares, Point(np.zeros(n), np.zeros(d), np.zeros(2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sweeps_are_those_of_the_reference(layout, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (40, 6)).astype(dtype)
    X[7] = 0
    y = rng.choice([-1.0, 1.0], 40)
    upper, ridge, rho = rng.uniform(0, 2, 40), rng.uniform(0, 1, 40) * (rng.random(40) < 0.5), 1.5
    ridge[7] = 0
    for rho in (0.0, 1.5):
        rows, squares, point = state(LAYOUTS[layout](X), upper, ridge, rho, 6)
        np.testing.assert_array_equal(squares, (X.astype(float) ** 2).sum(axis=1))
        point.balance[1] = 0.25
        task = Task(y, upper, ridge, squares + ridge + rho, rho)
        orders = [rng.permutation(40).astype(np.int32) for _ in range(3)]
        for order in orders:
            ascend(rows, order, 0, 40, False, task, point)
            ascend(rows, order, 0, 40, True, task, point)
        both = [part for order in orders for part in (order, order[::-1])]
        a = ascent(X.astype(float), y, both, upper, ridge=ridge, rho=rho, centre=0.25)
        np.testing.assert_allclose(point.alpha, a, atol=1e-12)
        np.testing.assert_allclose(point.weights, X.T.astype(float) @ (a * y), atol=1e-11)
        assert point.balance[0] == pytest.approx(a @ y, abs=1e-12)


@given(
    seed=st.integers(0, 10**6), C=st.sampled_from([0.01, 1.0, 100.0]), rho=st.sampled_from([0, 2])
)
def test_leaps_never_lower_the_dual_and_stay_inside(seed, C, rho):
    rng = np.random.default_rng(seed)
    n, d = 30, 5
    X, y = sample(seed, n, d)
    upper, ridge = np.full(n, C), np.zeros(n)
    rows, squares, point = state(X, upper, ridge, rho, d)
    task = Task(y, upper, ridge, squares + rho, float(rho))
    before, last, way = (
        kind(np.zeros(n), np.zeros(d), np.zeros(2)) for kind in (Point, Direction, Direction)
    )
    trial = Point(point.alpha, np.zeros(d), np.zeros(2))

    def dual():
        w, r = X.T @ (point.alpha * y), point.alpha @ y
        np.testing.assert_allclose(point.weights, w, atol=1e-8 * (1 + np.abs(w).max()))
        return point.alpha.sum() - 0.5 * w @ w - 0.5 * rho * r * r

    taken = []
    for _ in range(6):
        order = rng.permutation(n).astype(np.int32)
        ascend(rows, order, 0, n, False, task, point)
        ascend(rows, order, 0, n, True, task, point)
        reached = dual()
        taken.append(leap(rows, order, task, point, before, last, way, trial))
        assert dual() >= reached - 1e-9 * abs(reached)
        assert (point.alpha >= 0).all()
        assert (point.alpha <= upper).all()
    assert all(0 <= size <= 1 for size in taken)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d"), [(60, 3), (80, 40), (40, 90)])
def test_it_finds_the_minimum_that_liblinear_finds(n, d, C, squared):
    X, y = sample(n, n, d)
    alpha = 1 / (C * n)
    found = solved(X, y, alpha, squared=squared, fit_intercept=False, tol=1e-8)
    check_certificate(X, y, alpha, found, 1e-8, squared, intercept=False)
    assert found.converged
    if C * d > 300:
        return  # LIBLINEAR takes too long
    loss = "squared_hinge" if squared else "hinge"
    peer = LinearSVC(
        loss=loss, C=C, tol=1e-10, max_iter=200_000, fit_intercept=False, random_state=0
    )
    w = peer.fit(X, y).coef_[0]
    theirs = objectives(X, y, np.ones(n), alpha, w, 0.0, found.variables, squared)[0]
    assert found.primal == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize("C", [0.01, 1.0, 0.1])
@pytest.mark.parametrize(("n", "d"), [(60, 3), (80, 40), (40, 90)])
def test_the_intercept_has_no_penalty(n, d, C):
    X, y = sample(n, n, d)
    X, alpha = X + 5, 1 / (C * n)
    found = solved(X, y, alpha, tol=1e-8)
    check_certificate(X, y, alpha, found, 1e-8)
    assert found.converged
    peer = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)  # LIBSVM's intercept has none, either
    given = peer.coef_[0], peer.intercept_[0], found.variables
    theirs, _ = objectives(X, y, np.ones(n), alpha, *given)
    assert found.primal <= theirs * (1 + 1e-8)
    assert found.primal == pytest.approx(theirs, rel=1e-3)
    np.testing.assert_allclose(found.weights, peer.coef_[0], rtol=0.02, atol=0.01)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    d=st.integers(1, 6),
    C=st.sampled_from([1e-3, 0.1, 1.0, 10.0]),
    squared=st.booleans(),
    intercept=st.booleans(),
)
def test_the_certificate_holds_and_rows_obey_the_optimality_conditions(
    seed, n, d, C, squared, intercept
):
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)).astype(float)
    y, weights = rng.choice([-1.0, 1.0], n), rng.integers(0, 4, n).astype(float)
    alpha, tol = 1 / (C * n), 1e-9
    options = {"squared": squared, "fit_intercept": intercept, "weights": weights}
    found = solved(X, y, alpha, tol=tol, **options)
    check_certificate(X, y, alpha, found, tol, squared, intercept, weights)
    if not found.converged or squared:
        return
    # The gap is a sum over rows of what each one's variable and margin lack of agreeing.
    margins = y * (X @ found.weights + found.intercept)
    slack, a, upper = 1 - margins, found.variables, weights * C
    lacking = np.where(slack > 0, (upper - a) * slack, -a * slack)
    assert lacking.max() * alpha <= 2 * np.sqrt(tol) * max(found.primal, 1e-12)


def test_a_weight_is_a_number_of_repetitions():
    X, y = sample(3, 40, 5)
    weights = np.random.default_rng(0).integers(0, 4, 40)
    again = np.repeat(np.arange(40), weights)
    alpha = 0.02
    once = solved(X, y, alpha, weights=weights.astype(float), tol=1e-10)
    often = solved(X[again], y[again], alpha * 40 / len(again), tol=1e-10)
    np.testing.assert_allclose(once.weights, often.weights, atol=1e-5)
    assert once.intercept == pytest.approx(often.intercept, abs=1e-5)


def test_the_same_seed_gives_the_same_bits():
    X, y = sample(5, 300, 20)
    one, same, other = (solved(X, y, 1e-3, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.weights, same.weights)
    assert one._replace(weights=0, variables=0) == same._replace(weights=0, variables=0)
    assert other.primal == pytest.approx(one.primal, rel=2e-6)


def test_a_bound_on_the_passes_is_kept():
    X, y = sample(5, 300, 20)
    found = solved(X, y, 1e-6, tol=1e-12, max_passes=10)
    assert not found.converged
    assert found.passes < 40
    check_certificate(X, y, 1e-6, found, 1e-12)


def test_it_stops_after_each_block_and_says_what_is_known(monkeypatch):
    monkeypatch.setattr("rosenblatt.learners.exact.dual._BLOCK", 200)
    X, y = sample(5, 300, 20)
    seen, run = [], solve(as_rows(X), y, 20, alpha=0.01)
    for step in run:
        seen.append(step)
    assert len(seen) > 300 * 20 / 200 * 10
    assert all(0 <= new.rows - old.rows <= 300 + 10 for old, new in itertools.pairwise(seen))
    assert all(new.primal <= old.primal for old, new in itertools.pairwise(seen))
    assert all(new.dual >= old.dual for old, new in itertools.pairwise(seen))


CASES = {
    "two rows": (np.array([[1.0], [2.0]]), [-1, 1]),
    "two rows of a class": (np.array([[1.0], [2.0]]), [1, 1]),
    "the same row twice, of both classes": (np.array([[1.0], [1.0]]), [-1, 1]),
    "the same rows": (np.ones((9, 3)), [-1, 1, 1, 1, -1, 1, 1, 1, 1]),
    "rows of zeros": (np.zeros((5, 2)), [-1, 1, 1, -1, 1]),
    "a feature that is zero": (np.array([[1.0, 0], [2, 0], [3, 0], [0, 0]]), [1, 1, -1, -1]),
    "columns of very different sizes": (
        np.array([[1.0, 1e4], [2, -1e4], [3, 2e4], [0, 0], [1, 1]]),
        [1, -1, 1, -1, -1],
    ),
}


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [1e6, 1.0, 1e-3])
@pytest.mark.parametrize("case", CASES)
def test_degenerate_rows(case, alpha, intercept, squared):
    X, y = CASES[case]
    y = np.array(y, float)
    found = solved(X, y, alpha, fit_intercept=intercept, squared=squared, max_passes=3000)
    check_certificate(X, y, alpha, found, 1e-6, squared, intercept)
    assert found.converged


@pytest.mark.parametrize("squared", [False, True])
def test_the_best_intercept_of_some_scores(squared):
    rng = np.random.default_rng(0)
    scores, y, costs = rng.standard_normal(30), rng.choice([-1.0, 1.0], 30), rng.random(30)
    ridge = 0.5 / costs if squared else np.zeros(30)
    task = Task(y, np.full(30, np.inf) if squared else costs, ridge, costs, 1.0)
    grid = np.linspace(-4, 4, 8001)
    least = min((costs * np.maximum(0, 1 - y * (scores + b)) ** (1 + squared)).sum() for b in grid)
    for start in (0.0, -1e3, 1e3):
        b = best_intercept(scores, start, task, squared)
        total, slope = violations(scores, b, task, squared)
        assert least - 1e-2 <= total <= least + 1e-12
        assert not squared or abs(slope) < 1e-9


def test_balancing_scales_the_heavier_class():
    task = Task(np.array([1.0, -1, 1]), np.ones(3), np.zeros(3), np.ones(3), 1.0)
    assert balancing(task, np.array([1.0, 1, 1])) == (0.5, 1.0)
    assert balancing(task, np.array([0.25, 1, 0.25])) == (1.0, 0.5)
    assert balancing(task, np.array([0.0, 1, 0])) == (1.0, 0.0)
    assert balancing(task, np.zeros(3)) == (1.0, 1.0)
