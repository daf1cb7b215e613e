"""The parameters of the models that learn from a stream, as attributes."""

from typing import Any

from rosenblatt.readers.names import Hashed
from rosenblatt.stream.river import Setting


class _Settings:
    """What both have."""

    _names: Any
    fit_intercept = Setting()
    eta0 = Setting()
    average = Setting()
    dtype = Setting()
    learning_rate = Setting()
    l2 = Setting()
    l1 = Setting()
    forget = Setting()
    scale = Setting()

    @property
    def bits(self) -> int | None:
        return self._names.bits if isinstance(self._names, Hashed) else None


class ClassifierSettings(_Settings):
    """The parameters of `OnlineClassifier`."""

    learner = Setting()
    ties = Setting()
    loss = Setting()
    _given: list[Any] | None

    @property
    def classes(self) -> list[Any] | None:
        return None if self._given is None else list(self._given)


class RegressorSettings(_Settings):
    """The parameters of `OnlineRegressor`."""
