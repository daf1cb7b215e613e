"""A kernel perceptron among scikit-learn's tools, with tables, names and ties."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_circles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from rosenblatt import KernelPerceptron
from tests.conftest import rounding, whole_numbers

WAYS = ["vote", "average", "last", "random"]


def histogram_kernel(A, B):
    return np.minimum(A[:, None], B).sum(axis=2)


def test_a_clone_has_the_parameters_and_nothing_else():
    X, y = whole_numbers(seed=1)
    model = KernelPerceptron(kernel=histogram_kernel, max_support=50, gamma=2.0).fit(np.abs(X), y)
    other = clone(model)
    assert other.get_params() == model.get_params()
    assert not hasattr(other, "support_")
    with pytest.raises(NotFittedError):
        other.predict(X)
    np.testing.assert_array_equal(other.fit(np.abs(X), y).dual_coef_, model.dual_coef_)


def test_folds_cut_rows_and_columns_of_a_table():
    X, y = make_circles(n_samples=120, noise=0.05, factor=0.5, random_state=0)
    table = rbf_kernel(X, gamma=2.0)
    model = KernelPerceptron(kernel="precomputed")
    assert get_tags(model).input_tags.pairwise
    assert not get_tags(KernelPerceptron()).input_tags.pairwise
    search = GridSearchCV(model, {"fit_intercept": [True, False], "max_iter": [1, 5]}, cv=4)
    search.fit(table, y)
    assert search.best_score_ > 0.95
    rows = cross_val_score(KernelPerceptron(gamma=2.0), X, y, cv=4)
    np.testing.assert_allclose(cross_val_score(model, table, y, cv=4), rows)


def test_a_pipeline_finds_a_kernel():
    X, y = make_circles(n_samples=200, noise=0.05, factor=0.5, random_state=0)
    pipeline = make_pipeline(StandardScaler(), KernelPerceptron())
    grid = {
        "kernelperceptron__kernel": ["linear", "rbf", "laplacian"],
        "kernelperceptron__predict_with": ["vote", "average"],
    }
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["kernelperceptron__kernel"] != "linear"
    assert search.best_score_ > 0.95


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_and_their_names(frame):
    X, y = whole_numbers(seed=2, d=3)
    table = frame({name: X[:, j] for j, name in enumerate(("height", "width", "depth"))})
    labels = pd.Series(y).map({0: "no", 1: "yes"})
    model = KernelPerceptron(kernel="poly", gamma=1).fit(table, labels)
    assert model.feature_names_in_.tolist() == ["height", "width", "depth"]
    assert model.n_features_in_ == 3
    assert model.classes_.tolist() == ["no", "yes"]
    plain = KernelPerceptron(kernel="poly", gamma=1).fit(X, y)
    np.testing.assert_array_equal(model.predict(table) == "yes", plain.predict(X) == 1)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["width", "height", "depth"]])


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_labels_may_be_names(rule, how):
    X, y = rounding(seed=3, n_classes=3, noise=0)
    names = np.array(["ham", "eggs", "spam"])[y]
    options = {"multi_class": rule, "predict_with": how, "max_iter": 20}
    model = KernelPerceptron(**options).fit(X, names)
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    assert model.decision_function(X).shape == (150, 3)
    best = model.classes_[model.decision_function(X).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(X), best)
    # Early hypotheses are weaker than the last ones, and are drawn as often.
    assert model.score(X, names) > (0.75 if how == "random" else 0.95)


@pytest.mark.parametrize("how", WAYS)
def test_the_way_to_predict_may_be_changed_after_fit(how):
    X, y = rounding(seed=4, n_classes=3)
    changed = KernelPerceptron(max_iter=3).fit(X, y).set_params(predict_with=how)
    fitted = KernelPerceptron(max_iter=3, predict_with=how).fit(X, y)
    np.testing.assert_array_equal(changed.decision_function(X), fitted.decision_function(X))


@pytest.mark.parametrize("how", ["vote", "average", "last"])
@pytest.mark.parametrize("rule", ["ovr", "joint"])
def test_the_first_of_classes_that_tie_is_predicted(rule, how):
    X, y = np.eye(3), np.array([0, 1, 2])
    model = KernelPerceptron(
        kernel="linear", fit_intercept=False, multi_class=rule, predict_with=how, shuffle=False
    ).fit(X, y)
    scores = model.decision_function(np.zeros((1, 3)))
    if how != "vote" or rule == "ovr":
        assert len(np.unique(scores)) == 1
    assert model.predict(np.zeros((1, 3))).tolist() == [0]


def test_two_classes_that_tie_are_the_positive_one():
    model = KernelPerceptron(kernel="linear", fit_intercept=False).fit([[1.0], [-1.0]], ["a", "b"])
    for how in WAYS:
        model.set_params(predict_with=how)
        assert model.predict([[0.0]]).tolist() == ["b"]


def test_rows_are_read_only_and_stay_as_they_are(tmp_path):
    X, y = rounding(seed=5, n=700, dtype=np.float32)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    sparse = sp.csr_matrix(X)
    for part in (sparse.data, sparse.indices, sparse.indptr):
        part.flags.writeable = False
    for kernel in ("linear", "poly", "rbf", "laplacian"):
        plain = KernelPerceptron(kernel=kernel, max_iter=2).fit(X.copy(), y)
        model = KernelPerceptron(kernel=kernel, max_iter=2).fit(mapped, y)
        np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
        np.testing.assert_array_equal(model.predict(mapped), plain.predict(X))
        assert (
            KernelPerceptron(kernel=kernel, max_iter=2).fit(sparse, y).predict(sparse).size == 700
        )
    np.testing.assert_array_equal(mapped, X)


def test_what_is_kept_is_a_copy():
    X, y = whole_numbers(seed=6)
    model = KernelPerceptron(kernel="poly", gamma=1, max_iter=2).fit(X, y)
    X_test = X.copy()
    before = model.decision_function(X_test)
    X[:] = 0
    np.testing.assert_array_equal(model.decision_function(X_test), before)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_support_vectors_are_of_the_kind_and_type_of_the_rows(dtype, kind):
    X, y = whole_numbers(seed=7)
    model = KernelPerceptron(max_iter=2).fit(kind(X.astype(dtype)), y)
    assert model.support_vectors_.dtype == dtype
    assert sp.issparse(model.support_vectors_) == (kind is sp.csr_matrix)
    assert model.support_vectors_.shape == (len(model.support_), 7)
    assert model.dual_coef_.shape == (1, len(model.support_))
    assert np.all(model.dual_coef_ != 0)
    np.testing.assert_array_equal(np.sign(model.dual_coef_[0]), 2 * y[model.support_] - 1)


def test_a_copy_through_pickle_predicts_the_same():
    X, y = rounding(seed=8, n_classes=3)
    model = KernelPerceptron(max_iter=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(
        copy.partial_fit(X, y).dual_coef_, model.partial_fit(X, y).dual_coef_
    )


def test_a_function_may_return_other_types_than_the_rows_have():
    X, y = rounding(seed=10, n=700, dtype=np.float32)

    def fickle(A, B):
        return (A @ B.T).astype(np.float64 if len(A) < 100 else np.float32)

    plain = KernelPerceptron(kernel=lambda A, B: A @ B.T, max_iter=2).fit(X, y)
    for kernel in (fickle, lambda A, B: sp.csr_matrix(A @ B.T), lambda A, B: (A @ B.T).tolist()):
        model = KernelPerceptron(kernel=kernel, max_iter=2).fit(X, y)
        np.testing.assert_array_equal(model.dual_coef_, plain.dual_coef_)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))


def test_running_out_of_passes_warns_and_giving_up_does_not():
    X, y = whole_numbers(seed=9, noise=0.5, n=300)
    with pytest.warns(ConvergenceWarning, match="KernelPerceptron stopped after 3 passes, none"):
        KernelPerceptron(kernel="linear", max_iter=3, tol=0.001).fit(X, y)
    model = KernelPerceptron(kernel="linear", max_iter=1000, tol=0.001).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ < 200
    assert len(model.mistakes_) == model.n_iter_
    assert KernelPerceptron(kernel="linear", max_iter=3).fit(X, y).n_iter_ == 3


@pytest.mark.parametrize("how", ["vote", "average", "last"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_defaults_make_a_good_model(load, how):
    X, X_test, y, y_test = train_test_split(*load(return_X_y=True), random_state=0)
    scaler = StandardScaler().fit(X)
    model = KernelPerceptron(predict_with=how).fit(scaler.transform(X), y)
    assert model.score(scaler.transform(X_test), y_test) > 0.94
