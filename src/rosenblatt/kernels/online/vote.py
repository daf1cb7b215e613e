"""Voting: run through all hypotheses for a block of examples at once.

A hypothesis is the one before it plus one mistaken row, so its score is the previous score plus
one product ``x · x_mistake``. The products come from a matrix product, a row for each kept example
and a column for each example to be scored; the examples are the lanes that run in parallel.
"""

from typing import Any

import numpy as np

from rosenblatt.kernels.jit import jit
from rosenblatt.kernels.online.perceptrons import weighted


@jit
def vote_binary(
    products: Any, row: Any, right: Any, counts: Any, bias: float, running: Any, votes: Any,
    sizes: Any,
) -> None:  # fmt: skip
    """Do ``votes += Σ_n c_n sign(w_n · x)``, with ``running`` for the scores ``w_n · x``.

    ``sizes`` are the steps of the mistakes, where rows had weights; empty if all are 1.
    """
    for c in range(votes.shape[1]):
        running[0, c] = 0
        votes[0, c] += counts[0]  # the hypothesis before any mistake scores 0, and sign(0) = +1
    for n in range(row.shape[0]):
        sign = weighted(1.0 if right[n] else -1.0, sizes, n)
        product, count = products[row[n]], counts[n + 1]
        for c in range(votes.shape[1]):
            score = running[0, c] + sign * (product[c] + bias)
            running[0, c] = score
            votes[0, c] += count if score >= 0 else -count


@jit
def vote_multiclass(
    products: Any, row: Any, right: Any, wrong: Any, zero: int, counts: Any, bias: float,
    running: Any, votes: Any, sizes: Any,
) -> None:  # fmt: skip
    """Give each hypothesis's count to the class whose score is largest (the first of equals)."""
    running[:] = 0
    width = votes.shape[1]
    best, winner = np.empty(width), np.empty(width, np.intp)
    votes[zero] += counts[0]  # the hypothesis before any mistake
    for n in range(row.shape[0]):
        product, count = products[row[n]], counts[n + 1]
        up, down = running[right[n]], running[wrong[n]]
        for c in range(width):
            change = weighted(product[c] + bias, sizes, n)
            up[c] += change
            down[c] -= change
        best[:] = running[0]
        winner[:] = 0
        for k in range(1, running.shape[0]):
            score = running[k]
            for c in range(width):
                better = score[c] > best[c]
                best[c] = score[c] if better else best[c]
                winner[c] = k if better else winner[c]
        for c in range(width):
            votes[winner[c], c] += count


@jit
def score_one_hypothesis(
    products: Any, row: Any, right: Any, wrong: Any, zero: int, pick: Any, bias: float, out: Any,
    sizes: Any,
) -> None:  # fmt: skip
    """Score each example by a hypothesis of its own: the one after ``pick[c]`` mistakes."""
    for c in range(pick.shape[0]):
        if pick[c] == 0:
            out[zero, c] = np.finfo(np.float64).tiny  # scores of 0, and this class wins the tie
    for n in range(row.shape[0]):
        product = products[row[n]]
        for c in range(pick.shape[0]):
            if n < pick[c]:
                change = weighted(product[c] + bias, sizes, n)
                out[right[n], c] += change
                out[wrong[n], c] -= change
