"""Row views share memory with the data."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.rows import (
    Dense,
    Sparse,
    as_matrix,
    as_rows,
    entries,
    n_rows,
    stack,
    take,
)

X = np.array([[0.0, 1, 2], [3, 0, 0], [0, 0, 0], [4, 5, 6]])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_view_is_no_copy(order, dtype):
    data = np.array(X, dtype, order=order)
    rows = as_rows(data)
    assert np.shares_memory(rows.values, data)
    assert not rows.values.flags.writeable
    assert data.flags.writeable


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_view_is_no_copy(kind, index, dtype):
    data = kind(X.astype(dtype))
    data.indices, data.indptr = data.indices.astype(index), data.indptr.astype(index)
    rows = as_rows(data)
    for part, source in zip(rows, (data.indptr, data.indices, data.data), strict=True):
        assert np.shares_memory(part, source)
    assert (n_rows(rows), entries(rows)) == (4, 6)
    np.testing.assert_array_equal(as_matrix(rows, 3).toarray(), X)


def test_index_types_are_matched():
    data = sp.csr_matrix(X)
    data.indptr = data.indptr.astype(np.int64)
    rows = as_rows(data)
    assert rows.indptr.dtype == rows.indices.dtype == np.int32


@pytest.mark.parametrize("make", [np.array, sp.csr_matrix])
def test_take_and_stack(make):
    rows = as_rows(make(X))
    taken = take(rows, np.array([3, 1, 3]))
    both = stack(taken, take(rows, np.array([0])), 3)
    result = as_matrix(both, 3)
    result = result.toarray() if sp.issparse(result) else result
    np.testing.assert_array_equal(result, X[[3, 1, 3, 0]])


def test_stack_keeps_the_kind_of_the_first():
    dense, sparse = as_rows(X), as_rows(sp.csr_matrix(X))
    assert isinstance(stack(dense, sparse, 3), Dense)
    assert isinstance(stack(sparse, dense, 3), Sparse)
    np.testing.assert_array_equal(stack(dense, sparse, 3).values, np.vstack([X, X]))
