"""``--threshold`` of ``predict`` and ``evaluate``: the second of two classes from a value on."""

import csv
import io

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from rosenblatt import AveragedPerceptron, save

PROBABILITIES = "--probabilities"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("threshold", ["0.2", "0.5", "0.9", "0"])
def test_the_second_class_is_predicted_from_a_probability_on(ros, folder, threshold):
    rows = table(ros("predict", "logistic.model", "test.csv", PROBABILITIES).out)
    chosen = table(ros("predict", "logistic.model", "test.csv", "--threshold", threshold).out)
    names = [name.partition(":")[2] for name in rows[0] if name.startswith("probability:")]
    expected = [names[float(row[f"probability:{names[1]}"]) >= float(threshold)] for row in rows]
    assert [row["prediction"] for row in chosen] == expected
    found = ros("evaluate", "logistic.model", "test.csv", "--threshold", threshold, "--json").json
    plain = ros("evaluate", "logistic.model", "test.csv", "--json").json
    predicted = {one["label"]: one["predicted"] for one in found["classes"]}
    assert predicted == {name: expected.count(name) for name in names}
    assert (found["auc"], found["log_loss"]) == (plain["auc"], plain["log_loss"])


def test_a_model_without_probabilities_is_decided_by_its_score(ros, folder):
    ros("train", "train.svm", "--learner", "averaged", "-o", "a.model", "-q")
    rows = table(ros("predict", "a.model", "test.svm", "--scores").out)
    scores = np.array([float(row["score:1"]) for row in rows])
    middle = float(np.median(scores)) + 1e-3
    chosen = table(ros("predict", "a.model", "test.svm", "--threshold", str(middle)).out)
    np.testing.assert_array_equal(
        [int(row["prediction"]) for row in chosen], np.where(scores >= middle, 1, -1)
    )
    told = ros("evaluate", "a.model", "test.svm", "--threshold", str(middle), "-q").out
    assert told != ros("evaluate", "a.model", "test.svm", "-q").out


def test_a_calibrated_estimator_is_decided_by_its_probability(ros, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    model = AveragedPerceptron(max_iter=5, calibration="sigmoid").fit(X, y)
    save(model, "m.model")
    np.save("rows.npy", X)
    found = table(ros("predict", "m.model", "rows.npy", "--threshold", "0.99").out)
    expected = model.predict_proba(X)[:, 1] >= 0.99
    assert [int(row["prediction"]) for row in found] == expected.astype(int).tolist()
    rows = table(ros("predict", "m.model", "rows.npy", PROBABILITIES).out)
    np.testing.assert_allclose(
        [float(row["probability:1"]) for row in rows], model.predict_proba(X)[:, 1], rtol=1e-5
    )


def test_what_makes_no_sense(ros, folder):
    (folder / "three.vw").write_text("a | x\nb | y\nc | z\n" * 9)
    ros("train", "three.vw", "-o", "three.model", "-q")
    for args, message in (
        (("three.model", "three.vw", "--threshold", "0.3"), "two classes, and this one has 3"),
        (("logistic.model", "test.csv", "--threshold", "2"), "2 must be a probability, between 0"),
        (("logistic.model", "test.csv", "--threshold", "nan"), "must be a probability"),
        (("price.model", "houses.csv", "--threshold", "2"), "and this one has numbers"),
    ):
        for command in ("predict", "evaluate"):
            assert message in ros(command, *args, code=2).err
    ros("train", "train.svm", "--learner", "averaged", "-o", "a.model", "-q")
    err = ros("predict", "a.model", "test.svm", "--threshold", "inf", code=2).err
    assert "--threshold inf must be a finite number" in err
