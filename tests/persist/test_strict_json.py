"""JSON from strangers: what the standard has, and no more of it than there can be."""

import sys

import pytest

from rosenblatt.persist import strict_json
from rosenblatt.persist.errors import ModelFileError
from tests.conftest import takes_at_most


def test_values_come_back():
    value = {"a": [1, -2.5, True, None, "é\ud800", {}], "b": 1e-320, "c": 10**40, "d": -0.0}
    again = strict_json.loads(strict_json.dumps(value), "it")
    assert again == value
    assert str(again["d"]) == "-0.0"


def test_equal_values_give_equal_texts():
    assert strict_json.dumps({"b": 1, "a": 2}) == strict_json.dumps({"a": 2, "b": 1})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("NaN", "NaN is not a number"),
        ("[Infinity]", "Infinity is not a number"),
        ("-Infinity", "not a number"),
        ("1e999", "1e999 is too large"),
        ('{"a": 1, "a": 2}', "the key 'a' comes twice"),
        ("[" * 100_000, "nested too deep"),
        ("[" * 65 + "]" * 65, "nested too deep"),
        ('{"a":' * 65 + "1" + "}" * 65, "nested too deep"),
        ("[1, 2", "not JSON"),
        ("", "not JSON"),
        ("{} {}", "not JSON"),
        ("9" * 5000, "not JSON"),
        ("[0" + ",0" * strict_json.MAX_VALUES + "]", "more than"),
    ],
)
def test_what_is_refused(text, why):
    with pytest.raises(ModelFileError, match=why):
        strict_json.loads(text, "the header")


def test_depth_does_not_depend_on_how_deep_the_caller_is():
    deep = "[" * 200 + "]" * 200

    def nested(n):
        if n:
            return nested(n - 1)
        with pytest.raises(ModelFileError, match="nested too deep"):
            strict_json.loads(deep, "it")
        return True

    assert nested(sys.getrecursionlimit() - 400)


def test_what_json_does_not_have_is_not_written():
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON compliant"):
            strict_json.dumps([value])


def test_a_key_that_comes_twice_is_found_at_once():
    """Counting each key took a time that grew with the square of their number."""
    text = "{" + ",".join(f'"{k}": 0' for k in range(40_000)) + ',"39999": 0}'

    def find():
        with pytest.raises(ModelFileError, match="the key '39999' comes twice"):
            strict_json.loads(text, "it")

    assert takes_at_most(3, find)
