"""The verdict: separable or not, with a proof that can be drawn, and the bound on mistakes."""

from functools import partial

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rosenblatt import Perceptron, separate
from rosenblatt.lab.plane.points import as_points
from rosenblatt.lab.plane.presets import preset
from rosenblatt.lab.plane.verdicts import verdict
from rosenblatt.lab.worker import _json
from tests.conftest import takes_at_most
from tests.lab.asking import clouds, names_of


def on(name, bias=True):
    told = preset(name)
    return verdict(as_points(told["points"], told["classes"]), bias)


def test_a_street():
    told = on("or")
    assert told["kind"] == "separable"
    assert told["margin"] == pytest.approx(np.sqrt(2) / 4)
    assert told["support"].tolist() == [0, 1, 2]
    assert told["w"] == pytest.approx([np.sqrt(0.5)] * 2)
    assert told["text"] == (
        "Separable: the widest street between the classes has margin 0.354, held by 3 points."
    )


def test_hulls_that_meet():
    told = on("xor")
    assert told["kind"] == "inseparable"
    assert told["points"].tolist() == [0, 1, 2, 3]
    assert told["weights"].tolist() == [0.5] * 4
    assert told["meeting"].tolist() == [0.5, 0.5]
    assert told["exact"]
    assert told["text"] == (
        "Not separable: these 4 points prove it: their hulls meet in (0.5, 0.5)."
    )


def test_deck_b_s_bound():
    bound = on("deck-b", bias=False)["bound"]
    assert bound["radius"] == pytest.approx(np.sqrt(5))
    assert bound["margin"] == pytest.approx(1)
    assert bound["bound"] == pytest.approx(5)
    assert bound["theorem"] == "novikoff"
    assert bound["farthest"] == 0
    assert bound["nearest"].tolist() == [0, 1, 2, 3, 4, 5]
    assert bound["drawn"] == {"radius": bound["radius"], "margin": pytest.approx(1)}
    assert bound["u"].tolist() == pytest.approx([1, 0])


@pytest.mark.slow
def test_with_a_bias_the_band_can_be_drawn_in_the_plane():
    told = preset("deck-a")
    points = as_points(told["points"], told["classes"])
    bound = verdict(points, True)["bound"]
    u, offset, sides = bound["u"], bound["offset"], 2 * points.y - 1
    assert np.hypot(np.linalg.norm(u), offset) == pytest.approx(1)
    assert bound["drawn"]["radius"] == pytest.approx(np.sqrt(bound["radius"] ** 2 - 1))
    far = sides * (points.X @ u + offset) / np.linalg.norm(u)
    assert far.min() == pytest.approx(bound["drawn"]["margin"])
    assert far[bound["nearest"]] == pytest.approx(bound["drawn"]["margin"])
    made = Perceptron(tol=None).fit(points.X, points.y).n_mistakes_
    assert made <= bound["bound"]


def test_without_a_bias():
    assert "through the origin" in on("deck-b", bias=False)["text"]
    assert on("deck-a", bias=False)["text"].startswith(
        "Not separable by a line through the origin: these 2 points prove it."
    )
    assert "a point lies in the origin" in on("and", bias=False)["text"]
    assert on("and", bias=False)["bound"]["theorem"] == "freund-schapire"


def test_two_points_in_one_place():
    told = verdict(as_points([[1, 1, 0], [1, 1, 1], [2, 2, 1]], names_of(2)), True)
    assert told["text"].endswith("two points of different classes lie in the same place.")
    assert told["meeting"].tolist() == [1, 1]


def test_many_classes():
    told = on("iris")
    assert told["kind"] == "many"
    assert [each["separable"] for each in told["each"]] == [True, False, False]
    assert [each["class"] for each in told["each"]] == [0, 1, 2]
    assert told["first"] == 1  # the first that no line parts
    assert told["each"][0]["margin"] > 0
    assert len(told["each"][1]["points"]) <= 4
    assert told["each"][1]["text"].startswith("versicolor against the rest: Not separable: two")
    text = "A line separates setosa from the others, and none separates versicolor or virginica."
    assert told["text"] == text
    three = as_points([[0, 0, 0], [5, 0, 1], [0, 5, 2]], names_of(3))
    assert verdict(three, True)["text"].endswith(", each by itself.")


@pytest.mark.parametrize("points", [[], [[0, 0, 1]], [[0, 0, 1], [1, 2, 1]]])
def test_nothing_to_part(points):
    told = verdict(as_points(points, names_of(2)), True)
    assert told["kind"] == "none"
    assert told["text"].startswith("The learners need points of two classes; add one of")


coordinate = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e9, 1e9).map(lambda value: value if abs(value) > 1e-100 else 0.0),
    st.sampled_from([0.1, 0.2, 0.3, 1e-9, 1e-100, -1e9]),
)
point = st.tuples(coordinate, coordinate, st.integers(0, 2)).map(list)


@settings(max_examples=40)
@given(st.lists(point, max_size=8), st.booleans())
@example([[0, 1, 1], [0, -1, 0], [0, 1e-100, 1], [1e-83, 1, 0]], False)
def test_any_points_have_a_verdict_that_json_can_hold(points, bias):
    checked = as_points(points, names_of(3))
    told = verdict(checked, bias)
    _json(told)
    if told["kind"] in ("separable", "inseparable"):
        answer = separate(checked.X, checked.y, fit_intercept=bias)
        assert answer.separable == (told["kind"] == "separable")


def test_fast_enough_to_follow_a_finger():
    for classes in (2, 3):
        points = as_points(clouds(200, classes), names_of(classes))
        verdict(points, True)
        assert takes_at_most(0.1, partial(verdict, points, True))
