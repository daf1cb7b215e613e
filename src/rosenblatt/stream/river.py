"""What makes a model one of River's, without importing River.

River's functions ask ``isinstance(model, river.base.Classifier)``. Once River is loaded, by whoever
needs it, its abstract base classes are told of ours (``register``), and its plain class ``Base``
becomes a base of `RiverPart`. Nothing calls us when River is imported, so it is looked for
when one of our classes or models is made, and whenever ``isinstance`` is asked about a model:
the answer of any class but the model's own begins with ``model.__class__``, which is a property
here (ADR 0039).

The methods are those that River's wrappers, pipelines and checks call. `clone` needs no River.
"""

import copy
import sys
from collections.abc import Iterator, Mapping
from inspect import signature
from typing import Any, Self

import numpy as np

_BASES = "Base", "MiniBatchClassifier", "MiniBatchRegressor"
_waiting: list[type] = []  # our classes that River does not know yet


class NoProbabilitiesError(ValueError, NotImplementedError):
    """A learner has no probabilities, which River expects to be told as not implemented."""


class Setting:
    """A parameter of a model, to be read as an attribute of its name."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: Any = None) -> Any:
        return self if model is None else getattr(model._options, self._name)

    def __set__(self, model: Any, value: Any) -> None:
        raise AttributeError(
            f"{self._name} cannot be changed; model.clone({{{self._name!r}: {value!r}}}) makes a "
            "new model, which has learned nothing"
        )


class _Plain:
    """A base that can be exchanged for another, as object cannot."""


class RiverPart(_Plain):
    """What River takes for one of its own, as ``_river_base`` says of each class."""

    _river_base = ""

    def __init_subclass__(cls, **options: Any) -> None:
        if cls.__dict__.get("_river_base"):
            _waiting.append(cls)
            join()

    @property  # type: ignore[misc]
    def __class__(self) -> type[Self]:
        join()
        return type(self)

    def clone(
        self, new_params: Mapping[str, Any] | None = None, include_attributes: bool = False
    ) -> Self:
        """Return one with the same parameters that has learned nothing.

        What a model of a file knows of the file's columns goes as well: the new one takes dicts as
        they are.

        Parameters
        ----------
        new_params : dict, optional
            Parameters to change.
        include_attributes : bool, default=False
            Keep what was learned; then no parameter can be changed.

        Returns
        -------
        of the same type
        """
        if include_attributes:
            if new_params:
                raise ValueError("what was learned cannot be kept with other parameters")
            return copy.deepcopy(self)
        return type(self)(**copy.deepcopy({**self._get_params(), **(new_params or {})}))

    def _get_params(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in signature(type(self)).parameters}


class RiverEstimator(RiverPart):
    """A model with the methods that River's estimators have."""

    def __sklearn_clone__(self) -> Self:
        return self.clone()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}

    def _unit_test_skips(self) -> set[str]:
        # Sums in another order differ by more than River's 1e-6 in float32.
        single = getattr(self, "dtype", None) == "float32"
        return {"check_shuffle_features_no_impact"} if single else set()

    @property
    def _supervised(self) -> bool:
        return True

    @property
    def _multiclass(self) -> bool:
        return True

    @property
    def _is_stochastic(self) -> bool:
        return False

    @property
    def _mutable_attributes(self) -> set[str]:
        return set()

    def _more_tags(self) -> set[str]:
        return set()

    @property
    def _tags(self) -> set[str]:
        return self._more_tags()

    @property
    def _raw_memory_usage(self) -> int:
        """The bytes of all that grows with what is learned."""
        found: dict[int, int] = {}
        _measure(self.__dict__, found)
        return sum(found.values())

    def __str__(self) -> str:
        return repr(self)

    def __or__(self, other: Any) -> Any:
        return _pipeline(self, other)

    def __ror__(self, other: Any) -> Any:
        return _pipeline(other, self)


def join() -> None:
    """Make our classes River's, if River is loaded and does not know them yet."""
    if not _waiting and _Plain not in RiverPart.__bases__:
        return
    river = sys.modules.get("river.base")
    if not all(hasattr(river, name) for name in _BASES):  # not there, or about to be
        return
    known = tuple(_waiting)  # other threads may be here as well
    for cls in known:
        getattr(river, cls._river_base).register(cls)  # type: ignore[attr-defined]
    if _Plain in RiverPart.__bases__:
        RiverPart.__bases__ = (river.Base,)  # type: ignore[union-attr]
    _waiting[:] = [cls for cls in _waiting if cls not in known]


def _pipeline(first: Any, last: Any) -> Any:
    compose = sys.modules.get("river.compose")
    if compose is None:
        return NotImplemented
    return compose.Pipeline(first, last)


def _measure(value: Any, found: dict[int, int]) -> None:
    """Note the bytes of a value and of what it holds, each by its address."""
    if id(value) in found:
        return
    if isinstance(value, np.ndarray):
        found[id(value)] = value.nbytes + sys.getsizeof(np.empty(0))
    elif isinstance(value, dict):
        found[id(value)] = sys.getsizeof(value)
        for item in (*value.keys(), *value.values()):
            _measure(item, found)
    elif isinstance(value, list | tuple):
        found[id(value)] = sys.getsizeof(value)
        for item in value:
            _measure(item, found)
    elif type(value).__module__.startswith("rosenblatt."):
        found[id(value)] = sys.getsizeof(value)
        _measure(getattr(value, "__dict__", {}), found)
    elif isinstance(value, str | int | float):
        found[id(value)] = sys.getsizeof(value)
