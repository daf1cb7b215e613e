"""The points as lines of Python code: written out, or read from the file that the page saves."""

from collections.abc import Sequence
from re import compile as pattern
from typing import Any, NamedTuple

from rosenblatt.lab.plane.points import Points

LISTED = 60  # points that are written out; more are read from the file
WIDTH = 100
_WHOLE = pattern(r"[+-]?[0-9]{1,15}")


class Labels(NamedTuple):
    """A label for each class that is there, and the code that makes one of a name."""

    values: list[Any]
    made: str

    @classmethod
    def of(cls, points: Points) -> "Labels":
        """Choose labels that the library sorts as the page does.

        Names that are whole numbers are these numbers. Names that sort otherwise are the classes'
        places.
        """
        names = [points.classes[place] for place in points.present]
        numbers = [int(name) for name in names if _WHOLE.fullmatch(name)]
        if len(numbers) == len(names) and numbers == sorted(set(numbers)):
            return cls(numbers, "int(label)")
        if names == sorted(names):
            return cls(names, "label")
        return cls(list(range(len(names))), f"{names!r}.index(label)")


def data(points: Points, file: str) -> list[str]:
    """Return the lines that make X and y."""
    labels = Labels.of(points)
    if len(points.y) <= LISTED:
        rows = [f"[{', '.join(map(_number, row))}]" for row in points.X.tolist()]
        return [*_list("X", rows), *_list("y", [repr(labels.values[code]) for code in points.y])]
    return [
        f'with open("{file}", encoding="utf-8", newline="") as file:  # the points, as saved',
        "    _, *rows = csv.reader(file)",
        "X = [[float(x1), float(x2)] for x1, x2, _ in rows]",
        f"y = [{labels.made} for *_, label in rows]",
    ]


def target_of(points: Points, regression: bool) -> str:
    """Return the name of what is learned: labels, or numbers for a regression."""
    return "numbers" if regression and Labels.of(points).values != [-1, 1] else "y"


def targets(points: Points) -> str:
    """Return the line that makes numbers of labels."""
    return f"numbers = [1 if label == {Labels.of(points).values[-1]!r} else -1 for label in y]"


def _number(value: float) -> str:
    """Write a number so that it is read as it was."""
    text = repr(value)
    return text.removesuffix(".0") if text != "-0.0" else text


def _list(name: str, items: Sequence[str]) -> list[str]:
    """Return the lines of a list, as many items in each as fit."""
    whole = f"{name} = [{', '.join(items)}]"
    if len(whole) <= WIDTH:
        return [whole]
    lines, line = [f"{name} = ["], ""
    for item in items:
        if line and len(line) + len(item) + 7 > WIDTH:
            lines.append(f"    {line}")
            line = ""
        line = f"{line} {item}," if line else f"{item},"
    return [*lines, f"    {line}", "]"]
