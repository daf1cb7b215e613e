"""scikit-learn's callbacks, from its version 1.9 on: they are told of every fit and every pass."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Self

from sklearn.utils.metaestimators import available_if

from rosenblatt.passes import History, PassEnd, StoppingRule

STOPPED = "stopped by a callback"
_LISTENED_TO = ("_skl_callbacks", "_parent_callback_ctx")


def _supported(estimator: Any) -> bool:
    if find_spec("sklearn.callback") is None:
        raise AttributeError(
            "callbacks need scikit-learn 1.9 or later: pip install -U scikit-learn"
        )
    return True


def _module() -> Any:
    """Return scikit-learn's module, which loads rich; so nothing else here does."""
    return import_module("sklearn.callback")


class CallbackSupport:
    """Mixin that has scikit-learn's ``CallbackSupportMixin`` do what it does, when it is asked."""

    @available_if(_supported)
    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set scikit-learn's callbacks, which are told of fits and passes; none removes them.

        Parameters
        ----------
        *callbacks : callbacks
            Such as ``sklearn.callback.ProgressBar()``.

        Returns
        -------
        self
        """
        _module().CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self

    def _init_callback_context(self, **options: Any) -> Any:
        return _module().CallbackSupportMixin._init_callback_context(self, **options)


class _Told(NamedTuple):
    """The context of a fit, and what each hook is given."""

    context: Any
    given: dict[str, Any]


@contextmanager
def telling(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, subtasks: int = 0
) -> Iterator[None]:
    """Tell callbacks that a fit begins and ends; ``subtasks`` is how many passes it may make."""
    if vars(estimator).keys().isdisjoint(_LISTENED_TO):
        yield
        return
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    given = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
    try:
        context = estimator._init_callback_context(max_subtasks=subtasks)
        estimator._told = _Told(context, given)
        context.call_on_fit_task_begin(**given)
        yield
        context.call_on_fit_task_end(**given, reconstruction_attributes={})
    finally:
        vars(estimator).pop("_told", None)
        _module().with_callbacks(_nothing)(estimator)


def _nothing(estimator: Any) -> None:
    """Do nothing, so that scikit-learn's decorator only tears down."""


def watched(
    stop: StoppingRule, estimator: Any, finish: Callable[[Any, Any], None] | None = None
) -> StoppingRule:
    """Return a stopping rule that tells the callbacks of a fit of each pass, if there are any.

    ``finish`` sets the fitted attributes of a copy of the estimator, from a state; without it
    callbacks do not see the model after each pass.
    """
    told = vars(estimator).get("_told")
    return stop if told is None else _Watched(stop, estimator, finish, told)


class _Watched:
    """Ends the task of each pass, and stops if a callback says so."""

    def __init__(self, stop: StoppingRule, estimator: Any, finish: Any, told: _Told) -> None:
        self._stop, self._estimator, self._finish, self._told = stop, estimator, finish, told
        self._begin()

    def _begin(self) -> None:
        self._pass = self._told.context.subcontext(task_name="pass")
        self._pass.call_on_fit_task_begin(**self._told.given)

    def __call__(self, history: History, end: PassEnd) -> str:
        """Return why to stop, or an empty text."""
        ending = self._stop(history, end)
        fitted = None if self._finish is None else lambda: self._fitted(end.state)
        asked = self._pass.call_on_fit_task_end(
            **self._told.given, reconstruction_attributes=fitted
        )
        if ending or asked:
            return ending or STOPPED
        if history.passes < self._estimator.max_iter:
            self._begin()
        return ""

    def _fitted(self, state: Any) -> dict[str, Any]:
        """Return the fitted attributes that the estimator would have, if this were the end."""
        shadow = copy(self._estimator)
        self._finish(shadow, state)
        before = vars(self._estimator)
        return {name: v for name, v in vars(shadow).items() if before.get(name) is not v}
