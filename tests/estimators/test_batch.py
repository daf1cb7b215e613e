"""The batch perceptron (S13): deck A's figures, its reference, and line search."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import BatchPerceptron, reference
from rosenblatt.data.rows import as_rows
from rosenblatt.learners.batch import best_step, two_classes
from tests.conftest import LAYOUTS, first_quick, separable, whole_numbers


def criterion(scores, y):
    """The perceptron criterion of a column of scores for class 1, or of one for each class."""
    if scores.shape[1] == 1:
        return np.maximum(0, -(2 * y - 1) * scores[:, 0]).mean()
    return (scores.max(axis=1) - scores[np.arange(len(y)), y]).mean()


def test_deck_a_by_hand():
    X, y = np.array([[1.0, 1], [0.5, 3], [2, 2]]), np.array([1, 1, -1])
    # At w = 0 all three are mistakes: delta = −((1, 1) + (0.5, 3) − (2, 2))/3.
    model = BatchPerceptron(fit_intercept=False, max_iter=1, tol=None).fit(X, y)
    np.testing.assert_allclose(model.coef_, [[-0.5 / 3, 2 / 3]])
    fixed = BatchPerceptron(fit_intercept=False, normalize=False, max_iter=1, tol=None)
    np.testing.assert_array_equal(fixed.fit(X, y).coef_, [[-0.5, 2]])


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("ties", ["mistake", "positive"])
def test_pass_by_pass_as_in_the_reference(normalize, ties):
    X, y = whole_numbers(seed=11, n=128)  # dividing by 128 is exact
    options = {"normalize": normalize, "ties": ties, "max_iter": 20}
    w, mistakes = reference.batch(X, 2 * y - 1, **options)
    model = BatchPerceptron(fit_intercept=False, tol=None, **options).fit(X, y)
    assert model.mistakes_.tolist() == mistakes
    np.testing.assert_array_equal(model.coef_[0], w)


def test_stops_when_delta_is_small():
    X, y = whole_numbers(seed=12, n=128)
    w, mistakes = reference.batch(X, 2 * y - 1, epsilon=0.1, max_iter=1000)
    model = BatchPerceptron(fit_intercept=False, tol=0.1).fit(X, y)
    assert model.mistakes_.tolist() == mistakes
    assert not model.converged_
    np.testing.assert_array_equal(model.coef_[0], w)


def test_a_constant_step_scales_the_weights_alone():
    X, y = whole_numbers(seed=13)
    options = {"max_iter": 10, "tol": None}
    one = BatchPerceptron(**options).fit(X, y)
    four = BatchPerceptron(eta0=4.0, **options).fit(X, y)
    np.testing.assert_array_equal(four.coef_, 4 * one.coef_)
    np.testing.assert_array_equal(four.mistakes_, one.mistakes_)


@given(st.integers(0, 1000))
def test_separable_data_converge(seed):
    X, y = separable(seed)
    model = BatchPerceptron(tol=None, max_iter=100_000, normalize=False).fit(X, y)
    assert model.converged_
    np.testing.assert_array_equal(model.predict(X), y)


def test_line_search_never_raises_the_criterion():
    X, y = whole_numbers(seed=3, noise=0.3)
    criteria = []
    for passes in range(2, 15):
        model = BatchPerceptron(learning_rate="line_search", max_iter=passes, tol=None)
        score = model.fit(X, y).decision_function(X)
        criteria.append(np.maximum(0, -(2 * y - 1) * score).mean())
    assert np.all(np.diff(criteria) <= 1e-12)
    assert criteria[-1] < criteria[0]


@pytest.mark.parametrize("n_classes", first_quick([2, 3, 5], 1))
def test_line_search_finds_the_least_on_its_line(n_classes):
    rng = np.random.default_rng(n_classes)
    X, y = whole_numbers(seed=21, n_classes=n_classes, noise=0.3)
    for _ in range(20):
        W, b, V, c = (
            rng.normal(size=shape)
            for shape in 2
            * [(1 if n_classes == 2 else n_classes, 7), (1 if n_classes == 2 else n_classes)]
        )
        target = 2.0 * y - 1 if n_classes == 2 else y
        found = best_step((W, b), (V, c), as_rows(X), target, 1.0)
        grid = np.concatenate([[found], np.linspace(0, 4 * found + 1, 2001)])
        values = [criterion(X @ (W + eta * V).T + b + eta * c, y) for eta in grid]
        if values[1] > min(values):  # else no step lowers it
            assert values[0] <= min(values) * (1 + 1e-7)


def test_line_search_takes_any_numbers():
    tiny, huge = np.array([-1e-300]), np.array([1e300])
    assert two_classes(tiny, huge, 1.0) == 1.0
    assert two_classes(-huge, -tiny, 0.5) == 0.5
    assert two_classes(np.array([-1.0]), np.array([1.0]), 1.0) == 2.0


def test_line_search_does_not_shrink_to_nothing():
    X, y = whole_numbers(seed=3, noise=0.3)
    model = BatchPerceptron(learning_rate="line_search", max_iter=3000, tol=None).fit(X, y)
    assert np.abs(model.coef_).max() > 1e-20


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_layout_as_in_the_reference(layout, n_classes):
    X, y = whole_numbers(seed=22, n=128, n_classes=n_classes)
    options = {"max_iter": 15, "normalize": False}
    W, b, mistakes = reference.batch_classes(X, y, n_classes, max_iter=15)
    for dtype in (np.float32, np.float64):
        model = BatchPerceptron(tol=None, **options).fit(LAYOUTS[layout](X.astype(dtype)), y)
        assert model.mistakes_.tolist() == mistakes
        if n_classes > 2:
            np.testing.assert_array_equal(model.coef_, W)
            np.testing.assert_array_equal(model.intercept_, b)
        else:  # one function for two classes: half of the difference
            np.testing.assert_array_equal(model.coef_[0], (W[1] - W[0]) / 2)


def test_rows_in_another_order_in_float32():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 20)).astype(np.float32), rng.integers(2, size=3000)
    order = rng.permutation(3000)
    options = {"max_iter": 50, "tol": None}
    one = BatchPerceptron(**options).fit(X, y)
    other = BatchPerceptron(**options).fit(X[order], y[order])
    assert np.mean(one.predict(X) != other.predict(X)) < 0.01


@pytest.mark.parametrize("rate", ["inverse", lambda t: 1 / np.sqrt(t)])
def test_a_warm_start_goes_on_with_the_schedule(rate):
    X, y = whole_numbers(seed=23)
    warm = BatchPerceptron(learning_rate=rate, max_iter=1, tol=None, warm_start=True)
    for _ in range(4):
        warm.fit(X, y)
    whole = BatchPerceptron(learning_rate=rate, max_iter=4, tol=None).fit(X, y)
    np.testing.assert_array_equal(warm.coef_, whole.coef_)


def test_order_of_the_rows_plays_no_part():
    X, y = whole_numbers(seed=14, n_classes=3)
    order = np.random.default_rng(0).permutation(len(X))
    options = {"max_iter": 25, "tol": None, "normalize": False}
    one = BatchPerceptron(**options).fit(X, y)
    other = BatchPerceptron(**options).fit(X[order], y[order])
    np.testing.assert_array_equal(one.coef_, other.coef_)
