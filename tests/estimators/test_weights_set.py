"""Weights that a user sets on a fitted model are those that learning goes on from."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone, is_regressor

import rosenblatt
from rosenblatt import (
    AROW,
    AveragedPerceptron,
    GradientDescent,
    LinearRegression,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
)
from tests.conftest import first_quick

rng = np.random.default_rng(0)
X = rng.standard_normal((40, 3))
SURE = 50 * X  # rows that weights of length one are sure of, unless they are near the plane
NEW = np.array([2.0, -1.0, 0.5])

MODELS = {
    name: cls
    for name in rosenblatt.__all__
    if isinstance(cls := getattr(rosenblatt, name), type)
    and issubclass(cls, BaseEstimator)
    and hasattr(cls, "_hyperplanes")
}
OPTIONS = {
    name: [{}]
    for name in MODELS
    if name != "VotedPerceptron"  # see below
}
OPTIONS["BatchPerceptron"] = [{"max_iter": 50, "tol": None}]
OPTIONS["AveragedPerceptron"] += [{"fit_intercept": False}]
OPTIONS["Perceptron"] += [{"intercept_scaling": 2.0}, {"learning_rate": "inverse"}]
for name in ("LogisticRegression", "LinearSVM", "GradientDescent", "LinearRegression"):
    small = {"eta0": 1e-6, "tol": None, "max_iter": 3}
    OPTIONS[name] = [
        {"learning_rate": "constant", **small},
        {"learning_rate": "constant", "average": True, "penalty": "l2", **small},
        {"learning_rate": "constant", "average": False, "penalty": "l1", **small},
        {"learning_rate": "adaptive", "penalty": None, **small},
        {"learning_rate": "adaptive", "average": False, "penalty": None, **small},
        {"learning_rate": "constant", "batch_size": None, **small},
        {"learning_rate": "constant", "batch_size": 8, **small},
    ]
CASES = [(name, options) for name in OPTIONS for options in OPTIONS[name]]


def answers(name, classes=2):
    """Targets that the new weights, of an intercept of 0.25, are right about."""
    if name == "LinearRegression":
        return SURE @ NEW + 0.25
    if classes == 2:
        return (SURE @ NEW + 0.25 > 0).astype(int)
    return (SURE @ several()[0].T + several()[1]).argmax(axis=1)


def several():
    return np.stack([NEW, -NEW[::-1], NEW[[1, 0, 2]]]), np.array([0.25, 0.0, -0.25])


def margins():
    """The rows that are far from the plane, so that every learner leaves them alone."""
    return np.abs(SURE @ NEW + 0.25) > 20


def fitted(name, options, classes=2, change=lambda X: X):
    model = getattr(rosenblatt, name)(warm_start=True, **options)
    other = rng.standard_normal(40) if is_regressor(model) else np.arange(40) % classes
    return model.fit(change(SURE), other)


def set_weights(model, classes=2):
    coef, intercept = (NEW, 0.25) if classes == 2 else several()
    if not model.fit_intercept:
        intercept = np.zeros_like(intercept)
    model.coef_ = np.reshape(coef, model.coef_.shape)
    model.intercept_ = np.reshape(intercept, np.shape(model.intercept_))[()]


@pytest.mark.parametrize("layout", first_quick(["dense", "sparse", "float32"], 1))
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_learning_goes_on_from_them(name, options, how, layout):
    change = {"dense": np.asarray, "sparse": sp.csr_matrix, "float32": np.float32}[layout]
    if how == "partial_fit" and not hasattr(MODELS[name], "partial_fit"):
        pytest.skip("no partial_fit")
    model = fitted(name, options, change=change)
    away = np.abs(np.ravel(model.coef_) - NEW).max()
    assert away > 0.1  # else the test shows nothing
    set_weights(model)
    y, far = answers(name), margins()
    getattr(model, how)(change(SURE[far]), y[far])
    near = 1e-2 if "eta0" in options else 1e-6
    assert np.ravel(model.coef_) == pytest.approx(NEW, abs=near)
    assert np.ravel(model.intercept_) == pytest.approx(0.25 * model.fit_intercept, abs=near)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_of_many_classes_and_of_new_ones(name, options):
    if name == "LinearRegression":
        pytest.skip("a regression has no classes")
    model = fitted(name, options, 3)
    set_weights(model, 3)
    y = answers(name, 3)
    scores = np.sort(SURE @ several()[0].T + several()[1], axis=1)
    far = scores[:, -1] - scores[:, -2] > 20
    model.fit(SURE[far], y[far])
    near = 2e-2 if "eta0" in options else 1e-6
    assert model.coef_ == pytest.approx(several()[0], abs=near)
    model = fitted(name, options)
    set_weights(model)
    if hasattr(model, "partial_fit"):
        model.partial_fit(X[:1] / 100, [7])
        assert len(model.coef_) == 3
        apart = model.coef_[1] - model.coef_[0]
        turned = apart @ NEW / np.linalg.norm(apart) / np.linalg.norm(NEW)
        assert turned > 0.5  # the two classes known are still told apart by them


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_changes_in_place_count(name, options):
    model = fitted(name, options)
    before = model.coef_.copy()
    model.coef_[..., 1] = before[..., 1] + 3
    far = np.abs(SURE @ np.ravel(model.coef_) + np.ravel(model.intercept_)) > 20
    y = SURE @ np.ravel(model.coef_) + np.ravel(model.intercept_)
    if not is_regressor(model):
        y = (y > 0).astype(int)
    model.fit(SURE[far], y[far])
    near = 1e-2 if "eta0" in options else 1e-6
    assert model.coef_[..., 1] == pytest.approx(before[..., 1] + 3, abs=near)


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "LinearRegression"])
def test_what_was_not_touched_changes_nothing(name):
    options = OPTIONS[name][0]
    first, second = fitted(name, options), fitted(name, options)
    second.coef_, second.intercept_ = second.coef_.copy(), second.intercept_.copy()
    y = np.arange(40) % 2
    assert first.fit(X, y).coef_.tobytes() == second.fit(X, y).coef_.tobytes()


def test_the_perceptron_goes_on_as_from_coef_init():
    y = rng.integers(2, size=40)
    model = Perceptron(shuffle=False, max_iter=5, tol=None).fit(X, y)
    model.coef_, model.intercept_ = NEW[None], np.array([0.5])
    expected = clone(model).set_params(max_iter=1).fit(X, 1 - y, NEW[None], [0.5])
    model.partial_fit(X, 1 - y)
    assert model.coef_.tolist() == expected.coef_.tolist()
    assert model.intercept_.tolist() == expected.intercept_.tolist()


def test_they_are_the_mean_as_well():
    y = rng.integers(2, size=40)
    model = AveragedPerceptron(max_iter=1, shuffle=False).fit(X, y)
    model.coef_, model.intercept_ = NEW[None], np.array([0.25])
    rows = SURE[margins()][:1]
    model.partial_fit(rows, 1 - (rows @ NEW + 0.25 > 0))  # one mistake, at step 41 of 41
    assert model.t_ == 41
    step = (model._state.weights - NEW)[0]
    assert step == pytest.approx(rows[0] * np.sign(step @ rows[0]))
    assert model.coef_[0] == pytest.approx(NEW + step / 41)


def test_arow_keeps_what_it_is_sure_of():
    model = AROW().fit(X, rng.integers(2, size=40))
    variance = model.variance_.copy()
    set_weights(model)
    far = margins()
    model.partial_fit(SURE[far], answers("AROW")[far])
    assert model.variance_.tolist() == variance.tolist()


def test_a_ledger_begins_anew():
    y = rng.integers(2, size=40)
    model = Perceptron(record=True, shuffle=False, max_iter=2, tol=None).fit(X, y)
    model.coef_ = NEW[None]
    start = model.intercept_.copy()
    model.partial_fit(X, y)
    first = next(model.ledger_.replay(X))
    assert first.weights_before.tolist() == NEW.tolist()
    assert first.intercept_before == start[0]


def test_sparse_weights_are_weights():
    model = Perceptron(warm_start=True).fit(X, np.arange(40) % 2)
    model.coef_ = sp.csr_matrix(NEW[None])
    far = margins()
    model.partial_fit(SURE[far], (SURE[far] @ NEW + model.intercept_[0] > 0).astype(int))
    assert model.coef_.tolist() == [NEW.tolist()]


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        ({"coef_": np.ones((1, 4))}, r"coef_ has shape \(1, 4\), expected \(1, 3\)"),
        ({"coef_": np.array([[1, np.nan, 0]])}, "coef_ must be finite"),
        ({"intercept_": np.zeros(2)}, r"intercept_ has shape \(2,\), expected \(1,\)"),
        ({"intercept_": np.array([np.inf])}, "intercept_ must be finite"),
        ({"intercept_": np.ones(1)}, "intercept_ must be 0 with fit_intercept=False"),
    ],
)
@pytest.mark.parametrize("cls", [Perceptron, PassiveAggressive, LogisticRegression])
def test_what_are_no_weights_is_refused_and_changes_nothing(cls, weights, why):
    model = cls(fit_intercept=False).fit(X, np.arange(40) % 2)
    for name, value in weights.items():
        setattr(model, name, value)
    before = dict(vars(model))
    with pytest.raises(ValueError, match=why):
        model.partial_fit(X, np.arange(40) % 2)
    assert vars(model) == before or all(vars(model)[k] is before[k] for k in before)


def test_votes_cannot_be_set():
    model = VotedPerceptron().fit(X, np.arange(40) % 2)
    model.coef_ = NEW[None]
    with pytest.raises(ValueError, match="VotedPerceptron cannot go on from coef_"):
        model.partial_fit(X, np.arange(40) % 2)


def test_a_regression_takes_a_number_as_its_intercept():
    options = {"eta0": 1e-9, "learning_rate": "constant", "max_iter": 2, "tol": None}
    model = LinearRegression(**options).fit(X, X @ NEW)
    model.coef_, model.intercept_ = [1.0, 2.0, 3.0], 4
    model.partial_fit(X[:1], [0.0])
    assert model.coef_ == pytest.approx([1, 2, 3], abs=1e-6)
    assert model.intercept_ == pytest.approx(4, abs=1e-6)


def test_another_kind_of_steps_is_still_refused():
    model = GradientDescent(learning_rate="adaptive").fit(X, np.arange(40) % 2)
    set_weights(model)
    model.learning_rate = "constant"
    with pytest.raises(ValueError, match="learning_rate was changed"):
        model.partial_fit(X, np.arange(40) % 2)
