"""Row access for compiled loops: one name for dense and CSR rows, chosen by type at compile time.

`dot`, `add`, `scores` and `prefetch` are what a loop may ask of a row; they take the row view of
`rosenblatt.data.rows` and the row's number. `scores_from` and `score_again` score a few rows at
once for K classes, where that is cheaper.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Dense
from rosenblatt.kernels.jit import FASTMATH, jit
from rosenblatt.kernels.numba_api import cgutils, intrinsic, ir, overload, types
from rosenblatt.kernels.simd.gather import gather_dot, has_gather

GROUP = 4  # rows that are scored together for K classes
_LINE = 64  # bytes in a cache line
_OPTIONS = {"fastmath": FASTMATH}


def dot(rows: Any, i: int, w: Any) -> float:
    """Return ``x_i · w``."""
    raise TypeError("for compiled code only")


def dot_sizes(rows: Any, i: int, w: Any) -> float:
    """Return ``Σ |x_ij| · |w_j|``, which bounds the rounding of `dot`."""
    raise TypeError("for compiled code only")


def length_of(rows: Any, i: int, w: Any) -> int:
    """Count the terms that `dot` adds up."""
    raise TypeError("for compiled code only")


def add(rows: Any, i: int, scale: float, w: Any) -> None:
    """Do ``w += scale · x_i``."""
    raise TypeError("for compiled code only")


def scores(rows: Any, i: int, weights: Any, intercept: Any, out: Any) -> None:
    """Do ``out[k] = x_i · weights[k] + intercept[k]`` for each class k."""
    raise TypeError("for compiled code only")


def scores_from(rows: Any, order: Any, t: int, pairs: Any, functions: Any, table: Any) -> int:
    """Score the row due at visit t and, where that is cheaper together, a few after it.

    Fill one line of the table for each, and return how many. ``pairs`` are those of `all_pairs`.
    """
    raise TypeError("for compiled code only")


def score_again(
    rows: Any, order: Any, t: int, stop: int, pairs: Any, functions: Any, table: Any
) -> None:
    """Score the rows due from t to stop−1 again for some classes, into the table's first lines."""
    raise TypeError("for compiled code only")


def add_batch(rows: Any, batch: Any, scale: float, table: Any, weights: Any) -> None:
    """Do ``weights[k] += scale · table[t, k] · x_i`` for each class k and each row i = batch[t]."""
    raise TypeError("for compiled code only")


def prefetch(rows: Any, i: int) -> None:
    """Ask for the memory of row i, which will be needed soon."""
    raise TypeError("for compiled code only")


@overload(dot, jit_options=_OPTIONS)
def _dot(rows, i, w):
    if rows.instance_class is Dense:

        def dense(rows, i, w):
            x = rows.values[np.uintp(i)]
            total = w.dtype.type(0)
            for j in range(w.shape[0]):
                total += x[j] * w[j]
            return total

        return dense

    def gathered(rows, i, w):
        start, stop = np.intp(rows.indptr[i]), np.intp(rows.indptr[i + 1])
        return gather_dot(rows.values, rows.indices, start, stop, w)

    def sparse(rows, i, w):
        row = np.uintp(i)
        total = w.dtype.type(0)
        # Unsigned numbers spare the loop Python's rule for negative indices.
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            total += rows.values[k] * w[np.uintp(rows.indices[k])]
        return total

    if has_gather() and w.layout == "C" and w.dtype == rows.types[-1].dtype:
        return gathered
    return sparse


@overload(dot_sizes, jit_options=_OPTIONS)
def _dot_sizes(rows, i, w):
    if rows.instance_class is Dense:

        def dense(rows, i, w):
            x = rows.values[np.uintp(i)]
            total = w.dtype.type(0)
            for j in range(w.shape[0]):
                total += abs(x[j] * w[j])
            return total

        return dense

    def sparse(rows, i, w):
        row = np.uintp(i)
        total = w.dtype.type(0)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            total += abs(rows.values[k] * w[np.uintp(rows.indices[k])])
        return total

    return sparse


@overload(length_of)
def _length_of(rows, i, w):
    if rows.instance_class is Dense:
        return lambda rows, i, w: w.shape[0]
    return lambda rows, i, w: rows.indptr[i + 1] - rows.indptr[i]


@overload(add, jit_options=_OPTIONS)
def _add(rows, i, scale, w):
    if rows.instance_class is Dense:

        def dense(rows, i, scale, w):
            x = rows.values[np.uintp(i)]
            for j in range(w.shape[0]):
                w[j] += scale * x[j]

        return dense

    def sparse(rows, i, scale, w):
        row = np.uintp(i)
        for k in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            w[np.uintp(rows.indices[k])] += scale * rows.values[k]

    return sparse


@overload(scores, jit_options=_OPTIONS)
def _scores(rows, i, weights, intercept, out):
    if rows.instance_class is Dense:

        def dense(rows, i, weights, intercept, out):
            for k in range(out.shape[0]):
                out[k] = dot(rows, i, weights[k]) + intercept[k]

        return dense

    def sparse(rows, i, weights, intercept, out):
        row = np.uintp(i)
        for k in range(out.shape[0]):
            out[k] = intercept[k]
        for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
            value, j = rows.values[n], np.uintp(rows.indices[n])
            for k in range(out.shape[0]):
                out[k] += value * weights[k, j]

    return sparse


@jit
def pair_scores(
    rows: Any, order: Any, t: int, stop: int, pairs: Any, functions: Any, table: Any
) -> None:
    """Score the rows due from t to stop−1, at most four, for each pair of classes.

    Four rows and two classes at a time: reading takes longer than multiplying, so each number read
    is multiplied two or four times. All scores for K classes come from this one loop, so that a
    row's score is the same to the last bit whatever rows it is scored with.
    """
    last = stop - 1
    x0 = rows.values[np.uintp(order[t])]
    x1 = rows.values[np.uintp(order[min(t + 1, last)])]
    x2 = rows.values[np.uintp(order[min(t + 2, last)])]
    x3 = rows.values[np.uintp(order[min(t + 3, last)])]
    for p in range(pairs.shape[0]):
        k, m = pairs[p, 0], pairs[p, 1]
        v, w = functions.weights[k], functions.weights[m]
        v0 = v1 = v2 = v3 = w0 = w1 = w2 = w3 = w.dtype.type(0)
        for j in range(w.shape[0]):
            v0 += x0[j] * v[j]
            v1 += x1[j] * v[j]
            v2 += x2[j] * v[j]
            v3 += x3[j] * v[j]
            w0 += x0[j] * w[j]
            w1 += x1[j] * w[j]
            w2 += x2[j] * w[j]
            w3 += x3[j] * w[j]
        b, c = functions.intercept[k], functions.intercept[m]
        table[0, k], table[0, m] = v0 + b, w0 + c
        if stop - t > 1:
            table[1, k], table[1, m] = v1 + b, w1 + c
        if stop - t > 2:
            table[2, k], table[2, m] = v2 + b, w2 + c
        if stop - t > 3:
            table[3, k], table[3, m] = v3 + b, w3 + c


@overload(scores_from, jit_options=_OPTIONS)
def _scores_from(rows, order, t, pairs, functions, table):
    if rows.instance_class is not Dense:

        def sparse(rows, order, t, pairs, functions, table):
            scores(rows, order[t], functions.weights, functions.intercept, table[0])
            return 1

        return sparse

    def dense(rows, order, t, pairs, functions, table):
        stop = min(t + GROUP, order.shape[0])
        pair_scores(rows, order, t, stop, pairs, functions, table)
        return stop - t

    return dense


@overload(score_again, jit_options=_OPTIONS)
def _score_again(rows, order, t, stop, pairs, functions, table):
    if rows.instance_class is not Dense:
        return lambda rows, order, t, stop, pairs, functions, table: None  # none was scored early

    def dense(rows, order, t, stop, pairs, functions, table):
        if t < stop:
            pair_scores(rows, order, t, stop, pairs, functions, table)

    return dense


@overload(add_batch, jit_options=_OPTIONS)
def _add_batch(rows, batch, scale, table, weights):
    if rows.instance_class is Dense:

        def dense(rows, batch, scale, table, weights):
            for t in range(batch.shape[0]):
                for k in range(table.shape[1]):
                    step = scale * table[t, k]
                    if step != 0:
                        add(rows, batch[t], step, weights[k])

        return dense

    def sparse(rows, batch, scale, table, weights):
        for t in range(batch.shape[0]):
            row = np.uintp(batch[t])
            for n in range(np.uintp(rows.indptr[row]), np.uintp(rows.indptr[row + np.uintp(1)])):
                value, j = scale * rows.values[n], np.uintp(rows.indices[n])
                for k in range(table.shape[1]):
                    weights[k, j] += value * table[t, k]

    return sparse


@jit
def all_pairs(n_classes: int) -> Any:
    """Pair up the classes; of an odd number, the last one with itself."""
    pairs = np.empty(((n_classes + 1) // 2, 2), np.intp)
    for k in range(0, n_classes, 2):
        pairs[k // 2, 0], pairs[k // 2, 1] = k, min(k + 1, n_classes - 1)
    return pairs


@overload(prefetch)
def _prefetch(rows, i):
    size = rows.types[-1].dtype.bitwidth // 8
    step = _LINE // size
    if rows.instance_class is not Dense:
        index_step = _LINE * 8 // _index_type(rows).bitwidth

        def sparse(rows, i):
            start, stop = np.intp(rows.indptr[i]), np.intp(rows.indptr[i + 1])
            for k in range(start, stop, index_step):
                _touch(rows.indices, k)
            for k in range(start, stop, step):
                _touch(rows.values, k)

        return sparse
    if rows.types[0].layout == "C":

        def dense(rows, i):
            width = rows.values.shape[1]
            for k in range(i * width, (i + 1) * width, step):
                _touch(rows.values, k)

        return dense

    def scattered(rows, i):
        pass  # a row in Fortran order is a line for each number: asking ahead costs as much

    return scattered


@jit
def touch(rows: Any, i: int, low: int, high: int) -> None:
    """Ask for some columns of a dense row in C order."""
    width = rows.values.shape[1]
    for k in range(i * width + low, i * width + high, _LINE // rows.values.itemsize):
        _touch(rows.values, k)


def _index_type(rows: Any) -> Any:
    return rows.types[1].dtype


@intrinsic
def _touch(typingctx, array, index):
    """Fetch the cache line of an array's index-th number into the second-level cache."""

    def codegen(context, builder, signature, args):
        byte, i32 = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(data, [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        call = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(call, [place, i32(0), i32(2), i32(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen
