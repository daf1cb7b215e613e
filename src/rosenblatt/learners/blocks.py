"""Working through rows in blocks, on all cores, with the same result on any number of them."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, Sparse, all_finite, entries, n_rows
from rosenblatt.kernels.jit import waited_for

_BLOCK = 1 << 20  # stored numbers in a block, which take about a millisecond
T = TypeVar("T")


def block(rows: Rows, start: int, stop: int) -> Rows:
    """View some rows; of an array that is not in C order, copy them: loops run along rows."""
    if isinstance(rows, Dense):
        return Dense(np.ascontiguousarray(rows.values[start:stop]))
    return Sparse(rows.indptr[start : stop + 1], rows.indices, rows.values)


def each_block(rows: Rows, work: Callable[[Rows, slice], T], least: int = 0) -> Iterator[T]:
    """Yield, in order, what is made of each block: its rows, and where they come from.

    Blocks store about a million numbers, or ``least`` if that is more, and depend on the rows
    alone: threads share out the blocks, so how many there are changes no result.
    """
    cuts = _cuts(rows, max(least, _BLOCK))

    def one(start: int, stop: int) -> T:
        return work(block(rows, start, stop), slice(start, stop))

    if len(cuts) == 2:
        return iter([one(*cuts)])
    return in_turn(one, cuts[:-1], cuts[1:])


def _cuts(rows: Rows, least: int) -> list[int]:
    n, parts = n_rows(rows), max(1, entries(rows) // least)
    if isinstance(rows, Dense):
        return [int(cut) for cut in np.linspace(0, n, min(parts, n) + 1)]
    # Rows differ in length, so the blocks are equal in what they store.
    wanted = np.linspace(0, int(rows.indptr[-1]), parts + 1)[1:-1]
    return [0, *np.unique(np.searchsorted(rows.indptr, wanted)).tolist(), n]


def finite_numbers(X: Any) -> bool:
    """Say whether all numbers of a matrix are finite; threads share out a large one."""
    values = X.data[: X.indptr[-1]] if hasattr(X, "indptr") else X
    if values.size < 2 * _BLOCK:
        return all_finite(values)
    if values.ndim > 1 and values.flags.c_contiguous:
        values = values.ravel()
    size = max(1, len(values) * _BLOCK // values.size)
    return all(in_turn(all_finite, [values[at : at + size] for at in range(0, len(values), size)]))


def part(array: Array | None, where: slice) -> Array | None:
    """Cut what goes with the rows, if there is such a thing."""
    return None if array is None else array[where]


def cores() -> int:
    """Count the cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def pool() -> ThreadPoolExecutor:
    """Return the threads that all share; what they run must not wait for its turn among them."""
    return ThreadPoolExecutor(cores())


def in_background(work: Callable[..., T], *args: Any) -> "Future[T]":
    """Have a thread do the work; at the end of the script, when none takes more, do it here.

    So the work must not wait for anything that its caller does next.
    """
    try:
        return pool().submit(work, *args)
    except RuntimeError as error:
        if "cannot schedule new futures" not in str(error):
            raise
    done: Future[T] = Future()
    try:
        done.set_result(work(*args))
    except BaseException as error:
        done.set_exception(error)
    return done


def in_turn(work: Callable[..., T], *args: Iterable[Any]) -> Iterator[T]:
    """Yield, in order, what threads make of each of the arguments, as `map` does."""
    waiting = [in_background(work, *each) for each in zip(*args, strict=True)][::-1]
    try:
        while waiting:
            yield waited_for(waiting.pop().result)
    finally:
        for future in waiting:
            future.cancel()


if hasattr(os, "register_at_fork"):
    # A process that forks off has no threads, only what remembers them: it would wait for ever.
    os.register_at_fork(after_in_child=pool.cache_clear)
