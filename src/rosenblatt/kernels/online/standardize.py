"""Numbers standardised and words weighted as they come.

A number is taken less the mean so far, over the deviation so far. A word of a text is weighted by
how often it is there and how few texts so far have it (Spärck Jones 1972), and all words of a row
are given the same length together (Salton and Buckley 1988).

Means and sums of squares are kept by Welford's (1962) method, in float64. A column counts as one of
numbers from its first value other than 0 and 1 on; until then its values are taken as they are.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import exact_jit

# What a column of numbers is: not begun, given in most rows, or only in some.
LARGEST = 1e140  # so that the sum of all squares is finite
NOT_BEGUN, DENSE, SPARSE = 0, 1, 2
LENGTH = 5.0  # of the words of a row: chosen over six collections of texts


class Columns(NamedTuple):
    """The columns of numbers, in the order in which they were first seen; all arrays change.

    ``place`` has, for each feature, its number among these columns, or −1. ``first`` is how many
    rows came before the first of a column, ``count`` how many numbers it has had. ``words`` says
    which features are words, and ``texts`` how many rows had each; both are empty if none is.
    """

    place: Any
    kind: Any
    first: Any
    count: Any
    mean: Any
    squares: Any
    words: Any
    texts: Any


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
    n_words = columns.words.shape[0]
    for i in range(indptr.shape[0] - 1):
        if n_words:
            for at in range(indptr[i], indptr[i + 1]):
                j = indices[at]
                if j < n_words and columns.words[j] and values[at] > 0:
                    columns.texts[j] += 1
            weigh_words(indices, values, indptr[i], indptr[i + 1], columns, seen + i + 1, out)
        for at in range(indptr[i], indptr[i + 1]):
            if n_words and indices[at] < n_words and columns.words[indices[at]]:
                continue
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


@exact_jit
def weigh_words(
    indices: Any, values: Any, start: int, stop: int, columns: Any, seen: int, out: Any
) -> None:
    """Write the words of a row, after so many rows in all; what is not a word is left alone."""
    n_words, squares = columns.words.shape[0], 0.0
    for at in range(start, stop):
        j = indices[at]
        if j < n_words and columns.words[j]:
            often = 1.0 + np.log(max(values[at], 1.0)) if values[at] > 0 else 0.0
            z = often * (1.0 + np.log((1.0 + seen) / (1.0 + columns.texts[j])))
            squares += z * z
            out[at] = z
    if squares > 0:
        factor = LENGTH / np.sqrt(squares)
        for at in range(start, stop):
            if indices[at] < n_words and columns.words[indices[at]]:
                out[at] *= factor


@exact_jit
def weigh_rows(indptr: Any, indices: Any, values: Any, columns: Any, seen: int, out: Any) -> None:
    """Write the words of rows, and learn nothing from them."""
    for i in range(indptr.shape[0] - 1):
        weigh_words(indices, values, indptr[i], indptr[i + 1], columns, seen, out)
