"""Hyperplanes in ONNX say what they say here, by the word of onnxruntime."""

import json
import sys

import numpy as np
import onnx
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import scale

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearDiscriminant,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    NearestCentroid,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from rosenblatt.models import to_onnx
from tests.conftest import first_quick
from tests.models.zoo import CLASSES, quietly

MODELS = {
    "Perceptron": lambda: Perceptron(max_iter=20),
    "AveragedPerceptron": lambda: AveragedPerceptron(),
    "PassiveAggressive": lambda: PassiveAggressive(),
    "AROW": lambda: AROW(),
    "VotedPerceptron, average": lambda: VotedPerceptron(max_iter=2, predict_with="average"),
    "VotedPerceptron, last": lambda: VotedPerceptron(max_iter=2, predict_with="last"),
    "BatchPerceptron": lambda: BatchPerceptron(max_iter=50),
    "KernelPerceptron, average": lambda: KernelPerceptron(
        kernel="linear", predict_with="average", max_iter=2
    ),
    "KernelPerceptron, last": lambda: KernelPerceptron(
        kernel="linear", predict_with="last", fit_intercept=False, multi_class="joint", max_iter=2
    ),
    "GradientDescent": lambda: GradientDescent(loss="hinge", max_iter=5),
    "LogisticRegression": lambda: LogisticRegression(max_iter=5),
    "LinearSVM": lambda: LinearSVM(max_iter=5),
    "LinearDiscriminant": lambda: LinearDiscriminant(shrinkage=0.1),
    "NearestCentroid": lambda: NearestCentroid(),
    "NearestCentroid, shrunk": lambda: NearestCentroid(shrink_threshold=0.5, priors="empirical"),
    "NaiveBayes": lambda: NaiveBayes(),
    "NaiveBayes, bernoulli": lambda: NaiveBayes("bernoulli", binarize=0.2),
    "NaiveBayes, multinomial": lambda: NaiveBayes("multinomial"),
}
SETS = {
    "iris": load_iris,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}


def rows_of(name, model):
    X, y = SETS[name](return_X_y=True)
    return (X if "multinomial" in str(model) else scale(X)), y


def test_every_estimator_is_tried():
    tried = {type(make()) for make in MODELS.values()} | {LinearRegression}
    assert tried == CLASSES


@pytest.mark.parametrize("dtype", first_quick([np.float32, np.float64], 1))
@pytest.mark.parametrize("dataset", SETS)
@pytest.mark.parametrize("name", MODELS)
def test_labels_scores_and_probabilities(name, dataset, dtype, run):
    model = MODELS[name]()
    X, y = rows_of(dataset, model)
    quietly(model.fit, X, y)
    rows = X.astype(dtype)
    found = run(model, rows, dtype=np.dtype(dtype).name)
    np.testing.assert_array_equal(found["label"], model.predict(rows.astype(float)))
    expected = model.decision_function(rows.astype(float))
    assert found["scores"].shape == expected.shape
    np.testing.assert_allclose(found["scores"], expected, rtol=1e-9, atol=1e-9)
    assert ("probabilities" in found) == hasattr(model, "predict_proba")
    if "probabilities" in found:
        chances = model.predict_proba(rows.astype(float))
        np.testing.assert_allclose(found["probabilities"], chances, rtol=1e-7, atol=1e-12)


@pytest.mark.slow
def test_a_float32_model_stays_one(run):
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    model = quietly(LogisticRegression(max_iter=20).fit, X, y)
    found = run(model, X)
    assert found["scores"].dtype == found["probabilities"].dtype == np.float32
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["scores"], model.decision_function(X), rtol=1e-4, atol=1e-4)


def test_a_kernel_perceptron_that_learned_from_sparse_rows(run):
    X, y = load_digits(return_X_y=True)
    model = KernelPerceptron(kernel="linear", predict_with="average", max_iter=2)
    model.fit(sp.csr_matrix(X), y)
    found = run(model, X, dtype="float64")
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_allclose(found["scores"], model.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_regression(dtype, run):
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X).astype(dtype).astype(float)
    model = quietly(LinearRegression(batch_size=None).fit, X, y)
    found = run(model, X.astype(dtype), dtype=dtype)
    assert found.keys() == {"prediction"}
    np.testing.assert_allclose(found["prediction"], model.predict(X), rtol=1e-9, atol=1e-12)


LABELS = {
    "texts": np.array(["ham", "jam", "späm"]),
    "texts as objects": np.array(["ham", "jam", "späm"], object),
    "numbers as objects": np.array([3, 5, 9], object),
    "whole floats": np.array([-1.0, 0.0, 7.0]),
    "bytes of numbers": np.array([0, 200, 255], np.uint8),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_labels_are_texts_or_whole_numbers(kind, n_classes, run):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < n_classes], y[y < n_classes]
    model = NearestCentroid().fit(X, LABELS[kind][y])
    found = run(model, X.astype(np.float32))
    assert found["label"].tolist() == model.predict(X.astype(np.float32)).tolist()
    assert found["label"].dtype == (object if "texts" in kind else np.int64)


def test_true_and_false_are_one_and_zero(run):
    X, y = load_breast_cancer(return_X_y=True)
    model = NearestCentroid().fit(X, y == 1)
    label = run(model, X, dtype="float64")["label"]
    np.testing.assert_array_equal(label, model.predict(X).astype(int))


def test_ties_are_decided_as_here(run):
    X, y = np.array([[-1.0, 2], [1, 0], [1, 1], [-1, 0], [-1, -2], [1, -1]]), [-1, 1, 1, -1, -1, 1]
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y)  # 3 x1 + x2
    rows = np.array([[1.0, -3.0], [0.0, 0.0]], np.float32)
    found = run(model, rows)
    assert found["scores"].tolist() == [0, 0]
    assert found["label"].tolist() == model.predict(rows).tolist() == [1, 1]
    three = NearestCentroid().fit([[0.0], [2.0], [4.0]], ["a", "b", "c"])
    rows = np.array([[1.0], [3.0]], np.float32)
    assert run(three, rows)["label"].tolist() == three.predict(rows).tolist() == ["a", "b"]


def test_one_class_and_a_class_that_was_never_seen(run):
    X = np.array([[0.0, 1.0], [1.0, 2.0]])
    one = NaiveBayes().partial_fit(X, ["a", "a"])
    found = run(one, X.astype(np.float32))
    assert found["label"].tolist() == ["a", "a"]
    assert found["probabilities"].tolist() == [[1.0], [1.0]]
    for classes in (["a", "b"], ["a", "b", "c"]):
        few = NaiveBayes().partial_fit(X, ["b", "b"], classes=classes)
        found = run(few, X.astype(np.float32))
        assert found["label"].tolist() == ["b", "b"]
        # Older runtimes have a number below the least normal one for 0.
        least = np.finfo(np.float64).tiny
        np.testing.assert_allclose(found["probabilities"], few.predict_proba(X), 0, least)


def test_rows_at_a_bernoulli_limit_are_not_above_it(run):
    X = np.array([[0.5, 0.0], [0.75, 0.5], [0.5, 1.0], [0.25, 0.5]])
    model = NaiveBayes("bernoulli", binarize=0.5).fit(X, [0, 1, 1, 0])
    found = run(model, X.astype(np.float32))
    np.testing.assert_allclose(found["scores"], model.decision_function(X))


def test_the_file_says_what_it_is(tmp_path):
    X, y = load_iris(return_X_y=True)
    frame = pd.DataFrame(X, columns=["a", "b", "ç", "d"])
    to_onnx(NearestCentroid().fit(frame, y), tmp_path / "m.onnx")
    made = onnx.load(tmp_path / "m.onnx")
    facts = {prop.key: prop.value for prop in made.metadata_props}
    assert facts["kind"] == "NearestCentroid"
    assert json.loads(facts["feature_names"]) == ["a", "b", "ç", "d"]
    assert made.producer_name == "rosenblatt"


def test_what_else_is_refused(tmp_path):
    path = tmp_path / "m.onnx"
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="must be a fitted estimator"):
        to_onnx(Perceptron(), path)
    with pytest.raises(TypeError, match="not a model of this package"):
        to_onnx({}, path)
    with pytest.raises(ValueError, match="dtype must be 'float32' or 'float64'"):
        to_onnx(NearestCentroid().fit(X, y), path, dtype="float16")
    dates = np.array(["2001-01-01", "2002-01-01", "2003-01-01"], "M8[D]")
    with pytest.raises(ValueError, match="labels that are texts or whole numbers"):
        to_onnx(NearestCentroid().fit(X, dates[y]), path)
    assert list(tmp_path.iterdir()) == []


def test_without_onnx_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'rosenblatt\[onnx\]'"):
        to_onnx(Perceptron(), tmp_path / "m.onnx")
