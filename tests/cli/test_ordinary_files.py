"""Tables as people have them: what `train` makes of their columns, and says."""

import random
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def codes(n, chance, digits=False):
    """Return rows with a code of a class each, of digits only if asked for."""
    rows = []
    while len(rows) < n:
        label = chance.choice(["yes", "no"])
        code = chance.choice(["12", "47", "A3"] if label == "yes" else ["13", "46", "B3"])
        if not digits or code.isdigit():
            rows.append(f"{code},{chance.random():.3f},{label}\n")
    return rows


def test_a_code_means_the_same_whatever_else_is_in_a_file(ros):
    chance = random.Random(0)
    Path("t.csv").write_text("code,x,kind\n" + "".join(codes(200, chance)))
    Path("digits.csv").write_text("code,x,kind\n" + "".join(codes(100, chance, digits=True)))
    for options in ((), ("--learner", "centroid")):
        ros("train", "t.csv", "-o", "t.model", "-q", *options)
        assert ros("evaluate", "t.model", "digits.csv", "--json").json["mistakes"] == 0
        tested = ros("train", "t.csv", "--test", "digits.csv", "--json", *options).json["test"]
        assert tested["mistakes"] == 0
    ros("tune", "t.csv", "-o", "u.model", "-q", "--learner", "perceptron")
    assert ros("evaluate", "u.model", "digits.csv", "--json").json["mistakes"] == 0
    found = ros("compare", "t.csv", "--test", "digits.csv", "--learners", "averaged", "--json").json
    assert found["learners"][0]["error"] <= 0.05


@pytest.mark.parametrize("name", ["label", "Class", "TARGET", "Y"])
@pytest.mark.parametrize("classes", [("1", "2"), ("0.0", "1.0"), ("ham", "spam")])
def test_the_label_is_found_by_its_name_in_the_first_column_and_named(ros, name, classes):
    rows = [f"{classes[k % 2]},{k % 2}.5,{k % 3}\n" for k in range(60)]
    Path("t.csv").write_text(f"{name},a,b\n" + "".join(rows))
    told = ros("train", "t.csv", "-o", "t.model").out
    assert f"\nlabel       {name}\nclasses     2 (" in told
    assert ros("train", "t.csv", "--json").json["label"] == name
    assert ros("evaluate", "t.model", "t.csv", "--json").json["mistakes"] == 0


def test_a_label_that_nothing_names_is_the_last_column_and_that_is_said(ros, folder):
    told = ros("train", "train.csv").out
    assert "\nlabel       bought, the last column (--label names another)\n" in told
    assert "\nlabel       bought\n" in ros("train", "train.csv", "--label", "bought").out
    assert "\nlabel" not in ros("train", "train.svm").out
    assert "%; label bought\n" in ros("compare", "train.csv", "--learners", "centroid").out
    assert "the label is the column bought" in ros("tune", "train.csv", "--learner", "centroid").out
