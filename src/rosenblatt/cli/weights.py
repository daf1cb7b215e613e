"""The weights of a model by the names of features: the strongest, or all of them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cli.predictors import Predictor
from rosenblatt.data.rows import Array

INTERCEPT = "(intercept)"
_AT_ONCE = 1 << 16


class Function(NamedTuple):
    """A linear function.

    Attributes
    ----------
    label : object
        The class that positive weights speak for; "prediction" if numbers are predicted.
    against : object or None
        The class that negative weights speak for, if there are two.
    """

    label: Any
    against: Any
    weights: Array
    intercept: float


def functions(predictor: Predictor) -> list[Function]:
    """Return the linear functions of a model: one for two classes, else one for each."""
    planes = predictor.planes()
    if planes is None:
        return []
    coef, intercept = planes
    pairs = list(zip(coef, intercept.tolist(), strict=True))
    if predictor.classes is None:
        return [Function("prediction", None, *pairs[0])]
    classes = predictor.classes.tolist()
    if len(pairs) == 1 and len(classes) == 2:
        return [Function(classes[1], classes[0], *pairs[0])]
    return [Function(label, None, *pair) for label, pair in zip(classes, pairs, strict=True)]


def name_of(predictor: Predictor, column: int) -> str:
    """Return the name of a column; ``#17`` if names were hashed to column 17."""
    name = predictor.names.name(column)
    return f"#{column}" if name is None else name


def strongest(predictor: Predictor, function: Function, top: int) -> list[tuple[str, float]]:
    """Return the features with the largest weights, and these, from the largest down.

    Of two classes, there are so many for each.
    """
    weights = function.weights
    if function.against is None:
        chosen = _largest(np.abs(weights), top)
    else:
        chosen = np.concatenate([_largest(weights, top), _largest(-weights, top)])
    chosen = chosen[np.argsort(-weights[chosen], kind="stable")]
    return [(name_of(predictor, int(j)), float(weights[j])) for j in chosen]


def _largest(values: Array, top: int) -> Array:
    """Return the places of the largest values above zero."""
    size = min(top, len(values))
    if not size:
        return np.empty(0, np.intp)
    found = np.argpartition(-values, size - 1)[:size]
    return np.asarray(found[values[found] > 0])


def every_weight(predictor: Predictor) -> Iterator[str]:
    """Yield lines with name, class and weight between tabs, for all weights but zeros."""
    for function in functions(predictor):
        label = _escaped(str(function.label))
        if function.intercept:
            yield f"{INTERCEPT}\t{label}\t{function.intercept!r}\n"
        used = np.flatnonzero(function.weights)
        for start in range(0, len(used), _AT_ONCE):
            columns = used[start : start + _AT_ONCE]
            values = function.weights[columns]
            yield "".join(
                f"{_escaped(name_of(predictor, j))}\t{label}\t{value}\n"
                for j, value in zip(columns.tolist(), map(str, values), strict=True)
            )


def _escaped(text: str) -> str:
    r"""Write what would break a line or a column as Python does.

    >>> _escaped("a\tb")
    'a\\tb'
    """
    if text.isprintable() and "\\" not in text:
        return text
    return "".join(c if c.isprintable() and c != "\\" else ascii(c)[1:-1] for c in text)
