"""Numbers standardised as they come: less the mean so far, over the deviation so far.

Means and sums of squares are kept by Welford's (1962) method, in float64. A column counts as one of
numbers from its first value other than 0 and 1 on; until then its values are taken as they are.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import exact_jit

# What a column of numbers is: not begun, given in most rows, or only in some.
LARGEST = 1e140  # so that the sum of all squares is finite
NOT_BEGUN, DENSE, SPARSE = 0, 1, 2


class Columns(NamedTuple):
    """The columns of numbers, in the order in which they were first seen; all arrays change.

    ``place`` has, for each feature, its number among these columns, or −1. ``first`` is how many
    rows came before the first of a column, ``count`` how many numbers it has had.
    """

    place: Any
    kind: Any
    first: Any
    count: Any
    mean: Any
    squares: Any


@exact_jit
def standardize(
    indptr: Any, indices: Any, values: Any, columns: Any, seen: int, most: float, begin: int,
    out: Any,
) -> int:  # fmt: skip
    """Learn from rows in order, and write each of their numbers as it is then standardised.

    ``seen`` rows came before. Numbers farther than ``most`` from zero are cut off there; return how
    many. A column that is given in fewer than half of the rows since its first is sparse from then
    on: divided by its root mean square, and not centred, so that zeros may go without saying.
    ``begin`` is what a column is at first, DENSE or SPARSE.
    """
    cut = 0
    for i in range(indptr.shape[0] - 1):
        for at in range(indptr[i], indptr[i + 1]):
            x = min(max(np.float64(values[at]), -LARGEST), LARGEST)
            c = columns.place[indices[at]]
            if c < 0 or (columns.kind[c] == NOT_BEGUN and (x == 0 or x == 1)):
                out[at] = values[at]
                continue
            if columns.kind[c] == NOT_BEGUN:
                columns.kind[c] = begin
                columns.first[c] = seen + i
            columns.count[c] += 1
            n = columns.count[c]
            if columns.kind[c] == DENSE and 2 * n < seen + i + 1 - columns.first[c]:
                columns.kind[c] = SPARSE
            off = x - columns.mean[c]
            columns.mean[c] += off / n
            columns.squares[c] += off * (x - columns.mean[c])
            z = scaled(x, c, columns)
            if abs(z) > most:
                z = most if z > 0 else -most
                cut += 1
            out[at] = z
    return cut


@exact_jit
def scaled(x: float, c: int, columns: Any) -> float:
    """Standardise a number of a column."""
    mean, squares, n = columns.mean[c], columns.squares[c], columns.count[c]
    if columns.kind[c] == SPARSE:
        root = np.sqrt(squares / n + mean * mean)
        return x / root if root > 0 else 0.0
    deviation = np.sqrt(squares / n)
    return (x - mean) / deviation if deviation > 0 else 0.0
