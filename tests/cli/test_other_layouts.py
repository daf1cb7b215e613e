"""Files to evaluate on that have another layout than the training files."""

import json
from pathlib import Path

import pytest

ROWS = [("yes", 2.0, 1.5), ("no", -1.0, -2.0), ("yes", 1.0, 2.0), ("no", -2.5, -0.5)] * 3
OTHER_FEATURES = "no row has a feature of the training files"
OTHER_LABELS = "no row has a label of the training files (no, yes): they are -1, 1; write labels"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write the same rows in several layouts."""
    monkeypatch.chdir(tmp_path)
    signs = {"yes": 1, "no": -1}
    lines = {
        "train.csv": ["age,visits,bought", *(f"{a},{b},{y}" for y, a, b in ROWS)],
        "turned.csv": ["bought,visits,age", *(f"{y},{b},{a}" for y, a, b in ROWS)],
        "other.csv": ["alter,besuche,bought", *(f"{a},{b},{y}" for y, a, b in ROWS)],
        "bare.csv": [f"{a},{b},{y}" for y, a, b in ROWS],
        "turned.tsv": ["bought\tvisits\tage", *(f"{y}\t{b}\t{a}" for y, a, b in ROWS)],
        "train.jsonl": [json.dumps({"bought": y, "age": a, "visits": b}) for y, a, b in ROWS],
        "other.jsonl": [json.dumps({"bought": y, "alter": a}) for y, a, b in ROWS],
        "train.vw": [f"{y} | age:{a} visits:{b}" for y, a, b in ROWS],
        "signs.vw": [f"{signs[y]} | age:{a} visits:{b}" for y, a, b in ROWS],
        "space.vw": [f"{y} |c age:{a} visits:{b}" for y, a, b in ROWS],
        "train.svm": [f"{signs[y]} 1:{a} 2:{b}" for y, a, b in ROWS],
        "far.svm": [f"{signs[y]} 11:{a} 12:{b}" for y, a, b in ROWS],
        "zeros.svm": [f"{max(signs[y], 0)} 1:{a} 2:{b}" for y, a, b in ROWS],
        "mails.txt": [f"{y}\tsee you" for y, a, b in ROWS],
    }
    for name, content in lines.items():
        Path(name).write_text("\n".join(content) + "\n")


def validated(ros, train, valid, *options, code=0):
    """Return the result of training, or the error."""
    given = (train, "--validation", valid, "--passes", "3", *options)
    done = ros("train", *given, "--json", "-q", code=code)
    return done.json if code == 0 else " ".join(done.err.split())


@pytest.mark.parametrize(
    ("train", "valid", "options"),
    [
        ("train.csv", "turned.csv", ()),
        ("train.csv", "turned.csv", ("--label", "3")),
        ("train.csv", "turned.csv", ("--label", "-1")),
        ("train.csv", "turned.tsv", ()),
        ("train.csv", "train.jsonl", ()),
        ("train.csv", "train.vw", ()),
        ("train.jsonl", "turned.csv", ("--label", "bought")),
        ("train.jsonl", "train.vw", ("--label", "bought")),
    ],
)
def test_files_are_read_by_the_names_of_columns(ros, files, train, valid, options):
    found = validated(ros, train, valid, *options)
    assert min(found["validation"]) == 0
    assert found["notes"] == []


@pytest.mark.parametrize(
    ("train", "valid", "options", "problem"),
    [
        ("train.csv", "other.csv", (), "none of the columns that the model learned from is here"),
        ("train.csv", "bare.csv", (), "'c1', 'c2', 'c3', as its first line is not a header"),
        ("train.csv", "other.jsonl", (), "the keys are 'bought', 'alter'"),
        ("train.csv", "far.svm", (), f"far.svm: {OTHER_FEATURES}, such as 'age', 'visits'; call"),
        ("train.csv", "signs.vw", (), f"signs.vw: {OTHER_LABELS}"),
        ("train.csv", "mails.txt", (), "this is raw text, a label and a text in each line, and"),
        ("train.vw", "space.vw", (), f"space.vw: {OTHER_FEATURES}, such as 'age', 'visits'; call"),
        ("train.svm", "far.svm", (), f"far.svm: {OTHER_FEATURES}; call features"),
        ("train.svm", "train.vw", (), "train.vw: feature 'age' is not a number, and this model's"),
        ("train.jsonl", "other.jsonl", ("--label", "bought"), f"other.jsonl: {OTHER_FEATURES}"),
        ("train.jsonl", "signs.vw", ("--label", "bought"), f"signs.vw: {OTHER_LABELS}"),
    ],
)
def test_files_with_nothing_in_common_are_refused(ros, files, train, valid, options, problem):
    assert problem in validated(ros, train, valid, *options, code=1)


def test_what_is_not_known_is_noted(ros, files):
    found = validated(ros, "train.svm", "zeros.svm")
    assert found["notes"] == ["labels of the validation files are not known to the model: 0"]
    again = validated(ros, "train.svm", "zeros.svm", "--retrain")
    assert again["notes"] == found["notes"]


def test_two_training_files_have_the_label_of_one_name(ros, files):
    done = ros("train", "train.csv", "turned.csv", "--label", "3", "--json", "-q").json
    assert (done["label"], done["classes"]) == ("bought", ["no", "yes"])


def test_evaluation_says_that_no_label_is_known(ros, files):
    ros("train", "train.csv", "-o", "m.model", "-q", "--test", "train.csv")
    known_none = "the model knows none of the labels (-1, 1), so that all predictions are wrong"
    assert known_none in " ".join(ros("evaluate", "m.model", "signs.vw").err.split())
    tested = ros("train", "train.csv", "-q", "--json", "--test", "far.svm").json["notes"]
    assert "no feature of far.svm is known to the model" in tested[0]
    assert tested[1] == f"far.svm: {known_none}: its classes are no, yes"
    refused = ros("predict", "m.model", "mails.txt", code=1).err
    assert "the model learned from the columns 'age', 'visits'" in " ".join(refused.split())


@pytest.mark.parametrize("command", ["compare", "tune"])
def test_compare_and_tune_read_by_names(ros, files, command):
    option = {"compare": "--test", "tune": "--validation"}[command]
    own = {"compare": ("--learners", "perceptron"), "tune": ("--grid", "l2=0.1,1")}[command]

    def run(train, other, code=0, options=()):
        return ros(command, train, option, other, *own, *options, "--json", "-q", code=code)

    for options in ((), ("--label", "3")):
        found = run("train.csv", "turned.csv", options=options).json
        assert found["classes"] == ["no", "yes"]
    problem = " ".join(run("train.csv", "signs.vw", code=1).err.split())
    assert (
        "rosenblatt: signs.vw: the labels are such as 1, and those of train.csv such as yes;"
        in (problem)
    )
    problem = " ".join(run("train.vw", "space.vw", code=1).err.split())
    assert (
        "rosenblatt: space.vw: no row has a feature of train.vw, such as 'age', 'visits'; call"
        in (problem)
    )
