"""A grid of settings: parameters by name, and the values to try."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import product
from typing import Any, NoReturn

import numpy as np

from rosenblatt.estimators._base.other_names import name_here


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the shortest name that begins so, else the most alike, else one that holds it.

    >>> near("acc", ["accuracy", "jaccard"]), near("svm", ["LinearSVM"]), near("x", ["eta0"])
    ('accuracy', 'LinearSVM', None)
    """
    wanted = name.lower()
    lower = {one.lower(): one for one in sorted(known, key=len, reverse=True)}
    if not wanted:
        return None
    begin = sorted((one for one in lower if one.startswith(wanted)), key=len)
    found = begin or get_close_matches(wanted, lower, 1) or [n for n in lower if wanted in n]
    return lower[found[0]] if found else None


MODEL = "model__"  # the prefix of an estimator's parameters in a pipeline made by `prepare`


def settings_of(grid: Any) -> list[dict[str, Any]]:
    """Return all settings of a grid, or of several, in the order given: the last key runs first.

    >>> settings_of({"ties": ["mistake"], "eta0": [1, 2]})
    [{'ties': 'mistake', 'eta0': 1}, {'ties': 'mistake', 'eta0': 2}]
    """
    grids = [grid] if isinstance(grid, Mapping) else grid
    if isinstance(grids, str) or not isinstance(grids, Sequence):
        raise ValueError(
            f"grid must map parameters to the values to try, such as {{'eta0': [0.1, 1]}}, got "
            f"{short(grid)}"
        )
    settings = [setting for one in grids for setting in _of_one(one)]
    if not settings:
        raise ValueError("grid is empty; give a parameter and values, such as {'eta0': [0.1, 1]}")
    return settings


def _of_one(grid: Any) -> Iterator[dict[str, Any]]:
    if not isinstance(grid, Mapping):
        raise ValueError(f"grid must be a mapping, or a list of mappings, got {short(grid)} in it")
    lists = [_values(name, values) for name, values in grid.items()]
    if lists:
        yield from (dict(zip(grid, values, strict=True)) for values in product(*lists))


def _values(name: Any, values: Any) -> list[Any]:
    if isinstance(values, np.ndarray) and values.ndim == 1:
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise ValueError(
            f"grid[{name!r}] must list the values to try, such as [{values!r}], got {values!r}"
        )
    listed = list(values)
    if not listed:
        raise ValueError(f"grid[{name!r}] is empty; list the values to try, or leave it out")
    return listed


def next_value(values: Iterable[Any], value: Any) -> tuple[Any, Any] | None:
    """Return the neighbour of the largest or smallest value, and one as far beyond it.

    Steps are factors, as grids of positive numbers have them. None if the value is neither the
    largest nor the smallest number, or there is nothing beyond it.

    >>> next_value(["auto", 0.1, 1.0], 1.0), next_value([1, 2, 5], 5), next_value([0, 1], 0)
    ((0.1, 10.0), (2, 12), None)
    """
    numbers = sorted({one for one in values if _is_number(one)})
    if len(numbers) < 2 or value not in (numbers[0], numbers[-1]) or not _is_number(value):
        return None
    neighbour = numbers[1] if value == numbers[0] else numbers[-2]
    if not (0 < value < np.inf and 0 < neighbour < np.inf):
        return None
    beyond = float(f"{value * (value / neighbour):.6g}")
    if all(isinstance(one, int | np.integer) for one in numbers):
        beyond = int(beyond)
    return (neighbour, beyond) if beyond not in (0, value) and beyond < np.inf else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def full_names(settings: list[dict[str, Any]], estimator: Any, built: bool) -> dict[str, str]:
    """Return what each parameter is called in the estimator; the step's name may be left out.

    Raises ``ValueError`` naming the parameters that there are if one is not among them. ``built``
    says that the estimator is a pipeline made by `prepare`.
    """
    valid = estimator.get_params(deep=True)
    names = {}
    for name in dict.fromkeys(name for setting in settings for name in setting):
        full = MODEL + name if built and isinstance(name, str) and MODEL + name in valid else name
        if full not in valid:
            raise ValueError(_unknown(name, estimator, built))
        names[name] = full
    return names


def _unknown(name: Any, estimator: Any, built: bool) -> str:
    """Say what there is, and which of it may have been meant."""
    inner = estimator.named_steps["model"] if built else estimator
    known = sorted(inner.get_params(deep=True))
    ends = [full for full in known if full.endswith(f"__{name}")]
    close = ends[0] if ends else near(str(name), known)
    meant = f"; did you mean {close!r}?" if close else "."
    if (here := name_here(name, known)) is not None:
        meant = f"; use {here}."
    # A pipeline's steps are no settings; what is in them is.
    inside = [full for full in known if "__" in full] if hasattr(inner, "steps") else known
    return f"{type(inner).__name__} has no parameter {name!r}{meant} There are {', '.join(inside)}"


def short(value: Any) -> str:
    """Write a value that was given for another: itself if that is short, else what it is.

    >>> short([1, 2]), short(np.zeros((40, 3)))
    ('[1, 2]', 'an ndarray of shape (40, 3)')
    """
    if hasattr(value, "shape"):
        return f"an {type(value).__name__} of shape {tuple(value.shape)}"
    written = repr(value)
    return written if len(written) < 80 and "\n" not in written else f"a {type(value).__name__}"


def brief(params: Mapping[str, Any]) -> str:
    """Write a setting in a line.

    >>> brief({"eta0": 0.1, "ties": "mistake"})
    "eta0=0.1, ties='mistake'"
    """
    return ", ".join(f"{name}={_short(value)}" for name, value in params.items())


def _short(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return f"{value:.6g}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else text[:37] + "..."


class Frozen(dict[str, Any]):
    """A dict that refuses changes.

    >>> Frozen(a=1) == {"a": 1}
    True
    >>> Frozen(a=1)["b"] = 2
    Traceback (most recent call last):
    TypeError: a report cannot be changed; dict(...) makes a copy that can
    """

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a report cannot be changed; dict(...) makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return Frozen, (dict(self),)
