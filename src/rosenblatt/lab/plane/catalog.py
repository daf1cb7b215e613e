"""The learners that the lab can watch, each with its options."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rosenblatt.estimators.averaged import AveragedPerceptron
from rosenblatt.estimators.batch import BatchPerceptron
from rosenblatt.estimators.centroid import NearestCentroid
from rosenblatt.estimators.discriminant import LinearDiscriminant
from rosenblatt.estimators.gradient import GradientDescent
from rosenblatt.estimators.kernel import KernelPerceptron
from rosenblatt.estimators.logistic import LogisticRegression
from rosenblatt.estimators.naive_bayes import NaiveBayes
from rosenblatt.estimators.perceptron import Perceptron
from rosenblatt.estimators.regression import LinearRegression
from rosenblatt.estimators.svm import LinearSVM
from rosenblatt.estimators.voted import VotedPerceptron
from rosenblatt.lab.options import (
    ANY_ORDER,
    BIAS,
    ETA,
    ORDER,
    PREDICT,
    RATE,
    SEARCHED,
    SEED,
    TIES,
    Option,
    checked_settings,
    keywords,
    passes,
)

PERCEPTRONS, KERNELS = "Perceptrons", "Kernels"
DESCENT, CLOSED = "Gradient descent", "Closed form"
_ALL_PASSES: Mapping[str, Any] = {"tol": None}

_BATCHES = {"1": 1, "4": 4, "16": 16, "64": 64, "all": None}
BATCH = Option(
    "batch",
    "points a move",
    "1",
    meanings={name: {"batch_size": size} for name, size in _BATCHES.items()},
    choices=[(name, "1, stochastic" if name == "1" else name) for name in _BATCHES],
)
DESCENT_RATE = Option(
    "rate",
    "step sizes",
    "auto",
    "learning_rate",
    choices=(
        ("auto", "found from the data"),
        ("constant", "constant: η"),
        ("inverse", "falling: η / (1 + t/T)"),
        ("inverse_sqrt", "falling: η / √(1 + t/T)"),
        ("step", "halved every T moves"),
        ("line_search", "best along the line"),
    ),
    only={"line_search": ("batch", ("all",))},
)
DESCENT_ETA = ETA._replace(
    default=0.1, step=0.01, when=("rate", ("constant", "inverse", "inverse_sqrt", "step"))
)
LOSS = Option(
    "loss",
    "loss",
    "perceptron",
    "loss",
    choices=(
        ("perceptron", "perceptron's criterion"),
        ("hinge", "hinge"),
        ("logistic", "cross-entropy"),
        ("squared", "squares"),
    ),
)
PENALTY = Option(
    "penalty",
    "penalty",
    "none",
    meanings={"none": {"penalty": None}, "l2": {"penalty": "l2"}, "l1": {"penalty": "l1"}},
    choices=(("none", "none"), ("l2", "α/2 ‖w‖²"), ("l1", "α ‖w‖₁")),
)
ALPHA = Option(
    "alpha", "α", 0.01, "alpha", least=0, most=10, step=0.01, when=("penalty", ("l2", "l1"))
)
KERNEL = Option(
    "kernel",
    "kernel",
    "rbf",
    "kernel",
    choices=(
        ("rbf", "Gaussian"),
        ("poly", "polynomial"),
        ("laplacian", "Laplacian"),
        ("linear", "linear"),
    ),
)
GAMMA = Option(
    "gamma",
    "γ",
    1.0,
    "gamma",
    least=0.001,
    most=1000,
    step=0.1,
    when=("kernel", ("rbf", "poly", "laplacian")),
)
DEGREE = Option(
    "degree", "degree", 2, "degree", least=1, most=9, step=1, when=("kernel", ("poly",))
)
PRIORS = Option(
    "priors",
    "a class is worth",
    "uniform",
    "priors",
    choices=(("uniform", "as much as others"), ("empirical", "its share of the points")),
)
SHRINK = Option("shrink", "threshold", 1.0, "shrink_threshold", least=0, most=20, step=0.1)
SHRINKAGE = Option("shrinkage", "shrinkage", 0.0, "shrinkage", least=0, most=1, step=0.05)
_DOWN = (BATCH, DESCENT_RATE, DESCENT_ETA, PENALTY, ALPHA, BIAS, ORDER, passes(100), SEED)


class Learner(NamedTuple):
    """A learner: how it is shown, and the estimator that it is.

    ``fixed`` are keywords that the lab always gives it.
    """

    name: str
    title: str
    group: str
    kind: type[Any]
    note: str
    options: Sequence[Option]
    fixed: Mapping[str, Any] = {}
    two_classes_only: bool = False

    @property
    def steps(self) -> bool:
        """Whether it learns step by step."""
        return self.group != CLOSED

    def described(self) -> dict[str, Any]:
        """Return what the page is told."""
        return {
            "name": self.name,
            "title": self.title,
            "group": self.group,
            "kind": "steps" if self.steps else "once",
            "note": self.note,
            "two_classes_only": self.two_classes_only,
            "options": [option.described() for option in self.options],
        }

    def keywords(self, settings: Any) -> dict[str, Any]:
        """Check settings, and return the estimator's keywords."""
        found = keywords(self.options, checked_settings(self.options, settings))
        return {**self.fixed, **found}

    def estimator(self, settings: Any) -> Any:
        """Check settings, and return the estimator."""
        return self.kind(**self.keywords(settings))


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        Learner(
            "perceptron",
            "Perceptron",
            PERCEPTRONS,
            Perceptron,
            "On a mistake it adds η·y·x to w.",
            (BIAS, ANY_ORDER, TIES, ETA, RATE, passes(100), SEED),
            _ALL_PASSES,
        ),
        Learner(
            "averaged",
            "Averaged perceptron",
            PERCEPTRONS,
            AveragedPerceptron,
            "Learns as the perceptron does, and predicts with the mean of all its w.",
            (BIAS, ORDER, TIES, passes(10), SEED),
            _ALL_PASSES,
        ),
        Learner(
            "voted",
            "Voted perceptron",
            PERCEPTRONS,
            VotedPerceptron,
            "Every w of its life votes, as often as it survived a point.",
            (PREDICT, BIAS, ORDER, TIES, passes(10), SEED),
            _ALL_PASSES,
        ),
        Learner(
            "batch",
            "Batch perceptron",
            PERCEPTRONS,
            BatchPerceptron,
            "Adds up the mistakes of a whole pass, then moves once.",
            (
                BIAS,
                TIES,
                ETA,
                SEARCHED,
                Option("normalize", "divide by the points", True, "normalize"),
                passes(100),
            ),
            _ALL_PASSES,
        ),
        Learner(
            "kernel",
            "Kernel perceptron",
            KERNELS,
            KernelPerceptron,
            "A sum over its mistakes, in a space of features that is never written out.",
            (KERNEL, GAMMA, DEGREE, PREDICT, BIAS, ORDER, TIES, passes(10), SEED),
            _ALL_PASSES,
        ),
        Learner(
            "gradient",
            "Gradient descent",
            DESCENT,
            GradientDescent,
            "Goes down the loss of your choice; with one point a move and η = 1 the perceptron.",
            (LOSS, *_DOWN),
        ),
        Learner(
            "logistic",
            "Logistic regression",
            DESCENT,
            LogisticRegression,
            "Goes down the cross-entropy; its scores are log-odds.",
            _DOWN,
        ),
        Learner(
            "svm",
            "Support vector machine",
            DESCENT,
            LinearSVM,
            "Goes down the hinge loss and the length of w: a wide street between the classes.",
            tuple(
                option._replace(default="l2") if option.name == "penalty" else option
                for option in _DOWN
            ),
        ),
        Learner(
            "regression",
            "Least squares",
            DESCENT,
            LinearRegression,
            "Linear regression on the numbers −1 and +1: points far on the right side pull too.",
            _DOWN,
            two_classes_only=True,
        ),
        Learner(
            "centroid",
            "Nearest centroid",
            CLOSED,
            NearestCentroid,
            "A point belongs to the class whose mean is nearest.",
            (PRIORS,),
        ),
        Learner(
            "shrunken",
            "Shrunken centroids",
            CLOSED,
            NearestCentroid,
            "Nearest centroid in units of the spread, the means shrunk towards their middle.",
            (SHRINK, PRIORS),
        ),
        Learner(
            "discriminant",
            "Linear discriminant",
            CLOSED,
            LinearDiscriminant,
            "Nearest mean by the covariance that the classes share.",
            (SHRINKAGE, PRIORS._replace(default="empirical")),
        ),
        Learner(
            "naive_bayes",
            "Naive Bayes",
            CLOSED,
            NaiveBayes,
            "Normal features, independent within a class, with variances that the classes share.",
            (PRIORS._replace(default="empirical"),),
        ),
    )
}


def as_learner(name: Any) -> Learner:
    """Return the learner of a name."""
    if not isinstance(name, str) or name not in LEARNERS:
        raise ValueError(f"there is no learner of that name; there are {', '.join(LEARNERS)}")
    return LEARNERS[name]
