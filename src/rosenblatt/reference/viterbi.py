"""The best path through a chain of labels, by dynamic programming (Viterbi 1967)."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def viterbi(
    E: Array, bigrams: Array, last: Array, trigrams: Array | None = None
) -> tuple[list[int], float]:
    """Return the best labels of n tokens, and their score.

    Row t of ``E`` scores token t's K labels, ``bigrams[i, j]`` label j after label i, where i = K
    is the start, ``trigrams[h, i, j]`` label j after h and i, and ``last[j]`` label j at the end.
    What is −∞ is forbidden. Of paths with equal scores the one with the smallest last label is the
    best, then the one with the smallest last but one, and so on: that is what argmax takes on the
    way back.
    """
    if trigrams is not None:
        return _second_order(E, bigrams, trigrams, last)
    n, K = E.shape
    best, back = bigrams[K] + E[0], []
    for t in range(1, n):
        reached = best[:, None] + bigrams[:K]  # over i, then j
        back.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + E[t]
    path = [int(np.argmax(best + last))]
    for arrows in reversed(back):
        path.append(int(arrows[path[-1]]))
    return path[::-1], float(np.max(best + last))


def _second_order(
    E: Array, bigrams: Array, trigrams: Array, last: Array
) -> tuple[list[int], float]:
    """Do the same with the best score of each two labels at the end of a path."""
    n, K = E.shape
    alone, back = bigrams[K] + trigrams[K, K] + E[0], []
    if n == 1:
        return [int(np.argmax(alone + last))], float(np.max(alone + last))
    best = alone[:, None] + bigrams[:K] + trigrams[K, :K] + E[1]
    for t in range(2, n):
        reached = best[:, :, None] + trigrams[:K, :K]  # over h, i, then j
        back.append(reached.argmax(axis=0))
        best = reached.max(axis=0) + bigrams[:K] + E[t]
    ended = (best + last).T  # the last label comes first
    label, before = divmod(int(np.argmax(ended)), K)
    path = [label, before]
    for arrows in reversed(back):
        path.append(int(arrows[path[-1], path[-2]]))
    return path[::-1], float(np.max(ended))
