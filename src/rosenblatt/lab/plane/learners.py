"""The learners that the lab can watch, each with its options."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.lab.learner_settings import (
    ANY_ORDER,
    BIAS,
    ETA,
    ORDER,
    PASSES,
    PREDICT,
    RATE,
    SEARCHED,
    SEED,
    TIES,
    Option,
    checked_settings,
    keywords,
)
from rosenblatt.learner_registry import LAB_GROUPS, LEARNERS, LabView, Learner

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
        ("squared_hinge", "squared hinge"),
        ("logistic", "cross-entropy"),
        ("modified_huber", "modified Huber"),
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
VARIANT = Option(
    "variant",
    "penalty on small margins",
    "hinge",
    "loss",
    choices=(("hinge", "PA-I: steps of C at most"), ("squared_hinge", "PA-II: damped steps")),
)
AGGRESSIVENESS = Option("C", "C", 1.0, "C", least=0.001, most=1000, step=0.1)
REGULARISATION = Option("r", "r", 1.0, "r", least=0.001, most=1000, step=0.1)
NORMALIZE = Option("normalize", "divide by the points", True, "normalize")
# By the names that the registry's rows have for them; several of one name are for other learners.
OPTIONS: dict[str, Option] = {
    "any-order": ANY_ORDER,
    "descent-eta0": DESCENT_ETA,
    "descent-rate": DESCENT_RATE,
    "searched-rate": SEARCHED,
    **{
        option.name: option
        for option in (
            *(ALPHA, BATCH, BIAS, DEGREE, ETA, GAMMA, KERNEL, LOSS, NORMALIZE, ORDER, PASSES),
            *(PENALTY, PREDICT, PRIORS, RATE, SEED, SHRINK, SHRINKAGE, TIES),
            *(VARIANT, AGGRESSIVENESS, REGULARISATION),
        )
    },
}


class LabLearner(NamedTuple):
    """A learner as the lab shows it."""

    name: str
    title: str
    row: Learner
    view: LabView
    options: Sequence[Option]

    @property
    def steps(self) -> bool:
        """Whether it learns step by step."""
        return self.row.traced is not None

    @property
    def two_classes_only(self) -> bool:
        """Whether it is a regression, which needs numbers for the classes."""
        return self.view.two_classes_only

    @property
    def estimator_class(self) -> Any:
        """The estimator's class."""
        return self.row.load()

    def described(self) -> dict[str, Any]:
        """Return what the page shows."""
        return {
            "name": self.name,
            "title": self.title,
            "group": self.view.group,
            "kind": "steps" if self.steps else "once",
            "note": self.view.note,
            "two_classes_only": self.two_classes_only,
            "options": [option.described() for option in self.options],
        }

    def keywords(self, settings: Any) -> dict[str, Any]:
        """Check settings, and return the estimator's keywords."""
        checked = checked_settings(self.options, settings)
        return {**self.view.fixed, **keywords(self.options, checked)}

    def estimator(self, settings: Any) -> Any:
        """Check settings, and return the estimator."""
        return self.estimator_class(**self.keywords(settings))


def learners() -> dict[str, LabLearner]:
    """Return the learners that the lab shows, group by group."""
    all_views = [(row, view) for row in LEARNERS.values() for view in row.lab]
    ordered = sorted(all_views, key=lambda pair: LAB_GROUPS.index(pair[1].group))
    return {learner.name: learner for learner in (_learner(row, view) for row, view in ordered)}


def _learner(row: Learner, view: LabView) -> LabLearner:
    options = [OPTIONS[name] for name in view.options]
    defaults = [view.defaults.get(option.name, option.default) for option in options]
    chosen = [
        option._replace(default=default) for option, default in zip(options, defaults, strict=True)
    ]
    return LabLearner(view.name or row.name, row.title_of(view), row, view, chosen)


def as_learner(name: Any) -> LabLearner:
    """Return the learner of a name."""
    known = learners()
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"there is no learner of that name; there are {', '.join(known)}")
    return known[name]
