"""Two threads that wait for each other inside compiled loops, for steps of some microseconds.

Each thread counts its own arrivals where the other can see it, and waits until the other has
counted as many. Waiting is spinning, as anything else takes longer than the steps; after a while it
lets others run, so that a busy machine is not held up, and counts that it had to.
"""

import os
from typing import Any

from rosenblatt.kernels.numba_api import intrinsic, ir, register_jitable, types

CAN_WAIT = hasattr(os, "sched_yield")
LINE = 8  # numbers in a cache line: counters share none
_SPINS = 500_000


@intrinsic
def _publish(typingctx, array, index, value):
    """Store a number so that a thread that sees it also sees all that was written before."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.gep(data, [args[1]])
        builder.store_atomic(args[2], place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.int64), codegen


@intrinsic
def _observe(typingctx, array, index):
    """Load a number, and with it all that was written before it was stored."""

    def codegen(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load_atomic(builder.gep(data, [args[1]]), "acquire", 8)

    return types.int64(array, types.intp), codegen


@intrinsic
def _let_others_run(typingctx):
    """Call the system's ``sched_yield``."""

    def codegen(context, builder, signature, args):
        if CAN_WAIT:
            kind = ir.FunctionType(ir.IntType(32), [])
            function = builder.module.globals.get("sched_yield")
            builder.call(function or ir.Function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), codegen


@register_jitable
def meet(counters: Any, me: int, count: int) -> int:
    """Say that this thread, 0 or 1, has arrived for the count-th time, and wait for the other.

    Return 1 if it took so long that others were let run, else 0.
    """
    _publish(counters, me * LINE, count)
    spins = 0
    while _observe(counters, (1 - me) * LINE) < count:
        spins += 1
        if spins > _SPINS:
            _let_others_run()
    return 1 if spins > _SPINS else 0
