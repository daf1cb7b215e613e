"""What kernel values are made of: products, distances and powers are those of NumPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from rosenblatt.data.rows import Dense, Sparse, as_rows
from rosenblatt.kernels import kernel_values as loops
from rosenblatt.kernels.simd.strips import BYTES, VECTORS, sparse_products
from tests.conftest import csr, first_quick

TYPES = [np.float32, np.float64]


def sparse(seed, n, d, dtype, index=np.int32, density=0.3):
    """Rows of small integers, some of them empty, dense and sparse."""
    rng = np.random.default_rng(seed)
    X = (rng.integers(-3, 4, size=(n, d)) * (rng.random((n, d)) < density)).astype(dtype)
    X[::5] = 0
    return X, csr(X, index)


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("index", first_quick([np.int32, np.int64], 1))
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 30), (33, 7), (100, 300)])
def test_products_of_sparse_rows_with_a_strip(n, d, dtype, index, groups):
    X, matrix = sparse(n * d, n, d, dtype, index)
    width = groups * VECTORS * BYTES // np.dtype(dtype).itemsize
    table = np.random.default_rng(0).integers(-3, 4, size=(d, width)).astype(dtype)
    out = np.full((n, width), np.nan, dtype)
    sparse_products(Sparse(matrix.indptr, matrix.indices, matrix.data), table, out)
    np.testing.assert_array_equal(out, X @ table)


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_some_rows_write_nothing_beside(dtype):
    X, matrix = sparse(1, 40, 9, dtype, density=0.8)
    width = VECTORS * BYTES // np.dtype(dtype).itemsize
    table = np.random.default_rng(1).integers(-3, 4, size=(9, width)).astype(dtype)
    room = np.full((13, width), 7, dtype)
    some = Sparse(matrix.indptr[20:32], matrix.indices, matrix.data)
    sparse_products(some, table, room[1:-1])
    np.testing.assert_array_equal(room[1:-1], X[20:31] @ table)
    assert np.all(room[[0, -1]] == 7)


@pytest.mark.parametrize("dtype", TYPES)
def test_products_that_round_are_as_good_as_those_of_numpy(dtype):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((50, 400)).astype(dtype)
    matrix = sp.csr_matrix(X)
    table = rng.standard_normal((400, 128)).astype(dtype)
    out = np.empty((50, 128), dtype)
    sparse_products(Sparse(matrix.indptr, matrix.indices, matrix.data), table, out)
    exact = X.astype(float) @ table.astype(float)
    scale = np.abs(X).astype(float) @ np.abs(table).astype(float)
    assert np.max(np.abs(out - exact) / scale) < 30 * np.finfo(dtype).eps


@pytest.mark.parametrize("index", first_quick([np.int32, np.int64], 1))
@pytest.mark.parametrize("dtype", TYPES)
def test_distances_of_sparse_rows(dtype, index):
    X, matrix = sparse(3, 30, 12, dtype, index)
    Z = np.random.default_rng(3).integers(-3, 4, size=(20, 12)).astype(dtype)
    table, out = np.ascontiguousarray(Z.T), np.empty((30, 20), dtype)
    rows = Sparse(matrix.indptr, matrix.indices, matrix.data)
    loops.manhattan(rows, table, np.abs(table).sum(axis=0), out)
    np.testing.assert_array_equal(out, cdist(X, Z, "cityblock"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("degree", range(1, 12))
def test_powers_by_squaring(degree, dtype):
    products = np.arange(-3, 5).reshape(2, 4).astype(dtype)
    expected = (2.0 * products.astype(float) - 1.0) ** degree
    loops.power(products, dtype(2), dtype(-1), degree)
    np.testing.assert_allclose(products, expected, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_table_is_filled_and_cleared_again(dtype):
    X, matrix = sparse(4, 25, 6, dtype)
    table, rows = np.zeros((6, 8), dtype), np.array([3, 24, 0, 7, 7])
    loops.fill_table(as_rows(matrix), rows, table)
    np.testing.assert_array_equal(table[:, :5], X[rows].T)
    assert not table[:, 5:].any()
    assert table.any()
    loops.clear_table(as_rows(matrix), rows, table)
    assert not table.any()


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_are_written_without_their_zeros(dtype):
    X, matrix = sparse(5, 25, 6, dtype)
    counts = np.empty(25, np.int64)
    loops.count_nonzeros(Dense(X), counts)
    np.testing.assert_array_equal(counts, np.diff(matrix.indptr))
    indices, stored = np.full(matrix.nnz, -1, np.int32), np.full(matrix.nnz, np.nan, dtype)
    for first, last in ((10, 25), (0, 10)):
        loops.compress(Dense(X), matrix.indptr, first, last, indices, stored)
    np.testing.assert_array_equal(indices, matrix.indices)
    np.testing.assert_array_equal(stored, matrix.data)
