"""The playground: points in the plane, a learner that is watched step by step, and the verdict."""

from collections.abc import Generator
from typing import Any

from rosenblatt.lab.calls import call
from rosenblatt.lab.plane.code import playground_code
from rosenblatt.lab.plane.learners import learners
from rosenblatt.lab.plane.points import CLASSES, POINTS, as_flag, as_grid, as_points
from rosenblatt.lab.plane.presets import listed, preset
from rosenblatt.lab.plane.runs import Run, Runs, check_range, in_parts
from rosenblatt.lab.plane.uploads import LONGEST, uploaded
from rosenblatt.lab.plane.verdicts import verdict


class Playground:
    """Answers the calls of the playground."""

    def __init__(self) -> None:
        self.runs = Runs()

    @call
    def catalog(self) -> dict[str, Any]:
        """Return the learners with their options, and the presets."""
        return {
            "learners": [learner.described() for learner in learners().values()],
            "presets": listed(),
            "limits": {"points": POINTS, "classes": CLASSES, "csv": LONGEST},
        }

    @call
    def preset(self, name: Any) -> dict[str, Any]:
        """Return the points of a preset, and what to watch there."""
        return preset(name)

    @call
    def upload(self, text: Any, columns: Any = None) -> dict[str, Any]:
        """Return the points of CSV text."""
        return uploaded(text, columns)

    @call
    def open(
        self, points: Any, classes: Any, learner: Any, settings: Any, view: Any, grid: Any
    ) -> dict[str, Any]:
        """Open a run in place of the one before, and return how it stands before its first step."""
        run = Run(as_points(points, classes, least=2), learner, settings, as_grid(view, grid))
        opened = run.opened()
        return {"run": self.runs.open(run), **opened}

    @call
    def steps(self, run: Any, start: Any, count: Any) -> Generator[Any, None, dict[str, Any]]:
        """Stream frames of the run."""
        going, (first, many) = self.runs.of(run), check_range(start, count)
        yield from in_parts(going.frames(first, many))
        return {
            "next": going.step + 1,
            "done": going.ending is not None,
            "ending": going.ending,
        }

    @call
    def verdict(self, points: Any, classes: Any, bias: Any) -> dict[str, Any]:
        """Say whether a line separates the classes, with a proof."""
        return verdict(as_points(points, classes), as_flag(bias, "bias"))

    @call
    def code(self, points: Any, classes: Any, learner: Any, settings: Any, step: Any) -> str:
        """Return the Python code of what is shown."""
        return playground_code(as_points(points, classes, least=2), learner, settings, step)
