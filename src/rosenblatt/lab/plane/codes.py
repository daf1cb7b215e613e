"""The Python code that reproduces what is shown: the points, the learner, the step, the numbers."""

from collections.abc import Mapping, Sequence
from inspect import signature
from re import compile as pattern
from typing import Any, NamedTuple

from rosenblatt.lab.plane.catalog import Learner, as_learner
from rosenblatt.lab.plane.points import Points, as_whole
from rosenblatt.lab.plane.runs import FARTHEST_STEP

LISTED = 60  # points that are written out; more are read from the file that the page saves
_WIDTH = 100
_WHOLE = pattern(r"[+-]?[0-9]{1,15}")


def playground_code(points: Points, learner: Any, settings: Any, step: Any) -> str:
    """Return the code of one learner after a step."""
    known, number = as_learner(learner), as_whole(step, "step", 0, FARTHEST_STEP)
    lines = [
        f'"""{_what(known, number)}, as the playground of rosenblatt lab shows it."""',
        "",
        *_imports([known], points, number),
        "",
        *_data(points, "playground.csv"),
        *_targets([known], points),
        "",
        *_watching(known, settings, points, number, "learner"),
    ]
    if points.binary:
        bias = known.keywords(settings).get("fit_intercept", True)
        target = "y" if bias else "y, fit_intercept=False"
        lines += ["", f"print(separate(X, {target}))"]
    return "\n".join(lines) + "\n"


def compare_code(points: Points, learners: Sequence[tuple[Any, Any]], step: Any) -> str:
    """Return the code of several learners after a step."""
    number = as_whole(step, "step", 0, FARTHEST_STEP)
    known = [(as_learner(name), settings) for name, settings in learners]
    kinds = [learner for learner, _ in known]
    lines = [
        f'"""Learners side by side after step {number:,}, as rosenblatt lab compares them."""',
        "",
        *_imports(kinds, points, number),
        "",
        *_data(points, "compare.csv"),
        *_targets(kinds, points),
    ]
    for place, (learner, settings) in enumerate(known, 1):
        title = f'print("{place}. {learner.title}")'
        lines += ["", title, *_watching(learner, settings, points, number, f"learner_{place}")]
    return "\n".join(lines) + "\n"


def _what(learner: Learner, step: int) -> str:
    return f"{learner.title} after step {step:,}" if learner.steps else learner.title


def _imports(learners: Sequence[Learner], points: Points, step: int) -> list[str]:
    """Return the lines that import what the others use."""
    watched = [learner for learner in learners if learner.steps and step]
    names = {learner.kind.__name__ for learner in learners}
    descends = any(_descends(learner) for learner in watched)
    duals = any(learner.name == "kernel" for learner in watched)
    if any(not _descends(learner) and learner.name != "kernel" for learner in watched):
        names.add("trace")
    if points.binary and len(learners) == 1:
        names.add("separate")
    lines = ["import csv"] if len(points.y) > LISTED else []
    lines += ["from itertools import islice"] if watched else []
    lines += [""] if lines else []
    lines += ["import numpy as np", ""] if duals or any(n.name == "voted" for n in watched) else []
    lines += [f"from rosenblatt import {', '.join(sorted(names))}"]
    lines += ["from rosenblatt.estimators.kernel_trace import trace_kernel"] if duals else []
    lines += ["from rosenblatt.estimators.moves import moves"] if descends else []
    return lines


def _descends(learner: Learner) -> bool:
    return "batch_size" in signature(learner.kind).parameters


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


def _data(points: Points, file: str) -> list[str]:
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


def _targets(learners: Sequence[Learner], points: Points) -> list[str]:
    """Return the line that makes numbers of labels, if one of the learners is a regression."""
    labels = Labels.of(points).values
    if labels == [-1, 1] or not any(learner.two_classes_only for learner in learners):
        return []
    return [f"numbers = [1 if label == {labels[-1]!r} else -1 for label in y]"]


def _number(value: float) -> str:
    """Write a number so that it is read as it was."""
    text = repr(value)
    return text.removesuffix(".0") if text != "-0.0" else text


def _list(name: str, items: Sequence[str]) -> list[str]:
    """Return the lines of a list, as many items in each as fit."""
    whole = f"{name} = [{', '.join(items)}]"
    if len(whole) <= _WIDTH:
        return [whole]
    lines, line = [f"{name} = ["], ""
    for item in items:
        if line and len(line) + len(item) + 7 > _WIDTH:
            lines.append(f"    {line}")
            line = ""
        line = f"{line} {item}," if line else f"{item},"
    return [*lines, f"    {line}", "]"]


def _watching(learner: Learner, settings: Any, points: Points, step: int, name: str) -> list[str]:
    """Return the lines that make a learner, go to a step, and print what is shown."""
    made = _made(learner, learner.keywords(settings), name)
    target = "y"
    if learner.two_classes_only and Labels.of(points).values != [-1, 1]:
        target = "numbers"
    if not learner.steps:
        first = "[0]" if points.binary else ""
        return [
            *made,
            f"{name}.fit(X, y)",
            f'print("w =", {name}.coef_{first}.tolist())',
            f'print("b =", {name}.intercept_{first}.tolist())',
        ]
    if step == 0:
        return [*made, f"# Nothing is learned before the first step of {learner.title.lower()}."]
    if learner.name == "kernel":
        return [*made, *_kernel(points, step, name)]
    if _descends(learner):
        loop = [f"for move in islice(moves({name}, X, {target}), {step}):", "    pass"]
        return [*made, *loop, *_printed("move", points)]
    return [*made, *_traced(learner, settings, points, step, name)]


def _made(learner: Learner, given: Mapping[str, Any], name: str) -> list[str]:
    """Return the lines that make the estimator, with the settings that are not its defaults."""
    defaults = signature(learner.kind).parameters
    words = [
        f"{key}={value!r}"
        for key, value in given.items()
        if type(value) is not type(defaults[key].default) or value != defaults[key].default
    ]
    line = f"{name} = {learner.kind.__name__}({', '.join(words)})"
    if len(line) <= _WIDTH:
        return [line]
    return [f"{name} = {learner.kind.__name__}(", *(f"    {word}," for word in words), ")"]


def _printed(record: str, points: Points, mean: str = "") -> list[str]:
    """Return the lines that print a record's planes."""
    b = "" if points.binary else ".tolist()"
    shown = f"{mean} " if mean else ""
    prefix = f"{mean}_" if mean else ""
    return [
        f'print("{shown}w =", {record}.{prefix}weights.tolist())',
        f'print("{shown}b =", {record}.{prefix}intercept{b})',
    ]


def _traced(learner: Learner, settings: Any, points: Points, step: int, name: str) -> list[str]:
    """Return the lines that trace a perceptron up to a step."""
    how = learner.keywords(settings).get("predict_with")
    if learner.name != "voted" or how != "vote":
        mean = learner.name == "averaged" or how == "average"
        loop = [f"for step in islice(trace(X, y, {name}), {step}):", "    pass"]
        return [
            *loop,
            *_printed("step", points),
            *(_printed("step", points, "mean") if mean else []),
        ]
    return [
        "rows = []",
        f"for step in islice(trace(X, y, {name}), {step}):",
        "    rows.append(step.index)",
        *_printed("step", points),
        "# The same rows once more, and all hypotheses so far can vote.",
        f"{name}.partial_fit(np.array(X)[rows], np.array(y)[rows], classes=np.unique(y))",
        f'print("errors =", np.count_nonzero({name}.predict(X) != np.array(y)))',
    ]


def _kernel(points: Points, step: int, name: str) -> list[str]:
    """Return the lines that trace a kernel perceptron up to a step."""
    functions = 1 if points.binary else len(points.present)
    own = "0" if points.binary else "np.unique(y, return_inverse=True)[1]"
    return [
        f"coef, ever = np.zeros((len(y), {functions}), int), np.zeros(len(y), bool)",
        f"for step in islice(trace_kernel(X, y, {name}).steps, {step}):",
        "    coef[step.index, step.function] += step.change",
        "    ever[step.index] |= len(step.change) > 0",
        f"own = coef[np.arange(len(y)), {own}]",
        'print("support =", [[row, own[row].item()] for row in np.flatnonzero(ever).tolist()])',
        f"{name}.fit(X, y)  # to the end; then what it was after that step",
        f"scores = next({name}.staged_decision_function(X, [step.step]))",
        'print("scores =", scores.tolist())',
    ]
