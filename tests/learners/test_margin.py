"""AROW and passive-aggressive: as the reference has them, and the theorems of their papers."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume
from hypothesis import strategies as st

from rosenblatt import AROW, PassiveAggressive, reference, trace
from rosenblatt.data.rows import as_rows
from rosenblatt.learners import arow, online, passive_aggressive
from tests.conftest import (
    LAYOUTS,
    every_quick,
    examples,
    first_quick,
    in_turn,
    rounding,
    since_sklearn,
    whole_numbers,
)

PASSES = 3
N_CLASSES = (2, 3, 5)
RULES = {
    "PA-I": (passive_aggressive, reference.passive_aggressive, {"C": 0.1}),
    "PA-II": (
        passive_aggressive,
        reference.passive_aggressive,
        {"C": 0.3, "loss": "squared_hinge"},
    ),
    "AROW": (arow, reference.arow, {"r": 0.7}),
}


def orders_of(n, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.permutation(n) for _ in range(PASSES)]


def learn(learner, X, y, n_classes, orders, *, bias=True, ties="mistake", **options):
    """Return the state, and for each visit whether it was a mistake."""
    rows, dtype = as_rows(X), X.dtype
    how = {"dtype": dtype, "fit_intercept": bias, "ties": ties, "sparse": len(rows) > 1}
    state = learner.init(X.shape[1], n_classes, **how)
    target = online.targets(y, n_classes, dtype)
    wrong = []
    for order in orders:
        log, before = online.empty_log(len(order)), state.mistakes
        visits = np.asarray(order, np.int32)
        start = state.steps
        state = learner.update(state, rows, target, visits, log=log, **options)
        steps = log.step[: state.mistakes - before] - start - 1
        assert visits[steps].tolist() == log.row[: len(steps)].tolist()
        wrong += np.isin(np.arange(len(order)), steps).tolist()
    return state, wrong


def functions_of(n_classes):
    return 1 if n_classes == 2 else n_classes


def signs(y, n_classes):
    return 2 * y - 1 if n_classes == 2 else y


@pytest.mark.parametrize(
    ("rule", "layout", "n_classes", "dtype"),
    in_turn(product(RULES, LAYOUTS, N_CLASSES), [np.float32, np.float64]),
)
def test_every_layout_makes_the_reference_mistakes(rule, layout, n_classes, dtype):
    learner, textbook, options = RULES[rule]
    X, y = whole_numbers(seed=3, n_classes=n_classes)
    orders = orders_of(len(X))
    target = signs(y, n_classes)
    steps = list(textbook(X, target, orders, n_functions=functions_of(n_classes), **options))
    state, wrong = learn(learner, LAYOUTS[layout](X.astype(dtype)), y, n_classes, orders, **options)
    assert wrong == [mistake for _, _, _, mistake, _ in steps]
    assert state.mistakes == sum(wrong) < state.updates <= state.steps == len(steps)
    near = 1e-10 if dtype == np.float64 else 2e-4
    np.testing.assert_allclose(state.weights, steps[-1][1], rtol=near, atol=near)
    np.testing.assert_allclose(state.intercept, steps[-1][2], rtol=near, atol=near)


@pytest.mark.parametrize("ties", online.TIES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("rule", "n_classes"), list(product(RULES, (2, 3))))
def test_options_are_those_of_the_reference(rule, n_classes, bias, ties):
    learner, textbook, options = RULES[rule]
    X, y = rounding(seed=4, n_classes=n_classes)
    X[5] = 0  # nothing to learn from without an intercept, and a tie
    target, how = signs(y, n_classes), {"bias": bias, "ties": ties, **options}
    orders = orders_of(len(X))
    steps = list(textbook(X, target, orders, n_functions=functions_of(n_classes), **how))
    state, wrong = learn(learner, X, y, n_classes, orders, **how)
    assert wrong == [mistake for _, _, _, mistake, _ in steps]
    np.testing.assert_allclose(state.weights, steps[-1][1], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(state.intercept, steps[-1][2], rtol=1e-10, atol=1e-12)
    assert bias or not state.intercept.any()


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("form", first_quick([sp.csr_matrix, np.asarray]))
def test_variances_are_those_of_the_reference(n_classes, form):
    X, y = rounding(seed=5, n_classes=n_classes)
    orders, variances = orders_of(len(X)), []
    how = {"n_functions": functions_of(n_classes), "r": 0.4, "variances": variances}
    list(reference.arow(X, signs(y, n_classes), orders, **how))
    state, _ = learn(arow, form(X), y, n_classes, orders, r=0.4)
    np.testing.assert_allclose(arow.variance(state), variances[-1][:, :-1], rtol=1e-10)
    np.testing.assert_allclose(1 / (1 + state.evidence_intercept), variances[-1][:, -1])


@pytest.mark.parametrize(("rule", "n_classes"), every_quick(product(RULES, (2, 3)), 3))
def test_pieces_make_the_whole(rule, n_classes):
    learner, _, options = RULES[rule]
    X, y = rounding(seed=6, n_classes=n_classes)
    whole, wrong = learn(learner, X, y, n_classes, [range(len(X))], **options)
    rows, target = as_rows(X), online.targets(y, n_classes, X.dtype)
    state = learner.init(X.shape[1], n_classes)
    for i in range(len(X)):
        state = learner.update(state, rows, target, np.array([i], np.int32), **options)
    for one, other in zip(state, whole, strict=True):
        np.testing.assert_array_equal(one, other)
    assert state.mistakes == sum(wrong)


@since_sklearn("1.8", "SGDClassifier has no C of its own")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scikit_learn_s_passive_aggressive(n_classes, loss):
    """Of two classes and without an intercept it is the same algorithm; of K it is one-vs-rest."""
    from sklearn.linear_model import SGDClassifier

    X, y = rounding(seed=7, n_classes=n_classes)
    how = {"fit_intercept": False, "shuffle": False, "max_iter": 3, "tol": None}
    rate = {"hinge": "pa1", "squared_hinge": "pa2"}[loss]
    theirs = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=rate, eta0=0.2, **how
    ).fit(X, y)  # fmt: skip
    ours = PassiveAggressive(C=0.2, loss=loss, **how)
    for k, w in enumerate(theirs.coef_):
        coef = ours.fit(X, y == (1 if n_classes == 2 else k)).coef_[0]
        np.testing.assert_allclose(coef, w, rtol=1e-9, atol=1e-12)


whole_rows = st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=2, max_size=12)


def losses_of(X, y, model, n_classes):
    """Return the loss before each step."""
    found = []
    for step in trace(X, y, model):
        score = np.atleast_1d(step.score)
        if n_classes == 2:
            margin = score[0] * (1 if step.label else -1)
        else:
            margin = score[step.label] - np.delete(score, step.label).max()
        found.append(max(0.0, 1 - margin))
    return np.array(found)


@examples(
    quick=40,
    full=400,
    rows=whole_rows,
    truth=st.lists(st.lists(st.integers(-3, 3), min_size=4, max_size=4), min_size=3, max_size=3),
    n_classes=st.sampled_from([2, 3]),
    C=st.sampled_from([0.01, 0.3, 1.0, 100.0]),
)
def test_the_loss_bounds(rows, truth, n_classes, C):
    """Crammer et al. 2006, theorems 2, 4 and 5, for rows that u separates with a margin of 1.

    For K classes the rows of the proof have x for the right class and −x for its rival.
    """
    X, U = np.array(rows, float), np.array(truth, float)[: functions_of(n_classes)]
    scores = np.hstack([X, np.ones((len(X), 1))]) @ U.T
    if n_classes == 2:
        y, gaps = (scores[:, 0] > 0).astype(int), np.abs(scores[:, 0])
    else:
        y, ranked = scores.argmax(axis=1), np.sort(scores, axis=1)
        gaps = ranked[:, -1] - ranked[:, -2]
    assume(gaps.min() > 0 and len(set(y.tolist())) == n_classes)
    size = np.sum((U / gaps.min()) ** 2)
    twice = 1 if n_classes == 2 else 2
    R2 = twice * (np.sum(X**2, axis=1).max() + 1)
    few = {"shuffle": False, "max_iter": 20}
    slack = 1 + 1e-9
    free = losses_of(X, y, PassiveAggressive(C=1e12, **few), n_classes)
    assert np.sum(free**2) <= R2 * size * slack
    first = PassiveAggressive(C=C, **few).fit(X, y)
    assert first.n_mistakes_ <= max(R2, 1 / C) * size * slack
    damped = PassiveAggressive(C=C, loss="squared_hinge", **few)
    losses = losses_of(X, y, damped, n_classes)
    assert np.sum(losses**2) <= (R2 + 1 / (2 * C)) * size * slack


@examples(
    quick=40,
    full=400,
    rows=whole_rows,
    labels=st.lists(st.integers(0, 2), min_size=12, max_size=12),
    n_classes=st.sampled_from([2, 3]),
    r=st.sampled_from([0.1, 1.0, 30.0]),
)
def test_variances_never_grow(rows, labels, n_classes, r):
    """They begin with 1 and fall just where an updated row has a feature; they stay above 0."""
    X, y = np.array(rows, float), np.array(labels[: len(rows)]) % n_classes
    rows, target = as_rows(X), online.targets(y, n_classes, np.float64)
    state = arow.init(X.shape[1], n_classes)
    for i in range(len(X)):
        before, moves, weights = arow.variance(state), state.updates, state.weights.copy()
        state = arow.update(state, rows, target, np.array([i], np.int32), r=r)
        after, moved = arow.variance(state), state.updates > moves
        assert np.all((after > 0) & (after <= before) & (before <= 1))
        fell = np.flatnonzero((after < before).any(axis=0))
        assert fell.tolist() == (np.flatnonzero(X[i]).tolist() if moved else [])
        if not moved:
            np.testing.assert_array_equal(state.weights, weights)


@pytest.mark.parametrize(("rule", "n_classes"), list(product(RULES, (2, 3))))
def test_units_do_not_matter(rule, n_classes):
    """Rows twice as long with r four times as large, or C a quarter, are the same rows."""
    learner, _, options = RULES[rule]
    X, y = rounding(seed=8, n_classes=n_classes)
    other = {k: v * {"r": 4, "C": 0.25}.get(k, 1) for k, v in options.items()}
    orders = orders_of(len(X))
    one, wrong = learn(learner, X, y, n_classes, orders, bias=False, **options)
    two, same = learn(learner, 2 * X, y, n_classes, orders, bias=False, **other)
    assert wrong == same
    np.testing.assert_array_equal(one.weights, 2 * two.weights)


@pytest.mark.parametrize("rule", RULES)
def test_signs_and_columns_do_not_matter(rule):
    learner, _, options = RULES[rule]
    X, y = whole_numbers(seed=9)
    orders = orders_of(len(X))
    one, wrong = learn(learner, X, y, 2, orders, **options)
    turned, same = learn(learner, X, 1 - y, 2, orders, **options)
    np.testing.assert_array_equal(one.weights, -turned.weights)
    moved, also = learn(learner, X[:, ::-1].copy(), y, 2, orders, **options)
    np.testing.assert_allclose(one.weights, moved.weights[:, ::-1], rtol=1e-9)
    assert wrong == same == also


@pytest.mark.parametrize("rule", RULES)
def test_a_third_class_keeps_the_margins(rule):
    learner, _, options = RULES[rule]
    X, y = rounding(seed=10)
    state, _ = learn(learner, X, y, 2, [range(len(X))], **options)
    before = learner.scores(state, as_rows(X))
    grown = learner.grow(state, np.array([0, 2]), 3)
    scores = learner.scores(grown, as_rows(X))
    np.testing.assert_allclose(scores[:, 2] - scores[:, 0], before, rtol=1e-12)
    assert not scores[:, 1].any()
    if rule == "AROW":
        variance = arow.variance(grown)
        np.testing.assert_array_equal(variance[1], np.ones(X.shape[1]))  # that of the new class
        np.testing.assert_array_equal(variance[[0, 2]], arow.variance(state)[[0, 0]])
        more = arow.grow(grown, np.array([0, 1, 3]), 4)
        assert (arow.variance(more)[2] == 1).all()


@pytest.mark.parametrize("rule", RULES)
def test_states_are_merged(rule):
    learner, _, options = RULES[rule]
    X, y = rounding(seed=11)
    parts = [learn(learner, X[k::2], y[k::2], 2, [range(75)], **options)[0] for k in (0, 1)]
    merged = learner.merge(parts, [0.25, 0.75])
    expected = 0.25 * parts[0].weights + 0.75 * parts[1].weights
    np.testing.assert_allclose(merged.weights, expected)
    assert merged.steps == 150
    assert merged.mistakes == sum(part.mistakes for part in parts)


@pytest.mark.parametrize("estimator", [PassiveAggressive, AROW])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_that_is_too_long_is_named(estimator, n_classes):
    X = np.ones((6, 2), np.float32)
    X[4] = 3e38
    y = np.arange(6) % n_classes
    with pytest.raises(ValueError, match="row 4 is too large for float32"):
        estimator(shuffle=False).fit(X, y)


@pytest.mark.parametrize(("rule", "n_classes"), list(product(RULES, (2, 3))))
def test_a_feature_that_comes_twice_counts_as_the_sum(rule, n_classes):
    """Long rows are sorted to find that out, short ones are not."""
    learner, _, options = RULES[rule]
    rng = np.random.default_rng(12)
    for d in (4, 200):
        X = rng.standard_normal((30, d))
        y = np.arange(30) % n_classes
        orders = orders_of(30)
        one, wrong = learn(learner, sp.csr_matrix(X), y, n_classes, orders, **options)
        doubled = LAYOUTS["CSR, shuffled and doubled indices"](X)
        two, same = learn(learner, doubled, y, n_classes, orders, **options)
        np.testing.assert_allclose(one.weights, two.weights, rtol=1e-9, atol=1e-12)
        assert wrong == same
