"""The discriminant's sums: halves make the whole, in whichever form a state keeps them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.learners import online
from rosenblatt.learners.closed_form import class_scatter as scatter
from rosenblatt.learners.closed_form import class_scatter as whiten
from rosenblatt.learners.closed_form import discriminant
from rosenblatt.learners.closed_form.class_scatter import Moments, moved_to, of_centred
from rosenblatt.learners.closed_form.discriminant import (
    amounts,
    covariance,
    hyperplanes,
    init,
    keeps_rows,
    merge,
    update,
)
from rosenblatt.reference import discriminant as textbook
from tests.conftest import LAYOUTS


def sample(seed, n, d, n_classes=3, far=0.0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    y[: min(n, n_classes)] = np.arange(min(n, n_classes))
    mixing = rng.standard_normal((d, d))
    return rng.standard_normal((n, d)) @ mixing + y[:, None] + far, y


def learned(X, y, n_classes=3, each=False, weights=None):
    return update(init(X.shape[1], n_classes, each=each), as_rows(X), y, weights)


def model(state, shrinkage):
    amount = amounts(state) if shrinkage == "auto" else shrinkage
    return hyperplanes(state, state.weight / state.weight.sum(), amount)


def assert_same_model(one, two, shrinkage, rtol=1e-9):
    for a, b in zip(model(one, shrinkage), model(two, shrinkage), strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.abs(b).max())


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(4, 60),
    d=st.integers(1, 12),
    cut=st.floats(0.1, 0.9),
    shrinkage=st.sampled_from([0.0, 0.3, "auto"]),
    far=st.sampled_from([0.0, 1e4]),
)
def test_merging_two_halves_is_learning_the_whole(seed, n, d, cut, shrinkage, far):
    X, y = sample(seed, n, d, far=far)
    cut, each = max(1, int(cut * n)), shrinkage == "auto"
    whole = learned(X, y, each=each)
    halves = [learned(X[:cut], y[:cut], each=each), learned(X[cut:], y[cut:], each=each)]
    before = [online.copy(half) for half in halves]
    both = merge(halves)
    assert keeps_rows(both) == keeps_rows(whole) == (n < d)
    np.testing.assert_allclose(both.weight, whole.weight)
    np.testing.assert_allclose(both.mean, whole.mean, rtol=1e-12, atol=1e-12)
    size = np.abs(covariance(whole)).max() + 1e-300
    np.testing.assert_allclose(covariance(both), covariance(whole), atol=1e-9 * size)
    if each:
        np.testing.assert_allclose(amounts(both), amounts(whole), atol=1e-7)
    for half, old in zip(halves, before, strict=True):  # merging leaves its states alone
        for a, b in zip(half[:5], old[:5], strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("shrinkage", [0.0, 0.4, "auto"])
@pytest.mark.parametrize(("n", "d"), [(200, 6), (20, 40), (45, 40)])
def test_pieces_halves_and_the_whole_agree(n, d, shrinkage):
    X, y = sample(3, n, d, far=100.0)
    each = shrinkage == "auto"
    whole = learned(X, y, each=each)
    pieces = init(d, 3, each=each)
    for part in np.array_split(np.arange(n), 9):
        pieces = update(pieces, as_rows(X[part]), y[part])
    assert_same_model(pieces, whole, shrinkage, 1e-6)
    halves = [learned(X[part], y[part], each=each) for part in (slice(0, 17), slice(17, None))]
    assert_same_model(merge(halves), whole, shrinkage, 1e-6)
    assert_same_model(merge(halves[::-1]), whole, shrinkage, 1e-6)


@pytest.mark.parametrize("shrinkage", [0.0, 0.25, 1.0, "auto"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_wide_or_tall(layout, shrinkage):
    each = shrinkage == "auto"
    for n, d in ((60, 5), (12, 30)):
        rng = np.random.default_rng(n)
        X = (rng.integers(-3, 4, (n, d)) * (rng.random((n, d)) < 0.6)).astype(float)
        y = np.arange(n) % 3
        assert_same_model(
            learned(LAYOUTS[layout](X), y, each=each), learned(X, y, each=each), shrinkage, 1e-8
        )


@pytest.mark.parametrize("shrinkage", [0.0, 0.25, "auto"])
def test_kept_rows_and_sums_give_the_same_hyperplanes(shrinkage):
    X, y = sample(5, 25, 60)
    state = learned(X, y, each=shrinkage == "auto")
    assert keeps_rows(state)
    assert_same_model(discriminant.summed(state), state, shrinkage, 1e-8)
    thin = learned(sp.csr_matrix(np.where(np.abs(X) > 3, X, 0)), y, each=shrinkage == "auto")
    assert sp.issparse(discriminant.as_matrix(thin.kept, 60))
    assert_same_model(discriminant.summed(thin), thin, shrinkage, 1e-8)


def test_the_textbook_formula():
    X, y = sample(1, 300, 5)
    weights, intercept = textbook(X, y)
    coef, offset = model(learned(X, y), 0.0)
    wanted, got = X @ weights.T + intercept, X @ coef.T + offset
    np.testing.assert_allclose(got - got[:, :1], wanted - wanted[:, :1], rtol=1e-9, atol=1e-9)


def test_weights_count_rows():
    X, y = sample(2, 50, 4)
    w = np.random.default_rng(0).integers(1, 4, 50)
    repeated = learned(np.repeat(X, w, axis=0), np.repeat(y, w), each=True)
    weighted = learned(X, y, each=True, weights=w.astype(float))
    for a, b in zip(weighted[:5], repeated[:5], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    twice = merge([learned(X, y), learned(X, y)])
    doubled = merge([learned(X, y)], [2.0])
    np.testing.assert_allclose(doubled.scatter, twice.scatter, rtol=1e-12)


def test_far_from_the_origin_no_digits_are_lost():
    X, y = sample(4, 3000, 5)
    X = X.round(3)  # so that the shift is exact to ten digits
    near, far = learned(X, y), learned(X + 1e6, y)
    np.testing.assert_allclose(far.scatter, near.scatter, rtol=1e-8)
    np.testing.assert_allclose(model(far, 0.0)[0], model(near, 0.0)[0], rtol=1e-6)


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, "auto"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_rows_far_from_the_origin_lose_no_digits(shrinkage, weighted):
    rng = np.random.default_rng(12)
    X, y = rng.standard_normal((40, 200)), np.arange(40) % 3
    X[:, 100:] *= rng.random((40, 100)) < 0.2
    X[:, :90] += 1e5
    X[:, 90] = 0.1
    X[:, 91] = np.where(y == 1, 1e5 + X[:, 91], 0)  # all of one class, nothing of the others
    X[0, 92], X[1, 93] = 0, 1e5
    w = rng.integers(1, 4, 40).astype(float) if weighted else None
    full, thin = (
        learned(kind(X), y, each=shrinkage == "auto", weights=w)
        for kind in (np.asarray, sp.csr_matrix)
    )
    np.testing.assert_allclose(thin.mean, full.mean, rtol=1e-14, atol=1e-14)
    assert_same_model(thin, full, shrinkage, 1e-8)
    assert not whiten.centred(sp.csr_matrix(X), thin.mean, y, thin.kept_weight).squares()[90]


@pytest.mark.parametrize("d", [2, 3, 10, 40])
@pytest.mark.parametrize("far", [0.0, 1e4])
def test_two_rows_of_a_class_are_not_shrunk(d, far):
    for seed in range(20):
        X, y = np.random.default_rng(seed).standard_normal((4, d)) + far, np.array([0, 0, 1, 1])
        once = learned(X, y, 2, True)
        weighted = learned(X, y, 2, True, np.full(4, 3.0))
        repeated = learned(X.repeat(3, axis=0), y.repeat(3), 2, True)
        for state in (once, weighted, repeated):
            assert not amounts(state).any()
            assert_same_model(state, once, "auto", 1e-4 if far else 1e-7)


def test_a_constant_has_no_variance_at_all():
    X, y = sample(6, 5000, 4)
    X[:, 1] = 0.1
    X[:, 2] = np.array([0.1, 0.7, 1e9 / 3])[y]
    for state in (learned(X, y), learned(X, y, each=True), learned(X[:3], y[:3])):
        spread = covariance(state)
        assert spread[1, 1] == spread[2, 2] == 0
    thin = sp.random_array((3000, 100), density=0.02, format="lil", rng=0)
    thin[:, 7] = 0.1
    state = learned(sp.csr_matrix(thin), np.arange(3000) % 3)
    assert not state.scatter[0, 7].any()
    assert not state.scatter[0, :, 7].any()


@pytest.mark.slow
def test_sparse_products_with_and_without_far_columns():
    rng = np.random.default_rng(1)
    X = sp.random_array((2000, 120), density=0.03, format="csr", rng=rng).toarray()
    X[:, 5] = 1e6 + rng.standard_normal(2000)
    y, w = rng.integers(3, size=2000), rng.integers(1, 4, 2000).astype(float)
    for weights in (None, w):
        thin, full = (
            learned(sp.csr_matrix(X), y, 3, weights=weights),
            learned(X, y, 3, weights=weights),
        )
        np.testing.assert_allclose(thin.mean, full.mean, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(thin.scatter, full.scatter, rtol=1e-9, atol=1e-8)
    X[:, :70] += 1e6  # too many far columns, or too full: block by block
    thin = learned(sp.csr_matrix(np.where(rng.random(X.shape) < 0.05, X, 0)), y, 3)
    assert np.isfinite(thin.scatter).all()
    assert scatter._sparse_scatter(sp.csr_matrix(X), y, None, 3) is None


def test_moments_about_another_point():
    rng = np.random.default_rng(0)
    C = rng.standard_normal((20, 3))
    C -= C.mean(axis=0)
    a = rng.standard_normal(3)
    D = C - a
    wanted = Moments(D.T @ D, (D**2).T @ D, (D**2).T @ D**2)
    for one, two in zip(moved_to(20, of_centred(C, None), a), wanted, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_classes_that_come_late():
    X, y = sample(8, 90, 4)
    for each in (False, True):
        first = learned(X[y < 2], y[y < 2] * 2, 3, each)  # labels 0 and 2; 1 is not there yet
        grown = discriminant.grow(learned(X[y < 2], y[y < 2], 2, each), np.array([0, 2]), 3)
        for a, b in zip(first[:5], grown[:5], strict=True):
            np.testing.assert_array_equal(a, b)
    kept = discriminant.grow(learned(X[:3], np.array([0, 1, 0]), 2), np.array([0, 2]), 3)
    assert kept.codes.tolist() == [0, 2, 0]


def test_too_large_is_refused_before_memory_is_taken():
    many = sp.csr_matrix((60_000, 47_236))
    with pytest.raises(ValueError, match=r"needs a 47236 × 47236 matrix: 17 GiB.*TruncatedSVD"):
        learned(many, np.arange(60_000) % 2, 2)
    with pytest.raises(ValueError, match="three for each of 2 classes"):
        learned(sp.csr_matrix((16_000, 15_000)), np.arange(16_000) % 2, 2, each=True)
    with pytest.raises(ValueError, match=r"needs a 30000 × 30000 matrix for 47236 features"):
        learned(many[:30_000], np.arange(30_000) % 2, 2)


def test_float32_is_summed_in_float64():
    X, y = sample(9, 4000, 6, far=1000.0)
    narrow = X.astype(np.float32)
    one, two = learned(narrow, y), learned(narrow.astype(np.float64), y)
    np.testing.assert_array_equal(one.scatter, two.scatter)


def test_wide_enough_for_numpys_product(monkeypatch):
    X, y = sample(11, 700, 12)
    w = np.random.default_rng(0).integers(1, 4, 700).astype(float)
    for weights in (None, w):
        ours = learned(X, y, weights=weights)
        with monkeypatch.context() as patch:
            patch.setattr(scatter, "_NARROW", 5)
            theirs = learned(X, y, weights=weights)
        np.testing.assert_allclose(ours.scatter, theirs.scatter, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(ours.mean, theirs.mean, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("each", [False, True])
def test_many_blocks_of_dense_and_sparse_rows(monkeypatch, each):
    rng = np.random.default_rng(3)
    X = np.where(rng.random((5000, 9)) < 0.5, rng.standard_normal((5000, 9)), 0)
    y = rng.integers(3, size=5000)
    whole = learned(X, y, each=each)
    monkeypatch.setattr(scatter, "_BLOCK", 1)  # 1,024 rows
    for narrow in (256, 5):
        monkeypatch.setattr(scatter, "_NARROW", narrow)
        for rows in (X, np.asfortranarray(X), sp.csr_matrix(X)):
            for one, two in zip(learned(rows, y, each=each)[:5], whole[:5], strict=True):
                np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
