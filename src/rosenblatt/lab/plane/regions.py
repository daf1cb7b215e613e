"""Decision regions: a grid of places in the view, and what each is taken for, as bytes."""

from base64 import b64encode
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, as_rows
from rosenblatt.lab.plane.points import FARTHEST

FULL = 127
RATIO = float(np.log(1e12)) / (FULL - 1)
CELLS = 40_000
SIDE = 400


class Grid(NamedTuple):
    """The middles of the cells of a view, row by row from the top."""

    X: Array

    @property
    def rows(self) -> Rows:
        """The places as the library's rows."""
        return as_rows(self.X)


def as_grid(view: Any, grid: Any) -> Grid | None:
    """Check a view [x0, x1, y0, y1] and a resolution [across, up], and lay the grid; or none."""
    edges = as_view(view)
    if grid is None:
        return None
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


def pack_scores(scores: Array) -> str:
    """Pack scores of two classes as signed bytes: the sign is the class, and only 0 becomes 0.

    Borders are found between a score above zero and one below by the ratio of their sizes, which
    may be tiny everywhere near a border. So bytes are logarithms: 127 stands for the largest size,
    and each one less for a size smaller by the same ratio, down to 10⁻¹² of it.
    """
    return _text(np.copysign(_levels(np.abs(scores)), scores).astype(np.int8))


def pack_classes(present: Array, scores: Array) -> str:
    """Pack what scores of more classes say: a byte for each place's class, then one for its lead.

    The lead is the largest score less the second largest, as a byte like those of two classes.
    """
    second, first = np.partition(scores, -2, axis=0)[-2:]
    leads = _levels(first - second).astype(np.uint8)
    return _text(np.concatenate([present[scores.argmax(axis=0)].astype(np.uint8), leads]))


def _levels(sizes: Array) -> Array:
    """Return sizes as whole numbers up to 127, by their logarithms; only 0 becomes 0."""
    largest = float(sizes.max(initial=0.0))
    levels = np.zeros(len(sizes))
    some = sizes > 0
    powers = np.log(sizes[some]) - np.log(largest) if largest > 0 else 0.0
    levels[some] = np.maximum(np.round(FULL + powers / RATIO), 1)
    return levels


def _text(cells: Array) -> str:
    return b64encode(cells.tobytes()).decode("ascii")
