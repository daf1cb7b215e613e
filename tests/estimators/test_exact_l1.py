"""The L1 penalty and the elastic net of estimators that find the lowest loss itself."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from rosenblatt import LinearRegression, LinearSVM, LogisticRegression
from tests.conftest import LAYOUTS, since_sklearn, whole_numbers

TIGHT = {"tol": 1e-9}
MODELS = [
    LogisticRegression(penalty="l1", alpha=0.01),
    LogisticRegression(penalty="elasticnet", alpha=0.01, l1_ratio=0.5),
    LinearSVM(loss="squared_hinge", penalty="l1", alpha=0.05),
    LinearRegression(penalty="l1", alpha=1.0),
    LinearRegression(penalty="elasticnet", alpha=1.0, l1_ratio=0.3),
    LinearRegression(loss="huber", penalty="l1", alpha=0.01),
]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


def data_for(model, n_classes, cancer, iris, diabetes):
    if isinstance(model, LinearRegression):
        return diabetes
    return cancer if n_classes == 2 else iris


def is_same(one, other, close=1e-5):
    np.testing.assert_allclose(one.coef_, other.coef_, atol=close)
    np.testing.assert_array_equal(one.coef_ == 0, other.coef_ == 0)


@since_sklearn("1.8", "l1_ratio needs a penalty beside it")
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("alpha", [0.1, 0.01])
@pytest.mark.parametrize("name", ["cancer", "iris"])
def test_logistic_regression_is_scikit_learns(name, alpha, l1_ratio, request):
    X, y = request.getfixturevalue(name)
    mine = LogisticRegression(penalty="elasticnet", alpha=alpha, l1_ratio=l1_ratio, **TIGHT)
    theirs = SklearnLogisticRegression(
        C=1 / (alpha * len(y)), l1_ratio=l1_ratio, solver="saga", tol=1e-12, max_iter=100_000
    )
    is_same(mine.fit(X, y), theirs.fit(X, y))
    if name == "cancer":
        np.testing.assert_allclose(mine.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert mine.converged_
    assert mine.n_iter_ < 30


@since_sklearn("1.8", "l1_ratio needs a penalty beside it")
def test_it_is_liblinears_where_there_is_no_intercept(cancer):
    """LIBLINEAR penalises the intercept."""
    X, y = cancer
    given = {"C": 1 / (0.02 * len(y)), "fit_intercept": False, "tol": 1e-10, "max_iter": 100_000}
    mine = LogisticRegression(penalty="l1", alpha=0.02, fit_intercept=False, **TIGHT).fit(X, y)
    is_same(mine, SklearnLogisticRegression(l1_ratio=1.0, solver="liblinear", **given).fit(X, y))
    assert mine.intercept_ == 0


@pytest.mark.parametrize("name", ["cancer", "iris"])
def test_the_svm_is_liblinears(name, request):
    """Of several classes, each is one against the rest."""
    X, y = request.getfixturevalue(name)
    given = {"fit_intercept": False, "tol": 1e-10, "max_iter": 1_000_000}
    theirs = LinearSVC(penalty="l1", dual=False, C=1 / (0.05 * len(y)), **given).fit(X, y)
    mine = LinearSVM(
        loss="squared_hinge", penalty="l1", alpha=0.05, fit_intercept=False, **TIGHT
    ).fit(X, y)
    is_same(mine, theirs)
    assert mine.converged_


@pytest.mark.parametrize("alpha", [2.0, 0.2, 0.002])
def test_squares_are_the_lasso_and_the_elastic_net(alpha, diabetes):
    """Their objectives have half of each square."""
    X, y = diabetes
    peer = {"alpha": alpha / 2, "tol": 1e-13, "max_iter": 1_000_000}
    pairs = [
        (LinearRegression(penalty="l1", alpha=alpha), Lasso(**peer)),
        (
            LinearRegression(penalty="elasticnet", alpha=alpha, l1_ratio=0.7),
            ElasticNet(l1_ratio=0.7, **peer),
        ),
    ]
    for mine, theirs in pairs:
        is_same(mine.fit(X, y), theirs.fit(X, y))
        assert mine.intercept_ == pytest.approx(theirs.intercept_, abs=1e-5)
        assert mine.n_iter_ <= 5


def test_a_penalty_too_large_leaves_only_the_intercept(cancer, iris, diabetes):
    (X, y), (flowers, kinds), (people, progress) = cancer, iris, diabetes
    model = LogisticRegression(penalty="l1", alpha=10.0, **TIGHT).fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_[0] == pytest.approx(np.log(y.mean() / (1 - y.mean())), abs=1e-6)
    model.fit(flowers[10:], kinds[10:])
    assert not model.coef_.any()
    np.testing.assert_allclose(
        model.predict_proba(flowers[:1])[0], np.bincount(kinds[10:]) / 140, atol=1e-6
    )
    plain = LinearRegression(penalty="l1", alpha=1e4).fit(people, progress)
    assert not plain.coef_.any()
    assert plain.intercept_ == pytest.approx(progress.mean())


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_a_penalty_of_nothing_is_none(model, cancer, iris, diabetes):
    X, y = data_for(model, 2, cancer, iris, diabetes)
    X = X[:, :3]
    none = clone(model).set_params(penalty=None, alpha="auto", **TIGHT).fit(X, y)
    zero = clone(model).set_params(alpha=0, **TIGHT).fit(X, y)
    np.testing.assert_allclose(zero.coef_, none.coef_, rtol=1e-6)
    tiny = clone(model).set_params(alpha=1e-10, **TIGHT).fit(X, y)
    np.testing.assert_allclose(tiny.coef_, none.coef_, rtol=1e-3)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_layouts_weights_and_starts_lead_to_the_same(model, n_classes, cancer, iris, diabetes):
    X, y = data_for(model, n_classes, cancer, iris, diabetes)
    model = clone(model).set_params(**TIGHT).fit(X, y)
    assert model.converged_
    is_same(clone(model).fit(sp.csr_matrix(X), y), model)
    rough = clone(model).set_params(tol=1e-3).fit(X.astype(np.float32), y)
    assert rough.coef_.dtype == np.float32
    np.testing.assert_allclose(rough.coef_, model.coef_, atol=1e-3 * np.abs(model.coef_).max())
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    is_same(weighted, repeated, 1e-5 * np.abs(model.coef_).max())
    again = clone(model).set_params(warm_start=True).fit(X, y)
    first = again.n_iter_
    is_same(again.fit(X, y), model)
    assert again.n_iter_ <= max(first // 2, 3)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_layout(layout, n_classes):
    X, y = whole_numbers(40, 6, n_classes)
    model = LogisticRegression(penalty="l1", alpha=0.05, **TIGHT).fit(X.astype(float), y)
    is_same(clone(model).fit(LAYOUTS[layout](X.astype(float)), y), model)


def test_ten_classes_take_few_steps():
    X, y = load_digits(return_X_y=True)
    model = LogisticRegression(penalty="l1", alpha=0.01).fit(X, y)
    assert model.converged_
    assert model.n_iter_ < 20
    best = LogisticRegression(penalty="l1", alpha=0.01, **TIGHT).fit(X, y)
    assert model.loss_curve_[-1] <= best.loss_curve_[-1] * (1 + 1e-8)
    assert 100 < np.count_nonzero(model.coef_) < 250


def test_the_loss_curve_is_the_objective(cancer):
    X, y = cancer
    model = LogisticRegression(penalty="elasticnet", alpha=0.02, l1_ratio=0.4).fit(X, y)
    margins = np.where(y == 1, 1, -1) * model.decision_function(X)
    w = model.coef_
    value = np.logaddexp(0, -margins).mean() + 0.008 * np.abs(w).sum() + 0.006 * (w**2).sum()
    assert model.loss_curve_[-1] == pytest.approx(value, rel=1e-9)
    assert np.all(np.diff(model.loss_curve_) <= 0)


def test_what_asks_for_steps_gets_them(cancer):
    X, y = cancer
    given = {"penalty": "l1", "alpha": 0.05}
    exact = LogisticRegression(**given).fit(X, y)
    is_same(LogisticRegression(**given, solver="exact").fit(X, y), exact, 0)
    steps = LogisticRegression(**given, solver="descent", max_iter=1000).fit(X, y)
    assert not np.array_equal(steps.coef_, exact.coef_)
    assert steps.loss_curve_[-1] == pytest.approx(exact.loss_curve_[-1], rel=0.02)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (LinearSVM(penalty="l1"), "loss='hinge' with an L1 penalty"),
        (LinearSVM(penalty="elasticnet"), "loss='hinge' with an L1 penalty"),
        (LinearRegression(loss="quantile", penalty="l1"), "loss='quantile'"),
    ],
    ids=repr,
)
def test_where_there_is_no_exact_solver(model, told, cancer):
    X, y = cancer
    with pytest.raises(ValueError, match=f"cannot minimise {told}; choose solver='descent'"):
        clone(model).set_params(solver="exact").fit(X, y)
    assert clone(model).set_params(max_iter=1000).fit(X, y).n_iter_ > 5


@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("epsilon", [1.35, 1e-3, 1e9])
@pytest.mark.parametrize("alpha", [0.0, 1e-4])
def test_hubers_loss_is_lowest_from_far_away(alpha, epsilon, offset, diabetes):
    """At zero weights no number may be within ε, so nothing curves."""
    X, y = diabetes
    given = {"loss": "huber", "epsilon": epsilon, "penalty": "l2", "alpha": alpha}
    model = LinearRegression(**given, tol=1e-6).fit(X, y + offset)
    assert model.converged_
    off = model.predict(X) - (y + offset)
    slopes = np.clip(off, -epsilon, epsilon) / epsilon
    assert abs(slopes.mean()) < 1e-3
    rest = X.T @ slopes / len(y) + alpha / epsilon * model.coef_
    assert np.abs(rest).max() < 1e-4
