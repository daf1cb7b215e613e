"""Sums of rows for a few classes and a few columns, kept in registers until they are complete.

A compiled loop writes every sum back to memory after every few rows, and for dense batches that
takes longer than multiplying. Here the sums of up to five classes along two vectors of columns are
ten registers, to which all rows of a batch are added before any is written. (Columns that do not
fill two vectors take one, or are added one by one.)
"""

from typing import Any

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.numba_api import cgutils, intrinsic, ir, types

CLASSES = 5
BYTES = 64  # of a vector


def _tile(n_classes: int, vectors: int) -> Any:
    """Make what adds rows, each times its slopes, to some classes along vectors of columns."""

    @intrinsic
    def add_tile(typingctx, values, batch, slopes, first, weights, column):
        def codegen(context, builder, signature, args):
            arrays = [
                context.make_array(kind)(context, builder, arg)
                for kind, arg in zip(signature.args, args, strict=True)
                if isinstance(kind, types.Array)
            ]
            _Tile(builder, *arrays).emit(n_classes, vectors, args[3], args[5])
            return context.get_dummy_value()

        arguments = values, batch, slopes, types.intp, weights, types.intp
        return types.void(*arguments), codegen

    return add_tile


class _Tile:
    """Writes the code for one tile of classes and columns."""

    def __init__(self, builder: Any, values: Any, batch: Any, slopes: Any, weights: Any) -> None:
        self.builder = builder
        self.values, self.batch, self.slopes, self.weights = values, batch, slopes, weights
        self.number = weights.data.type.pointee
        size = {"float": 4, "double": 8}[str(self.number)]
        self.lanes = BYTES // size
        self.vector = ir.VectorType(self.number, self.lanes)
        self.align = size

    def emit(self, n_classes: int, vectors: int, first: Any, column: Any) -> None:
        builder, index = self.builder, ir.IntType(64)
        classes = [builder.add(first, index(k)) for k in range(n_classes)]
        places = [
            [self.place(self.weights, k, builder.add(column, index(v * self.lanes)))]
            for k in classes
            for v in range(vectors)
        ]
        sums = [cgutils.alloca_once_value(builder, self.load(place)) for (place,) in places]
        (size,) = cgutils.unpack_tuple(builder, self.batch.shape, 1)
        with cgutils.for_range(builder, size) as loop:
            row = builder.load(builder.gep(self.batch.data, [loop.index]))
            row = row if row.type == index else builder.sext(row, index)
            xs = [
                self.load(self.place(self.values, row, builder.add(column, index(v * self.lanes))))
                for v in range(vectors)
            ]
            for n, k in enumerate(classes):
                slope = self.spread(builder.load(self.scalar(self.slopes, loop.index, k)))
                for v, x in enumerate(xs):
                    total = sums[n * vectors + v]
                    product = builder.fmul(slope, x, flags=["contract"])
                    builder.store(
                        builder.fadd(builder.load(total), product, flags=["contract"]), total
                    )
        for (place,), total in zip(places, sums, strict=True):
            self.store(builder.load(total), place)

    def scalar(self, array: Any, row: Any, column: Any) -> Any:
        builder = self.builder
        _, width = cgutils.unpack_tuple(builder, array.shape, 2)
        return builder.gep(array.data, [builder.add(builder.mul(row, width), column)])

    def place(self, array: Any, row: Any, column: Any) -> Any:
        pointer = self.scalar(array, row, column)
        return self.builder.bitcast(pointer, self.vector.as_pointer())

    def load(self, pointer: Any) -> Any:
        loaded = self.builder.load(pointer)
        loaded.align = self.align
        return loaded

    def store(self, value: Any, pointer: Any) -> None:
        self.builder.store(value, pointer).align = self.align

    def spread(self, number: Any) -> Any:
        builder, i32 = self.builder, ir.IntType(32)
        alone = builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, i32(0))
        mask = ir.Constant(ir.VectorType(i32, self.lanes), [0] * self.lanes)
        return builder.shuffle_vector(alone, ir.Constant(self.vector, ir.Undefined), mask)


_1, _2, _3, _4, _5 = (_tile(n, 2) for n in range(1, CLASSES + 1))
_thin_1, _thin_2, _thin_3, _thin_4, _thin_5 = (_tile(n, 1) for n in range(1, CLASSES + 1))


@jit
def add_wide(values: Any, batch: Any, slopes: Any, weights: Any, column: int) -> None:
    """Add rows to all classes along two vectors of columns."""
    n_classes, k = weights.shape[0], 0
    while k + CLASSES <= n_classes:
        _5(values, batch, slopes, k, weights, column)
        k += CLASSES
    left = n_classes - k
    if left == 1:
        _1(values, batch, slopes, k, weights, column)
    elif left == 2:
        _2(values, batch, slopes, k, weights, column)
    elif left == 3:
        _3(values, batch, slopes, k, weights, column)
    elif left == 4:
        _4(values, batch, slopes, k, weights, column)


@jit
def add_thin(values: Any, batch: Any, slopes: Any, weights: Any, column: int) -> None:
    """Add rows to all classes along one vector of columns."""
    n_classes, k = weights.shape[0], 0
    while k + CLASSES <= n_classes:
        _thin_5(values, batch, slopes, k, weights, column)
        k += CLASSES
    left = n_classes - k
    if left == 1:
        _thin_1(values, batch, slopes, k, weights, column)
    elif left == 2:
        _thin_2(values, batch, slopes, k, weights, column)
    elif left == 3:
        _thin_3(values, batch, slopes, k, weights, column)
    elif left == 4:
        _thin_4(values, batch, slopes, k, weights, column)


@jit
def add_column(values: Any, batch: Any, slopes: Any, weights: Any, column: int) -> None:
    """Add rows to all classes along one column."""
    for k in range(weights.shape[0]):
        total = weights[k, column]
        for t in range(batch.shape[0]):
            total += slopes[t, k] * values[batch[t], column]
        weights[k, column] = total
