"""Learn from corrupted matrices; run as a child process, which a crash would end.

    python corrupted_matrices.py 1500

prints how many uses ended in a model, and how many in an error.
"""

import sys
import warnings

import numpy as np
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rosenblatt import AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron

warnings.simplefilter("ignore")
ALL = [Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron]
counts = {"rejected": 0, "learned": 0}
WILD = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([-(2**31), 2**31 - 1, -(2**63), 2**63 - 1, 2**32, 1000, -1000]),
)
FORMATS = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "bsr": sp.bsr_matrix, "coo": sp.coo_matrix}


@st.composite
def corrupted(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    name = draw(st.sampled_from(["csr", "csr", "csr", "csc", "bsr", "coo"]))
    X = FORMATS[name](rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7))
    parts = ["row", "col", "data"] if name == "coo" else ["indptr", "indices", "data"]
    index = draw(st.sampled_from([np.int32, np.int64]))
    for part in parts[:2] if name != "coo" else []:
        setattr(X, part, getattr(X, part).astype(index))
    for _ in range(draw(st.integers(0, 3))):
        part = draw(st.sampled_from(parts))
        array = getattr(X, part).copy()
        how = draw(st.sampled_from(["set", "cut", "grow", "value"]))
        if how == "set" and array.size and array.dtype.kind == "i":
            info = np.iinfo(array.dtype)
            value = draw(WILD)
            array[draw(st.integers(0, len(array) - 1))] = min(max(value, info.min), info.max)
        elif how == "cut":
            array = array[: draw(st.integers(0, len(array)))]
        elif how == "grow":
            array = np.concatenate([array, array[:2]])
        elif array.size and array.dtype.kind == "f":
            array.flat[draw(st.integers(0, array.size - 1))] = draw(
                st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e308])
            )
        if name == "coo" and part != "data":
            X.coords = (array, X.col) if part == "row" else (X.row, array)
        else:
            setattr(X, part, array)
    y = rng.integers(draw(st.integers(2, 4)), size=n)
    return X, y


@st.composite
def corrupted_lists(draw):
    """Formats that Python code keeps: lists, diagonals, a dictionary, float coordinates."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 6)), draw(st.integers(2, 6))
    A = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.7)
    lists, diagonals = ["lengths", "columns", "shape"], ["lines", "offsets"]
    how = draw(st.sampled_from([*lists, *diagonals, "keys", "float"]))
    value = draw(WILD)
    if how in lists:
        X = sp.lil_matrix(A)
        if how == "lengths":
            X.data[0] = [1.0] * draw(st.integers(0, 100_000))
        elif how == "columns":
            X.rows[0], X.data[0] = [min(max(value, -(2**31)), 2**31 - 1)], [1.0]
        else:
            X.rows, X.data = (np.concatenate([part] * 3) for part in (X.rows, X.data))
    elif how in diagonals:
        X = sp.dia_matrix(A)
        if how == "lines":
            X.data = X.data[: draw(st.integers(0, len(X.data)))]
        else:
            X.offsets = np.full(draw(st.integers(0, 1000)), min(max(value, -(2**31)), 2**31 - 1))
    elif how == "keys":
        X = sp.dok_matrix(A)
        X._dict[(min(max(value, -(2**31)), 2**31 - 1), 0)] = 1.0
    else:
        X = sp.coo_matrix(A)
        X.coords = (X.row * 0.0 + draw(st.sampled_from([-1e6, 0.5, np.nan, 1e18])), X.col)
    return X, np.arange(n) % 2


@given(st.one_of(corrupted(), corrupted(), corrupted_lists()), st.sampled_from(ALL))
def try_one(case, estimator):
    X, y = case
    fitted = estimator(max_iter=2, tol=None).fit(np.eye(6)[:, : X.shape[1]], [0, 1, 0, 1, 0, 1])
    for use in (lambda: estimator(max_iter=2, tol=None).fit(X, y), lambda: fitted.predict(X)):
        try:
            use()
            counts["learned"] += 1
        except ValueError as error:
            counts["rejected"] += bool(str(error))  # an error must say something


if __name__ == "__main__":
    settings(
        max_examples=int(sys.argv[1]),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )(try_one)()
    print(counts["learned"], counts["rejected"])
