"""`PassiveAggressive` and `AROW` as estimators and in streams: counts, saving, continuing."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from rosenblatt import AROW, OnlineClassifier, PassiveAggressive, Perceptron, load, save, trace
from tests.conftest import rounding, separable

MODELS = {
    "PA-I": lambda **o: PassiveAggressive(**{"C": 0.1, **o}),
    "PA-II": lambda **o: PassiveAggressive(**{"C": 0.1, "loss": "squared_hinge", **o}),
    "AROW": lambda **o: AROW(**{"r": 10, **o}),
}
LEARNERS = {
    "PA-I": ("passive-aggressive", {}),
    "PA-II": ("passive-aggressive", {"loss": "squared_hinge"}),
    "AROW": ("arow", {}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_mistakes_are_predictions_and_not_updates(name, n_classes):
    X, y = rounding(seed=1, n_classes=n_classes)
    model = MODELS[name](shuffle=False, max_iter=3, ties="positive")
    wrong, moved = np.zeros(3, int), 0
    for step in trace(X, y, model):
        score = np.atleast_1d(step.score)
        predicted = int(score[0] >= 0) if n_classes == 2 else int(score.argmax())
        assert step.mistake == (predicted != step.label)
        assert step.prediction == predicted
        wrong[step.pass_number - 1] += step.mistake
        moved += not np.array_equal(step.weights, step.weights_before)
    model.fit(X, y)
    assert model.mistakes_.tolist() == wrong.tolist()
    assert model.n_mistakes_ == wrong.sum() < moved <= model._state.updates
    assert model.t_ == 3 * len(X)


@pytest.mark.parametrize("name", MODELS)
def test_a_pass_without_mistakes_is_the_last(name):
    X, y = separable(seed=2)
    model = MODELS[name](max_iter=50).fit(X, y)
    assert model.converged_
    assert model.mistakes_[-1] == 0 < model.mistakes_[0]
    assert model.n_iter_ == len(model.mistakes_) < 50
    assert model.score(X, y) == 1.0
    before = model._state.updates
    assert model.partial_fit(X, y).converged_
    assert model._state.updates > before  # margins still grow


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_pieces_and_saved_models_go_on(name, n_classes, form, tmp_path):
    X, y = rounding(seed=3, n_classes=n_classes)
    X = form(X)
    whole = MODELS[name]().partial_fit(X, y)
    part = MODELS[name]().partial_fit(X[:70], y[:70], classes=range(n_classes))
    save(part, tmp_path / "half.model")
    again = load(tmp_path / "half.model")
    assert type(again) is type(part)
    for model in (part, again):
        model.partial_fit(X[70:], y[70:])
        np.testing.assert_array_equal(model.coef_, whole.coef_)
        assert model.n_mistakes_ == whole.n_mistakes_


@pytest.mark.parametrize("name", MODELS)
def test_a_class_that_comes_later_and_rows_of_another_kind(name):
    X, y = rounding(seed=4, n_classes=3)
    model = MODELS[name]().partial_fit(X[y < 2].astype(np.float32), y[y < 2])
    model.partial_fit(sp.csr_matrix(X), y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.coef_.shape == (3, X.shape[1])
    model.partial_fit(X, y)
    assert model.score(X, y) > 0.6
    if name == "AROW":
        assert np.all((model.variance_ > 0) & (model.variance_ < 1))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_stream_is_the_estimator_to_the_last_bit(name, n_classes, dtype):
    learner, options = LEARNERS[name]
    X, y = rounding(seed=5, n_classes=n_classes, dtype=dtype)
    X[X == 0] = 0.5
    model = MODELS[name](shuffle=False, max_iter=1).fit(sp.csr_matrix(X), y)
    how = {"classes": range(n_classes), "dtype": dtype, "eta0": 0.1, **options}  # C, and 1/r
    stream, saved = (OnlineClassifier(learner, scale=None, **how) for _ in range(2))
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        x = {f"x{j}": value for j, value in enumerate(row)}
        stream.learn_one(x, label)
        saved.learn_one(x, label)
        saved = OnlineClassifier.from_parts(*saved.to_parts())  # and loaded, at every step
    for other in (stream, saved):
        np.testing.assert_array_equal(other.coef_, model.coef_)
        np.testing.assert_array_equal(other.intercept_, model.intercept_)
        assert other.n_mistakes_ == model.n_mistakes_


def test_a_new_class_of_a_stream_has_variance_1():
    stream = OnlineClassifier("arow")
    for k in range(30):
        stream.learn_one({"a": 1.0, "b": k % 3 / 2}, k % 2)
    assert stream._state.evidence[0, 0] > 0
    stream.learn_one({"a": 0.0}, 2)
    state = stream._state
    assert state.evidence.shape[0] == 3
    assert not state.evidence[2].any()
    assert state.evidence[0, 0] == state.evidence[1, 0] > 0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PassiveAggressive(C=0), "C must be a positive number, got 0"),
        (PassiveAggressive(C=float("inf")), "C must be a positive number, got inf"),
        (PassiveAggressive(loss="log"), "loss must be 'hinge' or 'squared_hinge', got 'log'"),
        (PassiveAggressive(ties=1), "ties must be 'mistake' or 'positive', got 1"),
        (AROW(r=-1.0), "r must be a positive number, got -1.0"),
        (AROW(r=None), "r must be a positive number, got None"),
    ],
)
def test_bad_parameters(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit([[1.0], [2.0]], [0, 1])
    assert not hasattr(model, "coef_")


def test_bad_options_of_a_stream():
    with pytest.raises(ValueError, match="loss='log' must be one of hinge, squared_hinge"):
        OnlineClassifier("passive-aggressive", loss="log")
    with pytest.raises(NotFittedError):
        _ = AROW().variance_


def test_there_is_no_ledger():
    """It replays a perceptron's updates, which are η y x; those of AROW are not."""
    assert "record" not in AROW().get_params()
    assert "record" not in PassiveAggressive().get_params()
    assert "record" in Perceptron().get_params()


def test_wrong_labels():
    """Crammer, Kulesza and Dredze 2009: with noise in the labels AROW is ahead of the others."""
    X, y = load_digits(return_X_y=True)
    X = X / 16
    rng = np.random.default_rng(0)
    noisy = y[:1200].copy()
    flips = rng.random(1200) < 0.2
    noisy[flips] = rng.integers(10, size=flips.sum())
    models = [AROW(max_iter=5), PassiveAggressive(max_iter=5), Perceptron(max_iter=5, tol=None)]
    right, passive, plain = (m.fit(X[:1200], noisy).score(X[1200:], y[1200:]) for m in models)
    assert right > passive + 0.02
    assert right > plain + 0.02
    careful = PassiveAggressive(C=0.01, max_iter=5).fit(X[:1200], noisy)
    assert careful.score(X[1200:], y[1200:]) > passive
