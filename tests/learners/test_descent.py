"""Gradient descent against its textbook version, move for move, and the lectures' steps."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.rows import as_rows
from rosenblatt.learners import descent, full_batch_descent, online, perceptron
from rosenblatt.learners.descent import Penalty
from rosenblatt.learners.losses import LOSSES, evaluate
from rosenblatt.learners.products import Matrix
from rosenblatt.learners.schedules import constant, inverse, inverse_sqrt, of_step, optimal
from rosenblatt.reference.descent import descent as textbook
from rosenblatt.reference.losses import MANY_CLASSES, TWO_CLASSES, zero_one
from tests.conftest import LAYOUTS, first_quick, in_turn, rounding, whole_numbers

PENALTIES = [Penalty(), Penalty(l2=0.1), Penalty(l1=0.01), Penalty(l2=0.1, l1=0.01)]
PARAMETERS = {"huber": 0.7, "quantile": 0.3}


def parameter(loss):
    """Return the parameter of a loss, as the textbook takes it."""
    return (PARAMETERS[loss],) if loss in PARAMETERS else ()


def problem(n_classes, seed=0, dtype=np.float64, n=60, d=6):
    """Rows that round, and targets as the loops want them."""
    X, codes = rounding(seed, n=n, d=d, n_classes=n_classes, dtype=dtype)
    return X, online.targets(codes, n_classes, X.dtype)


def batches(order, size):
    return [order[start : start + size] for start in range(0, len(order), size)]


# The losses


@pytest.mark.parametrize("name", LOSSES)
def test_slope_of_two_classes_is_the_derivative(name):
    h = 1e-6
    for y in (-1.0, 1.0):
        for score in np.linspace(-3, 3, 41) + 0.013:  # away from the kinks
            loss, slope = TWO_CLASSES[name](score, y, *parameter(name))
            up, down = (TWO_CLASSES[name](score + s, y, *parameter(name))[0] for s in (h, -h))
            assert slope == pytest.approx((up - down) / (2 * h), abs=1e-6)
            ours = evaluate(name, np.array([[score]]), np.array([y]), None, *parameter(name))
            assert ours[0] == pytest.approx(loss)
            assert ours[1] == zero_one(score, y)
            assert ours[2][0, 0] == pytest.approx(slope)


@pytest.mark.parametrize("name", LOSSES)
def test_slopes_of_many_classes_are_the_gradient(name):
    rng = np.random.default_rng(0)
    for _ in range(50):
        scores, right, h = rng.normal(0, 2, 4), int(rng.integers(4)), 1e-6
        loss, slopes = MANY_CLASSES[name](scores, right, *parameter(name))
        for k in range(4):
            step = h * np.eye(4)[k]
            up, down = (
                MANY_CLASSES[name](scores + s, right, *parameter(name))[0] for s in (step, -step)
            )
            assert slopes[k] == pytest.approx((up - down) / (2 * h), abs=1e-5)
        ours = evaluate(name, scores[None], np.array([right]), None, *parameter(name))
        assert ours[0] == pytest.approx(loss)
        assert ours[1] == (scores[right] <= np.delete(scores, right).max())
        assert ours[2][0] == pytest.approx(slopes)


@pytest.mark.parametrize("name", LOSSES)
def test_at_the_kinks_loss_and_slope_are_the_textbooks(name):
    y = np.array([1.0, -1.0] * 9)
    scores = np.repeat([-2.0, -1.0, -0.7, 0.0, 0.3, 0.7, 1.0, 1.7, 2.0], 2)
    parts = [TWO_CLASSES[name](s, t, *parameter(name)) for s, t in zip(scores, y, strict=True)]
    loss, _, slopes = evaluate(name, scores[:, None], y, None, *parameter(name))
    assert loss == pytest.approx(sum(part[0] for part in parts), rel=1e-14)
    assert slopes.ravel() == pytest.approx([part[1] for part in parts], rel=1e-14)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=40), st.floats(0.01, 0.99))
def test_the_lowest_point_of_the_pinball_loss_is_the_quantile(numbers, q):
    y = np.array(numbers)

    def cost(score):
        return evaluate("quantile", np.full((len(y), 1), score), y, None, q)[0]

    lowest = cost(np.quantile(y, q, method="inverted_cdf"))
    assert all(lowest <= cost(other) + 1e-9 * (1 + abs(lowest)) for other in [*y, *(y + 0.5)])


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0.01, 100))
def test_hubers_loss_lies_between_squares_and_lines(score, y, epsilon):
    loss, _, slope = evaluate("huber", np.array([[score]]), np.array([y]), None, epsilon)
    off = abs(score - y)
    assert loss <= min(off**2 / 2, epsilon * off) * (1 + 1e-12)
    assert loss >= max(0.0, epsilon * off - epsilon**2 / 2) * (1 - 1e-12)
    assert abs(slope[0, 0]) == pytest.approx(min(off, epsilon))


def test_losses_of_scores_beyond_exp():
    for y in (-1.0, 1.0):
        loss, _, slope = evaluate("logistic", np.array([[5000 * y], [-5000 * y]]), np.array([y, y]))
        assert loss == 5000
        assert slope.ravel().tolist() == [0, -y]
    loss, _, slope = evaluate("logistic", np.array([[9000.0, 0, -9000.0]]), np.array([2]))
    assert loss == 18000
    assert slope.tolist() == [[1, 0, -1]]


# The lectures' steps


def test_stochastic_linear_regression_step_for_step():
    """S23: w ← w + 2η (t − w·x) x."""
    rng = np.random.default_rng(0)
    X, t, w = rng.normal(size=(20, 3)), rng.normal(size=20), np.zeros(3)
    state = descent.init(3, loss="squared", fit_intercept=False)
    for i in range(20):
        w = w + 2 * 0.05 * (t[i] - w @ X[i]) * X[i]
        state = descent.update(
            state, as_rows(X), t, np.array([i], np.int32), schedule=constant(0.05)
        )
        assert state.weights[0] == pytest.approx(w, rel=1e-12)


def test_stochastic_logistic_regression_step_for_step():
    """S24: w ← w − η (σ(w·x) − t) x."""
    X, y = problem(2)
    w, t = np.zeros(X.shape[1]), y > 0
    state = descent.init(X.shape[1], loss="logistic", fit_intercept=False)
    for i in range(len(y)):
        w = w - 0.3 * (1 / (1 + np.exp(-w @ X[i])) - t[i]) * X[i]
        state = descent.update(
            state, as_rows(X), y, np.array([i], np.int32), schedule=constant(0.3)
        )
        assert state.weights[0] == pytest.approx(w, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_perceptron_is_descent_on_its_criterion(n_classes, layout):
    """S25: the same weights, bit for bit, after every step."""
    X, codes = whole_numbers(3, n_classes=n_classes)
    rows = as_rows(LAYOUTS[layout](X))
    y = online.targets(codes, n_classes, np.float64)
    options = {"sparse": "CSR" in layout}
    one = perceptron.init(X.shape[1], n_classes, **options)
    other = descent.init(X.shape[1], n_classes, **options)
    for i in [*range(len(y)), *range(len(y))]:
        one = perceptron.update(one, rows, y, np.array([i], np.int32))
        other = descent.update(other, rows, y, np.array([i], np.int32))
        assert np.array_equal(one.weights, other.weights)
        assert np.array_equal(one.intercept, other.intercept)
    assert one.updates == other.mistakes


# Every setting against the textbook


@pytest.mark.parametrize(
    ("layout", "n_classes", "size"), in_turn(product(LAYOUTS, [2, 4]), [1, 7, 60])
)
def test_layouts_agree_with_the_textbook(layout, n_classes, size):
    X, y = problem(n_classes)
    compare(X, y, LAYOUTS[layout], "logistic", size, Penalty(l2=0.01))


@pytest.mark.parametrize(
    ("loss", "n_classes", "penalty", "layout", "size"),
    in_turn(
        product(LOSSES, [2, 3], PENALTIES), product(["C order", "CSR, 32-bit"], [1, 5]), each=2
    ),
)
def test_losses_and_penalties_agree_with_the_textbook(loss, n_classes, penalty, layout, size):
    X, y = problem(n_classes, seed=1)
    compare(X, y, LAYOUTS[layout], loss, size, penalty)


def compare(X, y, layout, loss, size, penalty, eta=lambda t: 0.2 / t**0.5):
    order = np.random.default_rng(2).permutation(len(y)).astype(np.int32)
    functions = 1 if y.dtype.kind == "f" else int(y.max()) + 1
    *_, expected = textbook(
        X, y, batches(order, size), loss, eta, n_functions=functions, l2=penalty.l2, l1=penalty.l1,
        parameter=parameter(loss),
    )  # fmt: skip
    rows = as_rows(layout(X))
    options = {"loss": loss, "loss_parameter": PARAMETERS.get(loss, 0.0), "fit_intercept": False}
    state = descent.init(X.shape[1], max(functions, 2), **options, sparse=len(rows) > 1)
    state = descent.update(
        state, rows, y, order, batch_size=size, schedule=of_step(eta), penalty=penalty
    )
    assert state.weights == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert np.array_equal(state.weights == 0, expected == 0)
    assert state.updates == len(batches(order, size))


@pytest.mark.parametrize(("n_classes", "size"), first_quick([(2, 1), (3, 1), (2, 6), (3, 6)]))
def test_single_precision(n_classes, size):
    X, y = problem(n_classes, dtype=np.float32)
    states = [
        descent.update(
            descent.init(X.shape[1], n_classes, dtype=dtype, loss="logistic"),
            as_rows(X.astype(dtype)),
            y if n_classes > 2 else y.astype(dtype),
            batch_size=size,
            schedule=inverse_sqrt(0.5),
            penalty=Penalty(l2=1e-3),
        )
        for dtype in (np.float32, np.float64)
    ]
    assert states[0].weights.dtype == np.float32
    assert states[0].weights == pytest.approx(states[1].weights, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_intercept_is_a_feature_that_is_always_one(n_classes):
    X, y = problem(n_classes)
    options = {"batch_size": 4, "schedule": constant(0.1)}
    one = descent.update(
        descent.init(X.shape[1], n_classes, loss="logistic"), as_rows(X), y, **options
    )
    wider = np.column_stack([X, np.ones(len(X))])
    other = descent.update(
        descent.init(X.shape[1] + 1, n_classes, loss="logistic", fit_intercept=False),
        as_rows(wider),
        y,
        **options,
    )
    assert one.weights == pytest.approx(other.weights[:, :-1], rel=1e-9)
    assert one.intercept == pytest.approx(other.weights[:, -1], rel=1e-9)


@pytest.mark.parametrize("layout", ["C order", "CSR, 32-bit"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l2", [0.0, 0.4])
def test_average_is_the_mean_after_every_move(layout, n_classes, l2):
    X, y = problem(n_classes)
    rows, size, eta = as_rows(LAYOUTS[layout](X)), 4, 0.3
    every = list(
        textbook(
            X,
            y,
            batches(np.arange(len(y)), size) * 3,
            "logistic",
            lambda t: eta,
            n_functions=1 if n_classes == 2 else n_classes,
            l2=l2,
        )
    )
    state = descent.init(
        X.shape[1], n_classes, loss="logistic", fit_intercept=False, sparse=len(rows) > 1
    )
    for _ in range(3):
        state = descent.update(
            state,
            rows,
            y,
            batch_size=size,
            schedule=constant(eta),
            penalty=Penalty(l2=l2),
            average=True,
        )
    weights, _ = descent.average(state)
    assert state.averaged == len(every)
    assert weights == pytest.approx(np.mean(every, axis=0), rel=1e-9)


def test_average_under_a_penalty_that_forgets():
    """What the first weights add to the mean is long forgotten by the last; nothing may cancel."""
    X, y = problem(2)
    order = np.tile(np.arange(len(y), dtype=np.int32), 40)
    every = list(textbook(X, y, batches(order, 1), "logistic", lambda t: 0.5, l2=0.5))
    state = descent.init(X.shape[1], loss="logistic", fit_intercept=False)
    state = descent.update(
        state,
        as_rows(X),
        y,
        order,
        schedule=constant(0.5),
        penalty=Penalty(l2=0.5),
        average=True,
    )
    assert descent.average(state)[0] == pytest.approx(np.mean(every, axis=0), rel=1e-9)


def test_a_penalty_that_shrinks_the_scale_to_nothing():
    """The scale is taken over by the weights long before it underflows."""
    X, y = problem(2)
    order = np.tile(np.arange(len(y), dtype=np.int32), 40)
    eta = lambda t: 0.9  # noqa: E731
    *_, expected = textbook(X, y, batches(order, 1), "hinge", eta, l2=0.9)
    state = descent.init(X.shape[1], loss="hinge", fit_intercept=False)
    state = descent.update(
        state, as_rows(X), y, order, schedule=constant(0.9), penalty=Penalty(l2=0.9)
    )
    assert state.weights == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber", "huber", "quantile"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_in_every_layout(layout, loss, n_classes):
    X, y = problem(n_classes, seed=5)
    compare(X, y, LAYOUTS[layout], loss, 4, Penalty(l2=0.01))


# The elastic net


@pytest.mark.parametrize(
    ("layout", "n_classes", "size", "l2"),
    in_turn(product(["C order", "CSR, 32-bit"], [2, 3], [1, 4]), [0.2, 0.9]),
)
def test_the_lazy_elastic_net_is_the_dense_rule_after_every_move(layout, n_classes, size, l2):
    """Rows have few of the features; with α = 0.9 the scale is taken over every few moves."""
    X, y = problem(n_classes, seed=6, n=48, d=9)
    X = X * (np.random.default_rng(3).random(X.shape) < 0.3)
    penalty, eta = Penalty(l2=l2, l1=0.02), lambda t: 0.9 / t**0.25
    functions = 1 if n_classes == 2 else n_classes
    rows, parts = as_rows(LAYOUTS[layout](X)), batches(np.arange(len(y), dtype=np.int32), size)
    textbook_weights = textbook(
        X, y, parts * 3, "logistic", eta, n_functions=functions, l2=penalty.l2, l1=penalty.l1
    )
    state = descent.init(9, n_classes, loss="logistic", fit_intercept=False, sparse=len(rows) > 1)
    zeros = 0
    for part, expected in zip(parts * 3, textbook_weights, strict=True):
        options = {"batch_size": size, "schedule": of_step(eta), "penalty": penalty}
        state = descent.update(state, rows, y, part, **options)
        assert state.weights == pytest.approx(expected, rel=1e-9, abs=1e-13)
        assert np.array_equal(state.weights == 0, expected == 0)
        zeros += np.count_nonzero(expected == 0)
    assert 0 < zeros < len(parts) * 3 * state.weights.size
    # One call for all moves, which looks at each weight only when a row has it, does the same.
    once = descent.init(9, n_classes, loss="logistic", fit_intercept=False, sparse=len(rows) > 1)
    once = descent.update(once, rows, y, np.concatenate(parts * 3), **options)
    assert once.weights == pytest.approx(state.weights, rel=1e-9, abs=1e-13)
    assert np.array_equal(once.weights == 0, state.weights == 0)


# Dense batches of many classes, four rows by four classes at a time


@pytest.mark.parametrize(
    ("n_classes", "size", "l2"), in_turn(product([3, 4, 5, 6, 7, 9], [4, 6, 13]), [0.0, 0.9])
)
def test_blocked_products_agree_with_the_textbook(n_classes, size, l2):
    X, y = problem(n_classes, n=70, d=71)
    every = list(
        textbook(
            X,
            y,
            batches(np.arange(len(y)), size) * 4,
            "logistic",
            lambda t: 0.9,
            n_functions=n_classes,
            l2=l2,
        )
    )
    state = descent.init(71, n_classes, loss="logistic", fit_intercept=False)
    for _ in range(4):
        state = descent.update(
            state,
            as_rows(X),
            y,
            batch_size=size,
            schedule=constant(0.9),
            penalty=Penalty(l2=l2),
            average=True,
        )
    assert state.weights == pytest.approx(every[-1], rel=1e-8, abs=1e-11)
    mean, _ = descent.average(state)
    assert mean == pytest.approx(np.mean(every, axis=0), rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("average", first_quick([True, False]))
@pytest.mark.parametrize("dtype", first_quick([np.float64, np.float32]))
def test_threads_change_no_bit(average, dtype, monkeypatch):
    X, y = problem(7, n=300, d=100, dtype=dtype)
    states = []
    for least in (0, 1 << 60):  # two threads however small the batch, then one
        monkeypatch.setattr(descent, "_SMALL", least)
        monkeypatch.setattr(descent, "_free", lambda: True)
        state = descent.init(100, 7, dtype=dtype, loss="logistic")
        for _ in range(3):
            state = descent.update(
                state,
                as_rows(X),
                y,
                batch_size=16,
                schedule=inverse_sqrt(0.5),
                penalty=Penalty(l2=0.1),
                average=average,
            )
        states.append(state)
    for one, other in zip(*states, strict=True):
        assert np.array_equal(one, other)


def test_a_busy_machine_changes_no_bit(monkeypatch):
    """A thread that has to wait too often leaves the rest to the other, with the same result."""
    X, y = problem(7, n=300, d=100)
    options = {"batch_size": 16, "schedule": constant(0.5), "penalty": Penalty(l2=0.1)}
    alone = descent.update(descent.init(100, 7, loss="logistic"), as_rows(X), y, **options)
    monkeypatch.setattr(descent, "_SMALL", 0)
    monkeypatch.setattr(descent, "_free", lambda: True)
    monkeypatch.setattr(descent, "_PATIENCE", -1)
    plain, visited = descent.blocked_descent, []

    def watched(*arguments):
        done = plain(*arguments)
        visited.append(done[0])
        return done

    monkeypatch.setattr(descent, "blocked_descent", watched)
    busy = descent.update(descent.init(100, 7, loss="logistic"), as_rows(X), y, **options)
    assert sorted(visited) == [0, 300]
    assert np.array_equal(alone.weights, busy.weights)
    assert alone.loss_sum == busy.loss_sum


@pytest.mark.slow
def test_weights_that_lie_otherwise_are_learned_all_the_same():
    X, y = problem(5, n=80, d=70)
    one, other = (descent.init(70, 5, loss="logistic", sparse=sparse) for sparse in (False, True))
    one, other = (descent.update(s, as_rows(X), y, batch_size=8) for s in (one, other))
    assert one.weights == pytest.approx(other.weights)


@pytest.mark.parametrize("least", [0, 1 << 60])
def test_blocked_products_notice_what_overflows(least, monkeypatch):
    monkeypatch.setattr(descent, "_SMALL", least)
    monkeypatch.setattr(descent, "_free", lambda: True)
    X, y = problem(3, n=40, d=40)
    X[29, 3] = 1e308
    state = descent.init(40, 3, loss="squared")
    state = state._replace(weights=np.full((3, 40), 10.0))
    with pytest.raises(descent.DivergedError, match="the score of row 29 is too large"):
        descent.update(state, as_rows(X), y, batch_size=8, schedule=constant(1e-6))


@pytest.mark.parametrize("thread", [0, 1])
def test_an_error_leaves_no_thread_waiting(thread, monkeypatch):
    """What ends the one thread before it starts must end the other, too."""
    monkeypatch.setattr(descent, "_SMALL", 0)
    monkeypatch.setattr(descent, "_free", lambda: True)
    plain = descent.blocked_descent

    def interrupted(*arguments):
        if arguments[-2] == thread:
            raise KeyboardInterrupt
        return plain(*arguments)

    monkeypatch.setattr(descent, "blocked_descent", interrupted)
    X, y = problem(3, n=40, d=40)
    with pytest.raises(KeyboardInterrupt):
        descent.update(descent.init(40, 3), as_rows(X), y, batch_size=8)


# All rows at once


@pytest.mark.parametrize(
    ("layout", "n_classes", "penalty"),
    in_turn(
        product(["C order", "Fortran order", "CSR, 32-bit"], [2, 3]),
        [(penalty,) for penalty in PENALTIES],
        each=2,
    ),
)
def test_all_rows_at_once_is_one_batch(layout, n_classes, penalty):
    X, y = problem(n_classes)
    matrix = LAYOUTS[layout](X)
    rows = as_rows(matrix)
    one = descent.init(X.shape[1], n_classes, loss="logistic", sparse=len(rows) > 1)
    other = descent.init(X.shape[1], n_classes, loss="logistic", sparse=len(rows) > 1)
    for _ in range(5):
        one = descent.update(
            one, rows, y, batch_size=len(y), schedule=constant(0.5), penalty=penalty
        )
        slope = full_batch_descent.look(other, Matrix(matrix), y, penalty)
        other = full_batch_descent.move(other, slope, 0.5, penalty)
    assert one.weights == pytest.approx(other.weights, rel=1e-9, abs=1e-12)
    assert one.intercept == pytest.approx(other.intercept, rel=1e-9, abs=1e-12)
    assert one.loss_sum == pytest.approx(other.loss_sum)
    assert (one.mistakes, one.steps, one.updates) == (other.mistakes, other.steps, other.updates)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_line_search_finds_the_lowest_point(loss, n_classes):
    X, y = problem(n_classes, seed=4)
    penalty, matrix = Penalty(l2=0.01), Matrix(X)
    options = {"loss": loss, "loss_parameter": PARAMETERS.get(loss, 0.0)}
    state = descent.init(X.shape[1], n_classes, **options)
    state = state._replace(weights=np.random.default_rng(0).normal(size=state.weights.shape))
    slope = full_batch_descent.look(state, matrix, y, penalty)
    eta, scores = full_batch_descent.line_search(state, matrix, y, slope, penalty, 1.0)

    def cost(step):
        return full_batch_descent.look(
            full_batch_descent.move(state, slope, step, penalty), matrix, y, penalty
        ).loss

    after = full_batch_descent.move(state, slope, eta, penalty)
    assert matrix.scores(after.weights, after.intercept) == pytest.approx(scores)
    assert cost(eta) < slope.loss
    assert cost(eta) <= min(cost(eta * factor) for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2)) + 1e-12


# What a state can do


@given(st.integers(0, 10**6))
def test_softmax_of_halves_is_the_sigmoid(seed):
    rng = np.random.default_rng(seed)
    state = descent.init(3, loss="logistic")
    state = state._replace(weights=rng.normal(size=(1, 3)), intercept=rng.normal(size=1))
    x = as_rows(rng.normal(size=(1, 3)))
    before = descent.scores(state, x)[0]
    after = descent.scores(descent.grow(state, np.array([0, 2]), 3), x)[0]
    assert after[2] - after[0] == pytest.approx(before)
    assert after[1] == 0


def test_merge_is_the_mean():
    X, y = problem(2)
    halves = [
        descent.update(descent.init(X.shape[1], loss="logistic"), as_rows(X[part]), y[part])
        for part in (slice(0, 30), slice(30, 60))
    ]
    merged = descent.merge(halves, [1, 3])
    expected = (halves[0].weights + 3 * halves[1].weights) / 4
    assert merged.weights == pytest.approx(expected)
    assert merged.steps == 60


def test_schedules():
    assert inverse(1.0)(3, 2).tolist() == [1 / 3, 1 / 4]
    assert inverse(2.0, over=10)(11, 1).tolist() == [1.0]
    assert inverse_sqrt(2.0, over=5)(16, 1).tolist() == [1.0]
    table = optimal(0.01, eta_first=0.5)(1, 1000)
    assert table[0] == pytest.approx(0.5)
    assert 1 / table[-1] - 1 / table[0] == pytest.approx(0.01 * 999)


def test_a_step_that_the_penalty_cannot_bear():
    X, y = problem(2)
    with pytest.raises(descent.DivergedError, match=r"a step of 2 times the penalty of 0.5"):
        descent.update(
            descent.init(X.shape[1]),
            as_rows(X),
            y,
            schedule=constant(2.0),
            penalty=Penalty(l2=0.5),
        )
