"""What a report on a trained model says; `rosenblatt.report.page` makes a page of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.data.rows import Array


@dataclass(frozen=True, eq=False)
class Judged:
    """How a model did on examples that it had not learned from.

    Attributes
    ----------
    name : str
        What they are called, such as "test" or "validation".
    classes : sequence
        The classes that can be predicted.
    confusion : array of shape (n_labels, n_classes)
        How often the class of the row was taken for that of the column.
    labels : sequence
        The classes of the rows: the same, and then those that the model does not know. By default
        the same.
    """

    name: str
    classes: Sequence[Any]
    confusion: "Array"
    labels: Sequence[Any] = ()

    @property
    def n(self) -> int:
        """How many examples there were."""
        return int(self.confusion.sum())

    @property
    def wrong(self) -> int:
        """How many of them were taken for another class."""
        return self.n - int(self.confusion.trace())


@dataclass(frozen=True)
class Numbers:
    """How near the numbers that a model predicts come, on examples it had not learned from."""

    name: str
    n: int
    rmse: float
    mae: float
    r2: float


@dataclass(frozen=True)
class Strongest:
    """The features with the largest weights.

    Attributes
    ----------
    label : object
        The class that positive weights speak for; None if the target is a number.
    against : object or None
        The class that negative weights speak for, if there are two.
    features : sequence of (str, float)
        Names and weights, in any order.
    """

    label: Any
    against: Any
    features: Sequence[tuple[str, float]]


@dataclass(frozen=True, eq=False)
class Points:
    """Some examples of two features, to be drawn with the boundary.

    Attributes
    ----------
    X : array of shape (n, 2)
        The examples.
    y : array of shape (n,)
        Their classes.
    names : (str, str)
        The names of the features.
    coef, intercept : arrays of shape (1, 2) and (1,), or (n_classes, 2) and (n_classes,)
        The hyperplanes, as scikit-learn has them.
    total : int
        How many examples there are, of which these are some.
    """

    X: "Array"
    y: "Array"
    names: tuple[str, str]
    coef: "Array"
    intercept: "Array"
    total: int


@dataclass(frozen=True)
class Bound:
    """What a theorem says of the mistakes of a perceptron; see `rosenblatt.mistake_bound`.

    Attributes
    ----------
    radius : float
        R, the length of the longest example.
    margin, bound : float or None
        γ, and how many mistakes there can be; None if that is not known.
    deviation : float
        D, the length of what examples lack to the margin.
    theorem : str
        "novikoff", "freund-schapire" or "".
    best : bool
        Whether it is the smallest bound, and not that of the plane that was learned.
    fit_intercept : bool
        Whether all is meant in the space of (x, 1).
    """

    radius: float
    margin: float | None = None
    bound: float | None = None
    deviation: float = 0.0
    theorem: str = ""
    best: bool = True
    fit_intercept: bool = True


@dataclass(frozen=True, eq=False)
class Report:
    """What is known of a model after training. Only the first five are needed.

    Attributes
    ----------
    title : str
        The page's heading, such as the name of the model file.
    learner : str
        What learned, in words.
    examples, features : int
        How many of them there were.
    classes : sequence
        The classes, or an empty sequence where the target is a number.
    command : str
        The command that makes the same model again.
    parameters : mapping
        The learner's settings.
    files : sequence of (str, int or None)
        Names of the files, and how many bytes they have.
    counts : sequence of int
        How many examples each class has.
    passes : sequence of int
        The mistakes in each pass.
    curve : sequence of (int, int)
        Examples seen, in all passes together, and mistakes made until then.
    losses : sequence of float
        The mean squared error of each pass, where the target is a number.
    validation : sequence of float
        The share of mistakes on validation examples after each pass.
    judged : sequence of Judged or Numbers
        What became of test examples.
    strongest : sequence of Strongest
        One for two classes, else one for each class.
    points : Points or None
        Examples to draw, if they have two features.
    bound : Bound or None
        What a theorem says of the mistakes.
    converged : bool or None
        Whether the last pass was without a mistake; None if that has no meaning.
    seconds : float or None
        How long it took to learn.
    notes : sequence of str
        What else is to be known: a sentence each.
    version : str
        That of the program.
    """

    title: str
    learner: str
    examples: int
    features: int
    classes: Sequence[Any]
    command: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    files: Sequence[tuple[str, int | None]] = ()
    counts: Sequence[int] = ()
    passes: Sequence[int] = ()
    curve: Sequence[tuple[int, int]] = ()
    losses: Sequence[float] = ()
    validation: Sequence[float] = ()
    judged: Sequence[Judged | Numbers] = ()
    strongest: Sequence[Strongest] = ()
    points: Points | None = None
    bound: Bound | None = None
    converged: bool | None = None
    seconds: float | None = None
    notes: Sequence[str] = ()
    version: str = ""

    @property
    def mistakes(self) -> int:
        """How many mistakes were made while learning."""
        return sum(self.passes)
