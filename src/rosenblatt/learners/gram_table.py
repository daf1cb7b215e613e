"""Kernel values that the caller computed."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix
from rosenblatt.kernels.dual import add_changes
from rosenblatt.learners.gram import IN_MEMORY, Kernel, Part


class TableGrams:
    """Kernel values that the caller computed: a line for each example, a column for each row."""

    block_size, tile_size, ahead = IN_MEMORY

    def __init__(self, kernel: Kernel, table: Rows, columns: Array, n_features: int) -> None:
        self.kernel, self.columns = kernel, columns
        self.table = as_matrix(table, n_features)
        self.known = len(columns)

    def take(self, ids: Array) -> Array:
        """Return the columns that the rows have in the table."""
        new = ids >= self.known
        return np.where(
            new, ids - self.known, self.columns[np.where(new, 0, ids)] if self.known else 0
        )

    def cut(self, taken: Array, start: int) -> Array:
        """Return all but the first of the columns."""
        return taken[start:]

    def rows_of(self, ids: Array) -> Rows:
        """Return rows without columns: all that is kept of them is their numbers."""
        return Dense(np.empty((len(ids), 0)))

    def lanes(self, ids: Array) -> Any:
        """Return the lines of the examples."""
        return self.table[ids - self.known]

    def values(self, taken: Array, lanes: Any) -> Array:
        """Look the values up."""
        found = lanes[:, taken]
        values = np.ascontiguousarray((found.toarray() if hasattr(found, "toarray") else found).T)
        return np.asarray(values + values.dtype.type(self.kernel.bias))

    def add(self, parts: Iterable[Part], lanes: Any, scores: Array) -> None:
        """Add to a block's scores what changes of coefficients mean for them."""
        for taken, row, function, change in parts:
            add_changes(self.values(taken, lanes), row, function, change, scores)
