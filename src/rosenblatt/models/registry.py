"""Which models there are: the kinds that a file may name, and the modules where they live."""

from importlib import import_module
from typing import Any

from rosenblatt.persist.errors import ModelFileError

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
TAGGERS = {"SequenceTagger": "rosenblatt.tagging.estimator"}
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


# What a module is called may change; the names on the left are in files.
_HOMES = {
    "perceptron.State": ("rosenblatt.learners.perceptron", "State"),
    "averaged.State": ("rosenblatt.learners.averaged", "State"),
    "voted.State": ("rosenblatt.learners.voted", "State"),
    "batch.State": ("rosenblatt.learners.batch", "State"),
    "descent.State": ("rosenblatt.learners.descent", "State"),
    "moments.State": ("rosenblatt.learners.closed_form.moments", "State"),
    "counts.State": ("rosenblatt.learners.closed_form.naive_bayes", "State"),
    "values.State": ("rosenblatt.learners.closed_form.values", "State"),
    "discriminant.State": ("rosenblatt.learners.closed_form.discriminant", "State"),
    "kernel.State": ("rosenblatt.learners.kernel.perceptron", "State"),
    "tagger.Model": ("rosenblatt.tagging.learner", "Model"),
    "features.Stored": ("rosenblatt.tagging.features", "Stored"),
    "path.Path": ("rosenblatt.learners.closed_form.centroid", "Path"),
    "rows.Dense": ("rosenblatt.data.rows", "Dense"),
    "rows.Sparse": ("rosenblatt.data.rows", "Sparse"),
    "ledger.Ledger": ("rosenblatt.theory.ledger", "Ledger"),
    "ledger.Start": ("rosenblatt.theory.replay", "Start"),
    "ledger.Call": ("rosenblatt.theory.replay", "Call"),
    "ledger.Moves": ("rosenblatt.theory.replay", "Moves"),
    "ledger.Log": ("rosenblatt.kernels.online", "Log"),
}
_NAMES = {home: name for name, home in _HOMES.items()}
# Of types that are no named tuples: what they are made of.
_FIELDS = {"ledger.Ledger": ("start", "calls")}


def name_of(value: Any) -> str | None:
    """Return the name under which a value's type is stored, if it is one of these.

    >>> from rosenblatt.data.rows import Dense
    >>> name_of(Dense([])), name_of(3)
    ('rows.Dense', None)
    """
    name = _NAMES.get((type(value).__module__, type(value).__qualname__))
    return name if name is not None and _class(name) is type(value) else None


def parts_of(name: str, value: Any) -> dict[str, Any]:
    """Return what a value is made of, by name."""
    return {field: getattr(value, field) for field in _fields(name)}


def build(name: str, parts: dict[str, Any]) -> Any:
    """Make a value of its parts, or raise ``ModelFileError`` if they are not all there."""
    if name not in _HOMES:
        raise ModelFileError(f"there is no kind of value {name[:50]!r}")
    if {*_fields(name)} != parts.keys():
        raise ModelFileError(f"a {name} must have {', '.join(_fields(name))}")
    return _class(name)(**parts)


def _class(name: str) -> Any:
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def _fields(name: str) -> tuple[str, ...]:
    fields: tuple[str, ...] = _FIELDS.get(name) or _class(name)._fields
    return fields
