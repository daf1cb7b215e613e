"""Scores of the same rows after every step of a kernel perceptron, brought up to date one by one.

`dual_scores` computes what they are after some steps; this goes on from the step before, at the
cost of one line of kernel values for each mistake.
"""

from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Rows, all_finite, n_rows
from rosenblatt.kernels.dual import (
    Changes,
    vote_each,
    vote_jointly,
    vote_jointly_now,
    vote_now,
)
from rosenblatt.learners.gram import Kernel
from rosenblatt.learners.gram_host import HostGrams
from rosenblatt.learners.online import n_functions, too_large

HOW = ("vote", "average", "last")


class Standing:
    """Rows, and how they score by the vote, the mean or the last of the hypotheses so far.

    Parameters
    ----------
    kernel : Kernel
        With its bias.
    learned, scored : Rows
        The rows that are learned from, and those to score.
    n_classes : int
    joint : bool
        Whether K > 2 classes learn jointly, and a hypothesis votes for one of them.
    how : {"vote", "average", "last"}
    """

    def __init__(
        self,
        kernel: Kernel,
        learned: Rows,
        scored: Rows,
        n_classes: int,
        joint: bool,
        how: str = "vote",
    ) -> None:
        width = learned.values.shape[1]
        self.grams: Any = HostGrams(kernel, scored, learned, width)
        known, n = n_rows(learned), n_rows(scored)
        self.lanes = self.grams.lanes(known + np.arange(n))
        self.kernel, self.how, self.joint = kernel, how, joint and n_classes > 2
        functions = n_functions(n_classes)
        self.last, self.other = np.zeros((2, functions, n))  # the other: votes, or late sums
        self.born = np.ones(functions, np.int64)
        self.since = np.ones(1 if self.joint else functions, np.int64)
        self.step = 0

    def learn(self, row: int, step: int, function: Array, change: Array) -> None:
        """Take over the changes that a mistake about one of the learned rows made in a step."""
        values = self.grams.values(self.grams.take(np.array([row])), self.lanes)
        if not all_finite(values):
            raise too_large(f"values of {self.kernel} are", values.dtype)
        count = len(function)
        log = Changes(np.zeros(count, np.int64), np.full(count, step), function, change)
        if self.how == "vote" and self.joint:
            now = self.since, self.born, self.last, self.other
            vote_jointly(values, log, 0, count, *now)
        elif self.how == "vote":
            vote_each(values, log, 0, count, self.since, self.last, self.other)
        else:
            for k, by in zip(function.tolist(), change.tolist(), strict=True):
                self.last[k] += by * values[0]
                self.other[k] += (step - 1) * by * values[0]

    def scores(self, step: int) -> Array:
        """Return the scores after a step: a line for each function, to be read only.

        Votes are shares of all votes.
        """
        if self.how == "last":
            return self.last
        if self.how == "average":
            return np.asarray(self.last - self.other / max(step, 1))
        if self.joint:
            vote_jointly_now(step, self.since, self.born, self.last, self.other)
        else:
            vote_now(step, self.since, self.last, self.other)
        return np.asarray(self.other / max(step, 1))
