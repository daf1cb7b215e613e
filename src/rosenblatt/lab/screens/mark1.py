"""The Mark I: draw on a retina, say what it is, and watch the weights turn."""

from collections.abc import Generator
from typing import Any

import numpy as np

from rosenblatt.lab.calls import call
from rosenblatt.lab.mark1.code import code
from rosenblatt.lab.mark1.machine import (
    Machine,
    Taught,
    View,
    check_label,
    check_lessons,
    check_names,
    check_picture,
    check_seed,
    check_view,
)
from rosenblatt.lab.mark1.pictures import guesses, pack, see, unpack

Told = Generator[dict[str, Any], None, dict[str, Any]]


class Mark1:
    """Keeps one machine; the page keeps its lessons."""

    def __init__(self) -> None:
        self.machine = Machine(["×", "○"])

    @call
    def open(self, responses: Any, lessons: Any) -> dict[str, Any]:
        """Build a machine that has had these lessons."""
        names = check_names(responses)
        kept = check_lessons(lessons, names)
        machine = Machine(names)
        machine.replay(kept)
        self.machine = machine
        return {**self._dials(), "curve": machine.curve, **self._all()}

    @call
    def show(self, picture: Any, noise: Any, right: Any, down: Any, seed: Any) -> dict[str, Any]:
        """Return what the retina sees of a picture, the score of each response, and the guess."""
        return self._look(check_picture(picture), check_view(noise, right, down, seed))

    @call
    def teach(
        self, picture: Any, label: Any, noise: Any, right: Any, down: Any, seed: Any
    ) -> dict[str, Any]:
        """Let the machine guess, then tell it what the picture is."""
        view = check_view(noise, right, down, seed)
        lesson = Taught(check_picture(picture), check_label(label, self.machine.names), view)
        before, weights = self._look(lesson.picture, view), self.machine.weights()
        mistake = self.machine.teach(lesson)
        turned = int(np.count_nonzero(self.machine.weights() != weights))
        after = {"before": before, "mistake": mistake, "turned": turned}
        return {**after, **self._dials(), **self._all()}

    @call
    def train(self, noise: Any, right: Any, down: Any, seed: Any) -> Told:
        """Make a pass over all pictures; each part shows the dials on the way."""
        view = check_view(noise, right, down, seed)
        for mistakes in self.machine.learn_all(view):
            yield {"mistakes": mistakes, **self._dials()}
        return {**self.machine.curve[-1], **self._dials()}

    @call
    def held(self, noise: Any, right: Any, down: Any, seed: Any) -> dict[str, int]:
        """Tell how many pictures that were held out are right, seen with this noise and shift."""
        return self.machine.held(check_view(noise, right, down, seed))

    @call
    def example(self, label: Any, number: Any) -> dict[str, Any]:
        """Return a picture to learn from: of a response, or of any (None)."""
        kept = self.machine.stock
        if label is not None:
            check_label(label, self.machine.names)
        rows = (
            np.flatnonzero(kept.labels == label) if label is not None else _mixed(len(kept.labels))
        )
        if not len(rows):
            raise ValueError("there are no pictures at hand for this response: draw one")
        row = rows[check_seed(number) % len(rows)]
        return {"picture": pack(kept.pictures[row]), "label": int(kept.labels[row])}

    @call
    def csv(self, responses: Any, lessons: Any) -> str:
        """Return the pictures that were taught, as the retina saw them: a label and 400 cells."""
        names = check_names(responses)
        lines = [",".join(["response", *(f"r{r}c{c}" for r in range(1, 21) for c in range(1, 21))])]
        for one in check_lessons(lessons, names):
            if isinstance(one, Taught):
                cells = see(unpack(one.picture), *one.view).astype(int).tolist()
                name = names[one.label].replace('"', '""')
                lines.append(",".join([f'"{name}"', *map(str, cells)]))
        return "\n".join(lines) + "\n"

    @call
    def code(
        self,
        responses: Any,
        lessons: Any,
        picture: Any,
        noise: Any,
        right: Any,
        down: Any,
        seed: Any,
    ) -> str:
        """Return Python code that comes to the same weights and guess."""
        names = check_names(responses)
        view = check_view(noise, right, down, seed)
        return code(names, check_lessons(lessons, names), check_picture(picture), view)

    def _look(self, picture: str, view: View) -> dict[str, Any]:
        seen = see(unpack(picture), *view)
        scores = self.machine.scores(seen[None])
        return {"seen": pack(seen), "scores": scores[0], "guess": guesses(scores)[0]}

    def _dials(self) -> dict[str, Any]:
        return {"weights": self.machine.weights(), "thresholds": self.machine.thresholds()}

    def _all(self) -> dict[str, Any]:
        machine = self.machine
        return {"stocked": len(machine.stock.labels), "taught": machine.taught}


def _mixed(number: int) -> Any:
    """Return row numbers in an order that mixes the responses, always the same."""
    return np.random.default_rng(0).permutation(number)
