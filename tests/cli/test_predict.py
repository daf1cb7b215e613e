"""``rosenblatt predict``."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from rosenblatt import (
    KernelPerceptron,
    LinearRegression,
    LogisticRegression,
    NearestCentroid,
    load,
    save,
)


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_labels_are_those_of_the_model(ros, folder):
    found = [row["prediction"] for row in table(ros("predict", "logistic.model", "test.csv").out)]
    model = load("logistic.model")
    rows = [json.loads(line) for line in Path("test.jsonl").read_text().splitlines()]
    for row in rows:
        del row["bought"]
    assert found == [model.predict_one(row) for row in rows]


def test_files_without_the_label_column(ros, folder):
    """The label was the last column; of a file without it, that is another."""
    with_labels = ros("predict", "logistic.model", "test.csv").out
    assert ros("predict", "logistic.model", "new.csv").out == with_labels
    assert with_labels.count("\n") == 101
    lines = [json.loads(line) for line in Path("test.jsonl").read_text().splitlines()]
    for line in lines:
        del line["bought"]
    Path("new.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert ros("predict", "logistic.model", "new.jsonl").out == with_labels


def test_the_label_is_found_by_its_name_wherever_it_is(ros, folder):
    expected = ros("predict", "logistic.model", "test.csv").out
    rows = [line.rstrip("\n").rsplit(",", 1) for line in Path("test.csv").read_text().splitlines()]
    Path("moved.csv").write_text("".join(f"{label},{rest}\n" for rest, label in rows))
    assert ros("predict", "logistic.model", "moved.csv").out == expected


def test_scores(ros, folder):
    rows = table(ros("predict", "logistic.model", "new.csv", "--scores").out)
    assert list(rows[0]) == ["prediction", "score:no", "score:yes"]
    for row in rows:
        no, yes = float(row["score:no"]), float(row["score:yes"])
        assert no == -yes
        assert row["prediction"] == ("yes" if yes >= 0 else "no")


def test_probabilities(ros, folder):
    lines = ros("predict", "logistic.model", "new.csv", "--probabilities", "--json").out
    scores = table(ros("predict", "logistic.model", "new.csv", "--scores").out)
    for line, score in zip(lines.splitlines(), scores, strict=True):
        found = json.loads(line)
        assert found.keys() == {"prediction", "probabilities"}
        assert sum(found["probabilities"].values()) == pytest.approx(1)
        expected = 1 / (1 + np.exp(-float(score["score:yes"])))
        assert found["probabilities"]["yes"] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("learner", ["naive-bayes", "discriminant", "centroid"])
def test_probabilities_of_estimators(ros, folder, learner):
    ros("train", "train.csv", "-o", "p.model", "--learner", learner, "-q")
    rows = table(ros("predict", "p.model", "new.csv", "--probabilities").out)
    for row in rows:
        no, yes = float(row["probability:no"]), float(row["probability:yes"])
        assert no + yes == pytest.approx(1, abs=1e-5)
        assert row["prediction"] == ("yes" if yes >= no else "no")


def test_no_probabilities_where_there_are_none(ros, folder):
    ros("train", "train.svm", "--learner", "averaged", "-o", "a.model", "-q")
    done = ros("predict", "a.model", "new.svm", "--probabilities", code=1)
    assert done.err.startswith("rosenblatt: a model of averaged has no probabilities")
    assert done.out == ""
    assert "no scores" in ros("predict", "price.model", "houses.csv", "--scores", code=1).err
    assert (
        "cannot be combined"
        in ros("predict", "m.model", "x", "--scores", "--probabilities", code=2).err
    )


def test_tags_are_kept(ros, folder):
    ros("train", "train.vw", "-o", "v.model", "-q")
    rows = table(ros("predict", "v.model", "test.vw").out)
    assert [row["tag"] for row in rows] == [f"row{k}" for k in range(100)]
    first = ros("predict", "v.model", "test.vw", "--json").out.splitlines()[0]
    assert json.loads(first) == {"tag": "row0", "prediction": int(rows[0]["prediction"])}


def test_numbers(ros, folder):
    rows = table(ros("predict", "price.model", "houses.csv").out)
    houses = table(Path("houses.csv").read_text())
    for row, house in zip(rows, houses, strict=True):
        assert float(row["prediction"]) == pytest.approx(float(house["price"]), abs=1)


def test_output_is_a_file(ros, folder):
    expected = ros("predict", "m.model", "new.svm").out
    done = ros("predict", "m.model", "new.svm", "-o", "out.csv")
    assert done.out == ""
    assert done.err == "100 predictions written to out.csv\n"
    assert Path("out.csv").read_text() == expected
    assert ros("predict", "m.model", "new.svm", "-o", "out.csv", "-q").err == ""


def test_a_failure_leaves_an_old_output_as_it_was(ros, folder):
    Path("out.csv").write_text("old")
    with Path("new.svm").open("a") as file:
        file.write("+1 1:x\n")
    ros("predict", "m.model", "new.svm", "-o", "out.csv", code=1)
    assert Path("out.csv").read_text() == "old"
    assert not [file for file in folder.iterdir() if file.name.endswith(".tmp")]


def test_standard_input_and_several_files(ros, folder):
    one = ros("predict", "m.model", "new.svm").out
    assert ros("predict", "m.model", "-", stdin=Path("new.svm").read_bytes()).out == one
    both = ros("predict", "m.model", "new.svm", "new.svm").out
    assert both == one + one.partition("\n")[2]


def test_skipped_lines_show_where_each_row_was(ros, folder):
    lines = Path("new.svm").read_text().splitlines(keepends=True)
    Path("bad.svm").write_text("".join([*lines[:2], "+1 1:x\n", *lines[2:4]]))
    done = ros("predict", "m.model", "bad.svm", "--on-error", "skip")
    rows = table(done.out)
    assert [(row["file"], row["line"]) for row in rows] == [
        ("bad.svm", str(line)) for line in (1, 2, 4, 5)
    ]
    assert "skipped 1 line with errors" in done.err
    found = json.loads(ros("predict", "m.model", "new.svm", "--lines", "--json").out.split("\n")[2])
    assert (found["file"], found["line"]) == ("new.svm", 3)


def test_an_empty_file_has_no_predictions(ros, folder):
    Path("empty.csv").write_text("")
    assert ros("predict", "logistic.model", "empty.csv").out == "prediction\n"
    assert ros("predict", "logistic.model", "empty.csv", "--json").out == ""


def test_awkward_labels(ros, folder):
    lines = ['a,"x, y"\n', 'b,"say ""hi"""\n'] * 10
    Path("odd.csv").write_text("word,label\n" + "".join(lines))
    ros("train", "odd.csv", "-o", "odd.model", "-q")
    rows = table(ros("predict", "odd.model", "odd.csv", "--scores").out)
    assert [row["prediction"] for row in rows[:2]] == ["x, y", 'say "hi"']
    assert "score:x, y" in rows[0]


@pytest.mark.parametrize("make", [KernelPerceptron, LogisticRegression, NearestCentroid])
def test_models_saved_in_python(ros, folder, make):
    import pandas as pd

    frame = pd.read_csv("train.csv")
    X, y = frame[["age", "visits"]], frame["bought"]
    model = make().fit(X, y)
    save(model, "py.model")
    test = pd.read_csv("test.csv")
    rows = table(ros("predict", "py.model", "test.csv", "--label", "bought").out)
    assert [row["prediction"] for row in rows] == model.predict(test[["age", "visits"]]).tolist()


def test_a_model_without_names_has_numbered_columns(ros, folder):
    X = np.load("train.npy")
    y = np.load("train-labels.npy")
    save(NearestCentroid("manhattan").fit(X, y), "py.model")
    rows = table(ros("predict", "py.model", "test.npy").out)
    expected = load("py.model").predict(np.load("test.npy"))
    assert [row["prediction"] for row in rows] == expected.tolist()
    assert "no probabil" in ros("predict", "py.model", "test.npy", "--probabilities", code=1).err
    save(LinearRegression().fit(X, X[:, 0]), "line.model")
    assert len(table(ros("predict", "line.model", "test.npy").out)) == 100


def test_a_kernel_perceptron_of_sparse_rows_or_of_kernel_values(ros, folder):
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file("train.svm", n_features=6, zero_based=True)
    model = KernelPerceptron(kernel="poly", degree=2, predict_with="average").fit(X, y)
    save(model, "py.model")
    rows = table(ros("predict", "py.model", "new.svm", "--scores").out)
    found = [float(row["score:1.0"]) for row in rows]
    test = load_svmlight_file("new.svm", n_features=6, zero_based=True)[0]
    np.testing.assert_allclose(found, model.decision_function(test), rtol=1e-5)
    save(KernelPerceptron(kernel="precomputed").fit(X @ X.T, y), "values.model")
    np.save("values.npy", (test @ X.T).toarray())
    assert len(table(ros("predict", "values.model", "values.npy").out)) == 100
    err = ros("predict", "values.model", "test.npy", code=1).err
    assert err == "rosenblatt: test.npy: its rows have 2 numbers, and the model's have 300\n"


def test_new_features_change_nothing(ros, folder):
    ros("predict", "logistic.model", "new.csv")
    before = ros("predict", "logistic.model", "new.csv").out
    lines = Path("new.csv").read_text().splitlines()
    more = [lines[0] + ",shoes", *(line + ",3" for line in lines[1:])]
    Path("more.csv").write_text("\n".join(more))
    assert ros("predict", "logistic.model", "more.csv").out == before


def test_lines_of_text_need_no_label(ros, folder):
    mails = "spam\tfree entry, call now\nham\tsee you at noon\n" * 30
    Path("mails.txt").write_text(mails)
    ros("train", "mails.txt", "-o", "mails.model", "-q")
    Path("plain.txt").write_text("free entry\nsee you\nfree free\n")
    plain = table(ros("predict", "mails.model", "plain.txt").out)
    assert [row["prediction"] for row in plain] == ["spam", "ham", "spam"]
    Path("tabs.txt").write_text("ham\tfree entry\nham\tsee you\nham\tfree free\n")
    assert table(ros("predict", "mails.model", "tabs.txt").out) == plain


def test_the_last_weights_may_predict(ros, folder):
    ros("train", "train.csv", "-o", "last.model", "--learner", "logistic", "--no-average", "-q")
    assert not load("last.model")._state.averaged
    assert ros("train", "train.csv", "--learner", "averaged", "--no-average", code=2).err


def test_no_feature_is_known(ros, folder):
    Path("numbers.svm").write_text("1 7:1 8:2\n-1 7:3\n")
    done = ros("predict", "logistic.model", "numbers.svm")
    assert "note: no feature of numbers.svm is known to the model" in done.err
    assert "rosenblatt inspect logistic.model" in done.err
    assert done.out.count("\n") == 3
    assert ros("predict", "logistic.model", "numbers.svm", "-q").err == ""
    found = ros("evaluate", "logistic.model", "numbers.svm")
    assert "no feature of numbers.svm is known to the model" in found.err
    assert ros("evaluate", "logistic.model", "numbers.svm", "-q").err == ""
    as_json = ros("evaluate", "logistic.model", "numbers.svm", "--json").json
    assert (as_json["examples"], as_json["with_known_features"]) == (2, 0)
    assert ros("evaluate", "m.model", "test.svm", "--json").json["with_known_features"] == 100


def test_one_known_feature_is_enough(ros, folder):
    Path("zeros.csv").write_text("age,colour\n0,red\n")
    told = ros("predict", "logistic.model", "zeros.csv").err
    assert "2 columns that the model learned from ('visits', 'city'): they count as" in told
    assert "no feature of" not in told
    Path("none.csv").write_text("age\n")
    assert ros("predict", "logistic.model", "none.csv").err == ""
    Path("mixed.svm").write_text("1 99:1\n1 1:1\n")
    assert ros("predict", "m.model", "mixed.svm").err == ""
    Path("other.svm").write_text("1 99:1\n1 98:1\n")
    assert "no feature of other.svm" in ros("predict", "m.model", "other.svm").err
