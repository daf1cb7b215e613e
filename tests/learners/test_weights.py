"""Every loop with weights of rows, against its textbook version, mistake for mistake."""

from itertools import product

import numpy as np
import pytest

from rosenblatt import reference
from rosenblatt.data.rows import as_rows
from rosenblatt.learners import (
    arow,
    averaged,
    batch,
    descent,
    full_batch_descent,
    online,
    passive_aggressive,
    perceptron,
    voted,
)
from rosenblatt.learners.descent import Penalty
from rosenblatt.learners.products import Matrix
from rosenblatt.learners.schedules import constant
from tests.conftest import LAYOUTS, first_quick, rounding, slow, whole_numbers

# The first two are the loops of two and of K classes.
QUICK = [("C order", 2, np.float64), ("C order", 3, np.float64)]
CASES = QUICK + slow(
    [case for case in product(LAYOUTS, [2, 3], [np.float64, np.float32]) if case not in QUICK]
)
RULES = {
    "PA-I": (passive_aggressive, reference.passive_aggressive, {"C": 0.1}),
    "PA-II": (
        passive_aggressive,
        reference.passive_aggressive,
        {"C": 0.3, "loss": "squared_hinge"},
    ),
    "AROW": (arow, reference.arow, {"r": 0.7}),
}


def whole_weights(n, seed=0):
    """Weights that are exact in any sum: 1, 2 and 3."""
    return np.random.default_rng(seed).integers(1, 4, size=n).astype(np.float64)


def orders_of(n, passes=3):
    rng = np.random.default_rng(1)
    return [rng.permutation(n) for _ in range(passes)]


def learned(learner, X, y, n_classes, orders, **options):
    rows = as_rows(X)
    state = learner.init(X.shape[1], n_classes, dtype=X.dtype, sparse=len(rows) > 1)
    target = online.targets(y, n_classes, X.dtype)
    for order in orders:
        state = learner.update(state, rows, target, np.asarray(order, np.int32), **options)
    return state, rows


def textbook(X, y, n_classes, orders, weights):
    if n_classes == 2:
        return list(reference.perceptron(X, 2 * y - 1, orders, weights=weights))
    return list(reference.multiclass(X, y, orders, n_classes, weights=weights))


@pytest.mark.parametrize(("layout", "n_classes", "dtype"), CASES)
def test_perceptrons_make_the_reference_mistakes(layout, n_classes, dtype):
    X, y = whole_numbers(seed=1, n_classes=n_classes)
    weights, orders = whole_weights(len(X)), orders_of(len(X))
    steps = textbook(X, y, n_classes, orders, weights)
    view = LAYOUTS[layout](X.astype(dtype))
    state, rows = learned(voted, view, y, n_classes, orders, weights=weights)
    assert voted.log_of(state).row.tolist() == [i for i, _, _, mistake in steps if mistake]
    np.testing.assert_array_equal(state.weights, np.atleast_2d(steps[-1][1]))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(steps[-1][2]))
    mean, mean_intercept = reference.averaged(steps)
    near = 1e-6 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(voted.average(state)[0], np.atleast_2d(mean), rtol=near, atol=near)
    np.testing.assert_allclose(
        voted.average(state)[1], np.atleast_1d(mean_intercept), rtol=near, atol=near
    )
    state = voted.keep(state, rows)
    votes, _ = reference.voted(steps, X)
    np.testing.assert_allclose(voted.scores(state, rows) * state.steps, votes, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("learner", "n_classes"), list(product([perceptron, averaged], [2, 3])))
def test_the_other_perceptrons_learn_the_same(learner, n_classes):
    X, y = whole_numbers(seed=2, n_classes=n_classes)
    weights, orders = whole_weights(len(X)), orders_of(len(X))
    *_, (_, w, b, _) = textbook(X, y, n_classes, orders, weights)
    state, _ = learned(learner, X, y, n_classes, orders, weights=weights)
    np.testing.assert_array_equal(state.weights, np.atleast_2d(w))
    np.testing.assert_array_equal(state.intercept, np.atleast_1d(b))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_votes_with_and_without_weights_in_turn(n_classes):
    """Steps are kept from the first weight on; those before it were 1."""
    X, y = whole_numbers(seed=3, n_classes=n_classes)
    weights = whole_weights(len(X))
    weights[:40] = weights[80:] = 1
    rows, target = as_rows(X), online.targets(y, n_classes, X.dtype)
    state = voted.init(X.shape[1], n_classes)
    for start in (0, 40, 80):
        part = as_rows(X[start : start + 40])
        given = {"weights": weights[start : start + 40]} if start == 40 else {}
        state = voted.update(state, part, target[start : start + 40], **given)
        state = voted.keep(state, part)
        assert len(state.size) == (state.updates if start else 0)
    votes, _ = reference.voted(textbook(X, y, n_classes, [range(len(X))], weights), X)
    np.testing.assert_allclose(voted.scores(state, rows) * state.steps, votes, atol=1e-9)
    grown = voted.grow(state, np.arange(n_classes), n_classes + 1)
    np.testing.assert_array_equal(grown.size, state.size)


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_random_hypothesis_has_its_weights(n_classes):
    X, y = whole_numbers(seed=4, n_classes=n_classes)
    weights = whole_weights(len(X))
    state, rows = learned(voted, X, y, n_classes, [range(len(X))], weights=weights)
    state = voted.keep(state, rows)
    found = voted.scores(state, rows, "random", np.random.default_rng(0))
    _, hypotheses = reference.voted(textbook(X, y, n_classes, [range(len(X))], weights), X)
    possible = [X @ np.atleast_2d(w).T + b for w, b, _ in hypotheses]
    for i, scores in enumerate(found):
        each = [table[i] for table in possible]
        if n_classes == 2:
            assert any(np.allclose(scores, one[0]) for one in each) or scores > 0
        else:
            assert any(np.allclose(scores, one) for one in each) or scores.max() < 1e-300


@pytest.mark.parametrize(
    ("rule", "layout", "n_classes", "dtype"),
    [("AROW", *case) for case in QUICK]
    + [("PA-I", *QUICK[0]), ("PA-II", *QUICK[1])]
    + slow(product(RULES, ["CSR, 32-bit", "Fortran order"], [2, 3, 5], [np.float64, np.float32])),
)
def test_margin_learners_make_the_reference_mistakes(rule, layout, n_classes, dtype):
    learner, steps_of, options = RULES[rule]
    X, y = rounding(seed=5, n_classes=n_classes)  # whose scores do not tie
    weights, orders = np.random.default_rng(2).gamma(1.0, size=len(X)), orders_of(len(X))
    target, functions = (2 * y - 1, 1) if n_classes == 2 else (y, n_classes)
    steps = list(steps_of(X, target, orders, n_functions=functions, weights=weights, **options))
    view = LAYOUTS[layout](X.astype(dtype))
    state, _ = learned(learner, view, y, n_classes, orders, weights=weights, **options)
    assert state.mistakes == sum(mistake for _, _, _, mistake, _ in steps)
    near = 1e-10 if dtype == np.float64 else 2e-4
    np.testing.assert_allclose(state.weights, steps[-1][1], rtol=near, atol=near)
    np.testing.assert_allclose(state.intercept, steps[-1][2], rtol=near, atol=near)


@pytest.mark.parametrize("weight", [1e-300, 5e-324, 1e300])
@pytest.mark.parametrize(
    ("rule", "n_classes"), first_quick([("AROW", 2), ("PA-I", 2), ("PA-II", 2), ("AROW", 3)])
)
def test_weights_of_any_size_leave_numbers(rule, n_classes, weight):
    learner, _, options = RULES[rule]
    X, y = whole_numbers(seed=6, n_classes=n_classes)
    weights = np.full(len(X), weight)
    state, _ = learned(learner, X, y, n_classes, orders_of(len(X)), weights=weights, **options)
    assert all(np.isfinite(part).all() for part in state if isinstance(part, np.ndarray))


@pytest.mark.parametrize(
    ("n_classes", "size", "layout"),
    [
        (2, 1, "C order"),
        (3, 1, "C order"),
        (3, 6, "C order"),
        *slow([(2, 6, "C order"), *product([2, 3], [1, 6], ["CSR, 32-bit", "Fortran order"])]),
    ],
)
@pytest.mark.parametrize("loss", first_quick(["logistic", "hinge", "squared", "perceptron"]))
def test_descent_is_that_of_the_textbook(n_classes, size, layout, loss):
    """Batches of six dense rows of three classes are multiplied block by block."""
    X, codes = rounding(seed=7, n=60, d=6, n_classes=n_classes)
    y, weights = (
        online.targets(codes, n_classes, X.dtype),
        np.random.default_rng(3).gamma(1, size=60),
    )
    order = np.random.default_rng(2).permutation(60).astype(np.int32)
    batches = [order[start : start + size] for start in range(0, 60, size)]
    functions = 1 if n_classes == 2 else n_classes
    how = {"n_functions": functions, "l2": 0.1, "weights": weights}
    *_, expected = reference.descent(X, y, batches, loss, lambda t: 0.2, **how)
    rows = as_rows(LAYOUTS[layout](X))
    state = descent.init(6, n_classes, loss=loss, fit_intercept=False, sparse=len(rows) > 1)
    state = descent.update(
        state,
        rows,
        y,
        order,
        batch_size=size,
        schedule=constant(0.2),
        penalty=Penalty(l2=0.1),
        weights=weights,
    )
    assert state.weights == pytest.approx(expected, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_all_rows_at_once_is_the_sum_of_repeated_rows(n_classes):
    X, codes = rounding(seed=8, n=40, d=5, n_classes=n_classes)
    y, weights = online.targets(codes, n_classes, X.dtype), whole_weights(40)
    again = np.repeat(np.arange(40), weights.astype(int))
    penalty, mean = Penalty(l2=0.1), weights / weights.mean()
    state = descent.init(5, n_classes, loss="logistic")
    state = state._replace(weights=np.random.default_rng(0).normal(size=state.weights.shape))
    one = full_batch_descent.look(state, Matrix(X), y, penalty, None, mean)
    other = full_batch_descent.look(state, Matrix(X[again]), y[again], penalty)
    assert one.loss == pytest.approx(other.loss)
    assert one.gradient == pytest.approx(other.gradient)
    assert one.gradient_intercept == pytest.approx(other.gradient_intercept)
    given = state, Matrix(X), y, one, penalty, 1.0, mean
    repeated = state, Matrix(X[again]), y[again], other, penalty, 1.0
    eta = full_batch_descent.line_search(*given)[0]
    assert eta == pytest.approx(full_batch_descent.line_search(*repeated)[0], rel=1e-2)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_batch_perceptron_sums_the_reference_mistakes(n_classes):
    X, y = whole_numbers(seed=9, n_classes=n_classes)
    weights, rows = whole_weights(len(X)), as_rows(X)
    target = online.targets(y, n_classes, X.dtype)
    state, mistakes = batch.init(X.shape[1], n_classes, fit_intercept=n_classes > 2), []
    for _ in range(20):
        state = batch.update(state, rows, target, weights=weights)
        mistakes.append(state.mistakes)
        state = batch.move(state, *batch.direction(state, 1.0)[:2], 1.0)
    if n_classes == 2:
        how = {"normalize": False, "max_iter": 20, "weights": weights}
        w, made = reference.batch(X, target, **how)
    else:
        w, _, made = reference.batch_classes(X, y, n_classes, max_iter=20, weights=weights)
    assert mistakes[: len(made)] == made
    np.testing.assert_array_equal(state.weights, np.atleast_2d(w))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_batch_perceptrons_line_search(n_classes):
    """Weighted rows lead to the η of repeated ones."""
    X, y = whole_numbers(seed=10, n_classes=n_classes)
    weights, rng = whole_weights(len(X)), np.random.default_rng(4)
    again = np.repeat(np.arange(len(X)), weights.astype(int))
    shape = (online.n_functions(n_classes), X.shape[1])
    functions, step = ((rng.normal(size=shape), rng.normal(size=shape[0])) for _ in range(2))
    target = online.targets(y, n_classes, X.dtype)
    one = batch.best_step(functions, step, as_rows(X), target, 1.0, weights)
    other = batch.best_step(functions, step, as_rows(X[again]), target[again], 1.0)
    assert one == pytest.approx(other)
