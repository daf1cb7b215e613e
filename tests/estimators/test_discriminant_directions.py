"""`LinearDiscriminant.transform`, and covariances that another estimator estimates."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.covariance import OAS, EmpiricalCovariance, LedoitWolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from rosenblatt import LinearDiscriminant, Perceptron, load, save
from tests.conftest import examples, whole_numbers
from tests.estimators.real_sets import NAMES, rows_and_labels


def up_to_signs(found, expected):
    """Turn columns so that they point the same way."""
    return found * np.where((found * expected).sum(axis=0) < 0, -1, 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_components", [None, 1])
def test_transform_is_scikit_learns(name, n_components, dataset):
    X, y = rows_and_labels(name, dataset)
    if sp.issparse(X):
        pytest.skip("scikit-learn's takes no sparse rows")
    ours = LinearDiscriminant(n_components=n_components).fit(X, y)
    theirs = LinearDiscriminantAnalysis(n_components=n_components).fit(X, y)
    expected = theirs.transform(X)
    found = ours.transform(X)
    assert found.shape == expected.shape
    np.testing.assert_allclose(up_to_signs(found, expected), expected, atol=1e-7)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, atol=1e-9
    )


def data(n_classes=3, n=60, d=5, seed=0):
    X, y = whole_numbers(seed=seed, n=n, d=d, n_classes=n_classes)
    return X + 0.25 * np.eye(n_classes, d)[y], y


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]])
def test_priors_weigh_the_means(priors):
    X, y = data()
    ours = LinearDiscriminant(priors=priors).fit(X, y)
    theirs = LinearDiscriminantAnalysis(priors=priors).fit(X, y)
    np.testing.assert_allclose(ours.xbar_, theirs.xbar_, atol=1e-12)
    expected = theirs.transform(X)
    np.testing.assert_allclose(up_to_signs(ours.transform(X), expected), expected, atol=1e-9)


def test_without_shrinkage_it_is_the_eigenvalue_solver_but_for_the_origin():
    X, y = data()
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).transform(X)
    theirs -= theirs.mean(axis=0)
    found = LinearDiscriminant().fit(X, y).transform(X)
    np.testing.assert_allclose(up_to_signs(found, theirs), theirs, atol=1e-9)


@examples(
    quick=20,
    full=300,
    n_classes=st.integers(2, 5),
    shrinkage=st.sampled_from([0.0, 0.1, "auto"]),
    seed=st.integers(0, 999),
)
def test_rows_of_a_class_vary_by_one_and_means_tell_all(n_classes, shrinkage, seed):
    X, y = data(n_classes, seed=seed)
    model = LinearDiscriminant(shrinkage=shrinkage).fit(X, y)
    S = model.scalings_
    np.testing.assert_allclose(S.T @ model.covariance_ @ S, np.eye(S.shape[1]), atol=1e-6)
    # What a class scores follows from its distance to the mean in these coordinates.
    Z, means = model.transform(X), model.means_ @ S - model.xbar_ @ S
    far = ((Z[:, None] - means) ** 2).sum(axis=2) - 2 * np.log(model.priors_)
    assert np.mean(model.classes_[far.argmin(axis=1)] == model.predict(X)) > 0.97
    assert model.explained_variance_ratio_.sum() == pytest.approx(1)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(60, 5), (12, 40)], ids=["tall", "wide"])
def test_every_layout_has_the_same_directions(layout, dtype, shape):
    X, y = data(n=shape[0], d=shape[1])
    expected = LinearDiscriminant().fit(X, y).transform(X)
    found = LinearDiscriminant().fit(layout(X.astype(dtype)), y).transform(layout(X.astype(dtype)))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-4 if dtype == np.float32 else 1e-8)


def test_names_and_data_frames():
    pd = pytest.importorskip("pandas")
    X, y = data()
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = LinearDiscriminant().set_output(transform="pandas").fit(frame, y)
    assert model.transform(frame).columns.tolist() == ["lineardiscriminant0", "lineardiscriminant1"]
    assert model.get_feature_names_out().tolist() == ["lineardiscriminant0", "lineardiscriminant1"]
    pipeline = make_pipeline(LinearDiscriminant(n_components=1), Perceptron()).fit(frame, y)
    assert pipeline[-1].coef_.shape == (3, 1)
    assert pipeline[:-1].get_feature_names_out().tolist() == ["lineardiscriminant0"]


def test_directions_that_are_none_are_left_out():
    X, y = data(4)
    X = np.outer(X[:, 0] + 10 * y, np.ones(4)) + np.random.default_rng(0).normal(size=(60, 4))
    flat = np.column_stack([X[:, 0], np.zeros((60, 3))])
    model = LinearDiscriminant().fit(flat, y)
    assert model.transform(flat).shape == (60, 1)
    assert model.get_feature_names_out().tolist() == ["lineardiscriminant0"]
    assert LinearDiscriminantAnalysis().fit(flat, y).transform(flat).shape == (60, 1)
    same = LinearDiscriminant().fit(np.ones((4, 2)), [0, 0, 1, 1])
    assert same.transform(np.ones((3, 2))).shape == (3, 0)


def test_a_class_to_come_has_no_part_in_it():
    X, y = data(2)
    model = LinearDiscriminant(n_components=2).partial_fit(X, y, classes=[0, 1, 2])
    expected = LinearDiscriminant().fit(X, y).transform(X)
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-9)
    more, labels = data(3)
    model.partial_fit(more, labels)
    assert model.transform(X).shape == (60, 2)


@pytest.mark.parametrize("estimator", [OAS(), LedoitWolf(), EmpiricalCovariance()])
def test_other_estimates_of_the_covariance(estimator):
    X, y = data()
    ours = LinearDiscriminant(covariance_estimator=estimator).fit(X, y)
    assert not hasattr(estimator, "covariance_")  # it is cloned
    theirs = LinearDiscriminantAnalysis("lsqr", covariance_estimator=estimator).fit(X, y)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)
    if type(estimator) is EmpiricalCovariance:
        plain = LinearDiscriminant().fit(X, y)
        np.testing.assert_allclose(ours.transform(X), plain.transform(X), atol=1e-8)


class Identity:
    def fit(self, X):
        self.covariance_ = np.eye(X.shape[1])
        return self


def test_any_object_will_do():
    X, y = data()
    model = LinearDiscriminant(covariance_estimator=Identity()).fit(X, y)
    nearest = ((X[:, None] - model.means_) ** 2).sum(axis=2) - 2 * np.log(model.priors_)
    np.testing.assert_array_equal(model.predict(X), nearest.argmin(axis=1))


class Nothing:
    def fit(self, X):
        return self


class Odd(Identity):
    def fit(self, X):
        self.covariance_ = np.full((2, 2), np.nan)
        return self


BAD = {
    "too many": ({"n_components": 3}, {}, "n_components=3, but 3 classes of 5 features differ in"),
    "none": ({"n_components": 0}, {}, "n_components must be None, or a whole number, 1 or more"),
    "both": (
        {"covariance_estimator": OAS(), "shrinkage": 0.1},
        {},
        "covariance_estimator and shrinkage are both set",
    ),
    "no fit": ({"covariance_estimator": 3}, {}, "must be None, or an object with fit"),
    "no result": ({"covariance_estimator": Nothing()}, {}, "Nothing does not have a covariance_"),
    "odd result": ({"covariance_estimator": Odd()}, {}, r"covariance_ of shape \(2, 2\) for 5"),
    "weights": (
        {"covariance_estimator": OAS()},
        {"sample_weight": np.arange(60.0) + 1},
        "takes dense rows without weights",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_settings_are_named_and_change_nothing(case):
    options, given, message = BAD[case]
    X, y = data()
    model = LinearDiscriminant().fit(X, y)
    before = model.coef_.copy()
    model.set_params(**options)
    with pytest.raises(ValueError, match=message) as error:
        model.fit(X, y, **given)
    assert "\n" not in str(error.value)
    np.testing.assert_array_equal(model.coef_, before)


def test_an_estimate_needs_all_rows_and_dense_ones():
    X, y = data()
    model = LinearDiscriminant(covariance_estimator=OAS())
    with pytest.raises(ValueError, match=r"give X\.toarray\(\) for a sparse matrix"):
        model.fit(sp.csr_matrix(X), y)
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit"):
        _ = model.partial_fit


def test_the_estimate_is_saved_without_its_estimator(tmp_path):
    X, y = data()
    model = LinearDiscriminant(covariance_estimator=OAS()).fit(X, y)
    with pytest.raises(TypeError, match=r"set_params\(covariance_estimator=None\)"):
        save(model, tmp_path / "m.model")
    save(model.set_params(covariance_estimator=None), tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
