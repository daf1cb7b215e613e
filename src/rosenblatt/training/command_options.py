"""The options of the commands that learn from rows: `train`, `compare` and `tune`.

Each option is declared here once: name, type, default and help. The command line makes its own
from these declarations, and what learns gets an object of the class.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.console import ModelOutput, OutputOptions, UsageError, choice, option
from rosenblatt.learner_registry import (
    IF_NAMED,
    LEARNERS,
    USUAL_PASSES,
    comparable,
    trainable,
    tunable,
    understanding,
)
from rosenblatt.readers.command_options import Reading, ReadingOptions
from rosenblatt.readers.interactions import parsed
from rosenblatt.training.shared_options import (
    ClusterOptions,
    check_resume,
    checkpoint_option,
    evaluation,
    learning,
    long_runs,
    reading_files,
    resume_option,
)

if TYPE_CHECKING:
    from rosenblatt.readers.reader import Reader

DISTRIBUTIONS = ("auto", "gaussian", "bernoulli", "multinomial", "complement")
TIES = ("mistake", "positive")
LEARNING_RATES = ("adaptive", "inverse_sqrt")
SCALES = ("standard", "numbers", "none")
_MOST_BITS = 30
_scale = partial(
    learning,
    "numbers subtracts from a number the mean of its column so far and divides by its deviation so "
    "far; standard also weights the words of a text by how rare they are; none takes all as they "
    "are, words as 1 [default: standard].",
    metavar="|".join(SCALES),
)


def listed(names: Iterable[str]) -> str:
    """Join names as in a sentence.

    >>> listed(["logistic", "svm", "batch"])
    'logistic, svm and batch'
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def scaling_of(scale: str | None) -> str | None:
    """Return what ``--scale`` says as `OnlineClassifier` takes it."""
    return None if scale == "none" else scale or "standard"


def check_understood(options: Any, names: Iterable[str]) -> None:
    """Raise `UsageError` for options that the learner does not understand."""
    for name in names:
        if getattr(options, name) and options.learner not in (others := understanding(name)):
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{option} is not for {options.learner}, but for {listed(others)}")


def _usual_passes() -> str:
    rows = understanding("passes").values()
    others = [f"{row.name} {row.passes}" for row in rows if row.passes != USUAL_PASSES]
    return "; ".join([str(USUAL_PASSES), ", ".join(others)])


@dataclass
class LearningOptions(OutputOptions, ReadingOptions):
    """What all commands have that learn from rows."""

    bits: int | None = reading_files(
        "Hash feature names to 2^N columns: memory is bounded, names are lost.", metavar="N"
    )
    interactions: list[str] | None = reading_files(
        "Multiply the features of two columns, keys or namespaces, or more, as in user*ad; * is "
        "all pairs; may be repeated.",
        metavar="A*B",
    )
    ignore_weights: bool = reading_files("Ignore importance weights.", default=False)

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        self.reading_given()
        try:
            parsed(self.interactions or ())
        except ValueError as error:
            raise UsageError(str(error)) from None
        if self.bits is not None and not 1 <= self.bits <= _MOST_BITS:
            raise UsageError(f"--bits {self.bits} must be between 1 and {_MOST_BITS}")


@dataclass
class FittingOptions(ModelOutput, LearningOptions):
    """What the commands have that train and save one model."""

    float64: bool = learning("Compute in float64 instead of float32.", default=False)

    @property
    def dtype(self) -> str:
        """The type of values and weights."""
        return "float64" if self.float64 else "float32"

    def reading(self, dtype: str | None = None) -> Reading:
        """Return how files are to be read."""
        return super().reading(dtype or self.dtype)


@dataclass
class TrainOptions(ClusterOptions, FittingOptions):
    """The options of `train`."""

    learner: str = learning(f"{', '.join(trainable())}.", default="logistic", metavar="NAME")
    origin: str | None = learning(
        "Go on learning with this model, its learner, features, classes and settings, which other "
        "options may not contradict; --passes is 1 then unless given.",
        metavar="MODEL",
        names=("--from",),
    )
    passes: int | None = learning(
        "The largest number of passes over the files, max_iter in Python; for perceptrons a pass "
        f"without mistakes is the last [default: {_usual_passes()}; 5 to 300 for adaptive steps, "
        "the more the fewer examples there are].",
        metavar="N",
    )
    scale: str | None = _scale()
    no_shuffle: bool = learning("Learn from the examples in the order of the files.", default=False)
    classes: str | None = learning(
        "The classes to expect; otherwise each takes part from its first example on.",
        metavar="A,B,...",
    )
    no_intercept: bool = learning("Use hyperplanes through the origin.", default=False)
    eta0: float | None = learning(
        f"The initial step size of {listed(understanding('eta0'))} [default: chosen from the "
        "data].",
        metavar="NUMBER",
    )
    learning_rate: str | None = learning(
        f"For {listed(understanding('learning_rate'))}: adaptive has a step size for each feature "
        "(AdaGrad), inverse_sqrt the same for all [default: adaptive].",
        metavar="|".join(LEARNING_RATES),
    )
    l2: float | None = learning(
        "The L2 penalty of adaptive steps, 1/C in scikit-learn's terms [default: chosen by "
        "cross-validation if rows and columns are few, else 0.3].",
        metavar="NUMBER",
    )
    l1: float | None = learning(
        "The L1 penalty of adaptive steps: the larger, the more weights are exactly zero; the last "
        "weights predict then, as a mean has few zeros [default: 0].",
        metavar="NUMBER",
    )
    forget: int | None = learning(
        "For adaptive steps and streams that change: after N examples one counts half; learns in "
        "the order of the files, in one pass unless --passes says more [default: never].",
        metavar="N",
    )
    average: bool = learning(
        f"For {listed(understanding('average'))}: predict with the mean of the weights of the last "
        "pass [default: if there are several passes, no --l1 and no --forget, or steps do not "
        "adapt].",
        default=False,
    )
    no_average: bool = learning(
        f"For {listed(understanding('no_average'))}: predict with the last weights, which follow "
        "changes in the data [default: after a single pass with adaptive steps].",
        default=False,
    )
    ties: str | None = learning(
        "What a score of exactly zero counts as, for perceptrons [default: mistake].",
        metavar="|".join(TIES),
    )
    distribution: str | None = learning(
        f"For {listed(understanding('distribution'))}: {', '.join(DISTRIBUTIONS)} "
        "[default: auto, chosen from the values].",
        metavar="NAME",
    )
    test: list[str] | None = evaluation(
        "Evaluate the final model on this file; may be repeated.", metavar="FILE"
    )
    validation: list[str] | None = evaluation(
        "Evaluate on this file after every pass, and keep the best pass; may be repeated.",
        metavar="FILE",
    )
    retrain: bool = evaluation(
        "Then train again on all files, for the best number of passes.", default=False
    )
    report: str | None = evaluation("Write a report in HTML.", metavar="FILE")
    no_cache: bool = long_runs(
        "Read the files again in every pass, instead of keeping the rows in a temporary file.",
        default=False,
    )
    checkpoint: str | None = checkpoint_option()
    checkpoint_every: float = long_runs("How often to save it.", default=30.0, metavar="SECONDS")
    resume: bool = resume_option()

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        super().check()
        choice(self.learner, trainable(), "--learner")
        choice(self.ties or "mistake", TIES, "--ties")
        choice(self.scale or "none", SCALES, "--scale")
        choice(self.learning_rate or "adaptive", LEARNING_RATES, "--learning-rate")
        for name in ("l1", "l2"):
            penalty = getattr(self, name)
            if penalty is not None and not 0 <= penalty < float("inf"):
                raise UsageError(f"--{name} {penalty:g} must be a number, not negative")
            if penalty is not None and self.learning_rate == "inverse_sqrt":
                raise UsageError(
                    f"--{name} is for adaptive steps, and --learning-rate inverse_sqrt has none"
                )
        choice(self.distribution or "auto", DISTRIBUTIONS, "--distribution")
        if self.passes is not None and self.passes < 1:
            raise UsageError(f"--passes {self.passes} must be 1 or more")
        if self.eta0 is not None and not 0 < self.eta0 < float("inf"):
            raise UsageError(f"--eta0 {self.eta0:g} must be a positive number")
        if self.l2 is not None and self.learning_rate == "inverse_sqrt":
            raise UsageError(
                "--l2 is for adaptive steps, and --learning-rate inverse_sqrt has none"
            )
        if self.checkpoint_every <= 0:
            raise UsageError(f"--checkpoint-every {self.checkpoint_every:g} must be positive")
        if self.classes is not None and len(set(self.known_classes or ())) < 2:
            raise UsageError("--classes needs at least two different classes, such as ham,spam")
        if self.forget is not None:
            self._check_forget(self.forget)
        if self.average and self.no_average:
            raise UsageError("--average and --no-average cannot be combined")
        if self.retrain and not self.validation:
            raise UsageError("--retrain needs --validation, to find the best number of passes")
        check_resume(self)

    def _check_forget(self, forget: int) -> None:
        if forget < 1:
            raise UsageError(f"--forget {forget} must be a number of examples, 1 or more")
        if self.learning_rate == "inverse_sqrt":
            raise UsageError(
                "--forget is for adaptive steps, and --learning-rate inverse_sqrt has none"
            )
        if self.average:
            raise UsageError(
                "--forget and --average cannot be combined: a mean of all weights forgets nothing"
            )
        if self.retrain:
            raise UsageError("--forget and --retrain cannot be combined: the last files count most")

    @property
    def n_passes(self) -> int:
        """The largest number of passes, as far as it is known beforehand."""
        return self.passes or LEARNERS[self.learner].passes

    @property
    def adapts(self) -> bool:
        """Whether each feature has a step size of its own."""
        return "learning_rate" in LEARNERS[self.learner].options and (
            self.learning_rate in (None, "adaptive")
        )

    @property
    def averages(self) -> bool:
        """Whether the mean of the weights is to predict, where that is a choice.

        A single pass is over a stream, which may drift: there the last weights predict. With an L1
        penalty they are zero where the mean of them is not.
        """
        one_pass = self.passes == 1 and self.adapts
        return self.average or not (self.no_average or one_pass or self.l1 or self.forget)

    @property
    def known_classes(self) -> list[Any] | None:
        """The classes that were announced."""
        return None if self.classes is None else numbers_or_names(self.classes)

    def test_reading(self, reader: "Reader") -> Reading:
        """Return how files to evaluate on are read: with the columns of the training files.

        The file of labels (--labels) belongs to the training files alone.
        """
        reading = self.reading()
        return replace(
            reading,
            usual=reading.usual or reader.kind,
            labels=None,
            label=reader.label,
            columns=reader.columns,
            others=reader.others,
        )


def numbers_or_names(text: str) -> list[Any]:
    """Split a comma-separated list: into whole numbers if all are, else into names.

    >>> numbers_or_names("1,-1"), numbers_or_names("ham, spam")
    ([1, -1], ['ham', 'spam'])
    """
    words = [word.strip() for word in text.split(",")]
    try:
        return [int(word) for word in words]
    except ValueError:
        return words


_scoring_help = (
    "scores of scikit-learn's, more being better, such as balanced_accuracy, roc_auc, f1, "
    "neg_log_loss [default: accuracy]."
)


def names_in(text: str | None) -> list[str] | None:
    """Split a comma-separated list of names.

    >>> names_in("f1, roc_auc"), names_in(None)
    (['f1', 'roc_auc'], None)
    """
    return None if text is None else [name.strip() for name in text.split(",")]


_comparing = partial(option, group="Comparison")


@dataclass
class CompareOptions(LearningOptions):
    """The options of `compare`."""

    test: list[str] | None = _comparing(
        "Evaluate on this file, or on this share of the rows [default: 0.3]; 0 evaluates on the "
        "training rows themselves.",
        metavar="FILE|SHARE",
    )
    folds: int | None = _comparing(
        "Use N-fold cross-validation instead.", metavar="N", names=("--folds", "--cv")
    )
    scoring: str | None = _comparing(
        f"Rank by the first of these, and show all: {_scoring_help}", metavar="A,B,..."
    )
    learners: str | None = _comparing(
        f"Some of {', '.join(comparable())} [default: all but {listed(comparable(IF_NAMED))}].",
        metavar="A,B,...",
    )
    orders: int = _comparing(
        "Train on the rows in N orders, to see whether the result depends on the order.",
        default=2,
        metavar="N",
    )
    no_scale: bool = _comparing("Do not scale the features.", default=False)
    seed: int = _comparing(
        "The random seed of splits, orders and learners.", default=0, metavar="N"
    )
    plot: str | None = _comparing(
        "Plot the decision boundaries of two features; .png, .svg or .pdf.", metavar="FILE"
    )

    @property
    def names(self) -> list[str] | None:
        """The learners to compare."""
        return names_in(self.learners)

    @property
    def scores(self) -> list[str] | None:
        """The scores by which to compare them."""
        return names_in(self.scoring)

    @property
    def tested(self) -> float | list[str] | None:
        """The share of the rows to evaluate on, or files; None for the training rows."""
        return share_or_files(self.test, 0.3)

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        super().check()
        for name in self.names or ():
            choice(name, comparable(), "--learners")
        if self.folds is not None and (self.folds < 2 or self.test):
            raise UsageError("--folds must be 2 or more, and cannot be combined with --test")
        if self.orders < 1:
            raise UsageError(f"--orders {self.orders} must be 1 or more")


_search = partial(option, group="Search")


@dataclass
class TuneOptions(FittingOptions):
    """The options of `tune`."""

    learner: str = learning(f"{', '.join(tunable())}.", default="logistic", metavar="NAME")
    grid: list[str] | None = learning(
        "Values of a parameter to try; may be repeated, and all combinations are tried. Each "
        "learner has a default grid.",
        metavar="NAME=A,B,...",
    )
    scale: str | None = _scale()
    folds: int | None = evaluation(
        "Evaluate settings by N-fold cross-validation [default: 5].",
        metavar="N",
        names=("--folds", "--cv"),
    )
    scoring: str | None = evaluation(
        f"Choose by the first of these, and report all: {_scoring_help}", metavar="A,B,..."
    )
    validation: str | None = evaluation(
        "Evaluate settings on this share of the rows, or on this file, instead.",
        metavar="SHARE|FILE",
    )
    test: list[str] | None = evaluation(
        "Evaluate the best model once, on this file or on this share of the rows, which is held "
        "out; 0 for no test [default: 0.2].",
        metavar="FILE|SHARE",
    )
    seed: int = evaluation("The random seed of the splits.", default=0, metavar="N")

    @property
    def scores(self) -> list[str] | None:
        """The scores by which to choose."""
        return names_in(self.scoring)

    @property
    def validated(self) -> float | str | None:
        """The share of the rows to validate on, or a file."""
        return share_or_file(self.validation, "--validation")

    @property
    def tested(self) -> float | list[str] | None:
        """The share of the rows to hold out for the test, or files; None for no test."""
        return share_or_files(self.test, 0.2)

    def check(self) -> None:
        """Raise `UsageError` for options that make no sense."""
        super().check()
        choice(self.learner, tunable(), "--learner")
        choice(self.scale or "none", SCALES, "--scale")
        check_understood(self, ["scale"])
        if self.folds is not None and self.folds < 2:
            raise UsageError(f"--folds {self.folds} must be 2 or more")
        if self.folds is not None and self.validation is not None:
            raise UsageError("--folds and --validation cannot be combined")


def share_or_file(text: str | None, name: str) -> float | str | None:
    """Return a share of the rows, or else the name of a file.

    >>> share_or_file("0.2", "--test"), share_or_file("a.svm", "--test")
    (0.2, 'a.svm')
    """
    if text is None:
        return None
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share < 1:
        raise UsageError(f"{name} {text} must be a share between 0 and 1, or a file")
    return share


def share_or_files(given: list[str] | None, default: float) -> float | list[str] | None:
    """Return the share of rows to test on, or files; None for no test."""
    if not given:
        return default
    if given == ["0"]:
        return None
    if len(given) == 1:
        share = share_or_file(given[0], "--test")
        return share if isinstance(share, float) else given
    return given
