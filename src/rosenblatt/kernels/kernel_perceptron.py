"""The loops of the kernel perceptron: a block of examples in order, and votes of all hypotheses.

What is known of a block is a table of scores, a line for each function and a column (a lane) for
each example. Learning from an example adds multiples of its kernel values, a line as well, to some
of these lines; so every loop here runs along the lanes.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.online.perceptrons import TIE_IS_MISTAKE

NOT_HERE = -1
DONE = -1


class Block(NamedTuple):
    """Examples to be visited, and what learning from one of them does to the others.

    ``ids`` numbers the examples, ``labels`` has their classes, ``scores`` a line for each function.
    ``values[where[i]]`` are the kernel values of the example with the number i and each of these;
    ``where[i]`` is NOT_HERE if they were not computed.
    """

    ids: Any
    labels: Any
    scores: Any
    values: Any
    where: Any


class Changes(NamedTuple):
    """Changes of coefficients: of which example, in which step, which function, how much.

    In a negative step an example was forgotten, and another one learned from.
    """

    row: Any
    step: Any
    function: Any
    change: Any


class Queue(NamedTuple):
    """The support in the order in which it will be forgotten, as a ring of links.

    ``newer`` and ``older`` have a place for each example and one more, where the ring begins; an
    example that is its own neighbour is not in it. ``size[0]`` counts, and ``coef`` has the
    coefficients, a line for each example.
    """

    newer: Any
    older: Any
    coef: Any
    size: Any
    limit: int


@jit
def add_changes(values: Any, row: Any, function: Any, change: Any, scores: Any) -> None:
    """Add to the scores what changes of coefficients mean; ``values`` are the kernel's."""
    for n in range(row.shape[0]):
        line, score, factor = values[row[n]], scores[function[n]], np.float64(change[n])
        for c in range(score.shape[0]):
            score[c] += factor * line[c]


@jit
def _is_wrong(right: bool, score: float, ties: int) -> bool:
    if ties == TIE_IS_MISTAKE:
        return score <= 0 if right else score >= 0
    return score < 0 if right else score >= 0


@jit
def _rival(scores: Any, lane: int, label: int) -> int:
    """Return the best of the other classes, the first of equals."""
    rival = 1 if label == 0 else 0
    for k in range(rival + 1, scores.shape[0]):
        if k != label and scores[k, lane] > scores[rival, lane]:
            rival = k
    return rival


@jit
def _loses(scores: Any, lane: int, label: int, rival: int, ties: int) -> bool:
    right, other = scores[label, lane], scores[rival, lane]
    return right < other or (right == other and (ties == TIE_IS_MISTAKE or rival < label))


@jit
def _judge(block: Block, lane: int, joint: bool, ties: int, function: Any, change: Any) -> int:
    """Write down which functions have to change and by how much; return how many they are."""
    label, scores, count = block.labels[lane], block.scores, 0
    if joint:
        rival = _rival(scores, lane, label)
        if _loses(scores, lane, label, rival, ties):
            function[0], change[0] = label, 1
            function[1], change[1] = rival, -1
            count = 2
        return count
    binary = scores.shape[0] == 1
    for k in range(scores.shape[0]):
        right = label == (1 if binary else k)
        if _is_wrong(right, scores[k, lane], ties):
            function[count], change[count] = k, 1 if right else -1
            count += 1
    return count


@jit
def margins(block: Block, start: int, joint: bool, ties: int, out: Any) -> int:
    """Say how far each lane is from being wrong, −∞ if it is; return how many are.

    Lanes before ``start``, and those whose kernel values are here, count as infinitely far.
    """
    scores, wrong, binary = block.scores, 0, block.scores.shape[0] == 1
    out[:] = np.inf
    for lane in range(start, block.ids.shape[0]):
        if block.where[block.ids[lane]] != NOT_HERE:
            continue
        label, amiss = block.labels[lane], False
        if joint:
            rival = _rival(scores, lane, label)
            out[lane] = scores[label, lane] - scores[rival, lane]
            amiss = _loses(scores, lane, label, rival, ties)
        else:
            for k in range(scores.shape[0]):
                right, score = label == (1 if binary else k), scores[k, lane]
                out[lane] = min(out[lane], score if right else -score)
                amiss = amiss or _is_wrong(right, score, ties)
        if amiss:
            out[lane] = -np.inf
            wrong += 1
    return wrong


@jit
def visit(
    block: Block, start: int, joint: bool, ties: int, step: int, queue: Any, log: Changes, used: int
) -> Any:
    """Learn from the lanes in order, from ``start`` on.

    ``step`` is the number of the step before lane 0, and ``used`` says how much of the log is
    written. Returns the lane where it stopped, how much of the log is written then, how many
    mistakes were made, and the number of an example whose kernel values are needed next: then
    nothing has been learned from that lane yet.
    """
    most = max(2, block.scores.shape[0])
    function, change = np.empty(most, np.int64), np.empty(most, np.int64)
    mistakes = 0
    for lane in range(start, block.ids.shape[0]):
        count = _judge(block, lane, joint, ties, function, change)
        if count == 0:
            continue
        row = block.ids[lane]
        if block.where[row] == NOT_HERE:
            return lane, used, mistakes, row
        if queue is not None:
            ring = queue.older.shape[0] - 1
            full = queue.newer[row] == row and queue.size[0] == queue.limit
            oldest = queue.newer[ring]
            if full and block.where[oldest] == NOT_HERE:
                return lane, used, mistakes, oldest
            if full:
                used = _forget(block, queue, oldest, step + lane + 1, log, used)
            _to_the_end(queue, row)
            for n in range(count):
                queue.coef[row, function[n]] += change[n]
        for n in range(count):
            _write(block, row, step + lane + 1, function[n], change[n], log, used)
            used += 1
        mistakes += 1 if joint else count
    return block.ids.shape[0], used, mistakes, DONE


@jit
def _write(
    block: Block, row: int, step: int, function: int, change: int, log: Changes, at: int
) -> None:
    log.row[at], log.step[at] = row, step
    log.function[at], log.change[at] = function, change
    line, score = block.values[block.where[row]], block.scores[function]
    factor = np.float64(change)
    for c in range(score.shape[0]):
        score[c] += factor * line[c]


@jit
def _forget(block: Block, queue: Queue, row: int, step: int, log: Changes, used: int) -> int:
    coef = queue.coef[row]
    for k in range(coef.shape[0]):
        if coef[k] != 0 or k == 0:  # one at least, even if new labels made all of them zero
            _write(block, row, -step, k, -coef[k], log, used)
            coef[k] = 0
            used += 1
    _leave(queue, row)
    return used


@jit
def _leave(queue: Queue, row: int) -> None:
    newer, older = queue.newer[row], queue.older[row]
    queue.older[newer], queue.newer[older] = older, newer
    queue.newer[row] = queue.older[row] = row
    queue.size[0] -= 1


@jit
def _to_the_end(queue: Queue, row: int) -> None:
    if queue.newer[row] != row:
        _leave(queue, row)
    ring = queue.older.shape[0] - 1
    last = queue.older[ring]
    queue.newer[last], queue.older[row] = row, last
    queue.newer[row], queue.older[ring] = ring, row
    queue.size[0] += 1


@jit
def vote_each(
    values: Any, log: Changes, first: int, last: int, since: Any, scores: Any, votes: Any
) -> None:
    """Go through changes and let each function's hypothesis vote when the next one takes over.

    ``since`` is the step in which each function's present hypothesis was made.
    """
    for n in range(first, last):
        k = log.function[n]
        score, vote, line = scores[k], votes[k], values[log.row[n]]
        factor = np.float64(log.change[n])
        count = np.float64(log.step[n] - since[k])
        if count > 0:
            since[k] = log.step[n]
            for c in range(score.shape[0]):
                vote[c] += count if score[c] >= 0 else -count
                score[c] += factor * line[c]
        else:
            for c in range(score.shape[0]):
                score[c] += factor * line[c]


@jit
def vote_now(end: int, since: Any, scores: Any, votes: Any) -> None:
    """Let the hypotheses of a step vote for the steps that they have lived, up to this one."""
    for k in range(scores.shape[0]):
        score, vote, count = scores[k], votes[k], np.float64(end + 1 - since[k])
        if count > 0:
            for c in range(score.shape[0]):
                vote[c] += count if score[c] >= 0 else -count
            since[k] = end + 1


@jit
def vote_jointly(
    values: Any, log: Changes, first: int, last: int, since: Any, born: Any, scores: Any, votes: Any
) -> None:
    """Go through changes and let each hypothesis vote for its best class when the next takes over.

    ``since[0]`` is the step in which the present hypothesis was made. It knows the classes that
    were there by then; ``born`` is the step from which a class was there.
    """
    for n in range(first, last):
        if log.step[n] > since[0]:
            vote_jointly_now(log.step[n] - 1, since, born, scores, votes)
        score, line, factor = scores[log.function[n]], values[log.row[n]], np.float64(log.change[n])
        for c in range(score.shape[0]):
            score[c] += factor * line[c]


@jit
def vote_jointly_now(end: int, since: Any, born: Any, scores: Any, votes: Any) -> None:
    """Let the present hypothesis vote for the steps that it has lived, up to this one."""
    count = np.float64(end + 1 - since[0])
    if count <= 0:
        return
    width = scores.shape[1]
    best, winner = np.full(width, -np.inf), np.zeros(width, np.intp)
    for k in range(scores.shape[0]):
        if born[k] > since[0]:
            continue
        score = scores[k]
        for c in range(width):
            better = score[c] > best[c]
            best[c] = score[c] if better else best[c]
            winner[c] = k if better else winner[c]
    for c in range(width):
        votes[winner[c], c] += count
    since[0] = end + 1


@jit
def score_at(values: Any, log: Changes, last: int, pick: Any, scores: Any) -> None:
    """Score each lane by the hypotheses of a step of its own; ``last`` changes lead to them all."""
    for n in range(last):
        line, score, factor = values[log.row[n]], scores[log.function[n]], np.float64(log.change[n])
        step = log.step[n]
        for c in range(score.shape[0]):
            score[c] += factor * line[c] if step <= pick[c] else 0.0
