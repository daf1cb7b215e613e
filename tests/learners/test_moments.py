"""Sums over classes: dense = CSR = reference = pieces, far from the origin too."""

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import reference
from rosenblatt.data.rows import as_rows, n_rows, take
from rosenblatt.learners import blocks
from rosenblatt.learners.closed_form import moments, naive_bayes
from tests.conftest import LAYOUTS, whole_numbers

K = 3


def plain(X, y, n_classes=K):
    """Weights, means and spread in a line of NumPy each."""
    means = np.array([X[y == k].mean(axis=0) for k in range(n_classes)])
    return np.bincount(y, minlength=n_classes), means, ((X - means[y]) ** 2).sum(axis=0)


def state_of(X, y, weights=None, n_classes=K):
    return moments.update(moments.init(X.shape[1], n_classes), as_rows(X), y, weights)


def assert_same(state, other, rtol=1e-12, atol=1e-12):
    for a, b in zip(state, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks, so that they are shared out to threads and merged."""
    monkeypatch.setattr(blocks, "_BLOCK", 32)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_moments_are_those_of_the_reference(layout, dtype, small_blocks):
    X, y = whole_numbers(seed=1, n_classes=K, n=400)
    state = state_of(LAYOUTS[layout](X.astype(dtype)), y)
    assert_same(state, plain(X, y))
    np.testing.assert_allclose(state.mean, reference.centroids(X, y))
    assert {array.dtype for array in state} == {np.dtype(np.float64)}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("binarize", [None, 1.0])
def test_counts_are_sums(layout, binarize, small_blocks):
    X, y = whole_numbers(seed=2, n_classes=K, n=400)
    weights = np.arange(400) % 4 + 1.0
    state = naive_bayes.init(X.shape[1], K, binarize=binarize)
    state = naive_bayes.update(state, as_rows(LAYOUTS[layout](X)), y, weights)
    shown = X if binarize is None else (binarize < X)
    expected = [(weights[y == k] @ shown[y == k]) for k in range(K)]
    np.testing.assert_array_equal(state.sums, expected)
    np.testing.assert_array_equal(state.weight, np.bincount(y, weights))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_far_from_the_origin_no_digit_is_lost(kind, small_blocks):
    rng = np.random.default_rng(0)
    y = rng.integers(K, size=600)
    noise = rng.integers(-8, 9, size=(600, 4)) / 4.0
    X = noise + 1e9 * (1 + y[:, None])  # exact in float64
    state = state_of(kind(X), y)
    np.testing.assert_allclose(state.spread, plain(noise, y)[2], rtol=1e-6)
    offsets = 1e9 * (1 + np.arange(K))[:, None]
    np.testing.assert_allclose(state.mean - offsets, plain(noise, y)[1], atol=1e-6)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("pieces", [1, 7])
def test_a_constant_feature_has_no_deviation(kind, pieces):
    X = np.full((1000, 2), 0.1)
    X[:, 1] = np.arange(1000)
    y = np.arange(1000) % K
    state = moments.init(2, K)
    for part in np.array_split(np.arange(1000), pieces):
        state = moments.update(state, as_rows(kind(X[part])), y[part])
    deviation = moments.deviation(state, 997)
    assert deviation[0] == 0
    assert deviation[1] > 200


def test_sparse_zeros_count():
    X = sp.csr_matrix(np.array([[0.0, 5], [0, 0], [3, 0], [3, 0], [3, 0]]))
    y = np.array([0, 0, 1, 1, 1])
    assert_same(state_of(X, y, n_classes=2), plain(X.toarray(), y, 2))


@given(st.integers(0, 10**6), st.integers(1, 59), st.booleans())
def test_halves_merge_to_the_whole(seed, cut, sparse):
    X, y = whole_numbers(seed=seed, n=60, d=4, n_classes=K)
    weights = np.random.default_rng(seed).random(60) + 0.1
    view = as_rows(sp.csr_matrix(X) if sparse else X)
    whole = moments.update(moments.init(4, K), view, y, weights)
    halves = [
        moments.update(moments.init(4, K), take(view, part), y[part], weights[part])
        for part in (np.arange(cut), np.arange(cut, 60))
    ]
    assert_same(moments.merge(halves), whole)
    assert_same(moments.merge(halves[::-1]), whole)
    doubled = moments.merge([whole], [2.0])
    assert_same(doubled, moments.update(moments.init(4, K), view, y, 2 * weights))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_are_repetitions(layout):
    X, y = whole_numbers(seed=3, n_classes=K)
    times = np.arange(len(y)) % 3 + 1
    repeated = state_of(X.repeat(times, axis=0), y.repeat(times))
    assert_same(state_of(LAYOUTS[layout](X), y, times.astype(float)), repeated)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_folds_in_one_pass(kind, small_blocks):
    X, y = whole_numbers(seed=4, n=300, n_classes=K)
    fold = np.arange(300) % 5
    states = moments.by_fold(as_rows(kind(X)), y, K, X.shape[1], None, fold, 5)
    for f in range(5):
        state = moments.State(*(array[f] for array in states))
        assert_same(state, plain(X[fold == f], y[fold == f]))


def test_classes_grow():
    X, y = whole_numbers(seed=5, n_classes=K)
    kept = y != 1
    state = state_of(X[kept], y[kept] // 2, n_classes=2)
    state = moments.grow(state, np.array([0, 2]), K)
    state = moments.update(state, as_rows(X[~kept]), y[~kept])
    assert_same(state, plain(X, y))


def test_blocks_cover_all_rows_once(small_blocks):
    X = sp.random(200, 30, 0.1, format="csr", random_state=0).toarray()
    X[50:120] = 0
    for rows in (as_rows(sp.csr_matrix(X)), as_rows(X)):
        parts = list(blocks.each_block(rows, lambda rows, where: (n_rows(rows), where)))
        assert len(parts) > 3
        assert [n for n, _ in parts] == [where.stop - where.start for _, where in parts]
        covered = np.concatenate([np.arange(where.start, where.stop) for _, where in parts])
        np.testing.assert_array_equal(covered, np.arange(200))


def test_squares_that_overflow_are_an_error():
    with pytest.raises(ValueError, match="the squares of X are too large for float64"):
        state_of(np.array([[1e200], [-1e200], [0.0]]), np.array([0, 0, 1]))


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_makes_threads_of_its_own(small_blocks):
    X, y = whole_numbers(seed=6, n=400, n_classes=K)
    expected = state_of(X, y)
    with multiprocessing.get_context("fork").Pool(1) as workers:
        found = workers.apply_async(state_of, (X, y)).get(timeout=60)
    assert_same(found, expected, rtol=0, atol=0)


AFTER_THE_END = """
import threading, time
from concurrent.futures import thread
import numpy as np
from rosenblatt import NearestCentroid
from rosenblatt.learners import blocks
from rosenblatt.learners.closed_form import value_tables

X, y = np.arange(4000.0).reshape(400, 10) % 7, np.arange(400) % 2
blocks._BLOCK, value_tables._SOME = 64, 256

def fit():
    while not thread._shutdown:
        time.sleep(0.01)
    for metric in ("euclidean", "manhattan"):
        print(len(NearestCentroid(metric).fit(X, y).predict(X)))
    try:
        blocks.in_background(int, "x").result()
    except ValueError as error:
        print(error)

threading.Thread(target=fit).start()
"""


@pytest.mark.slow
def test_a_thread_that_outlives_the_script_learns_without_others():
    run = [sys.executable, "-c", AFTER_THE_END]
    ended = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert not ended.stderr
    assert ended.stdout.split("\n")[:2] == ["400", "400"]
    assert "invalid literal" in ended.stdout


def test_in_turn_keeps_the_order_and_passes_errors_on():
    assert list(blocks.in_turn(pow, [2, 3, 4], [3, 2, 1])) == [8, 9, 4]
    assert blocks.in_background(pow, 2, 5).result() == 32
    with pytest.raises(ValueError, match="invalid literal"):
        list(blocks.in_turn(int, ["1", "x", "2"]))
