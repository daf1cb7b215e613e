"""Row views share memory; broken matrices are turned away before compiled code sees them."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.rows import (
    Dense,
    Sparse,
    as_matrix,
    as_rows,
    check_finite,
    check_sparse,
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


def broken(**parts):
    """A CSR matrix with some of its arrays replaced behind SciPy's back."""
    matrix = sp.csr_matrix(X)
    for name, value in parts.items():
        setattr(matrix, name, np.array(value))
    return matrix


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (broken(indices=[1, 2, 0, 0, 1, 7]), r"X.indices has 7 at position 5 \(row 3\).*0…2"),
        (broken(indices=[1, -2, 0, 0, 1, 2]), r"X.indices has -2 at position 1 \(row 0\)"),
        (broken(indices=[1, 2**40, 0, 0, 1, 2]), r"X.indices has 1099511627776 at position 1"),
        (broken(indptr=[0, 3, 2, 3, 6]), r"X.indptr decreases from 3 to 2 at position 2"),
        (broken(indptr=[0, 2, 3, 3, 60]), r"X.indptr ends at 60, but only 6 values are stored"),
        (broken(indptr=[1, 2, 3, 3, 6]), r"X.indptr must start at 0, got 1"),
        (broken(indptr=[0, 2, 6]), r"X.indptr has 3 entries.* needs 5"),
        (broken(indices=[0.5] * 6), r"X.indices must be a vector of integers"),
        (broken(data=[1.0, 2.0]), r"only 2 values are stored"),
    ],
)
def test_broken_csr(matrix, message):
    with pytest.raises(ValueError, match=message):
        check_sparse(matrix)


def test_broken_csc_names_the_column():
    matrix = sp.csc_matrix(X)
    matrix.indices[0] = 9
    with pytest.raises(ValueError, match=r"X.indices has 9 at position 0 \(column 0\).*0…3"):
        check_sparse(matrix)


def test_broken_coo():
    matrix = sp.coo_matrix(X)
    matrix.col[0] = 5
    with pytest.raises(ValueError, match=r"X.col has 5 at position 0"):
        check_sparse(matrix)


def test_broken_bsr():
    matrix = sp.bsr_matrix(X, blocksize=(2, 3))
    matrix.indices[0] = 1
    with pytest.raises(ValueError, match=r"X.indices has 1 at position 0"):
        check_sparse(matrix)


def test_sound_matrices_pass():
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.bsr_matrix, sp.lil_matrix):
        check_sparse(kind(X))
    check_sparse(sp.csr_matrix((3, 0)))


def test_values_and_places_of_what_is_not_finite():
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN at row 3, column 1 \('width'\)"):
        check_finite(bad, ["height", "width", "depth"])
    bad[3, 1] = -np.inf
    with pytest.raises(ValueError, match=r"contains infinity \(inf\) at row 3, column 1"):
        check_finite(sp.csr_matrix(bad))


def test_large_values_are_not_taken_for_infinity():
    check_finite(np.full((4, 4), np.finfo(float).max))
    check_finite(np.full((4, 4), np.finfo(np.float32).max, np.float32))
