"""Each way to predict with a kernel perceptron is what its definition says, step by step."""

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt.data.rows import as_rows
from rosenblatt.learners.kernel_perceptron import learning as learner
from rosenblatt.learners.kernel_perceptron import scores as dual_scores
from rosenblatt.learners.kernel_perceptron.kernel_values import Kernel
from rosenblatt.learners.kernel_perceptron.kernel_values_cpu import HostGrams
from rosenblatt.reference.kernel import joint, one_against_all
from tests.conftest import LAYOUTS, whole_numbers
from tests.learners.naive_kernel import (
    CUBIC,
    RULES,
    definition,
    gram,
    history,
    learn,
    remembered,
)

PASSES = 2
WAYS = ["last", "average", "vote"]
X_TEST, _ = whole_numbers(seed=99, n=150, d=6)


def data(seed, rule, n=80):
    return whole_numbers(seed, n=n, d=6, n_classes=RULES[rule][0], noise=0.3)


def scores(state, view, how="vote", rng=None, steps=None):
    grams = learner.on_host(learner.kernel_of(state), state, as_rows(view), view.shape[1])
    return dual_scores.scores(state, grams, view.shape[0], how, rng, steps)


def steps_scores(X, y, rule, ties="mistake", budget=None):
    """Return the scores of the rows to be predicted after each step that is known."""
    steps = history(gram(CUBIC, X, X), y, rule, [range(len(X))] * PASSES, ties, budget)
    return remembered(steps) @ gram(CUBIC, X, X_TEST)


@pytest.mark.parametrize("layout", ["C order", "Fortran order", "CSR, 32-bit", "CSR, 64-bit"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_ways_to_predict_in_every_layout(rule, how, dtype, layout):
    X, y = data(1, rule)
    view = LAYOUTS[layout]
    state = learn(view(X.astype(dtype)), y, rule, PASSES)
    (result,) = scores(state, view(X_TEST.astype(dtype)), how)
    expected = definition(how, steps_scores(X, y, rule), RULES[rule][1])
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("budget", [None, 1, 6, 25])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_hypotheses_since_a_row_was_forgotten_are_those_that_count(rule, how, ties, budget):
    X, y = data(2, rule)
    state = learn(X, y, rule, PASSES, ties=ties, budget=budget)
    (result,) = scores(state, X_TEST, how)
    expected = definition(how, steps_scores(X, y, rule, ties, budget), RULES[rule][1])
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("block", [1, 7, 149])
@pytest.mark.parametrize("how", [*WAYS, "random"])
@pytest.mark.parametrize("rule", RULES)
def test_rows_in_blocks_are_scored_as_in_one(rule, how, block, monkeypatch):
    X, y = data(3, rule)
    state = learn(X, y, rule, PASSES)
    whole = scores(state, X_TEST, how, np.random.default_rng(0))
    monkeypatch.setattr(HostGrams, "block_size", block)
    monkeypatch.setattr(HostGrams, "tile_size", 5)
    monkeypatch.setattr(dual_scores, "_BLOCK", 1)  # sixteen rows at a time
    for view in (X_TEST, sp.csr_matrix(X_TEST)):
        result = scores(state, view, how, np.random.default_rng(0))
        np.testing.assert_allclose(result, whole, rtol=1e-12)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rule", RULES)
def test_earlier_steps_are_those_of_a_model_that_stopped_there(rule, how):
    X, y = data(4, rule)
    state = learn(X, y, rule, PASSES)
    steps = [0, 1, 2, 17, 79, 80, 81, 130, 160]
    history = steps_scores(X, y, rule)
    stages = scores(state, X_TEST, how, steps=steps)
    assert not stages[0].any()
    for step, stage in zip(steps[1:], stages[1:], strict=True):
        expected = definition(how, history[:step], RULES[rule][1])
        np.testing.assert_allclose(stage, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "budget"), [*((rule, None) for rule in RULES), ("two classes", 45)]
)
def test_random_hypotheses_are_those_of_steps_drawn_alike(rule, budget):
    X, y = data(5, rule)
    state = learn(X, y, rule, PASSES, budget=budget)
    history = steps_scores(X, y, rule, budget=budget)[:, :, 0]  # of one row, asked for many times
    assert (len(history) < 160) == (budget is not None)
    many = np.repeat(X_TEST[:1], 4000, axis=0)
    (drawn,) = scores(state, many, "random", np.random.default_rng(0))
    expected = {}
    for hypothesis in map(tuple, history):
        expected[hypothesis] = expected.get(hypothesis, 0) + 1 / len(history)
    found, counts = np.unique(drawn.T, axis=0, return_counts=True)
    assert {tuple(row) for row in found} <= set(expected)
    shares = dict(zip(map(tuple, found), counts / 4000, strict=True))
    assert len(shares) > 3
    for hypothesis, share in expected.items():
        far = abs(shares.get(hypothesis, 0) - share)
        assert far < 5 * np.sqrt(share * (1 - share) / 4000) + 1e-9


@pytest.mark.parametrize("rule", RULES)
def test_random_hypotheses_of_earlier_steps(rule):
    X, y = data(6, rule)
    state = learn(X, y, rule, PASSES)
    history = steps_scores(X, y, rule)
    for step in (1, 2, 5):
        (drawn,) = scores(state, X_TEST, "random", np.random.default_rng(1), [step])
        among = np.any(np.all(history[:step] == drawn, axis=1), axis=0)
        assert among.all()
    (nothing,) = scores(state, X_TEST, "random", np.random.default_rng(1), [0])
    assert not nothing.any()


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("jointly", [False, True])
def test_hypotheses_from_before_a_class_came_know_nothing_of_it(how, jointly):
    X, y = whole_numbers(seed=7, n=90, d=6, n_classes=4, noise=0.3)
    two = np.flatnonzero(y % 2 == 1)  # classes 1 and 3, then all
    state = learner.init(6, 2, kernel=CUBIC, joint=jointly)
    state = learner.update(state, as_rows(X[two]), y[two] // 2)
    state = learner.grow(state, np.array([1, 3]), 4)
    state = learner.update(state, as_rows(X), y)

    everything = np.vstack([X[two], X])
    table, tested = gram(CUBIC, everything, everything), gram(CUBIC, everything, X_TEST)
    coef = np.zeros((4, len(table)), int)
    total, votes = np.zeros((4, len(X_TEST))), np.zeros((4, len(X_TEST)))
    for i, label in enumerate([*y[two], *y]):
        values = coef @ table[:, i]
        if i < len(two):
            change = one_against_all(label // 2, values[3:])[0] * np.array([0, -1, 0, 1])
        else:
            change = (joint if jointly else one_against_all)(label, values)
        coef[:, i] += change
        there = [1, 3] if i < len(two) else [0, 1, 2, 3]
        last = coef @ tested
        total += last
        if jointly:
            winners = np.array(there)[last[there].argmax(axis=0)]
            votes[winners, np.arange(len(X_TEST))] += 1
        else:
            votes[there] += np.where(last[there] >= 0, 1, -1)
    expected = {"last": last, "average": total / len(table), "vote": votes / len(table)}
    (result,) = scores(state, X_TEST, how)
    np.testing.assert_allclose(result, expected[how], rtol=1e-12, atol=1e-12)
    (drawn,) = scores(state, X_TEST, "random", np.random.default_rng(0))
    assert np.isneginf(drawn[[0, 2]]).any()
    assert np.isfinite(drawn[[1, 3]]).all()


@pytest.mark.parametrize("how", [*WAYS, "random"])
def test_a_state_without_any_mistake_scores_zero(how):
    state = learner.init(6, 3, kernel=Kernel("rbf"))
    (result,) = scores(state, X_TEST, how, np.random.default_rng(0))
    assert result.shape == (3, len(X_TEST))
    assert not result.any()
