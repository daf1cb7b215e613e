"""The paths as Python code that walks them again, and as a table."""

from typing import Any

from rosenblatt.lab.descent.settings import Settings

_CODE = '''\
"""{title}: ways down the {loss} loss, as the lab shows them."""

import numpy as np

from rosenblatt import {estimator}
from rosenblatt.lab.descent.explanations import fate
from rosenblatt.lab.descent.settings import read
from rosenblatt.lab.descent.surface import ground_of
from rosenblatt.tracing.descent import path_over, surface

X = np.array({X})
y = np.array({y})
start = [{start[0]!r}, {start[1]!r}]  # {names}
models = {{
{models}
}}
moves = {moves}
shown = {shown}  # moves made at the step shown

# The lab describes the end of the whole path.
settings = read({settings})
ground = ground_of({ground})

# A path is what fit does, with the weights noted after every move.
for name, model in models.items():
    loss = surface(model, X, y)
    path = path_over(loss, model, X, y, start, max_moves=moves[name])
    k = min(shown[name], path.moves)
    first, second = path.points[k].tolist()
    end = fate(settings, ground, name, loss.at(path.points), path.ending).word
    print(name, k, first, second, loss(path.points[k]), end if k == path.moves else "...")

# The same as a picture, with matplotlib:
# from rosenblatt.plot import plot_descent
# ax = plot_descent(models, X, y, start=start, max_moves=max(moves.values()))
# ax.figure.savefig("descent.png")
'''


def code(settings: Settings, shown: dict[str, int]) -> str:
    """Return a script that prints where some paths are after so many moves each."""
    problem = settings.problem
    models = [
        f'    "{path}": {settings.estimator_class().__name__}({_keywords(settings.options(path))}),'
        for path in shown
    ]
    given = settings._asdict() | {"problem": problem.name, "start": [*settings.start]}
    return _CODE.format(
        title=problem.title,
        loss=settings.loss,
        estimator=settings.estimator_class().__name__,
        X=_wrapped(problem.X.tolist()),
        y=_wrapped(problem.y.tolist()),
        start=settings.start,
        names="w and b" if problem.fit_intercept else "w1 and w2",
        models="\n".join(models),
        moves=_literal({path: settings.moves_of(path) for path in shown}),
        shown=_literal(shown),
        settings=f"{{{_pairs(given)}}}",
        ground=", ".join(map(_literal, (problem.name, settings.loss, settings.alpha))),
    )


def _keywords(options: dict[str, Any]) -> str:
    return _lines([f"{name}={_literal(value)}" for name, value in options.items()], 4)


def _pairs(values: dict[str, Any]) -> str:
    return _lines([f"{_literal(name)}: {_literal(value)}" for name, value in values.items()], 0)


def _lines(texts: list[str], indent: int) -> str:
    """Put texts between brackets, on lines that are not too long."""
    lines: list[str] = []
    line = ""
    for text in texts:
        if len(line) + len(text) > 80:
            lines, line = [*lines, line], ""
        line += f"{text}, "
    start = "\n" + " " * indent
    inside = "".join(f"{start}    {one.rstrip()}" for one in [*lines, line])
    return f"{inside}{start}"


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_literal(k)}: {_literal(v)}' for k, v in value.items())}}}"
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
