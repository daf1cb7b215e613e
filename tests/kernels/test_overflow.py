"""Overflow is noticed in compiled loops."""

from pathlib import Path

import numba
import numpy as np
import pytest

from rosenblatt.data.rows import as_rows
from rosenblatt.kernels import compiler
from rosenblatt.kernels.jit import FASTMATH
from rosenblatt.kernels.online import perceptrons
from rosenblatt.kernels.overflow import finite
from rosenblatt.learners.online import no_sums


@numba.njit(fastmath=FASTMATH, _target=compiler.NAME)  # without a cache: it is of another package
def sum_is_finite(a, b):
    return finite(a + b)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_overflows_is_not_finite(dtype):
    big, inf = np.finfo(dtype).max, dtype(np.inf)
    for a, b in ((big, big), (-big, -big), (inf, -inf), (inf, dtype(1)), (dtype(np.nan), dtype(1))):
        assert not sum_is_finite(a, b)
    assert sum_is_finite(big, -big)


def test_no_loop_asks_numpy():
    """``np.isfinite`` is wrong where sums may be regrouped; see `kernels/overflow.py`."""
    folder = Path(perceptrons.__file__).parent
    assert [path.name for path in folder.glob("*.py") if "np.isfinite" in path.read_text()] == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", [[[1, 0]], [[1e3, -2e3]]])
def test_an_update_is_judged_before_it_is_made(dtype, values):
    rows, big = as_rows(np.array(values, dtype)), float(np.finfo(dtype).max)
    for start in (0.0, big, -big, big / 2):
        for step in (1.0, big / 3e3, -big / 3e3, big / 10):
            weights = np.full((1, 2), start, dtype)
            functions = perceptrons.Functions(weights, np.zeros(1, dtype), dtype(1), 0)
            sums = no_sums(weights)
            judged = perceptrons.one_fits(rows, 0, dtype(step), 0.0, functions, sums)
            assert (weights == dtype(start)).all()
            with np.errstate(over="ignore"):
                after = weights.astype(np.longdouble) + dtype(step) * rows.values.astype(
                    np.longdouble
                )
            assert judged == bool((abs(after) <= big).all())
