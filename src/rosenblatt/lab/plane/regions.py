"""Decision regions: a grid of places in the view, and what each is taken for, as bytes."""

from base64 import b64encode
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.lab.plane.points import FARTHEST

FULL = 127
CELLS = 40_000
SIDE = 400


class Grid(NamedTuple):
    """The middles of the cells of a view, row by row from the top."""

    X: Array

    @property
    def rows(self) -> Rows:
        """The places as the library's rows."""
        return as_rows(self.X)


def as_grid(view: Any, grid: Any) -> Grid:
    """Check a view [x0, x1, y0, y1] and a resolution [across, up], and lay the grid."""
    edges = as_view(view)
    whole = isinstance(grid, list) and len(grid) == 2 and all(type(k) is int for k in grid)
    if not whole or not all(2 <= k <= SIDE for k in grid) or grid[0] * grid[1] > CELLS:
        raise ValueError(
            f"grid must be two whole numbers from 2 to {SIDE}, of no more than {CELLS:,} cells"
        )
    x0, x1, y0, y1 = edges
    across = x0 + (x1 - x0) * (np.arange(grid[0]) + 0.5) / grid[0]
    down = y1 - (y1 - y0) * (np.arange(grid[1]) + 0.5) / grid[1]
    return Grid(np.column_stack([np.tile(across, len(down)), np.repeat(down, len(across))]))


def as_view(view: Any) -> list[float]:
    """Check the edges of a view."""
    good = isinstance(view, list) and len(view) == 4
    good = good and all(type(v) in (int, float) and abs(v) <= 10 * FARTHEST for v in view)
    if not good or not (view[0] < view[1] and view[2] < view[3]):
        raise ValueError("view must be four numbers, [x0, x1, y0, y1], with x0 < x1 and y0 < y1")
    return [float(v) for v in view]


def pack_scores(scores: Array, full: float | None = None) -> str:
    """Pack scores of two classes as signed bytes: only 0 becomes 0, and ``full`` becomes 127."""
    largest = float(np.abs(scores).max(initial=0.0)) if full is None else full
    if not largest > 0:
        return _text(np.zeros(len(scores), np.int8))
    sizes = np.minimum(np.ceil(np.abs(scores) * (FULL / largest)), FULL)
    return _text(np.copysign(sizes, scores).astype(np.int8))


def pack_classes(numbers: Array) -> str:
    """Pack class numbers as bytes."""
    return _text(numbers.astype(np.uint8))


def _text(cells: Array) -> str:
    return b64encode(cells.tobytes()).decode("ascii")
