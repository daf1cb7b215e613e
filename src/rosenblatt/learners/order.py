"""In which order a pass visits the rows: as given, shuffled, or a random mistake each step.

Visiting rows in a random order costs more than learning from them once the data outgrow the caches.
So large data whose rows are small are shuffled at two levels (as CorgiPile does; Xu et al. 2022):
blocks of neighbouring rows in random order, then, within windows of four blocks, row by row, while
the next window is fetched from memory front to back. Labels that come sorted would survive that, so
such data are shuffled row by row all the same.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.rows import Rows, entries, n_rows
from rosenblatt.kernels.row_order import lay_blocks, shuffle, shuffle_windows
from rosenblatt.learners.online import NO_ROWS, Array, row_numbers

CACHE_BYTES = 1 << 22
WINDOW_BYTES = 1 << 17
BLOCKS_PER_WINDOW = 4
PERMUTATIONS = 32
PARTS = 64


class Visits(NamedTuple):
    """Row numbers to visit, a row to fetch ahead at each, and whether to stop at a mistake."""

    order: Array
    ahead: Array = NO_ROWS
    first_only: bool = False


class Orders:
    """Makes the order of each pass over some rows."""

    def __init__(
        self,
        rows: Rows,
        y: Array,
        rng: np.random.Generator,
        *,
        shuffle: bool = True,
        selection: str = "cyclic",
    ) -> None:
        self.n = n_rows(rows)
        self.rng = rng
        self.shuffle = shuffle
        self.selection = selection
        self.visits_all = selection == "cyclic"
        self.row_bytes = max(1, row_bytes(rows))
        rows_per_window = WINDOW_BYTES // self.row_bytes
        large = self.n * self.row_bytes > CACHE_BYTES and rows_per_window >= 16
        self.block = rows_per_window // BLOCKS_PER_WINDOW if large and well_mixed(y) else 0
        self.given = row_numbers(self.n)
        self.order = np.empty_like(self.given)
        # The stream of fetches runs a little more than a window ahead of the visits.
        self.window = self.block * BLOCKS_PER_WINDOW
        self.lead = self.window + 8
        self.stream = np.empty(self.n + self.lead if self.block else 0, self.given.dtype)

    def next(self, clean: bool = False) -> Visits:
        """Make the next pass's order; ``clean`` says that the last pass made no mistake.

        It is good until the next call, which writes over it.
        """
        if self.selection == "random_mistake":
            if not clean:
                # Drawing rows at random until one is mistaken draws a random one of the mistaken.
                return Visits(self.rng.integers(self.n, size=self.n, dtype=self.given.dtype))
            # None was found. Look at each row once; the first mistaken one is a random one, too.
            return Visits(self._row_by_row(), first_only=True)
        if not self.shuffle:
            return Visits(self.given)
        if self.block:
            self._two_level()
            return Visits(self.order, self.stream[self.lead :])
        order = self._row_by_row()
        if self.n * self.row_bytes <= CACHE_BYTES // 8:
            return Visits(order)
        return Visits(order, shifted(order, max(1, min(8, 4096 // self.row_bytes))))

    def _row_by_row(self) -> Array:
        self.order[:] = self.given
        bits = self.rng.bit_generator.random_raw(self.n // 2 + 1).view(np.uint32)
        shuffle(self.order, bits)
        return self.order

    def _two_level(self) -> None:
        blocks, rest = divmod(self.n, self.block)
        # Rows that fill no block go first and last, split at random.
        first = int(self.rng.integers(rest + 1))
        starts = first + self.rng.permutation(blocks) * self.block
        lay_blocks(starts, self.block, first, self.n, self.stream)
        # Fresh permutations each pass, but not one for each window: making those takes too long.
        table = np.broadcast_to(np.arange(self.window), (PERMUTATIONS, self.window))
        pick = self.rng.integers(PERMUTATIONS, size=self.n // self.window)
        shuffle_windows(self.stream, self.rng.permuted(table, axis=1), pick, self.order)
        end = len(pick) * self.window
        self.order[end:] = self.rng.permutation(self.stream[end : self.n])


def row_bytes(rows: Rows) -> int:
    """Estimate what visiting a row reads."""
    size = rows.values.itemsize
    if len(rows) > 1:
        size += rows[1].itemsize  # a column index for each value
    return entries(rows) * size // max(1, n_rows(rows))


def shifted(order: Array, by: int) -> Array:
    """Move an order forward in time: at each visit, the row that is due ``by`` visits later."""
    by = min(by, len(order) - 1)
    return np.concatenate([order[by:], np.repeat(order[-1:], by)])


def well_mixed(y: Array) -> bool:
    """Say whether labels come mixed: neighbours differ, and all parts have about the same share.

    Neighbours must differ at least half as often as rows apart do, and the shares of the classes in
    a 64th of the rows must on average be within a quarter of those in all rows.
    """
    codes = y if y.dtype.kind == "i" else (y > 0).astype(np.intp)
    n_classes = int(codes.max()) + 1
    part = len(y) // PARTS
    if part == 0 or n_classes > part:
        return False
    shares = np.bincount(codes, minlength=n_classes) / len(y)
    expected = (len(y) - 1) * (1 - np.sum(shares**2))
    if np.count_nonzero(codes[1:] != codes[:-1]) < 0.5 * expected:
        return False
    table = np.repeat(np.arange(PARTS), part) * n_classes + codes[: PARTS * part]
    parts = np.bincount(table, minlength=PARTS * n_classes).reshape(PARTS, n_classes) / part
    return bool(0.5 * np.abs(parts - shares).sum(axis=1).mean() < 0.25)
