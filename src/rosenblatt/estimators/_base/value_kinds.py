"""What the values of features are, by which naive Bayes chooses a distribution."""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, entries


class ValueKinds(NamedTuple):
    """How many values are stored, and whether all are 0 or 1, or at least counts.

    >>> from rosenblatt.data.rows import as_rows
    >>> ValueKinds().add(as_rows(np.array([[0.0, 3.0]])))
    ValueKinds(entries=2, ones=False, counts=True)
    """

    entries: int = 0
    ones: bool = True
    counts: bool = True

    def add(self, rows: Rows) -> "ValueKinds":
        """Look at more rows."""
        values = rows.values
        ones = self.ones and bool(np.all((values == 0) | (values == 1)))
        counts = self.counts and (ones or bool(np.all((values >= 0) & (values == np.rint(values)))))
        return ValueKinds(self.entries + entries(rows), ones, counts)

    def join(self, other: "ValueKinds") -> "ValueKinds":
        """Return what the values of both are."""
        return ValueKinds(
            self.entries + other.entries, self.ones and other.ones, self.counts and other.counts
        )

    def distribution(self, words: bool) -> str:
        """Return the distribution that features seem to have; ``words`` says that some are."""
        if self.ones and not words:
            return "bernoulli"
        return "multinomial" if self.counts else "gaussian"
