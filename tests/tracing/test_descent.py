"""Watching gradient descent (S38, S40): every move, ending where ``fit`` ends."""

import warnings
from itertools import islice, pairwise

import numpy as np
import pytest

from rosenblatt import (
    GradientDescent,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    Perceptron,
)
from rosenblatt.learners.descent import DivergedError
from rosenblatt.tracing.descent import moves
from tests.conftest import rounding

MODELS = [
    GradientDescent(max_iter=4),
    GradientDescent(loss="hinge", batch_size=7, max_iter=4, average=True),
    GradientDescent(loss="squared", batch_size=16, max_iter=3, average=40),
    LogisticRegression(solver="descent", penalty="l2", alpha=0.1, max_iter=4),
    LogisticRegression(penalty="l1", alpha=0.02, batch_size=5, max_iter=4),
    LogisticRegression(batch_size=None, max_iter=6),
    LogisticRegression(batch_size=1000, learning_rate="constant", average=True, max_iter=5),
    LinearSVM(max_iter=4, shuffle=False),
    LinearSVM(max_iter=3, batch_size=4, average=True),
    LinearSVM(batch_size=None),
    LinearSVM(batch_size=None, average=True),
]


def fit(model, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def watched(model, X, y):
    """Return all moves, and what the generator returned."""
    made, run = [], moves(model, X, y)
    while True:
        try:
            made.append(next(run))
        except StopIteration as end:
            return made, end.value


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("model", MODELS)
def test_they_end_where_fit_ends(model, n_classes):
    X, y = rounding(3, d=2, n_classes=n_classes)
    made, outcome = watched(model, X, y)
    fit(model, X, y)
    last = made[-1]
    assert np.array_equal(np.atleast_2d(last.weights), model.coef_)
    assert np.array_equal(np.atleast_1d(last.intercept), model.intercept_)
    assert last.mistakes == model.n_mistakes_
    assert last.pass_number == model.n_iter_
    assert outcome.losses == model.loss_curve_.tolist()
    assert outcome.converged == model.converged_


def test_a_regression():
    X, y = rounding(5, d=3)
    model = LinearRegression(solver="descent", max_iter=3)
    made, _ = watched(model, X, y.astype(float))
    fit(model, X, y.astype(float))
    assert np.array_equal(made[-1].weights, model.coef_)
    assert made[-1].intercept == model.intercept_


def test_each_begins_where_the_one_before_ended():
    X, y = rounding(1, n=30, d=2)
    made, _ = watched(LinearSVM(batch_size=4, max_iter=2, tol=None), X, y)
    assert [move.step for move in made] == list(range(1, 17))
    assert [move.pass_number for move in made] == [1] * 8 + [2] * 8
    for before, move in pairwise(made):
        assert np.array_equal(before.weights, move.weights_before)
        assert before.intercept == move.intercept_before
    for part in (made[:8], made[8:]):
        assert sorted(np.concatenate([move.rows for move in part])) == list(range(30))
        assert [len(move.rows) for move in part] == [4] * 7 + [2]


def test_as_the_perceptron_step_for_step(deck_b):
    X, y = deck_b
    model = GradientDescent(learning_rate="constant", fit_intercept=False, shuffle=False)
    made = list(islice(moves(model, X, y), 6))
    weights = [[1, -2], [1, -2], [2, -1], [2, -1], [3, 1], [3, 1]]
    assert [move.weights.tolist() for move in made] == weights
    assert [move.mistakes for move in made] == [1, 1, 2, 2, 3, 3]


def test_given_weights_to_start_from(deck_b):
    run = moves(LogisticRegression(), *deck_b, coef_init=[[1, 2]], intercept_init=[3])
    move = next(run)
    assert move.weights_before.tolist() == [1, 2]
    assert move.intercept_before == 3


def test_the_model_stays_as_it_is(deck_b):
    model = LogisticRegression()
    before = dict(vars(model))
    list(islice(moves(model, *deck_b), 3))
    assert vars(model) == before


def test_they_are_made_when_asked_for():
    X, y = rounding(2, n=2_000, d=2)
    run = moves(LogisticRegression(max_iter=10**9, tol=None), X, y)
    assert len(list(islice(run, 5))) == 5


def test_rows_held_out_make_no_move():
    X, y = rounding(2, n=60, d=2)
    model = LogisticRegression(early_stopping=True)
    made = list(moves(model, X, y))
    kept = len({int(move.rows[0]) for move in made})
    fitted = model.fit(X, y)
    assert kept < 60
    assert len(made) == fitted.n_iter_ * kept


def test_divergence(deck_b):
    X, y = deck_b
    run = moves(LinearRegression(learning_rate="constant", eta0=1e6), X, y.astype(float))
    with pytest.raises(DivergedError, match="the loss grew from 1 to"):
        list(run)


def test_what_is_wrong_is_said_at_once(deck_b):
    X, y = deck_b
    with pytest.raises(ValueError, match="Perceptron does not go down a loss"):
        moves(Perceptron(), X, y)
    with pytest.raises(ValueError, match=r"learning_rate=.adaptive. cannot be traced"):
        moves(LogisticRegression(learning_rate="adaptive"), X, y)
    with pytest.raises(ValueError, match="max_iter must be"):
        moves(LogisticRegression(max_iter=0), X, y)
    with pytest.raises(ValueError, match="looks at all rows for every step"):
        moves(LogisticRegression(learning_rate="line_search"), X, y)
    with pytest.raises(ValueError, match="one class only"):
        moves(LogisticRegression(), X, np.ones(6))
