"""Kernel values in main memory are scikit-learn's, whatever rows lie side by side."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from rosenblatt.data.rows import Dense, as_rows
from rosenblatt.learners.kernel_perceptron import kernel_values_cpu
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE, Kernel
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import (
    HostGrams,
    as_sparse,
    mostly_zero,
)
from tests.conftest import first_quick, messy, rounding, whole_numbers

PAIRS = {
    "linear": (Kernel("linear"), linear_kernel),
    "poly": (
        Kernel("poly", degree=5, gamma=0.3, coef0=-0.5),
        lambda X, Z: polynomial_kernel(X, Z, degree=5, gamma=0.3, coef0=-0.5),
    ),
    "rbf": (Kernel("rbf", gamma=0.3), lambda X, Z: rbf_kernel(X, Z, gamma=0.3)),
    "laplacian": (Kernel("laplacian", gamma=0.3), lambda X, Z: laplacian_kernel(X, Z, gamma=0.3)),
    "callable": (
        Kernel(CALLABLE, function=lambda X, Z: 2 * linear_kernel(X, Z)),
        lambda X, Z: 2 * linear_kernel(X, Z),
    ),
}
KINDS = {
    "dense": np.asarray,
    "mostly zero": lambda X: X * (np.arange(X.shape[1]) < 1),
    "sparse": sp.csr_matrix,
}


@pytest.mark.parametrize("bias", [0.0, 1.0])
@pytest.mark.parametrize("kept_type", first_quick([np.float64, np.float32]))
@pytest.mark.parametrize("rows_type", first_quick([np.float64, np.float32]))
@pytest.mark.parametrize("kept_kind", KINDS)
@pytest.mark.parametrize("rows_kind", KINDS)
@pytest.mark.parametrize("kernel", PAIRS)
def test_values_of_rows_kept_and_new(kernel, rows_kind, kept_kind, rows_type, kept_type, bias):
    old = KINDS[kept_kind](rounding(1, n=30, d=9)[0].astype(kept_type))
    new = KINDS[rows_kind](rounding(2, n=300, d=9)[0].astype(rows_type))
    ours, theirs = PAIRS[kernel]
    grams = HostGrams(ours._replace(bias=bias), as_rows(new), as_rows(old), 9)
    ids = np.array([40, 3, 329, 3, 29, 30, 0])  # rows of both, in any order, and one twice
    old, new = (X.toarray() if sp.issparse(X) else X for X in (old, new))
    left = np.vstack([old, new])[ids].astype(float)
    for lanes in (np.arange(30, 330), np.array([329, 30, 31, 200]), np.array([77])):
        expected = theirs(left, new[lanes - 30].astype(float)) + bias
        result = grams.values(grams.take(ids), grams.lanes(lanes))
        few = rows_type == np.float32 or kept_type == np.float32
        np.testing.assert_allclose(result, expected, rtol=0, atol=2e-4 if few else 1e-10)
        rest = grams.values(grams.cut(grams.take(ids), 4), grams.lanes(lanes))
        np.testing.assert_allclose(rest, expected[4:], rtol=0, atol=2e-4 if few else 1e-10)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_no_value_is_far_above_that_of_a_row_with_itself(kernel, dtype, kind):
    X = KINDS[kind](rounding(3, n=100)[0].astype(dtype))
    grams = HostGrams(PAIRS[kernel][0]._replace(gamma=50.0), as_rows(X), as_rows(X[:0]), 9)
    values = grams.values(grams.take(np.arange(100)), grams.lanes(np.arange(100)))
    assert values.max() < 1.01
    np.testing.assert_allclose(np.diag(values), 1, rtol=1e-2 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("kernel", PAIRS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_very_many_features_of_which_each_row_has_few(kernel, dtype, monkeypatch):
    monkeypatch.setattr(kernel_values_cpu, "_WIDE", 100)
    X = sp.random(400, 3000, density=0.003, format="csr", random_state=0, dtype=dtype)
    ours, theirs = PAIRS[kernel]
    grams = HostGrams(ours, as_rows(X[50:]), as_rows(X[:50]), 3000)
    ids = np.arange(0, 400, 3)
    for lanes in (np.arange(50, 400), np.array([399, 57])):
        result = grams.values(grams.take(ids), grams.lanes(lanes))
        expected = theirs(X[ids].astype(float), X[lanes].astype(float))
        if sp.issparse(expected):
            expected = expected.toarray()
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_have_each_number_in_one_piece(dtype):
    X = whole_numbers(seed=4)[0].astype(dtype)
    clean = sp.csr_matrix(X)
    for rows in (as_rows(messy(X)), as_rows(X), as_rows(np.asfortranarray(X)), as_rows(clean)):
        indptr, indices, values = as_sparse(rows)
        np.testing.assert_array_equal(sp.csr_matrix((values, indices, indptr)).toarray(), X)
        assert all(np.all(np.diff(part) > 0) for part in np.split(indices, indptr[1:-1]))
        assert values.dtype == dtype


def test_rows_are_mostly_zero_if_three_quarters_are():
    X = np.zeros((2000, 8))
    X[:, :2] = 1
    assert not mostly_zero(as_rows(X))
    X[:1000, 0] = 0
    assert mostly_zero(as_rows(X))
    assert mostly_zero(as_rows(sp.csr_matrix(np.ones((2, 2)))))


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_one_large_feature_among_zeros_costs_no_digits(kernel, form):
    rng = np.random.default_rng(0)
    day, hot = 738_000 + rng.integers(0, 300, 200), np.eye(20)[rng.integers(20, size=200)]
    X = np.column_stack([day, hot]).astype(np.float32)
    pairwise = {"rbf": rbf_kernel, "laplacian": laplacian_kernel}[kernel]
    grams = HostGrams(Kernel(kernel, gamma=1e-3), as_rows(form(X)), Dense(X[:0]), 21)
    found = grams.values(grams.take(np.arange(50)), grams.lanes(np.arange(50, 200)))
    expected = pairwise(X[:50].astype(float), X[50:].astype(float), gamma=1e-3)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
