"""The playground's calls, as a page makes them, and what it refuses."""

from functools import partial

import pytest

from rosenblatt.lab.plane.learners import learners
from tests.conftest import takes_at_most
from tests.lab.asking import GRID, SIGNS, VIEW, Refused, asker, clouds, refuses_what_is_hostile

LEARNERS = learners()

OPEN = {"classes": SIGNS, "learner": "perceptron", "settings": {}, "view": VIEW, "grid": GRID}
FRAME = {
    *("k", "pass", "rows", "score", "label", "prediction", "mistake", "updated"),
    *("w", "b", "mean", "errors", "mistakes", "loss", "region"),
}


@pytest.fixture
def ask():
    return asker("playground")


def test_catalog(ask):
    told = ask("catalog")
    assert [learner["name"] for learner in told["learners"]] == list(LEARNERS)
    assert len(told["presets"]) == 10
    assert told["limits"] == {"points": 5000, "classes": 6, "csv": 2_000_000}


def test_a_run(ask):
    told = ask("open", points=clouds(), **OPEN)
    assert told["kind"] == "steps"
    assert told["binary"]
    assert told["n"] == 40
    assert set(told["frame"]) >= FRAME
    assert told["frame"]["k"] == 0
    assert told["frame"]["w"] == [0, 0]
    frames, end = ask("steps", run=told["run"], start=1, count=30)
    assert [frame["k"] for frame in frames] == list(range(1, 31))
    assert end == {"next": 31, "done": False, "ending": None}
    frames, end = ask("steps", run=told["run"], start=31, count=5000)
    assert end["next"] == frames[-1]["k"] + 1
    assert end["done"]
    assert end["ending"] == "100 passes are over"


def test_the_last_frame_is_known_to_be_the_last(ask):
    preset = ask("preset", name="deck-b")
    data = {key: preset[key] for key in ("points", "classes", "learner", "settings", "view")}
    run = ask("open", **data, grid=GRID)["run"]
    frames, end = ask("steps", run=run, start=1, count=12)
    assert len(frames) == 12
    assert end["done"]
    assert ask("steps", run=run, start=13, count=5)[0] == []


def test_opening_a_run_ends_the_one_before(ask):
    first = ask("open", points=clouds(), **OPEN)["run"]
    second = ask("open", points=clouds(), **OPEN)["run"]
    with pytest.raises(Refused, match="this run is over"):
        ask("steps", run=first, start=1, count=1)
    ask("steps", run=second, start=1, count=1)
    with pytest.raises(Refused, match="there is no learner"):
        ask("open", points=clouds(), **{**OPEN, "learner": "pocket"})
    ask("steps", run=second, start=2, count=1)  # what was refused changed nothing


def test_regression_is_for_two_classes(ask):
    more = {**OPEN, "classes": list("abc"), "learner": "regression"}
    with pytest.raises(Refused, match="least squares is for two classes, and there are 3"):
        ask("open", points=clouds(classes=3), **more)


def test_what_can_not_go_together_is_refused(ask):
    settings = {"rate": "line_search", "batch": "4"}
    with pytest.raises(Refused, match="only there if points a move is all"):
        ask("open", points=clouds(), **{**OPEN, "learner": "logistic", "settings": settings})


@pytest.mark.parametrize("points", [[], [[0, 0, 0]], [[0, 0, 1], [1, 1, 1]]])
def test_one_class_is_too_few(ask, points):
    with pytest.raises(Refused, match="the learners need points of two classes; add one of"):
        ask("open", points=points, **OPEN)


def test_upload_and_code(ask):
    told = ask("upload", text="x,y,class\n0,0,a\n1,2,b\n")
    data = {key: told[key] for key in ("points", "classes", "learner", "settings")}
    code = ask("code", **data, step=2)
    assert "y = ['a', 'b']" in code
    assert "islice(trace(X, y, learner), 2)" in code


class TestHostile:
    """Arguments that no page of ours would send."""

    def test_preset(self, ask):
        refuses_what_is_hostile(ask, "preset", {"name": "xor"})

    def test_upload(self, ask):
        good = {"text": "x,y,class\n0,0,a\n1,2,b\n", "columns": ["x", "y", "class"]}
        refuses_what_is_hostile(ask, "upload", good)

    @pytest.mark.parametrize("learner", ["perceptron", "kernel", "svm", "centroid"])
    def test_open(self, ask, learner):
        settings = {} if learner == "centroid" else {"passes": 2}
        good = {**OPEN, "points": clouds(6), "learner": learner, "settings": settings}
        refuses_what_is_hostile(ask, "open", good, also=[{"passes": None}, {"bias": 3}])

    def test_steps(self, ask):
        run = ask("open", points=clouds(6), **OPEN)["run"]
        refuses_what_is_hostile(ask, "steps", {"run": run, "start": 3, "count": 2})

    def test_verdict(self, ask):
        good = {"points": clouds(6), "classes": SIGNS, "bias": False}
        refuses_what_is_hostile(ask, "verdict", good)

    def test_code(self, ask):
        good = {"points": clouds(6), "classes": SIGNS, "learner": "svm", "settings": {}, "step": 4}
        refuses_what_is_hostile(ask, "code", good)

    @pytest.mark.parametrize("name", ["runs", "__init__", "_open", "Open", ""])
    def test_what_is_no_call(self, ask, name):
        with pytest.raises(Refused, match="has no call"):
            ask(name)


class TestSpeed:
    """Far below what a screen needs; the figures are those of a busy machine."""

    @pytest.mark.parametrize("learner", [n for n, one in LEARNERS.items() if one.steps])
    def test_frames(self, ask, learner):
        told = ask("open", points=clouds(200), **{**OPEN, "learner": learner, "grid": [120, 80]})
        ask("steps", run=told["run"], start=1, count=5)
        steps = partial(ask, "steps", run=told["run"], start=6, count=60)
        assert takes_at_most(len(steps()[0]) / 60, steps)

    @pytest.mark.parametrize("learner", ["perceptron", "logistic"])
    def test_many_points(self, ask, learner):
        data = {**OPEN, "points": clouds(5000), "learner": learner}
        ask("open", **data)
        assert takes_at_most(0.3, partial(ask, "open", **data))
        told = ask("open", **data)
        steps = partial(ask, "steps", run=told["run"], start=1, count=60)
        assert takes_at_most(len(steps()[0]) / 60, steps)
