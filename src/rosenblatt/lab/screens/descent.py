"""Gradient descent: batch, mini-batch and stochastic paths down the surface of a loss."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.lab.calls import call
from rosenblatt.lab.descent import code as descent_code
from rosenblatt.lab.descent.explanations import fate, sentence
from rosenblatt.lab.descent.problems import PROBLEMS, Problem
from rosenblatt.lab.descent.settings import PATHS, SMOOTH, Settings, options_of, pair, read
from rosenblatt.lab.descent.surface import FLAT, Ground, ground_of
from rosenblatt.tracing.descent import Path, path_over

_GRID = 200  # points a side, at most
_FAR = 1e6


class Descent:
    """Answers for the screen; it remembers nothing but what it need not compute twice."""

    @call
    def catalog(self) -> dict[str, Any]:
        """Return the problems, and what can be chosen."""
        return {
            "problems": [_described(problem) for problem in PROBLEMS.values()],
            "paths": PATHS,
            "smooth": SMOOTH,
        }

    @call
    def ground(self, settings: Any) -> dict[str, Any]:
        """Return where a surface is lowest, and what of it to show."""
        chosen = read(settings)
        ground = _ground(chosen)
        return {
            "kind": ground.kind,
            "lowest": ground.lowest,
            "bottom": ground.bottom,
            "limit": None if ground.bends is None else 2 / ground.bends.most,
            "view": ground.view(chosen.problem.start),
        }

    @call
    def heights(self, settings: Any, view: Any, grid: Any) -> dict[str, Any]:
        """Return the loss on a grid, row by row from the top, as numbers of 32 bits."""
        chosen = read(settings)
        left, right, bottom, top = _view(view)
        across, up = _grid(grid)
        ground = _ground(chosen)
        xs, ys = np.linspace(left, right, across), np.linspace(top, bottom, up)
        heights = ground.surface.over(xs, ys)
        rows, columns = np.nonzero(heights == 0) if ground.kind == FLAT else ((), ())
        return {
            "flat": [xs[columns].mean(), ys[rows].mean()] if len(rows) else None,
            "low": float(heights.min()),
            "high": float(heights.max()),
            "heights": _packed(heights, np.float32),
        }

    @call
    def run(self, settings: Any, shown: Any = None) -> dict[str, Any]:
        """Walk the three paths, and say what happens."""
        chosen, names = read(settings), _shown(shown)
        ground = _ground(chosen)
        paths = {name: _walk(chosen, ground, name) for name in PATHS}
        losses = {name: ground.surface.at(path.points) for name, path in paths.items()}
        fates = {
            name: fate(chosen, ground, name, losses[name], path.ending)
            for name, path in paths.items()
        }
        return {
            "text": sentence(chosen, ground, fates, names),
            "n": chosen.problem.n,
            "paths": {
                name: {
                    "moves": path.moves,
                    "end": path.points[-1],
                    "loss": _number(losses[name][-1]),
                    "fate": fates[name]._asdict(),
                    "points": _packed(path.points, np.float32),
                    "losses": _packed(losses[name], np.float32),
                    "seen": _packed(_seen(chosen, name, path.moves), np.int32),
                }
                for name, path in paths.items()
            },
        }

    @call
    def csv(self, settings: Any) -> str:
        """Return the weights and the loss after every move, as a table."""
        chosen = read(settings)
        ground = _ground(chosen)
        first, second = _names(chosen.problem)
        lines = [f"path,move,examples,{first},{second},loss"]
        for name in PATHS:
            path = _walk(chosen, ground, name)
            seen, losses = _seen(chosen, name, path.moves), ground.surface.at(path.points)
            for k, row in enumerate(_rows(seen, path.points, losses)):
                lines.append(f"{name},{k},{row}")
        return "\n".join(lines) + "\n"

    @call
    def code(self, settings: Any, shown: Any = None, step: Any = None) -> str:
        """Return Python code that walks the paths shown, to a step of the clock, or to the end."""
        chosen, names = read(settings), _shown(shown)
        if step is not None and (type(step) is not int or step < 0):
            raise ValueError("step must be a whole number, 0 or more")
        at = {name: _move(chosen, name, step) for name in names}
        return descent_code.code(chosen, at)


def _described(problem: Problem) -> dict[str, Any]:
    return {
        "name": problem.name,
        "title": problem.title,
        "note": problem.note,
        "weights": [name.replace("1", "₁").replace("2", "₂") for name in _names(problem)],
        "numbers": problem.losses == ("squared",),
        "X": problem.X,
        "y": problem.y,
        "start": problem.start,
        "options": [option.described() for option in options_of(problem)],
    }


def _names(problem: Problem) -> tuple[str, str]:
    return ("w", "b") if problem.fit_intercept else ("w1", "w2")


def _ground(chosen: Settings) -> Ground:
    return ground_of(chosen.problem.name, chosen.loss, chosen.alpha)


def _walk(chosen: Settings, ground: Ground, name: str) -> Path:
    X, y, moves = chosen.problem.X, chosen.problem.y, chosen.moves_of(name)
    return path_over(ground.surface, chosen.model(name), X, y, chosen.start, moves)


def _move(chosen: Settings, name: str, step: int | None) -> int:
    """Return how many moves a path has made at a step: of all that were wanted, or fewer."""
    moves = chosen.moves_of(name)
    if step is None or chosen.by == "move":
        return moves if step is None else min(step, moves)
    return int(np.searchsorted(_seen(chosen, name, moves), step, side="right")) - 1


def _seen(chosen: Settings, name: str, moves: int) -> Array:
    """Return how many points a path has looked at, after every move."""
    passes, batches = np.divmod(np.arange(moves + 1), chosen.moves_a_pass(name))
    return np.asarray(passes * chosen.problem.n + batches * chosen.batch_of(name))


def _rows(seen: Array, points: Array, losses: Array) -> Iterator[str]:
    for examples, (first, second), loss in zip(seen, points, losses, strict=True):
        yield f"{examples},{float(first)!r},{float(second)!r},{float(loss)!r}"


def _packed(values: Array, dtype: Any) -> str:
    with np.errstate(over="ignore"):
        return b64encode(np.ascontiguousarray(values, dtype).tobytes()).decode()


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _shown(shown: Any) -> list[str]:
    if shown is None:
        return [*PATHS]
    if not isinstance(shown, list) or not all(name in [*PATHS] for name in shown):
        raise ValueError(f"shown must be a list of {', '.join(PATHS)}")
    return [name for name in PATHS if name in shown]


def _view(view: Any) -> tuple[float, float, float, float]:
    if not isinstance(view, list) or len(view) != 4:
        raise ValueError("view must be four numbers: left, right, bottom, top")
    (left, right), (bottom, top) = pair("view", view[:2], _FAR), pair("view", view[2:], _FAR)
    if left >= right or bottom >= top:
        raise ValueError("view must go from left to right and from bottom to top")
    return left, right, bottom, top


def _grid(grid: Any) -> tuple[int, int]:
    right = isinstance(grid, list) and len(grid) == 2
    if not right or not all(type(one) is int and 2 <= one <= _GRID for one in grid):
        raise ValueError(f"grid must be two whole numbers from 2 to {_GRID}")
    return grid[0], grid[1]
