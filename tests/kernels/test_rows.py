"""Row access: every layout gives the same numbers, with and without gather instructions."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.rows import as_rows
from rosenblatt.learners import perceptron


def lengths():
    """Rows of 0, 1, 2, … numbers: every length that eight lanes can leave a rest of."""
    rng = np.random.default_rng(0)
    X = np.zeros((40, 64))
    for i in range(40):
        X[i, rng.choice(64, size=i, replace=False)] = rng.integers(1, 9, size=i)
    return X


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_every_length(dtype, index):
    X = lengths().astype(dtype)
    matrix = sp.csr_matrix(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    start = perceptron.init(64, dtype=dtype, fit_intercept=False)
    start.weights[0] = np.arange(64) - 30
    scores = X @ start.weights[0]
    # A label against the score's sign makes a mistake of each row that has one; so visit one each.
    for i in range(40):
        weights = start.weights.copy()
        state = start._replace(weights=weights)
        y = np.full(40, -np.sign(scores[i]) or 1, dtype)
        state = perceptron.update(state, as_rows(matrix), y, np.array([i], np.int32))
        assert state.updates == 1
        np.testing.assert_array_equal(state.weights[0], start.weights[0] + y[i] * X[i])
        right = start._replace(weights=start.weights.copy())
        agree = np.full(40, np.sign(scores[i]) or 1, dtype)
        right = perceptron.update(right, as_rows(matrix), agree, np.array([i], np.int32))
        assert right.updates == (scores[i] == 0)


@pytest.mark.slow
def test_processors_without_gather_learn_the_same():
    code = (
        "import numpy as np, scipy.sparse as sp; from rosenblatt import Perceptron;"
        "from rosenblatt.kernels.simd.gather import has_gather;"
        "rng = np.random.default_rng(0); y = rng.integers(2, size=500);"
        "X = sp.csr_matrix(rng.integers(1, 9, (500, 80)) * (rng.random((500, 80)) < 0.2) * 1.0);"
        "model = Perceptron(max_iter=3, tol=None).fit(X, y);"
        "print(has_gather(), model.coef_.tolist(), model.mistakes_.tolist())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split(" ", 1)
        for extra in ({}, {"NUMBA_CPU_NAME": "generic"})
    ]
    assert outputs[1][0] == "False"
    assert outputs[0][1] == outputs[1][1]
