"""Two to four learners side by side on the same points, in step."""

from collections.abc import Generator, Iterator
from typing import Any

from rosenblatt.lab.calls import call
from rosenblatt.lab.plane.code import compare_code
from rosenblatt.lab.plane.points import as_grid, as_points
from rosenblatt.lab.plane.runs import Run, Runs, check_range, in_parts, table

LEAST, MOST = 2, 4


class Compare:
    """Answers the calls of the comparison."""

    def __init__(self) -> None:
        self.runs = Runs()

    @call
    def open(
        self, points: Any, classes: Any, learners: Any, view: Any, grid: Any
    ) -> dict[str, Any]:
        """Open a run of several learners, in place of the one before."""
        known, places = as_points(points, classes, least=2), as_grid(view, grid)
        runs = [Run(known, name, settings, places) for name, settings in _asked(learners)]
        opened = [run.opened() for run in runs]
        number = self.runs.open(runs)
        return {
            "run": number,
            "runs": [{"run": number, **one} for one in opened],
            "table": table(runs),
        }

    @call
    def steps(self, run: Any, start: Any, count: Any) -> Generator[Any, None, dict[str, Any]]:
        """Stream the frames of each step; a learner that has ended has none."""
        runs, (first, many) = self.runs.of(run), check_range(start, count)
        yield from in_parts(_in_step(runs, first, many))
        endings = [one.ending for one in runs]
        done = None not in endings
        return {
            "next": max(one.step for one in runs) + 1,
            "done": done,
            "ending": "all have ended" if done else None,
            "endings": endings,
        }

    @call
    def code(self, points: Any, classes: Any, learners: Any, step: Any) -> str:
        """Return the Python code of what is shown."""
        return compare_code(as_points(points, classes, least=2), _asked(learners), step)


def _asked(learners: Any) -> list[tuple[Any, Any]]:
    """Check which learners are wanted, but for their names and settings."""
    if not isinstance(learners, list) or not LEAST <= len(learners) <= MOST:
        raise ValueError(f"learners must be a list of {LEAST} to {MOST}")
    if not all(isinstance(one, dict) and set(one) == {"learner", "settings"} for one in learners):
        raise ValueError('each learner must be {"learner": its name, "settings": {…}}')
    return [(one["learner"], one["settings"]) for one in learners]


def _in_step(runs: list[Run], start: int, count: int) -> Iterator[list[Any]]:
    for number in range(start, start + count):
        frames = [run.at(number) for run in runs]
        if all(frame is None for frame in frames):
            return
        yield frames
