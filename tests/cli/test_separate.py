"""``rosenblatt separate``: an answer, its proof, and the lines it speaks of."""

import json

import numpy as np
import pytest

from rosenblatt.readers.matrix import read
from rosenblatt.theory.certificates import Certificate
from rosenblatt.theory.multiclass import Separations

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
    told = ros("separate", "b.svm", "xor.svm", "--bound", code=2).err
    assert "--bound is of two classes, and there are 3" in told
    assert "such as --class -1" in told
    found = ros("separate", "b.svm", "xor.svm", "--class", "0", "--json").json
    assert found["classes"] == ["0", "not 0"]
    assert {point["file"] for point in found["points"]} <= {"b.svm", "xor.svm"}
    assert "is not one of the classes" in ros("separate", "b.svm", "--class", "7", code=2).err


def test_each_class_against_the_rest(ros, files):
    (files / "three.csv").write_text("kind,a,b\nx,0,0\ny,1,0\nz,2,0\ny,1,1\n")
    told = ros("separate", "three.csv", "--label", "kind").out
    assert told.startswith("separable   no: 2 of 3 classes are separable from the rest\n")
    lines = [line.split() for line in told.splitlines()]
    assert ["x", "yes", "margin", "0.5"] in lines
    assert ["y", "no", "3", "points", "show", "it"] in lines
    assert told.endswith("checked     exactly: all 3 answers hold\n")
    assert ros("separate", "three.csv", "--label", "kind", "--quiet").out == "not separable\n"
    found = ros("separate", "three.csv", "--label", "kind", "--json").json
    assert (found["separable"], found["verified"], found["multi_class"]) == (False, True, "ovr")
    assert [answer["classes"] for answer in found["answers"]] == [["x"], ["y"], ["z"]]
    assert {point["line"] for point in found["answers"][1]["points"]} == {2, 3, 4}


def test_all_pairs_of_classes(ros, files):
    (files / "three.csv").write_text("kind,a,b\nx,0,0\ny,1,0\nz,2,0\ny,1,1\n")
    told = ros("separate", "three.csv", "--label", "kind", "--multi-class", "ovo").out
    assert told.startswith("separable   yes: 3 of 3 pairs of classes are separable\n")
    found = ros("separate", "three.csv", "--label", "kind", "--multi-class", "ovo", "--json").json
    pairs = {tuple(answer["classes"]): answer for answer in found["answers"]}
    assert list(pairs) == [("x", "y"), ("x", "z"), ("y", "z")]
    # Lines of the file, and not of the rows of both classes.
    assert {point["line"] for point in pairs["x", "z"]["support"]} == {2, 4}
    assert {point["class"] for point in pairs["x", "z"]["support"]} == {"x", "z"}
    assert (
        "--multi-class"
        in ros("separate", "three.csv", "--label", "kind", "--multi-class", "any", code=2).err
    )


def test_the_certificates_of_several_classes_can_be_read_back(ros, files):
    (files / "three.csv").write_text("kind,a,b\nx,0,0\ny,1,0\nz,2,0\ny,1,1\n")
    ros("separate", "three.csv", "--label", "kind", "--certificate", "proof.json")
    proof = Separations.from_json((files / "proof.json").read_text())
    X, y = read(files / "three.csv", label="kind")
    assert proof.verify(X, y)


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
