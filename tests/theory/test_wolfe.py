"""The search in floating point against the reference, and the two ways for wide data."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.kernels import nearest_points as kernel
from rosenblatt.reference import nearest_points
from rosenblatt.theory import separate, wolfe
from rosenblatt.theory.problem import as_problem

from .data import example


def compiled(Z, groups):
    state = kernel.corral(Z.shape[1], min(len(Z), Z.shape[1] + 2), 1.0)
    k = 0
    for group in np.unique(groups):
        k = kernel.enter(Z, groups, state, k, int(np.flatnonzero(groups == group)[0]))
        state.weights[k - 1] = 1.0
    k, status = kernel.nearest(Z, groups, len(np.unique(groups)), state, k, 10_000, 1e-12, 1e-12)
    return state.rows[:k], state.weights[:k], status


@pytest.mark.parametrize("kind", ["separable", "one_flipped", "small_integers", "wide"])
@pytest.mark.parametrize("one_group", [False, True])
def test_nearest_points_are_those_of_the_reference(kind, one_group):
    for seed in range(50):
        X, y = example(kind, seed)
        Z, groups = X * y[:, None], (y > 0).astype(np.intp) * (not one_group)
        rows, weights, _ = compiled(Z, groups)
        expected_rows, expected = nearest_points(Z, groups)
        found, wanted = weights @ Z[rows], expected @ Z[expected_rows]
        np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(Z).max())
        for group in np.unique(groups):
            assert weights[groups[rows] == group].sum() == pytest.approx(1)
        assert weights.min() >= 0


def test_the_corral_holds_independent_points():
    rng = np.random.default_rng(0)
    for _ in range(50):
        Z = rng.integers(-2, 3, (30, 4)).astype(float)
        groups = rng.integers(2, size=30)
        rows, _, _ = compiled(Z, groups)
        wide = np.column_stack([Z[rows], groups[rows] == 0, groups[rows] == 1])
        assert np.linalg.matrix_rank(wide) == len(rows)


def test_scans_find_the_lowest_margins():
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((5000, 7)).astype("f4").astype("f8"), rng.standard_normal(7)
    y = np.where(rng.random(5000) < 0.5, 1, -1)
    for data in (X, sp.csr_matrix(X), X.astype("f4")):
        rows = wolfe.lowest(as_problem(data, y), w, 0.5, np.inf, 100)
        assert set(rows) == set(np.argsort(y * (X @ w + 0.5))[:100])
        few = wolfe.lowest(as_problem(data, y), w, 0.5, -8.0, 1000)
        assert set(few) == set(np.flatnonzero(y * (X @ w + 0.5) < -8.0))


def test_both_ways_agree(monkeypatch):
    for seed in range(12):
        X, y = example("wide" if seed % 2 else "separable", seed)
        for fit_intercept in (True, False):
            plain = separate.separate(X, y, fit_intercept)
            with monkeypatch.context() as patch:
                patch.setattr(separate, "fits", lambda problem: False)
                other = separate.separate(X, y, fit_intercept)
            assert other.separable == plain.separable
            if plain.separable:
                assert other.margin == pytest.approx(plain.margin, rel=2e-6)
                assert other.verify(X, y)
