"""Numbers to predict: as in the reference, in any units, and without seams."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import OnlineClassifier, OnlineRegressor, load, reference, save
from rosenblatt.data.rows import Dense
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.readers.names import Kept
from rosenblatt.reference.scaling import standardized, standardized_targets
from rosenblatt.stream.rules import Options, as_sparse
from tests.conftest import first_quick

RATES = ("adaptive", "inverse_sqrt")


def numbers(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * 10.0 ** np.arange(d) + np.arange(d)
    y = X @ (1 / 10.0 ** np.arange(d)) + rng.normal(size=n)
    return X, 200 + 30 * y


def model_of(X, **options):
    usual = {"average": False, "dtype": "float64", "learning_rate": "adaptive", "scale": "standard"}
    model = OnlineRegressor.with_names(Options("regression", **{**usual, **options}), Kept())
    model._names.columns([f"x{j}" for j in range(X.shape[1])])
    return model


def learn(model, X, y, weights=None):
    return model.learn_rows(as_sparse(Dense(np.ascontiguousarray(X))), y, weights)


def same(one, other):
    (header, arrays), (its_header, its_arrays) = one.to_parts(), other.to_parts()
    assert header == its_header
    assert arrays.keys() == its_arrays.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, its_arrays[name], err_msg=name)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_weights_and_errors_are_those_of_the_reference(intercept, weighted):
    X, y = numbers(40)
    weights = np.random.default_rng(1).choice([0.5, 1.0, 2.5], len(y)) if weighted else None
    Z = standardized(X)
    wide = np.column_stack([Z, np.ones(len(y))]) if intercept else Z
    t = standardized_targets(y, weights, intercept)
    orders = [range(len(y))]
    steps = {"eta": 0.15, "l2": 0.3, "usual": 20.0, "intercept": intercept, "weights": weights}
    path = [np.zeros((1, wide.shape[1])), *reference.adaptive(wide, t, orders, "squared", **steps)]
    model = model_of(X, fit_intercept=intercept)
    squares = learn(model, X, y, weights)
    found = model._state.weights[0, :3]
    np.testing.assert_allclose(found, path[-1][0, :3], rtol=1e-9)
    each = np.ones(len(y)) if weights is None else weights
    expected = 0.0
    for i in range(1, len(y)):  # what was predicted before the number was known
        past = {"a": y[:i], "weights": each[:i]}
        mean = np.average(**past) if intercept else 0.0
        spread = np.sqrt(np.average((y[:i] - mean) ** 2, weights=each[:i]))
        expected += each[i] * (y[i] - mean - spread * (path[i][0] @ wide[i])) ** 2
    assert squares == pytest.approx(expected, rel=1e-9)


@given(st.floats(-6, 9), st.floats(-1e6, 1e6))
def test_neither_the_unit_nor_the_origin_matters(power, shift):
    X, y = numbers(30)
    plain, other = model_of(X), model_of(X)
    learn(plain, X, y)
    learn(other, X, 10.0**power * (y + shift))
    expected = 10.0**power * (plain.predict(X) + shift)
    size = 10.0**power * (np.abs(y).max() + abs(shift))
    np.testing.assert_allclose(other.predict(X), expected, rtol=1e-6, atol=1e-8 * size)


@pytest.mark.parametrize("rate", RATES)
@given(cuts=st.lists(st.integers(0, 60), max_size=5), kept=st.booleans())
def test_a_stream_has_no_seams(rate, cuts, kept):
    X, y = numbers()
    X[:, 0] = X[:, 0] > 0
    weights = np.where(np.arange(len(y)) % 7 == 0, 2.0, 1.0)
    whole = model_of(X, learning_rate=rate, average=True, dtype="float32")
    X = X.astype(np.float32)
    parts = copy.copy(whole)
    learn(whole, X, y, weights)
    ends = [0, *sorted(cuts), len(y)]
    for start, stop in pairwise(ends):
        learn(parts, X[start:stop], y[start:stop], weights[start:stop])
        parts = pickle.loads(pickle.dumps(parts)) if kept else parts
    same(whole, parts)


@pytest.mark.parametrize("rate", RATES)
def test_examples_one_at_a_time_are_rows_together(rate, tmp_path):
    X, y = numbers(80)
    X = X.astype(np.float32)
    one = OnlineRegressor(learning_rate=rate)
    for number, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        if number == 37:
            save(one, tmp_path / "m.model")
            one = load(tmp_path / "m.model")
        one.learn_one({f"x{j}": value for j, value in enumerate(row)}, label)
    many = model_of(X, learning_rate=rate, dtype="float32")
    learn(many, X, y)
    same(one, many)
    shown = one.predict_one({f"x{j}": value for j, value in enumerate(X[5].tolist())})
    assert shown == pytest.approx(one.predict(X)[5], rel=1e-5)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("scale", first_quick(["standard", None], 1))
def test_the_model_is_a_hyperplane_on_raw_columns(rate, scale):
    X, y = numbers()
    model = model_of(X, learning_rate=rate, scale=scale, average=True)
    learn(model, X, y)
    assert model.coef_.shape == (3,)
    np.testing.assert_allclose(X @ model.coef_ + model.intercept_, model.predict(X), rtol=1e-9)
    assert "60 examples" in repr(model)
    assert model.predicts_with == "mean"


def test_without_scaling_and_adaptive_steps_it_is_the_lectures():
    X, y = numbers(20)
    model = model_of(X, scale=None, learning_rate="inverse_sqrt", eta0=1e-5, fit_intercept=False)
    learn(model, X, y)
    w = np.zeros(3)
    for t in range(len(y)):
        w = w + 2 * 1e-5 / np.sqrt(1 + t / 10_000) * (y[t] - w @ X[t]) * X[t]
    np.testing.assert_allclose(model.coef_, w, rtol=1e-9)


def test_words_and_missing_numbers():
    model = OnlineRegressor()
    for k in range(400):
        rooms, city = k % 5, "Oslo" if k % 3 else "Bergen"
        x = {"rooms": rooms if k % 11 else None, "city": city}
        model.learn_one(x, 1e5 * rooms + (3e5 if city == "Oslo" else 1e5))
    gap = model.predict_one({"rooms": 2, "city": "Oslo"}) - model.predict_one({"rooms": 2})
    assert gap > 2e4
    missing, middle = model.predict_one({"city": "Oslo"}), {"rooms": 2, "city": "Oslo"}
    assert missing == pytest.approx(model.predict_one(middle), rel=0.05)


def test_a_constant_target_and_the_first_example():
    model = OnlineRegressor()
    assert model.predict_one({"a": 1}) == 0
    for a in range(5):
        model.learn_one({"a": a}, 7)
    assert model.predict_one({"a": 2}) == 7
    assert model.learn_one({"b": 1}, 100, weight=0).n_features_ == 1


def test_the_penalty_may_change():
    model, other = OnlineRegressor(), OnlineRegressor(l2=2.0)
    model.set_penalty(2.0)
    X, y = numbers(20)
    for one in (model, other):
        for row, label in zip(X, y, strict=True):
            one.learn_one({"a": row[0]}, label)
    assert model.l2 == 2.0
    assert np.array_equal(model.coef_, other.coef_)


def test_bad_examples_change_nothing():
    X, y = numbers(20)
    model = OnlineRegressor()
    for row, label in zip(X, y, strict=True):
        model.learn_one({"a": row[0]}, label)
    before = pickle.dumps(model)
    for bad in (float("nan"), float("inf"), "7", None, True, 10**400):
        with pytest.raises(ValueError, match="number to predict must be a finite number"):
            model.learn_one({"a": 1, "new": 2}, bad)
    with pytest.raises(ValueError, match="weight=-1 must be"):
        model.learn_one({"a": 1}, 1.0, weight=-1)
    with pytest.raises(ValueError, match="'a' is 1e\\+300"):
        model.learn_one({"a": 1e300}, 1.0)
    with pytest.raises(ValueError, match="X is of shape"):
        model.predict([[1.0, 2.0]])
    with pytest.raises(ValueError, match="not finite"):
        model.predict([[np.nan]])
    assert pickle.dumps(model) == before
    with pytest.raises(NumberTooLargeError):
        model.learn_one({"new": 2}, 1e200)
    assert model.n_features_ == 1
    assert model.predict_one({"a": 1}) == pickle.loads(before).predict_one({"a": 1})


@pytest.mark.parametrize("n", [10, 200])
def test_steps_that_grow_without_end_are_found(n):
    X, y = numbers(n)
    model = model_of(X, scale=None, learning_rate="inverse_sqrt", eta0=10.0)
    with pytest.raises(NumberTooLargeError):
        learn(model, np.tile(X, (200, 1)), np.tile(y, 200))
    assert np.isfinite(model.coef_).all()


def test_each_has_its_own_learners():
    with pytest.raises(ValueError, match="learner='regression' must be one of"):
        OnlineClassifier("regression")
    with pytest.raises(ValueError, match="learner='logistic' must be one of regression"):
        OnlineRegressor.with_names(Options("logistic"), Kept())
    with pytest.raises(ValueError, match="learning_rate"):
        OnlineRegressor(learning_rate="optimal")


@pytest.mark.parametrize(
    "target", [None, [1.0, 2.0], [1.0, float("nan"), 0.0], [-1.0, 0.0, 0.0], [1, 2, 3]]
)
def test_a_damaged_target_is_refused(target):
    header, arrays = OnlineRegressor().learn_one({"a": 1}, 2.0).to_parts()
    with pytest.raises(ValueError, match="target="):
        OnlineRegressor.from_parts({**header, "target": target}, arrays)
    with pytest.raises(ValueError, match="there is a target, but no weights"):
        OnlineRegressor.from_parts({**header, "state": None}, arrays)
