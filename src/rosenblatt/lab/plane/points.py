"""Points and grids in the plane, as a page sends them, and decision regions as it draws them."""

from base64 import b64encode
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array, Rows, as_rows

POINTS = 5_000
CLASSES = 6
NAME = 60  # letters of a class's name
FARTHEST = 1e9  # so that squares and their sums, and what they are divided by, are numbers
NEAREST = 1e-100
COLUMNS = 3


class Points(NamedTuple):
    """Points of classes that are there, and the classes' names.

    ``y`` numbers the classes that have points, 0…K−1; ``present`` says which of the ``classes``
    these are.
    """

    X: Array
    y: Array
    classes: list[str]
    present: Array

    @property
    def rows(self) -> Rows:
        """The points as the library's rows."""
        return as_rows(self.X)

    @property
    def binary(self) -> bool:
        """Whether two classes have points."""
        return len(self.present) == 2

    def class_of(self, number: int) -> int:
        """Return the place in ``classes`` of a class that is there."""
        return int(self.present[number])


def as_points(points: Any, classes: Any, *, least: int = 0) -> Points:
    """Check points and classes; ``least`` is how many classes must have points."""
    names = as_classes(classes)
    table = as_table(points)
    numbers = table[:, 2]
    wrong = np.flatnonzero((numbers % 1 != 0) | (numbers < 0) | (numbers >= len(names)))
    if wrong.size:
        raise ValueError(
            f"point {wrong[0]} is of class {numbers[wrong[0]]:g}, and the classes have the numbers "
            f"0 to {len(names) - 1}"
        )
    present, y = np.unique(numbers.astype(np.intp), return_inverse=True)
    if len(present) < least:
        raise ValueError(too_few(names, present))
    return Points(np.ascontiguousarray(table[:, :2]), y.astype(np.intp), names, present)


def too_few(names: list[str], present: Array) -> str:
    """Say that points of another class are needed, and which."""
    missing = [name for k, name in enumerate(names) if k not in present][:2]
    what = " and one of ".join(missing) if not len(present) else (missing or ["another class"])[0]
    return f"the learners need points of two classes; add one of {what}"


def as_table(points: Any) -> Array:
    """Return points as three columns of finite numbers."""
    if not isinstance(points, list):
        raise ValueError("points must be a list of [x1, x2, class]")
    if len(points) > POINTS:
        raise ValueError(f"there are {len(points):,} points, and the lab takes up to {POINTS:,}")
    if not points:
        return np.empty((0, COLUMNS))
    try:
        table = np.array(points)
    except (ValueError, OverflowError):
        table = np.empty(0, object)
    if table.dtype.kind not in "iuf" or table.shape != (len(points), COLUMNS):
        raise ValueError("each point must be three numbers, [x1, x2, class]")
    table = table.astype(np.float64)
    far = np.flatnonzero(~(np.abs(table) <= FARTHEST).all(axis=1))
    if far.size:
        raise ValueError(f"the numbers of point {far[0]} must be between ±{FARTHEST:,.0f}")
    near = np.flatnonzero(((table != 0) & (np.abs(table) < NEAREST)).any(axis=1))
    if near.size:
        raise ValueError(
            f"the numbers of point {near[0]} must be 0, or no nearer to it than {NEAREST}"
        )
    return table


def as_classes(classes: Any) -> list[str]:
    """Check the names of classes."""
    if not isinstance(classes, list) or not 1 <= len(classes) <= CLASSES:
        raise ValueError(f"classes must be a list of one to {CLASSES} names")
    if not all(isinstance(name, str) and 0 < len(name) <= NAME for name in classes):
        raise ValueError(f"a class has a name of 1 to {NAME} letters")
    if len(set(classes)) < len(classes):
        raise ValueError("two classes have the same name; rename one of them")
    return list(classes)


def as_whole(value: Any, name: str, least: int, most: int) -> int:
    """Check a whole number."""
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}")
    return value


def as_flag(value: Any, name: str) -> bool:
    """Check a true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")
    return value


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
