"""What one example's features are: the rule that all formats share."""

import math
from collections import OrderedDict
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.readers.features import DEEPEST, features_of

CASES = [
    ({}, []),
    ({"age": 41, "height": 1.8}, [("age", 41.0), ("height", 1.8)]),
    ({"old": True, "new": False}, [("old", 1.0), ("new", 0.0)]),
    ({"a": 0, "b": -0.0}, [("a", 0.0), ("b", 0.0)]),
    ({"city": "New York", "b": 1}, [("city=New York", 1.0), ("b", 1.0)]),
    ({"a": None, "b": "", "c": [], "d": {}, "e": [None, ""]}, []),
    ({"tags": ["x", "y", "x"]}, [("tags=x", 1.0), ("tags=y", 1.0), ("tags=x", 1.0)]),
    ({"v": [1, 2.5, True]}, [("v[0]", 1.0), ("v[1]", 2.5), ("v[2]", 1.0)]),
    ({"v": (1, None, 3)}, [("v[0]", 1.0), ("v[2]", 3.0)]),
    ({"v": np.array([1.5, 2])}, [("v[0]", 1.5), ("v[1]", 2.0)]),
    ({"a": {"b": 1, "c": {"d": "e"}}}, [("a.b", 1.0), ("a.c.d=e", 1.0)]),
    ({"a": {"l": [1, "z"]}}, [("a.l[0]", 1.0), ("a.l=z", 1.0)]),
    ({17: 2, "17": 3}, [("17", 2.0), ("17", 3.0)]),
    ({np.int64(3): 1}, [("3", 1.0)]),
    ({"a": np.float32(0.5), "b": np.int8(-3)}, [("a", 0.5), ("b", -3.0)]),
    ({"c": np.bool_(True), "d": "x"}, [("c", 1.0), ("d=x", 1.0)]),
    ({"a": np.str_("x")}, [("a=x", 1.0)]),
    ({"a": 10**300}, [("a", 1e300)]),
    ({"": 1, "=": "="}, [("", 1.0), ("===", 1.0)]),
    ({"a": 1e308, "b": 1e308}, [("a", 1e308), ("b", 1e308)]),
    (OrderedDict(a=1, b="x"), [("a", 1.0), ("b=x", 1.0)]),
    (MappingProxyType({"a": 1}), [("a", 1.0)]),
]  # fmt: skip


@pytest.mark.parametrize(("x", "expected"), CASES)
def test_cases(x, expected):
    names, values = features_of(x)
    assert list(zip(names, values, strict=True)) == expected
    assert all(type(name) is str for name in names)
    assert all(type(value) is float for value in values)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ({"a": 1, "b": math.nan}, ValueError, "feature 'b' is nan; leave it out, or use None"),
        ({"b": math.inf}, ValueError, "feature 'b' is inf; it must be finite"),
        ({"b": -math.inf, "c": math.inf}, ValueError, "feature 'b' is -inf"),
        ({"b": "x", "a": {"c": math.nan}}, ValueError, "feature 'a.c' is nan"),
        ({"a": [1, math.nan]}, ValueError, r"feature 'a\[1\]' is nan"),
        ({"a": np.float32("inf")}, ValueError, "feature 'a' is inf"),
        ({"a": 10**400}, ValueError, "feature 'a' is inf"),
        ({"a": -(10**400), "b": "x"}, ValueError, "feature 'a' is inf"),
        ({"a": b"bytes"}, TypeError, "feature 'a' is a bytes; it must be a number, a string"),
        ({"a": 1j}, TypeError, "feature 'a' is a complex"),
        ({"a": {"b": {1, 2}}}, TypeError, "feature 'a.b' is a set.*convert it, or leave it out"),
        ({"a": [[1]]}, TypeError, r"feature 'a\[0\]' is a list"),
        ({"a": [{"b": 1}]}, TypeError, r"feature 'a\[0\]' is a dict"),
        ({"a": np.zeros((2, 2))}, TypeError, "feature 'a' is a ndarray"),
        ({"a": Fraction(1, 2)}, TypeError, "feature 'a' is a Fraction"),
        ({"a": np.datetime64("2020-01-01")}, TypeError, "feature 'a' is a datetime64"),
        ({None: 1}, TypeError, "the key None is a NoneType; use a string, a whole number or a"),
        ({True: 1}, TypeError, "the key True is a bool"),
        ({(1, (2, 3)): 1}, TypeError, r"the key \(1, \(2, 3\)\) is a tuple"),
        ({(): 1}, TypeError, r"the key \(\) is a tuple"),
        ({("a", 1.5): 1}, TypeError, "the key 1.5 is a float"),
        ({1.5: 1}, TypeError, "the key 1.5 is a float"),
    ],
)
def test_what_is_no_feature(x, error, message):
    with pytest.raises(error, match=message):
        features_of(x)


def test_tuples_are_joined_as_ngrams_are():
    x = {("free", "offer"): 2, ("x", 0): 0.5, ("city",): "Oslo", "in": {("a", "b"): 1}}
    assert features_of(x) == (["free offer", "x 0", "city=Oslo", "in.a b"], [2.0, 0.5, 1.0, 1.0])


@pytest.mark.parametrize("missing", [None, pd.NA, pd.NaT])
def test_what_is_missing_is_no_feature(missing):
    assert features_of({"a": missing, "b": [missing, "x"], "c": {"d": missing}}) == (["b=x"], [1.0])


def test_depth():
    def deep(levels):
        return {"a": deep(levels - 1)} if levels else {"a": 1}

    assert features_of(deep(DEEPEST - 1)) == ([".".join("a" * DEEPEST)], [1.0])
    for levels in (DEEPEST, 900):
        with pytest.raises(ValueError, match="deeper than 50 dicts; flatten it"):
            features_of(deep(levels))


@given(st.dictionaries(st.text(), st.integers() | st.floats() | st.booleans()))
def test_the_short_way_is_the_long_way(x):
    """A dict of numbers has a short way; None among them makes it take the long one."""
    results = []
    for example in (x, {**x, "x" * (1 + sum(map(len, x))): None}):
        try:
            results.append(features_of(example))
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]


@pytest.mark.parametrize("x", [None, 3, "text", ["a"], np.zeros(3), [("a", 1)]])
def test_what_is_no_example(x):
    with pytest.raises(
        TypeError, match=r"^an example must be a dict .* and this is (None|of type)"
    ):
        features_of(x)
