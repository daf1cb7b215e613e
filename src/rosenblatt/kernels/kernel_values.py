"""What kernel values are made of, apart from products: distances, powers, and tables of examples.

A table has a line for each feature and a column for each example; ``out`` has a line for each row.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit


@jit
def count_nonzeros(dense: Any, counts: Any) -> None:
    """Count what each of some dense rows would store if it were sparse."""
    for r in range(counts.shape[0]):
        row, count = dense.values[r], 0
        for j in range(row.shape[0]):
            count += row[j] != 0
        counts[r] = count


@jit
def compress(dense: Any, indptr: Any, first: int, last: int, indices: Any, stored: Any) -> None:
    """Write dense rows as sparse ones, whose places are known."""
    for r in range(first, last):
        row, n = dense.values[r], indptr[r]
        for j in range(row.shape[0]):
            if row[j] != 0:
                indices[n], stored[n] = j, row[j]
                n += 1


@jit
def gather_rows(sparse: Any, rows: Any, starts: Any, columns: Any, out: Any) -> None:
    """Copy sparse rows to their places behind each other."""
    for r in range(rows.shape[0]):
        at = starts[r]
        for n in range(sparse.indptr[rows[r]], sparse.indptr[rows[r] + 1]):
            columns[at], out[at] = sparse.indices[n], sparse.values[n]
            at += 1


@jit
def fill_table(sparse: Any, rows: Any, table: Any) -> None:
    """Write sparse rows into the columns of a table of zeros."""
    for c in range(rows.shape[0]):
        for n in range(sparse.indptr[rows[c]], sparse.indptr[rows[c] + 1]):
            table[sparse.indices[n], c] = sparse.values[n]


@jit
def clear_table(sparse: Any, rows: Any, table: Any) -> None:
    """Take out again what `fill_table` wrote."""
    for c in range(rows.shape[0]):
        for n in range(sparse.indptr[rows[c]], sparse.indptr[rows[c] + 1]):
            table[sparse.indices[n], c] = 0


@jit
def manhattan(sparse: Any, table: Any, sums: Any, out: Any) -> None:
    """Do ``out = Σ_j |x_j − z_j|`` for sparse rows x; ``sums`` are ``Σ_j |z_j|`` of each z."""
    for r in range(sparse.indptr.shape[0] - 1):
        line = out[r]
        for c in range(line.shape[0]):
            line[c] = sums[c]
        for n in range(sparse.indptr[r], sparse.indptr[r + 1]):
            lane, value = table[sparse.indices[n]], sparse.values[n]
            for c in range(line.shape[0]):
                line[c] += abs(value - lane[c]) - abs(lane[c])


@jit
def power(products: Any, gamma: Any, coef0: Any, degree: int) -> None:
    """Turn products into ``(γ x·z + c)^d``, by squaring and multiplying."""
    base = np.empty(products.shape[1], products.dtype)
    bits = 0
    while degree >> (bits + 1):
        bits += 1
    for r in range(products.shape[0]):
        line = products[r]
        for c in range(line.shape[0]):
            line[c] = gamma * line[c] + coef0
            base[c] = line[c]
        for bit in range(bits - 1, -1, -1):
            if (degree >> bit) & 1:
                for c in range(line.shape[0]):
                    line[c] = line[c] * line[c] * base[c]
            else:
                for c in range(line.shape[0]):
                    line[c] = line[c] * line[c]
