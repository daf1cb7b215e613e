"""Data at the limits: numbers, labels and features that no good model can come of."""

import json
from pathlib import Path

import pytest

from rosenblatt import load
from rosenblatt.learner_registry import CLOSED_FORM, IN_MEMORY, ONLINE, REGRESSION, trainable
from tests.conftest import first_quick

OTHERS = trainable(CLOSED_FORM, IN_MEMORY)


@pytest.mark.parametrize("learner", trainable(ONLINE))
@pytest.mark.parametrize("float64", first_quick([False, True], 1))
def test_overflow_leaves_the_old_model(ros, folder, learner, float64):
    big = "1e308" if float64 else "3e38"
    lines = ["1 1:1 2:1", f"-1 1:-{big} 2:{big}", f"1 1:{big} 2:{big}", f"-1 1:{big} 2:{big}"]
    Path("big.svm").write_text("\n".join(lines) + "\n")
    Path("m.model").write_bytes(before := b"a good model")
    options = ["--float64"] if float64 else []
    options += ["--eta0", "10"] if learner in ("logistic", "svm") else []
    options += ["--scale", "none"] if learner in trainable(ONLINE) else []
    found = ros("train", "big.svm", "-o", "m.model", "--learner", learner, *options, code=1)
    assert "big.svm:" in found.err
    assert "this example makes a score or a weight too large for float" in found.err
    assert ("--float64" in found.err) != float64
    assert Path("m.model").read_bytes() == before


@pytest.mark.parametrize(
    ("learner", "rows"),
    [
        ("averaged", "4,3,1\n-5,-3,-1\n2,5,1\n-3,-4,-1\n"),
        ("batch", "4,3,1\n-5,-3,-1\n2,5,1\n-3,-4,-1\n"),
        ("perceptron", "4,3,one\n-5,-3,two\n2,-9,three\n"),
        ("logistic", ".04,.03,1\n-.05,-.03,-1\n.02,.05,1\n-.03,-.04,-1\n"),
        ("regression", ".04,.03,1\n-.05,-.03,-1\n.02,.05,1\n-.03,-.04,-1\n"),
    ],
)
@pytest.mark.parametrize("float64", first_quick([False, True], 1))
def test_overflow_in_a_prediction_names_the_line(ros, folder, learner, rows, float64):
    """Such rows were predicted all the same, by an infinite score or one that is not a number."""
    big, label = "1e308" if float64 else "3e38", "one" if "one" in rows else "1"
    Path("few.csv").write_text("a,b,label\n" + rows)
    Path("big.csv").write_text(f"a,b,label\n1,1,{label}\n2,2,\n{big},{big},{label}\n")
    options = ["--float64"] if float64 else []
    options += ["--scale", "none", "--no-shuffle"] if learner in trainable(ONLINE) else []
    options += ["--learning-rate", "inverse_sqrt"] if learner == "logistic" else []
    ros("train", "few.csv", "-o", "few.model", "--learner", learner, *options, "-q")
    for command in ("predict", "evaluate"):
        found = ros(command, "few.model", "big.csv", code=1)
        assert "big.csv:4: the score of this row is too large for float" in found.err
        assert ("--float64" in found.err) != float64


def test_overflow_in_a_later_pass_names_the_example(ros, folder):
    lines = ["1 1:1", "-1 1:-1e38 2:3e38", "1 1:2e38 2:3e38", "-1 1:-1e38 2:3e38"]
    Path("big.svm").write_text("\n".join(lines) + "\n")
    for more in ([], ["--no-cache"]):
        args = ("--learner", "perceptron", "--passes", 9, "--scale", "none", *more)
        found = ros("train", "big.svm", *args, code=1)
        assert "too large for float32: scale the features, or use --float64" in found.err


@pytest.mark.parametrize(
    "learner", ["averaged", "naive-bayes", "centroid", "discriminant", "batch"]
)
def test_a_label_with_thousands_of_values(ros, folder, learner):
    Path("ids.csv").write_text("age,id\n" + "".join(f"{k % 50},u{k}\n" for k in range(2000)))
    found = ros("train", "ids.csv", "-o", "n.model", "--learner", learner, code=1)
    message = "ids.csv: the label 'id' has 2,000 values in 2,000 rows; name the column of the "
    assert message + "classes (--label), or list them (--classes) if they are classes" in found.err
    assert not Path("n.model").exists()


@pytest.mark.parametrize("learner", first_quick(["averaged", "centroid", "batch"], 1))
def test_many_classes_are_not_refused_for_the_first_rows(ros, folder, learner):
    """Of which all have different labels here: there are more rows than fit in a block."""
    pad = "x" * 900
    lines = [f"{k % 50},{pad},c{k % 1200}\n" for k in range(2000)]
    Path("many.csv").write_text("age,pad,kind\n" + "".join(lines))
    passes = [] if learner == "centroid" else ["--passes", 1]
    options = ("--drop", "pad", "--learner", learner, *passes, "-q")
    ros("train", "many.csv", "-o", "n.model", *options)
    assert len(load("n.model").classes_) == 1200


@pytest.mark.parametrize("learner", trainable(ONLINE, REGRESSION))
def test_a_large_feature_number_makes_no_large_model(ros, folder, learner):
    Path("w.svm").write_text("1 134217727:1\n-1 1:1\n")
    ros("train", "w.svm", "-o", "w.model", "--learner", learner, "--passes", 1, "-q")
    assert Path("w.model").stat().st_size < 10_000
    model = load("w.model")
    assert set(model.feature_names_) <= {"1", "134217727"}
    assert ros("predict", "w.model", "w.svm", "-q").out.split()[0] == "prediction"


@pytest.mark.parametrize("learner", OTHERS)
def test_a_large_feature_number_is_refused_where_all_columns_are_needed(ros, folder, learner):
    Path("w.svm").write_text("1 134217727:1\n-1 1:1\n")
    found = ros("train", "w.svm", "-o", "w.model", "--learner", learner, code=1)
    assert "feature 134,217,727 would need a model of 134,217,728 columns" in found.err
    assert "hash the features (--bits 18)" in found.err
    ros("train", "w.svm", "-o", "w.model", "--learner", learner, "--bits", "8", "-q")


def test_commands_that_keep_all_rows_take_numbers_far_apart(ros, folder):
    Path("w.svm").write_text("1 134217727:1\n2 3:1\n")
    found = ros("separate", "w.svm", "--json").json
    assert set(found["plane"]["weights"]) == {"3", "134217727"}
    last = ros("trace", "w.svm", "--json").out.splitlines()[-2]
    assert json.loads(last)["weights"] == {"3": 1.0, "134217727": -1.0}
    Path("w.svm").write_text("1 134217727:1\n2 3:1\n" * 10)
    assert ros("compare", "w.svm", "--json").json["features"] == 2
    for learner in ("averaged", "centroid"):
        ros("tune", "w.svm", "--learner", learner, "-o", "w.model", "-q")
        lines = ros("predict", "w.model", "w.svm", "-q").out.split()[1:]
        assert lines == ["1", "2"] * 10
        assert "134217727" in ros("inspect", "w.model").out
