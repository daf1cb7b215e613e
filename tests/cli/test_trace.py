"""``rosenblatt trace``: the ledger, step by step."""

import json

import numpy as np
import pytest

from rosenblatt import Perceptron

DECK_B = "-1 1:-1 2:2\n1 1:1\n1 1:1 2:1\n-1 1:-1\n-1 1:-1 2:-2\n1 1:1 2:-1\n"


@pytest.fixture
def deck(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.svm").write_text(DECK_B)
    return tmp_path


def lines(run):
    return [json.loads(line) for line in run.out.splitlines()]


def test_deck_b_as_in_the_guide(ros, deck):
    told = ros("trace", "b.svm", "--no-intercept").out.splitlines()
    cells = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in told]
    assert cells[0] == ["step", "pass", "line", "x", "class", "score", "w afterwards"]
    assert cells[2:8] == [
        ["1", "1", "1", "(−1, 2)", "-1", "0", "mistake", "(1, −2)"],
        ["2", "1", "2", "(1, 0)", "1", "1", "(1, −2)"],
        ["3", "1", "3", "(1, 1)", "1", "−1", "mistake", "(2, −1)"],
        ["4", "1", "4", "(−1, 0)", "-1", "−2", "(2, −1)"],
        ["5", "1", "5", "(−1, −2)", "-1", "0", "mistake", "(3, 1)"],
        ["6", "1", "6", "(1, −1)", "1", "2", "(3, 1)"],
    ]
    assert told[-2:] == [
        "3 mistakes in 2 passes, none in the last",
        "at most 5 by (R/γ)² with R = 2.236, γ = 1 (Novikoff)",
    ]


def test_lines_of_json(ros, deck):
    *steps, last = lines(ros("trace", "b.svm", "--no-intercept", "--json"))
    assert len(steps) == 12
    assert steps[0] == {
        "step": 1,
        "pass": 1,
        "file": "b.svm",
        "line": 1,
        "class": -1,
        "score": 0.0,
        "mistake": True,
        "predicted": 1,
        "weights": {"1": 1.0, "2": -2.0},
        "intercept": 0.0,
        "norm": pytest.approx(5**0.5),
    }
    summary = last["summary"]
    assert (summary["mistakes"], summary["passes"], summary["converged"]) == (3, 2, True)
    assert summary["mistakes_by_pass"] == [3, 0]
    assert summary["bound"]["theorem"] == "novikoff"


def test_some_steps(ros, deck):
    *steps, _ = lines(ros("trace", "b.svm", "--no-intercept", "--json", "--mistakes-only"))
    assert [step["line"] for step in steps] == [1, 3, 5]
    told = ros("trace", "b.svm", "--no-intercept", "--limit", "4").out
    assert "… and 8 more steps (--limit 0 shows all)" in told
    told = ros("trace", "b.svm", "--no-intercept", "--limit", "2", "--mistakes-only").out
    assert "… and 1 more step (--limit 0 shows all)" in told
    assert ros("trace", "b.svm", "-q").out.startswith("4 mistakes in 2 passes")


@pytest.mark.parametrize("learner", ["perceptron", "averaged", "voted", "batch"])
def test_all_learners(ros, folder, learner):
    *steps, last = lines(ros("trace", "train.svm", "--learner", learner, "--json", "--passes", "2"))
    assert len(steps) == 50
    assert last["summary"]["learner"] == learner
    assert (last["summary"]["bound"] is None) == (learner == "batch")


def test_it_learns_what_fit_learns(ros, folder):
    *steps, last = lines(ros("trace", "train.svm", "--json", "--limit", "0", "--passes", "3"))
    from rosenblatt.readers.matrix import read

    X, y = read("train.svm")
    model = Perceptron(shuffle=False, max_iter=3, tol=None).fit(X, y.astype(int))
    assert list(steps[-1]["weights"].values()) == model.coef_[0].tolist()
    assert last["summary"]["mistakes_by_pass"] == model.mistakes_.tolist()


def test_many_classes_and_features(ros, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "many.csv"
    rows = [",".join([*map(str, rng.integers(0, 9, 6)), "abc"[k % 3]]) for k in range(12)]
    path.write_text("\n".join(["u,v,w,x,y,z,label", *rows]) + "\n")
    told = ros("trace", path, "--passes", "1").out
    assert "‖w‖ afterwards" in told.splitlines()[0]
    step = lines(ros("trace", path, "--passes", "1", "--json"))[0]
    assert set(step["score"]) == {"a", "b", "c"}
    assert set(step["weights"]["a"]) == set("uvwxyz")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--learner", "svm"), "--learner 'svm' is not one of perceptron, averaged"),
        (("--passes", "0"), "--passes 0 must be 1 or more"),
        (("--limit", "-1"), "--limit -1 must be 0 or more"),
        (("--ties", "odd"), "--ties 'odd' is not one of mistake, positive"),
    ],
)
def test_what_makes_no_sense(ros, deck, options, message):
    assert message in ros("trace", "b.svm", *options, code=2).err


def test_one_class(ros, deck):
    (deck / "one.svm").write_text("1 1:1\n")
    assert "nothing to distinguish" in ros("trace", "one.svm", code=1).err
