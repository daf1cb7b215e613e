"""The settings of learners that a page may make: their names, their ranges, and what they mean."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Option(NamedTuple):
    """One setting of a learner.

    ``meanings`` has the keywords that each choice stands for; otherwise the value goes to the
    keyword ``param``. ``when`` names another option and its values with which this one counts;
    ``only`` does so for single choices.
    """

    name: str
    title: str
    default: Any
    param: str = ""
    meanings: Mapping[Any, Mapping[str, Any]] | None = None
    choices: Sequence[tuple[str, str]] = ()
    least: float = 0
    most: float = 0
    step: float = 0
    when: tuple[str, tuple[str, ...]] | None = None
    only: Mapping[str, tuple[str, tuple[str, ...]]] = {}

    @property
    def kind(self) -> str:
        """What the page shows: a "choice", a "flag" or a "number"."""
        return "choice" if self.choices else "flag" if isinstance(self.default, bool) else "number"

    def described(self) -> dict[str, Any]:
        """Return what the page shows."""
        shown: dict[str, Any] = {"name": self.name, "title": self.title, "kind": self.kind}
        if self.choices:
            shown["choices"] = [list(choice) for choice in self.choices]
        elif self.kind == "number":
            shown |= {"min": self.least, "max": self.most, "step": self.step}
        if self.when is not None:
            shown["when"] = {self.when[0]: list(self.when[1])}
        if self.only:
            shown["only"] = {name: {other: values} for name, (other, values) in self.only.items()}
        return shown | {"default": self.default}

    def checked(self, value: Any) -> Any:
        """Return a value that the page may send, or raise ``ValueError``."""
        if self.choices:
            names = [name for name, _ in self.choices]
            if not isinstance(value, str) or value not in names:
                raise ValueError(f"{self.name} must be one of {', '.join(names)}")
        elif self.kind == "flag":
            if not isinstance(value, bool):
                raise ValueError(f"{self.name} must be true or false")
        elif type(value) not in (int, float) or not self._holds(value):
            kind = "whole number" if isinstance(self.default, int) else "number"
            raise ValueError(f"{self.name} must be a {kind} from {self.least:g} to {self.most:g}")
        else:
            value = type(self.default)(value)
        return value

    def _holds(self, value: float) -> bool:
        fits = self.least <= value <= self.most  # false for NaN
        return fits and (not isinstance(self.default, int) or value == int(value))

    def keywords(self, value: Any) -> dict[str, Any]:
        """Return the keywords of the estimator that a value stands for."""
        return {self.param: value} if self.meanings is None else dict(self.meanings[value])


def checked_settings(options: Sequence[Option], settings: Any) -> dict[str, Any]:
    """Return a value for each option: the page's, or the default."""
    if not isinstance(settings, dict):
        raise ValueError("settings must be an object with the names of options")
    known = {option.name: option for option in options}
    unknown = sorted(str(name) for name in settings if name not in known)
    if unknown:
        raise ValueError(
            f"there is no setting {unknown[0][:40]!r} here; there are {', '.join(known)}"
        )
    checked = {
        name: option.checked(settings[name]) if name in settings else option.default
        for name, option in known.items()
    }
    for name, option in known.items():
        _refuse_alone(option, checked[name], known, checked)
    return checked


def _refuse_alone(
    option: Option, value: Any, known: Mapping[str, Option], checked: Mapping[str, Any]
) -> None:
    """Refuse a choice that is only there with others that were not made."""
    if value not in option.only:
        return
    other, values = option.only[value]
    if checked[other] not in values:
        raise ValueError(
            f'{option.title}: "{dict(option.choices)[value]}" is only there if '
            f"{known[other].title} is {' or '.join(values)}"
        )


def keywords(options: Sequence[Option], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keywords that settings stand for; those that do not count here are left out."""
    result: dict[str, Any] = {}
    for option in options:
        if option.when is None or settings[option.when[0]] in option.when[1]:
            result |= option.keywords(settings[option.name])
    return result


BIAS = Option("bias", "bias", True, "fit_intercept")
_ORDERS = {"given": {"shuffle": False}, "shuffled": {"shuffle": True}}
ORDER = Option(
    "order",
    "order",
    "given",
    meanings=_ORDERS,
    choices=(("given", "as given"), ("shuffled", "shuffled each pass")),
)
ANY_ORDER = ORDER._replace(
    meanings={**_ORDERS, "mistakes": {"selection": "random_mistake"}},
    choices=(*ORDER.choices, ("mistakes", "a random mistake each step")),
)
_BY_CHANCE = ("order", ("shuffled", "mistakes"))
SEED = Option("seed", "seed", 0, "random_state", least=0, most=999, step=1, when=_BY_CHANCE)
TIES = Option(
    "ties",
    "a score of 0",
    "mistake",
    "ties",
    choices=(("mistake", "is a mistake"), ("positive", "counts as +")),
)
ETA = Option("eta0", "step size η", 1.0, "eta0", least=0.001, most=100, step=0.1)


PASSES = Option("passes", "passes at most", 100, "max_iter", least=1, most=1000, step=1)
RATE = Option(
    "rate",
    "step sizes",
    "constant",
    "learning_rate",
    choices=(("constant", "constant: η"), ("inverse", "falling: η / t")),
)
SEARCHED = RATE._replace(choices=(*RATE.choices, ("line_search", "best along the line")))
PREDICT = Option(
    "predict",
    "predict with",
    "vote",
    "predict_with",
    choices=(("vote", "the vote of all"), ("average", "their mean"), ("last", "the last one")),
)
