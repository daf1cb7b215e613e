"""Scores of sixteen labels at a time, kept in a register until they are complete.

These are plain sums and maxima. Written as loops they would read and write all scores for each
feature, or each label before; a compiler does not see that sixteen of them fit into a register.
"""

from typing import Any

from rosenblatt.kernels.numba_api import cgutils, intrinsic, ir, types

LANES = 16
_BYTES = 4  # of a float32


def _index() -> Any:
    return ir.IntType(64)


def _short() -> Any:
    return ir.IntType(16)


def _floats() -> Any:
    return ir.VectorType(ir.FloatType(), LANES)


def _shorts() -> Any:
    return ir.VectorType(_short(), LANES)


def _spread(builder: Any, value: Any, vector: Any) -> Any:
    i32, empty = ir.IntType(32), ir.Constant(vector, ir.Undefined)
    alone = builder.insert_element(empty, value, i32(0))
    return builder.shuffle_vector(alone, empty, ir.Constant(ir.VectorType(i32, LANES), [0] * LANES))


def _vector(builder: Any, data: Any, at: Any, kind: Any = None) -> Any:
    return builder.bitcast(builder.gep(data, [at]), (kind or _floats()).as_pointer())


def _load(builder: Any, data: Any, at: Any) -> Any:
    loaded = builder.load(_vector(builder, data, at))
    loaded.align = _BYTES
    return loaded


def _number(builder: Any, data: Any, at: Any) -> Any:
    return builder.sext(builder.load(builder.gep(data, [at])), _index())


@intrinsic
def sum_rows(typingctx, features, token, places, blocks, out, at):
    """Do ``out[at, :] = Σ_q blocks[places[features[token, q], b]]`` for each block b of labels.

    Features and places are int32, blocks and sums float32; all arrays are in C order.
    """

    def codegen(context, builder, signature, args):
        features, places, blocks, out = (
            context.make_array(signature.args[n])(context, builder, args[n]) for n in (0, 2, 3, 4)
        )
        token, at = args[1], args[5]
        _, templates = cgutils.unpack_tuple(builder, features.shape, 2)
        _, per_feature = cgutils.unpack_tuple(builder, places.shape, 2)
        row = builder.mul(token, templates)
        zero = ir.Constant(_floats(), [0.0] * LANES)
        total = cgutils.alloca_once_value(builder, zero)
        with cgutils.for_range(builder, per_feature) as block:
            builder.store(zero, total)
            with cgutils.for_range(builder, templates) as loop:
                feature = _number(builder, features.data, builder.add(row, loop.index))
                place = builder.add(builder.mul(feature, per_feature), block.index)
                line = _number(builder, places.data, place)
                found = _load(builder, blocks.data, builder.mul(line, _index()(LANES)))
                builder.store(builder.fadd(builder.load(total), found), total)
            start = builder.mul(at, builder.mul(per_feature, _index()(LANES)))
            start = builder.add(start, builder.mul(block.index, _index()(LANES)))
            builder.store(builder.load(total), _vector(builder, out.data, start)).align = _BYTES
        return context.get_dummy_value()

    arguments = features, types.intp, places, blocks, out, types.intp
    return types.void(*arguments), codegen


@intrinsic
def best_before(
    typingctx, old, old_at, old_step, table, table_at, table_step, rank, more, more_at, best,
    best_at, come, come_at,
):  # fmt: skip
    """Find the best predecessor of each label; of equal ones the first in ``rank``.

    Do ``best[best_at + j] = max_i old[old_at + i·old_step] + table[table_at + i·table_step + j]``
    plus ``more[more_at + j]``, and write the i to ``come[come_at + j]``, for all j of a row. Places
    count from an array's start as if it had one side. ``come`` is int16, ``rank`` int32.
    """

    def codegen(context, builder, signature, args):
        def array(n: int) -> Any:
            return context.make_array(signature.args[n])(context, builder, args[n])

        old, table, rank, more, best, come = (array(n) for n in (0, 3, 6, 7, 9, 11))
        old_at, old_step, table_at, table_step = args[1], args[2], args[4], args[5]
        more_at, best_at, come_at = args[8], args[10], args[12]
        labels = cgutils.unpack_tuple(builder, rank.shape, 1)[0]
        width = cgutils.unpack_tuple(builder, more.shape)[-1]
        low = ir.Constant(_floats(), [float("-inf")] * LANES)
        first = builder.load(rank.data)
        start = _spread(builder, builder.trunc(first, _short()), _shorts())
        top, label = (cgutils.alloca_once_value(builder, value) for value in (low, start))
        with cgutils.for_range(builder, builder.udiv(width, _index()(LANES))) as block:
            lane = builder.mul(block.index, _index()(LANES))
            builder.store(low, top)
            builder.store(start, label)
            with cgutils.for_range(builder, labels) as loop:
                i = _number(builder, rank.data, loop.index)
                place = builder.add(old_at, builder.mul(i, old_step))
                score = builder.load(builder.gep(old.data, [place]))
                line = builder.add(table_at, builder.mul(i, table_step))
                arrow = _load(builder, table.data, builder.add(line, lane))
                reached = builder.fadd(_spread(builder, score, _floats()), arrow)
                before = builder.load(top)
                better = builder.fcmp_ordered(">", reached, before)
                builder.store(builder.select(better, reached, before), top)
                number = _spread(builder, builder.trunc(i, _short()), _shorts())
                builder.store(builder.select(better, number, builder.load(label)), label)
            extra = _load(builder, more.data, builder.add(more_at, lane))
            target = _vector(builder, best.data, builder.add(best_at, lane))
            builder.store(builder.fadd(builder.load(top), extra), target).align = _BYTES
            target = _vector(builder, come.data, builder.add(come_at, lane), _shorts())
            builder.store(builder.load(label), target).align = 2
        return context.get_dummy_value()

    place = types.intp
    arguments = (
        old, place, place, table, place, place, rank, more, place, best, place, come, place,
    )  # fmt: skip
    return types.void(*arguments), codegen
