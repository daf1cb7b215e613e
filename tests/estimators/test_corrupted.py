"""A thousand corrupted matrices, in a child process: an error or a model each, never a crash."""

import subprocess
import sys

CASES = 1200

CHILD = f"""
import warnings
import numpy as np
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings, strategies as st
from rosenblatt import AveragedPerceptron, Perceptron, VotedPerceptron, BatchPerceptron

warnings.simplefilter("ignore")
ALL = [Perceptron, AveragedPerceptron, VotedPerceptron, BatchPerceptron]
counts = {{"rejected": 0, "learned": 0}}
WILD = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([-(2**31), 2**31 - 1, -(2**63), 2**63 - 1, 2**32, 1000, -1000]),
)
FORMATS = {{"csr": sp.csr_matrix, "csc": sp.csc_matrix, "bsr": sp.bsr_matrix, "coo": sp.coo_matrix}}


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


@settings(max_examples={CASES}, deadline=None, derandomize=True, database=None,
          suppress_health_check=list(HealthCheck))
@given(corrupted(), st.sampled_from(ALL))
def try_one(case, estimator):
    X, y = case
    fitted = estimator(max_iter=2, tol=None).fit(np.eye(6)[:, : X.shape[1]], [0, 1, 0, 1, 0, 1])
    for use in (lambda: estimator(max_iter=2, tol=None).fit(X, y), lambda: fitted.predict(X)):
        try:
            use()
            counts["learned"] += 1
        except ValueError as error:
            assert str(error), "an error must say something"
            counts["rejected"] += 1


try_one()
print(counts["learned"], counts["rejected"])
"""


def test_no_corrupted_matrix_crashes():
    child = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=300
    )
    assert child.returncode == 0, child.stderr[-3000:]
    learned, rejected = map(int, child.stdout.split())
    assert learned + rejected >= 2 * CASES
    assert min(learned, rejected) > CASES // 10  # both kinds were tried
