"""The presets, and every learner on each of them."""

import numpy as np
import pytest

from rosenblatt.lab.plane.learners import learners
from rosenblatt.lab.plane.presets import PRESETS, listed, preset, view_of
from tests.lab.asking import GRID, asker

LEARNERS = learners()

HERE = [name for name in PRESETS if name != "empty"]


@pytest.fixture(scope="module")
def ask():
    return asker("playground")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_whole(name):
    told = preset(name)
    x0, x1, y0, y1 = told["view"]
    for x, y, number in told["points"]:
        assert x0 < x < x1
        assert y0 < y < y1
        assert 0 <= number < len(told["classes"])
    assert len(told["names"]) == 2
    LEARNERS[told["learner"]].keywords(told["settings"])


def test_they_are_listed_in_order():
    names = "deck-b deck-a deck-e and or xor outlier moons iris empty"
    assert [one["name"] for one in listed()] == names.split()


def test_the_lectures_points():
    assert preset("deck-b")["points"] == [
        [-1, 2, 0], [1, 0, 1], [1, 1, 1], [-1, 0, 0], [-1, -2, 0], [1, -1, 1]
    ]  # fmt: skip
    assert preset("deck-b")["settings"]["bias"] is False
    assert preset("deck-a")["points"] == [[1, 1, 1], [0.5, 3, 1], [2, 2, 0]]
    assert preset("deck-e")["points"] == [[1, -2, 0], [1, 4, 0], [4, 2, 1], [2, 2, 1]]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("name", HERE)
def test_every_learner_learns_from_every_preset(ask, name, learner):
    told = preset(name)
    if LEARNERS[learner].two_classes_only and len(told["classes"]) > 2:
        pytest.skip("for two classes")
    settings = told["settings"] if learner == told["learner"] else {}
    data = {key: told[key] for key in ("points", "classes", "view")}
    run = ask("open", **data, learner=learner, settings=settings, grid=GRID)
    frames, end = ask("steps", run=run["run"], start=1, count=12)
    assert [frame["k"] for frame in frames] == list(range(1, len(frames) + 1))
    assert (len(frames) == 12) or end["done"]


@pytest.mark.parametrize("name", HERE)
def test_every_preset_has_a_verdict(ask, name):
    told = preset(name)
    for bias in (True, False):
        answer = ask("verdict", points=told["points"], classes=told["classes"], bias=bias)
        assert answer["text"].endswith(".")


def test_the_outlier_misleads_the_centroid_alone(ask):
    told = preset("outlier")
    data = {key: told[key] for key in ("points", "classes", "view")}
    wrong = ask("open", **data, learner="centroid", settings={}, grid=GRID)["frame"]["errors"]
    assert wrong >= 2
    assert ask("verdict", **{k: data[k] for k in ("points", "classes")}, bias=True)["kind"] == (
        "separable"
    )


def test_views_have_room():
    assert view_of(np.empty((0, 2))) == [-4, 4, -3, 3]
    x0, x1, y0, y1 = view_of(np.array([[5.0, 5.0]]))
    assert x0 < 5 < x1
    assert y0 < 5 < y1
    assert view_of(np.array([[0.0, 0.0], [1000, 10]])) == [-180, 1180, -1.8, 11.8]


@pytest.mark.parametrize("name", [None, "", "deck-c", 3, ["xor"]])
def test_no_preset(name):
    with pytest.raises(ValueError, match="there are deck-b, deck-a"):
        preset(name)
