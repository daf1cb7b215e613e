"""The paths as Python code that walks them again, and as a table."""

from typing import Any

from rosenblatt.lab.descent.settings import PATHS, Settings

_CODE = '''\
"""{title}: three ways down the {loss} loss, as the lab shows them."""

import numpy as np

from rosenblatt import {estimator}
from rosenblatt.estimators.descent_path import surface, walk

X = np.array({X})
y = np.array({y})
start = [{start[0]!r}, {start[1]!r}]  # {names}
models = {{
{models}
}}
moves = {moves}

# A walk is what fit does, with the weights noted after every move.
for name, model in models.items():
    path = walk(model, X, y, start, max_moves=moves[name])
    first, second = path.points[-1]
    loss = surface(model, X, y)(path.points[-1])
    print(name, path.moves, repr(float(first)), repr(float(second)), float(loss), path.ending)

# The same as a picture, with matplotlib:
# from rosenblatt.plot import plot_descent
# ax = plot_descent(models, X, y, start=start, max_moves=max(moves.values()))
# ax.figure.savefig("descent.png")
'''


def code(settings: Settings) -> str:
    """Return a script that prints where each path ends."""
    problem = settings.problem
    models = [
        f'    "{path}": {settings.kind().__name__}({_told(settings.options(path))}),'
        for path in PATHS
    ]
    return _CODE.format(
        title=problem.title,
        loss=settings.loss,
        estimator=settings.kind().__name__,
        X=_wrapped(problem.X.tolist()),
        y=_wrapped(problem.y.tolist()),
        start=settings.start,
        names="w and b" if problem.fit_intercept else "w1 and w2",
        models="\n".join(models),
        moves="{" + ", ".join(f'"{path}": {settings.moves_of(path)}' for path in PATHS) + "}",
    )


def _told(options: dict[str, Any]) -> str:
    lines: list[str] = []
    line = ""
    for text in (f"{name}={_literal(value)}" for name, value in options.items()):
        if len(line) + len(text) > 80:
            lines, line = [*lines, line], ""
        line += f"{text}, "
    inside = "".join(f"\n        {one.rstrip()}" for one in [*lines, line])
    return f"{inside}\n    "


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _wrapped(values: list[Any]) -> str:
    lines: list[str] = []
    line = "["
    for k, value in enumerate(values):
        text = repr(value) + ("]" if k == len(values) - 1 else ", ")
        if len(line) + len(text) > 90:
            lines, line = [*lines, line.rstrip()], "    "
        line += text
    return "\n".join([*lines, line])
