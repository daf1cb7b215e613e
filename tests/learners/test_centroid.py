"""Centroids, medians, most frequent values and the path of thresholds, against the references."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import reference
from rosenblatt.data.rows import as_rows, take
from rosenblatt.learners import blocks
from rosenblatt.learners.closed_form import centroid, value_tables
from rosenblatt.learners.closed_form import centroid as path
from rosenblatt.learners.closed_form.planes import linear_scores
from tests.conftest import LAYOUTS, first_quick, rounding, whole_numbers

K = 3
EQUAL = np.ones(K) / K


def moments_of(X, y, n_classes=K):
    return centroid.update(centroid.init(X.shape[1], n_classes), as_rows(X), y)


def table_of(X, y, weights=None, n_classes=K):
    return value_tables.update(value_tables.init(X.shape[1], n_classes), as_rows(X), y, weights)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_halved_distances(layout, dtype, monkeypatch):
    monkeypatch.setattr(blocks, "_BLOCK", 64)
    X, y = whole_numbers(seed=1, n_classes=K)
    planes = centroid.plain(moments_of(X, y), EQUAL)
    scores = linear_scores(*planes, as_rows(LAYOUTS[layout](X.astype(dtype))))
    squares = reference.distances(X, reference.centroids(X, y))
    to_mean = ((X - X.mean(axis=0)) ** 2).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(scores, (to_mean - squares) / 2, atol=1e-12)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
def test_shrunken_centroids_are_those_of_the_reference(threshold):
    X, y = rounding(seed=2, n_classes=K)
    state = moments_of(X, y)
    shrunk = centroid.standard(state).shrink(threshold)
    points, scale = reference.shrunken(X, y, threshold)
    np.testing.assert_allclose(shrunk.centroids(), points)
    np.testing.assert_allclose(shrunk.scale, scale)
    priors = np.array([0.5, 0.3, 0.2])
    planes = centroid.shrunken(shrunk, priors, np.full(K, True))
    expected = -reference.shrunken_distances(X, points, scale, priors) / 2
    scores = linear_scores(*planes, as_rows(X))
    np.testing.assert_allclose(scores - scores[:, :1], expected - expected[:, :1], atol=1e-10)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("metric", ["manhattan", "hamming"])
def test_values_and_distances_are_those_of_the_reference(layout, dtype, metric):
    X, y = whole_numbers(seed=3, n_classes=K, n=121)
    state = table_of(LAYOUTS[layout](X.astype(dtype)), y)
    points = value_tables.medians(state) if metric == "manhattan" else value_tables.modes(state)
    expected = getattr(reference, "medians" if metric == "manhattan" else "modes")(X, y)
    np.testing.assert_array_equal(points, expected)
    rows = as_rows(LAYOUTS[layout](X.astype(dtype)))
    far = value_tables.distances(rows, points, metric == "hamming")
    share = X.shape[1] if metric == "hamming" else 1
    np.testing.assert_allclose(far / share, reference.distances(X, expected, metric))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_median_of_measurements(kind):
    X, y = rounding(seed=4, n_classes=K, n=90)
    np.testing.assert_array_equal(
        value_tables.medians(table_of(kind(X), y)), reference.medians(X, y)
    )


@given(st.integers(0, 10**6), st.integers(1, 59), st.booleans())
@pytest.mark.slow
def test_tables_of_halves_merge_to_the_whole(seed, cut, sparse):
    X, y = whole_numbers(seed=seed, n=60, d=4, n_classes=K)
    weights = np.random.default_rng(seed).integers(1, 4, 60).astype(float)
    view = as_rows(sp.csr_matrix(X) if sparse else X)
    whole = value_tables.update(value_tables.init(4, K), view, y, weights)
    halves = [
        value_tables.update(value_tables.init(4, K), take(view, part), y[part], weights[part])
        for part in (np.arange(cut), np.arange(cut, 60))
    ]
    for a, b in zip(value_tables.merge(halves), whole, strict=True):
        np.testing.assert_array_equal(a, b)
    times = weights.astype(int)
    repeated = X.repeat(times, axis=0), y.repeat(times)
    np.testing.assert_array_equal(value_tables.medians(whole), reference.medians(*repeated))
    np.testing.assert_array_equal(value_tables.modes(whole), reference.modes(*repeated))
    doubled = value_tables.merge([whole], [2.0])
    np.testing.assert_array_equal(doubled.counts, 2 * whole.counts)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("weight", [1.0, 0.1, 0.3, 0.7])
@pytest.mark.parametrize("n", [4, 1000, 100_000])
def test_the_last_bit_of_a_weight_moves_no_median(kind, weight, n):
    for X in (np.arange(n) % 4 - 1.0, np.arange(n) - 1.0):
        state = table_of(kind(X[:, None]), np.zeros(n, int), np.full(n, weight), 1)
        assert value_tables.medians(state) == np.median(X)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("pair", [(1.0, 2.0), (0.0, 1.0), (-1.0, 0.0), (-2.0, -1.0)])
def test_the_last_bit_of_a_weight_decides_no_tie(kind, pair):
    X, y = kind(np.repeat(pair, 3)[:, None]), np.zeros(6, int)
    weights = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1])
    assert weights[:3].cumsum()[-1] != weights[3:].cumsum()[-1]
    for w in (weights, np.roll(weights, 3)):
        assert value_tables.modes(table_of(X, y, w, 1)) == pair[0]
    weights[5] += 1e-6  # more than rounding
    assert value_tables.modes(table_of(X, y, weights, 1)) == pair[1]


def test_tables_are_rounded():
    X, y = rounding(seed=8, n_classes=K, n=90)
    X[:, 0] = np.where(y == 1, 1e-60, 0.1 + 1e-12 * np.arange(90))
    state = value_tables.rounded(table_of(X, y), np.float32)
    for a, b in zip(state, table_of(X.astype(np.float32), y), strict=True):
        np.testing.assert_array_equal(a, b)


def test_tables_grow():
    X, y = whole_numbers(seed=5, n_classes=K)
    kept = y != 1
    state = value_tables.grow(table_of(X[kept], y[kept] // 2, n_classes=2), np.array([0, 2]), K)
    state = value_tables.update(state, as_rows(X[~kept]), y[~kept])
    for a, b in zip(state, table_of(X, y), strict=True):
        np.testing.assert_array_equal(a, b)


def slow_path(X, y, weights, fold, thresholds, priors):
    """The share of errors at each threshold, one fit and one prediction for each fold."""
    wrong = np.zeros(len(thresholds))
    for f in np.unique(fold):
        train, test = fold != f, fold == f
        state = centroid.init(X.shape[1], y.max() + 1)
        state = centroid.update(state, as_rows(X[train]), y[train], weights[train])
        chances = state.weight / state.weight.sum() if priors is None else priors
        for t, threshold in enumerate(thresholds):
            shrunk = centroid.standard(state).shrink(threshold)
            scores = linear_scores(
                *centroid.shrunken(shrunk, chances, state.weight > 0), as_rows(X[test])
            )
            chosen = scores >= 0 if scores.ndim == 1 else scores.argmax(axis=1)
            wrong[t] += weights[test][chosen != y[test]].sum()
    return wrong / weights.sum()


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("own_priors", [True, False])
@pytest.mark.parametrize("n_folds", first_quick([2, 5], 1))
def test_the_path_is_one_fit_for_each_fold_and_threshold(
    kind, n_classes, own_priors, n_folds, monkeypatch
):
    monkeypatch.setattr(blocks, "_BLOCK", 256)
    X, y = rounding(seed=6, n_classes=n_classes, n=157, d=11)
    weights = np.random.default_rng(0).integers(1, 4, 157).astype(float)
    fold = np.arange(157) % n_folds
    priors = None if own_priors else np.arange(1.0, n_classes + 1) / sum(range(n_classes + 1))
    whole, found = path.cross_validate(
        centroid.init(11, n_classes), as_rows(kind(X)), y, weights, path.Folds(fold, n_folds),
        25, priors,
    )  # fmt: skip
    assert found.thresholds[0] == 0
    np.testing.assert_allclose(
        found.errors, slow_path(X, y, weights, fold, found.thresholds, priors)
    )
    once = centroid.update(centroid.init(11, n_classes), as_rows(X), y, weights)
    for a, b in zip(whole, once, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)
    left = [
        np.count_nonzero(centroid.standard(once).shrink(t).deviations.any(axis=0))
        for t in found.thresholds[:-1]
    ]
    assert found.n_features[:-1].tolist() == left
    assert found.n_features[-1] == 0


def test_thresholds_may_come_in_any_order():
    X, y = rounding(seed=7, n_classes=K)
    fold = path.Folds(np.arange(len(y)) % 3, 3)
    given = np.array([1.0, 0.0, 3.0, 0.5])
    args = centroid.init(X.shape[1], K), as_rows(X), y, None, fold
    _, mixed = path.cross_validate(*args, given, EQUAL)
    _, sorted_ = path.cross_validate(*args, np.sort(given), EQUAL)
    np.testing.assert_array_equal(mixed.errors[np.argsort(given)], sorted_.errors)
    assert mixed.thresholds.tolist() == given.tolist()
