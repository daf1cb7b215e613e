"""The Mark I itself: the lessons a page may give it, and a perceptron that learns from them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.rows import Array
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.lab.mark1.pictures import CELLS, FARTHEST, NOISIEST, guesses, see, stock, unpack

FEWEST, MOST = 2, 10  # responses
LONGEST = 12  # letters of a response
LESSONS, PASSES = 300, 300
SEEDS = 1 << 31


class View(NamedTuple):
    """How the retina sees: a share of cells flipped, cells to the right and down, a seed."""

    noise: float
    right: int
    down: int
    seed: int


class Taught(NamedTuple):
    """One picture, packed, and the number of its response."""

    picture: str
    label: int
    view: View


class Passes(NamedTuple):
    """Some passes over all pictures; the first has the view's seed, each later one the next."""

    number: int
    view: View


def check_names(names: Any) -> list[str]:
    """Return the names of responses; raise ``ValueError`` unless they are different names."""
    if not isinstance(names, list) or not FEWEST <= len(names) <= MOST:
        raise ValueError(f"the Mark I has {FEWEST} to {MOST} responses")
    for name in names:
        if not isinstance(name, str) or not 1 <= len(name) <= LONGEST or name != name.strip():
            raise ValueError(f"a response is called by 1 to {LONGEST} letters, not {name!r:.40}")
        if not name.isprintable() or "," in name:
            raise ValueError(f"the response {name!r} has a comma or a letter that cannot be shown")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"two responses are called {twice[0]!r}; give one another name")
    return list(names)


def check_view(noise: Any, right: Any, down: Any, seed: Any) -> View:
    """Return how the retina sees, or raise ``ValueError``."""
    if type(noise) not in (int, float) or not 0 <= noise <= NOISIEST:
        raise ValueError(f"noise is a share of cells from 0 to {NOISIEST}, not {noise!r:.40}")
    for name, cells in (("right", right), ("down", down)):
        _check_whole(f"the shift to the {name}" if name == "right" else "the shift down", cells)
        if abs(cells) > FARTHEST:
            raise ValueError(f"a shift is at most {FARTHEST} cells, not {cells:.40g}")
    return View(float(noise), right, down, check_seed(seed))


def check_seed(seed: Any) -> int:
    """Return a seed, or raise ``ValueError``."""
    _check_whole("a seed", seed)
    if not 0 <= seed < SEEDS:
        raise ValueError(f"a seed is from 0 to {SEEDS - 1}")
    return int(seed)


def check_label(label: Any, names: Sequence[str]) -> int:
    """Return the number of a response, or raise ``ValueError``."""
    _check_whole("a response's number", label)
    if not 0 <= label < len(names):
        raise ValueError(f"there are responses 0 to {len(names) - 1}, not {label:.40g}")
    return int(label)


def check_picture(picture: Any) -> str:
    """Return a packed picture, or raise ``ValueError``."""
    if not isinstance(picture, str):
        raise ValueError("a picture is a text of 67 letters")
    unpack(picture)
    return picture


def check_lessons(lessons: Any, names: Sequence[str]) -> list[Taught | Passes]:
    """Return lessons that the page has kept; raise ``ValueError`` that says which one is wrong."""
    if not isinstance(lessons, list) or len(lessons) > LESSONS:
        raise ValueError(f"lessons are a list of at most {LESSONS}")
    checked = []
    for number, lesson in enumerate(lessons, 1):
        try:
            checked.append(_lesson(lesson, names))
        except ValueError as error:
            raise ValueError(f"lesson {number}: {error}") from None
    if sum(one.number for one in checked if isinstance(one, Passes)) > PASSES:
        raise ValueError(f"lessons have at most {PASSES} passes in all")
    return checked


def _lesson(lesson: Any, names: Sequence[str]) -> Taught | Passes:
    view = {"noise", "right", "down", "seed"}
    if not isinstance(lesson, dict) or set(lesson) not in (
        view | {"picture", "label"},
        view | {"passes"},
    ):
        raise ValueError("it has a picture and a label, or passes, and how the retina sees")
    seen = check_view(**{name: lesson[name] for name in view})
    if "passes" not in lesson:
        return Taught(check_picture(lesson["picture"]), check_label(lesson["label"], names), seen)
    passes = lesson["passes"]
    _check_whole("the number of passes", passes)
    if not 1 <= passes <= PASSES or seen.seed + passes > SEEDS:
        raise ValueError(f"there are 1 to {PASSES} passes")
    return Passes(passes, seen)


def _check_whole(what: str, value: Any) -> None:
    if type(value) is not int:
        raise ValueError(f"{what} is a whole number, not {value!r:.40}")


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
        """Tell how many of the pictures that were held out it has right; a tie is not an answer."""
        pictures, labels = self.stock.held, self.stock.held_labels
        right = guesses(self.scores(see(pictures, *view))) == labels if len(labels) else labels
        return {"right": int(np.count_nonzero(right)), "held": len(labels)}
