"""`help` is complete, though what estimators share is written once."""

import inspect

import pytest

import rosenblatt
from rosenblatt.estimators._base.estimator import documented, estimator_class
from rosenblatt.estimators._base.hyperplanes import Hyperplanes

CLASSES = [
    each
    for name in rosenblatt.__all__
    if inspect.isclass(each := getattr(rosenblatt, name))
    and each.__module__.startswith("rosenblatt.estimators.")
]
METHODS = [
    (each, name)
    for each in CLASSES
    for name, method in inspect.getmembers(each, callable)
    if not name.startswith(("_", "set_", "get_")) and name != "score"  # scikit-learn's own
]


def described(docstring, title):
    """Return the names that a section of a docstring has entries for, and their first lines."""
    _, _, rest = docstring.partition(f"{title}\n{'-' * len(title)}\n")
    lines = rest.split("\n\n", 1)[0] if title == "Returns" else rest
    result = {}
    for line in lines.splitlines():
        if line.startswith("---"):
            break
        if line and not line.startswith(" "):
            result |= dict.fromkeys(line.partition(" :")[0].split(", "), line)
    return result


def test_all_are_here():
    assert len(CLASSES) == 15


@pytest.mark.parametrize("kind", CLASSES)
def test_every_parameter_is_described_with_its_default(kind):
    entries = described(inspect.getdoc(kind), "Parameters")
    for name, parameter in inspect.signature(kind).parameters.items():
        value = parameter.default
        if value is not parameter.empty:
            shown = f'"{value}"' if isinstance(value, str) else repr(value)
            assert entries[name].endswith(f", default={shown}")
        assert name in entries
    assert inspect.getdoc(kind).count("\nParameters\n---") == 1


@pytest.mark.parametrize("kind", CLASSES)
def test_attributes_are_described_and_an_example_is_last(kind):
    docstring = inspect.getdoc(kind)
    names = described(docstring, "Attributes")
    if issubclass(kind, Hyperplanes):
        assert {"coef_", "intercept_", "classes_"} <= names.keys()
    assert docstring.rindex(">>>") > docstring.index("\nAttributes\n")


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_argument_is_described(kind, name):
    method = getattr(kind, name)
    docstring = inspect.getdoc(method)
    if docstring.startswith("Yield the classes"):
        return  # it names the method that says the rest
    arguments = [each for each in inspect.signature(method).parameters if each != "self"]
    entries = described(docstring, "Parameters")
    assert [each for each in arguments if each not in entries] == []
    if name in ("fit", "partial_fit"):
        assert docstring.endswith("Returns\n-------\nself")


def test_own_words_come_before_those_of_a_base():
    @estimator_class
    class Base:
        """A base.

        Parameters
        ----------
        size : int
            Of the base.
        shape : str
            Round or square.
        """

        size: int = 1
        shape: str = "round"

    @estimator_class
    class Kind(Base):
        """A kind.

        Parameters
        ----------
        size : int
            Of the kind.
        """

        size: int = 2

        def fit(self, X):
            """Fit.

            Returns
            -------
            nothing
            """

    assert inspect.getdoc(Kind) == (
        "A kind.\n\nParameters\n----------\nsize : int, default=2\n    Of the kind.\n"
        'shape : str, default="round"\n    Round or square.'
    )
    assert "X : array" in Kind.fit.__doc__
    assert Kind.fit.__doc__.endswith("\nnothing")
    assert (Kind().size, Kind(size=3, shape="square").shape) == (2, "square")


def test_a_class_without_docstrings_stays_so():
    class Silent:
        def fit(self, X):
            pass

    assert documented(Silent).__doc__ is None
    assert Silent.fit.__doc__ is None
