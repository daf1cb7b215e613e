"""Several labels for each row: scikit-learn's wrappers learn them, and errors name these."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.multioutput import (
    ClassifierChain,
    MultiOutputClassifier,
    MultiOutputRegressor,
    RegressorChain,
)

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

pytestmark = pytest.mark.filterwarnings(
    f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning"
)
MODELS = [
    Perceptron(),
    AveragedPerceptron(),
    VotedPerceptron(max_iter=3),
    PassiveAggressive(),
    AROW(),
    BatchPerceptron(max_iter=20),
    KernelPerceptron(max_iter=3),
    LogisticRegression(max_iter=20),
    LinearSVM(max_iter=20),
    GradientDescent(max_iter=20),
    LinearDiscriminant(),
    NearestCentroid(),
    NaiveBayes(),
]


def name_of(model):
    return type(model).__name__


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    return X, (X[:, :3] + 0.3 * rng.normal(size=(80, 3)) > 0).astype(int)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_one_model_for_each_column(model, layout):
    X, Y = data()
    each = [clone(model).fit(layout(X), y) for y in Y.T]
    columns = np.column_stack([one.predict(layout(X)) for one in each])
    scores = np.column_stack([one.decision_function(layout(X)) for one in each])
    assert (columns == Y).mean() > 0.8
    found = MultiOutputClassifier(model).fit(layout(X), Y).predict(layout(X))
    np.testing.assert_array_equal(found, columns)
    # To this one a score of exactly zero is not the positive class.
    if not hasattr(model, "predict_proba"):
        columns = (scores > 0).astype(int)
    for labels in (Y, sp.csr_matrix(Y)):
        found = OneVsRestClassifier(model).fit(layout(X), labels).predict(layout(X))
        np.testing.assert_array_equal(found.toarray() if sp.issparse(found) else found, columns)
    chained = ClassifierChain(model, order=[0, 1, 2]).fit(layout(X), Y).predict(layout(X))
    assert (chained == Y).mean() > 0.8


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_more_than_two_classes_by_two_at_a_time(model):
    X, _ = data()
    y = np.array(["first", "second", "third"])[X[:, :3].argmax(axis=1)]
    for wrapper in (OneVsRestClassifier, OneVsOneClassifier):
        assert wrapper(model).fit(X, y).score(X, y) > 0.8
    codes = OutputCodeClassifier(model, code_size=3, random_state=0).fit(X, y)
    assert codes.score(X, y) > 0.7


@pytest.mark.parametrize("wrapper", [MultiOutputRegressor, RegressorChain])
def test_several_numbers(wrapper):
    X, Y = data()
    model = LinearRegression(max_iter=20)
    found = wrapper(model).fit(X, Y.astype(float)).predict(X)
    np.testing.assert_array_equal(found[:, 0], model.fit(X, Y[:, 0].astype(float)).predict(X))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix, np.ndarray.tolist])
@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_alone_it_says_who_does_that(model, kind):
    X, Y = data()
    for method in ("fit", "partial_fit"):
        if not hasattr(model, method):
            continue
        with pytest.raises(ValueError, match="y should be a 1d array, got an array of") as error:
            getattr(model, method)(X, kind(Y))
        for word in ("OneVsRestClassifier", "MultiOutputClassifier", "ClassifierChain", "(80, 3)"):
            assert word in str(error.value)


def test_so_does_the_regression():
    X, Y = data()
    with pytest.raises(ValueError, match=r"MultiOutputRegressor\(model\) or RegressorChain"):
        LinearRegression().fit(X, Y.astype(float))
