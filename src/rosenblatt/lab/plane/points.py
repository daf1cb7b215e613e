"""Points in the plane, as a page sends them: checked, and as rows and class numbers."""

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
