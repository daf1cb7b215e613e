"""What training was asked to do, by the names that the options of commands have."""

from dataclasses import dataclass, field, replace
from typing import Any

from rosenblatt.console import UsageError
from rosenblatt.readers.options import Reading, reading_given
from rosenblatt.registry import LEARNERS
from rosenblatt.tagging.templates import BIAS, NAME

LEFT_OUT = ("-", "_")


@dataclass
class TrainOptions:
    """The options of `train`, by their names."""

    files: list[str]
    output: str | None = None
    learner: str = "averaged"
    passes: int | None = None
    bits: int | None = None
    classes: str | None = None
    no_intercept: bool = False
    eta0: float | None = None
    no_average: bool = False
    ties: str | None = None
    distribution: str | None = None
    float64: bool = False
    no_cache: bool = False
    ignore_weights: bool = False
    test: list[str] | None = None
    validation: list[str] | None = None
    retrain: bool = False
    checkpoint: str | None = None
    checkpoint_every: float = 30.0
    resume: bool = False
    report: str | None = None
    format: str = "auto"
    label: str | None = None
    text: list[str] | None = None
    ngrams: int | None = None
    weight: str | None = None
    drop: list[str] | None = None
    labels: str | None = None
    on_error: str = "stop"
    quiet: bool = False
    json: bool = False

    @property
    def n_passes(self) -> int:
        """How many passes to make."""
        return self.passes or LEARNERS[self.learner].passes

    @property
    def dtype(self) -> str:
        """The type of numbers and weights."""
        return "float64" if self.float64 else "float32"

    @property
    def known_classes(self) -> list[Any] | None:
        """The classes that were announced."""
        return None if self.classes is None else numbers_or_names(self.classes)

    def reading(self) -> Reading:
        """Say how files are to be read."""
        return Reading(dtype=self.dtype, labelled=True, **reading_given(vars(self)))

    def test_reading(self, label: str | None) -> Reading:
        """Say how files to judge by are to be read: labels are where they were when learning.

        But the file of labels is not theirs.
        """
        return replace(self.reading(), labels=None, label=label)


def numbers_or_names(text: str) -> list[Any]:
    """Split what stands between commas: whole numbers if all are, else names.

    >>> numbers_or_names("1,-1"), numbers_or_names("ham, spam")
    ([1, -1], ['ham', 'spam'])
    """
    words = [word.strip() for word in text.split(",")]
    try:
        return [int(word) for word in words]
    except ValueError:
        return words


@dataclass
class TagOptions:
    """The options of ``tag train``; see there."""

    files: list[str]
    output: str | None = None
    templates: str = "auto"
    lists: list[str] | None = None
    order: int = 1
    passes: int = 10
    min_count: int = 1
    constraints: str = "auto"
    seed: int = 0
    dev: list[str] | None = None
    patience: int | None = None
    format: str = "auto"
    tag: str | None = None
    columns: str | None = None
    quiet: bool = False
    json: bool = False
    asked: str = field(default="auto", init=False)  # a name, or templates as text
    entries: dict[str, list[str]] = field(default_factory=dict, init=False)  # of the lists

    @property
    def names(self) -> list[str] | None:
        """What the columns are called."""
        return names_of_columns(self.columns)


def names_of_columns(text: str | None) -> list[str] | None:
    """Return the names that --columns gives.

    >>> names_of_columns("word, pos,-")
    ['word', 'pos', '-']
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    kept = [name for name in names if name not in LEFT_OUT]
    for number, name in enumerate(kept):
        if not NAME.fullmatch(name) or name == BIAS:
            raise UsageError(f"--columns {text}: {name!r} is no name; take another, such as word")
        if name in kept[:number]:
            raise UsageError(f"--columns {text}: two columns are called {name!r}")
    if not kept:
        raise UsageError(f"--columns {text} leaves every column out; name one at least")
    return ["-" if name in LEFT_OUT else name for name in names]
