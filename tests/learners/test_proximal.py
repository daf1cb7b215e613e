"""Proximal Newton: the lowest loss with an L1 penalty, and which weights are not zero."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.linear_model import ElasticNet

from rosenblatt.data.rows import as_rows
from rosenblatt.kernels.exact import smooth
from rosenblatt.kernels.exact.coordinates import sweep_columns, sweep_products
from rosenblatt.learners.exact import local_lasso, parabola
from rosenblatt.learners.exact.newton import Guess, newton
from rosenblatt.learners.exact.objective import OneFunction, Problem, Softmax
from rosenblatt.learners.exact.proximal import proximal_newton
from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.reference.lasso import logistic_lasso, sweep

LAYOUTS = {
    "dense": lambda X: X,
    "sparse": sp.csr_matrix,
    "float32": lambda X: X.astype(np.float32),
    "sparse float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}
LOSSES_HERE = ("logistic", "squared", "squared_hinge", "modified_huber", "huber", "softmax")


def numbers(n=60, d=5, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    X = rng.integers(-3, 4, (n, d)) + 2 * rng.standard_normal((n_classes, d))[y]
    return X, y


def objective_of(X, y, loss="logistic", l2=0.0, weights=None, fit_intercept=True, parameter=1.35):
    rows, d = as_rows(X), X.shape[1]
    if loss == "softmax":
        problem = Problem(rows, y, d, "logistic", 0.0, l2, weights, fit_intercept)
        return Softmax(problem, int(y.max()) + 1)
    target = y if loss == "huber" else 2.0 * y - 1
    return OneFunction(Problem(rows, target, d, loss, parameter, l2, weights, fit_intercept))


def problem_with(loss, seed, **options):
    X, y = numbers(n_classes=3 if loss == "softmax" else 2, seed=seed)
    if loss == "huber":
        rng = np.random.default_rng(seed)
        y = X @ rng.standard_normal(X.shape[1]) + rng.standard_cauchy(len(X)) + 100
    layout = sp.csr_matrix if seed % 2 else np.asarray
    return objective_of(layout(X), y, loss, **options)


def zeros(objective):
    return np.zeros((objective.n_functions, objective.problem.n_features + 1))


def solved(objective, l1, start=None, enough=1e-13):
    *_, end = proximal_newton(objective, l1, zeros(objective) if start is None else start, enough)
    return end


def short(objective, at, l1):
    """Return the gradient of least size that the penalty allows, which is zero at the optimum."""
    gradient, w = objective.look(at).gradient, at[:, :-1]
    slopes = gradient[:, :-1]
    held = np.sign(slopes) * np.maximum(np.abs(slopes) - l1, 0)
    return np.column_stack([np.where(w == 0, held, slopes + l1 * np.sign(w)), gradient[:, -1]])


@given(seed=st.integers(0, 1000), l1=st.floats(0, 3), sweeps=st.integers(1, 4))
def test_both_loops_are_the_reference(seed, l1, sweeps):
    rng = np.random.default_rng(seed)
    Z, g, start = rng.standard_normal((9, 5)), rng.standard_normal(5), rng.standard_normal(5)
    start[rng.random(5) < 0.3] = 0.0
    l2 = 0.5
    H = Z.T @ Z + l2 * np.eye(5)
    expected = sweep(H, g, start, start, l1, list(range(5)) * sweeps)
    one, slopes = start.copy(), g.copy()
    other, moved = start.copy(), np.zeros(9)
    for _ in range(sweeps):
        sweep_products(H, l1, False, slopes, one)
        given_ = np.diag(H).copy(), np.zeros(6), l1, l2, False, g, start, other, moved
        sweep_columns(as_rows(np.ascontiguousarray(Z.T)), *given_, np.zeros(1))
    np.testing.assert_allclose(one, expected, atol=1e-12)
    np.testing.assert_allclose(other, expected, atol=1e-12)
    np.testing.assert_array_equal(one == 0, expected == 0)
    np.testing.assert_allclose(slopes, g + H @ (one - start), atol=1e-12)
    np.testing.assert_allclose(moved, Z @ (other - start), atol=1e-12)


def test_a_sweep_lowers_it_by_what_it_says():
    rng = np.random.default_rng(0)
    Z, g, w = rng.standard_normal((9, 5)), rng.standard_normal(5), np.zeros(5)
    H, slopes = Z.T @ Z, g.copy()

    def value():
        return g @ w + 0.5 * w @ H @ w

    for only in (False, True, False):
        before = value()
        gain = sweep_products(H, 0.0, only, slopes, w)
        assert gain == pytest.approx(before - value())


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_columns_and_products_agree(layout, fit_intercept):
    rng = np.random.default_rng(1)
    X = LAYOUTS[layout](rng.integers(-1, 3, (40, 6)).astype(float))
    X = X.tocsc() if sp.issparse(X) else X
    columns = local_lasso.Shifted(X, np.zeros(6))
    bends, slopes = rng.random(40) / 40, np.append(rng.standard_normal(6), 0.3 * fit_intercept)
    given_ = columns, bends, 0.3, 0.01, fit_intercept
    kinds = local_lasso.ByProducts(*given_), local_lasso.ByColumns(*given_)
    one, other = (kind.solve(slopes, np.array([0, 1.0, 0, -1, 0, 0]), 1e-15)[0] for kind in kinds)
    np.testing.assert_allclose(one, other, atol=1e-5)
    free = np.array([True, True, False, True, False, True])
    v = rng.standard_normal(7)
    matrix = np.column_stack([columns.X.toarray() if sp.issparse(X) else X, np.ones(40)])
    H = (matrix.T * bends) @ matrix + 0.01 * np.diag([1.0] * 6 + [0.0])
    kept = np.append(free, fit_intercept)
    expected = np.zeros(7)
    expected[kept] = np.linalg.solve(H[np.ix_(kept, kept)], v[kept])
    np.testing.assert_allclose(kinds[0].inverse(free)(v)[kept], expected[kept], rtol=1e-6)


@pytest.mark.parametrize("l1", [0.3, 0.05, 0.001])
@pytest.mark.parametrize("l2", [0.0, 0.02])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_finds_what_the_reference_finds(layout, l2, l1):
    X, y = numbers()
    end = solved(objective_of(LAYOUTS[layout](X), y, l2=l2), l1)
    w, b = logistic_lasso(X.astype(np.float32).astype(float), 2.0 * y - 1, l1, l2, 5000)
    assert end.done
    close = 2e-4 if "32" in layout else 1e-6
    np.testing.assert_allclose(end.at[0], np.append(w, b), atol=close)
    np.testing.assert_array_equal(end.at[0, :-1] == 0, np.abs(w) < 1e-10)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES_HERE)
@given(seed=st.integers(0, 1000), log_l1=st.floats(-4, 0), elastic=st.booleans())
def test_no_slope_is_left_that_the_penalty_does_not_hold(
    loss, fit_intercept, weighted, seed, log_l1, elastic
):
    weights = np.random.default_rng(seed).random(60) + 0.1 if weighted else None
    options = {"weights": weights, "fit_intercept": fit_intercept, "l2": 0.1 * elastic}
    objective, l1 = problem_with(loss, seed, **options), 10**log_l1
    steps = list(proximal_newton(objective, l1, zeros(objective), 1e-13))
    values = [objective.look(zeros(objective)).value, *(step.here.value for step in steps)]
    assert all(b <= a for a, b in pairwise(values))
    at = steps[-1].at
    here = objective.look(at)
    assert values[-1] == pytest.approx(here.value + l1 * np.abs(at[:, :-1]).sum(), rel=1e-12)
    assert np.abs(short(objective, at, l1)).max() <= 2e-5 * max(1.0, np.sqrt(values[0]))
    assert fit_intercept or not at[:, -1].any()


@pytest.mark.parametrize("loss", LOSSES_HERE)
@given(seed=st.integers(0, 1000))
def test_what_it_says_is_lowest_is(loss, seed):
    """Stopped at the usual precision, no more is left than that."""
    objective = problem_with(loss, seed)
    rough, fine = solved(objective, 0.01, enough=1e-8), solved(objective, 0.01, enough=1e-15)
    assert rough.done
    assert rough.here.value - fine.here.value <= 1e-8 * rough.here.value


@pytest.mark.parametrize("loss", LOSSES_HERE)
@given(seed=st.integers(0, 1000))
def test_a_large_penalty_leaves_the_intercept_alone(loss, seed):
    objective = problem_with(loss, seed)
    alone = solved(objective, 1e9)
    assert not alone.at[:, :-1].any()
    largest = np.abs(objective.look(alone.at).gradient[:, :-1]).max()
    assert not solved(objective, 1.001 * largest).at[:, :-1].any()
    assert solved(objective, 0.98 * largest).at[:, :-1].any()


@pytest.mark.parametrize("loss", ["logistic", "squared", "squared_hinge", "softmax"])
def test_a_tiny_penalty_is_newtons_method(loss):
    objective = problem_with(loss, 0, l2=0.01)
    end, least = solved(objective, 1e-12), list(newton(objective, Guess(zeros(objective)), 1e-14))
    mine, theirs = end.at, least[-1].at
    mine[:, -1] -= mine[:, -1].mean() if loss == "softmax" else 0.0
    np.testing.assert_allclose(mine, theirs, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES_HERE)
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_columns_of_any_size_and_place_do_no_harm(layout, loss):
    """A column and its penalty in another unit give the same scores."""
    X, y = numbers(n_classes=3 if loss == "softmax" else 2, seed=3)
    y = X @ np.arange(5) if loss == "huber" else y
    far = X + 1e5
    plain, moved = (objective_of(LAYOUTS[layout](rows), y, loss) for rows in (X, far))
    one, other = solved(plain, 0.05), solved(moved, 0.05)
    np.testing.assert_allclose(other.at[:, :-1], one.at[:, :-1], atol=1e-5)
    unit = 1e6
    large = objective_of(LAYOUTS[layout](X * unit), y, loss)
    np.testing.assert_allclose(
        unit * solved(large, 0.05 * unit).at[:, :-1], one.at[:, :-1], atol=1e-5
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_features_go_by_their_columns(n_classes, monkeypatch):
    X, y = numbers(200, 30, n_classes)
    X[:, 7] = X[:, 3] + 0.01 * X[:, 5]
    X[:, 9] = X[:, 3]
    for layout in (np.asarray, sp.csr_matrix):
        objective = objective_of(layout(X), y, "softmax" if n_classes > 2 else "logistic")
        monkeypatch.setattr(local_lasso, "MOST_PRODUCTS", 1000)
        few = solved(objective, 0.01)
        monkeypatch.setattr(local_lasso, "MOST_PRODUCTS", 0)
        many = solved(objective, 0.01)
        assert many.here.value == pytest.approx(few.here.value, rel=1e-11)
        assert np.abs(short(objective, many.at, 0.01)).max() < 1e-6


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("alpha", [3.0, 0.3, 0.003])
def test_squares_are_those_of_scikit_learn(alpha, l1_ratio):
    X, y = load_diabetes(return_X_y=True)
    X[:, 4] += 50.0
    peer = ElasticNet(alpha=alpha / 2, l1_ratio=l1_ratio, tol=1e-13, max_iter=10**6)
    peer.fit(X - X.mean(axis=0), y)
    problem = Problem(as_rows(X), y, 10, "squared", 0.0, (1 - l1_ratio) * alpha)
    mine = solved(OneFunction(problem), l1_ratio * alpha)
    np.testing.assert_allclose(mine.at[0, :-1], peer.coef_, atol=1e-5)
    np.testing.assert_array_equal(mine.at[0, :-1] == 0, peer.coef_ == 0)


def test_a_warm_start_is_short():
    objective = problem_with("softmax", 0)
    cold = list(proximal_newton(objective, 0.02, zeros(objective), 1e-10))
    warm = list(proximal_newton(objective, 0.02, cold[-1].at, 1e-10))
    assert len(warm) == 1
    np.testing.assert_allclose(warm[-1].at[:, :-1], cold[-1].at[:, :-1], atol=1e-5)


@pytest.mark.parametrize(
    "loss", ["logistic", "squared", "squared_hinge", "modified_huber", "huber"]
)
@given(score=st.floats(-50, 50), other=st.floats(-50, 50))
def test_a_parabola_with_the_cap_is_nowhere_below(loss, score, other):
    caps, y = np.empty(1), np.ones(1)
    code = LOSSES[loss].code
    smooth.fill_caps(code, 1.35, np.array([score]), y, np.empty(0), caps)
    (here, _, slope), (there, _, _) = (
        evaluate(loss, np.array([[s]]), y, parameter=1.35) for s in (score, other)
    )
    bound = here + slope[0, 0] * (other - score) + 0.5 * caps[0] * (other - score) ** 2
    assert there <= bound + 1e-9 * (1 + abs(bound))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", LOSSES_HERE)
def test_the_parabola_has_the_hessian(loss, fit_intercept):
    objective = problem_with(loss, 4, l2=0.3, fit_intercept=fit_intercept)
    rng = np.random.default_rng(0)
    at, v = rng.standard_normal((2, *zeros(objective).shape))
    if not fit_intercept:
        at[:, -1] = v[:, -1] = 0.0
    here, chosen = objective.look(at), np.arange(6)
    columns = parabola.Columns(objective.problem).take(chosen[:-1])
    found = parabola.Parabola(objective, 0.1, parabola.Place(at, here, 0.0), columns, chosen)
    np.testing.assert_allclose(found.times(v), objective.times(here, v), atol=1e-10)


@pytest.mark.parametrize("most_products", [0, 1_000])
@pytest.mark.parametrize("layout", [np.asarray, sp.csc_matrix])
def test_blocks_add_up_to_all_rows(layout, most_products, monkeypatch):
    rng = np.random.default_rng(0)
    X, bends = layout(rng.standard_normal((1000, 7)) + 3), rng.random(1000)
    columns = local_lasso.Shifted(X, np.zeros(7))
    slopes, at = rng.standard_normal(8), rng.standard_normal(7)
    monkeypatch.setattr(local_lasso, "MOST_PRODUCTS", most_products)

    def model():
        return local_lasso.local_lasso(columns, bends, 0.1, 0.01, True)

    whole = model().solve(slopes, at, 1e-9)
    for name in ("_BLOCK", "_SPARSE_BLOCK"):
        monkeypatch.setattr(local_lasso, name, 1)
    blocks = [len(block) for _, block in local_lasso._blocks(np.ones((1000, 7)), 1.0, bends)]
    assert blocks == [256, 256, 256, 232]
    parts = model().solve(slopes, at, 1e-9)
    assert parts[0] == pytest.approx(whole[0], rel=1e-9)
    assert parts[1] == pytest.approx(whole[1], rel=1e-9)
