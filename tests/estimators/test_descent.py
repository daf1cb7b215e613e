"""The faces of gradient descent: they find what they should, stop when they should, and say so."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression as SklearnLinearRegression
from sklearn.linear_model import LogisticRegression as SklearnLogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from rosenblatt import (
    GradientDescent,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    reference,
)
from tests.conftest import since_sklearn, whole_numbers
from tests.estimators.test_bad_input import bits

CLASSIFIERS = [LogisticRegression, LinearSVM, GradientDescent]
BATCH = {"batch_size": None, "learning_rate": "line_search"}


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def cancer():
    return scaled(load_breast_cancer)


@pytest.fixture(scope="module")
def iris():
    return scaled(load_iris)


# They find what other methods find


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_logistic_regression_finds_the_optimum(load):
    X, y = scaled(load)
    alpha = 0.1
    peer = SklearnLogisticRegression(C=1 / (alpha * len(y)), tol=1e-10, max_iter=10_000).fit(X, y)
    exact = LogisticRegression(
        **BATCH, penalty="l2", alpha=alpha, tol=1e-5, n_iter_no_change=10**6, max_iter=5000
    ).fit(X, y)
    assert exact.converged_
    assert exact.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=1e-4)
    # Stochastic steps end up near it.
    near = LogisticRegression(
        penalty="l2", alpha=alpha, average=50 * len(y) + 1, max_iter=200, tol=None
    ).fit(X, y)
    assert near.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=0.02)


def test_linear_regression_finds_the_least_squares():
    X, y = scaled(load_diabetes)
    peer = SklearnLinearRegression().fit(X, y)
    model = LinearRegression(**BATCH, tol=1e-3, n_iter_no_change=10**6, max_iter=30_000).fit(X, y)
    assert model.converged_
    assert model.predict(X) == pytest.approx(peer.predict(X), abs=0.5)
    assert model.score(X, y) == pytest.approx(peer.score(X, y), abs=1e-5)
    quick = LinearRegression(max_iter=50, tol=None).fit(X, y)
    assert quick.score(X, y) == pytest.approx(peer.score(X, y), abs=0.01)


def test_svm_comes_near_the_least_objective(cancer):
    X, y = cancer
    alpha, sign = 1e-3, np.where(y > 0, 1, -1)
    wide = np.column_stack([X, np.ones(len(X))])

    def objective(w, b, penalised=0.0):
        hinge = np.maximum(0, 1 - sign * (X @ w + b)).mean()
        return hinge + alpha / 2 * (w @ w + penalised * b * b)

    peer = LinearSVC(
        loss="hinge", C=1 / (alpha * len(y)), fit_intercept=False, tol=1e-8, max_iter=10**6
    ).fit(wide, y)
    least = objective(peer.coef_[0, :-1], peer.coef_[0, -1], 1.0)
    model = LinearSVM(alpha=alpha, learning_rate="optimal", max_iter=200, tol=None).fit(X, y)
    assert objective(model.coef_[0], model.intercept_[0]) < 1.02 * least


def test_a_batch_of_one_is_the_perceptron():
    X, y = whole_numbers(0)
    plain = Perceptron(max_iter=6, tol=None, random_state=3).fit(X, y)
    same = GradientDescent(
        learning_rate="constant", eta0=1.0, max_iter=6, tol=None, random_state=3
    ).fit(X, y)
    assert np.array_equal(plain.coef_, same.coef_)
    assert plain.mistakes_.tolist() == same.mistakes_.tolist()


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("batch_size", [1, 16, None])
def test_batches_of_any_size_learn(estimator, batch_size, cancer, iris):
    for X, y in (cancer, iris):
        model = estimator(batch_size=batch_size, max_iter=200, tol=None).fit(X, y)
        assert model.score(X, y) > 0.93
        assert len(model.loss_curve_) == 200
        # The perceptron's criterion is zero at the start, where every row is a tie.
        assert model.loss_curve_[-1] < model.loss_curve_[1]
        sparse = estimator(batch_size=batch_size, max_iter=200, tol=None).fit(sp.csr_matrix(X), y)
        assert sparse.score(sp.csr_matrix(X), y) == pytest.approx(model.score(X, y), abs=0.02)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rate", ["auto", "line_search"])
@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_kink_at_zero_is_left(estimator, rate, dtype, cancer, iris):
    """Losses with a kink may have no way down from zero weights; they must not stay there."""
    for X, y in (cancer, iris):
        model = estimator(batch_size=None, learning_rate=rate, max_iter=100, tol=None)
        model.fit(X.astype(dtype), y)
        assert np.abs(model.coef_).max() > 1e-3
        assert model.score(X, y) > 0.9


def test_a_mean_is_forgotten_when_it_is_no_longer_wanted(cancer):
    X, y = cancer
    model = LogisticRegression(average=True, learning_rate="constant", eta0=0.1)
    plain = LogisticRegression(learning_rate="constant", eta0=0.1)
    model.partial_fit(X, y).set_params(average=False).partial_fit(X, y)
    plain.partial_fit(X, y).partial_fit(X, y)
    assert np.array_equal(model.coef_, plain.coef_)
    before = plain.coef_
    model.set_params(average=True).partial_fit(X[:1], y[:1])
    assert model.coef_ == pytest.approx(before, abs=0.5)
    assert model._state.averaged == 1
    assert np.allclose(model.coef_, model._state.weights)


def test_a_loss_may_change_halfway(cancer):
    X, y = cancer
    options = {"learning_rate": "constant", "eta0": 0.01}
    model = GradientDescent(loss="hinge", **options)
    model.partial_fit(X, y).set_params(loss="squared").partial_fit(X, y)
    other = GradientDescent(loss="hinge", **options).partial_fit(X, y).partial_fit(X, y)
    assert not np.allclose(model.coef_, other.coef_)


def test_loss_curve_of_the_batch_falls_with_every_pass(cancer):
    X, y = cancer
    for options in (BATCH, {"batch_size": None, "learning_rate": "constant"}):
        model = LogisticRegression(**options, penalty="l2", max_iter=60, tol=None).fit(X, y)
        assert np.all(np.diff(model.loss_curve_) < 0)


@since_sklearn("1.8", "l1_ratio needs a penalty beside it")
def test_l1_leaves_features_out(cancer):
    X, y = cancer
    model = LogisticRegression(penalty="l1", alpha=0.05, max_iter=100, tol=None).fit(X, y)
    peer = SklearnLogisticRegression(
        l1_ratio=1.0, C=1 / (0.05 * len(y)), solver="saga", max_iter=10_000
    ).fit(X, y)
    zeros = model.coef_ == 0
    assert zeros.sum() >= 15
    assert np.mean(zeros == (peer.coef_ == 0)) > 0.8
    assert model.score(X, y) > 0.9


# When they stop


def test_no_progress_ends_it_and_running_out_is_said(cancer):
    X, y = cancer
    model = LogisticRegression(tol=1e-2).fit(X, y)
    assert model.converged_
    assert model.n_iter_ == len(model.loss_curve_) < 100
    with pytest.warns(ConvergenceWarning, match="stopped after 2 passes, before the loss settled"):
        assert not LogisticRegression(max_iter=2).fit(X, y).converged_


def test_a_short_gradient_ends_the_batch(cancer):
    X, y = cancer
    model = LogisticRegression(
        **BATCH, penalty="l2", alpha=0.1, tol=1e-3, n_iter_no_change=10**6
    ).fit(X, y)
    assert model.converged_
    sigma = model.predict_proba(X)[:, 1]
    gradient = X.T @ (sigma - y) / len(y) + 0.1 * model.coef_[0]
    assert np.linalg.norm(gradient) < 2e-3


def test_early_stopping_keeps_the_best(cancer):
    X, y = cancer
    model = LogisticRegression(early_stopping=True, validation_fraction=0.3, tol=1e-4).fit(X, y)
    assert model.converged_
    curve = model.validation_curve_
    assert len(curve) == model.n_iter_
    # The weights are those of the pass with the least loss: that many rows were looked at.
    assert model.t_ == (curve.argmin() + 1) * (len(y) - round(0.3 * 212) - round(0.3 * 357))


@pytest.mark.parametrize("make", [LogisticRegression, LinearSVM, GradientDescent, LinearRegression])
def test_early_stopping_is_not_for_partial_fit(make):
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    model = make(early_stopping=True)
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        model.partial_fit(X, y)
    assert not hasattr(model, "coef_")
    model.set_params(early_stopping=False).partial_fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        model.set_params(early_stopping=True).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, before)


def test_early_stopping_with_few_rows():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    model = LogisticRegression(early_stopping=True, max_iter=20, tol=None).fit(X, y)
    assert np.all(np.isfinite(model.coef_))
    with pytest.raises(ValueError, match="no rows to hold out and learn from"):
        LogisticRegression(early_stopping=True).fit(X[:2], y[:2])


# Steps


@pytest.mark.parametrize("batch_size", [1, 4, None])
def test_steps_too_long_are_an_error_that_says_so(batch_size):
    X, y = scaled(load_diabetes)
    model = LinearRegression(
        batch_size=batch_size, learning_rate="constant", eta0=0.01, max_iter=10, tol=None
    )
    model.fit(X, y)
    before = bits(model)
    model.set_params(eta0=10.0, max_iter=1000)
    with pytest.raises(
        ValueError, match=r"diverged.*10 are too long.*Try eta0=.auto., here 0\.[01]"
    ) as error:
        model.fit(X, y)
    assert "\n" not in str(error.value)
    assert "StandardScaler" in str(error.value)
    model.set_params(eta0=0.01, max_iter=10)
    assert bits(model) == before


@pytest.mark.parametrize("eta0", [1.05, 2.0])
def test_a_loss_that_only_rises_is_not_converged(eta0):
    """However little it rises, and however soon the stopping rule would have its way."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((97, 3))
    y = X @ [1.0, 2.0, -1.0]
    options = {"batch_size": None, "learning_rate": "constant"}
    with pytest.raises(ValueError, match="diverged: the loss grew from"):
        LinearRegression(eta0=eta0, **options).fit(X, y)
    with pytest.raises(ValueError, match=r"diverged: the loss grew from 0\.693 to"):
        LogisticRegression(eta0=1e300, penalty=None, tol=None, max_iter=20).fit(X, y > 0)


def test_a_loss_that_goes_up_and_down_is_said():
    """The hinge of three rows on one spot is least at w = 1; steps of 4/3 jump across it."""
    model = LinearSVM(
        penalty=None, fit_intercept=False, batch_size=None, learning_rate="constant", eta0=4.0
    )
    with pytest.warns(ConvergenceWarning, match="It goes up and down: the steps of 4 are too long"):
        model.fit([[1.0], [1.0], [1.0]], [1, 1, 0])
    assert model.loss_curve_[:4] == pytest.approx([1, 7 / 9, 1, 7 / 9])
    assert not model.converged_


# What stochastic descent comes to as well: there is no scale that suits columns of 0.1 and 1,000.
AS_IT_IS = {load_digits: 0.95, load_wine: 0.6, load_breast_cancer: 0.9, load_iris: 0.95}


@pytest.mark.filterwarnings("ignore:column .* of X is")
@pytest.mark.filterwarnings("ignore:.*a few moves with scaled features would lower it")
@pytest.mark.filterwarnings("ignore:.*the exact solver finds a loss")
@pytest.mark.parametrize("load", AS_IT_IS, ids=lambda load: load.__name__)
def test_the_hinge_of_all_rows_needs_no_setting(load):
    """Neither of raw columns nor of scaled ones, though it has kinks that steps jump across.

    Of columns of other sizes it says that it comes nowhere near the lowest loss.
    """
    X, y = load(return_X_y=True)
    for rows, least in ((X, AS_IT_IS[load]), (StandardScaler().fit_transform(X), 0.95)):
        for penalty in ("l2", "l1", None) if load is not load_digits else ("l2",):
            model = LinearSVM(batch_size=None, penalty=penalty).fit(rows, y)
            crawls = rows is X and load is not load_iris
            assert model.converged_ or crawls
            assert model.score(rows, y) > least


def test_the_last_move_leads_to_the_lowest_loss():
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(batch_size=None).fit(X, y)
    start = model.coef_, model.intercept_
    again = LinearSVM(batch_size=None, max_iter=1, tol=None).fit(X, y, *start)
    assert again.loss_curve_[0] == pytest.approx(model.loss_curve_.min(), abs=1e-12)


def test_the_hinge_of_all_rows_comes_near_the_best_there_is():
    """LIBSVM's, which leaves the intercept without a penalty as well."""
    X, y = scaled(load_breast_cancer)
    alpha = 0.01
    other = SVC(kernel="linear", C=1 / (alpha * len(y))).fit(X, y)
    margins = np.where(y == 1, 1, -1) * other.decision_function(X)
    lowest = np.maximum(0, 1 - margins).mean() + alpha / 2 * np.sum(other.coef_**2)
    for tol in (1e-3, 1e-4):
        model = LinearSVM(batch_size=None, alpha=alpha, tol=tol).fit(X, y)
        assert model.converged_
        assert lowest - 1e-6 < model.loss_curve_.min() < lowest + tol


@pytest.mark.parametrize("scale", [1e-60, 1e-6, 1e6, 1e60])
def test_the_size_of_all_columns_plays_no_part(scale):
    X, y = load_iris(return_X_y=True)
    one = LinearSVM(batch_size=None, penalty=None, fit_intercept=False).fit(X, y)
    other = LinearSVM(batch_size=None, penalty=None, fit_intercept=False).fit(X * scale, y)
    assert other.n_iter_ == one.n_iter_
    assert other.score(X * scale, y) == one.score(X, y)


@pytest.mark.filterwarnings("ignore:column .* of X is")
@pytest.mark.filterwarnings("ignore:.*a few moves with scaled features would lower it")
@pytest.mark.parametrize("load", [load_wine, load_iris])
def test_a_few_moves_do_not_end_it(load):
    """Five batches are a pass here; five passes are too few to tell that nothing is gained."""
    X, y = load(return_X_y=True)
    assert LinearSVM(batch_size=32).fit(X, y).score(X, y) > AS_IT_IS[load]


def test_the_perceptron_of_all_rows_goes_by_its_mistakes():
    """Its criterion is zero before the first move, and would never be lower."""
    X, y = scaled(load_digits)
    model = GradientDescent(batch_size=None).fit(X, y)
    assert model.converged_
    assert model.mistakes_[-1] == 0
    with pytest.warns(ConvergenceWarning, match="no plane separates the classes. Try loss='hinge'"):
        model.fit(*load_iris(return_X_y=True))
    assert model.n_iter_ > 100


def follow_the_advice(model, X, y):
    """Fit, and do what errors and warnings say, until there are none; never the same twice."""
    tried = []
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                model.fit(X, y)
                said = [str(one.message) for one in told if "up and down" in str(one.message)]
            except ValueError as error:
                said = [str(error)]
        if not said:
            break
        words = re.findall(r"(\w+)='?([\w.+-]+)'?", said[0].partition(" Try ")[2])
        advice = {name: value if value.isidentifier() else float(value) for name, value in words}
        assert advice
        assert advice not in tried
        tried.append(advice)
        model.set_params(**advice)
    assert not said


SHORT_SIGHTED = [
    LinearSVM(batch_size=None, learning_rate="constant"),
    LinearSVM(batch_size=None, eta0=1.0),
    LinearSVM(batch_size=None, eta0=1e-5, learning_rate="inverse"),
    LinearSVM(batch_size=None, eta0=1e3, penalty="l1"),
    LinearSVM(batch_size=32, eta0=1e3, learning_rate="constant"),
    LinearSVM(eta0=1e3, learning_rate="constant"),
    LogisticRegression(batch_size=None, eta0=1e3, learning_rate="constant"),
    LogisticRegression(batch_size=None, eta0=1e3, penalty="l1"),
    LogisticRegression(eta0=1e9),
    GradientDescent(loss="squared", batch_size=None, eta0=1.0),
    GradientDescent(loss="squared", batch_size=32, eta0=1.0),
    GradientDescent(loss="squared", eta0=1.0),
    GradientDescent(batch_size=None),
    LinearSVM(loss="squared_hinge", batch_size=None, eta0=1.0),
    LinearSVM(loss="squared_hinge", eta0=1.0),
    GradientDescent(loss="modified_huber", eta0=1e3),
    LogisticRegression(batch_size=None, eta0=1e3, penalty="elasticnet"),
]


@pytest.mark.parametrize("model", SHORT_SIGHTED, ids=repr)
@pytest.mark.parametrize(
    "load", [load_digits, load_wine, load_iris], ids=["digits", "wine", "iris"]
)
def test_who_follows_the_advice_gets_there(model, load):
    """Whether it is an error or a warning; what was tried is not advised again."""
    X, y = (part[::3] for part in load(return_X_y=True))
    model = clone(model)
    follow_the_advice(model, X, y)
    assert model.score(X, y) > np.bincount(y).max() / len(y) - 0.1


def test_polyak_is_for_all_rows_and_losses_that_have_a_lowest(cancer):
    X, y = cancer
    with pytest.raises(ValueError, match="needs batch_size=None and fit"):
        LinearSVM(learning_rate="polyak").fit(X, y)
    model = LinearSVM(learning_rate="polyak", batch_size=None)
    with pytest.raises(ValueError, match="needs batch_size=None and fit"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="lowest where all weights are zero"):
        GradientDescent(learning_rate="polyak", batch_size=None).fit(X, y)
    same = LinearSVM(batch_size=None).fit(X, y)
    assert np.array_equal(model.fit(X, y).coef_, same.coef_)
    for estimator in (LogisticRegression, LinearSVM):
        assert estimator(learning_rate="polyak", batch_size=None).fit(X, y).score(X, y) > 0.97


def test_a_cure_for_steps_that_the_penalty_cannot_bear(cancer):
    X, y = cancer
    model = LogisticRegression(penalty="l2", alpha=1e-3, eta0=1e5)
    with pytest.raises(ValueError, match=r"is over 1\. .* Try eta0=.auto., here 0\.13"):
        model.fit(X, y)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("batch_size", [1, 8, None])
def test_a_heavy_penalty_is_borne_by_automatic_steps(estimator, batch_size, cancer):
    X, y = cancer
    model = estimator(
        penalty="l2", alpha=1000.0, batch_size=batch_size, learning_rate="constant", tol=None
    ).set_params(max_iter=20)
    model.fit(X, y)
    assert np.abs(model.coef_).max() < 0.01


def test_a_penalty_that_was_forgotten_is_said(cancer):
    X, y = cancer
    with pytest.warns(UserWarning, match=r"alpha=0\.5 has no effect without a penalty"):
        LogisticRegression(alpha=0.5, penalty=None).fit(X, y)


def test_steps_of_a_stream_grow_no_longer():
    model = LinearRegression(fit_intercept=False).partial_fit([[1e-3, 0]], [1.0])
    first = model.eta0_
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = 10 * rng.standard_normal((50, 2))
        model.partial_fit(X, X @ [1.0, -1.0])
    assert model.eta0_ < first / 100
    assert model.coef_ == pytest.approx([1, -1], abs=0.05)


def test_nothing_of_an_earlier_fit_is_left(cancer):
    X, y = cancer
    model = LogisticRegression(early_stopping=True, penalty="l2", alpha=1.0).fit(X, y)
    assert len(model.validation_curve_) == model.n_iter_
    model.set_params(early_stopping=False)
    weights = model.coef_[0]
    model.partial_fit(X[:1], y[:1])
    assert not hasattr(model, "validation_curve_")
    assert model.loss_curve_[0] >= weights @ weights / 2


def test_all_rows_at_once_search_for_their_steps(cancer):
    X, y = cancer
    one = LogisticRegression(batch_size=None, max_iter=20, tol=None).fit(X, y)
    other = LogisticRegression(**BATCH, max_iter=20, tol=None).fit(X, y)
    assert np.array_equal(one.coef_, other.coef_)


def test_columns_of_other_sizes_are_said():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((50, 3)), columns=["a", "b", "income"])
    X["income"] *= 1000
    with pytest.warns(
        ConvergenceWarning, match="column 'income' of X is .* times larger than a typical"
    ):
        LogisticRegression(max_iter=2, tol=None).fit(X, X["a"] > 0)


def test_all_rows_at_once_take_the_step_that_is_named(cancer):
    X, y = cancer
    one = LogisticRegression(batch_size=None, eta0=0.1, max_iter=5, tol=None).fit(X, y)
    other = LogisticRegression(
        batch_size=None, learning_rate="constant", eta0=0.1, max_iter=5, tol=None
    ).fit(X, y)
    assert np.array_equal(one.coef_, other.coef_)


@pytest.mark.filterwarnings("ignore:column . of X is")
@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.floats(-6, 6),
    st.sampled_from([1, 5, None]),
    st.sampled_from([LinearRegression, *CLASSIFIERS]),
)
def test_automatic_steps_never_diverge(seed, size, batch_size, estimator):
    rng = np.random.default_rng(seed)
    scale = 10.0 ** (size + rng.uniform(-2, 2, 5))
    X = rng.standard_normal((60, 5)) * scale + rng.normal(size=5) * scale
    y = (X - X.mean(axis=0)) @ (rng.normal(size=5) / scale) + 0.1 * rng.normal(size=60)
    model = estimator(batch_size=batch_size, learning_rate="constant", max_iter=300, tol=None)
    model.fit(X, y if estimator is LinearRegression else y > 0)
    assert np.all(np.isfinite(model.coef_))
    if getattr(model, "loss", "") != "perceptron":
        assert model.loss_curve_[-1] <= 2 * model.loss_curve_[0]


def test_scaling_all_features_changes_no_prediction(cancer):
    X, y = cancer
    options = {"penalty": None, "fit_intercept": False, "max_iter": 5, "tol": None}
    one = LogisticRegression(**options).fit(X, y)
    other = LogisticRegression(**options).fit(64 * X, y)
    assert one.coef_ == pytest.approx(64 * other.coef_)
    assert one.eta0_ == pytest.approx(64**2 * other.eta0_)


@pytest.mark.parametrize("rate", ["constant", "inverse", "inverse_sqrt", "step", lambda t: 1 / t])
def test_every_schedule_lowers_the_loss(rate, cancer):
    X, y = cancer
    model = LogisticRegression(learning_rate=rate, max_iter=30, tol=None).fit(X, y)
    assert model.loss_curve_[-1] < 0.7 * np.log(2)


def test_average_may_start_late(cancer):
    X, y = cancer
    n = len(y)
    late = LogisticRegression(
        average=n + 1, max_iter=2, tol=None, shuffle=False, learning_rate="constant"
    ).fit(X, y)
    first = LogisticRegression(
        max_iter=1, tol=None, shuffle=False, learning_rate="constant", eta0=late.eta0_
    ).fit(X, y)
    state, total = first, np.zeros_like(first.coef_)
    for i in range(n):
        state.partial_fit(X[i : i + 1], y[i : i + 1])
        total += state.coef_
    assert late._state.averaged == n
    assert late.coef_ == pytest.approx(total / n)


DESCENDING = [LogisticRegression, LinearSVM, LinearRegression]


@pytest.mark.parametrize("estimator", DESCENDING)
def test_the_mean_predicts_by_default(estimator, cancer):
    """From the second pass on: the first is on its way from zero."""
    X, y = cancer
    options = {"max_iter": 4, "tol": None}
    by_default = estimator(**options).fit(X, y)
    named = estimator(**options, average=len(y) + 1).fit(X, y)
    assert np.array_equal(by_default.coef_, named.coef_)
    assert by_default._state.averaged == 3 * len(y)
    assert not np.array_equal(by_default.coef_, estimator(**options, average=False).fit(X, y).coef_)


@pytest.mark.parametrize("estimator", DESCENDING)
@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": None},
        {"batch_size": 10**4},
        {"penalty": "l1"},
        {"penalty": "elasticnet"},
        {"learning_rate": "inverse"},
        {"learning_rate": "optimal", "penalty": "l2"},
    ],
    ids=repr,
)
def test_the_last_weights_predict_where_a_mean_makes_no_sense(estimator, options, cancer):
    X, y = cancer
    given = {**options, "max_iter": 5, "tol": None}
    plain = estimator(**given, average=False).fit(X, y)
    assert np.array_equal(estimator(**given).fit(X, y).coef_, plain.coef_)


def test_a_long_first_pass_is_averaged_in_part():
    X = np.tile(np.eye(3), (4_000, 1))
    model = LogisticRegression(max_iter=1, tol=None).fit(X, np.tile([0, 1, 0], 4_000))
    assert model._state.averaged == 2_000


@pytest.mark.parametrize("estimator", DESCENDING)
def test_a_stream_goes_on_with_a_mean_and_starts_none(estimator, cancer):
    X, y = cancer
    stream, plain = estimator(), estimator(average=False)
    for model in (stream, plain):
        model.partial_fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    assert np.array_equal(stream.coef_, plain.coef_)
    model = estimator(max_iter=3, tol=None).fit(X, y)
    before = model.coef_.copy()
    assert model.partial_fit(X[:5], y[:5])._state.averaged == 2 * len(y) + 5
    assert model.coef_ == pytest.approx(before, abs=0.05)
    model.set_params(average=False).partial_fit(X[:5], y[:5])
    assert model._state.averaged == 0


ADAPTIVE = {"learning_rate": "adaptive", "tol": None}


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_steps_for_each_feature_are_those_of_the_reference(kind, cancer):
    X, y = cancer[0][:150, :6], cancer[1][:150]
    options = {**ADAPTIVE, "penalty": "l2", "alpha": 0.01, "max_iter": 2, "shuffle": False}
    model = LogisticRegression(**options).fit(kind(X), y)
    last = LogisticRegression(**options, average=False).fit(kind(X), y)
    wide = np.column_stack([X, np.ones(150)])
    orders = [range(150)] * 2
    steps = list(reference.adaptive(wide, 2 * y - 1, orders, "logistic", l2=0.01 * 150))
    for one, expected in ((last, steps[-1]), (model, np.mean(steps[150:], axis=0))):
        both = np.append(one.coef_, one.intercept_)
        np.testing.assert_allclose(both, expected[0], rtol=1e-9, atol=1e-12)
    assert model.eta0_ == 0.5


def test_steps_for_each_feature_lead_to_the_optimum(iris):
    X, y = iris
    alpha = 0.05
    peer = SklearnLogisticRegression(C=1 / (alpha * len(y)), tol=1e-10, max_iter=10_000).fit(X, y)
    model = LogisticRegression(**ADAPTIVE, alpha=alpha, max_iter=300).fit(X, y)
    assert model.predict_proba(X) == pytest.approx(peer.predict_proba(X), abs=0.01)


@pytest.mark.parametrize("estimator", [*CLASSIFIERS, LinearRegression])
def test_steps_for_each_feature_in_every_estimator(estimator, cancer):
    X, y = cancer
    model = estimator(**ADAPTIVE, max_iter=20, shuffle=False).fit(X, y)
    assert model.score(X, y) > (0.6 if estimator is LinearRegression else 0.95)
    again = estimator(**ADAPTIVE, max_iter=10, shuffle=False, warm_start=True).fit(X, y).fit(X, y)
    assert np.array_equal(again.coef_, model.coef_)
    stream = estimator(**ADAPTIVE, penalty=None)
    for start in range(0, len(y), 100):
        stream.partial_fit(X[start : start + 100], y[start : start + 100])
    once = estimator(**ADAPTIVE, penalty=None, max_iter=1, shuffle=False, average=False).fit(X, y)
    assert np.array_equal(stream.coef_, once.coef_)
    early = estimator(learning_rate="adaptive", early_stopping=True).fit(X, y)
    assert early.n_iter_ == len(early.validation_curve_)


def test_steps_for_each_feature_take_weights(cancer):
    """A row without weight is not there, and one of twice the weight is there twice."""
    X, y = cancer[0][:200], cancer[1][:200]
    weights = np.random.default_rng(0).integers(0, 3, 200)
    options = {**ADAPTIVE, "penalty": None, "shuffle": False, "average": False}
    model = LogisticRegression(**options).partial_fit(X, y, sample_weight=weights)
    rows = np.repeat(np.arange(200), weights)
    again = LogisticRegression(**options).partial_fit(X[rows], y[rows])
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 8}, "needs batch_size=1 and penalty='l2' or None"),
        ({"batch_size": None}, "needs batch_size=1 and penalty='l2' or None"),
        ({"penalty": "l1"}, "needs batch_size=1 and penalty='l2' or None"),
        ({"average": 7}, "average=7 starts late"),
    ],
)
def test_what_steps_for_each_feature_cannot_do(options, message, cancer):
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**ADAPTIVE, **options).fit(*cancer)


def test_steps_for_each_feature_cannot_start_halfway(cancer):
    model = LogisticRegression(max_iter=3, tol=None).fit(*cancer)
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="learning_rate was changed to or from 'adaptive'"):
        model.set_params(learning_rate="adaptive").partial_fit(*cancer)
    assert np.array_equal(model.coef_, before)


def test_a_small_penalty_bounds_the_weights_of_classes_that_a_plane_separates():
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    options = {"batch_size": None, "tol": 1e-7, "n_iter_no_change": 10**6, "max_iter": 20_000}
    model = LogisticRegression(alpha=1e-4, **options).fit(X, y)
    assert (model.penalty, model.alpha_, model.converged_) == ("l2", 1e-4, True)
    peer = SklearnLogisticRegression(C=1 / (4 * 1e-4), tol=1e-10).fit(X, y)
    assert model.coef_[0] == pytest.approx(peer.coef_[0], rel=1e-3)


# Streams, warm starts, seeds


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_classes_may_come_late(estimator, iris):
    X, y = iris
    names = np.array(["a", "b", "c"])[y]
    model = estimator(average=True).partial_fit(X[:50], names[:50])
    assert model.predict(X[:3]).tolist() == ["a"] * 3
    model.partial_fit(X[50:100], names[50:100])
    assert model.coef_.shape == (1, 4)
    for _ in range(30):
        model.partial_fit(X[::-1], names[::-1])
    assert model.coef_.shape == (3, 4)
    assert model.score(X, names) > 0.9


def test_pieces_are_the_whole(cancer):
    X, y = cancer
    whole = LogisticRegression(penalty="l2", learning_rate="constant").partial_fit(X, y)
    pieces = LogisticRegression(penalty="l2", learning_rate="constant", eta0=whole.eta0_)
    for start in range(0, len(y), 100):
        pieces.partial_fit(X[start : start + 100], y[start : start + 100])
    assert pieces.coef_ == pytest.approx(whole.coef_)


def test_warm_start_goes_on(cancer):
    X, y = cancer
    options = {"learning_rate": "constant", "shuffle": False, "tol": None}
    once = LogisticRegression(max_iter=6, **options).fit(X, y)
    twice = LogisticRegression(max_iter=3, warm_start=True, **options).fit(X, y).fit(X, y)
    assert np.array_equal(once.coef_, twice.coef_)


@pytest.mark.parametrize("options", [{}, {"penalty": "l1", "alpha": 0.01}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_single_exact_step_learns_and_goes_on(n_classes, options, iris):
    X, y = iris
    X, y = X[y < n_classes], y[y < n_classes]
    lowest = LogisticRegression(**options).fit(X, y)
    model = LogisticRegression(max_iter=1, warm_start=True, **options)
    with pytest.warns(ConvergenceWarning):
        assert model.fit(X, y).coef_.any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for _ in range(20):
            model.fit(X, y)
    assert model.coef_ == pytest.approx(lowest.coef_, rel=1e-2)


def test_starting_weights(cancer):
    X, y = cancer
    model = LogisticRegression(**BATCH, tol=1e-3).fit(X, y)
    again = LogisticRegression(**BATCH, max_iter=1, tol=None)
    again.fit(X, y, coef_init=model.coef_, intercept_init=model.intercept_)
    assert again.loss_curve_[0] < model.loss_curve_[-1]


@pytest.mark.parametrize("batch_size", [1, 8])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_the_same_seed_gives_the_same_bits(batch_size, kind, iris):
    X, y = np.tile(iris[0], (300, 1)), np.tile(iris[1], 300)  # several blocks a pass
    options = {"penalty": "l2", "max_iter": 2, "tol": None, "random_state": 7}
    models, between = [], []
    for size in (1, 1000, 7):
        # What lies between the arrays in memory must not matter.
        between.append(np.empty(size))
        models.append(LogisticRegression(batch_size=batch_size, **options).fit(kind(X), y))
    assert np.array_equal(models[0].coef_, models[1].coef_)
    assert np.array_equal(models[0].coef_, models[2].coef_)


def test_probabilities_add_up(iris):
    X, y = iris
    model = LogisticRegression(max_iter=20, tol=None).fit(X, y)
    chances = model.predict_proba(X)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(chances.argmax(axis=1), model.predict(X))
    assert np.exp(model.predict_log_proba(X)) == pytest.approx(chances)
    assert not hasattr(LinearSVM(), "predict_proba")


# Bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size must be 'auto', None"),
        ({"batch_size": 2.5}, "batch_size must be 'auto', None"),
        ({"learning_rate": "fast"}, "learning_rate must be one of auto, constant, inverse"),
        ({"eta0": -1}, "eta0 must be 'auto' or a positive number"),
        ({"decay_steps": 0}, "decay_steps must be"),
        ({"penalty": "l3"}, "penalty must be None, 'l2', 'l1' or 'elasticnet'"),
        ({"alpha": -1}, "alpha must be"),
        ({"alpha": np.inf}, "alpha must be 'auto', or a finite number"),
        ({"validation_fraction": 1.0}, "validation_fraction must be a share"),
        ({"early_stopping": 1}, "early_stopping must be True or False"),
        ({"learning_rate": 0.1}, "a step size goes into eta0: learning_rate='constant', eta0=0.1"),
        ({"learning_rate": "line_search"}, "line_search' looks at all rows"),
        ({**BATCH, "penalty": "l1"}, "needs a smooth penalty"),
        ({"learning_rate": "optimal", "penalty": None}, "needs penalty='l2' and alpha > 0"),
        ({"average": "always"}, "average must be 'auto', True, False, or the number of the row"),
        ({"average": True, "penalty": "l1"}, "average defeats the purpose of penalty='l1'"),
        ({"learning_rate": lambda t: -t}, r"learning_rate\(1\) gave a step of -"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    X, y = whole_numbers(1, n=30, d=4)
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**options).fit(X, y)


def test_a_loss_that_is_not_known():
    X, y = whole_numbers(1, n=30, d=4)
    with pytest.raises(ValueError, match="loss must be one of perceptron, hinge"):
        GradientDescent(loss="zero_one").fit(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan, 2.0], "Input y contains NaN at row 1"),
        ([1.0, np.inf, 2.0], r"Input y contains infinity \(inf\) at row 1"),
        ([1.0, -np.inf, 2.0], r"Input y contains minus infinity \(-inf\) at row 1"),
        ([1.0, 2.0], "X has 3 rows but y has 2 numbers"),
        (["a", "b", "c"], "y must hold the numbers to predict"),
        (None, "requires y to be passed"),
    ],
)
def test_numbers_that_cannot_be_predicted(y, message):
    with pytest.raises(ValueError, match=message):
        LinearRegression().fit([[1.0], [2.0], [3.0]], y)


# The loss of a pass is noisy, and not by itself a reason to stop


@pytest.fixture(scope="module")
def unbalanced():
    X, y = make_classification(
        1500, 20, n_informative=8, weights=[0.95], flip_y=0.01, random_state=0
    )
    return StandardScaler().fit_transform(X), y


def objective(model, X, y):
    """Return the mean loss of the weights that predict, and the penalty."""
    return log_loss(y, model.predict_proba(X)) + model.alpha / 2 * np.sum(model.coef_**2)


@pytest.mark.parametrize("tol", [1e-3, 1e-5, 1e-7])
def test_it_converges_only_if_the_loss_of_all_rows_settles(unbalanced, tol):
    X, y = unbalanced
    model = LogisticRegression(solver="descent", alpha=1e-4, tol=tol).fit(X, y)
    assert model.converged_
    few = model.n_iter_ - 2
    before = LogisticRegression(alpha=1e-4, tol=None, max_iter=few).fit(X, y)
    fell = objective(before, X, y) - objective(model, X, y)
    assert abs(fell) / 2 <= tol
    assert model.n_iter_ > {1e-3: 5, 1e-5: 20, 1e-7: 60}[tol]


def test_a_smaller_tol_leads_as_near_as_scikit_learn(unbalanced):
    X, y = unbalanced
    exact = SklearnLogisticRegression(C=1 / (1e-4 * len(y)), tol=1e-8, max_iter=1000).fit(X, y)
    lowest = log_loss(y, exact.predict_proba(X)) + 0.5e-4 * np.sum(exact.coef_**2)
    models = [
        LogisticRegression(solver="descent", alpha=1e-4, tol=tol).fit(X, y) for tol in (1e-3, 1e-7)
    ]
    gaps = [objective(model, X, y) - lowest for model in models]
    assert gaps[1] < min(gaps[0] / 5, 5e-5)


@pytest.mark.parametrize(
    "model", [LogisticRegression(average=False), GradientDescent(loss="hinge")]
)
def test_noise_is_not_convergence(model):
    X, y = make_classification(3000, 20, n_informative=5, flip_y=0.3, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"up and down.*Try average='auto', or a larger tol"
    ):
        clone(model).set_params(tol=1e-4).fit(X, y)
    model = clone(model).set_params(average="auto").fit(X, y)
    assert model.converged_
