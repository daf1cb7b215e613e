"""S3: the canonical form, both ways without loss."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.geometry import augment, join_weights, split_weights

FLOATS = st.floats(-1e6, 1e6)


@given(arrays(float, (3, 4), elements=FLOATS), arrays(float, 3, elements=FLOATS))
def test_weights_there_and_back(W, b):
    back, intercept = split_weights(join_weights(W, b))
    np.testing.assert_array_equal(back, W)
    np.testing.assert_array_equal(intercept, b)
    np.testing.assert_array_equal(join_weights(W, beta=-b), join_weights(W, b))
    np.testing.assert_array_equal(split_weights(join_weights(W, beta=b), beta=True)[1], b)


def test_scores_are_one_dot_product():
    X, w, b = np.array([[1.0, 4], [4, 2]]), np.array([2.0, 1]), -5.5
    np.testing.assert_allclose(augment(X) @ join_weights(w, b), X @ w + b)


@pytest.mark.parametrize("kind", [sp.csr_matrix, sp.csr_array, sp.csc_matrix])
def test_sparse_rows(kind):
    X = np.array([[0.0, 4], [4, 0]], np.float32)
    result = augment(kind(X))
    assert result.format == "csr"
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result.toarray(), augment(X))
