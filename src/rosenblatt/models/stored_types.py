"""Which types a model file may name: those of models, and those of values in them."""

from importlib import import_module
from typing import Any

from rosenblatt import learner_registry
from rosenblatt.learner_registry import StoredType
from rosenblatt.persist.errors import ModelFileError

# Models that turn themselves into a header and arrays, by to_parts and from_parts.
STREAMS = {
    "OnlineClassifier": "rosenblatt.stream.classifier",
    "OnlineRegressor": "rosenblatt.stream.regressor",
}
# Scikit-learn's, of steps that make features and an estimator.
PIPELINE, _PIPELINE_MODULE = "Pipeline", "sklearn.pipeline"
# Models that no file can hold, and why.
_OUTSIDE = {
    ("StructuredPerceptron", "rosenblatt.estimators.structured"): "its problem is code, which a "
    "file does not hold. Keep its weights_ by other means, and set them in a new "
    "StructuredPerceptron(problem) to predict"
}


def modules() -> dict[str, str]:
    """Return the types of models that files hold, and their modules."""
    rows = learner_registry.savable()
    return {**{name: row.module for name, row in rows.items()}, **STREAMS}


def kind_of(model: Any, to: str = "save") -> str:
    """Return the kind of a model, or raise ``TypeError`` if it is not one of this package.

    ``to`` is what was to be done with it, as the error says.

    >>> from rosenblatt import Perceptron
    >>> kind_of(Perceptron())
    'Perceptron'
    """
    kind, known = type(model).__name__, modules()
    if (kind, type(model).__module__) == (PIPELINE, _PIPELINE_MODULE):
        return kind
    if known.get(kind) == type(model).__module__ and class_of(kind) is type(model):
        return kind
    why = "it is not a model of this package"
    for base in type(model).__mro__[1:]:
        if known.get(base.__name__) == base.__module__:
            why = f"it is of a class made from {base.__name__}, which a file could not bring back"
    for base in type(model).__mro__:
        why = _OUTSIDE.get((base.__name__, base.__module__), why)
    if isinstance(model, type):
        kind, why = "class", f"{to} an object of it"
    elif hasattr(model, "named_steps"):
        why = f"{to} the estimator in it, and make its other steps anew"
    elif type(model).__module__.startswith("rosenblatt.model_selection."):
        why = _chosen(model, to)
    elif hasattr(model, "best_estimator_"):
        why = f"{to} its .best_estimator_"
    raise TypeError(
        f"cannot {to} a {kind}: {why}. Models are {', '.join(sorted([*known, PIPELINE]))}"
    )


def _chosen(result: Any, to: str) -> str:
    """Say which of the models to take that `select` or `compare` found."""
    models = getattr(result, "models", None)
    if not models:
        return f"{to} its .model"
    best = getattr(result, "best", None)
    return (
        f"{to} one of its .models, such as .models[{getattr(best, 'name', next(iter(models)))!r}]"
    )


def class_of(kind: str) -> Any:
    """Return the class of a kind of model."""
    return getattr(import_module(modules()[kind]), kind)


# Types of values besides the learners' states. What a module is called may change; names may not.
_VALUES = (
    StoredType("features.Stored", "rosenblatt.tagging.features", "Stored"),
    StoredType("path.Path", "rosenblatt.learners.closed_form.centroid", "Path"),
    StoredType("calibration.Sigmoid", "rosenblatt.stream.calibration", "Calibration"),
    StoredType("calibration.Isotonic", "rosenblatt.stream.calibration", "Isotonic"),
    StoredType("rows.Dense", "rosenblatt.data.rows", "Dense"),
    StoredType("rows.Sparse", "rosenblatt.data.rows", "Sparse"),
    StoredType("ledger.Ledger", "rosenblatt.theory.ledger", "Ledger"),
    StoredType("ledger.Start", "rosenblatt.theory.replay", "Start"),
    StoredType("ledger.Call", "rosenblatt.theory.replay", "Call"),
    StoredType("ledger.Moves", "rosenblatt.theory.replay", "Moves"),
    StoredType("ledger.Log", "rosenblatt.kernels.online.perceptrons", "Log"),
)
# Parts with a default that files of earlier versions do not have.
_LATER = {
    "voted.State": {"size"},
    "descent.State": {"loss_parameter"},
    "adaptive.State": {"loss_parameter"},
}
# The parts of types that are not named tuples.
_FIELDS = {"ledger.Ledger": ("start", "calls")}


def value_types() -> dict[str, StoredType]:
    """Return the types of values that files hold, by name."""
    states = [
        stored
        for row in learner_registry.savable().values()
        if row.saved
        for stored in row.saved.states
    ]
    return {stored.name: stored for stored in (*states, *_VALUES)}


def name_of(value: Any) -> str | None:
    """Return the name under which a value's type is stored, if it is one of these.

    >>> from rosenblatt.data.rows import Dense
    >>> name_of(Dense([])), name_of(3)
    ('rows.Dense', None)
    """
    place = type(value).__module__, type(value).__qualname__
    known = (stored for stored in value_types().values() if stored[1:] == place)
    return next((stored.name for stored in known if _class(stored) is type(value)), None)


def parts_of(name: str, value: Any) -> dict[str, Any]:
    """Return what a value is made of, by name."""
    return {field: getattr(value, field) for field in _fields(value_types()[name])}


def build(name: str, parts: dict[str, Any]) -> Any:
    """Make a value of its parts, or raise ``ModelFileError`` if they are not all there."""
    stored = value_types().get(name)
    if stored is None:
        raise ModelFileError(f"there is no kind of value {name[:50]!r}")
    if {*_fields(stored)} - _LATER.get(name, set()) != parts.keys() - _LATER.get(name, set()):
        raise ModelFileError(f"a {name} must have {', '.join(_fields(stored))}")
    return _class(stored)(**parts)


def _class(stored: StoredType) -> Any:
    return getattr(import_module(stored.module), stored.type)


def _fields(stored: StoredType) -> tuple[str, ...]:
    fields: tuple[str, ...] = _FIELDS.get(stored.name) or _class(stored)._fields
    return fields
