"""The Python code that reproduces what is shown: the points, the learner, the step, the numbers."""

from collections.abc import Mapping, Sequence
from inspect import signature
from re import compile as pattern
from typing import Any, NamedTuple

from rosenblatt.lab.plane.learners import LabLearner, as_learner
from rosenblatt.lab.plane.points import Points, as_whole
from rosenblatt.lab.plane.runs import FARTHEST_STEP, Run, results
from rosenblatt.learner_registry import KERNEL_STEPS, MOVES, STEPS

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


_CODES = "np.unique(y, return_inverse=True)[1]"


def descends(learner: LabLearner) -> bool:
    """Say whether a learner goes down a loss."""
    return learner.row.traced == MOVES


def has_kernel(learner: LabLearner) -> bool:
    """Say whether a learner is a sum of kernels."""
    return learner.row.traced == KERNEL_STEPS


def wrong(points: Points) -> list[str]:
    """Return the lines of a function that counts errors, as the lab does."""
    chosen = "scores[:, 0] >= 0" if points.binary else "scores.argmax(axis=1)"
    return [
        "",
        "def wrong(scores):",
        '    """Count the points whose scores speak for another class."""',
        f"    return np.count_nonzero(({chosen}) != {_CODES})",
        "",
        "",
        "def scores_of(w, b):",
        '    """Return the scores of all points, a column for each w."""',
        "    return np.array(X, float) @ np.atleast_2d(w).T + b",
        "",
    ]


def watching(learner: LabLearner, settings: Any, points: Points, step: int, name: str) -> list[str]:
    """Return the lines that make a learner, go to a step, and print what is shown."""
    made = _made(learner, learner.keywords(settings), name)
    if not learner.steps:
        first = "[0]" if points.binary else ""
        return [
            *made,
            f"{name}.fit(X, y)",
            f'print("w =", {name}.coef_{first}.tolist())',
            f'print("b =", {name}.intercept_{first}.tolist())',
            _errors(f"{name}.coef_", f"{name}.intercept_"),
        ]
    if step == 0:
        return [*made, *_nothing(learner, points)]
    if has_kernel(learner):
        return [*made, *_kernel(points, step, name)]
    if descends(learner):
        target = target_of(points, learner.two_classes_only)
        return [*made, *_descending(points, step, f"moves({name}, X, {target})")]
    return [*made, *_traced(learner, settings, points, step, name)]


def _made(learner: LabLearner, given: Mapping[str, Any], name: str) -> list[str]:
    """Return the lines that make the estimator, with the settings that are not its defaults."""
    defaults = signature(learner.estimator_class).parameters
    words = [
        f"{key}={value!r}"
        for key, value in given.items()
        if type(value) is not type(defaults[key].default) or value != defaults[key].default
    ]
    line = f"{name} = {learner.estimator_class.__name__}({', '.join(words)})"
    if len(line) <= WIDTH:
        return [line]
    return [
        f"{name} = {learner.estimator_class.__name__}(",
        *(f"    {word}," for word in words),
        ")",
    ]


def _nothing(learner: LabLearner, points: Points) -> list[str]:
    """Return the lines for the state before the first step."""
    count = len(points.present)
    shape, b = ("2", "0.0") if points.binary else (f"({count}, 2)", f"np.zeros({count})")
    as_list = "" if points.binary else ".tolist()"
    lines = [f"w, b = np.zeros({shape}), {b}  # before the first step"]
    if has_kernel(learner):
        lines += ['print("support =", [])']
    else:
        lines += ['print("w =", w.tolist())', f'print("b =", b{as_list})']
    return [*lines, 'print("mistakes =", 0)', _errors("w", "b")]


def _errors(w: str, b: str) -> str:
    return f'print("errors =", wrong(scores_of({w}, {b})))'


def _printed(record: str, points: Points, mean: str = "") -> list[str]:
    """Return the lines that print a record's planes."""
    b = "" if points.binary else ".tolist()"
    shown = f"{mean} " if mean else ""
    prefix = f"{mean}_" if mean else ""
    return [
        f'print("{shown}w =", {record}.{prefix}weights.tolist())',
        f'print("{shown}b =", {record}.{prefix}intercept{b})',
    ]


def _traced(learner: LabLearner, settings: Any, points: Points, step: int, name: str) -> list[str]:
    """Return the lines that trace a perceptron up to a step."""
    how = learner.keywords(settings).get("predict_with", learner.row.predicts_with)
    votes, mean = how == "vote", "mean_" if how == "average" else ""
    score = "step.score" if points.binary else "step.score.tolist()"
    lines = [
        "rows, mistakes = [], 0" if votes else "mistakes = 0",
        f"for step in islice(trace(X, y, {name}), {step}):",
        "    mistakes += step.mistake",
        *(["    rows.append(step.index)"] if votes else []),
        *_printed("step", points),
        *(_printed("step", points, "mean") if mean else []),
        f'print("score =", {score})',
        'print("mistakes =", mistakes)',
    ]
    if not votes:
        return [*lines, _errors(f"step.{mean}weights", f"step.{mean}intercept")]
    return [
        *lines,
        "# The same rows once more, and all hypotheses so far can vote.",
        f"{name}.partial_fit(np.array(X)[rows], np.array(y)[rows], classes=np.unique(y))",
        f'print("errors =", np.count_nonzero({name}.predict(X) != np.array(y)))',
    ]


def _descending(points: Points, step: int, moves: str) -> list[str]:
    """Return the lines that go down a loss up to a step."""
    scores = ".item()" if points.binary else ".tolist()"
    return [
        f"for move in islice({moves}, {step}):",
        "    pass",
        *_printed("move", points),
        "if len(move.rows) == 1:",
        "    before = np.atleast_2d(move.weights_before), np.atleast_1d(move.intercept_before)",
        "    score = score_of(*before, as_rows(np.array(X, float)), move.rows[0])",
        f'    print("score =", score{scores})',
        'print("mistakes =", move.mistakes)',
        _errors("move.weights", "move.intercept"),
    ]


def _kernel(points: Points, step: int, name: str) -> list[str]:
    """Return the lines that trace a kernel perceptron up to a step."""
    classes = len(points.present)
    own, first = ("0", "[0].item()") if points.binary else (_CODES, ".tolist()")
    learned = "step.index, step.step, step.function, step.change"
    return [
        f"traced, rows, mistakes = trace_kernel(X, y, {name}), as_rows(np.array(X, float)), 0",
        f"how = traced.joint, {name}.predict_with",
        f"standing = Standing(traced.kernel, rows, rows, {classes}, *how)",
        f"coef, ever = np.zeros((len(y), {1 if points.binary else classes}), int), set()",
        f"for step in islice(traced.steps, {step}):",
        "    score = standing.last[:, step.index].copy()",
        "    if len(step.change):",
        f"        standing.learn({learned})",
        "        coef[step.index, step.function] += step.change",
        "        ever.add(step.index)",
        "    mistakes += min(len(step.change), 1) if traced.joint else len(step.change)",
        f"own = coef[np.arange(len(y)), {own}]",
        'print("support =", [[row, own[row].item()] for row in sorted(ever)])',
        f'print("score =", score{first})',
        'print("mistakes =", mistakes)',
        "scores = standing.scores(step.step).T",
        'print("scores =", scores.tolist())',
        'print("errors =", wrong(scores))',
    ]


def playground_code(points: Points, learner: Any, settings: Any, step: Any) -> str:
    """Return the code of one learner after a step, and of the verdict."""
    known, number = as_learner(learner), as_whole(step, "step", 0, FARTHEST_STEP)
    proofs = {"separate", "mistake_bound"} if points.binary else {"separate"}
    lines = [
        f'"""{_what(known, number)}, as the playground of rosenblatt lab shows it."""',
        "",
        *_imports([known], points, number, proofs),
        "",
        *data(points, "playground.csv"),
        *_targets([known], points),
        *wrong(points),
        "",
        *watching(known, settings, points, number, "learner"),
        "",
        *_verdict(points, known.keywords(settings).get("fit_intercept", True)),
    ]
    return "\n".join(lines) + "\n"


def _verdict(points: Points, bias: bool) -> list[str]:
    """Return the lines that print whether a line can do it, and the bound on mistakes."""
    through = "" if bias else ", fit_intercept=False"
    if points.binary:
        return [f"print(separate(X, y{through}))", f"print(mistake_bound(X, y{through}))"]
    return [
        "for label in np.unique(y).tolist():",
        '    print(label, "against the rest:")',
        f"    print(separate(X, [other == label for other in y]{through}))",
    ]


def compare_code(points: Points, learners: Sequence[tuple[Any, Any]], step: Any) -> str:
    """Return the code of several learners after a step, and of what came out at their ends."""
    number = as_whole(step, "step", 0, FARTHEST_STEP)
    known = [(as_learner(name), settings) for name, settings in learners]
    learners_shown = [learner for learner, _ in known]
    lines = [
        f'"""Learners side by side after step {number:,}, as rosenblatt lab compares them."""',
        "",
        *_imports(learners_shown, points, number, set(), ends=True),
        "",
        'warnings.simplefilter("ignore")  # of passes that run out',
        *data(points, "compare.csv"),
        *_targets(learners_shown, points),
        *wrong(points),
    ]
    for place, (learner, settings) in enumerate(known, 1):
        name = f"learner_{place}"
        title = f'print("{place}. {learner.title}")'
        lines += ["", title, *watching(learner, settings, points, number, name)]
        lines += _end(Run(points, learner.name, settings, None), name)
    return "\n".join(lines) + "\n"


def _end(run: Run, name: str) -> list[str]:
    """Return the lines that print a learner's results in the table."""
    ends, learner, points = results(run), run.learner, run.points
    if ends["errors"] is None:
        return ["# The table has no results of it: it diverges, or takes long."]
    target = target_of(points, learner.two_classes_only)
    right = f"np.array({target})"
    predicted = f"{name}.predict(X)"
    if learner.two_classes_only:
        predicted, right = f"({predicted} >= 0)", f"({right} > 0)"
    lines = [f"{name} = type({name})(**{name}.get_params()).fit(X, {target})"]
    if descends(learner):
        lines += [f"*_, move = moves({name}, X, {target})"]
    if ends["mistakes"] is not None:
        count = "move.mistakes" if descends(learner) else f"{name}.n_mistakes_"
        lines += [f'print("mistakes at the end =", {count})']
    lines += [f'print("wrong at the end =", np.count_nonzero({predicted} != {right}))']
    if ends["passes"] is not None:
        lines += [f'print("passes at the end =", {name}.n_iter_)']
    return lines


def _what(learner: LabLearner, step: int) -> str:
    return f"{learner.title} after step {step:,}" if learner.steps else learner.title


def _imports(
    learners: Sequence[LabLearner], points: Points, step: int, proofs: set[str], ends: bool = False
) -> list[str]:
    """Return the lines that import what the others use; those of ends use more."""
    watched = [learner for learner in learners if learner.steps and step]
    rows = {learner.row.estimator: learner.row for learner in learners}.values()
    names = {row.estimator for row in rows if row.module.startswith("rosenblatt.")} | proofs
    down = any(descends(learner) for learner in watched)
    duals = any(map(has_kernel, watched))
    if any(learner.row.traced == STEPS for learner in watched):
        names.add("trace")
    lines = ["import csv"] if len(points.y) > LISTED else []
    lines += ["import warnings"] if ends else []
    lines += ["from itertools import islice"] if watched else []
    lines += [""] if lines else []
    lines += ["import numpy as np", "", f"from rosenblatt import {', '.join(sorted(names))}"]
    outside = (row for row in rows if row.estimator not in names)
    lines += [f"from {row.module} import {row.estimator}" for row in outside]
    lines += ["from rosenblatt.data.rows import as_rows"] if down or duals else []
    lines += ["from rosenblatt.tracing.kernel import trace_kernel"] if duals else []
    if down or (ends and any(map(descends, learners))):
        lines += ["from rosenblatt.tracing.descent import moves"]
    lines += ["from rosenblatt.learners.kernel_perceptron.scores import Standing"] if duals else []
    lines += ["from rosenblatt.learners.online import score_of"] if down else []
    return lines


def _targets(learners: Sequence[LabLearner], points: Points) -> list[str]:
    """Return the line that makes numbers of labels, if one of the learners is a regression."""
    wanted = any(target_of(points, learner.two_classes_only) == "numbers" for learner in learners)
    return [targets(points)] if wanted else []
