"""Rosenblatt: linear classifiers that learn from their mistakes.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt._version import __version__

if TYPE_CHECKING:
    from rosenblatt.estimators.averaged import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators.batch import BatchPerceptron as BatchPerceptron
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.trace import trace as trace
    from rosenblatt.estimators.voted import VotedPerceptron as VotedPerceptron
    from rosenblatt.geometry.hyperplane import Hyperplane as Hyperplane
    from rosenblatt.theory.bounds import mistake_bound as mistake_bound
    from rosenblatt.theory.certificates import Inseparable as Inseparable
    from rosenblatt.theory.certificates import Separable as Separable
    from rosenblatt.theory.margin import margin as margin
    from rosenblatt.theory.separate import separate as separate
    from rosenblatt.theory.threshold import ThresholdUnit as ThresholdUnit

_HOMES = {
    "AveragedPerceptron": "rosenblatt.estimators.averaged",
    "BatchPerceptron": "rosenblatt.estimators.batch",
    "Hyperplane": "rosenblatt.geometry.hyperplane",
    "Inseparable": "rosenblatt.theory.certificates",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "Separable": "rosenblatt.theory.certificates",
    "ThresholdUnit": "rosenblatt.theory.threshold",
    "VotedPerceptron": "rosenblatt.estimators.voted",
    "margin": "rosenblatt.theory.margin",
    "mistake_bound": "rosenblatt.theory.bounds",
    "separate": "rosenblatt.theory.separate",
    "trace": "rosenblatt.estimators.trace",
}

# Parts of the package that are reached by their own names, such as rosenblatt.plot.
_PARTS = ("geometry", "plot", "reference", "theory")

__all__ = [
    "AveragedPerceptron",
    "BatchPerceptron",
    "Hyperplane",
    "Inseparable",
    "Perceptron",
    "Separable",
    "ThresholdUnit",
    "VotedPerceptron",
    "margin",
    "mistake_bound",
    "separate",
    "trace",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"rosenblatt.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
