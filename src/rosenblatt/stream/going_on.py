"""A stream's model made ready to go on learning: other settings, and columns as they were."""

from typing import Any, TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.learners import adaptive
from rosenblatt.readers.names import MOST_COLUMNS, Kept, Numbered
from rosenblatt.stream import rules
from rosenblatt.stream.growing import WIDE
from rosenblatt.stream.model import StreamModel
from rosenblatt.stream.rules import rule_of

M = TypeVar("M", bound=StreamModel)


def change(model: StreamModel, **settings: Any) -> None:
    """Learn with other options from now on: ``eta0``, ``l2``, ``l1`` or ``average``.

    Another penalty changes the weights, to those of all examples so far with that one. Another step
    size leaves them as they are. A mean that is no longer wanted is forgotten.
    """
    before = model._options
    options = rules.checked(before._replace(**settings), model.predicts_numbers)
    state = model._state
    if state is not None and options != before:
        if rule_of(options).adapts:
            state = adaptive.with_pace(state, rules.pace(before), rules.pace(options))
        if before.average and not options.average and hasattr(state, "averaged"):
            state = _without_mean(state)
    model._options, model._state = options, state


def _without_mean(state: Any) -> Any:
    state.total[...], state.total_intercept[...] = 0, 0
    return state._replace(averaged=0, **({"mass": 0.0} if hasattr(state, "mass") else {}))


def expanded(model: M) -> M:
    """Undo `rosenblatt.stream.model.compacted`: the number of a feature is its column again."""
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
