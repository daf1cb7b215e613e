"""``rosenblatt inspect``."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rosenblatt import (
    KernelPerceptron,
    LinearDiscriminant,
    NearestCentroid,
    OnlineClassifier,
    Perceptron,
    load,
    prepare,
    save,
)
from rosenblatt.learner_registry import trainable
from rosenblatt.models.saving import load_with_extra
from tests.cli.conftest import WORDS
from tests.conftest import every_quick


@pytest.mark.parametrize("learner", every_quick(trainable(), 2))
def test_every_model_can_be_shown(ros, folder, learner):
    ros("train", "houses.csv", "-q", "-o", "x.model", "--learner", learner, "--label", "rooms")
    done = ros("inspect", "x.model")
    assert done.out.startswith("model       x.model, ")
    assert learner in done.out
    assert "houses.csv, 150 examples" in " ".join(done.out.split())
    assert all(len(line) <= 80 for line in done.out.splitlines())
    found = ros("inspect", "x.model", "--json").json
    assert found["learner"] == learner
    assert found["holds_training_rows"] == (learner == "voted")
    assert found["training"]["examples"] == 150
    assert found["format"] == 1


def test_a_number_counts_by_its_deviation(ros, folder):
    rng = np.random.default_rng(0)
    years, tiny = 2000 + 10 * rng.normal(size=200), 1e-3 * rng.normal(size=200)
    label = np.where(years > 2000 + 1e4 * tiny, "new", "old")
    lines = [f"{a},{b},{c}\n" for a, b, c in zip(years, tiny, label, strict=True)]
    (folder / "years.csv").write_text("year,tiny,label\n" + "".join(lines))
    ros("train", "years.csv", "-o", "y.model", "-q")
    shown = ros("inspect", "y.model", "--json").json["weights"][0]["strongest"]
    by_name = {one["feature"]: one for one in shown}
    assert abs(by_name["tiny"]["weight"]) > 100 * abs(by_name["year"]["weight"])
    assert by_name["year"]["per_deviation"] / by_name["year"]["weight"] == pytest.approx(
        10, rel=0.2
    )
    told = ros("inspect", "y.model").out
    assert "Bars are for one standard deviation" in told
    assert max(map(len, told.splitlines())) <= 80
    titles = next(line for line in told.splitlines() if line.startswith("feature "))
    assert " ".join(titles.split()).startswith("feature weight per std. dev. ")
    (year,) = (line.split() for line in told.splitlines() if line.startswith("year "))
    assert float(year[2]) == pytest.approx(by_name["year"]["per_deviation"], rel=1e-3)
    assert next(line for line in told.splitlines() if "(intercept)" in line).split()[2] == "–"
    assert (
        "Bars are" not in ros("inspect", "m.model").out or "scale" in ros("inspect", "m.model").out
    )


def test_the_strongest_features_have_names(ros, folder):
    ros("train", "mails.csv", "--text", "body", "-o", "x.model", "-q")
    found = ros("inspect", "x.model", "--top", "2", "--json").json
    (weights,) = found["weights"]
    assert (weights["class"], weights["against"]) == ("spam", "ham")
    names = [entry["feature"] for entry in weights["strongest"]]
    assert len(names) == 4
    spam, ham = set(names[:2]), set(names[2:])
    assert spam <= set(WORDS["spam"].split())
    assert ham <= set(WORDS["ham"].split())
    values = [entry["weight"] for entry in weights["strongest"]]
    assert values == sorted(values, reverse=True)
    told = ros("inspect", "x.model", "--top", "2").out
    assert all(name in told for name in names)
    assert "█" in told
    assert "◂ ham│spam ▸" in told


def test_hashed_features_are_numbers(ros, folder):
    ros("train", "mails.csv", "--text", "body", "-o", "x.model", "-q", "--bits", "10")
    done = ros("inspect", "x.model")
    assert "names hashed to 2^10 = 1,024 columns" in done.out
    assert "\n#" in done.out


def test_all_weights(ros, folder):
    for args in (("train.csv",), ("train.svm", "--learner", "discriminant")):
        ros("train", *args, "-o", "x.model", "-q")
        lines = [line.split("\t") for line in ros("inspect", "x.model", "--all").out.splitlines()]
        model = load("x.model")
        assert lines[0][0] == "(intercept)"
        assert float(lines[0][2]) == model.intercept_[0]
        weights = np.array([float(line[2]) for line in lines[1:]])
        np.testing.assert_array_equal(
            weights.astype(model.coef_.dtype), model.coef_[model.coef_ != 0]
        )
        assert {line[1] for line in lines} == {str(model.classes_[1])}


def test_names_with_tabs_are_escaped(ros, folder):
    model = OnlineClassifier()
    for _ in range(3):
        model.learn_one({"a\tb\n": 1.0}, "x\ty").learn_one({"c": 1.0}, "z")
    save(model, "x.model")
    lines = ros("inspect", "x.model", "--all").out.splitlines()
    assert all(line.count("\t") == 2 for line in lines)
    assert any(line.startswith("a\\tb\\n\t") for line in lines)
    assert all(len(line) <= 80 for line in ros("inspect", "x.model").out.splitlines())


def test_models_saved_in_python(ros, folder):
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.where(X[:, 0] > 0, "up", "down")
    for model in (Perceptron(), LinearDiscriminant(), NearestCentroid("manhattan")):
        save(model.fit(X, y), "x.model")
        found = ros("inspect", "x.model", "--json").json
        assert found["kind"] == found["learner"] == type(model).__name__
        assert found["features"] == 3
        assert ros("inspect", "x.model").out
    assert found["weights"] == []
    assert "no weights" in ros("inspect", "x.model", "--all", code=1).err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kernel": "linear", "fit_intercept": False}, "linear: x·z"),
        ({"kernel": "poly", "gamma": 0.5}, "poly: (0.5 x·z + 1)^3, plus 1 for the intercept"),
        ({"gamma": 0.25}, "rbf: exp(−0.25 ‖x − z‖²), plus 1 for the intercept"),
        ({"kernel": "laplacian", "gamma": 2}, "laplacian: exp(−2 ‖x − z‖₁), plus 1 for the"),
        ({"kernel": "precomputed", "fit_intercept": False}, "precomputed: its values are given"),
    ],
)
def test_a_kernel_perceptron(ros, folder, options, told):
    X, y = np.load("train.npy")[:80], np.load("train-labels.npy")[:80]
    model = KernelPerceptron(**options)
    save(model.fit(X @ X.T if model.kernel == "precomputed" else X, y), "x.model")
    done = ros("inspect", "x.model").out
    assert f"kernel      {told}" in done
    assert f"support     {len(model.support_)} of 80 rows\n" in done
    assert f"mistakes    {model.mistakes_[0]}  " in done
    assert ("holds training rows" in done) == (model.kernel != "precomputed")
    assert done.endswith("no weights to show: kernel values with the support rows decide.\n")
    assert all(len(line) <= 80 for line in done.splitlines())
    found = ros("inspect", "x.model", "--json").json
    assert found["kernel"]["name"] == model.kernel
    assert found["kernel"].get("gamma", model.gamma_) == model.gamma_
    assert (found["kernel"]["support"], found["kernel"]["rows"]) == (len(model.support_), 80)
    assert found["weights"] == []
    assert "no weights" in ros("inspect", "x.model", "--all", code=1).err


def test_onnx(ros, folder):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X = np.load("test.npy").astype(np.float32)
    for learner in ("averaged", "logistic", "centroid", "voted"):
        args = ("--labels", "train-labels.npy", "--learner", learner)
        ros("train", "train.npy", *args, "-o", "x.model", "-q")
        assert ros("inspect", "x.model", "--onnx", "x.onnx").err == "written to x.onnx\n"
        labels = runtime.InferenceSession("x.onnx").run(["label"], {"X": X})[0]
        lines = ros("predict", "x.model", "test.npy").out.splitlines()[1:]
        assert labels.tolist() == lines
    random = KernelPerceptron(predict_with="random").fit(X, np.load("test-labels.npy"))
    save(random, "x.model")
    err = ros("inspect", "x.model", "--onnx", "y", code=1).err
    assert err.startswith("rosenblatt: predict_with='random' draws a hypothesis for each row")
    assert err.count("\n") == 1


def test_onnx_of_words(ros, folder):
    """A row of counts does not say which of them `train` weights, and by what."""
    pytest.importorskip("onnx")
    Path("mail.txt").write_text("spam\tfree free win\nham\tsee you soon\n" * 20)
    ros("train", "mail.txt", "-o", "x.model", "-q")
    err = ros("inspect", "x.model", "--onnx", "y", code=1).err
    assert "weights the words of a text by the others in it" in err
    assert err.count("\n") == 1
    ros("train", "mail.txt", "--scale", "numbers", "-o", "x.model", "-q")
    ros("inspect", "x.model", "--onnx", "y")


@pytest.mark.parametrize(
    ("learner", "shown"),
    [
        ("averaged", {"ties"}),
        ("arow", {"ties", "eta0"}),
        ("passive-aggressive", {"ties", "eta0", "loss"}),
        ("svm", {"eta0", "average", "learning_rate", "l2"}),
    ],
)
def test_parameters_that_a_learner_uses_are_shown(ros, folder, learner, shown):
    save(OnlineClassifier(learner).learn_one({"a": 1}, 0).learn_one({"a": 2}, 1), "x.model")
    found = set(ros("inspect", "x.model", "--json").json["parameters"])
    assert found & {"ties", "eta0", "loss", "average", "learning_rate", "l2"} == shown


def test_an_empty_model(ros, folder):
    save(OnlineClassifier(), "x.model")
    assert "has not learned anything yet" in ros("inspect", "x.model", code=1).err
    save(Perceptron(), "x.model")
    assert "has not learned anything yet" in ros("inspect", "x.model", code=1).err


def test_options_that_make_no_sense(ros, folder):
    ros("inspect", "m.model", "--top", "-1", code=2)
    ros("inspect", "m.model", "--all", "--json", code=2)
    ros("inspect", "m.model", "--onnx", "m.model", code=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": 5},
        {"files": [5]},
        {"files": [["a"]]},
        {"mistakes": ["many"]},
        {"mistakes": 5},
        {"mistakes": [-1]},
        {"mistakes": [10**400]},
        {"examples": "x"},
        {"passes": [1]},
    ],
    ids=lambda wrong: str(wrong)[:30],
)
def test_a_damaged_summary(ros, folder, wrong):
    model, extra = load_with_extra("m.model")
    save(model, "x.model", extra={**extra, "summary": {**extra["summary"], **wrong}})
    done = ros("inspect", "x.model")
    assert "data        the summary of its training is damaged\n" in done.out
    assert "classes     2: -1, 1\n" in done.out
    assert ros("inspect", "x.model", "--json").json["training"] == {"damaged": True}


def test_a_model_of_one_class(ros, folder):
    save(OnlineClassifier().learn_one({"a": 1}, "x"), "x.model")
    assert "two classes" in ros("inspect", "x.model", code=1).err


def test_a_pipeline(ros, folder):
    days = pd.DataFrame({"weather": ["sun", "rain", "rain", "sun"], "degrees": [20, 15, None, 25]})
    save(prepare(Perceptron(), days).fit(days, ["out", "in", "in", "out"]), "p.model")
    told = ros("inspect", "p.model").out
    assert "learner     Perceptron (Pipeline)\n" in told
    assert "degrees: SimpleImputer, StandardScaler" in told
    assert "weather: OneHotEncoder" in " ".join(told.split())
    assert "weather=sun" in told
    assert "Weights are for the features that the steps make of the columns." in told
    found = ros("inspect", "p.model", "--json").json
    assert found["steps"][0] == {
        "columns": ["degrees"],
        "steps": ["SimpleImputer", "StandardScaler"],
    }
    assert found["classes"] == ["in", "out"]
    assert found["features"] == 4
    assert "weather=rain\tout\t" in ros("inspect", "p.model", "--all").out
    assert ros("inspect", "p.model", "--onnx", "p.onnx").err == "written to p.onnx\n"
    told = ros("predict", "p.model", "train.csv", code=1).err
    assert "p.model is a pipeline, which takes data frames rather than files" in told
    save(prepare(Perceptron(), days), "p.model")
    assert "has not learned anything yet" in ros("inspect", "p.model", code=1).err
