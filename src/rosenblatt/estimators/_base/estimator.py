"""What makes a class an estimator: parameters declared as fields, and complete documentation.

A class decorated with `estimator_class` lists its parameters as annotated fields, and gets the
explicit ``__init__`` that scikit-learn reads. What its docstring leaves out is described once: a
parameter or attribute by a base class, an argument of a method by `ARGUMENTS`.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Self, TypeVar, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator

from rosenblatt.estimators._base.callbacks import CallbackSupport
from rosenblatt.estimators._base.other_names import hint
from rosenblatt.passes import History

T = TypeVar("T")

ARGUMENTS = {
    "X": """X : array or sparse matrix of shape (n_samples, n_features)
    Rows of numbers. float32 and float64 are used as they are, without a copy.""",
    "y": """y : array of shape (n_samples,)
    Labels of two or more classes.""",
    "partial_fit.y": """y : array of shape (n_samples,)
    Labels; classes that were not seen before are welcome at any time.""",
    "classes": """classes : array, optional
    Classes that will come, if they are known. They compete from the start.""",
    "coef_init": """coef_init : array of the shape of ``coef_``, optional
    Weights to start from, instead of zeros.""",
    "intercept_init": """intercept_init : array of the shape of ``intercept_``, optional
    Intercepts to start from, instead of zeros.""",
    "sample_weight": """sample_weight : array of shape (n_samples,), optional
    How much each row counts: in a perceptron's step, or in sums over rows and losses. Rows of
    weight 0 are left out.""",
}


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def estimator_class(cls: type[T]) -> type[T]:
    """Give a class an ``__init__`` that stores its fields, and complete its documentation."""
    made = dataclass(kw_only=True, eq=False, repr=False)(cls)
    _explain_names(made)
    return documented(made)


def _explain_names(cls: type[Any]) -> None:
    """Make ``__init__`` say what a parameter that others have is called here."""
    init = cls.__init__
    known = inspect.signature(init).parameters

    @wraps(init)
    def with_hint(self: Any, *args: Any, **given: Any) -> None:
        for name in given.keys() - known.keys():
            if (advice := hint(name, known)) is not None:
                raise TypeError(f"{type(self).__name__} has no parameter {name!r}; {advice}")
        init(self, *args, **given)

    cls.__init__ = with_hint


def documented(cls: type[T]) -> type[T]:
    """Complete the docstrings of a class and of its methods."""
    for name, method in vars(cls).items():
        function = inspect.unwrap(method) if callable(method) or hasattr(method, "fn") else None
        if inspect.isfunction(function) and not name.startswith("_") and function.__doc__:
            function.__doc__ = _of_method(function)
    if cls.__doc__:  # python -OO leaves none
        entries = {_names(entry)[0]: entry for entry in _described(cls, "Parameters")}
        parameters = [
            _with_default(entries[name], parameter)
            for name, parameter in inspect.signature(cls).parameters.items()
            if name in entries
        ]
        attributes = list(_described(cls, "Attributes"))
        cls.__doc__ = _assembled(cls.__doc__, {"Parameters": parameters, "Attributes": attributes})
    return cls


def _of_method(function: Any) -> str:
    """Return a method's docstring with all arguments described that `ARGUMENTS` knows."""
    name, own = function.__name__, _entries(function.__doc__, "Parameters")
    described = {argument for entry in own for argument in _names(entry)}
    known = [
        ARGUMENTS.get(f"{name}.{argument}", ARGUMENTS.get(argument))
        for argument in inspect.signature(function).parameters
        if argument not in described
    ]
    entries = [*filter(None, known), *own]
    returns = _entries(function.__doc__, "Returns")
    if not returns and name in ("fit", "partial_fit"):
        returns = ["self"]
    return _assembled(function.__doc__, {"Parameters": entries, "Returns": returns})


def _described(cls: type, title: str) -> Iterator[str]:
    """Yield what a class or else its bases describe, each name once."""
    known: set[str] = set()
    for each in cls.__mro__:
        for entry in _entries(each.__dict__.get("__doc__") or "", title):
            if known.isdisjoint(_names(entry)):
                known.update(_names(entry))
                yield entry


def _names(entry: str) -> list[str]:
    return entry.partition("\n")[0].partition(" :")[0].split(", ")


def _with_default(entry: str, parameter: inspect.Parameter) -> str:
    first, newline, rest = entry.partition("\n")
    first = first.partition(", default=")[0]
    value = parameter.default
    if value is not parameter.empty:
        first += f', default="{value}"' if isinstance(value, str) else f", default={value!r}"
    return first + newline + rest


def _sections(docstring: str) -> dict[str, str]:
    """Return the parts of a docstring by their titles; the description's is empty."""
    parts = re.split(r"\n\n(?=[A-Z]\w+\n-{3,}\n)", inspect.cleandoc(docstring))
    titled = (part.split("\n", 2) for part in parts[1:])
    return {"": parts[0], **{title: body for title, _, body in titled}}


def _entries(docstring: str, title: str) -> list[str]:
    body = _sections(docstring).get(title)
    return re.split(r"\n(?=\S)", body) if body else []


def _assembled(docstring: str, entries: Mapping[str, list[str]]) -> str:
    """Replace sections of a docstring, or add them after its description."""
    sections = _sections(docstring)
    made = {title: "\n".join(each) for title, each in entries.items() if each}
    ordered = {"": sections[""]} | made | {t: b for t, b in sections.items() if t not in made}
    return "\n\n".join(
        f"{title}\n{'-' * len(title)}\n{body}" if title else body for title, body in ordered.items()
    )


class Estimator(CallbackSupport, BaseEstimator):
    """Base of all: scikit-learn's, with its callbacks, and hints for unknown parameters."""

    # Not part of a model file.
    _transient: tuple[str, ...] = ("_skl_callbacks",)

    def set_params(self, **params: Any) -> Self:
        """Set parameters, as scikit-learn does.

        Parameters
        ----------
        **params : any
            Values by the names of parameters.

        Returns
        -------
        self
        """
        known = self.get_params(deep=False)
        for name in params.keys() - known.keys():
            if (advice := hint(name, known)) is not None:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}; {advice}"
                )
        super().set_params(**params)
        return self


@estimator_class
class MistakeDriven(Estimator):
    """Base of the perceptrons: passes over the data until one makes no mistake.

    Parameters
    ----------
    max_iter : int
        The most passes over the data. Passes end earlier when one makes no mistake.
    tol : float or None
        Stop when the share of mistakes in a pass has not fallen by ``tol`` below the best so far
        for ``n_iter_no_change`` passes. None makes all ``max_iter`` passes unless one is clean.
    n_iter_no_change : int or "auto"
        How many passes to wait for that: "auto" is as many as look at 1,000 rows, but at least 5
        and at most 500. The fewer the rows, the more time they are given to converge.
    verbose : int
        1 shows a progress bar.

    Attributes
    ----------
    mistakes_ : array of shape (n_iter_,)
        The mistakes of each pass, made while it learned; after ``partial_fit``, of that call.
    n_mistakes_ : int
        All mistakes made so far.
    n_iter_ : int
        The number of passes.
    converged_ : bool
        Whether the last pass was clean: every row classified correctly. After ``partial_fit``,
        whether that call was.
    """

    max_iter: int = 10
    tol: float | None = None
    n_iter_no_change: int | str = "auto"
    verbose: int = 0

    def _set_counts(self, history: History, updates: int) -> None:
        """Set what there is to say about the passes."""
        self.mistakes_ = np.array(history.mistakes)
        self.n_mistakes_ = int(updates)
        self.n_iter_ = len(history.mistakes)
        self.converged_ = history.converged
