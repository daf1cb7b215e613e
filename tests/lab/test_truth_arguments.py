"""The screen of truth tables: a page may ask anything, and gets a reason."""

import pytest

from rosenblatt.lab.calls import answer_to
from rosenblatt.lab.screens.truth import Truth


@pytest.fixture
def screen():
    return Truth()


@pytest.mark.parametrize(
    "outputs",
    [
        None,
        [],
        [0, 1],
        [0] * 5,
        [0] * 32,
        "0110",
        {"0": 1},
        [0, 1, 1, 2],
        [0, 1, 1, -1],
        [0, 1, 1, 0.0],
        [0, 1, 1, True],
        [0, 1, 1, "1"],
        [0, 1, 1, None],
        [0, 1, 1, [0]],
        [0, 1, 1, 10**400],
        [0, 1, 1, "x" * 10_000],
    ],
)
@pytest.mark.parametrize("call", ["solve", "code", "csv"])
def test_hostile_outputs(screen, call, outputs):
    with pytest.raises(ValueError, match=r"a table is a list|an output is 0 or 1") as caught:
        answer_to(screen, call, {"outputs": outputs})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("n", [None, 1, 5, 20, -2, 2.0, True, "2", [2], 10**400])
def test_hostile_numbers_of_inputs(screen, n):
    with pytest.raises(ValueError, match="2, 3 or 4 inputs") as caught:
        answer_to(screen, "map", {"n": n})
    assert len(str(caught.value)) < 200
    with pytest.raises(ValueError, match="2, 3 or 4 inputs"):
        answer_to(screen, "near", {"n": n, "number": 0, "step": 1, "threshold": True})


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({"number": 16}, "numbers 0 to 15"),
        ({"number": -1}, "numbers 0 to 15"),
        ({"number": "6"}, "numbers 0 to 15"),
        ({"number": 6.0}, "numbers 0 to 15"),
        ({"number": False}, "numbers 0 to 15"),
        ({"step": 0}, "a step is 1 or -1"),
        ({"step": 2}, "a step is 1 or -1"),
        ({"step": True}, "a step is 1 or -1"),
        ({"step": "1"}, "a step is 1 or -1"),
        ({"threshold": 1}, "true or false"),
        ({"threshold": None}, "true or false"),
        ({"more": 1}, "does not take 'more'"),
    ],
)
def test_hostile_steps(screen, told, match):
    good = {"n": 2, "number": 6, "step": 1, "threshold": True}
    with pytest.raises(ValueError, match=match):
        answer_to(screen, "near", good | told)
