"""The penalty that `train` chooses by cross-validation where there are few rows."""

from copy import copy

import numpy as np
import pytest

from rosenblatt.data.rows import as_rows
from rosenblatt.model_selection.stream_estimator import StreamLearner
from rosenblatt.readers.names import Hashed, Numbered
from rosenblatt.stream.classifier import OnlineClassifier
from rosenblatt.stream.rules import Options
from rosenblatt.training.penalty import CANDIDATES, FOLDS, _splits, choose_l2, choose_penalty
from rosenblatt.training.shuffling import Batch

OPTIONS = Options("logistic", learning_rate="adaptive", scale="standard")


def noisy(n=60, columns=40, informative=1, seed=0, noise=2.0):
    """Return rows of which only a few columns have to do with the label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, columns)).astype(np.float32)
    score = X[:, :informative].sum(axis=1) + noise * rng.normal(size=n)
    return X, np.where(score > 0, 1, -1)


def batch_of(X, y, weights=None):
    return Batch(as_rows(X), y, weights)


def chosen(X, y, weights=None, options=OPTIONS):
    return choose_l2(batch_of(X, y, weights), options, Numbered(X.shape[1]))


@pytest.mark.parametrize("learner", ["logistic", "svm"])
def test_noise_gets_a_large_penalty_and_a_clear_answer_a_small_one(learner):
    options = OPTIONS._replace(learner=learner)
    much = chosen(*noisy(), options=options)
    little = chosen(*noisy(400, 2, 2, noise=0.0), options=options)
    assert much.l2 >= 10 * little.l2
    assert much.folds == little.folds == FOLDS
    assert {much.l2, little.l2} <= set(CANDIDATES)


def test_the_chosen_penalty_predicts_better():
    X, y = noisy(80, 60)
    X_test, y_test = noisy(2_000, 60, seed=1)
    errors = {}
    for l2 in (0.3, None):
        model = StreamLearner("logistic", l2=l2).fit(X, y)
        scores = model.model_.scores(as_rows(X_test))
        errors[l2] = np.logaddexp(0, -y_test * scores).mean()
    assert errors[None] < 0.8 * errors[0.3]


def test_the_svm_does_not_choose_to_always_predict_the_majority_class():
    """Where one class is rare and noisy, that may have the smallest hinge loss."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1_500, 10)).astype(np.float32)
    y = np.where(X.sum(axis=1) + 1.2 * rng.logistic(size=1_500) > 5.5, 1, -1)
    model = StreamLearner("svm").fit(X[:500], y[:500])
    errors = (model.predict(X[500:]) != y[500:]).mean()
    assert errors < (y[500:] == 1).mean() - 0.01


def test_each_part_has_its_share_of_every_class():
    codes = np.repeat([0, 1, 2], [50, 25, 10])
    parts = [test for _, test in _splits(codes, FOLDS)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(85))
    for part in parts:
        np.testing.assert_array_equal(np.bincount(codes[part]), [10, 5, 2])
    for train, test in _splits(codes, FOLDS):
        assert not set(train) & set(test)


def test_nothing_is_chosen_from_too_many_rows_too_few_or_one_class():
    X, y = noisy(20_000, 2)
    assert chosen(X, y) is None
    assert chosen(X[:8], y[:8]) is None
    assert chosen(X[:50], np.ones(50, int)) is None
    X, y = noisy(300, 3_000)
    assert chosen(X, y) is None  # too much work for so few


def test_columns_of_hashed_names_are_work():
    batch = batch_of(*noisy())
    assert choose_l2(batch, OPTIONS, Hashed(18)) == chosen(*noisy())
    assert choose_l2(batch, OPTIONS, Hashed(22)) is None  # it would take several seconds


def test_of_many_rows_a_fifth_is_held_out():
    X, y = noisy(2_000, 100)
    assert chosen(X, y).folds == 1


def test_weights_count():
    """Rows of weight 0 are as if they were not there; those that matter decide."""
    X, y = noisy(100, 30)
    clear = X[:, 0] > 0
    weights = np.where((y > 0) == clear, 1.0, 0.0)
    assert chosen(X, y, weights).l2 < chosen(X, y).l2


def test_numbers_that_overflow_are_left_to_training():
    X, y = noisy(40, 2)
    X[3, 0] = 3e38
    assert chosen(X, y, options=OPTIONS._replace(scale=None)) is None


def test_a_choice_changes_the_model_alone():
    X, y = noisy()
    model = OnlineClassifier.with_names(OPTIONS, Numbered(X.shape[1]))
    found = choose_penalty(model, batch_of(X, y))
    assert model._options == OPTIONS._replace(l2=found.l2)
    assert not model.t_
    assert not len(model.classes_)


def test_a_penalty_that_is_set_is_that_of_the_next_example():
    X, y = noisy(100, 3)
    examples = [({"a": a, "b": b, "c": c}, label) for (a, b, c), label in zip(X, y, strict=True)]
    model = OnlineClassifier()
    for x, label in examples[:50]:
        model.learn_one(x, int(label))
    copied = copy(model)
    for one in (model, copied):  # one has learned single examples before, the other has not
        one.set_penalty(100.0)
        for x, label in examples[50:]:
            one.learn_one(x, int(label))
    assert model.t_ == copied.t_
    np.testing.assert_array_equal(model.coef_, copied.coef_)
