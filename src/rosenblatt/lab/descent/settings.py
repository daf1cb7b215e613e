"""What the page asks gradient descent to do: checked, and as estimators."""

from typing import Any, NamedTuple

from rosenblatt.estimators.gradient import GradientDescent
from rosenblatt.estimators.logistic import LogisticRegression
from rosenblatt.estimators.regression import LinearRegression
from rosenblatt.estimators.svm import LinearSVM
from rosenblatt.lab.descent.problems import PROBLEMS, Problem
from rosenblatt.lab.learner_settings import ORDER, SEED, Option, checked_settings

PATHS = {"batch": "Batch", "mini": "Mini-batch", "stochastic": "Stochastic"}
SMOOTH = ("squared", "logistic")
_LOSSES = {
    "squared": "squared (y − s)²",
    "logistic": "logistic log(1 + e⁻ʸˢ)",
    "hinge": "hinge max(0, 1 − ys)",
    "perceptron": "perceptron max(0, −ys)",
}
_FALLING = ("inverse", "inverse_sqrt")
_RATES = (
    ("constant", "constant: η"),
    ("inverse", "falling: η / (1 + t/T)"),
    ("inverse_sqrt", "falling: η / √(1 + t/T)"),
    ("line_search", "best for batch, η for others"),
)
_CLOCKS = (("move", "move by move"), ("example", "by examples seen"))
_ESTIMATORS = {
    "squared": LinearRegression,
    "logistic": LogisticRegression,
    "hinge": LinearSVM,
    "perceptron": GradientDescent,
}
_FAR = 1e4
_MOST = 1800  # moves of a path, so that it is there at once


def options_of(problem: Problem) -> list[Option]:
    """Return what can be chosen for a problem."""
    most = min(100, _MOST // problem.n)
    losses = tuple((loss, _LOSSES[loss]) for loss in problem.losses)
    usual = (
        Option("eta", "learning rate η", 0.1, least=1e-4, most=1e3, step=0.01),
        Option("loss", "loss", problem.losses[0], choices=losses),
        Option("rate", "steps", "constant", choices=_RATES),
        Option("decay", "T, moves", 20, least=1, most=9999, step=1, when=("rate", _FALLING)),
        Option("alpha", "L2 penalty α", 0.0, least=0, most=10, step=0.01),
        Option("batch", "mini-batch", 4, least=1, most=problem.n, step=1),
        Option("by", "in step", "example", choices=_CLOCKS),
        Option("passes", "passes", 20, least=1, most=most, step=1, when=("by", ("example",))),
        Option("moves", "moves", 60, least=1, most=1000, step=1, when=("by", ("move",))),
        SEED,
        ORDER._replace(default="shuffled"),
    )
    return [
        option._replace(default=problem.values.get(option.name, option.default)) for option in usual
    ]


class Settings(NamedTuple):
    """Where to descend, how, and for how long."""

    problem: Problem
    start: tuple[float, float]
    eta: float
    loss: str
    rate: str
    decay: int
    alpha: float
    batch: int
    by: str
    passes: int
    moves: int
    seed: int
    order: str

    def moves_a_pass(self, path: str) -> int:
        """Return how many moves a path makes while it sees every point once."""
        return -(-self.problem.n // self.batch_of(path))

    def batch_of(self, path: str) -> int:
        """Return how many points a path looks at for a move."""
        return {"batch": self.problem.n, "mini": self.batch}.get(path, 1)

    def moves_of(self, path: str) -> int:
        """Return how many moves a path makes in all."""
        return self.moves if self.by == "move" else self.passes * self.moves_a_pass(path)

    def options(self, path: str) -> dict[str, Any]:
        """Return the parameters of a path's estimator."""
        whole = path == "batch"
        rate = "constant" if self.rate == "line_search" and not whole else self.rate
        options: dict[str, Any] = {} if self.loss != "perceptron" else {"loss": self.loss}
        options["batch_size"] = None if whole else self.batch_of(path)
        options |= {"learning_rate": rate, "eta0": self.eta}
        if rate in _FALLING:
            options["decay_steps"] = self.decay
        options |= {"penalty": "l2", "alpha": self.alpha} if self.alpha else {"penalty": None}
        options |= {"average": False, "fit_intercept": self.problem.fit_intercept}
        options |= {"max_iter": -(-self.moves_of(path) // self.moves_a_pass(path)), "tol": None}
        if not whole:
            options |= {"shuffle": self.order == "shuffled", "random_state": self.seed}
        return options

    def estimator_class(self) -> type[Any]:
        """Return the estimator of the loss."""
        return _ESTIMATORS[self.loss]

    def model(self, path: str) -> Any:
        """Return the estimator of a path."""
        return self.estimator_class()(**self.options(path))


def read(given: Any) -> Settings:
    """Check the settings that a page sends; what it leaves out is as the problem has it."""
    if not isinstance(given, dict):
        raise ValueError("the settings must be an object with names")
    name = given.get("problem")
    if not isinstance(name, str) or name not in PROBLEMS:
        raise ValueError(f"problem must be one of {', '.join(PROBLEMS)}")
    problem = PROBLEMS[name]
    start = pair("start", given.get("start", [*problem.start]))
    others = {key: value for key, value in given.items() if key not in ("problem", "start")}
    try:
        values = checked_settings(options_of(problem), others)
    except OverflowError:
        raise ValueError("numbers must be ones that a float can hold") from None
    if values["rate"] == "line_search" and values["loss"] not in SMOOTH:
        raise ValueError(
            f"the best step along a line needs a smooth loss, and {values['loss']} has a kink: "
            "choose other steps"
        )
    return Settings(problem, start, **values)


def pair(name: str, value: Any, largest: float = _FAR) -> tuple[float, float]:
    """Check two numbers."""
    right = isinstance(value, list) and len(value) == 2
    if right and all(type(one) in (int, float) and abs(one) <= largest for one in value):
        return float(value[0]), float(value[1])
    raise ValueError(f"{name} must be two numbers from {-largest:g} to {largest:g}")
