"""Learners side by side: in step, each as the playground shows it alone."""

import pytest

from rosenblatt.lab.plane.learners import learners
from tests.lab.asking import GRID, SIGNS, VIEW, Refused, asker, clouds, refuses_what_is_hostile

LEARNERS = learners()

PLACE = {"classes": SIGNS, "view": VIEW, "grid": GRID}


def asked(*names, **settings):
    return [{"learner": name, "settings": settings} for name in names]


@pytest.fixture
def ask():
    return asker("compare")


def test_each_is_as_alone(ask):
    names = ["perceptron", "kernel", "logistic", "centroid"]
    told = ask("open", points=clouds(), learners=asked(*names), **PLACE)
    assert [run["learner"] for run in told["runs"]] == names
    together, end = ask("steps", run=told["run"], start=1, count=90)
    assert end["next"] == 91
    assert not end["done"]
    assert end["endings"][3] == "computed at once, from sums over all points"
    for place, name in enumerate(names):
        alone = asker("playground")
        run = alone("open", points=clouds(), learner=name, settings={}, **PLACE)
        assert {key: told["runs"][place][key] for key in run if key != "run"} == {
            key: run[key] for key in run if key != "run"
        }
        frames, _ = alone("steps", run=run["run"], start=1, count=90)
        shown = [frames[place] for frames in together]
        assert shown == frames + [None] * (90 - len(frames))


def test_one_that_has_ended_waits(ask):
    learners = [*asked("perceptron", passes=1), *asked("perceptron", passes=3)]
    told = ask("open", points=clouds(10), learners=learners, **PLACE)
    together, end = ask("steps", run=told["run"], start=1, count=100)
    assert len(together) == 30
    assert [frames[0] is None for frames in together] == [False] * 10 + [True] * 20
    assert end["done"]
    assert end["ending"] == "all have ended"
    assert end["endings"] == ["1 pass is over", "3 passes are over"]
    again, _ = ask("steps", run=told["run"], start=8, count=5)
    assert [[one and one["k"] for one in frames] for frames in again] == [
        [8, 8], [9, 9], [10, 10], [None, 11], [None, 12]
    ]  # fmt: skip


@pytest.mark.parametrize("names", [list(LEARNERS)[k : k + 2] for k in range(len(LEARNERS) - 1)])
def test_the_table(ask, names):
    learners = [
        {"learner": n, "settings": {"passes": 3} if LEARNERS[n].steps else {}} for n in names
    ]
    told = ask("open", points=clouds(), learners=learners, **PLACE)
    table = {row["name"]: row["cells"] for row in told["table"]["rows"]}
    facts = ["problem", "model", "error", "optimisation", "result"]
    assert list(table) == [*facts, "mistakes", "errors", "passes"]
    assert told["table"]["columns"] == [LEARNERS[name].title for name in names]
    assert all(cell for name in facts for cell in table[name])
    assert all(cell in ("always the same", "can differ") for cell in table["result"])
    together, _ = ask("steps", run=told["run"], start=1, count=5000)
    for place, run in enumerate(told["runs"]):
        seen = [frames[place] for frames in together if frames[place] is not None]
        last = (seen or [run["frame"]])[-1]
        assert table["errors"][place] == last["errors"]
        if LEARNERS[names[place]].steps:
            assert table["mistakes"][place] == last["mistakes"]
            assert table["passes"][place] == last["pass"]
        else:
            assert table["mistakes"][place] is None


def test_results_that_take_long_are_left_out(ask):
    learners = [*asked("kernel", passes=900), *asked("centroid")]
    told = ask("open", points=clouds(200), learners=learners, **PLACE)
    table = {row["name"]: row["cells"] for row in told["table"]["rows"]}
    assert table["errors"][0] is None
    assert table["errors"][1] is not None


def test_divergence_leaves_results_out(ask):
    learners = asked("regression", "svm", rate="constant", eta0=100, batch="all", penalty="none")
    told = ask("open", points=clouds(), learners=learners, **PLACE)
    table = {row["name"]: row["cells"] for row in told["table"]["rows"]}
    assert table["errors"][0] is None
    _, end = ask("steps", run=told["run"], start=1, count=500)
    assert "it diverges" in end["endings"][0]


def test_code(ask):
    learners = asked("perceptron", "svm")
    code = ask("code", points=clouds(), classes=SIGNS, learners=learners, step=3)
    assert "islice(trace(X, y, learner_1), 3)" in code
    assert "islice(moves(learner_2, X, y), 3)" in code
    code = ask("code", points=clouds(70), classes=SIGNS, learners=learners, step=3)
    assert '"compare.csv"' in code


def test_two_to_four(ask):
    for names in ([], ["svm"], ["svm"] * 5):
        with pytest.raises(Refused, match="a list of 2 to 4"):
            ask("open", points=clouds(), learners=asked(*names), **PLACE)


class TestHostile:
    """Arguments that no page of ours would send."""

    def test_open(self, ask):
        good = {"points": clouds(6), "learners": asked("svm", "centroid"), **PLACE}
        good["learners"][1]["settings"] = {}
        also = [[{}, {}], [{"learner": "svm"}] * 2, [{"learner": {}, "settings": {}}] * 2]
        refuses_what_is_hostile(ask, "open", good, also=also)

    def test_steps(self, ask):
        run = ask("open", points=clouds(6), learners=asked("svm", "batch"), **PLACE)["run"]
        refuses_what_is_hostile(ask, "steps", {"run": run, "start": 3, "count": 2})

    def test_code(self, ask):
        good = {"points": clouds(6), "classes": SIGNS, "learners": asked("svm", "batch"), "step": 2}
        refuses_what_is_hostile(ask, "code", good)
