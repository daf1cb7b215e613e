"""One learner at a step as lines of Python code, which print all numbers that are shown of it."""

from collections.abc import Mapping
from inspect import signature
from typing import Any

from rosenblatt.lab.plane.catalog import Learner
from rosenblatt.lab.plane.code_data import WIDTH, target_of
from rosenblatt.lab.plane.points import Points

_CODES = "np.unique(y, return_inverse=True)[1]"


def descends(learner: Learner) -> bool:
    """Say whether a learner goes down a loss."""
    return "batch_size" in signature(learner.kind).parameters


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


def watching(learner: Learner, settings: Any, points: Points, step: int, name: str) -> list[str]:
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
    if learner.name == "kernel":
        return [*made, *_kernel(points, step, name)]
    if descends(learner):
        target = target_of(points, learner.two_classes_only)
        return [*made, *_descending(points, step, f"moves({name}, X, {target})")]
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
    if len(line) <= WIDTH:
        return [line]
    return [f"{name} = {learner.kind.__name__}(", *(f"    {word}," for word in words), ")"]


def _nothing(learner: Learner, points: Points) -> list[str]:
    """Return the lines for how things stand before the first step."""
    count = len(points.present)
    shape, b = ("2", "0.0") if points.binary else (f"({count}, 2)", f"np.zeros({count})")
    told = "" if points.binary else ".tolist()"
    lines = [f"w, b = np.zeros({shape}), {b}  # before the first step"]
    if learner.name == "kernel":
        lines += ['print("support =", [])']
    else:
        lines += ['print("w =", w.tolist())', f'print("b =", b{told})']
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


def _traced(learner: Learner, settings: Any, points: Points, step: int, name: str) -> list[str]:
    """Return the lines that trace a perceptron up to a step."""
    how = learner.keywords(settings).get("predict_with")
    votes = learner.name == "voted" and how == "vote"
    mean = "mean_" if learner.name == "averaged" or how == "average" else ""
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
