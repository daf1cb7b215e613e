"""``rosenblatt separate``: an answer, its proof, and the lines it speaks of."""

import json

import numpy as np
import pytest

from rosenblatt.readers.matrix import read
from rosenblatt.theory.certificates import Certificate

DECK_B = "-1 1:-1 2:2\n1 1:1\n1 1:1 2:1\n-1 1:-1\n-1 1:-1 2:-2\n1 1:1 2:-1\n"
XOR = "# corners\n0 1:0 2:0\n1 2:1\n\n1 1:1\n0 1:1 2:1\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.svm").write_text(DECK_B)
    (tmp_path / "xor.svm").write_text(XOR)
    return tmp_path


def test_separable(ros, files):
    told = ros("separate", "b.svm", "--bound").out.splitlines()
    assert told[0] == "separable   yes: a hyperplane separates 1 (+) from -1 (−)"
    assert told[1] == "margin      1; no hyperplane has more than 1"
    assert told[2] == "plane       +1·x1 = 0"
    assert told[-2] == "checked     exactly: all 6 points lie on their sides, 1 or more away"
    assert told[-1] == "mistakes    at most 6 by (R/γ)² with R = 2.449, γ = 1 (Novikoff)"


def test_separable_as_json(ros, files):
    found = ros("separate", "b.svm", "--json", "--no-intercept", "--bound").json
    assert found["separable"]
    assert found["verified"]
    assert found["exact"]
    assert found["margin"] == pytest.approx(1)
    assert found["plane"]["weights"]["1"] == pytest.approx(1)
    assert found["classes"] == [-1, 1]
    assert not found["intercept"]
    assert int(found["bound"]["mistakes"]) == 5
    assert {point["line"] for point in found["support"]} <= {1, 2, 3, 4, 5, 6}


def test_inseparable_points_are_lines_of_the_file(ros, files):
    found = ros("separate", "xor.svm", "--json").json
    assert not found["separable"]
    assert found["exact"]
    assert [point["line"] for point in found["points"]] == [2, 3, 5, 6]
    assert [point["weight"] for point in found["points"]] == [0.5] * 4
    assert [point["class"] for point in found["points"]] == [0, 1, 1, 0]
    told = ros("separate", "xor.svm").out
    assert told.startswith("separable   no: the hulls meet, so no hyperplane separates 1 from 0\n")
    assert "checked     exactly: the hulls of 4 points meet\n" in told
    assert ros("separate", "xor.svm", "--quiet").out == "not separable\n"


@pytest.mark.parametrize("name", ["b.svm", "xor.svm"])
def test_the_certificate_can_be_checked_by_others(ros, files, name):
    ros("separate", name, "--certificate", "proof.json")
    proof = Certificate.from_json((files / "proof.json").read_text())
    X, y = read(name)
    assert proof.verify(X, y.astype(int))
    assert json.loads((files / "proof.json").read_text())["certificate"]


def test_one_class_against_the_others(ros, files):
    told = ros("separate", "b.svm", "xor.svm", code=2).err
    assert "there are 3 classes (-1, 0, 1)" in told
    assert "such as --class -1" in told
    found = ros("separate", "b.svm", "xor.svm", "--class", "0", "--json").json
    assert found["classes"] == ["0", "not 0"]
    assert {point["file"] for point in found["points"]} <= {"b.svm", "xor.svm"}
    assert "is not one of the classes" in ros("separate", "b.svm", "--class", "7", code=2).err


def test_many_features(ros, files):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 30)).round(3)
    lines = [f"{k % 2}," + ",".join(map(str, row)) for k, row in enumerate(rows)]
    names = ",".join(["label", *(f"f{j}" for j in range(30))])
    (files / "wide.csv").write_text("\n".join([names, *lines]) + "\n")
    told = ros("separate", "wide.csv").out
    assert "plane       30 weights; the largest:" in told
    assert all(len(line) <= 80 for line in told.splitlines())


def test_errors_are_one_line(ros, files):
    (files / "one.svm").write_text("1 1:1\n1 1:2\n")
    found = ros("separate", "one.svm", code=1)
    assert found.err.startswith("rosenblatt: one.svm: all 2 rows have the label 1, so")
    assert found.err.count("\n") == 1
    assert ros("separate", "none.svm", code=1).err.startswith("rosenblatt: there is no file")
    assert (
        "is one of the input files"
        in ros("separate", "b.svm", "--certificate", "b.svm", code=2).err
    )
