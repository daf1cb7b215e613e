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
    rows_to_visit,
    stack,
    take,
    usable,
)
from rosenblatt.kernels.signatures import key_of

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
        # Only indices that are wider than they need be are copied.
        assert np.shares_memory(part, source) == (source.dtype != np.int64)
    assert rows.indptr.dtype == rows.indices.dtype == np.int32
    assert (n_rows(rows), entries(rows)) == (4, 6)
    np.testing.assert_array_equal(as_matrix(rows, 3).toarray(), X)


def test_rows_to_visit_are_in_c_order():
    columns = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    rows = rows_to_visit(columns)
    assert rows.values.flags.c_contiguous
    np.testing.assert_array_equal(rows.values, columns)
    plain = np.ones((4, 3))
    assert np.shares_memory(rows_to_visit(plain).values, plain)
    sparse = sp.csr_matrix(X)
    assert np.shares_memory(rows_to_visit(sparse).values, sparse.data)


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


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_that_travelled_are_as_others(order):
    """Compiled loops tell arrays apart by whether they are aligned, and may be written to."""

    def unaligned(array):
        buffer = np.zeros(array.nbytes + 1, np.uint8)[1:]
        view = np.ndarray(array.shape, array.dtype, buffer, order=order)
        view[...] = array
        return view

    for rows in (as_rows(np.array(X, order=order)), as_rows(sp.csr_matrix(X))):
        moved = type(rows)(*map(unaligned, rows))
        assert not all(part.flags.aligned for part in moved)
        assert key_of(moved) != key_of(rows)
        assert key_of(usable(moved)) == key_of(rows)
        for mine, theirs in zip(usable(moved), rows, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert all(map(np.shares_memory, usable(rows), rows))
