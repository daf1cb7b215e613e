"""Kernel values computed in main memory."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from rosenblatt.data.rows import (
    Array,
    Dense,
    Rows,
    Sparse,
    all_finite,
    as_matrix,
    entries,
    frozen,
    n_rows,
    stack,
    take,
)
from rosenblatt.kernels import kernel_values as loops
from rosenblatt.kernels.kernel_perceptron import add_changes
from rosenblatt.kernels.simd.strips import sparse_products
from rosenblatt.learners.blocks import block, cores, in_turn
from rosenblatt.learners.kernel_perceptron.kernel_values import CALLABLE, IN_MEMORY, Kernel, Part

_DENSE = 0.25  # the share of numbers that are not zero, from which on zeros are not skipped


def gather(rows: Sparse, index: Array) -> Sparse:
    """Copy sparse rows, faster than `take` does."""
    lengths = rows.indptr[index + 1] - rows.indptr[index]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(rows.indptr.dtype)
    indices = np.empty(indptr[-1], rows.indices.dtype)
    values = np.empty(indptr[-1], rows.values.dtype)
    loops.gather_rows(rows, index, indptr, indices, values)
    return Sparse(indptr, indices, values)


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
    loops.count_nonzeros(Dense(values), counts)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    indices, stored = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], values.dtype)
    indptr = indptr.astype(np.int32) if indptr[-1] < 1 << 31 else indptr
    cuts = [n * part // (cores() * 4) for part in range(cores() * 4 + 1)]
    work = partial(_compress, Dense(values), indptr, indices, stored)
    list(in_turn(work, cuts[:-1], cuts[1:]))
    return Sparse(indptr, indices, stored)


def _compress(
    rows: Dense, indptr: Array, indices: Array, stored: Array, first: int, last: int
) -> None:
    loops.compress(rows, indptr, first, last, indices, stored)


def as_dense(rows: Rows, n_features: int) -> Dense:
    """Return rows with their zeros."""
    if isinstance(rows, Dense):
        return rows
    return Dense(as_matrix(rows, n_features).toarray())


def squares(rows: Rows) -> Array:
    """Return the squared length of each row."""
    if isinstance(rows, Dense):
        return np.asarray(np.einsum("ij,ij->i", rows.values, rows.values))
    with np.errstate(over="ignore"):  # each number by itself: a strip puts several in one place
        rows = rows._replace(values=np.square(rows.values))
    matrix = as_matrix(rows, int(rows.indices.max(initial=0)) + 1)
    return np.asarray(matrix.sum(axis=1)).ravel()


T = TypeVar("T")
_WIDTH = 128  # of a strip; its products with many rows stay in a core's own cache
_WIDE = 1 << 12  # features, from which on a table has lines only for those that occur in a strip


class Strip(NamedTuple):
    """Some examples of a block: which rows they are, and which columns of the block's scores.

    ``table`` has a line for each feature and a column for each example, and maybe more columns. If
    there are too many features for that, it has lines for those that these examples have, a last
    one of zeros for all others, and ``place`` says which is whose. ``lengths`` are squared ones.
    A caller's kernel gets the ``rows`` themselves instead of a table.
    """

    row: Array
    where: slice
    table: Array
    place: Array | None = None
    lengths: Array | None = None
    rows: Rows | None = None


class HostGrams:
    """Kernel values computed in main memory.

    Dense rows are multiplied by NumPy, on all cores. Sparse rows, and dense ones that are mostly
    zeros, are multiplied by a loop that skips the zeros; threads share out the strips of a block.
    """

    block_size, tile_size, ahead = IN_MEMORY

    def __init__(self, kernel: Kernel, rows: Rows, kept: Rows, n_features: int) -> None:
        self.kernel, self.rows, self.kept, self.n_features = kernel, rows, kept, n_features
        self.known = n_rows(kept)
        # A function gets the rows as they are.
        self.skips = kernel.name != CALLABLE and (kernel.name == "laplacian" or mostly_zero(rows))
        self._rows, self._kept = self._alike(rows), self._alike(kept)
        self.wide = self.skips and n_features > _WIDE
        if self.skips:
            self.block_size = min(self.block_size, _WIDTH * self._strips_that_fit())
        self._center = self._middle() if kernel.name == "rbf" and not self.skips else None
        self._lengths = squares(self._rows) if kernel.name == "rbf" and self.skips else np.empty(0)
        self._tables: dict[int, tuple[Array, Array]] = {}
        self._out: dict[int, Array] = {}

    def _alike(self, rows: Rows) -> Rows:
        """Return rows in the form in which they are multiplied."""
        if self.kernel.name == CALLABLE:
            return rows
        if not self.skips:
            return as_dense(rows, self.n_features)
        rows = as_sparse(rows)
        if self.kernel.name in ("rbf", "laplacian"):
            # Distances are differences of large numbers here, which float32 has too few digits for.
            rows = rows._replace(values=rows.values.astype(np.float64, copy=False))
        return rows

    def _strips_that_fit(self) -> int:
        """Count the strips whose tables take up 128 MiB together; at least one."""
        per_strip = -(-entries(self._rows) * _WIDTH // max(n_rows(self._rows), 1)) + 1
        lines = min(self.n_features, per_strip) if self.wide else self.n_features
        return max((1 << 27) // (lines * _WIDTH * self._rows.values.itemsize), 1)

    def _middle(self) -> Array:
        """Return about the mean row: distances taken from there lose no digits to it."""
        rows = self._kept if self.known else self._rows
        some = rows.values[:: max(1, n_rows(rows) // 1000)]
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(some.mean(axis=0, dtype=np.float64).astype(some.dtype))

    def _centered(self, values: Array) -> Dense:
        with np.errstate(over="ignore", invalid="ignore"):
            return Dense(values - self._center)

    def take(self, ids: Array) -> Rows:
        """Copy rows, kept ones or new ones or both."""
        if self._center is not None:
            return self._centered(self._take(ids, self._kept, self._rows).values)
        if isinstance(self._rows, Sparse) and ids.min(initial=self.known) >= self.known:
            return gather(self._rows, ids - self.known)
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
        rest = block(taken, start, n_rows(taken))
        if isinstance(rest, Dense):
            return rest
        first = rest.indptr[0]  # SciPy, and a caller's kernel, want it to be 0
        return Sparse(rest.indptr - first, rest.indices[first:], rest.values[first:])

    def lanes(self, ids: Array) -> list[Strip]:
        """View a block that lies in one piece; copy it otherwise, and if zeros are skipped."""
        index, size = ids - self.known, len(ids)
        if self.skips:
            return _each(partial(self._strip, index), -(-size // _WIDTH))
        everything = slice(0, size)
        if self.kernel.name == CALLABLE:
            return [Strip(index, everything, np.empty(0), rows=take(self._rows, index))]
        in_a_piece = index[-1] - index[0] == size - 1 and np.all(index[1:] > index[:-1])
        values = self._rows.values[slice(index[0], index[-1] + 1) if in_a_piece else index]
        if self._center is None:
            return [Strip(index, everything, values.T)]
        rows = self._centered(values)
        return [Strip(index, everything, rows.values.T, lengths=squares(rows))]

    def _strip(self, index: Array, number: int) -> Strip:
        """Write a strip's examples into its table, where those of the block before were."""
        assert isinstance(self._rows, Sparse)
        start = number * _WIDTH
        row = index[start : start + _WIDTH]
        where = slice(start, start + len(row))
        if self.wide:
            return self._narrow(row, where)
        rows = self._rows
        if number not in self._tables:
            self._tables[number] = np.zeros((self.n_features, _WIDTH), rows.values.dtype), row[:0]
        table, written = self._tables[number]
        loops.clear_table(rows, written, table)
        loops.fill_table(rows, row, table)
        self._tables[number] = table, row
        return Strip(row, where, table)

    def _narrow(self, row: Array, where: slice) -> Strip:
        """Make a table of those features only that the examples of a strip have."""
        assert isinstance(self._rows, Sparse)
        rows = gather(self._rows, row)
        found, columns = np.unique(rows.indices, return_inverse=True)
        place = np.full(self.n_features, len(found), rows.indices.dtype)
        place[found] = np.arange(len(found))
        table = np.zeros((len(found) + 1, _WIDTH), rows.values.dtype)
        rows = rows._replace(indices=columns.astype(rows.indices.dtype))
        loops.fill_table(rows, np.arange(len(row)), table)
        return Strip(row, where, table, place)

    def add(self, parts: Iterable[Part], lanes: list[Strip], scores: Array) -> None:
        """Add to a block's scores what changes of coefficients mean for them."""
        parts = list(parts)

        def one(number: int) -> None:
            strip = lanes[number]
            sums = np.ascontiguousarray(scores[:, strip.where])
            for taken, row, function, change in parts:
                values = self._values(taken, number, strip)
                add_changes(values, row, function, change.astype(np.float64, copy=False), sums)
            scores[:, strip.where] = sums

        _each(one, len(lanes))

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

        _each(one, len(lanes))
        return out

    def _values(self, taken: Rows, number: int, strip: Strip) -> Array:
        """Compute kernel values where the last ones were: fresh memory takes longer."""
        if self.kernel.name == CALLABLE:
            return self._ask(taken, strip.rows)
        dtype, table = np.result_type(taken.values, strip.table), strip.table
        if strip.place is not None and isinstance(taken, Sparse):
            taken = taken._replace(indices=strip.place[taken.indices])
        size = n_rows(taken) * table.shape[1]
        out = self._out.get(number)
        if out is None or out.dtype != dtype or out.size < size:
            out = self._out[number] = np.empty(size, dtype)
        out = out[:size].reshape(n_rows(taken), table.shape[1])
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            if isinstance(taken, Dense):
                np.matmul(taken.values, table, out=out)
            elif self.kernel.name == "laplacian":
                loops.manhattan(taken, table, np.abs(table).sum(axis=0), out)
            else:
                taken = taken._replace(values=taken.values.astype(dtype, copy=False))
                sparse_products(taken, table.astype(dtype, copy=False), out)
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
            own = strip.lengths
            out[:, : len(strip.row)] += self._lengths[strip.row] if own is None else own
        if kernel.name in ("rbf", "laplacian"):
            np.maximum(out, 0, out=out)
            out *= number(-kernel.gamma)
            np.exp(out, out=out)
        if kernel.bias:
            out += number(kernel.bias)

    def _ask(self, taken: Rows, examples: Rows | None) -> Array:
        """Let the caller's function compute them, and look at what it returns."""
        assert self.kernel.function is not None
        assert examples is not None
        left, right = (as_matrix(frozen(rows), self.n_features) for rows in (taken, examples))
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


def _each(work: Callable[[int], T], count: int) -> list[T]:
    """Return what the work makes of 0…count − 1; each core has a share of them."""
    width = min(cores(), count)
    if width < 2:
        return [work(number) for number in range(count)]
    shares = list(in_turn(lambda first: [*map(work, range(first, count, width))], range(width)))
    return [shares[number % width][number // width] for number in range(count)]
