"""``rosenblatt calibrate``, and the probabilities that ``train --validation`` fits."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss

from rosenblatt import load
from rosenblatt.stream.calibration import fit

LEARNERS = ["svm", "averaged", "perceptron", "voted", "passive-aggressive", "arow"]


def probabilities(ros, model, file):
    rows = ros("predict", model, file, "--probabilities", "--json").out.splitlines()
    return [json.loads(row)["probabilities"] for row in rows]


@pytest.mark.parametrize("learner", LEARNERS)
def test_validation_gives_every_learner_probabilities(ros, folder, learner):
    ros("train", "train.svm", "--learner", learner, "-o", "plain.model", "-q")
    bad = ros("predict", "plain.model", "test.svm", "--probabilities", code=1)
    assert "use --scores, fit them (rosenblatt calibrate, or train --validation)" in bad.err
    args = ("train", "train.svm", "--learner", learner, "--validation", "valid.svm")
    ros(*args, "-o", "v.model", "-q")
    found = ros("evaluate", "v.model", "test.svm", "--json").json
    likely = probabilities(ros, "v.model", "test.svm")
    truth = [int(line.split()[0]) for line in Path("test.svm").read_text().splitlines()]
    table = np.array([[p["-1"], p["1"]] for p in likely])
    assert found["log_loss"] == pytest.approx(log_loss(truth, table), abs=1e-12)
    assert found["log_loss"] < 0.4
    model = load("v.model")
    rows = ros("predict", "v.model", "valid.svm", "--scores").out.splitlines()[1:]
    scores = np.array([float(row.split(",")[2]) for row in rows])
    truth = np.array([int(line.split()[0]) for line in Path("valid.svm").read_text().splitlines()])
    again = fit(scores, (truth > 0).astype(int), 2)
    assert (model.calibration_.slope, model.calibration_.offset) == pytest.approx(again, rel=1e-3)
    done = ros(*args, "--retrain", "-o", "r.model", "--json").json
    assert done["retrained"]
    assert load("r.model").calibration_ == model.calibration_


def test_python_says_the_same(ros, folder):
    args = ("--learner", "averaged", "--validation", "test.csv")
    ros("train", "train.csv", *args, "-o", "v.model", "-q")
    found, model = probabilities(ros, "v.model", "test.csv"), load("v.model")
    with Path("test.csv").open() as file:
        rows = list(csv.DictReader(file))
    for x, expected in zip(rows, found, strict=True):
        x = {key: value for key, value in x.items() if key != "bought"}
        assert model.predict_proba_one(x) == pytest.approx(expected, rel=1e-5)


def test_calibrate(ros, folder):
    ros("train", "train.svm", "--learner", "svm", "-o", "s.model", "-q")
    before = load("s.model")
    found = ros("calibrate", "s.model", "valid.svm", "-o", "c.model", "--json").json
    model = load("c.model")
    assert (found["slope"], found["offset"]) == tuple(model.calibration_)
    assert found["rows"] == len(Path("valid.svm").read_text().splitlines())
    assert found["before"] is None
    np.testing.assert_array_equal(model.coef_, before.coef_)
    same = [ros("inspect", name).out.splitlines()[1:] for name in ("s.model", "c.model")]
    assert same[0] == same[1]
    told = ros("calibrate", "s.model", "valid.svm", "-o", "s.model").out
    assert "σ(" in told
    assert load("s.model").calibration_ == model.calibration_
    assert ros("evaluate", "c.model", "test.svm", "--json").json["log_loss"] < 0.4
    lines = [f"{'abc'[k % 3]} | x:{k % 3} y:{k % 7}\n" for k in range(90)]
    Path("three.vw").write_text("".join(lines))
    ros("train", "three.vw", "-o", "t.model", "-q", "--learner", "averaged")
    assert "softmax(" in ros("calibrate", "t.model", "three.vw", "-o", "t.model").out
    assert all(
        sum(p.values()) == pytest.approx(1) for p in probabilities(ros, "t.model", "three.vw")
    )


def test_weights_count(ros, folder):
    rng = np.random.default_rng(0)
    rows = [(int(x + rng.normal() > 0), rng.integers(0, 4), x) for x in rng.normal(size=300)]
    Path("w.vw").write_text("".join(f"{y} {w} | x:{x:.4f}\n" for y, w, x in rows))
    Path("each.vw").write_text("".join(f"{y} | x:{x:.4f}\n" * w for y, w, x in rows))
    ros("train", "w.vw", "--learner", "averaged", "-o", "m", "-q")
    one = ros("calibrate", "m", "w.vw", "-o", "c", "--json").json
    two = ros("calibrate", "m", "each.vw", "-o", "c", "--json").json
    three = ros("calibrate", "m", "w.vw", "-o", "c", "--json", "--ignore-weights").json
    assert [one["slope"], one["offset"]] == pytest.approx([two["slope"], two["offset"]], rel=1e-6)
    assert three["slope"] != pytest.approx(one["slope"], rel=1e-3)


def test_what_is_refused(ros, folder):
    assert "-o FILE" in ros("calibrate", "m.model", "valid.svm", code=2).err
    bad = ros("calibrate", "price.model", "houses.csv", "-o", "x", code=1)
    assert "only classifiers that learn online are calibrated" in bad.err
    Path("none.vw").write_text("| a\n")
    ros("train", "train.vw", "-o", "v.model", "-q")
    bad = ros("calibrate", "v.model", "none.vw", "-o", "x", code=1)
    assert "none.vw: none of the 1 row has a label" in bad.err
    assert not Path("x").exists()
