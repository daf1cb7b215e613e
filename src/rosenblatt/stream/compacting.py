"""A stream's model of many numbered features, made small, and large again."""

from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.readers.names import MOST_COLUMNS, Kept, Numbered, few_used
from rosenblatt.stream.growing import WIDE, used_columns, widen
from rosenblatt.stream.model import StreamModel

M = TypeVar("M", bound=StreamModel)


def compacted(model: M) -> M | None:
    """Return a model that says the same of the features that have a weight, by their names.

    None, if that is not worth it. What the model learns from then on does not change the new one.
    """
    names, state = model._names, model._state
    if not isinstance(names, Numbered) or state is None or not few_used(1, names.n_features):
        return None
    columns = _used(state)
    if model._scaling is not None:  # what is known of their numbers is needed to go on
        columns = np.union1d(columns, model._scaling.features)
    if not few_used(len(columns), names.n_features):
        return None
    kept = Kept()
    kept.columns(list(map(str, columns.tolist())))
    parts = {name: part.copy() for name, part in state._asdict().items() if _is_array(part)}
    parts |= {name: getattr(state, name)[:, columns] for name in WIDE if hasattr(state, name)}
    rows = getattr(state, "kept", None)
    if isinstance(rows, Sparse):
        places = np.searchsorted(columns, rows.indices).astype(rows.indices.dtype)
        parts["kept"] = rows._replace(indices=places)
    small = type(model).with_names(model._options, kept)
    small._scaling = model._scaling and model._scaling.only(columns)
    setattr(small, model._of_labels, getattr(model, model._of_labels).copy())
    small._calibration = model._calibration
    small._sum_squares, small.metadata = model._sum_squares.copy(), model.metadata
    small._state = widen(state._replace(**parts), small._width())
    return small


def _used(state: object) -> Array:
    """Return the columns that are not zero throughout; one at least."""
    found = [used_columns(state)]
    rows = getattr(state, "kept", None)
    if isinstance(rows, Sparse):
        found.append(rows.indices)
    columns = np.unique(np.concatenate(found))
    return columns if len(columns) else np.zeros(1, np.int64)


def _is_array(part: object) -> bool:
    return isinstance(part, np.ndarray) and part.ndim == 1


def expanded(model: M) -> M:
    """Undo `compacted`: the number of a feature is its column again."""
    names, state = model._names, model._state
    if not isinstance(names, Kept) or state is None:
        return model
    columns = np.array([int(str(names.name(k))) for k in range(names.n_features)], np.int64)
    wide = type(model).with_names(model._options, Numbered(int(columns.max()) + 1))
    setattr(wide, model._of_labels, getattr(model, model._of_labels))
    wide._sum_squares, wide.metadata = model._sum_squares, model.metadata
    wide._scaling = model._scaling and model._scaling.at(columns)
    wide._calibration = model._calibration
    wide._state = _at(state, columns, wide._width())
    return wide


def _at(state: Any, columns: Array, width: int) -> Any:
    """Return a state of so many columns, in which the first of these are those given."""
    parts: dict[str, Any] = {}
    for name in (name for name in WIDE if hasattr(state, name)):
        narrow = getattr(state, name)
        parts[name] = np.zeros((len(narrow), width), narrow.dtype, order="F")
        parts[name][:, columns] = narrow[:, : len(columns)]
    rows = getattr(state, "kept", None)
    if isinstance(rows, Sparse):
        parts["kept"] = rows._replace(indices=columns[rows.indices].astype(rows.indices.dtype))
    return state._replace(**parts)


def is_compacted(model: StreamModel, numbered: bool) -> bool:
    """Say whether a model's names are the numbers of features, of files that have ``numbered``."""
    names = model._names
    if not numbered or not isinstance(names, Kept) or model._state is None:
        return False
    found = [str(names.name(k)) for k in range(names.n_features)]
    return len(found) > 0 and all(map(_is_number, found))


def _is_number(name: str) -> bool:
    """Say whether a name is the number of a feature, as a file may have it."""
    few = len(name) <= len(str(MOST_COLUMNS))  # digits; a model file may have any
    plain = few and name.isascii() and name.isdigit()
    return plain and str(int(name)) == name and int(name) < MOST_COLUMNS
