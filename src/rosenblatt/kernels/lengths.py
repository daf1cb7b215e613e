"""The squared lengths of rows, which the steps of gradient descent depend on."""

from typing import Any

import numpy as np
from numba.extending import overload

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import exact_jit


def length(rows: Any, i: int) -> float:
    """Return ``‖x_i‖²``."""
    raise TypeError("for compiled code only")


@overload(length)
def _length(rows, i):
    if rows.instance_class is Dense:

        def dense(rows, i):
            total = 0.0
            for value in rows.values[i]:
                total += np.float64(value) * np.float64(value)
            return total

        return dense

    def sparse(rows, i):
        total = 0.0
        for at in range(rows.indptr[i], rows.indptr[i + 1]):
            total += np.float64(rows.values[at]) * np.float64(rows.values[at])
        return total

    return sparse


@exact_jit
def add_lengths(rows: Any, begun: float, extra: float, out: Any) -> None:
    """Write the sums of the squared lengths so far, each plus ``extra``, from ``begun`` on."""
    for i in range(out.shape[0]):
        begun += length(rows, i) + extra
        out[i] = begun
