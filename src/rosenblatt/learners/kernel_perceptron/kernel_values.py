"""Kernels, and what computes their values for many rows and a block of examples.

`kernel_values_cpu` computes them in main memory, `kernel_values_gpu` on a GPU; `TableGrams` looks
them up.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol

import numpy as np

from rosenblatt.data.rows import Array, Dense, Rows, as_matrix
from rosenblatt.kernels.kernel_perceptron import add_changes

CALLABLE, PRECOMPUTED = "callable", "precomputed"
IN_MEMORY = 1024, 512, 8  # sizes of a block and a tile, and how many ahead: the same orders for all


class Kernel(NamedTuple):
    """Which kernel, and its parameters; those that it does not have are not looked at.

    "linear" is ``x·z``, "poly" ``(γ x·z + c)^d``, "rbf" ``exp(−γ ‖x − z‖²)`` and "laplacian"
    ``exp(−γ ‖x − z‖₁)``; "callable" is the caller's function of two matrices, and "precomputed"
    looks the values up. ``bias`` is added to each value: it stands for an intercept.
    """

    name: str = "linear"
    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0
    bias: float = 0.0
    function: Callable[..., Any] | None = None

    def __str__(self) -> str:
        """Name the kernel, as errors do."""
        if self.name == CALLABLE:
            return f"the kernel {getattr(self.function, '__name__', repr(self.function))}"
        return f"the {self.name} kernel" + (
            f" of degree {self.degree}" if self.name == "poly" else ""
        )


class Part(NamedTuple):
    """Rows that were taken, and changes of their coefficients: which row, which function."""

    taken: Any
    row: Array
    function: Array
    change: Array


class Grams(Protocol):
    """Where rows lie and their kernel values are computed: in main memory, or on a device.

    The rows kept from earlier have the numbers 0…S−1, those learned from now S…S+n−1. Examples are
    visited in blocks, and rows that changed are multiplied with them in tiles, of the sizes that
    suit it; ``ahead`` is how many kernel values it pays to compute before they are needed.
    """

    block_size: int
    tile_size: int
    ahead: int

    def take(self, ids: Array) -> Any:
        """Get rows ready to be multiplied with many blocks."""

    def cut(self, taken: Any, start: int) -> Any:
        """Leave out the first of the rows that were taken."""

    def lanes(self, ids: Array) -> Any:
        """Get the examples of a block ready; those of the block before are no longer."""

    def rows_of(self, ids: Array) -> Rows:
        """Copy rows to main memory, to be kept."""

    def values(self, taken: Any, lanes: Any) -> Array:
        """Return the kernel values, a line for each row taken and a column for each example.

        They may lie where the next ones will be written.
        """

    def add(self, parts: Iterable[Part], lanes: Any, scores: Array) -> None:
        """Add to a block's scores what changes of coefficients mean for them."""


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
            values = self.values(taken, lanes)
            add_changes(values, row, function, change.astype(np.float64, copy=False), scores)
