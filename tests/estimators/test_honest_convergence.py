"""A loss has converged where it ends its way, and not where steps are too short to go on."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from rosenblatt import LinearRegression, LinearSVM, LogisticRegression
from rosenblatt.learners import online
from rosenblatt.learners.losses import evaluate

CRAWLS = "a few moves with scaled features would lower it from"
SETS = {"wine": load_wine(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}
SCALED = {name: (StandardScaler().fit_transform(X), y) for name, (X, y) in SETS.items()}
WAYS = [
    {"batch_size": batch, "learning_rate": rate, "eta0": eta0}
    for batch in (None, 1, 32)
    for rate in ("constant", "inverse", "inverse_sqrt", "step")
    for eta0 in (1e-6, 1e-5, 1e-3)
]


def objective(model, X, y):
    targets = online.targets(np.searchsorted(model.classes_, y), len(model.classes_), X.dtype)
    scores = (X @ model.coef_.T + model.intercept_).reshape(len(y), -1)
    loss = evaluate(model.loss, scores, targets)[0] / len(y)
    return loss + model._penalty().of(np.ascontiguousarray(model.coef_))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("cls", [LinearSVM, LogisticRegression])
def test_what_is_three_times_the_best_found_has_not_converged(cls, name):
    X, y = SCALED[name]
    options = {"penalty": "l2", "alpha": 1e-2, "max_iter": 200}
    found = [cls(**options, **way).fit(X, y) for way in WAYS]
    found.append(cls(**options, batch_size=None, tol=1e-6).fit(X, y))
    losses = [objective(model, X, y) for model in found]
    assert found[-1] is found[int(np.argmin(losses))]
    far = [model for model, loss in zip(found, losses, strict=True) if loss > 3 * min(losses)]
    assert len(far) > 10
    assert not any(model.converged_ for model in far)
    assert any(model.converged_ for model in found)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("batch_size", [None, 1, 32])
@pytest.mark.parametrize("name", ["digits", "wine", "cancer"])
@pytest.mark.parametrize("cls", [LinearSVM, LogisticRegression])
def test_nor_what_is_three_times_the_lowest(cls, name, batch_size):
    X, y = load_digits(return_X_y=True) if name == "digits" else SETS[name]
    lowest = objective(cls().fit(X, y), X, y)
    model = cls(solver="descent", batch_size=batch_size).fit(X, y)
    assert not (model.converged_ and objective(model, X, y) > 3.1 * lowest)
    if name == "digits":
        assert not model.converged_


def test_the_exact_solver_is_told_of():
    X, y = load_digits(return_X_y=True)
    told = "the exact solver finds a loss of .* leave out batch_size, for the lowest loss"
    with pytest.warns(ConvergenceWarning, match=told):
        LinearSVM(batch_size=None).fit(X, y)
    X, y = SCALED["cancer"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert LogisticRegression(batch_size=None).fit(X, y).converged_


@pytest.mark.filterwarnings("ignore:column .* of X is")
@pytest.mark.parametrize("batch_size", [None, 1, 32])
@pytest.mark.parametrize("cls", [LinearSVM, LogisticRegression])
def test_steps_too_short_for_some_columns_say_so(cls, batch_size):
    model = cls(batch_size=batch_size, penalty="l2", alpha=1e-4, max_iter=400)
    with pytest.warns(ConvergenceWarning, match="Scale the features") as caught:
        model.fit(*SETS["wine"])
    assert not model.converged_
    (said,) = (str(each.message) for each in caught if "before the loss" in str(each.message))
    assert CRAWLS in said or "stopped after 400 passes" in said
    assert "eta0='auto'" not in said  # which it is
    if batch_size is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # and following the advice ends it
            assert model.fit(*SCALED["wine"]).converged_


def test_short_steps_are_advised_the_safe_ones():
    with pytest.warns(ConvergenceWarning, match=CRAWLS + ".*eta0='auto'"):
        LogisticRegression(learning_rate="constant", eta0=1e-6).fit(*SCALED["cancer"])


def test_a_regression_says_so_in_its_own_units():
    X = np.random.default_rng(0).standard_normal((200, 3))
    for scale in (1e-3, 1.0):
        y = scale * (X @ [1.0, 2.0, 3.0])
        with pytest.warns(ConvergenceWarning, match=CRAWLS):
            LinearRegression(learning_rate="constant", eta0=1e-8).fit(X, y)
    assert LinearRegression(batch_size=None).fit(X, y).converged_


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("options", [{"tol": None, "max_iter": 2}, {"early_stopping": True}])
def test_nobody_is_told_who_did_not_ask(options):
    LogisticRegression(learning_rate="constant", eta0=1e-6, **options).fit(*SCALED["cancer"])
