"""The lowest loss itself: what scikit-learn's solvers find, with no option, on any columns."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression as TheirLinear
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.svm import SVC, LinearSVC

from rosenblatt import LinearRegression, LinearSVM, LogisticRegression, load, save

SETS = {
    "cancer": load_breast_cancer,
    "iris": load_iris,
    "wine": load_wine,
    "digits": load_digits,
}
EXACT = [
    LogisticRegression(),
    LinearSVM(),
    LinearSVM(loss="squared_hinge"),
    LinearRegression(),
    LinearRegression(loss="huber", penalty="l2"),
]


@pytest.fixture
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def cancer(n_columns=30):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[:, :n_columns], y


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("factor", [1, 1000])
@pytest.mark.parametrize("name", SETS)
def test_probabilities_are_those_of_scikit_learn(name, factor):
    X, y = SETS[name](return_X_y=True)
    X = X.copy()
    X[:, 2] *= factor
    ours = LogisticRegression().fit(X, y)
    theirs = TheirLogistic(C=1, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y)
    assert ours.converged_
    assert ours.alpha_ == 1 / len(y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    assert len(ours.loss_curve_) == len(ours.mistakes_) == ours.n_iter_
    assert ours.mistakes_[-1] == (ours.predict(X) != y).sum()


@pytest.mark.parametrize("C", [0.01, 1, 100])
def test_the_penalty_is_that_of_c(C):
    X, y = cancer()
    ours = LogisticRegression(alpha=1 / (C * len(y))).fit(X, y)
    theirs = TheirLogistic(C=C, tol=1e-10, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("factor", [1, 1000])
def test_least_squares_are_those_of_scikit_learn(factor):
    X, y = load_diabetes(return_X_y=True)
    X = X.copy()
    X[:, 2] *= factor
    ours, theirs = LinearRegression().fit(X, y), TheirLinear().fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-8)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("factor", [1, 1000])
def test_the_svm_is_libsvm_s(factor):
    X, y = cancer()
    ours = LinearSVM().fit(X * np.where(np.arange(30) == 2, factor, 1), y)
    assert ours.converged_
    if factor == 1:
        theirs = SVC(kernel="linear", C=1, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-3)


@pytest.mark.parametrize("name", ["cancer", "digits"])
def test_the_squared_hinge_is_liblinear_s(name):
    X, y = SETS[name](return_X_y=True)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    alpha = 1 / len(y)  # LIBLINEAR's C times 1/n, whose squares have no ½ either: ½‖w‖² + C Σ
    ours = LinearSVM(loss="squared_hinge", fit_intercept=False, alpha=alpha).fit(X, y)
    theirs = LinearSVC(C=1, fit_intercept=False, dual=False, tol=1e-8, max_iter=10_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


@pytest.mark.parametrize("model", EXACT, ids=repr)
def test_columns_of_any_size_do_no_harm(model, strict):
    """Without a penalty on the weights to speak of, a larger column has a smaller weight."""
    X, y = cancer(4)
    if isinstance(model, LinearRegression):
        y = X @ [1.0, 2, 3, 4] + y
    scale = np.array([1.0, 1000, 50, 1])
    model = clone(model).set_params(alpha=1e-7, penalty="l2")
    one, other = clone(model).fit(X, y), clone(model).fit(X * scale, y)
    assert one.converged_
    assert other.converged_
    assert other.loss_curve_[-1] == pytest.approx(one.loss_curve_[-1], rel=1e-3)
    np.testing.assert_allclose(other.coef_ * scale, one.coef_, rtol=0.1, atol=0.1)


@pytest.mark.parametrize("model", EXACT, ids=repr)
def test_whole_weights_are_repetitions(model):
    X, y = cancer(5)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    one = clone(model).fit(X, y, sample_weight=weights)
    other = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.coef_, other.coef_, atol=5e-4)
    assert one.alpha_ == pytest.approx(other.alpha_)


@pytest.mark.parametrize("model", EXACT, ids=repr)
def test_layouts_agree(model):
    X, y = cancer(6)
    X = np.where(np.abs(X) > 0.7, X, 0)
    dense = clone(model).fit(X, y)
    sparse = clone(model).fit(sp.csr_matrix(X), y)
    single = clone(model).fit(X.astype(np.float32), y)
    fortran = clone(model).fit(np.asfortranarray(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-3)
    np.testing.assert_allclose(single.coef_, dense.coef_, atol=1e-3)
    assert np.array_equal(fortran.coef_, dense.coef_)
    assert single.coef_.dtype == np.float32


@pytest.mark.parametrize(
    "options",
    [
        {"solver": "descent"},
        {"batch_size": 1},
        {"learning_rate": "constant"},
        {"eta0": 0.1},
        {"decay_steps": 10},
        {"average": True},
        {"shuffle": False},
        {"early_stopping": True},
        {"tol": None, "max_iter": 3},
    ],
    ids=repr,
)
def test_what_asks_for_steps_gets_them(options):
    X, y = cancer(5)
    model = LogisticRegression(**options).fit(X, y)
    assert hasattr(model, "eta0_")
    if options.keys() & {"solver", "tol"}:
        return
    with pytest.raises(ValueError, match=f"has no use for {next(iter(options))}; leave that out"):
        LogisticRegression(solver="exact", **options).fit(X, y)


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (LinearSVM(penalty=None), "loss='hinge' without an L2 penalty"),
        (LinearRegression(loss="quantile"), "loss='quantile'"),
    ],
    ids=repr,
)
def test_what_has_no_exact_solver_descends_or_says_so(model, what):
    X, y = cancer(5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        assert hasattr(clone(model).fit(X, y), "eta0_")
    with pytest.raises(ValueError, match=f"cannot minimise {what}; choose solver='descent'"):
        clone(model).set_params(solver="exact").fit(X, y)
    with pytest.raises(ValueError, match="solver must be 'auto', 'exact' or 'descent'"):
        clone(model).set_params(solver="lbfgs").fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 10])
def test_classes_may_have_weights(n_classes):
    X, y = load_digits(n_class=n_classes, return_X_y=True)
    X = X / 16
    ours = LogisticRegression(class_weight="balanced").fit(X, y)
    theirs = TheirLogistic(class_weight="balanced", tol=1e-8, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("model", EXACT[:3], ids=repr)
def test_partial_fit_goes_on_with_short_steps(model):
    X, y = cancer(5)
    model = clone(model).fit(X, y)
    before, score = model.coef_.copy(), model.score(X, y)
    alpha = model.alpha_
    model.partial_fit(X[:20], y[:20])
    assert not np.array_equal(model.coef_, before)
    assert np.abs(model.coef_ - before).max() < 0.2
    assert model.score(X, y) > score - 0.02
    assert model.alpha_ == alpha


def test_a_warm_start_is_the_minimum_at_once():
    X, y = cancer()
    model = LogisticRegression(warm_start=True).fit(X, y)
    first = model.coef_.copy()
    again = model.fit(X, y)
    assert again.n_iter_ < 4
    np.testing.assert_allclose(again.coef_, first, atol=1e-4)
    given = LogisticRegression().fit(X, y, coef_init=first, intercept_init=model.intercept_)
    assert given.n_iter_ < 4


def test_running_out_is_a_warning():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 passes"):
        model = LogisticRegression(max_iter=2).fit(X, y)
    assert not model.converged_
    assert model.n_iter_ == 2


def test_classes_that_a_plane_separates_have_no_minimum_without_a_penalty():
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(penalty=None).fit(X[:100], y[:100])
    assert model.score(X[:100], y[:100]) == 1
    assert np.isfinite(model.coef_).all()
    assert model.loss_curve_[-1] < 1e-3


@pytest.mark.parametrize("model", EXACT, ids=repr)
def test_it_is_saved(model, tmp_path):
    X, y = cancer(5)
    model = clone(model).fit(X, y)
    save(model, tmp_path / "exact.model")
    again = load(tmp_path / "exact.model")
    assert np.array_equal(again.coef_, model.coef_)
    assert again.alpha_ == model.alpha_
    assert again.solver == "auto"


@pytest.mark.parametrize("model", EXACT, ids=repr)
def test_the_same_data_give_the_same_bits(model):
    X, y = cancer(8)
    one, other = clone(model).fit(X, y), clone(model).set_params(random_state=5).fit(X, y)
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_many_rows_take_a_guess_first():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50_000, 5))
    y = (X @ [1.0, -2, 0, 3, 0] + rng.logistic(size=len(X)) > 0).astype(int)
    ours = LogisticRegression().fit(X, y)
    theirs = TheirLogistic(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert ours.n_iter_ < 6


def test_a_huge_column_is_no_overflow():
    X, y = cancer(3)
    X[:, 1] *= 1e100
    model = LogisticRegression().fit(X, y)
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y) > 0.8
