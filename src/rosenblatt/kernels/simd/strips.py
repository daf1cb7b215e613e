"""Products of sparse rows with a strip of examples, kept in registers until they are complete.

A compiled loop adds a row's numbers to its products one after the other, and reads and writes all
products each time. Here eight vectors of products are eight registers, to which all numbers of a
row are added before any is written.
"""

from typing import Any

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.numba_api import cgutils, intrinsic, ir, types

VECTORS = 8
BYTES = 64  # of a vector


@intrinsic
def _dot_group(typingctx, indices, values, first, last, table, out, row, column):
    """Do ``out[row, column:] = Σ_n values[n] · table[indices[n], column:]`` along eight vectors."""

    def codegen(context, builder, signature, args):
        indices, values, table, out = (
            context.make_array(signature.args[n])(context, builder, args[n]) for n in (0, 1, 4, 5)
        )
        first, last, row, column = args[2], args[3], args[6], args[7]
        index, number = ir.IntType(64), values.data.type.pointee
        size = {"float": 4, "double": 8}[str(number)]
        vector = ir.VectorType(number, BYTES // size)

        def place(array: Any, line: Any) -> Any:
            _, width = cgutils.unpack_tuple(builder, array.shape, 2)
            start = builder.add(builder.mul(line, width), column)
            return builder.bitcast(builder.gep(array.data, [start]), vector.as_pointer())

        def spread(value: Any) -> Any:
            i32, empty = ir.IntType(32), ir.Constant(vector, ir.Undefined)
            alone = builder.insert_element(empty, value, i32(0))
            mask = ir.Constant(ir.VectorType(i32, BYTES // size), [0] * (BYTES // size))
            return builder.shuffle_vector(alone, empty, mask)

        zero = ir.Constant(vector, [0.0] * (BYTES // size))
        sums = [cgutils.alloca_once_value(builder, zero) for _ in range(VECTORS)]
        for total in sums:  # this runs once for each row, the allocation once only
            builder.store(zero, total)
        with cgutils.for_range_slice(builder, first, last, index(1), inc=True) as (n, _):
            line = builder.load(builder.gep(indices.data, [n]))
            line = line if line.type == index else builder.sext(line, index)
            value, start = spread(builder.load(builder.gep(values.data, [n]))), place(table, line)
            for v, total in enumerate(sums):
                x = builder.load(builder.gep(start, [index(v)]))
                x.align = size
                product = builder.fmul(value, x, flags=["contract"])
                builder.store(builder.fadd(builder.load(total), product, flags=["contract"]), total)
        start = place(out, row)
        for v, total in enumerate(sums):
            builder.store(builder.load(total), builder.gep(start, [index(v)])).align = size
        return context.get_dummy_value()

    arguments = indices, values, types.intp, types.intp, table, out, types.intp, types.intp
    return types.void(*arguments), codegen


@jit
def sparse_products(rows: Any, table: Any, out: Any) -> None:
    """Do ``out = X · table`` for sparse rows; both have a width that groups of vectors fill."""
    group = VECTORS * BYTES // table.itemsize
    for column in range(0, table.shape[1], group):
        for r in range(rows.indptr.shape[0] - 1):
            start, stop = rows.indptr[r], rows.indptr[r + 1]
            _dot_group(rows.indices, rows.values, start, stop, table, out, r, column)
