"""The losses and the elastic net of gradient descent: at the optimum that scikit-learn finds."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import (
    ElasticNet,
    HuberRegressor,
    QuantileRegressor,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.preprocessing import StandardScaler

from rosenblatt import GradientDescent, LinearRegression, LinearSVM, LogisticRegression
from rosenblatt.learners.losses import FOR_CLASSES, FOR_NUMBERS
from rosenblatt.reference.losses import MANY_CLASSES, TWO_CLASSES
from tests.conftest import LAYOUTS, whole_numbers
from tests.estimators.test_descent import follow_the_advice

WHOLE = {"batch_size": None, "n_iter_no_change": 50, "max_iter": 20_000}
PEER = {"max_iter": 2000, "tol": None, "average": 100_000, "random_state": 0}


def scaled(load):
    X, y = load(return_X_y=True)
    return StandardScaler().fit_transform(X), y


@pytest.fixture(scope="module")
def cancer():
    return scaled(load_breast_cancer)


@pytest.fixture(scope="module")
def iris():
    return scaled(load_iris)


@pytest.fixture(scope="module")
def diabetes():
    return scaled(load_diabetes)


def penalty_of(coef, alpha, l1_ratio):
    return alpha * (l1_ratio * np.abs(coef).sum() + (1 - l1_ratio) / 2 * np.square(coef).sum())


def objective(coef, intercept, X, y, loss, alpha=0.0, l1_ratio=0.0, parameter=()):
    """Return the mean loss by the textbook, and the penalty; classes are 0…K−1."""
    scores = X @ np.atleast_2d(coef).T + np.atleast_1d(intercept)
    if scores.shape[1] == 1:
        each = [
            TWO_CLASSES[loss](s, t, *parameter)[0] for s, t in zip(scores[:, 0], y, strict=True)
        ]
    else:
        each = [MANY_CLASSES[loss](s, t, *parameter)[0] for s, t in zip(scores, y, strict=True)]
    return np.mean(each) + penalty_of(coef, alpha, l1_ratio)


# They find what other methods find


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.parametrize("data", ["cancer", "iris"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_classifiers_find_the_optimum(loss, data, l1_ratio, request):
    X, y = request.getfixturevalue(data)
    alpha, penalty = 0.01, "elasticnet" if l1_ratio else "l2"
    given = {"loss": loss, "alpha": alpha, "penalty": penalty, "l1_ratio": l1_ratio}
    ours = GradientDescent(**given, **WHOLE, tol=1e-6).fit(X, y)
    theirs = SGDClassifier(**given, **PEER).fit(X, y)
    targets = 2 * y - 1 if data == "cancer" else y
    mine, its = (
        objective(model.coef_, model.intercept_, X, targets, loss, alpha, l1_ratio)
        for model in (ours, theirs)
    )
    assert mine <= its * (1 + 1e-3)
    assert ours.score(X, y) >= theirs.score(X, y) - 0.01


def test_a_squared_hinge_svm_is_the_loss_with_a_penalty(cancer):
    X, y = cancer
    svm = LinearSVM(loss="squared_hinge", alpha=1e-4, **WHOLE).fit(X, y)
    descent = GradientDescent(loss="squared_hinge", penalty="l2", **WHOLE).fit(X, y)
    assert np.array_equal(svm.coef_, descent.coef_)


def test_hubers_regression_finds_the_optimum(diabetes):
    X, y = diabetes
    y = y.copy()
    y[::20] += 1e4
    peer = HuberRegressor(epsilon=1.35, alpha=0, max_iter=10_000, tol=1e-8).fit(X, y)
    # At the scale that it ends with, its objective is Huber's with an ε of so many of these.
    epsilon = 1.35 * peer.scale_
    ours = LinearRegression(loss="huber", epsilon=epsilon, **WHOLE, tol=1e-4).fit(X, y)
    mine, its = (
        objective(model.coef_, model.intercept_, X, y, "huber", parameter=(epsilon,))
        for model in (ours, peer)
    )
    assert mine == pytest.approx(its, rel=1e-6)
    assert ours.predict(X) == pytest.approx(peer.predict(X), abs=1)
    squares = LinearRegression(**WHOLE).fit(X, y)
    assert squares.intercept_ > ours.intercept_ + 400  # which the wild numbers pull up


def test_the_epsilon_of_sgd_is_the_same(diabetes):
    X, y = diabetes
    given = {"loss": "huber", "epsilon": 20.0, "penalty": "l2", "alpha": 0.1}
    ours = LinearRegression(**given, **WHOLE, tol=1e-4).fit(X, y)
    theirs = SGDRegressor(**given, **PEER).fit(X, y)
    mine, its = (
        objective(model.coef_, model.intercept_, X, y, "huber", 0.1, parameter=(20.0,))
        for model in (ours, theirs)
    )
    assert mine == pytest.approx(its, rel=1e-3)
    assert mine <= its


@pytest.mark.parametrize(("quantile", "alpha"), [(0.5, 0.0), (0.1, 0.0), (0.9, 1.0)])
def test_quantiles_are_found(quantile, alpha, diabetes):
    X, y = diabetes
    peer = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y)
    given = {"penalty": "l1", "alpha": alpha} if alpha else {}
    ours = LinearRegression(loss="quantile", quantile=quantile, **given, **WHOLE, tol=1e-5)
    ours.fit(X, y)
    assert ours.converged_
    mine, its = (
        objective(model.coef_, model.intercept_, X, y, "quantile", alpha, 1.0, (quantile,))
        for model in (ours, peer)
    )
    assert mine == pytest.approx(its, rel=1e-3)
    assert np.mean(y < ours.predict(X)) == pytest.approx(quantile, abs=0.03)


@pytest.mark.parametrize("batch_size", [1, 16])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_quantiles_are_found_by_small_batches_in_any_unit(batch_size, unit, diabetes):
    X, y = diabetes
    peer = QuantileRegressor(quantile=0.5, alpha=0).fit(X, y)
    ours = LinearRegression(loss="quantile", batch_size=batch_size).fit(X, y * unit)
    mine = objective(ours.coef_, ours.intercept_, X, y * unit, "quantile", parameter=(0.5,))
    its = objective(peer.coef_, peer.intercept_, X, y, "quantile", parameter=(0.5,))
    assert its * (1 - 1e-9) <= mine / unit <= 1.02 * its


@pytest.mark.parametrize("unit", [1e-3, 1e6])
def test_full_batches_find_quantiles_in_any_unit(unit, diabetes):
    X, y = diabetes
    one, other = (
        LinearRegression(loss="quantile", batch_size=None, tol=1e-4).fit(X, numbers)
        for numbers in (y, y * unit)
    )
    assert one.n_iter_ == pytest.approx(other.n_iter_, rel=0.2)
    assert other.predict(X) / unit == pytest.approx(one.predict(X), abs=5)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["huber", "quantile"])
def test_numbers_in_every_layout(layout, loss, diabetes):
    X, y = diabetes
    plain, other = (
        LinearRegression(loss=loss, batch_size=8, max_iter=3, tol=None).fit(rows, y)
        for rows in (X, LAYOUTS[layout](X))
    )
    assert other.coef_ == pytest.approx(plain.coef_, rel=1e-3)
    assert other.predict(LAYOUTS[layout](X)) == pytest.approx(plain.predict(X), rel=1e-3)


def test_a_weight_of_two_is_two_rows(diabetes):
    X, y = diabetes
    weights = np.where(y > 200, 2, 1)
    given = {"loss": "quantile", "quantile": 0.3, "batch_size": None, "tol": None, "max_iter": 200}
    one = LinearRegression(**given).fit(X, y, sample_weight=weights)
    two = LinearRegression(**given).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert one.predict(X) == pytest.approx(two.predict(X), abs=1e-6)


def test_a_stream_that_begins_with_one_number():
    """There is no spread yet to take the unit from: the number itself gives it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = 1e6 * (5 + X @ [1.0, -2.0] + 0.1 * rng.normal(size=3000))
    model = LinearRegression(loss="quantile").partial_fit(X[:1], y[:1])
    for k in range(1, 3000, 100):
        model.partial_fit(X[k : k + 100], y[k : k + 100])
    assert np.median(np.abs(y - model.predict(X))) < 0.3e6


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(loss="quantile", batch_size=None, eta0=1e9),
        LinearRegression(loss="huber", batch_size=None, eta0=50.0),
        LinearRegression(loss="quantile", eta0=1e9),
        LinearRegression(loss="quantile", penalty="elasticnet", alpha=1e-3, batch_size=None),
    ],
    ids=repr,
)
def test_who_follows_the_advice_gets_there(model, diabetes):
    (X, y), model = diabetes, clone(model)
    follow_the_advice(model, X, y)
    assert np.abs(y - model.predict(X)).mean() < 50


# The elastic net


@pytest.mark.parametrize("l1_ratio", [0.2, 0.8])
def test_the_elastic_net_of_squares(l1_ratio, diabetes):
    X, y = diabetes
    peer = ElasticNet(alpha=4.0, l1_ratio=l1_ratio, tol=1e-10).fit(X, y)
    # Its objective has half of each square.
    ours = LinearRegression(
        batch_size=None, penalty="elasticnet", alpha=8.0, l1_ratio=l1_ratio, tol=None,
        max_iter=2000,
    ).fit(X, y)  # fmt: skip
    assert ours.coef_ == pytest.approx(peer.coef_, abs=1e-3)
    assert ours.intercept_ == pytest.approx(peer.intercept_)
    assert np.array_equal(ours.coef_ == 0, peer.coef_ == 0)


@pytest.mark.parametrize("batch_size", [1, 8, None])
@pytest.mark.parametrize(("l1_ratio", "penalty"), [(1.0, "l1"), (0.0, "l2")])
def test_its_ends_are_l1_and_l2(batch_size, l1_ratio, penalty, iris):
    X, y = iris
    given = {"batch_size": batch_size, "max_iter": 5, "tol": None, "alpha": 0.02, "average": False}
    given |= {"learning_rate": "constant", "eta0": 0.1}
    both = LogisticRegression(penalty="elasticnet", l1_ratio=l1_ratio, **given).fit(X, y)
    alone = LogisticRegression(penalty=penalty, **given).fit(X, y)
    assert np.array_equal(both.coef_, alone.coef_)


def test_it_leaves_features_out(cancer):
    X, y = cancer
    zeros = [
        np.count_nonzero(
            LogisticRegression(penalty="elasticnet", alpha=0.1, l1_ratio=share).fit(X, y).coef_ == 0
        )
        for share in (0.1, 0.5, 0.9)
    ]
    assert 0 <= zeros[0] < zeros[1] < zeros[2]


def test_pieces_are_learned_as_the_whole(cancer):
    """The pulls that rows are owed are kept between calls of ``partial_fit``."""
    X, y = cancer
    given = {"penalty": "elasticnet", "alpha": 0.01, "learning_rate": "constant", "eta0": 0.05}
    whole = LogisticRegression(**given).partial_fit(X, y)
    pieces = LogisticRegression(**given).partial_fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    assert pieces.coef_ == pytest.approx(whole.coef_, rel=1e-9)


# What goes on with another loss


def test_another_loss_halfway(diabetes):
    X, y = diabetes
    model = LinearRegression(warm_start=True, **WHOLE).fit(X, y)
    model.set_params(loss="quantile", quantile=0.9).fit(X, y)
    assert np.mean(y < model.predict(X)) == pytest.approx(0.9, abs=0.03)
    model.set_params(quantile=0.1).fit(X, y)
    assert np.mean(y < model.predict(X)) == pytest.approx(0.1, abs=0.03)


def test_early_stopping_judges_by_the_loss_itself(diabetes):
    X, y = diabetes
    model = LinearRegression(loss="quantile", quantile=0.9, early_stopping=True).fit(X, y)
    least = model.validation_curve_.min()
    assert 5 < least < 15  # not what the median would cost, and no squares


@pytest.mark.parametrize("loss", ["huber", "quantile"])
def test_steps_for_each_weight(loss, diabetes):
    X, y = diabetes
    given = {"loss": loss, "learning_rate": "adaptive", "eta0": 20.0, "penalty": None}
    model = LinearRegression(**given).fit(X, y)
    assert np.abs(y - model.predict(X)).mean() < 45


# Bad input


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearRegression(loss="hinge"), "loss must be one of squared, huber, quantile"),
        (LinearRegression(loss="huber", epsilon=0), "epsilon must be a positive number"),
        (LinearRegression(loss="quantile", quantile=1.0), "quantile must be a number above 0"),
        (LinearSVM(loss="logistic"), "loss must be 'hinge' or 'squared_hinge'"),
        (GradientDescent(loss="huber"), "loss must be one of perceptron, hinge, squared_hinge"),
        (GradientDescent(loss="log_loss"), "scikit-learn's log_loss is logistic"),
        (LogisticRegression(l1_ratio=1.5), "l1_ratio must be a share, from 0 to 1"),
        (LogisticRegression(penalty="elastic"), "'l1' or 'elasticnet', got 'elastic'"),
        (
            LogisticRegression(penalty="elasticnet", average=True),
            "average defeats the purpose of penalty='elasticnet'",
        ),
        (
            LogisticRegression(penalty="elasticnet", batch_size=None, learning_rate="line_search"),
            "or learning_rate='constant' with penalty='elasticnet'",
        ),
        (
            LogisticRegression(penalty="elasticnet", learning_rate="adaptive"),
            "needs batch_size=1 and penalty='l2' or None",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_parameters_that_make_no_sense(model, message):
    X, y = whole_numbers(1, n=30, d=4)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_all_losses_are_for_something():
    assert {*FOR_CLASSES} | {*FOR_NUMBERS} == {*TWO_CLASSES} == {*MANY_CLASSES}
    assert {*FOR_CLASSES} & {*FOR_NUMBERS} == {"squared"}
