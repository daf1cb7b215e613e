"""`sparsify` and `densify`: weights stored sparsely, and predictions as before."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from rosenblatt import (
    AROW,
    AveragedPerceptron,
    BatchPerceptron,
    GradientDescent,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    load,
    save,
)
from tests.conftest import whole_numbers

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)
MODELS = [
    Perceptron(max_iter=3),
    AveragedPerceptron(max_iter=3),
    VotedPerceptron(max_iter=3, predict_with="average"),
    PassiveAggressive(max_iter=3),
    AROW(max_iter=3),
    BatchPerceptron(max_iter=3),
    LogisticRegression(penalty="l1", alpha=0.1, max_iter=5),
    LinearSVM(penalty="l1", alpha=0.1, max_iter=5),
    GradientDescent(max_iter=5),
    LinearRegression(penalty="l1", alpha=1.0, max_iter=5),
]


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_predictions_stay_the_same(model, n_classes, layout):
    X, y = whole_numbers(seed=1, n=40, n_classes=n_classes)
    X = layout(X.astype(float))
    coef, predicted = model.fit(X, y).coef_, model.predict(X)
    scores = model.decision_function(X) if hasattr(model, "decision_function") else None
    assert model.sparsify() is model
    assert sp.issparse(model.coef_)
    assert model.coef_.format == "csr"
    assert model.coef_.nnz == np.count_nonzero(coef)
    np.testing.assert_array_equal(model.sparsify().predict(X), predicted)
    if scores is not None:
        np.testing.assert_array_equal(model.decision_function(X), scores)
        np.testing.assert_array_equal(model.hyperplane_.normal.reshape(coef.shape), coef)
    assert model.densify() is model
    assert type(model.coef_) is np.ndarray
    np.testing.assert_array_equal(model.densify().coef_, coef)
    assert model.coef_.shape == coef.shape


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_learning_continues(model):
    X, y = whole_numbers(seed=1, n=40, n_classes=3)
    X = X.astype(float)
    model.fit(X, y).sparsify()
    if hasattr(model, "partial_fit"):
        model.partial_fit(X[:5], y[:5])
        assert type(model.coef_) is np.ndarray
    assert type(model.sparsify().fit(X, y).coef_) is np.ndarray


def test_it_is_saved_after_densify(tmp_path):
    X, y = whole_numbers(seed=1, n=40)
    model = Perceptron().fit(X.astype(float), y).sparsify()
    with pytest.raises(TypeError, match=r"Call densify\(\) first"):
        save(model, tmp_path / "m.model")
    save(model.densify(), tmp_path / "m.model")
    np.testing.assert_array_equal(load(tmp_path / "m.model").coef_, model.coef_)


def test_there_must_be_weights():
    for change in (Perceptron().sparsify, Perceptron().densify):
        with pytest.raises(NotFittedError):
            change()
