"""Kernel values computed in main memory."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import (
    Array,
    Dense,
    Rows,
    Sparse,
    all_finite,
    as_matrix,
    n_rows,
    stack,
    take,
)
from rosenblatt.kernels import gram as loops
from rosenblatt.kernels.dual import add_changes
from rosenblatt.kernels.strips import sparse_products
from rosenblatt.learners.blocks import block, cores, in_turn
from rosenblatt.learners.gram import CALLABLE, Kernel, Part

_WIDTH = 128  # of a strip; its products with many rows stay in a core's own cache
_DENSE = 0.25  # the share of numbers that are not zero, from which on zeros are not skipped


class Strip(NamedTuple):
    """Some examples of a block: which rows they are, and which columns of the block's scores.

    ``table`` has a line for each feature and a column for each example, and maybe more columns.
    """

    row: Array
    where: slice
    table: Array


class HostGrams:
    """Kernel values computed in main memory.

    Dense rows are multiplied by NumPy, on all cores. Sparse rows, and dense ones that are mostly
    zeros, are multiplied by a loop that skips the zeros; threads share out the strips of a block.
    """

    block_size = 512

    def __init__(self, kernel: Kernel, rows: Rows, kept: Rows, n_features: int) -> None:
        self.kernel, self.rows, self.kept, self.n_features = kernel, rows, kept, n_features
        self.known = n_rows(kept)
        # A function gets the rows as they are.
        self.skips = kernel.name != CALLABLE and (kernel.name == "laplacian" or mostly_zero(rows))
        self._rows, self._kept = self._alike(rows), self._alike(kept)
        if self.skips:  # the table of a block stays below 128 MiB or so
            fitting = (1 << 25) // n_features // _WIDTH * _WIDTH
            self.block_size = int(np.clip(fitting, _WIDTH, self.block_size))
        self._lengths = squares(self._rows) if kernel.name == "rbf" else np.empty(0)
        self._tables: dict[int, tuple[Array, Array]] = {}
        self._out: dict[int, Array] = {}

    def _alike(self, rows: Rows) -> Rows:
        """Return rows in the form in which they are multiplied."""
        if self.kernel.name == CALLABLE:
            return rows
        return as_sparse(rows) if self.skips else as_dense(rows, self.n_features)

    def take(self, ids: Array) -> Rows:
        """Copy rows, kept ones or new ones or both."""
        return self._take(ids, self._kept, self._rows)

    def rows_of(self, ids: Array) -> Rows:
        """Copy rows, to be kept."""
        return self._take(ids, self.kept, self.rows)

    def _take(self, ids: Array, kept: Rows, rows: Rows) -> Rows:
        old = ids < self.known
        if not old.any():
            return take(rows, ids - self.known)
        if old.all():
            return take(kept, ids)
        both = take(kept, ids[old]), take(rows, ids[~old] - self.known)
        back = np.argsort(np.concatenate([np.flatnonzero(old), np.flatnonzero(~old)]))
        return take(stack(*both, self.n_features), back)

    def cut(self, taken: Rows, start: int) -> Rows:
        """View all but the first of the rows that were taken."""
        return block(taken, start, n_rows(taken))

    def lanes(self, ids: Array) -> list[Strip]:
        """View a block that lies in one piece; copy it otherwise, and if zeros are skipped."""
        index, size = ids - self.known, len(ids)
        if self.skips:
            starts = enumerate(range(0, size, _WIDTH))
            return [self._strip(n, index[start : start + _WIDTH]) for n, start in starts]
        everything = slice(0, size)
        if self.kernel.name == CALLABLE:
            return [Strip(index, everything, np.empty(0))]
        in_a_piece = index[-1] - index[0] == size - 1 and np.all(index[1:] > index[:-1])
        values = self._rows.values[slice(index[0], index[-1] + 1) if in_a_piece else index]
        return [Strip(index, everything, values.T)]

    def _strip(self, number: int, index: Array) -> Strip:
        assert isinstance(self._rows, Sparse)
        indptr, indices, values = self._rows
        if number not in self._tables:
            self._tables[number] = np.zeros((self.n_features, _WIDTH), values.dtype), index[:0]
        table, written = self._tables[number]
        loops.clear_table(indptr, indices, written, table)
        loops.fill_table(indptr, indices, values, index, table)
        self._tables[number] = table, index
        return Strip(index, slice(number * _WIDTH, number * _WIDTH + len(index)), table)

    def add(self, parts: Iterable[Part], lanes: list[Strip], scores: Array) -> None:
        """Add to a block's scores what changes of coefficients mean for them."""
        parts = list(parts)

        def one(number: int) -> None:
            strip = lanes[number]
            sums = np.ascontiguousarray(scores[:, strip.where])
            for taken, row, function, change in parts:
                add_changes(self._values(taken, number, strip), row, function, change, sums)
            scores[:, strip.where] = sums

        self._for_each(one, lanes)

    def values(self, taken: Rows, lanes: list[Strip]) -> Array:
        """Return the kernel values, a line for each row taken and a column for each example."""
        if len(lanes) == 1 and not self.skips:
            return self._values(taken, 0, lanes[0])
        size = lanes[-1].where.stop
        out = np.empty((n_rows(taken), size), np.result_type(taken.values, lanes[0].table))

        def one(number: int) -> None:
            strip = lanes[number]
            width = strip.where.stop - strip.where.start
            out[:, strip.where] = self._values(taken, number, strip)[:, :width]

        self._for_each(one, lanes)
        return out

    def _for_each(self, work: Callable[[int], None], lanes: list[Strip]) -> None:
        list(in_turn(work, range(len(lanes))) if len(lanes) > 1 else map(work, range(len(lanes))))

    def _values(self, taken: Rows, number: int, strip: Strip) -> Array:
        """Compute kernel values where the last ones were: fresh memory takes longer."""
        if self.kernel.name == CALLABLE:
            return self._ask(taken, take(self._rows, strip.row))
        dtype, table = np.result_type(taken.values, strip.table), strip.table
        size = n_rows(taken) * table.shape[1]
        out = self._out.get(number)
        if out is None or out.dtype != dtype or out.size < size:
            out = self._out[number] = np.empty(size, dtype)
        out = out[:size].reshape(n_rows(taken), table.shape[1])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if isinstance(taken, Dense):
                np.matmul(taken.values, table, out=out)
            elif self.kernel.name == "laplacian":
                loops.manhattan(*taken, table, np.abs(table).sum(axis=0), out)
            else:
                taken = taken._replace(values=taken.values.astype(dtype, copy=False))
                sparse_products(*taken, table.astype(dtype, copy=False), out)
            self._finish(out, taken, strip)
        return out

    def _finish(self, out: Array, taken: Rows, strip: Strip) -> None:
        """Make kernel values of products or distances, in place."""
        kernel, number = self.kernel, out.dtype.type
        if kernel.name == "poly":
            loops.power(out, number(kernel.gamma), number(kernel.coef0), kernel.degree)
        elif kernel.name == "rbf":
            out *= -2
            out += squares(taken)[:, None]
            out[:, : len(strip.row)] += self._lengths[strip.row]
            np.maximum(out, 0, out=out)
        if kernel.name in ("rbf", "laplacian"):
            out *= number(-kernel.gamma)
            np.exp(out, out=out)
        if kernel.bias:
            out += number(kernel.bias)

    def _ask(self, taken: Rows, examples: Rows) -> Array:
        """Let the caller's function compute them, and look at what it returns."""
        assert self.kernel.function is not None
        left, right = (as_matrix(rows, self.n_features) for rows in (taken, examples))
        answer = self.kernel.function(left, right)
        answer = answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)
        shape = n_rows(taken), n_rows(examples)
        if answer.shape != shape or answer.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.kernel} returned an array of shape {answer.shape} and type {answer.dtype} "
                f"for {shape[0]} and {shape[1]} rows; it must return numbers of shape {shape}: "
                "kernel(X, Z)[i, j] is the value for X[i] and Z[j]"
            )
        values: Array = np.array(
            answer, np.float32 if answer.dtype == np.float32 else np.float64, order="C"
        )
        values += values.dtype.type(self.kernel.bias)
        if not all_finite(values):
            at = tuple(int(k[0]) for k in np.nonzero(~np.isfinite(values)))
            raise ValueError(
                f"{self.kernel} returned {answer[at]} for row {at[0]} of its first argument and "
                f"row {at[1]} of its second; kernel values must be finite numbers"
            )
        return values


def mostly_zero(rows: Rows) -> bool:
    """Say whether skipping zeros is faster than multiplying by them."""
    if isinstance(rows, Sparse):
        return True
    some = rows.values[:: max(1, n_rows(rows) // 1000)]
    return bool(np.count_nonzero(some) < _DENSE * some.size)


def as_sparse(rows: Rows) -> Sparse:
    """Return rows without their zeros, and each number in one piece."""
    if isinstance(rows, Sparse):
        matrix = as_matrix(rows, int(rows.indices.max(initial=0)) + 1)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return Sparse(matrix.indptr, matrix.indices, matrix.data)
    n = n_rows(rows)
    values = np.ascontiguousarray(rows.values)
    counts = np.empty(n, np.int64)
    loops.count_nonzeros(values, counts)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices, stored = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], values.dtype)
    indptr = indptr.astype(np.int32) if indptr[-1] < 1 << 31 else indptr
    cuts = [n * part // (cores() * 4) for part in range(cores() * 4 + 1)]
    work = partial(_compress, values, indptr, indices, stored)
    list(in_turn(work, cuts[:-1], cuts[1:]))
    return Sparse(indptr, indices, stored)


def _compress(
    values: Array, indptr: Array, indices: Array, stored: Array, first: int, last: int
) -> None:
    loops.compress(values, indptr, first, last, indices, stored)


def as_dense(rows: Rows, n_features: int) -> Dense:
    """Return rows with their zeros."""
    if isinstance(rows, Dense):
        return rows
    return Dense(as_matrix(rows, n_features).toarray())


def squares(rows: Rows) -> Array:
    """Return the squared length of each row."""
    if isinstance(rows, Dense):
        return np.asarray(np.einsum("ij,ij->i", rows.values, rows.values))
    matrix = as_matrix(rows, int(rows.indices.max(initial=0)) + 1)
    return np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
