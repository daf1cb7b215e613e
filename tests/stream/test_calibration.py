"""Probabilities fitted to scores: by the losses' definitions, and as scikit-learn's sigmoid."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _sigmoid_calibration
from sklearn.metrics import log_loss

from rosenblatt import OnlineClassifier, OnlineRegressor, load, save
from rosenblatt.reference import calibration as reference
from rosenblatt.stream import calibration
from rosenblatt.stream.calibration import Calibration, fit

LEARNERS = ["svm", "averaged", "perceptron", "voted", "passive-aggressive", "arow"]
rows = st.lists(st.tuples(st.integers(-4, 9), st.integers(0, 1), st.integers(1, 3)), min_size=1)


@settings(max_examples=60, deadline=None)
@given(rows)
def test_no_other_sigmoid_has_a_smaller_loss(rows):
    scores, codes, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = fit(scores / 2, codes, 2, weights)
    best = reference.sigmoid_loss(*found, scores / 2, codes, weights)
    assert found.slope >= 0
    for more in (-0.01, 0.01):
        for other in (found.slope + more, found.offset), (found.slope, found.offset + more):
            if other[0] >= 0:
                loss = reference.sigmoid_loss(*other, scores / 2, codes, weights)
                assert loss >= best - 1e-9 * (1 + abs(best))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(-9, 9), min_size=3, max_size=3),
            st.integers(0, 2),
            st.integers(1, 3),
        ),
        min_size=1,
    )
)
def test_no_other_temperature_has_a_smaller_loss(rows):
    scores, codes, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = fit(scores, codes, 3, weights)
    assert found.slope >= 0
    assert found.offset == 0
    best = reference.softmax_loss(found.slope, scores, codes, weights)
    for other in (found.slope * 0.99, found.slope * 1.01, found.slope + 1e-3):
        loss = reference.softmax_loss(other, scores, codes, weights)
        assert loss >= best - 1e-9 * (1 + abs(best))


def drawn(n=400, seed=0):
    rng = np.random.default_rng(seed)
    scores = 30 * rng.normal(size=n)
    return scores, (rng.random(n) < 1 / (1 + np.exp(-scores / 12 - 0.7))).astype(int), rng


def test_it_is_scikit_learns_sigmoid():
    scores, codes, rng = drawn()
    for weights in (None, rng.integers(1, 5, len(scores)).astype(float)):
        found = fit(scores, codes, 2, weights)
        slope, offset = _sigmoid_calibration(scores, codes, weights)
        assert (found.slope, found.offset) == pytest.approx((-slope, -offset), rel=1e-3)


def test_it_is_the_minimum_that_scipy_finds():
    scores, codes, _ = drawn()
    own = np.ones(len(codes))
    best = minimize(lambda at: reference.sigmoid_loss(*at, scores, codes, own), [0.1, 0], tol=1e-12)
    assert fit(scores, codes, 2) == pytest.approx(tuple(best.x), abs=1e-5)


@pytest.mark.parametrize("code", [0, 1])
def test_rows_of_one_class_give_a_smoothed_share(code):
    found = fit(np.array([3.0, -2.0, 1.0]), np.full(3, code), 2)
    likely = 1 / (1 + np.exp(-found.log_odds(np.array([-2.0, 3.0]))))
    assert likely == pytest.approx([0.2 + 0.6 * code] * 2)  # 1/5 or 4/5


def test_scores_of_no_worth_give_shares():
    scores, codes = np.array([1.0, 2, 3, -1, -2, -3]), np.array([0, 0, 0, 1, 1, 1])
    assert fit(scores, codes, 2).slope == 0
    assert fit(np.zeros((4, 3)), np.array([0, 1, 2, 0]), 3).slope == 0
    with pytest.raises(ValueError, match="no rows"):
        fit(np.zeros(0), np.zeros(0, int), 2)
    with pytest.raises(ValueError, match="not those of 3 classes"):
        fit(np.zeros(4), np.array([0, 1, 1, 0]), 3)


def test_a_class_that_comes_meanwhile_is_noticed():
    model = OnlineClassifier("averaged")
    for x, y in stream(100, 2, 0):
        model.learn_one(x, y)

    def examples():
        yield {"a": 1}, "c0"
        model.learn_one({"b": 1}, "new")
        yield {"a": 1}, "c1"

    with pytest.raises(ValueError, match="calibrate again"):
        model.calibrate(examples())
    assert model.calibration_ is None


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 1e6, 1e30])
@pytest.mark.parametrize("many", [False, True])
def test_units_do_not_matter(scale, many):
    scores, codes, rng = drawn()
    if many:
        scores = np.column_stack([-scores, scores, rng.normal(size=len(codes))])
    found, other = (fit(factor * scores, codes, 3 if many else 2) for factor in (1.0, scale))
    assert other.slope * scale == pytest.approx(found.slope, rel=1e-6)
    assert other.offset == pytest.approx(found.offset, rel=1e-6)


def stream(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        y = int(rng.integers(n_classes))
        x = 0.7 * rng.normal(size=3) + np.eye(3)[y]
        yield dict(zip("abc", x.tolist(), strict=True)), f"c{y}"


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_has_probabilities_once_calibrated(tmp_path, learner, n_classes):
    model = OnlineClassifier(learner)
    for x, y in stream(300, n_classes, 0):
        model.learn_one(x, y)
    with pytest.raises(ValueError, match="no probabilities before it is calibrated"):
        model.predict_proba_one({"a": 1})
    assert model.calibration_ is None
    test = list(stream(400, n_classes, 2))
    predicted = [model.predict_one(x) for x, _ in test]
    assert model.calibrate(stream(300, n_classes, 1)) is model
    likely = [model.predict_proba_one(x) for x, _ in test]
    assert all(sum(p.values()) == pytest.approx(1) for p in likely)
    assert [model.predict_one(x) for x, _ in test] == predicted
    classes = model.classes_.tolist()
    table = [[p[label] for label in classes] for p in likely]
    assert log_loss([y for _, y in test], table) < 0.85 * np.log(n_classes)
    save(model, tmp_path / "m")
    same = [load(tmp_path / "m"), pickle.loads(pickle.dumps(model)), copy.copy(model)]
    for other in same:
        assert other.calibration_ == model.calibration_
        assert other.predict_proba_one(test[0][0]) == likely[0]


def test_it_stays_while_learning_goes_on_and_ends_with_a_new_class():
    model = OnlineClassifier("averaged")
    for x, y in stream(100, 2, 0):
        model.learn_one(x, y)
    model.calibrate(stream(100, 2, 1))
    before = model.calibration_
    for x, y in stream(50, 2, 2):
        model.learn_one(x, y)
    assert model.calibration_ == before
    model.learn_one({"a": 1}, "new")
    assert model.calibration_ is None


def test_logistic_has_its_own_until_it_is_calibrated():
    model = OnlineClassifier()
    for x, y in stream(200, 2, 0):
        model.learn_one(x, y)
    assert model.calibration_ == (1, 0)
    model.calibrate(stream(300, 2, 1))
    assert model.calibration_ != (1, 0)
    assert 0.3 < model.calibration_.slope < 3


def test_what_cannot_be_calibrated_is_refused():
    model = OnlineClassifier("averaged")
    with pytest.raises(ValueError, match="learn from two classes first"):
        model.calibrate([({"a": 1}, "x")])
    model.learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    for nothing in ([], [({"a": 1}, "z")]):
        with pytest.raises(ValueError, match="no examples with a label that the model knows"):
            model.calibrate(nothing)
    assert model.calibration_ is None


@pytest.mark.parametrize(
    "found", [[1.0], [1, 0], [-1.0, 0.0], [float("inf"), 0.0], ["a", 0.0], {"slope": 1.0}, 5]
)
def test_files_are_checked(tmp_path, found):
    with pytest.raises(ValueError, match="is not a slope and an offset"):
        calibration.checked(found, 2)
    for n_classes in (0, 1, 3):
        with pytest.raises(ValueError, match="not for so many classes"):
            calibration.checked([1.0, 0.5], n_classes)
    assert calibration.checked(None, 0) is None
    assert calibration.checked([1.0, 0.5], 2) == Calibration(1.0, 0.5)
    model = OnlineClassifier("svm").learn_one({"a": 1}, "x").learn_one({"b": 1}, "y")
    model._calibration = Calibration(2.0, 1.0)
    header, arrays = model.to_parts()
    assert OnlineClassifier.from_parts(header, arrays).calibration_ == (2, 1)
    header["calibration"] = found
    with pytest.raises(ValueError, match="slope and an offset"):
        OnlineClassifier.from_parts(header, arrays)
    numbers = OnlineRegressor().learn_one({"a": 1}, 2.0)
    header, arrays = numbers.to_parts()
    header["calibration"] = [1.0, 0.0]
    with pytest.raises(ValueError, match="not for so many classes"):
        OnlineRegressor.from_parts(header, arrays)
