"""Votes, kernels and distances in ONNX say what they say here, by the word of onnxruntime."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.preprocessing import scale

from rosenblatt import KernelPerceptron, NearestCentroid, OnlineClassifier, VotedPerceptron
from rosenblatt.models import to_onnx
from tests.conftest import first_quick
from tests.models.zoo import quietly

SETS = {"breast cancer": load_breast_cancer, "iris": load_iris}
KERNELS = {
    "linear": {},
    "poly": {"degree": 5, "gamma": 0.3},
    "rbf": {},
    "laplacian": {"fit_intercept": False},
}


def rows_of(name, dtype=np.float64):
    """Return rows that float32 holds, so that it is the same model whatever the inputs are."""
    X, y = SETS[name](return_X_y=True)
    return scale(X).astype(np.float32).astype(dtype), y


def agree(found, model, rows, rtol=1e-12):
    """Compare labels, and scores to so many digits of the largest."""
    expected = model.decision_function(rows)
    assert found["scores"].shape == expected.shape
    atol = rtol * np.abs(expected).max()
    np.testing.assert_allclose(found["scores"], expected, rtol=0, atol=atol)
    np.testing.assert_array_equal(found["label"], model.predict(rows))
    assert "probabilities" not in found


@pytest.mark.parametrize("dtype", first_quick([np.float32, np.float64], 1))
@pytest.mark.parametrize("dataset", SETS)
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False, "ties": "positive"}], ids=str)
def test_votes(options, dataset, dtype, run):
    X, y = rows_of(dataset)
    model = quietly(VotedPerceptron(max_iter=3, **options).fit, X, y)
    agree(run(model, X.astype(dtype), dtype=np.dtype(dtype).name), model, X)


def test_votes_of_weighted_rows_and_of_classes_that_came_late(run):
    X, y = rows_of("iris")
    weights = np.random.default_rng(0).integers(1, 5, len(X)) / 2
    model = VotedPerceptron().partial_fit(X[:100], y[:100], sample_weight=weights[:100])
    model.partial_fit(X, y, sample_weight=weights)
    agree(run(model, X.astype(np.float32)), model, X)


def test_ties_between_hypotheses_are_decided_as_here(run):
    """Of small whole numbers many scores are zero, and many classes score the same."""
    rng = np.random.default_rng(3)
    X = rng.integers(-2, 3, (300, 4)).astype(float)
    for classes in (2, 4):
        y = (X @ rng.integers(-2, 3, (4, classes))).argmax(axis=1)
        for make in (VotedPerceptron, KernelPerceptron):
            options = (
                {"kernel": "poly", "degree": 2, "gamma": 1} if make is KernelPerceptron else {}
            )
            model = quietly(make(max_iter=2, fit_intercept=False, **options).fit, X, y)
            grid = rng.integers(-2, 3, (500, 4)).astype(np.float32)
            found = run(model, grid)
            np.testing.assert_array_equal(found["scores"], model.decision_function(grid))
            np.testing.assert_array_equal(found["label"], model.predict(grid))


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
@pytest.mark.parametrize("how", ["vote", "average", "last"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dataset", ["iris", *first_quick(["breast cancer"], 0)])
def test_kernels(dataset, kernel, how, multi_class, run):
    X, y = rows_of(dataset)
    options = {"predict_with": how, "multi_class": multi_class, **KERNELS[kernel]}
    model = quietly(KernelPerceptron(kernel=kernel, max_iter=2, **options).fit, X, y)
    agree(run(model, X.astype(np.float32)), model, X)
    agree(run(model, X, dtype="float64"), model, X)


@pytest.mark.parametrize("how", ["vote", "average"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernels_of_float32(kernel, how, run):
    """Values differ in their last digits, and so may the votes of hypotheses close to a row."""
    X, y = rows_of("breast cancer", np.float32)
    options = {"kernel": kernel, "predict_with": how, **KERNELS[kernel]}
    model = quietly(KernelPerceptron(max_iter=2, **options).set_params(degree=2).fit, X, y)
    found, expected = run(model, X), model.decision_function(X)
    atol = (2e-3 if how == "vote" else 1e-4) * np.abs(expected).max()
    np.testing.assert_allclose(found["scores"], expected, rtol=0, atol=atol)
    sure = np.abs(expected) > atol
    assert sure.mean() > 0.95
    np.testing.assert_array_equal(found["label"][sure], model.predict(X)[sure])


@pytest.mark.parametrize("multi_class", ["ovr", "joint"])
def test_kernels_with_a_budget_and_with_late_classes(multi_class, run):
    X, y = rows_of("iris")
    few = KernelPerceptron(max_support=15, max_iter=3, multi_class=multi_class)
    quietly(few.fit, X, y)
    agree(run(few, X.astype(np.float32)), few, X)
    late = KernelPerceptron(multi_class=multi_class, gamma=0.5)
    late.partial_fit(X[:100], y[:100]).partial_fit(X, y)
    for how in ("vote", "average", "last"):
        agree(run(late.set_params(predict_with=how), X.astype(np.float32)), late, X)


def test_kernels_of_sparse_rows_and_a_table_of_values(run):
    X, y = load_digits(return_X_y=True)
    X, y = X[:400], y[:400]
    sparse = KernelPerceptron(kernel="poly", degree=2, gamma=1 / 64, max_iter=2)
    sparse.fit(sp.csr_matrix(X), y)
    agree(run(sparse, X.astype(np.float32)), sparse, X)
    table = KernelPerceptron(kernel="precomputed", max_iter=2).fit(X @ X.T, y)
    agree(run(table, X @ X.T, dtype="float64"), table, X @ X.T)


def test_a_kernel_perceptron_without_a_mistake(run):
    X, y = np.array([[1.0], [2.0]]), [1, 1]
    for how in ("vote", "average"):
        model = KernelPerceptron(ties="positive", predict_with=how)
        model.partial_fit(X, y, classes=[0, 1])
        agree(run(model, X.astype(np.float32)), model, X)
    model = VotedPerceptron(ties="positive").partial_fit(X, y, classes=[0, 1])
    agree(run(model, X.astype(np.float32)), model, X)


@pytest.mark.parametrize("dataset", SETS)
@pytest.mark.parametrize("metric", ["manhattan", "hamming"])
def test_distances(metric, dataset, run):
    X, y = SETS[dataset](return_X_y=True)
    for learned in (np.float32, np.float64):
        model = NearestCentroid(metric).fit(X.astype(learned), y)
        for given in (np.float32, np.float64):
            rows = X.astype(given)
            found = run(model, rows, dtype=np.dtype(given).name)
            np.testing.assert_array_equal(found["label"], model.predict(rows))
            expected = model.decision_function(rows)
            np.testing.assert_allclose(found["scores"], expected, rtol=1e-9, atol=1e-9)


def test_a_tie_between_distances_is_of_the_first_class(run):
    X = np.array([[0.0], [2.0], [4.0]], np.float32)
    two = NearestCentroid("manhattan").fit(X[:2], ["a", "b"])
    assert run(two, np.array([[1.0]], np.float32))["label"].tolist() == ["a"]
    three = NearestCentroid("manhattan").fit(X, ["a", "b", "c"])
    assert run(three, np.array([[1.0], [3.0]], np.float32))["label"].tolist() == ["a", "b"]
    absent = NearestCentroid("manhattan").partial_fit(X[1:], ["b", "c"], classes=["a", "b", "c"])
    assert run(absent, X)["label"].tolist() == absent.predict(X).tolist() == ["b", "b", "c"]
    alone = NearestCentroid("manhattan").partial_fit(X, ["a"] * 3)
    assert run(alone, X)["label"].tolist() == ["a"] * 3


@pytest.mark.parametrize("scale", [None, "numbers"])
@pytest.mark.parametrize("learner", ["voted", "averaged", "logistic"])
@pytest.mark.parametrize("dataset", SETS)
def test_models_of_streams(dataset, learner, scale, run):
    X, y = SETS[dataset](return_X_y=True)
    X = X.astype(np.float32)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    model = OnlineClassifier(learner, scale=scale)
    for _ in range(2):
        model.learn_many(frame, y)
    found = run(model, X)
    assert (found["label"] == np.array(model.predict_many(frame))).mean() > 0.99
    assert ("probabilities" in found) == (learner == "logistic")


def test_a_stream_that_has_learned_nothing(tmp_path):
    with pytest.raises(ValueError, match="has learned nothing yet"):
        to_onnx(OnlineClassifier(), tmp_path / "m.onnx")


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (VotedPerceptron(max_iter=1, predict_with="random"), "predict_with='random' draws"),
        (KernelPerceptron(max_iter=1, predict_with="random"), "predict_with='random' draws"),
        (KernelPerceptron(kernel=lambda A, B: A @ B.T, max_iter=1), "is a Python function"),
    ],
)
def test_what_operators_cannot_do_is_refused(model, why, tmp_path):
    X, y = rows_of("iris")
    with pytest.raises(ValueError, match=why) as caught:
        to_onnx(quietly(model.fit, X, y), tmp_path / "m.onnx")
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
