"""The linear discriminant agrees with scikit-learn's, and with itself in pieces."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import datasets as bundled
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from rosenblatt import LinearDiscriminant
from tests.conftest import first_quick, rounding, since_sklearn, whole_numbers

BUNDLED = {
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast cancer": bundled.load_breast_cancer,
    "digits": bundled.load_digits,
}
STORED = ["sonar", "ionosphere", "banknote", "spambase", "a9a", "khan_srbct"]
# scikit-learn's solver for each: "svd" where the covariance has no inverse.
SINGULAR = {"digits", "ionosphere", "a9a", "khan_srbct"}


@pytest.fixture
def rows(dataset):
    def get(name):
        if name in BUNDLED:
            return BUNDLED[name](return_X_y=True)
        data = dataset(name)
        if name == "a9a":
            return data.X[:1500].toarray(), data.y[:1500]
        return data.X, data.y

    return get


def assert_agree(mine, theirs, X, rtol=1e-6):
    """Compare scores up to what all classes share, and the logarithms of probabilities."""
    one, two = mine.decision_function(X), theirs.decision_function(X)
    if one.ndim > 1:
        one, two = one - one[:, :1], two - two[:, :1]
    np.testing.assert_allclose(one, two, rtol=rtol, atol=rtol * max(1, np.abs(two).max()))
    one, two = mine.predict_log_proba(X), theirs.predict_log_proba(X)
    likely = two > -15  # further down scikit-learn takes the logarithm of 1 − p, which has rounded
    np.testing.assert_allclose(one[likely], two[likely], rtol=rtol, atol=1e-6)
    np.testing.assert_array_equal(mine.predict(X), theirs.predict(X))


unbiased = since_sklearn("1.9.1", "its covariance is divided by n, not by n − K")


@unbiased
@pytest.mark.parametrize("name", [*BUNDLED, *STORED])
def test_agrees_with_scikit_learn(rows, name):
    X, y = rows(name)
    theirs = LinearDiscriminantAnalysis().fit(X, y)
    mine = LinearDiscriminant().fit(X, y)
    assert_agree(mine, theirs, X)
    np.testing.assert_allclose(
        mine.decision_function(X), theirs.decision_function(X), rtol=1e-6, atol=1e-5
    )
    np.testing.assert_allclose(mine.means_, theirs.means_, atol=1e-9)
    if name not in SINGULAR:
        for solver in ("lsqr", "eigen"):
            theirs = LinearDiscriminantAnalysis(solver=solver).fit(X, y)
            assert_agree(mine, theirs, X)
            np.testing.assert_allclose(mine.covariance_, theirs.covariance_, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("shrinkage", first_quick([0.3, 1.0, "auto"], 1))
@pytest.mark.parametrize("name", [*BUNDLED, *STORED])
def test_agrees_with_scikit_learn_when_shrunk(rows, name, shrinkage):
    X, y = rows(name)
    X = X[:, :200]  # scikit-learn solves with the full matrix of 2,308 genes, which takes a minute
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    mine = LinearDiscriminant(shrinkage=shrinkage).fit(X, y)
    assert_agree(mine, theirs, X)
    size = np.abs(theirs.covariance_).max()
    np.testing.assert_allclose(mine.covariance_, theirs.covariance_, rtol=1e-8, atol=1e-9 * size)


@unbiased
@pytest.mark.parametrize("priors", [[0.2, 0.5, 0.3], "uniform", "empirical"])
def test_priors(priors):
    X, y = bundled.load_iris(return_X_y=True)
    given = [1 / 3] * 3 if isinstance(priors, str) else priors
    mine = LinearDiscriminant(priors=priors).fit(X, y)
    assert_agree(mine, LinearDiscriminantAnalysis(priors=given).fit(X, y), X)
    np.testing.assert_allclose(mine.priors_, given)


@pytest.mark.parametrize("shrinkage", [None, 0.2, "auto"])
@pytest.mark.parametrize("shape", [(200, 5), (20, 50)])
def test_partial_fit_in_pieces_is_fit(shape, shrinkage):
    X, y = rounding(3, *shape, n_classes=3)
    whole = LinearDiscriminant(shrinkage=shrinkage).fit(X, y)
    pieces = LinearDiscriminant(shrinkage=shrinkage)
    for part in np.array_split(np.arange(len(X)), 7):
        pieces.partial_fit(X[part], y[part])
    np.testing.assert_allclose(pieces.coef_, whole.coef_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(pieces.intercept_, whole.intercept_, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(pieces.priors_, whole.priors_)


@pytest.mark.parametrize("shrinkage", [None, 0.2, "auto"])
@pytest.mark.parametrize("shape", [(60, 5), (20, 50)])
def test_weights_are_repetitions(shape, shrinkage):
    X, y = rounding(5, *shape, n_classes=2)
    w = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = LinearDiscriminant(shrinkage=shrinkage).fit(X, y, sample_weight=w)
    repeated = LinearDiscriminant(shrinkage=shrinkage).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-7, atol=1e-9)


def test_wide_data_learn_to_tell_pictures_apart(dataset):
    khan = dataset("khan_srbct")
    for shrinkage in (0.5, "auto"):
        model = LinearDiscriminant(shrinkage=shrinkage).fit(khan.X, khan.y)
        assert model.score(khan.X_test, khan.y_test) >= 0.95
        thin = LinearDiscriminant(shrinkage=shrinkage).fit(sp.csr_matrix(khan.X), khan.y)
        np.testing.assert_allclose(thin.coef_, model.coef_, rtol=1e-6, atol=1e-9)


def test_sparse_rows_far_from_zero_are_as_good_as_dense_ones():
    rng = np.random.default_rng(0)
    y, y_test = np.arange(40) % 2, np.arange(1000) % 2
    X, X_test = (rng.normal(size=(len(c), 200)) + 0.3 * c[:, None] + 1e4 for c in (y, y_test))
    full, thin = (LinearDiscriminant().fit(kind(X), y) for kind in (np.asarray, sp.csr_matrix))
    np.testing.assert_allclose(thin.coef_, full.coef_, rtol=1e-6, atol=1e-9)
    assert thin.score(X_test, y_test) == full.score(X_test, y_test)


@unbiased
def test_collinear_and_constant_features_are_ignored():
    X, y = bundled.load_iris(return_X_y=True)
    plain = LinearDiscriminant().fit(X, y)
    for constant in (0.1, 0.5):
        extra = X[:, 0] + 2 * X[:, 1], np.full(150, constant), (y == 2) * constant
        more = LinearDiscriminant().fit(np.column_stack([X, *extra]), y)
        one, two = more.decision_function(np.column_stack([X, *extra])), plain.decision_function(X)
        np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-8)
        assert not more.coef_[:, -2:].any()
    # Not with 0.1, whose sums round: scikit-learn sees a variance there, and is lost.
    X = np.column_stack([X, *extra])
    assert_agree(more, LinearDiscriminantAnalysis().fit(X, y), X)


@unbiased
def test_a_class_with_one_member():
    X, y = rounding(1, 50, 4)
    y[0] = 2
    model = LinearDiscriminant().fit(X, y)
    assert_agree(model, LinearDiscriminantAnalysis().fit(X, y), X)
    with pytest.warns(UserWarning, match="one sample"):
        theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(X, y)
    assert_agree(LinearDiscriminant(shrinkage="auto").fit(X, y), theirs, X)


@pytest.mark.parametrize("shrinkage", [None, 0.5, 1.0, "auto"])
def test_no_class_with_two_different_rows(shrinkage):
    X = np.array([[0.0, 1], [0, 1], [3, 0], [5, 5]])
    model = LinearDiscriminant(shrinkage=shrinkage).fit(X, ["a", "a", "b", "c"])
    assert not model.coef_.any()
    np.testing.assert_allclose(model.predict_proba(X), np.tile([0.5, 0.25, 0.25], (4, 1)))
    assert model.predict(X).tolist() == ["a"] * 4


@pytest.mark.parametrize("shrinkage", [None, 0.5, "auto"])
@pytest.mark.parametrize("width", [3, 30])
def test_classes_announced_and_not_seen_yet(shrinkage, width):
    X, y = rounding(2, 20, width)
    model = LinearDiscriminant(shrinkage=shrinkage, priors="uniform")
    model.partial_fit(X, y, classes=[0, 1, 7])
    assert model.predict_proba(X)[:, 2].tolist() == [0.0] * 20
    assert np.isfinite(model.predict_log_proba(X)[:, :2]).all()
    assert 7 not in model.predict(X)
    two = LinearDiscriminant(shrinkage=shrinkage).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X)[:, :2],
        LinearDiscriminant(shrinkage=shrinkage, priors="uniform").fit(X, y).predict_proba(X),
        atol=1e-7,
    )
    alone = LinearDiscriminant(shrinkage=shrinkage).partial_fit(
        X[y == 1], y[y == 1], classes=[0, 1]
    )
    assert alone.predict_proba(X).tolist() == [[0.0, 1.0]] * 20
    alone.partial_fit(X[y == 0], y[y == 0])
    np.testing.assert_allclose(alone.coef_, two.coef_, rtol=1e-6, atol=1e-8)


def test_one_class_so_far():
    X, y = whole_numbers(1)
    model = LinearDiscriminant().partial_fit(X[y == 1], y[y == 1])
    assert model.predict(X).tolist() == [1] * len(X)
    assert model.predict_proba(X).tolist() == [[1.0]] * len(X)
    model.partial_fit(X[y == 0], y[y == 0])
    np.testing.assert_allclose(model.coef_, LinearDiscriminant().fit(X, y).coef_, rtol=1e-9)


def test_float32_rows_give_the_model_of_the_same_numbers():
    X, y = rounding(1, 300, 6, dtype=np.float32)
    narrow, wide = LinearDiscriminant().fit(X, y), LinearDiscriminant().fit(X.astype(float), y)
    np.testing.assert_allclose(narrow.coef_, wide.coef_, rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shrinkage": "ledoit"}, "shrinkage must be None, 'auto', or a number from 0 to 1"),
        ({"shrinkage": 1.5}, "got 1.5"),
        ({"shrinkage": True}, "got True"),
        ({"shrinkage": float("nan")}, "got nan"),
        ({"priors": "flat"}, "priors must be"),
        ({"priors": [0.5, 0.2, 0.3]}, "there are 2 classes"),
        ({"priors": [0.5, 0.6]}, "add up to 1"),
    ],
)
def test_bad_parameters_change_nothing(options, message):
    X, y = whole_numbers(1)
    model = LinearDiscriminant().fit(X, y)
    before = model.coef_.copy()
    model.set_params(**options)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=message) as caught:
            learn(X[:50], y[:50])
        assert "\n" not in str(caught.value)
        np.testing.assert_array_equal(model.coef_, before)


def test_refused_rows_change_nothing():
    X, y = whole_numbers(1)
    model = LinearDiscriminant().partial_fit(X, y)
    state = [np.copy(part) for part in model._state[:5]]
    with pytest.raises(ValueError, match="too large for float64"):
        model.partial_fit(X * 1e200, y)
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.where(X == 0, np.nan, X), y)
    for one, two in zip(state, model._state[:5], strict=True):
        np.testing.assert_array_equal(one, two)


def test_ledoit_and_wolf_cannot_be_asked_for_halfway():
    X, y = whole_numbers(1)
    model = LinearDiscriminant().partial_fit(X, y)
    with pytest.raises(ValueError, match="fit it again"):
        model.set_params(shrinkage="auto").partial_fit(X, y)
    both = LinearDiscriminant(shrinkage="auto").partial_fit(X, y)
    both.set_params(shrinkage=0.2).partial_fit(X, y)
    np.testing.assert_allclose(both.coef_, LinearDiscriminant(shrinkage=0.2).fit(X, y).coef_)
