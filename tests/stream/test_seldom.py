"""What seldom comes: a feature twice in a row, its name that of something else, tiny scores."""

import pickle
from collections import Counter

import numpy as np
import pytest

from rosenblatt import OnlineClassifier, OnlineRegressor, load, save
from rosenblatt.stream.calibration import fit
from rosenblatt.stream.metrics import MAE, Accuracy, LogLoss, progressive


def test_a_number_twice_in_a_row_can_be_saved(tmp_path):
    model = OnlineClassifier(interactions=["tag*price"])
    for k in range(20):
        model.learn_one({"tag": ["x", "x"], "price": 0.5 + k % 3}, "yn"[k % 2])
    save(model, tmp_path / "m.model")
    again = load(tmp_path / "m.model")
    for other in (again, pickle.loads(pickle.dumps(model))):  # of this test's own making
        assert np.array_equal(other.coef_, model.coef_)


def test_a_feature_may_be_called_the_intercept():
    model = OnlineClassifier("perceptron", scale=None)
    for k in range(6):
        model.learn_one({"(intercept)": k % 2, "a": 1}, "yn"[k % 2])
    x = {"(intercept)": 1, "a": 1}
    assert sum(model.explain_one(x, "y").values()) == model.scores_one(x)["y"]


def test_scores_too_small_for_probabilities_are_an_error():
    scores, codes = np.array([-1e-320, 1e-320] * 4), np.array([0, 1] * 4)
    with pytest.raises(ValueError, match="too small or too large for probabilities"):
        fit(scores, codes, 2)


@pytest.mark.parametrize("learner", ["averaged", "svm"])
def test_two_classes_calibrate_and_copies_keep_it(learner):
    model = OnlineClassifier(learner)
    rows = [({"a": k % 5, "b": k % 3}, "yn"[k % 5 > 2]) for k in range(90)]
    for x, y in rows[:60]:
        model.learn_one(x, y)
    with pytest.raises(ValueError, match="all rows to calibrate with are of the class y"):
        model.calibrate([(x, y) for x, y in rows if y == "y"])
    model.calibrate(rows[60:])
    assert Counter(map(len, (model.predict_proba_one(x) for x, _ in rows))) == {2: 90}
    assert pickle.loads(pickle.dumps(model)).calibration_ == model.calibration_


def test_river_s_metrics_are_updated_as_ours():
    theirs = pytest.importorskip("river.metrics", reason="river is not installed")
    rows = [({"a": k % 7, "b": k % 3}, k % 7 > 3) for k in range(200)]
    for classes in (Accuracy, LogLoss):
        pair = [classes(), getattr(theirs, classes.__name__)()]
        first, second = progressive(OnlineClassifier(classes=[False, True]), rows, pair)
        assert first.get() == pytest.approx(second.get(), rel=1e-12)
    numbers = [(x, float(y)) for x, y in rows]
    first, second = progressive(OnlineRegressor(), numbers, [MAE(), theirs.MAE()])
    assert first.get() == pytest.approx(second.get(), rel=1e-12)


def test_what_is_no_metric_or_interaction_is_an_error():
    with pytest.raises(TypeError, match="'accuracy' is not a metric"):
        progressive(OnlineClassifier(), [], "accuracy")
    for wrong in ([("user", "ad")], 5, {"user*ad"}):
        with pytest.raises(TypeError, match="must be a list of strings"):
            OnlineClassifier(interactions=wrong)
