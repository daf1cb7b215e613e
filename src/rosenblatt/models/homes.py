"""Which models there are: the kinds that a file may name, and the modules where they live."""

from importlib import import_module
from typing import Any

ESTIMATORS = {
    "AveragedPerceptron": "rosenblatt.estimators.averaged",
    "BatchPerceptron": "rosenblatt.estimators.batch",
    "GradientDescent": "rosenblatt.estimators.gradient",
    "KernelPerceptron": "rosenblatt.estimators.kernel",
    "LinearDiscriminant": "rosenblatt.estimators.discriminant",
    "LinearRegression": "rosenblatt.estimators.regression",
    "LinearSVM": "rosenblatt.estimators.svm",
    "LogisticRegression": "rosenblatt.estimators.logistic",
    "NaiveBayes": "rosenblatt.estimators.naive_bayes",
    "NearestCentroid": "rosenblatt.estimators.centroid",
    "Perceptron": "rosenblatt.estimators.perceptron",
    "VotedPerceptron": "rosenblatt.estimators.voted",
}
# Models that turn themselves into a header and arrays, by to_parts and from_parts.
STREAMS = {"OnlineClassifier": "rosenblatt.stream.classifier"}
# Estimators whose rows are sequences, and no rows of numbers.
TAGGERS = {"SequenceTagger": "rosenblatt.estimators.tagger"}
ALL = {**ESTIMATORS, **STREAMS, **TAGGERS}
# Models that no file can hold, and why.
_OUTSIDE = {
    ("StructuredPerceptron", "rosenblatt.estimators.structured"): "its problem is code, which a "
    "file does not hold. Keep its weights_ by other means, and set them in a new "
    "StructuredPerceptron(problem) to predict"
}


def kind_of(model: Any) -> str:
    """Return the kind of a model, or raise ``TypeError`` if it is none of this package's.

    >>> from rosenblatt import Perceptron
    >>> kind_of(Perceptron())
    'Perceptron'
    """
    kind = type(model).__name__
    if ALL.get(kind) == type(model).__module__ and class_of(kind) is type(model):
        return kind
    why = "it is no model of this package"
    for known in type(model).__mro__[1:]:
        if ALL.get(known.__name__) == known.__module__:
            why = f"it is of a class made from {known.__name__}, which a file could not bring back"
    for known in type(model).__mro__:
        why = _OUTSIDE.get((known.__name__, known.__module__), why)
    if isinstance(model, type):
        kind, why = "class", "save an object of it"
    elif hasattr(model, "named_steps"):
        why = "save the estimator in it, and make its other steps anew"
    raise TypeError(f"cannot save a {kind}: {why}. Models are {', '.join(sorted(ALL))}")


def class_of(kind: str) -> Any:
    """Return the class of a kind of model."""
    return getattr(import_module(ALL[kind]), kind)
