"""Rosenblatt: linear classifiers that learn from their mistakes.

Names are loaded when first used, so that importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rosenblatt._version import __version__
from rosenblatt.learner_registry import LEARNERS as _LEARNERS

if TYPE_CHECKING:
    from rosenblatt.estimators.arow import AROW as AROW
    from rosenblatt.estimators.averaged import AveragedPerceptron as AveragedPerceptron
    from rosenblatt.estimators.batch import BatchPerceptron as BatchPerceptron
    from rosenblatt.estimators.centroid import NearestCentroid as NearestCentroid
    from rosenblatt.estimators.discriminant import LinearDiscriminant as LinearDiscriminant
    from rosenblatt.estimators.gradient import GradientDescent as GradientDescent
    from rosenblatt.estimators.kernel import KernelPerceptron as KernelPerceptron
    from rosenblatt.estimators.logistic import LogisticRegression as LogisticRegression
    from rosenblatt.estimators.naive_bayes import NaiveBayes as NaiveBayes
    from rosenblatt.estimators.passive_aggressive import PassiveAggressive as PassiveAggressive
    from rosenblatt.estimators.perceptron import Perceptron as Perceptron
    from rosenblatt.estimators.regression import LinearRegression as LinearRegression
    from rosenblatt.estimators.structured import StructuredPerceptron as StructuredPerceptron
    from rosenblatt.estimators.svm import LinearSVM as LinearSVM
    from rosenblatt.estimators.voted import VotedPerceptron as VotedPerceptron
    from rosenblatt.geometry.hyperplane import Hyperplane as Hyperplane
    from rosenblatt.model_selection.compare import compare as compare
    from rosenblatt.model_selection.prepare import prepare as prepare
    from rosenblatt.model_selection.select import select as select
    from rosenblatt.models.saving import load as load
    from rosenblatt.models.saving import save as save
    from rosenblatt.stream.classifier import OnlineClassifier as OnlineClassifier
    from rosenblatt.stream.regressor import OnlineRegressor as OnlineRegressor
    from rosenblatt.tagging.estimator import SequenceTagger as SequenceTagger
    from rosenblatt.theory.bounds import mistake_bound as mistake_bound
    from rosenblatt.theory.certificates import Inseparable as Inseparable
    from rosenblatt.theory.certificates import Separable as Separable
    from rosenblatt.theory.margin import margin as margin
    from rosenblatt.theory.separate import separate as separate
    from rosenblatt.theory.threshold import ThresholdUnit as ThresholdUnit
    from rosenblatt.tracing.perceptrons import trace as trace

_MODULES = {
    **{learner.estimator: learner.module for learner in _LEARNERS.values()},
    "Hyperplane": "rosenblatt.geometry.hyperplane",
    "Inseparable": "rosenblatt.theory.certificates",
    "OnlineClassifier": "rosenblatt.stream.classifier",
    "OnlineRegressor": "rosenblatt.stream.regressor",
    "Separable": "rosenblatt.theory.certificates",
    "ThresholdUnit": "rosenblatt.theory.threshold",
    "compare": "rosenblatt.model_selection.compare",
    "load": "rosenblatt.models.saving",
    "margin": "rosenblatt.theory.margin",
    "mistake_bound": "rosenblatt.theory.bounds",
    "prepare": "rosenblatt.model_selection.prepare",
    "save": "rosenblatt.models.saving",
    "select": "rosenblatt.model_selection.select",
    "separate": "rosenblatt.theory.separate",
    "trace": "rosenblatt.tracing.perceptrons",
}

# Former names of model_selection and tagging, which go with the next release.
_FORMER = ("choosing", "sequence")

# Parts of the package that are reached by their own names, such as rosenblatt.plot.
_PARTS = (
    "datasets",
    "evaluation",
    "geometry",
    "inspection",
    "model_selection",
    "models",
    "plot",
    "prediction",
    "readers",
    "reference",
    "tagging",
    "theory",
    "tracing",
)

__all__ = [*_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in (*_PARTS, *_FORMER):
        return import_module(f"rosenblatt.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'rosenblatt' has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_PARTS])
