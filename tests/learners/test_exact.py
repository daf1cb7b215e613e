"""Newton's method and least squares: the lowest loss, whatever the data are like."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad
from sklearn.datasets import load_diabetes, load_wine
from sklearn.linear_model import LinearRegression, Ridge

from rosenblatt.data.rows import as_rows
from rosenblatt.learners.exact import preconditioner
from rosenblatt.learners.exact.least_squares import least_squares
from rosenblatt.learners.exact.newton import Guess, first_guess, newton
from rosenblatt.learners.exact.objective import OneFunction, Problem, Softmax
from rosenblatt.reference.newton import newton as reference
from rosenblatt.reference.newton import softmax_loss

SMOOTH = ("logistic", "squared", "squared_hinge", "modified_huber")
LAYOUTS = {
    "dense": lambda X: X,
    "sparse": sp.csr_matrix,
    "float32": lambda X: X.astype(np.float32),
    "sparse float32": lambda X: sp.csr_matrix(X.astype(np.float32)),
}


def numbers(n=60, d=4, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    y[:n_classes] = np.arange(n_classes)
    X = rng.integers(-3, 4, (n, d)) + rng.standard_normal((n_classes, d))[y]
    return X, y


def last(steps):
    *_, end = steps
    return end


def objective_of(X, y, loss="logistic", l2=0.0, weights=None, fit_intercept=True, parameter=0.0):
    rows, d, K = as_rows(X), X.shape[1], len(np.unique(y))
    rest = l2, weights, fit_intercept
    if loss in ("squared", "huber") and K > 5:
        return OneFunction(Problem(rows, y, d, loss, parameter, *rest))
    if K == 2:
        return OneFunction(Problem(rows, 2.0 * y - 1, d, loss, parameter, *rest))
    return Softmax(Problem(rows, y, d, loss, parameter, *rest), K)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_newton_finds_what_the_reference_finds(n_classes, layout):
    X, y = numbers(n_classes=n_classes)
    W = reference(X, y, n_classes, 0.01)
    X = X.astype(np.float32).astype(float) if "32" in layout else X
    objective = objective_of(LAYOUTS[layout](X), y, l2=0.01 if n_classes > 2 else 0.005)
    end = last(newton(objective, Guess(np.zeros((objective.n_functions, 5))), 1e-12))
    assert end.done
    theirs = W if n_classes > 2 else (W[1] - W[0])[None]
    mine = end.at
    mine[:, -1] -= mine[:, -1].mean() if n_classes > 2 else 0.0
    np.testing.assert_allclose(mine, theirs, atol=2e-4 if "32" in layout else 1e-6)


def test_the_reference_has_the_right_gradient_and_hessian():
    X, y = numbers(n_classes=3)
    X = np.hstack([X, np.ones((len(X), 1))])
    W = np.random.default_rng(1).standard_normal((3, 5))

    def at(flat):
        return softmax_loss(flat.reshape(3, 5), X, y, 0.1)

    assert check_grad(lambda v: at(v)[0], lambda v: at(v)[1].ravel(), W.ravel()) < 1e-5
    h = 1e-6
    for j in (0, 7, 14):
        e = h * np.eye(15)[j]
        change = (at(W.ravel() + e)[1] - at(W.ravel() - e)[1]).ravel() / (2 * h)
        np.testing.assert_allclose(at(W.ravel())[2][j], change, atol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("loss", [*SMOOTH, "huber", "softmax"])
@given(seed=st.integers(0, 1000))
def test_gradients_and_products_are_derivatives(loss, fit_intercept, weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = numbers(n_classes=3 if loss == "softmax" else 2, seed=seed)
    weights = rng.random(len(y)) + 0.5 if weighted else None
    if loss == "huber":
        y = X @ rng.standard_normal(4) + rng.standard_normal(len(X))
    name = "logistic" if loss == "softmax" else loss
    layout = sp.csr_matrix if seed % 2 else np.asarray
    objective = objective_of(layout(X), y, name, 0.3, weights, fit_intercept, 1.35)
    at, v = rng.standard_normal((2, objective.n_functions, 5))
    if not fit_intercept:
        at[:, -1] = v[:, -1] = 0.0
    h = 1e-6
    up, down = objective.look(at + h * v), objective.look(at - h * v)
    here = objective.look(at)
    slope = (up.value - down.value) / (2 * h)
    assert slope == pytest.approx(float((here.gradient * v).sum()), abs=1e-5)
    if loss in ("logistic", "squared", "softmax"):  # the others' curvatures jump
        turn = (up.gradient - down.gradient) / (2 * h)
        np.testing.assert_allclose(objective.times(here, v), turn, atol=1e-5)


@given(seed=st.integers(0, 1000), log_l2=st.floats(-8, 1))
def test_newton_ends_where_the_gradient_is_zero(seed, log_l2):
    X, y = numbers(n=40, n_classes=2 + seed % 2, seed=seed)
    objective = objective_of(X * np.array([1, 1e3, 1e-3, 1]), y, l2=10**log_l2)
    start = np.zeros((objective.n_functions, 5))
    steps = list(newton(objective, Guess(start), 1e-10))
    assert steps[-1].done
    values = [objective.look(start).value, *(step.here.value for step in steps)]
    assert all(b <= a for a, b in pairwise(values))
    *_, lowest = newton(objective, Guess(steps[-1].at), 1e-15)
    assert values[-1] - lowest.here.value <= 1e-9 * values[0]
    small = np.array([1, 1e-3, 1e3, 1, 1])  # a gradient by weights of the unscaled columns
    assert np.abs(lowest.here.gradient * small).max() < 1e-5


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_diagonal_serves_as_well(loss, monkeypatch):
    X, y = numbers(n=200)
    objective = objective_of(X, y, loss, 0.01)
    exact = last(newton(objective, Guess(np.zeros((1, 5))), 1e-12)).at
    monkeypatch.setattr(preconditioner, "MOST_FEATURES", 0)
    for layout in (np.asarray, sp.csr_matrix):
        other = objective_of(layout(X), y, loss, 0.01)
        np.testing.assert_allclose(
            last(newton(other, Guess(np.zeros((1, 5))), 1e-12)).at, exact, atol=1e-5
        )


def test_a_first_guess_from_some_rows_is_close():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((160_000, 3))
    y = (X @ [1.0, 2.0, -1.0] + rng.logistic(size=len(X)) > 0).astype(int)
    objective = objective_of(X, y, l2=1e-5)
    guess = first_guess(objective, np.zeros((1, 4)))
    steps = list(newton(objective, guess, 1e-8))
    assert objective.look(guess.at).value < 1.001 * steps[-1].here.value
    assert steps[-1].passes <= 12


def test_rows_that_are_chosen_stand_for_all():
    bends = np.random.default_rng(0).random(1000) ** 40
    chosen, shares = preconditioner._sample(bends, 100)
    assert len(chosen) <= 101
    assert shares.sum() == pytest.approx(bends.sum(), rel=0.2)
    assert set(np.argsort(bends)[-10:]) <= set(chosen)  # those that count most


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(
    "shape", [(300, 8), (30, 60), "sparse", "wide sparse", "dependent", "far", "far and scaled"]
)
def test_least_squares_are_those_of_scikit_learn(shape, fit_intercept, weighted):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape if isinstance(shape, tuple) else (300, 8))
    if shape == "sparse":
        X = sp.random(400, 40, 0.1, format="csr", random_state=0)
    elif shape == "wide sparse":
        X = sp.random(40, 90, 0.2, format="csr", random_state=0)
    elif shape == "dependent":
        X[:, 3], X[:, 5] = X[:, 1] + X[:, 2], 4.0
    elif shape == "far":
        X += 1e4
    elif shape == "far and scaled":
        X = (X + 100) * np.logspace(0, 3, 8)
    y = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(X.shape[0]) + 3
    weights = rng.random(len(y)) + 0.1 if weighted else None
    theirs = LinearRegression(fit_intercept=fit_intercept, tol=1e-14).fit(X, y, weights)
    mean_one = None if weights is None else weights / weights.mean()
    problem = Problem(as_rows(X), y, X.shape[1], "squared", 0.0, 0.0, mean_one, fit_intercept)
    mine = least_squares(OneFunction(problem))
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(mine.at[0, :-1], theirs.coef_, atol=1e-8 * size)
    assert mine.at[0, -1] == pytest.approx(theirs.intercept_, abs=1e-8 * size * np.abs(X).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_penalty_makes_it_ridge_regression(fit_intercept):
    X, y = load_diabetes(return_X_y=True)
    theirs = Ridge(alpha=0.5 * 0.01 * len(X), fit_intercept=fit_intercept).fit(X, y)
    problem = Problem(as_rows(X), y, X.shape[1], "squared", 0.0, 0.01, None, fit_intercept)
    mine = least_squares(OneFunction(problem))
    np.testing.assert_allclose(mine.at[0, :-1], theirs.coef_, rtol=1e-8)


def test_threads_change_no_bit(monkeypatch):
    """Sums are of the same blocks in the same order, on any number of cores."""
    from rosenblatt.learners import blocks

    X, y = load_wine(return_X_y=True)
    X = np.tile(X, (60, 1))
    monkeypatch.setattr(blocks, "_BLOCK", 1 << 12)
    objective = objective_of(X, np.tile(y, 60) > 0, l2=1e-3)
    at = np.random.default_rng(0).standard_normal((1, X.shape[1] + 1)) / 1000
    several = objective.look(at)
    monkeypatch.setattr(blocks, "in_turn", lambda work, *args: map(work, *args))
    alone = objective.look(at)
    assert several.value == alone.value
    assert several.gradient.tobytes() == alone.gradient.tobytes()
