"""The Mark I itself: a perceptron with a weight for each photocell of each response."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.lab.mark1.lessons import LESSONS, PASSES, Passes, Taught, View
from rosenblatt.lab.mark1.retina import CELLS, guesses, see, unpack
from rosenblatt.lab.mark1.stock import stock

_LOOKS = 360  # pictures between two glances at the dials


class Machine:
    """Learns from lessons, and remembers the pictures it was taught."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names, self.stock = list(names), stock(names)
        self.pictures, self.labels = [*self.stock.pictures], [*self.stock.labels]
        self.model = Perceptron()
        self.looked = self.mistakes = self.taught = 0
        self.curve: list[dict[str, Any]] = []

    def replay(self, lessons: Sequence[Taught | Passes]) -> None:
        """Go through lessons again, from the first."""
        for lesson in lessons:
            if isinstance(lesson, Taught):
                self.teach(lesson)
                continue
            for number in range(lesson.number):
                for _ in self.learn_all(lesson.view._replace(seed=lesson.view.seed + number)):
                    pass

    def teach(self, lesson: Taught) -> bool:
        """Look at one picture, and learn from it if it was a mistake; say whether it was."""
        if self.taught >= LESSONS:
            raise ValueError(f"the machine remembers {LESSONS} lessons; let it forget first")
        picture = unpack(lesson.picture)
        self.pictures.append(picture)
        self.labels.append(lesson.label)
        self.taught += 1
        return self._learn(see(picture, *lesson.view)[None], np.array([lesson.label])) > 0

    def learn_all(self, view: View) -> Iterator[int]:
        """Make a pass over all pictures, in a random order; yield the mistakes now and then."""
        if not self.pictures:
            raise ValueError("there is no picture to train on: draw one, and say what it is")
        if len(self.curve) >= PASSES:
            raise ValueError(f"the machine remembers {PASSES} passes; let it forget first")
        pictures, labels = np.array(self.pictures), np.array(self.labels)
        order = np.random.default_rng(view.seed).permutation(len(labels))
        seen, mistakes = see(pictures, *view)[order], 0
        for start in range(0, len(order), _LOOKS):
            part = slice(start, start + _LOOKS)
            mistakes += self._learn(seen[part], labels[order][part])
            yield mistakes
        self.curve.append({"mistakes": mistakes, "looked": len(order), **self.held(view)})

    def _learn(self, seen: Array, labels: Array) -> int:
        self.model.partial_fit(seen, labels, classes=np.arange(len(self.names)))
        mistakes = int(self.model.mistakes_[0])
        self.looked += len(labels)
        self.mistakes += mistakes
        return mistakes

    def weights(self) -> Array:
        """Return the weights: one row for two responses, else one for each; all are whole."""
        rows = 1 if len(self.names) == 2 else len(self.names)
        return self._whole(self.model.coef_ if self.looked else np.zeros((rows, CELLS)))

    def thresholds(self) -> Array:
        """Return the weight of a cell that is always lit."""
        return self._whole(self.model.intercept_ if self.looked else np.zeros(len(self.weights())))

    def _whole(self, values: Array) -> Array:
        # Cells are 0 or 1 and steps are 1, so that nothing is lost.
        return values.astype(np.int64)

    def scores(self, seen: Array) -> Array:
        """Return the score of each response for each picture, as the retina sees it."""
        if not self.looked:
            return np.zeros((len(seen), len(self.names)))
        scores = self.model.decision_function(seen)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores

    def held(self, view: View) -> dict[str, int]:
        """Tell how many of the pictures that were held out it has right; a tie is no answer."""
        pictures, labels = self.stock.held, self.stock.held_labels
        right = guesses(self.scores(see(pictures, *view))) == labels if len(labels) else labels
        return {"right": int(np.count_nonzero(right)), "held": len(labels)}
