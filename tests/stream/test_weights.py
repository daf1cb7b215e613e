"""Importance weights in streams, for every learner, two classes or many."""

from itertools import product

import numpy as np
import pytest

from rosenblatt import AROW, AveragedPerceptron, PassiveAggressive, Perceptron, VotedPerceptron
from rosenblatt.data.rows import as_matrix, as_rows
from rosenblatt.learner_registry import ONLINE, trainable
from rosenblatt.learners.blocks import block
from rosenblatt.learners.online import NumberTooLargeError
from rosenblatt.stream.classifier import OnlineClassifier
from tests.conftest import csr, first_quick, rounding

from .test_overflow import bits, numbered

LEARNERS = [
    *((name, "inverse_sqrt") for name in trainable(ONLINE)),
    ("logistic", "adaptive"),
    ("svm", "adaptive"),
]
CASES = [(name, rate, n) for (name, rate), n in product(LEARNERS, [2, 4])]
ESTIMATORS = {
    "perceptron": Perceptron(),
    "averaged": AveragedPerceptron(),
    "voted": VotedPerceptron(),
    "passive-aggressive": PassiveAggressive(),
    "arow": AROW(),
}


def weighted_stream(n_classes, n=120, dtype=np.float32):
    X, y = rounding(seed=n_classes, n=n, d=6, n_classes=n_classes)
    weights = np.random.default_rng(0).choice([0, 0.3, 1, 1, 2, 5.5], size=n)
    return as_rows(csr(X.astype(dtype), np.int32)), y, weights


@pytest.mark.parametrize(("learner", "rate", "n_classes"), first_quick(CASES))
def test_blocks_change_no_bit(learner, rate, n_classes):
    """Cut into any blocks, saved and loaded in between, and without the rows of weight zero."""
    rows, y, weights = weighted_stream(n_classes)
    models = []
    for size in (1, 7, len(y)):
        model = numbered(learner, 6, learning_rate=rate)
        for start in range(0, len(y), size):
            stop = min(len(y), start + size)
            model.learn_rows(block(rows, start, stop), y[start:stop], weights[start:stop])
            if start in (0, 63):
                model = OnlineClassifier.from_parts(*model.to_parts())
        models.append(model)
    assert len({repr(bits(model)) for model in models}) == 1
    assert len({model.scores(rows).tobytes() for model in models}) == 1
    assert models[0].t_ == np.count_nonzero(weights[np.argmax(y != y[0]) :])


@pytest.mark.parametrize(("learner", "rate", "n_classes"), first_quick(CASES))
def test_weights_of_one_change_no_bit(learner, rate, n_classes):
    rows, y, _ = weighted_stream(n_classes)
    plain, ones = (numbered(learner, 6, learning_rate=rate) for _ in range(2))
    plain.learn_rows(rows, y)
    ones.learn_rows(rows, y, np.ones(len(y)))
    assert bits(plain) == bits(ones)


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "n_classes"), list(product(ESTIMATORS, [2, 4])))
def test_the_estimators_learn_the_same(learner, n_classes):
    rows, y, weights = weighted_stream(n_classes, dtype=np.float64)
    model = numbered(learner, 6, classes=range(n_classes), dtype="float64")
    model.learn_rows(rows, y, weights)
    other = ESTIMATORS[learner].__class__()
    X = csr(rounding(seed=n_classes, n=120, d=6, n_classes=n_classes)[0], np.int32)
    other.partial_fit(X, y, classes=list(range(n_classes)), sample_weight=weights)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(model.scores(rows), other.decision_function(X), rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "rate"), LEARNERS)
def test_one_dict_at_a_time(learner, rate):
    rng = np.random.default_rng(1)
    one, other = (OnlineClassifier(learner, learning_rate=rate) for _ in range(2))
    for _ in range(60):
        x = {f"f{j}": float(rng.normal()) for j in rng.permutation(5)[:3]}
        label, weight = ["a", "b", "c"][rng.integers(3)], float(rng.choice([1, 0.5, 3]))
        one.learn_one(x, label, weight)
        row = other._sparse(other._names.columns(list(x)), other._row(x)[1])
        other.learn_rows(row, np.array([label], object), np.array([weight]))
    assert bits(one) == bits(other)


def test_an_example_of_weight_zero_teaches_nothing():
    model = OnlineClassifier("perceptron", classes=["a", "b"])
    before = bits(model)
    assert bits(model.learn_one({"x": 1.0}, "a", 0)) == before
    for weight in (-1, np.inf, np.nan, "2"):
        with pytest.raises(ValueError, match="must be a finite number, not negative"):
            model.learn_one({"x": 1.0}, "a", weight)
    assert bits(model) == before


def margins_of(model, rows, y):
    """Return by how much the right class leads, with the last weights."""
    scores = as_matrix(rows, 6) @ model._state.weights[:, :6].T + model._state.intercept
    if scores.shape[1] == 1:
        return scores[:, 0] * (2 * y - 1)
    right = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    return right - scores.max(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "rate", "n_classes"), [case for case in CASES if case[0] in ("logistic", "svm")]
)
def test_a_heavy_example_does_not_overshoot(learner, rate, n_classes):
    """Karampatziakis and Langford (2011): its steps end about where the example is satisfied."""
    rows, y, _ = weighted_stream(n_classes)
    model = numbered(learner, 6, learning_rate=rate)
    model.learn_rows(rows, y)
    worst = int(np.argmin(margins_of(model, rows, y)))
    row, label = block(rows, worst, worst + 1), y[worst : worst + 1]
    found = [margins_of(model, rows, y)[worst]]
    for weight in (1.0, 3.0, 30.0):
        again = OnlineClassifier.from_parts(*model.to_parts())
        again.learn_rows(row, label, np.array([weight]))
        found.append(margins_of(again, rows, y)[worst])
    assert found == sorted(found)
    assert found[0] < 0 < found[-1] < 15


@pytest.mark.parametrize(("learner", "rate", "n_classes"), first_quick(CASES))
@pytest.mark.parametrize("weight", [1e-300, 1e38, 1e300])
def test_weights_of_any_size(learner, rate, n_classes, weight):
    """They leave finite numbers, or are refused and change nothing."""
    rows, y, _ = weighted_stream(n_classes)
    model = numbered(learner, 6, classes=range(n_classes), learning_rate=rate)
    model.learn_rows(rows, y)
    for i in range(10):
        before = bits(model)
        row = block(rows, i, i + 1)
        try:
            model.learn_rows(row, y[i : i + 1], np.array([weight]))
        except NumberTooLargeError:
            assert bits(model) == before
        assert np.isfinite(model._state.weights).all()
        assert np.isfinite(model._state.intercept).all()


def test_w_is_weight_as_river_calls_it():
    one, other = OnlineClassifier(), OnlineClassifier()
    for k in range(20):
        x, y = {"a": k % 3, "b": k % 5}, k % 2
        one.learn_one(x, y, 2.5)
        other.learn_one(x, y, w=2.5)
    one.learn_one({"a": 1}, 1)
    other.learn_one({"a": 1}, 1, w=1.0)
    assert one.coef_.tobytes() == other.coef_.tobytes()
    with pytest.raises(TypeError, match=r"weight=2.0 and w=3.0 are the same; give one of them"):
        one.learn_one({"a": 1}, 1, 2.0, w=3.0)
    with pytest.raises(ValueError, match="must be a finite number, not negative"):
        one.learn_one({"a": 1}, 1, w=-1.0)
    assert one.coef_.tobytes() == other.coef_.tobytes()
