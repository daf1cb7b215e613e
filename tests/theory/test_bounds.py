"""Mistake bounds: promised before, kept by every perceptron (S6, S7)."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st

from rosenblatt import Perceptron, mistake_bound, separate
from tests.conftest import examples

from .data import KINDS, SEEDS, example

# Numbers of every size overflow when they are added up.
LEARNABLE = [name for name in KINDS if name != "every_size"]


@pytest.mark.parametrize("name", LEARNABLE)
@examples(
    quick=10,
    full=100,
    seed=SEEDS,
    fit_intercept=st.booleans(),
    ties=st.sampled_from(["mistake", "positive"]),
)
def test_no_perceptron_exceeds_its_bound(name, seed, fit_intercept, ties):
    X, y = example(name, seed)
    bound = mistake_bound(X, y, fit_intercept)
    # Tiny margins allow more passes than anyone has time for.
    passes = 200 if bound.theorem == "novikoff" else 1
    options = {"fit_intercept": fit_intercept, "ties": ties, "shuffle": seed % 2 == 0}
    model = Perceptron(max_iter=passes, tol=None, random_state=0, **options).fit(X, y)
    assert model.n_mistakes_ <= bound.bound
    if bound.theorem == "novikoff" and bound.bound < 200:
        assert model.converged_
    elif bound.theorem == "freund-schapire":
        # (x, 1) is separable through the origin just if x is by any plane.
        assert not separate(X, y, fit_intercept).separable


@pytest.mark.parametrize("name", LEARNABLE)
@examples(quick=5, full=30, seed=SEEDS, fit_intercept=st.booleans())
def test_one_pass_keeps_the_other_promise_too(name, seed, fit_intercept):
    X, y = example(name, seed)
    bound = mistake_bound(X, y, fit_intercept, theorem="freund-schapire")
    model = Perceptron(max_iter=1, tol=None, shuffle=False, fit_intercept=fit_intercept).fit(X, y)
    assert model.n_mistakes_ <= bound.bound
    assert bound.bound <= len(y) * (1 + 1e-3)


def test_deck_b(deck_b):
    X, y = deck_b
    bound = mistake_bound(X, y, fit_intercept=False)
    assert bound.theorem == "novikoff"
    assert bound.radius == pytest.approx(np.sqrt(5), rel=1e-15)
    assert bound.margin == pytest.approx(1)
    assert bound.bound == pytest.approx(5)
    assert bound.deviation == 0
    assert Perceptron(fit_intercept=False, shuffle=False).fit(X, y).n_mistakes_ == 3


def test_a_factor_of_one_hundred_changes_nothing(deck_b):
    X, y = deck_b
    one, other = (mistake_bound(s * X, y, fit_intercept=False) for s in (1, 100))
    assert one.bound == pytest.approx(other.bound)
    assert other.radius == pytest.approx(100 * one.radius)
    mistakes = {Perceptron(fit_intercept=False).fit(s * X, y).n_mistakes_ for s in (1, 100)}
    assert len(mistakes) == 1


def test_an_unnormalised_solution_gives_the_same_bound(deck_b):
    """S6: k ≤ R²‖θ*‖²/γ² for a θ* of any length."""
    X, y = deck_b
    bound = mistake_bound(X, y, fit_intercept=False)
    theta = 7 * bound.hyperplane.normal
    gamma = (y * (X @ theta)).min()
    assert bound.radius**2 * (theta @ theta) / gamma**2 == pytest.approx(bound.bound)


def test_the_radius_is_measured_from_the_origin(deck_b):
    X, y = deck_b
    near, far = mistake_bound(X, y), mistake_bound(X + 100, y)
    assert far.radius == pytest.approx(np.sqrt(((X + 100) ** 2).sum(axis=1).max() + 1))
    assert far.bound > 1000 * near.bound


def test_with_an_intercept_all_is_in_the_space_of_x_and_one(deck_b):
    X, y = deck_b
    bound = mistake_bound(X, y)
    u = bound.hyperplane.augmented()
    augmented = np.column_stack([np.ones(len(X)), X])
    assert np.linalg.norm(u) == pytest.approx(1)
    assert bound.margin == pytest.approx((y * (augmented @ u)).min())
    assert bound.radius == pytest.approx(np.linalg.norm(augmented, axis=1).max())


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_any_u_and_gamma_give_no_smaller_bound(fit_intercept):
    """The reported Freund–Schapire bound is the least over all u and γ, and its own are valid."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 3))
    y = np.where(X @ [1, 2, -1] + 0.4 * rng.standard_normal(150) > 0, 1, -1)
    bound = mistake_bound(X, y, fit_intercept)
    assert bound.theorem == "freund-schapire"
    A = np.column_stack([np.ones(150), X]) if fit_intercept else X
    R = np.linalg.norm(A, axis=1).max()

    def of(u, gamma):
        D = np.linalg.norm(np.maximum(0, gamma - y * (A @ u) / np.linalg.norm(u)))
        return ((R + D) / gamma) ** 2

    plane = bound.hyperplane
    u = plane.augmented() if fit_intercept else plane.normal
    assert bound.bound == pytest.approx(of(u, bound.margin))
    for _ in range(2000):
        other = u + rng.standard_normal(len(u)) * 10.0 ** -rng.integers(0, 5)
        assert of(other, bound.margin * np.exp(0.3 * rng.standard_normal())) >= bound.bound * 0.999


def test_sparse_rows_have_the_same_bound():
    X, y = example("one_flipped", 1)
    for theorem in ("auto", "freund-schapire"):
        dense = mistake_bound(X, y, theorem=theorem)
        sparse = mistake_bound(sp.csr_matrix(X), y, theorem=theorem)
        assert dense.bound == pytest.approx(sparse.bound)


def test_it_reads_well(deck_b):
    text = str(mistake_bound(*deck_b))
    assert text.startswith("At most 6 mistakes, in any number of passes (Novikoff 1962)")
    text = str(mistake_bound([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    assert "in one pass (Freund and Schapire 1999)" in text


@pytest.mark.parametrize("scale", [1e-200, 1e-100, 1.0, 1e100, 1e200])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_of_any_size(scale, fit_intercept):
    X, y = np.array([[1.0, 2], [2, 1], [-1, -1], [1, -3]]), [1, 1, -1, -1]
    bound = mistake_bound(X * scale, y, fit_intercept, theorem="freund-schapire")
    assert 1 <= bound.bound <= 4.01
    assert np.isfinite([bound.radius, bound.margin, bound.deviation]).all()


def test_rows_of_zeros_and_rows_out_of_reach():
    y = [0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1]
    assert mistake_bound(np.zeros((18, 4)), y, False).bound == pytest.approx(18, rel=1e-3)
    with pytest.raises(ValueError, match="multiply X so that it comes near 1"):
        mistake_bound([[1e-300], [2e-300]], [0, 1], False, theorem="freund-schapire")


def test_many_rows_of_length_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    bound = mistake_bound(X, X[:, 0] > 0, fit_intercept=False)
    assert 1 <= bound.radius <= 1 + 1e-12


def test_novikoff_needs_separable_rows():
    with pytest.raises(ValueError, match="which these are not; separate"):
        mistake_bound([[0.0], [1], [2]], [0, 1, 0], theorem="novikoff")
    with pytest.raises(ValueError, match="theorem must be one of 'auto', 'novikoff'"):
        mistake_bound([[0.0], [1]], [0, 1], theorem="block")


def test_a_margin_below_all_floats():
    answer = mistake_bound([[0.0, 0.0], [0.0, 5e-324]], [0, 1])
    assert (answer.margin, answer.bound) == (0.0, np.inf)
    assert str(answer).startswith("Finitely many, if countless, mistakes, in any number of passes")
