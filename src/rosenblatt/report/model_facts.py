"""What a report on a trained model says; `rosenblatt.report.page` makes a page of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosenblatt.data.rows import Array
    from rosenblatt.evaluation.metrics import Confusion, Residuals
    from rosenblatt.theory.bounds import MistakeBound


@dataclass(frozen=True)
class FeatureWeights:
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
    """Some examples of two features, to be drawn with the decision boundary.

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


@dataclass(frozen=True, eq=False)
class Report:
    """What is known of a model after training. Only the first five are needed.

    Attributes
    ----------
    title : str
        The page's heading, such as the name of the model file.
    learner : str
        The learner, in words.
    examples, features : int
        How many of them there were.
    classes : sequence
        The classes, or an empty sequence where the target is a number.
    command : str
        The command that trains the same model again.
    parameters : mapping
        The learner's settings.
    files : sequence of (str, int or None)
        Names of the files, and their sizes in bytes.
    counts : sequence of int
        How many examples each class has.
    passes : sequence of int
        The mistakes in each pass.
    curve : sequence of (int, int)
        Examples seen, in all passes together, and mistakes made until then.
    losses : sequence of float
        The mean squared error of each pass, where the target is a number.
    validation : sequence of float
        The error rate on validation examples after each pass.
    test : Confusion, Residuals or None
        The evaluation on test examples.
    test_scores : sequence of (str, str)
        Its log loss and AUC, in words.
    weights : sequence of FeatureWeights
        One for two classes, else one for each class.
    points : Points or None
        Examples to draw, if they have two features.
    bound : MistakeBound or None
        The bound of a theorem on the mistakes.
    bound_is_best : bool
        Whether it is the smallest bound, as `mistake_bound` finds it, and not that of the
        hyperplane that was learned.
    converged : bool or None
        Whether the last pass was without a mistake; None if that has no meaning.
    seconds : float or None
        The training time.
    notes : sequence of str
        Remarks, a sentence each.
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
    test: "Confusion | Residuals | None" = None
    test_scores: Sequence[tuple[str, str]] = ()
    weights: Sequence[FeatureWeights] = ()
    points: Points | None = None
    bound: "MistakeBound | None" = None
    bound_is_best: bool = True
    converged: bool | None = None
    seconds: float | None = None
    notes: Sequence[str] = ()
    version: str = ""

    @property
    def mistakes(self) -> int:
        """How many mistakes were made while learning."""
        return sum(self.passes)
