"""Broken matrices are turned away before compiled code sees them."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.checks import check_finite, check_sparse

X = np.array([[0.0, 1, 2], [3, 0, 0], [0, 0, 0], [4, 5, 6]])


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


def test_broken_lists():
    matrix = sp.lil_matrix(X)
    matrix.data[0] = [1.0] * 1000
    with pytest.raises(ValueError, match="row 0 of X has 2 columns but 1000 values"):
        check_sparse(matrix)
    matrix = sp.lil_matrix(X)
    matrix.rows[1] = [-7]
    with pytest.raises(ValueError, match=r"X.rows\[1\] has -7 at position 0"):
        check_sparse(matrix)
    matrix = sp.lil_matrix(X)
    matrix.rows = np.concatenate([matrix.rows] * 3)
    with pytest.raises(ValueError, match=r"X.rows must be 4 lists, got object of shape"):
        check_sparse(matrix)


def test_broken_diagonals():
    matrix = sp.dia_matrix(X)
    matrix.data = matrix.data[:1]
    with pytest.raises(ValueError, match=r"X.data must have a line for each of"):
        check_sparse(matrix)
    matrix = sp.dia_matrix(X)
    matrix.offsets = np.zeros(len(matrix.data), np.int32)
    with pytest.raises(ValueError, match="names a diagonal twice"):
        check_sparse(matrix)


@pytest.mark.parametrize("value", [-1e6, 0.5, np.nan])
def test_coordinates_that_are_no_integers(value):
    matrix = sp.coo_matrix(X)
    matrix.coords = (matrix.row * 0 + value, matrix.col)
    with pytest.raises(ValueError, match=r"X.row must be a vector of integers"):
        check_sparse(matrix)


@pytest.mark.parametrize("data", [np.ones((6, 1)), np.array(1.0), [1.0] * 6])
def test_values_that_are_no_vector(data):
    matrix = sp.csr_matrix(X)
    matrix.data = data
    with pytest.raises(ValueError, match=r"X.data must be a vector of numbers"):
        check_sparse(matrix)


def test_sound_matrices_pass():
    kinds = "csr", "csc", "coo", "bsr", "lil", "dia", "dok"
    for kind in kinds:
        for make in (getattr(sp, f"{kind}_matrix"), getattr(sp, f"{kind}_array")):
            check_sparse(make(X))
    check_sparse(sp.csr_matrix((3, 0)))


def test_values_and_places_of_what_is_not_finite():
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"contains NaN at row 3, column 1 \('width'\)"):
        check_finite(bad, ["height", "width", "depth"])
    bad[3, 1] = -np.inf
    with pytest.raises(ValueError, match=r"contains minus infinity \(-inf\) at row 3, column 1"):
        check_finite(sp.csr_matrix(bad))
    bad[3, 1] = np.inf
    with pytest.raises(ValueError, match=r"contains infinity \(inf\) at row 3, column 1"):
        check_finite(bad.astype(np.float32))


def test_large_values_are_not_taken_for_infinity():
    check_finite(np.full((4, 4), np.finfo(float).max))
    check_finite(np.full((4, 4), np.finfo(np.float32).max, np.float32))
