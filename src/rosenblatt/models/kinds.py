"""The package's own types that a model file may hold, by the names they have there for ever.

A file can name nothing else: there is no way from a text in a file to any other class or function.
"""

from importlib import import_module
from typing import Any

from rosenblatt.persist.errors import ModelFileError

# What a module is called may change; the names on the left are in files.
_HOMES = {
    "perceptron.State": ("rosenblatt.learners.perceptron", "State"),
    "averaged.State": ("rosenblatt.learners.averaged", "State"),
    "voted.State": ("rosenblatt.learners.voted", "State"),
    "batch.State": ("rosenblatt.learners.batch", "State"),
    "descent.State": ("rosenblatt.learners.descent", "State"),
    "moments.State": ("rosenblatt.learners.moments", "State"),
    "counts.State": ("rosenblatt.learners.counts", "State"),
    "values.State": ("rosenblatt.learners.values", "State"),
    "discriminant.State": ("rosenblatt.learners.discriminant", "State"),
    "kernel.State": ("rosenblatt.learners.kernel", "State"),
    "tagger.Model": ("rosenblatt.learners.tagger_model", "Model"),
    "features.Stored": ("rosenblatt.sequence.features", "Stored"),
    "path.Path": ("rosenblatt.learners.path", "Path"),
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
