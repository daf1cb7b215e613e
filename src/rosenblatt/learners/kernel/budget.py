"""A budget for the kernel perceptron: the row that was not learned from for longest is forgotten.

It is the rule of the Forgetron (Dekel, Shalev-Shwartz and Singer 2008), without its shrinking.
"""

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.kernels.dual import Changes, Queue


def line_up(row: Array, coef: Array, limit: int, step: int) -> tuple[Queue, Changes]:
    """Line rows up to be forgotten, and forget those that are too many already.

    ``row`` lists the changes so far: who changed last comes last. ``coef`` has a line for each
    example, and that of a forgotten one becomes zero.
    """
    size = len(coef)
    last = np.full(size, -1)
    np.maximum.at(last, row, np.arange(len(row)))
    line = np.argsort(last, kind="stable")[np.count_nonzero(last < 0) :]
    limit = min(limit, size)
    gone, line = np.split(line, [max(len(line) - limit, 0)])  # the limit may have been lowered
    ring = np.concatenate([[size], line])
    newer, older = np.arange(size + 1), np.arange(size + 1)
    newer[ring], older[ring] = np.roll(ring, -1), np.roll(ring, 1)
    forgotten = _without(gone, coef, step)
    return Queue(newer, older, coef, np.array([len(line)]), limit), forgotten


def _without(gone: Array, coef: Array, step: int) -> Changes:
    """Take coefficients away, as of a step."""
    listed = coef[gone] != 0
    listed[:, :1] = True  # one at least, even if new labels made all of them zero
    place, function = np.nonzero(listed)
    row = gone[place]
    change = -coef[row, function]
    coef[gone] = 0
    return Changes(row, np.full(len(row), -step), function, change)


def since_forgetting(log: Changes, first: int) -> tuple[Changes, int]:
    """Sum up the changes to where a row was last forgotten: hypotheses before that are lost."""
    gone = np.flatnonzero(log.step < 0)
    if not len(gone):
        return log, first
    end, first = int(gone[-1]) + 1, -int(log.step[gone[-1]])
    rows, place = np.unique(log.row[:end], return_inverse=True)
    coef = np.zeros((len(rows), log.function.max() + 1), np.int64)
    np.add.at(coef, (place, log.function[:end]), log.change[:end])
    last = np.zeros(len(rows), np.int64)
    last[place] = np.arange(end)
    stays = np.argsort(last)[log.step[np.sort(last)] > 0]
    coef = coef[stays]
    # A row whose coefficients cancel out is still there, and it counts.
    listed = coef != 0
    listed[~listed.any(axis=1), 0] = True
    at, function = np.nonzero(listed)
    summed = Changes(rows[stays[at]], np.full(len(at), first), function, coef[at, function])
    parts = (np.concatenate([a, b[end:]]) for a, b in zip(summed, log, strict=True))
    return Changes(*parts), first
