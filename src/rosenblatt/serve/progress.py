"""The progressive error of a model that is served: over all time, over a window, and over hours.

Each example is predicted before it is learned from, so its error is that of a prediction of
something new.
"""

import json
import time
from collections import deque
from math import sqrt
from typing import Any

from rosenblatt.stream.drift import ADWIN

WINDOW = 1000
STRETCH = 10  # seconds that are counted together
HOURS = 24
_OUT, _BACK = 4.0, 2.0  # standard errors from the mean at which an alert begins and ends
_LEAST = 200  # examples before there are alerts
_MOST = 1e100  # an error, so that squares have finite sums


class Progress:
    """Errors, counted as they come.

    Parameters
    ----------
    of_numbers : bool
        Whether errors are absolute errors of numbers, instead of wrong classes.
    window : int
        How many examples the window has.

    Attributes
    ----------
    examples, errors : int and float
        How many examples there were, and the sum of their errors.
    alert : bool
        Whether the error over the window is far above that over all time.
    alerts, drifts : int
        How many alerts began, and how many changes `ADWIN` found.
    """

    def __init__(self, of_numbers: bool = False, window: int = WINDOW) -> None:
        self.of_numbers = of_numbers
        self.examples, self.errors, self.squares = 0, 0.0, 0.0
        self.recent: deque[float] = deque(maxlen=window)
        self.in_window = 0.0
        self.alert, self.alerts, self.drifts = False, 0, 0
        self.detector = None if of_numbers else ADWIN()
        self.history: deque[list[float]] = deque(maxlen=HOURS * 3600 // STRETCH)
        self.unsaved: dict[int, list[float]] = {}

    def update(self, error: float, now: float | None = None) -> None:
        """Count the error of an example; ``now`` is when it was learned from, if it is new."""
        if error > _MOST:
            error = _MOST
        self.examples += 1
        self.errors += error
        self.squares += error * error
        if len(self.recent) == self.recent.maxlen:
            self.in_window -= self.recent[0]
        self.recent.append(error)
        self.in_window += error
        if self.detector is not None and self.detector.update(error):
            self.drifts += 1
        if now is not None:
            self._count(int(now) // STRETCH * STRETCH, error)
        if self.examples % 16 == 0:
            self._look()

    def _count(self, start: int, error: float) -> None:
        if not self.history or self.history[-1][0] < start:
            self.history.append([start, 0, 0.0])
        for counts in (self.history[-1], self.unsaved.setdefault(start, [start, 0, 0.0])):
            counts[1] += 1
            counts[2] += error

    def _look(self) -> None:
        """Begin or end an alert."""
        if self.of_numbers:  # what is added to a sum with a much larger number in it is lost
            self.in_window = float(sum(self.recent))
        band = self.band()
        if band is None:
            return
        if not self.alert and self.window_error > band[1]:
            self.alert = True
            self.alerts += 1
        elif self.alert and self.window_error < self.error + (band[1] - self.error) * _BACK / _OUT:
            self.alert = False

    @property
    def error(self) -> float:
        """The mean error over all time; 0 before there is one."""
        return self.errors / self.examples if self.examples else 0.0

    @property
    def window_error(self) -> float:
        """The mean error over the window; 0 before there is one."""
        return max(self.in_window, 0.0) / len(self.recent) if self.recent else 0.0

    def band(self) -> tuple[float, float] | None:
        """Return the band in which the error over the window usually is; None before 200."""
        if self.examples < _LEAST:
            return None
        spread = sqrt(max(self.squares / self.examples - self.error**2, 1e-4) / len(self.recent))
        return max(self.error - _OUT * spread, 0.0), self.error + _OUT * spread

    def take_unsaved(self) -> list[tuple[int, float, float]]:
        """Return what was counted since this was last called."""
        found = [
            (int(start), examples, errors) for start, examples, errors in self.unsaved.values()
        ]
        self.unsaved = {}
        return found

    def put_back(self, start: int, examples: float, errors: float) -> None:
        """Undo `take_unsaved` for a stretch of time that could not be written."""
        counts = self.unsaved.setdefault(start, [start, 0, 0.0])
        counts[1] += examples
        counts[2] += errors

    def to_json(self) -> str:
        """Return what a snapshot keeps of it."""
        kept = {name: getattr(self, name) for name in _KEPT}
        return json.dumps({**kept, "recent": list(self.recent)})

    @classmethod
    def from_json(cls, text: str, of_numbers: bool, window: int = WINDOW) -> "Progress":
        """Return one that goes on from what a snapshot kept."""
        made, kept = cls(of_numbers, window), json.loads(text or "{}")
        for name in _KEPT:
            if name in kept:
                setattr(made, name, kept[name])
        made.recent.extend(kept.get("recent", []))
        made.in_window = float(sum(made.recent))
        return made

    def as_json(self) -> dict[str, Any]:
        """Return what is shown of it."""
        band = self.band()
        return {
            "examples": self.examples,
            "error": self.error,
            "window": len(self.recent),
            "window_error": self.window_error,
            "band": band and list(band),
            "alert": self.alert,
            "alerts": self.alerts,
            "drifts": self.drifts,
        }

    def points(self, most: int) -> list[dict[str, float]]:
        """Return the errors over the last hours, in at most so many stretches of equal length."""
        if not self.history:
            return []
        first, last = int(self.history[0][0]), int(self.history[-1][0]) + STRETCH
        width = STRETCH * -(-(last - first) // (STRETCH * most))
        found: dict[int, dict[str, float]] = {}
        for start, examples, errors in list(self.history):
            at = first + (int(start) - first) // width * width
            empty = {"start": at, "seconds": width, "examples": 0, "errors": 0.0}
            point = found.setdefault(at, empty)
            point["examples"] += examples
            point["errors"] += errors
        return list(found.values())

    def load_history(self, rows: list[tuple[int, float, float]]) -> None:
        """Begin with the stretches of time that are on disk."""
        self.history.extend([list(row) for row in rows])


_KEPT = ("examples", "errors", "squares", "alerts", "drifts", "alert")


def since(hours: float = HOURS) -> int:
    """Return the beginning of the hours that are shown."""
    return int(time.time() - hours * 3600)
