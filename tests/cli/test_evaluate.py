"""``rosenblatt evaluate``."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from rosenblatt import KernelPerceptron, NaiveBayes, NearestCentroid, Perceptron, load, save


def test_json_has_what_scikit_learn_computes(ros, folder):
    found = ros("evaluate", "m.model", "test.svm", "--json").json
    truth = [int(line.split()[0]) for line in Path("test.svm").read_text().splitlines()]
    lines = ros("predict", "m.model", "test.svm").out.splitlines()[1:]
    guess = [int(line) for line in lines]
    assert found["model"] == "m.model"
    assert found["examples"] == 100
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(truth, guess))
    macro = metrics.precision_recall_fscore_support(truth, guess, average="macro")
    assert found["macro"] == pytest.approx(
        dict(zip(("precision", "recall", "f1"), macro[:3], strict=True))
    )
    assert found["confusion"]["counts"] == metrics.confusion_matrix(truth, guess).tolist()
    assert found["confusion"]["labels"] == [-1, 1]
    assert [row["support"] for row in found["classes"]] == [truth.count(-1), truth.count(1)]
    assert found["unknown_labels"] == []
    assert found["skipped"] == {"count": 0, "messages": []}


def test_the_tables_fit_into_80_columns(ros, folder):
    done = ros("evaluate", "m.model", "test.svm")
    assert done.err == ""
    assert all(len(line) <= 80 for line in done.out.splitlines())
    for word in ("accuracy", "precision", "recall", "F1", "(macro)", "(micro)", "predicted"):
        assert word in done.out
    assert "\x1b" not in done.out
    right = round(100 * ros("evaluate", "m.model", "test.svm", "--json").json["accuracy"])
    assert done.out.startswith(f"accuracy    {right}.00%, {right} of 100 examples right\n")


@pytest.mark.slow
def test_many_classes_are_shortened(ros, folder):
    rng = np.random.default_rng(0)
    lines = [f"{y} {y}:1 {rng.integers(31, 60)}:1\n" for y in rng.integers(1, 31, 600)]
    Path("thirty.svm").write_text("".join(lines))
    ros("train", "thirty.svm", "-o", "t.model", "-q", "--passes", "1", "--learner", "perceptron")
    done = ros("evaluate", "t.model", "thirty.svm")
    assert "the 10 classes with the lowest F1 of 30" in done.out
    assert "most frequent mistakes" in done.out
    assert len(done.out.splitlines()) < 40
    assert len(ros("evaluate", "t.model", "thirty.svm", "--json").json["classes"]) == 30


def test_labels_never_seen_are_mistakes_and_listed(ros, folder):
    text = Path("test.svm").read_text()
    Path("odd.svm").write_text(text + "7 1:1\n7 2:1\n9 1:1\n")
    known = ros("evaluate", "m.model", "test.svm", "--json").json
    found = ros("evaluate", "m.model", "odd.svm", "--json").json
    assert found["mistakes"] == known["mistakes"] + 3
    assert found["unknown_labels"] == [7, 9]
    assert "labels that the model does not know: 7, 9" in ros("evaluate", "m.model", "odd.svm").err
    names = ros("evaluate", "m.model", "test.vw", "--json", code=None)
    assert names.code == 1  # its features have names, and this model's are numbered


def test_quiet(ros, folder):
    done = ros("evaluate", "m.model", "test.svm", "--quiet")
    assert done.out.startswith("accuracy ")
    assert done.out.count("\n") == 1
    assert done.err == ""


def test_regression(ros, folder):
    found = ros("evaluate", "price.model", "houses.csv", "--json").json
    rows = [line.split(",") for line in Path("houses.csv").read_text().splitlines()[1:]]
    truth = [float(row[2]) for row in rows]
    guess = load("price.model").predict([[float(row[0]), float(row[1])] for row in rows])
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(truth, guess), rel=1e-5)
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(truth, guess), rel=1e-5)
    assert found["r2"] == pytest.approx(metrics.r2_score(truth, guess), rel=1e-4)
    told = ros("evaluate", "price.model", "houses.csv").out
    assert [line.split()[0] for line in told.splitlines()] == ["examples", "rmse", "mae", "R²"]


def test_arrays_and_standard_input(ros, folder):
    ros("train", "train.npy", "--labels", "train-labels.npy", "-o", "a.model", "-q")
    found = ros("evaluate", "a.model", "test.npy", "--labels", "test-labels.npy", "--json").json
    assert found["examples"] == 100
    piped = ros("evaluate", "m.model", "-", "--json", stdin=Path("test.svm").read_bytes()).json
    assert piped == ros("evaluate", "m.model", "test.svm", "--json").json


def test_rows_without_a_label_are_left_out(ros, folder):
    lines = Path("test.csv").read_text().splitlines()
    lines[1] = lines[1].rpartition(",")[0] + ","
    Path("some.csv").write_text("\n".join(lines))
    found = ros("evaluate", "logistic.model", "some.csv", "--json").json
    assert (found["examples"], found["unlabelled"]) == (99, 1)
    assert "1 row without a label" in ros("evaluate", "logistic.model", "some.csv").err


def test_a_kernel_perceptron(ros, folder):
    model = KernelPerceptron().fit(np.load("train.npy"), np.load("train-labels.npy"))
    save(model, "py.model")
    found = ros("evaluate", "py.model", "test.npy", "--labels", "test-labels.npy", "--json").json
    assert found["learner"] == "KernelPerceptron"
    assert found["accuracy"] == model.score(np.load("test.npy"), np.load("test-labels.npy"))


def test_files_without_labels_are_refused(ros, folder):
    done = ros("evaluate", "logistic.model", "new.csv", code=1)
    assert "there is no column 'bought' for the labels" in done.err


def weighted_lines():
    """Return lines of VW, their labels and weights; a model of three names predicts x, y or z."""
    labels = ["a", "b", "c", "b", "a", "c"] * 5
    names = ["x", "y", "z", "x", "x", "y"] * 5
    weights = [2, 1, 0.5, 3, 0, 1.25] * 5
    lines = [f"{y} {w} |n {x}\n" for y, x, w in zip(labels, names, weights, strict=True)]
    return lines, labels, [{"x": "a", "y": "b", "z": "c"}[name] for name in names], weights


def test_importance_weights_count(ros, folder):
    lines, truth, guess, weights = weighted_lines()
    Path("easy.vw").write_text("a |n x\nb |n y\nc |n z\n" * 20)
    Path("weighted.vw").write_text("".join(lines) + "|n x\n")
    ros("train", "easy.vw", "-o", "w.model", "-q")
    found = ros("evaluate", "w.model", "weighted.vw", "--json").json
    right = metrics.accuracy_score(truth, guess, sample_weight=weights)
    assert found["accuracy"] == pytest.approx(right)
    assert (found["examples"], found["mistakes"], found["unlabelled"]) == (25, 10, 1)
    assert found["weight"] == sum(weights)
    matrix = metrics.confusion_matrix(truth, guess, sample_weight=weights)
    assert found["confusion"]["counts"] == matrix.tolist()
    for average in ("macro", "micro", "weighted"):
        expected = metrics.precision_recall_fscore_support(
            truth, guess, average=average, sample_weight=weights
        )
        assert list(found[average].values()) == pytest.approx(expected[:3])
    out = ros("evaluate", "w.model", "weighted.vw").out
    assert "% by weight, 15 of 25 examples right (total weight 38.75)" in out
    assert any(line.startswith("class ") and "weight" in line for line in out.splitlines())
    assert "6.25" in out
    plain = ros("evaluate", "w.model", "weighted.vw", "--ignore-weights", "--json").json
    assert plain["accuracy"] == pytest.approx(metrics.accuracy_score(truth, guess))
    assert (plain["examples"], plain["weights_ignored"]) == (30, 25)
    done = ros("train", "easy.vw", "--test", "weighted.vw")
    words = " ".join(done.out.split())
    assert "wrong by weight, 10 of 25 examples with importance weights (total 38.75)" in words
    done = ros("train", "easy.vw", "--test", "weighted.vw", "--ignore-weights")
    assert "of 30 examples" in done.out


def test_importance_weights_of_numbers(ros, folder):
    truth, weights = [1.0, 2.0, 4.0, 3.0], [1, 2, 0.5, 0]
    lines = [f"{y} {w} |n x:{y}\n" for y, w in zip(truth, weights, strict=True)]
    Path("numbers.vw").write_text("".join(lines))
    how = ("--learner", "regression", "--passes", "20")
    ros("train", "numbers.vw", *how, "-o", "r.model", "-q")
    found = ros("evaluate", "r.model", "numbers.vw", "--json").json
    guess = [float(line) for line in ros("predict", "r.model", "numbers.vw").out.splitlines()[1:]]
    how = {"sample_weight": weights}
    squared = metrics.mean_squared_error(truth, guess, **how)
    assert found["rmse"] == pytest.approx(squared**0.5, rel=1e-3)
    mean = metrics.mean_absolute_error(truth, guess, **how)
    assert found["mae"] == pytest.approx(mean, rel=1e-3)
    assert found["r2"] == pytest.approx(metrics.r2_score(truth, guess, **how), abs=1e-4)
    done = ros("evaluate", "r.model", "numbers.vw")
    assert "examples    3 with importance weights (total 3.5)" in done.out


def test_weights_of_zero_alone_are_refused(ros, folder):
    Path("nothing.vw").write_text("1 0 | 1:1\n-1 0 | 2:1\n")
    done = ros("evaluate", "m.model", "nothing.vw", code=1)
    assert "all examples have importance weight 0" in done.err


def long_names(n):
    return [
        f"Transportation and Warehousing / Passenger transit / kind {k} of many" for k in range(n)
    ]


@pytest.mark.parametrize(("n", "heading"), [(2, "true \\ predicted"), (3, "true "), (50, "true ")])
def test_long_names_leave_room_for_the_figures(ros, tmp_path, monkeypatch, n, heading):
    rng = np.random.default_rng(0)
    names, labels = long_names(n), rng.integers(0, n, 400)
    rows = [
        f"{x:.3f},{-y:.3f},{names[k]}"
        for k, x, y in zip(labels, *rng.normal(size=(2, 400)), strict=True)
    ]
    monkeypatch.chdir(tmp_path)
    Path("long.csv").write_text("\n".join(["x,y,label", *rows]))
    ros("train", "long.csv", "-o", "m", "--passes", "1", "-q")
    monkeypatch.setenv("COLUMNS", "80")
    told = ros("evaluate", "m", "long.csv").out
    lines = told.splitlines()
    assert max(map(len, lines)) <= 80
    columns = next(line for line in lines if line.startswith("class"))
    assert columns.split() == ["class", "precision", "recall", "F1", "examples", "predicted"]
    each = [line for line in lines if line.startswith("Transportation") or "Transpor" in line[:9]]
    assert len(each) >= min(n, 10)
    assert all("…" in line for line in each)
    assert any(line.startswith(heading) for line in lines)
    if n < 4:
        shown = [line.split("  ")[0] for line in lines if line.startswith("Transp")][:n]
        assert len(set(shown)) == n  # they differ at their ends
    told = ros("inspect", "m").out
    assert max(map(len, told.splitlines())) <= 80
    assert f"▸ {names[1]}"[:40] in told
    assert any(line.startswith("feature") and line.endswith("▸") for line in told.splitlines())


@pytest.mark.parametrize("name", ["logistic.model", "m.model"])
def test_log_loss_and_auc_are_scikit_learns(ros, folder, name):
    test = {"logistic.model": "test.csv", "m.model": "test.svm"}[name]
    found = ros("evaluate", name, test, "--json").json
    lines = Path(test).read_text().splitlines()
    truth = [line.split()[0] for line in lines]
    if test == "test.csv":
        truth = [line.rpartition(",")[2] for line in lines[1:]]
    classes = sorted({*truth}, key=lambda label: float(label) if test == "test.svm" else label)
    codes = np.array([classes.index(label) for label in truth])
    rows = [line.split(",") for line in ros("predict", name, test, "--scores").out.splitlines()]
    scores = [float(row[2]) for row in rows[1:]]
    assert found["auc"] == pytest.approx(metrics.roc_auc_score(codes, scores), abs=1e-12)
    told = ros("evaluate", name, test).out.splitlines()
    assert f"AUC         {found['auc']:.4f}" in told[1:3]
    if name == "logistic.model":
        rows = ros("predict", name, test, "--probabilities", "--json").out.splitlines()
        likely = np.array([[*json.loads(row)["probabilities"].values()] for row in rows])
        assert found["log_loss"] == pytest.approx(metrics.log_loss(codes, likely), abs=1e-12)
        assert told[1].startswith("log loss    ")


def test_weighted_log_loss_and_auc_of_three_classes(ros, folder):
    lines, truth, _, weights = weighted_lines()
    Path("easy.vw").write_text("a |n x\nb |n y\nc |n z\n" * 20)
    Path("weighted.vw").write_text("".join(lines))
    ros("train", "easy.vw", "-o", "w.model", "-q")
    found = ros("evaluate", "w.model", "weighted.vw", "--json").json
    rows = ros("predict", "w.model", "weighted.vw", "--probabilities", "--json").out.splitlines()
    likely = np.array([[*json.loads(row)["probabilities"].values()] for row in rows])
    how = {"sample_weight": weights}
    assert found["log_loss"] == pytest.approx(metrics.log_loss(truth, likely, **how), abs=1e-12)
    area = metrics.roc_auc_score(truth, likely, multi_class="ovr", **how)
    assert found["auc"] == pytest.approx(area, abs=1e-12)
    told = ros("evaluate", "w.model", "weighted.vw").out
    assert "the mean of each class against the rest" in told


def test_estimators_are_scored_once_and_as_they_predict(ros, folder):
    X, y = np.load("train.npy"), np.load("train-labels.npy")
    test, labels = np.load("test.npy"), np.load("test-labels.npy")
    for model in (NaiveBayes(), NearestCentroid(), NearestCentroid("manhattan"), Perceptron()):
        save(model.fit(X, y), "py.model")
        found = ros(
            "evaluate", "py.model", "test.npy", "--labels", "test-labels.npy", "--json"
        ).json
        assert found["accuracy"] == pytest.approx(model.score(test, labels))
        area = metrics.roc_auc_score(labels, model.decision_function(test))
        assert found["auc"] == pytest.approx(area, abs=1e-9)
        if hasattr(model, "predict_proba"):
            loss = metrics.log_loss(labels, model.predict_proba(test))
            assert found["log_loss"] == pytest.approx(loss, rel=1e-6)
