"""What `train` was asked for, checked before anything is read."""

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt.cli.options import (
    CLOSED_FORMS,
    LEARNERS,
    ONLINE,
    check_bits,
    check_output,
    check_standard_input,
    numbers_or_names,
    reading_options,
)
from rosenblatt.cli.output import UsageError, choice, one_line

if TYPE_CHECKING:
    from rosenblatt.readers.reading import Reading

DISTRIBUTIONS = ("auto", "gaussian", "bernoulli", "multinomial")
_PASSES = {"regression": 20, "batch": 1000}
# Which learners have a use for an option; the others are refused it, rather than ignore it.
_USES = {
    "eta0": ("logistic", "svm", "batch", "regression"),
    "no_average": ("logistic", "svm"),
    "ties": ("averaged", "perceptron", "voted", "batch"),
    "no_intercept": (*ONLINE, "batch", "regression"),
    "passes": (*ONLINE, "batch", "regression"),
    "classes": (*ONLINE, *CLOSED_FORMS),
    "validation": ONLINE,
    "retrain": ONLINE,
    "checkpoint": ONLINE,
    "resume": ONLINE,
    "distribution": ("naive-bayes",),
}


@dataclass
class Job:
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

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense, alone or together."""
        choice(self.learner, LEARNERS, "--learner")
        choice(self.ties or "mistake", ("mistake", "positive"), "--ties")
        choice(self.distribution or "auto", DISTRIBUTIONS, "--distribution")
        check_bits(self.bits)
        if self.passes is not None and self.passes < 1:
            raise UsageError(f"--passes {self.passes} must be 1 or more")
        if self.eta0 is not None and not 0 < self.eta0 < float("inf"):
            raise UsageError(f"--eta0 {self.eta0:g} must be a positive number")
        for name, learners in _USES.items():
            if getattr(self, name) and self.learner not in learners:
                option = "--" + name.replace("_", "-")
                raise UsageError(f"{option} is not for {self.learner}, but for {_list(learners)}")
        self._check_together()
        inputs = [*self.files, *(self.test or []), *(self.validation or [])]
        for option in ("output", "checkpoint", "report"):
            check_output(getattr(self, option), f"--{option}", inputs)
        self._check_outputs()
        reading_options(**self._reading())

    def _check_outputs(self) -> None:
        """Refuse to write two things to one file, or a checkpoint over something else."""
        outputs = {
            option: Path(path).resolve()
            for option in ("output", "checkpoint", "report")
            if (path := getattr(self, option)) is not None
        }
        for one, other in combinations(outputs, 2):
            if outputs[one] == outputs[other]:
                raise UsageError(f"--{one} and --{other} are the same file; name another")
        if (place := outputs.get("checkpoint")) is not None and place.exists():
            from rosenblatt.stream.checkpoints import Place

            try:
                Place(place).check()
            except (OSError, ValueError) as error:
                raise UsageError(
                    f"--checkpoint {self.checkpoint} is there and is not a whole checkpoint, so it "
                    f"stays as it is: name another file, or move it away ({one_line(error)})"
                ) from None

    def _check_together(self) -> None:
        if self.classes is not None and len(set(numbers_or_names(self.classes))) < 2:
            raise UsageError("--classes needs two different classes at least, such as ham,spam")
        if self.retrain and not self.validation:
            raise UsageError("--retrain needs --validation, which says how many passes are best")
        if self.resume and not self.checkpoint:
            raise UsageError("--resume needs --checkpoint, the file to go on from")
        if self.checkpoint_every <= 0:
            raise UsageError(f"--checkpoint-every {self.checkpoint_every:g} must be positive")
        again = {"validation": self.validation, "retrain": self.retrain and self.files}
        for name, files in again.items():
            if files and "-" in files:
                raise UsageError(f"--{name} reads its files again, and standard input (-) is gone")
        check_standard_input(self.files, self.test, self.labels)
        if self.no_cache and "-" in self.files and self.n_passes > 1:
            raise UsageError(
                "standard input can be read only once: leave out --no-cache, or take --passes 1"
            )

    @property
    def n_passes(self) -> int:
        """How many passes to make."""
        return self.passes or _PASSES.get(self.learner, 5)

    @property
    def dtype(self) -> str:
        """The type of numbers and weights."""
        return "float64" if self.float64 else "float32"

    @property
    def known_classes(self) -> list[Any] | None:
        """The classes that were announced."""
        return None if self.classes is None else numbers_or_names(self.classes)

    def _reading(self) -> dict[str, Any]:
        names = ("format", "label", "text", "ngrams", "weight", "drop", "labels", "on_error")
        return {name: getattr(self, name) for name in names}

    def reading(self) -> "Reading":
        """Say how files are to be read."""
        from rosenblatt.readers.reading import Reading

        return Reading(dtype=self.dtype, labelled=True, **reading_options(**self._reading()))

    def test_reading(self, label: str | None) -> "Reading":
        """Say how files to judge by are to be read: labels are where they were when learning.

        But the file of labels is not theirs.
        """
        from dataclasses import replace

        return replace(self.reading(), labels=None, label=label)


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else names[0]
