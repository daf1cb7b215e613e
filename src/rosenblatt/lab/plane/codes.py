"""The Python code that reproduces what is shown: the points, the learner, the step, the numbers."""

from collections.abc import Sequence
from typing import Any

from rosenblatt.lab.plane.catalog import Learner, as_learner
from rosenblatt.lab.plane.code_data import LISTED, data, target_of, targets
from rosenblatt.lab.plane.code_steps import descends, watching, wrong
from rosenblatt.lab.plane.points import Points, as_whole
from rosenblatt.lab.plane.runs import FARTHEST_STEP, Run
from rosenblatt.lab.plane.tables import results


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
    kinds = [learner for learner, _ in known]
    lines = [
        f'"""Learners side by side after step {number:,}, as rosenblatt lab compares them."""',
        "",
        *_imports(kinds, points, number, set(), ends=True),
        "",
        'warnings.simplefilter("ignore")  # of passes that run out',
        *data(points, "compare.csv"),
        *_targets(kinds, points),
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
    told, learner, points = results(run), run.learner, run.points
    if told["errors"] is None:
        return ["# The table has no results of it: it diverges, or takes long."]
    target = target_of(points, learner.two_classes_only)
    right = f"np.array({target})"
    predicted = f"{name}.predict(X)"
    if learner.two_classes_only:
        predicted, right = f"({predicted} >= 0)", f"({right} > 0)"
    lines = [f"{name} = type({name})(**{name}.get_params()).fit(X, {target})"]
    if descends(learner):
        lines += [f"*_, move = moves({name}, X, {target})"]
    if told["mistakes"] is not None:
        count = "move.mistakes" if descends(learner) else f"{name}.n_mistakes_"
        lines += [f'print("mistakes at the end =", {count})']
    lines += [f'print("wrong at the end =", np.count_nonzero({predicted} != {right}))']
    if told["passes"] is not None:
        lines += [f'print("passes at the end =", {name}.n_iter_)']
    return lines


def _what(learner: Learner, step: int) -> str:
    return f"{learner.title} after step {step:,}" if learner.steps else learner.title


def _imports(
    learners: Sequence[Learner], points: Points, step: int, proofs: set[str], ends: bool = False
) -> list[str]:
    """Return the lines that import what the others use; those of ends use more."""
    watched = [learner for learner in learners if learner.steps and step]
    names = {learner.kind.__name__ for learner in learners} | proofs
    down = any(descends(learner) for learner in watched)
    duals = any(learner.name == "kernel" for learner in watched)
    if any(not descends(learner) and learner.name != "kernel" for learner in watched):
        names.add("trace")
    lines = ["import csv"] if len(points.y) > LISTED else []
    lines += ["import warnings"] if ends else []
    lines += ["from itertools import islice"] if watched else []
    lines += [""] if lines else []
    lines += ["import numpy as np", "", f"from rosenblatt import {', '.join(sorted(names))}"]
    lines += ["from rosenblatt.data.rows import as_rows"] if down or duals else []
    lines += ["from rosenblatt.estimators.kernel_trace import trace_kernel"] if duals else []
    if down or (ends and any(map(descends, learners))):
        lines += ["from rosenblatt.estimators.moves import moves"]
    lines += ["from rosenblatt.learners.dual_stages import Standing"] if duals else []
    lines += ["from rosenblatt.learners.online import score_of"] if down else []
    return lines


def _targets(learners: Sequence[Learner], points: Points) -> list[str]:
    """Return the line that makes numbers of labels, if one of the learners is a regression."""
    asked = any(target_of(points, learner.two_classes_only) == "numbers" for learner in learners)
    return [targets(points)] if asked else []
