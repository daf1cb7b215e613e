"""Passes over rows in memory, as `rosenblatt.training.trainer` makes them over files."""

import numpy as np

from rosenblatt.passes import BlockEnd, Pass, PassEnd, Run, run_passes
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.training.shuffling import SEED, Batch, in_order

_ROWS = 1 << 14  # learned from at once, so that Ctrl-C works


def passes_over(batch: Batch, model: OnlineClassifier, passes: int | None, shuffle: bool) -> Run:
    """Make the passes over rows that `rosenblatt.training.trainer` makes over files."""
    n = len(batch.labels)

    def one_pass(model: OnlineClassifier, number: int, clean: bool) -> Pass:
        if number > 1:
            model.next_pass()
        mistakes = seen = 0
        for part in in_order(batch, SEED if shuffle else None, number - 1):
            for start in range(0, len(part.labels), _ROWS):
                piece = part.part(start, min(start + _ROWS, len(part.labels)))
                mistakes += model.learn_rows(*piece)
                rows = np.arange(seen, seen + len(piece.labels))
                seen += len(piece.labels)
                yield BlockEnd(model, rows, number, seen, mistakes, seen == n)
        return PassEnd(model, mistakes)

    return run_passes(one_pass, model, passes or model.usual_passes(n), model.stopping_rule())
