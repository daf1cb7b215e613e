"""Models of files whose feature numbers lie far apart: only those with a weight are kept.

A file of a few bytes may name feature 134,217,727. While it learns, a model has a column for every
number up to that, of which the system provides only what is used; but a copy or a file of it would
have them all.
"""

from typing import TypeVar

import numpy as np

from rosenblatt.data.rows import Array, Sparse
from rosenblatt.readers.names import Kept, Numbered, few_used
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
    small.classes_, small._pace, small.beside = model.classes_, model._pace.copy(), model.beside
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
